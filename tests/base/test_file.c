// test_file.c: files are whole or not there: every cut and every flipped byte is refused, a failed save leaves the
// older file alone and nothing else behind.
#include "support/check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static const char magic[] = "SFNECTST";
static const char path[] = "sample.bin";

static void write_sample(sfnec_writer *writer, uint32_t mark) {
  const float numbers[3] = {1.5f, -2.5f, 3.5f};
  sfnec_write_u32(writer, mark);
  sfnec_write_u64(writer, 0x0102030405060708ull);
  sfnec_write_i64(writer, -5);
  sfnec_write_f64(writer, 0.1);
  sfnec_write_text(writer, "some text");
  sfnec_write_bytes(writer, numbers, sizeof numbers);
  sfnec_write_text(writer, "");
}

static void save_sample(const char *file, uint32_t mark) {
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open(file, magic, 7, &writer));
  write_sample(writer, mark);
  OK(sfnec_writer_commit(writer));
}

static sfnec_status open_sample(const char *file, sfnec_reader **reader) {
  return sfnec_reader_open(file, magic, 7, "a test file", reader);
}

// Files in a folder whose name is not a dot and its like.
static int files_in(const char *folder) {
  DIR *stream = opendir(folder);
  assert_non_null(stream);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(stream));) count += entry->d_name[0] != '.';
  closedir(stream);
  return count;
}

static uint32_t mark_of(const char *file) {
  sfnec_reader *reader = NULL;
  OK(open_sample(file, &reader));
  const uint32_t mark = sfnec_read_u32(reader);
  sfnec_reader_close(reader);
  return mark;
}

static void test_round_trip(void **state) {
  (void)state;
  save_sample(path, 42);
  assert_int_equal(files_in("."), 1);
  sfnec_reader *reader = NULL;
  OK(open_sample(path, &reader));
  assert_int_equal(sfnec_reader_left(reader), 4 + 8 + 8 + 8 + 4 + 9 + 12 + 4);
  assert_int_equal(sfnec_read_u32(reader), 42);
  assert_true(sfnec_read_u64(reader) == 0x0102030405060708ull);
  assert_true(sfnec_read_i64(reader) == -5);
  assert_true(sfnec_read_f64(reader) == 0.1);
  char *text = sfnec_read_text(reader, 9);
  assert_string_equal(text, "some text");
  free(text);
  float numbers[3];
  sfnec_read_bytes(reader, numbers, sizeof numbers);
  assert_true(numbers[0] == 1.5f && numbers[1] == -2.5f && numbers[2] == 3.5f);
  text = sfnec_read_text(reader, 10);
  assert_string_equal(text, "");
  free(text);
  assert_true(sfnec_reader_good(reader));
  assert_int_equal(sfnec_reader_left(reader), 0);

  // past the end: zeros, and remembered
  assert_int_equal(sfnec_read_u64(reader), 0);
  assert_false(sfnec_reader_good(reader));
  REFUSED(sfnec_reader_refuse(reader, "reason"), SFNEC_ERROR_FORMAT, "sample.bin is not a test file");
  sfnec_reader_close(reader);
  unlink(path);
}

// Pieces of all sizes, smaller and larger than what the writer holds back, come out as they went in.
static void test_large(void **state) {
  (void)state;
  enum { SIZE = 3 << 20 };
  unsigned char *bytes = malloc(SIZE), *found = malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
  const size_t pieces[] = {1, 7, 4096, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 20};
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open(path, magic, 7, &writer));
  size_t at = 0;
  for (size_t i = 0; at < SIZE; i++) {
    size_t piece = pieces[i % 7];
    if (piece > SIZE - at) piece = SIZE - at;
    sfnec_write_bytes(writer, bytes + at, piece);
    at += piece;
  }
  OK(sfnec_writer_commit(writer));
  sfnec_reader *reader = NULL;
  OK(open_sample(path, &reader));
  assert_int_equal(sfnec_reader_left(reader), SIZE);
  sfnec_read_bytes(reader, found, SIZE);
  assert_memory_equal(found, bytes, SIZE);
  sfnec_reader_close(reader);
  free(bytes);
  free(found);
  unlink(path);
}

// A text longer than allowed, or longer than the file, is no text.
static void test_texts(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    sfnec_writer *writer = NULL;
    OK(sfnec_writer_open(path, magic, 7, &writer));
    if (i == 0) sfnec_write_text(writer, "some text");
    if (i == 1) sfnec_write_u32(writer, 0xffffffffu);
    OK(sfnec_writer_commit(writer));
    sfnec_reader *reader = NULL;
    OK(open_sample(path, &reader));
    assert_null(sfnec_read_text(reader, i == 0 ? 8 : UINT32_MAX));
    assert_false(sfnec_reader_good(reader));
    sfnec_reader_close(reader);
  }
  unlink(path);
}

static void test_every_truncation(void **state) {
  (void)state;
  save_sample(path, 42);
  size_t size;
  unsigned char *bytes = file_bytes(path, &size);
  for (size_t n = 0; n < size; n++) {
    write_file("cut.bin", bytes, n);
    sfnec_reader *reader = NULL;
    REFUSED(open_sample("cut.bin", &reader), SFNEC_ERROR_FORMAT,
            n < 8 ? "cut.bin is not a test file" : "cut.bin is tr");
    assert_null(reader);
  }
  // and longer than it should be
  bytes[size] = 0;
  write_file("cut.bin", bytes, size + 1);
  sfnec_reader *reader = NULL;
  REFUSED(open_sample("cut.bin", &reader), SFNEC_ERROR_FORMAT, "cut.bin is corrupted");
  free(bytes);
  unlink("cut.bin");
  unlink(path);
}

static void test_every_flip(void **state) {
  (void)state;
  save_sample(path, 42);
  size_t size;
  unsigned char *bytes = file_bytes(path, &size);
  for (size_t i = 0; i < size; i++) {
    for (int bit = 0; bit < 8; bit++) {
      bytes[i] ^= (unsigned char)(1 << bit);
      write_file("flip.bin", bytes, size);
      sfnec_reader *reader = NULL;
      REFUSED(open_sample("flip.bin", &reader), SFNEC_ERROR_FORMAT, "flip.bin ");
      bytes[i] ^= (unsigned char)(1 << bit);
    }
    // all bits of the byte
    bytes[i] ^= 0xff;
    write_file("flip.bin", bytes, size);
    sfnec_reader *reader = NULL;
    REFUSED(open_sample("flip.bin", &reader), SFNEC_ERROR_FORMAT, "flip.bin ");
    bytes[i] ^= 0xff;
  }
  free(bytes);
  unlink("flip.bin");
  unlink(path);
}

static void test_foreign(void **state) {
  (void)state;
  sfnec_reader *reader = NULL;
  save_sample(path, 1);
  REFUSED(sfnec_reader_open(path, "SFNECAGT", 7, "an agent file", &reader), SFNEC_ERROR_FORMAT,
          "sample.bin is not an agent file");
  REFUSED(sfnec_reader_open(path, magic, 8, "a test file", &reader), SFNEC_ERROR_FORMAT,
          "sample.bin has format version 7 and this program reads version 8");
  REFUSED(open_sample("missing.bin", &reader), SFNEC_ERROR_IO, "cannot open missing.bin: No such file");
  REFUSED(open_sample(".", &reader), SFNEC_ERROR_IO, "cannot read .: it is not a regular file");
  REFUSED(open_sample("/dev/null", &reader), SFNEC_ERROR_IO, "it is not a regular file");
  assert_null(reader);
  unlink(path);
}

static void test_abort(void **state) {
  (void)state;
  save_sample(path, 1);
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open(path, magic, 7, &writer));
  write_sample(writer, 2);
  assert_int_equal(files_in("."), 2);
  sfnec_writer_abort(writer);
  sfnec_writer_abort(NULL);
  sfnec_reader_close(NULL);
  assert_int_equal(files_in("."), 1);
  assert_int_equal(mark_of(path), 1);
  unlink(path);
}

static void test_unwritable(void **state) {
  (void)state;
  sfnec_writer *writer = NULL;
  REFUSED(sfnec_writer_open("no/such/folder.bin", magic, 7, &writer), SFNEC_ERROR_IO,
          "cannot write no/such/folder.bin: No such file");
  write_file("plain", "x", 1);
  REFUSED(sfnec_writer_open("plain/file.bin", magic, 7, &writer), SFNEC_ERROR_IO, "cannot write plain/file.bin");
  assert_null(writer);
  // the name belongs to a folder: the rename fails, and nothing is left beside it
  assert_int_equal(mkdir("taken", 0777), 0);
  OK(sfnec_writer_open("taken", magic, 7, &writer));
  REFUSED(sfnec_writer_commit(writer), SFNEC_ERROR_IO, "cannot write taken");
  assert_int_equal(files_in("."), 2);
  rmdir("taken");
  unlink("plain");
}

static void test_folder_disappears(void **state) {
  (void)state;
  assert_int_equal(mkdir("gone", 0777), 0);
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open("gone/file.bin", magic, 7, &writer));
  write_sample(writer, 1);
  assert_int_equal(rename("gone", "elsewhere"), 0);
  REFUSED(sfnec_writer_commit(writer), SFNEC_ERROR_IO, "cannot write gone/file.bin");
  assert_int_equal(system("rm -r elsewhere"), 0);
  assert_int_equal(files_in("."), 0);
}

// In a child of its own, because the limit on file sizes cannot be taken back by everyone: 0 = as expected.
static int save_on_full_disk(size_t payload) {
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {4096, 4096};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  sfnec_writer *writer = NULL;
  if (sfnec_writer_open(path, magic, 7, &writer) != SFNEC_OK) return 2;
  for (size_t i = 0; i < payload / 8; i++) sfnec_write_u64(writer, i);
  if (sfnec_writer_commit(writer) != SFNEC_ERROR_IO) return 3;
  return strstr(sfnec_last_error(), "cannot write sample.bin: File too large") ? 0 : 4;
}

// The disk is full in the middle of the payload, and only when the buffer is flushed at the end.
static void test_full_disk(void **state) {
  (void)state;
  const size_t payloads[] = {100000, 4096 - 24, 4096 - 24 - 8 + 8};
  for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
    save_sample(path, 5);
    const pid_t child = fork();
    if (child == 0) _exit(save_on_full_disk(payloads[i]));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(mark_of(path), 5);
    assert_int_equal(files_in("."), 1);
  }
  unlink(path);
}

// Two writers of one name do not disturb each other: the last commit stays.
static void test_two_writers(void **state) {
  (void)state;
  sfnec_writer *one = NULL, *two = NULL;
  OK(sfnec_writer_open(path, magic, 7, &one));
  OK(sfnec_writer_open(path, magic, 7, &two));
  write_sample(one, 1);
  write_sample(two, 2);
  OK(sfnec_writer_commit(two));
  assert_int_equal(mark_of(path), 2);
  OK(sfnec_writer_commit(one));
  assert_int_equal(mark_of(path), 1);
  assert_int_equal(files_in("."), 1);
  unlink(path);
}

// In memory stands what would stand in the file, to the byte, and the same damage is refused.
static void test_memory(void **state) {
  (void)state;
  save_sample(path, 9);
  FILE *stream = fopen(path, "rb");
  assert_non_null(stream);
  unsigned char file[256];
  const size_t file_size = fread(file, 1, sizeof file, stream);
  fclose(stream);
  unlink(path);

  sfnec_writer *writer;
  unsigned char *bytes;
  size_t size;
  OK(sfnec_writer_open_memory(magic, 7, &writer));
  write_sample(writer, 9);
  OK(sfnec_writer_take(writer, &bytes, &size));
  assert_int_equal(size, file_size);
  assert_memory_equal(bytes, file, size);

  sfnec_reader *reader;
  OK(sfnec_reader_open_memory(bytes, size, magic, 7, "a test file", &reader));
  assert_int_equal(sfnec_reader_version(reader), 7);
  assert_int_equal(sfnec_read_u32(reader), 9);
  REFUSED(sfnec_reader_refuse(reader, "reason"), SFNEC_ERROR_FORMAT, "a block of memory is not a test file");
  sfnec_reader_close(reader);
  for (size_t i = 0; i < size; i++) {
    bytes[i] ^= 1;
    assert_int_equal(sfnec_reader_open_memory(bytes, size, magic, 7, "a test file", &reader), SFNEC_ERROR_FORMAT);
    bytes[i] ^= 1;
    assert_int_equal(sfnec_reader_open_memory(bytes, i, magic, 7, "a test file", &reader), SFNEC_ERROR_FORMAT);
  }
  free(bytes);
}

// A payload alone has nothing around it, and numbers are little-endian.
static void test_bare(void **state) {
  (void)state;
  sfnec_writer *writer;
  unsigned char *bytes;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_write_u32(writer, 0x01020304);
  sfnec_write_i64(writer, -2);
  sfnec_write_f64(writer, 1.0);
  sfnec_write_text(writer, "hi");
  OK(sfnec_writer_take(writer, &bytes, &size));
  const unsigned char wanted[] = {4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0,
                                  0, 0, 0, 0, 0,    0xf0, 0x3f, 2,    0,    0,    0,    'h',  'i'};
  assert_int_equal(size, sizeof wanted);
  assert_memory_equal(bytes, wanted, sizeof wanted);

  // a text that claims more than is left is none
  bytes[20] = 3;
  sfnec_reader *reader;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a payload", &reader));
  unsigned char skipped[20];
  sfnec_read_bytes(reader, skipped, sizeof skipped);
  assert_null(sfnec_read_text(reader, 100));
  assert_false(sfnec_reader_good(reader));
  sfnec_reader_close(reader);
  free(bytes);

  // nothing is a payload too
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  OK(sfnec_writer_take(writer, &bytes, &size));
  assert_int_equal(size, 0);
  free(bytes);
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_writer_abort(writer);
}

// A claim is compared with the bytes that are left before there is memory for it, and a reader that has failed stays
// failed: bytes that come after a text that was refused are not read as something else.
static void test_claims(void **state) {
  (void)state;
  const uint64_t numbers[] = {1, 2, 3, 4};
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open_memory(numbers, sizeof numbers, NULL, 0, "numbers", &reader));
  uint64_t *two = sfnec_read_array(reader, 2, sizeof *two);
  assert_non_null(two);
  assert_true(two[0] == 1 && two[1] == 2);
  free(two);
  void *none = sfnec_read_room(reader, 0, 8, 8), *room = sfnec_read_room(reader, 2, 8, 64);
  assert_true(none && room && sfnec_reader_left(reader) == 16 && sfnec_reader_good(reader));
  free(none);
  free(room);
  assert_true(sfnec_reader_holds(reader, 2, 8));

  const uint64_t claims[] = {3, UINT32_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 2, UINT64_MAX};
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    sfnec_reader *each = NULL;
    OK(sfnec_reader_open_memory(numbers + 2, 16, NULL, 0, "numbers", &each));
    assert_null(i % 2 ? sfnec_read_array(each, claims[i], 8) : sfnec_read_room(each, claims[i], 8, 1));
    assert_false(sfnec_reader_good(each));
    assert_false(sfnec_reader_starved(each));
    assert_int_equal(sfnec_reader_left(each), 0);
    assert_int_equal(sfnec_read_u64(each), 0);
    sfnec_reader_close(each);
  }
  sfnec_reader_close(reader);

  // the text claims 5 bytes, and at most 4 are allowed; what follows is all ones
  const unsigned char text[] = {5, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  OK(sfnec_reader_open_memory(text, sizeof text, NULL, 0, "a text", &reader));
  assert_null(sfnec_read_text(reader, 4));
  size_t rest;
  assert_int_equal(sfnec_read_u32(reader), 0);
  assert_false(sfnec_reader_holds(reader, 0, 1));
  (void)sfnec_read_rest(reader, &rest);
  assert_int_equal(rest, 0);
  sfnec_reader_close(reader);
}

static void test_versions(void **state) {
  (void)state;
  save_sample(path, 9);
  sfnec_reader *reader;
  OK(sfnec_reader_open_since(path, magic, 5, 8, "a test file", &reader));
  assert_int_equal(sfnec_reader_version(reader), 7);
  sfnec_reader_close(reader);
  REFUSED(sfnec_reader_open_since(path, magic, 8, 9, "a test file", &reader), SFNEC_ERROR_FORMAT,
          "format version 7 and this program reads versions 8 to 9");
  REFUSED(sfnec_reader_open_since(path, magic, 6, 6, "a test file", &reader), SFNEC_ERROR_VERSION,
          "format version 7 and this program reads version 6; use the newer program");
  unlink(path);
}

// The tests count files, so they have a folder of their own.
static int enter(void **state) {
  (void)state;
  return mkdir("file_test", 0777) != 0 || chdir("file_test") != 0;
}

static int leave(void **state) {
  (void)state;
  return chdir("..") != 0 || system("rm -r file_test") != 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_every_truncation),
      cmocka_unit_test(test_every_flip),
      cmocka_unit_test(test_foreign),
      cmocka_unit_test(test_abort),
      cmocka_unit_test(test_unwritable),
      cmocka_unit_test(test_folder_disappears),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_two_writers),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_bare),
      cmocka_unit_test(test_claims),
      cmocka_unit_test(test_versions),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
