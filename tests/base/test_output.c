// test_output.c: files that are whole under their names, or not there.
#include "support/faults.h"

#include "base/output.h"

static void test_kept(void **unused) {
  (void)unused;
  sfnec_output output;
  OK(sfnec_output_open(&output, "kept"));
  fputs("all of it", output.file);
  // it gets its name at the end
  assert_int_not_equal(access("kept", F_OK), 0);
  OK(sfnec_output_close(&output, true));
  size_t size;
  unsigned char *bytes = file_bytes("kept", &size);
  assert_int_equal(size, 9);
  assert_memory_equal(bytes, "all of it", size);
  free(bytes);
}

static void test_dropped(void **unused) {
  (void)unused;
  sfnec_output output;
  OK(sfnec_output_open(&output, "dropped"));
  char *temporary = strdup(output.temporary);
  assert_int_equal(access(temporary, F_OK), 0);
  OK(sfnec_output_close(&output, false));
  assert_int_not_equal(access("dropped", F_OK), 0);
  assert_int_not_equal(access(temporary, F_OK), 0);
  free(temporary);
}

static void test_refused(void **unused) {
  (void)unused;
  sfnec_output output, none = {0};
  REFUSED(sfnec_output_open(&output, "nowhere/file"), SFNEC_ERROR_IO, "cannot write nowhere/file");
  OK(sfnec_output_close(&none, false));
}

// A write that failed on the way is not forgotten when there is room again: the file would have a hole.
static void test_lost_write(void **unused) {
  (void)unused;
  char line[1000];
  memset(line, 'x', sizeof line);
  write_file("lost", "older", 5);
  sfnec_output output;
  OK(sfnec_output_open(&output, "lost"));
  file_room(20000);
  for (int i = 0; i < 100; i++) fwrite(line, 1, sizeof line, output.file);
  file_room(-1);
  assert_true(ferror(output.file));
  errno = 0; // as a function in between may leave it
  REFUSED(sfnec_output_close(&output, true), SFNEC_ERROR_IO, "cannot write lost: ");
  size_t size;
  unsigned char *bytes = file_bytes("lost", &size);
  assert_true(size == 5 && memcmp(bytes, "older", size) == 0);
  free(bytes);
}

// The sentence is that of the first failure.
static void test_first_failure(void **unused) {
  (void)unused;
  if (!FAULTS) skip();
  static const struct {
    const char *call, *sentence;
  } failures[] = {{"fflush", "No space left on device"},
                  {"fsync", "Input/output error"},
                  {"fclose", "Input/output error"},
                  {"rename", "Permission denied"}};
  for (int i = 0; i < 4; i++) {
    sfnec_output output;
    OK(sfnec_output_open(&output, "kept"));
    fputs("other", output.file);
    faults_begin(i);
    REFUSED(sfnec_output_close(&output, true), SFNEC_ERROR_IO, failures[i].sentence);
    assert_true(faults_end() && faults_hit(failures[i].call));
    size_t size;
    unsigned char *bytes = file_bytes("kept", &size);
    assert_true(size == 9 && memcmp(bytes, "all of it", size) == 0);
    free(bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept),       cmocka_unit_test(test_dropped),       cmocka_unit_test(test_refused),
      cmocka_unit_test(test_lost_write), cmocka_unit_test(test_first_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
