// test_npz.c: archives of NumPy: what is written is read, NumPy's own files are read, and anything else is refused.
#include "support/check.h"

#include "base/npz.h"

static sfnec_npz_array array_of(const char *name, sfnec_npz_type type, const void *data, uint64_t rows,
                                uint64_t columns) {
  sfnec_npz_array array = {.type = type, .dims = columns ? 2 : 1, .shape = {rows, columns}, .data = data};
  snprintf(array.name, sizeof array.name, "%s", name);
  array.count = rows * (columns ? columns : 1);
  return array;
}

static const float singles[] = {0.5f, -1.0f, 3e38f, 0.0f, 7.0f, 1e-30f};
static const int32_t wholes[] = {-5, INT32_MAX, 7};
static const uint8_t flags[] = {0, 1, 1};

static void write_archive(const char *path) {
  const sfnec_npz_array arrays[] = {
      array_of("singles", SFNEC_NPZ_F4, singles, 3, 2), array_of("wholes", SFNEC_NPZ_I4, wholes, 3, 0),
      array_of("flags", SFNEC_NPZ_B1, flags, 3, 0), array_of("none", SFNEC_NPZ_F8, NULL, 0, 4)};
  OK(sfnec_npz_write(path, arrays, 4));
}

static void test_crc(void **state) {
  (void)state;
  assert_int_equal(sfnec_crc32(0, "123456789", 9), 0xcbf43926u);
  assert_int_equal(sfnec_crc32(sfnec_crc32(0, "1234", 4), "56789", 5), 0xcbf43926u);
}

static void test_there_and_back(void **state) {
  (void)state;
  write_archive("a.npz");
  sfnec_npz *npz = NULL;
  OK(sfnec_npz_open("a.npz", &npz));
  assert_int_equal(sfnec_npz_count(npz), 4);
  const sfnec_npz_array *array = sfnec_npz_find(npz, "singles");
  assert_true(array && !array->refused && array->type == SFNEC_NPZ_F4 && array->dims == 2);
  assert_true(array->shape[0] == 3 && array->shape[1] == 2);
  for (size_t i = 0; i < 6; i++) assert_true(sfnec_npz_number(array, i) == (double)singles[i]);
  for (size_t i = 0; i < 3; i++) {
    assert_true(sfnec_npz_number(sfnec_npz_find(npz, "wholes"), i) == wholes[i]);
    assert_true(sfnec_npz_number(sfnec_npz_find(npz, "flags"), i) == flags[i]);
  }
  assert_int_equal(sfnec_npz_find(npz, "none")->count, 0);
  assert_null(sfnec_npz_find(npz, "single"));
  sfnec_npz_close(npz);
}

// numpy.savez(a=numpy.array([[1, 2], [3, 4]], '<i8')) by NumPy 2: sizes stand in the directory, and in an extra field
// of the member's head, which has -1 in their place.
static void test_of_numpy(void **state) {
  (void)state;
  unsigned char file[512] = {0};
  size_t at = 0;
  const char head[] = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }";
  const int64_t numbers[] = {1, 2, 3, 4};
  unsigned char member[160];
  memset(member, ' ', sizeof member);
  memcpy(member, "\x93NUMPY\1\0\x76\0", 10);
  memcpy(member + 10, head, sizeof head - 1);
  member[127] = '\n';
  memcpy(member + 128, numbers, sizeof numbers);
  const uint32_t crc = sfnec_crc32(0, member, sizeof member);
#define PUT(bytes, size) (memcpy(file + at, bytes, size), at += (size))
  PUT("PK\3\4\x2d\0\0\0\0\0\0\0\x21\0", 14);
  PUT(&crc, 4);
  PUT("\xff\xff\xff\xff\xff\xff\xff\xff\5\0\x14\0a.npy", 17);
  PUT("\1\0\x10\0\xa0\0\0\0\0\0\0\0\xa0\0\0\0\0\0\0\0", 20);
  PUT(member, sizeof member);
  const size_t first = at;
  PUT("PK\1\2\x2d\3\x2d\0\0\0\0\0\0\0\x21\0", 16);
  PUT(&crc, 4);
  PUT("\xa0\0\0\0\xa0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\x80\1\0\0\0\0a.npy", 31);
  const uint32_t size = (uint32_t)(at - first), offset = (uint32_t)first;
  PUT("PK\5\6\0\0\0\0\1\0\1\0", 12);
  PUT(&size, 4);
  PUT(&offset, 4);
  PUT("\0\0", 2);
#undef PUT
  sfnec_npz *npz = NULL;
  OK(sfnec_npz_open_memory(file, at, "numpy's", &npz));
  const sfnec_npz_array *array = sfnec_npz_find(npz, "a");
  assert_true(array && array->type == SFNEC_NPZ_I8 && array->count == 4 && sfnec_npz_number(array, 3) == 4.0);
  sfnec_npz_close(npz);
  // compressed: the archive is read, and the array says why it is not
  file[first + 10] = 8;
  OK(sfnec_npz_open_memory(file, at, "numpy's", &npz));
  assert_non_null(strstr(sfnec_npz_find(npz, "a")->refused, "numpy.savez"));
  sfnec_npz_close(npz);
}

// Whatever byte is changed, and wherever a file ends: it is refused with a sentence, or every number can be read.
static void test_damage(void **state) {
  (void)state;
  write_archive("b.npz");
  size_t size;
  unsigned char *bytes = file_bytes("b.npz", &size);
  size_t refused = 0;
  for (size_t i = 0; i < 2 * size; i++) {
    const size_t at = i % size, length = i < size ? size : at;
    const unsigned char before = bytes[at];
    if (i < size) bytes[at] ^= 0xff;
    sfnec_npz *npz = NULL;
    if (sfnec_npz_open_memory(bytes, length, "damaged", &npz)) {
      assert_null(npz);
      assert_non_null(strstr(sfnec_last_error(), "damaged cannot be read as an archive of NumPy: "));
      refused++;
    }
    for (size_t a = 0; npz && a < sfnec_npz_count(npz); a++) {
      const sfnec_npz_array *array = sfnec_npz_at(npz, a);
      for (uint64_t n = 0; !array->refused && n < array->count; n++) (void)sfnec_npz_number(array, n);
    }
    sfnec_npz_close(npz);
    bytes[at] = before;
  }
  // but for dates, versions and the like, every byte counts
  assert_true(refused > size + size / 2);
  free(bytes);
  sfnec_npz *npz = NULL;
  REFUSED(sfnec_npz_open("none.npz", &npz), SFNEC_ERROR_IO, "none.npz");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crc),
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_of_numpy),
      cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
