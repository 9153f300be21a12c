// test_frame.c: frames over a socket: sizes that are only claimed, sides that stop or die in the middle.
#include "support/check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/work/frame.h"

static int ends[2];

static int make_line(void **state) {
  (void)state;
  return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int close_line(void **state) {
  (void)state;
  close(ends[0]);
  close(ends[1]);
  return 0;
}

static bool receive(size_t most, sfnec_frame_alive *alive, void *context, unsigned char **bytes, size_t *size) {
  sfnec_frame_tag tag;
  const bool there = sfnec_frame_receive(ends[0], most, alive, context, &tag, bytes, size);
  if (there) assert_int_equal(tag, SFNEC_FRAME_MESSAGE);
  else assert_null(*bytes);
  return there;
}

static void claim(uint32_t size) {
  const uint32_t head[2] = {SFNEC_FRAME_MESSAGE, size};
  assert_int_equal(write(ends[1], head, sizeof head), sizeof head);
}

// Sizes around where the memory grows; a child writes, as no socket holds the larger ones.
static void test_round_trip(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, 65535, 65536, 65537, 1 << 20, (1 << 20) + 7};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    unsigned char *sent = malloc(sizes[i] + 1), *bytes;
    size_t size;
    for (size_t k = 0; k < sizes[i]; k++) sent[k] = (unsigned char)(k * 31 + k / 251);
    const pid_t child = fork();
    if (child == 0) _exit(!sfnec_frame_send(ends[1], SFNEC_FRAME_MESSAGE, sent, sizes[i], NULL, NULL));
    assert_true(receive(SFNEC_FRAME_MOST, NULL, NULL, &bytes, &size));
    assert_true(size == sizes[i] && memcmp(bytes, sent, size) == 0 && bytes[size] == '\0');
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(bytes);
    free(sent);
  }
}

// More than may be said is refused at once, with the line still open; what may be is not believed before it comes.
static void test_claims(void **state) {
  (void)state;
  unsigned char *bytes;
  size_t size;
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  const double began = sfnec_seconds();
  claim(UINT32_MAX);
  assert_false(receive(SFNEC_FRAME_MOST, NULL, NULL, &bytes, &size));
  claim(101);
  assert_false(receive(100, NULL, NULL, &bytes, &size));
  assert_true(sfnec_seconds() - began < 5);
  claim(SFNEC_FRAME_MOST);
  shutdown(ends[1], SHUT_WR);
  assert_false(receive(SFNEC_FRAME_MOST, NULL, NULL, &bytes, &size));
  getrusage(RUSAGE_SELF, &after);
  assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024); // kilobytes
}

static bool lives(void *context) {
  return waitpid(*(pid_t *)context, NULL, WNOHANG) == 0;
}

// A process that dies while another one holds its end: no end of file ever comes. What it said before is read.
static void test_inherited(void **state) {
  (void)state;
  unsigned char *bytes;
  size_t size;
  pid_t child = fork();
  if (child == 0) {
    (void)sfnec_frame_send(ends[1], SFNEC_FRAME_MESSAGE, "last", 4, NULL, NULL);
    _exit(3);
  }
  assert_true(receive(100, lives, &child, &bytes, &size));
  assert_memory_equal(bytes, "last", 5);
  free(bytes);
  const double began = sfnec_seconds();
  assert_false(receive(100, lives, &child, &bytes, &size));
  // nor does one wait for ever to tell it something
  static const char much[1 << 22];
  assert_false(sfnec_frame_send(ends[0], SFNEC_FRAME_STUDY, much, sizeof much, lives, &child));
  assert_true(sfnec_seconds() - began < 5);
}

// One that stops in the middle of a frame counts as gone after a while.
static void test_half(void **state) {
  (void)state;
  unsigned char *bytes;
  size_t size;
  const double began = sfnec_seconds();
  claim(100);
  assert_int_equal(write(ends[1], "half", 4), 4);
  assert_false(receive(100, NULL, NULL, &bytes, &size));
  assert_true(sfnec_seconds() - began >= SFNEC_FRAME_PATIENCE - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, make_line, close_line),
      cmocka_unit_test_setup_teardown(test_claims, make_line, close_line),
      cmocka_unit_test_setup_teardown(test_inherited, make_line, close_line),
      cmocka_unit_test_setup_teardown(test_half, make_line, close_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
