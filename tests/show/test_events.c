// test_events.c: event files byte by byte; tests/show/tensorboard.sh asks the real package.
#include "support/check.h"

#include "show/export/events.h"

// the vectors of RFC 3720, appendix B.4, and the usual one
static void test_crc(void **unused) {
  (void)unused;
  unsigned char bytes[32];
  assert_int_equal(sfnec_crc32c("123456789", 9), 0xe3069283);
  assert_int_equal(sfnec_crc32c("", 0), 0);
  memset(bytes, 0, 32);
  assert_int_equal(sfnec_crc32c(bytes, 32), 0x8a9136aa);
  memset(bytes, 0xff, 32);
  assert_int_equal(sfnec_crc32c(bytes, 32), 0x62a8ab43);
  for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
  assert_int_equal(sfnec_crc32c(bytes, 32), 0x46dd794e);
}

static void test_file(void **unused) {
  (void)unused;
  FILE *file = fopen("events.out.tfevents.1", "wb");
  assert_non_null(file);
  sfnec_events_begin(file);
  sfnec_events_scalar(file, "a/b", 300, 0.5, 1.5);
  assert_int_equal(fclose(file), 0);
  // length, its checksum, wall_time 0, the version; this beginning is that of every event file
  static const char first[] = "\x18\0\0\0\0\0\0\0"
                              "\xa3\x7f\x4b\x22"
                              "\x09\0\0\0\0\0\0\0\0"
                              "\x1a\x0d"
                              "brain.Event:2";
  static const unsigned char second[] = {
      0x09, 0,    0,    0,   0,   0,    0, 0xe0, 0x3f,       // wall_time 0.5
      0x10, 0xac, 0x02,                                      // step 300
      0x2a, 12,   0x0a, 10,                                  // summary, its value
      0x0a, 3,    'a',  '/', 'b', 0x15, 0, 0,    0xc0, 0x3f, // tag, 1.5
  };
  size_t size;
  unsigned char *bytes = file_bytes("events.out.tfevents.1", &size);
  assert_int_equal(size, 12 + 24 + 4 + 12 + sizeof second + 4);
  assert_memory_equal(bytes, first, 12 + 24);
  assert_int_equal(bytes[40], sizeof second);
  assert_memory_equal(bytes + 52, second, sizeof second);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crc),
      cmocka_unit_test(test_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
