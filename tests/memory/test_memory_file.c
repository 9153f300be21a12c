// test_memory_file.c: a loaded memory goes on exactly as the saved one; content that no memory can have is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/memory.h"
#include "sfnec/random.h"

enum { KEY = 2, VALUE = 3, K = 4, CAPACITY = 40 };

static const char magic[] = "SFNECTST";
static const char path[] = "memory.bin";

static const sfnec_memory_config config = {
    .key_size = KEY,
    .value_size = VALUE,
    .capacity = CAPACITY,
    .neighbours = K,
    .weighting.kind = SFNEC_WEIGHT_INVERSE_SQUARED,
    .weighting.delta = 1e-3,
    .index = SFNEC_INDEX_KIND_FLAT,
};

static sfnec_memory *make(void) {
  sfnec_memory *memory = NULL;
  assert_int_equal(sfnec_memory_create(&config, sfnec_simd_at(0), &memory), SFNEC_OK);
  return memory;
}

static void save(const sfnec_memory *memory, const char *file) {
  sfnec_writer *writer = NULL;
  assert_int_equal(sfnec_writer_open(file, magic, 1, &writer), SFNEC_OK);
  sfnec_memory_save(memory, writer, true);
  assert_int_equal(sfnec_writer_commit(writer), SFNEC_OK);
}

// loads into a new memory, which is the caller's if the load succeeds
static sfnec_status load(const char *file, sfnec_memory **out) {
  sfnec_reader *reader = NULL;
  assert_int_equal(sfnec_reader_open(file, magic, 1, "a test file", &reader), SFNEC_OK);
  sfnec_memory *memory = make();
  const sfnec_status status = sfnec_memory_load(memory, reader, reader);
  if (status == SFNEC_OK) {
    assert_int_equal(sfnec_reader_left(reader), 0);
    *out = memory;
  } else {
    sfnec_memory_destroy(memory);
  }
  sfnec_reader_close(reader);
  return status;
}

static void assert_same_files(const char *a, const char *b) {
  FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
  assert_non_null(x);
  assert_non_null(y);
  int from_x, from_y;
  do {
    from_x = fgetc(x);
    from_y = fgetc(y);
    assert_int_equal(from_x, from_y);
  } while (from_x != EOF);
  fclose(x);
  fclose(y);
}

// ---- resuming ----

// one random operation; writes what it saw into `seen` (K + VALUE numbers)
static void operate(sfnec_memory *memory, sfnec_random *random, double *seen) {
  // a coarse grid of keys, so that equal keys and tied distances are common
  float key[KEY];
  double value[VALUE];
  for (int i = 0; i < KEY; i++) key[i] = (float)sfnec_random_below(random, 9);
  for (int i = 0; i < VALUE; i++) value[i] = sfnec_random_normal(random);
  sfnec_neighbour neighbours[K];
  sfnec_lookup lookup = {.neighbours = neighbours, .weights = seen, .value = seen + K};
  for (int i = 0; i < K + VALUE; i++) seen[i] = 0.0;
  sfnec_memory_search(memory, NULL, key, &lookup);
  sfnec_memory_blend(memory, &lookup);
  switch (sfnec_random_below(random, 3)) {
  case 0:
    assert_int_equal(sfnec_memory_write(memory, key, value, 0.1), SFNEC_OK);
    break;
  case 1:
    sfnec_memory_touch(memory, &lookup);
    break;
  default:
    sfnec_memory_nudge(memory, &lookup, value);
    break;
  }
}

static void goes_on_alike(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(1, 1000);
  sfnec_memory *unbroken = make(), *resumed = make();
  double expected[K + VALUE], got[K + VALUE];
  for (int step = 0; step < 6000; step++) {
    sfnec_random again = random;
    operate(unbroken, &random, expected);
    operate(resumed, &again, got);
    assert_memory_equal(expected, got, sizeof got);
    assert_int_equal(sfnec_memory_count(unbroken), sfnec_memory_count(resumed));
    if (step % 500 != 250) continue;

    // saves, loads, saves again: the files are equal, although the slots are not
    save(resumed, path);
    sfnec_memory_destroy(resumed);
    assert_int_equal(load(path, &resumed), SFNEC_OK);
    save(resumed, "again.bin");
    assert_same_files(path, "again.bin");
    save(unbroken, "unbroken.bin");
    assert_same_files(path, "unbroken.bin");
  }
  assert_int_equal(sfnec_memory_count(unbroken), CAPACITY);
  sfnec_memory_destroy(unbroken);
  sfnec_memory_destroy(resumed);
}

static void empty(void **state) {
  (void)state;
  sfnec_memory *memory = make();
  save(memory, path);
  sfnec_memory_destroy(memory);
  assert_int_equal(load(path, &memory), SFNEC_OK);
  assert_int_equal(sfnec_memory_count(memory), 0);
  sfnec_memory_destroy(memory);
}

// ---- keys apart ----

static const char keys_path[] = "keys.bin";

static void save_apart(const sfnec_memory *memory) {
  sfnec_writer *writer = NULL;
  assert_int_equal(sfnec_writer_open(keys_path, magic, 1, &writer), SFNEC_OK);
  sfnec_memory_save_keys(memory, writer);
  assert_int_equal(sfnec_writer_commit(writer), SFNEC_OK);
  assert_int_equal(sfnec_writer_open(path, magic, 1, &writer), SFNEC_OK);
  sfnec_memory_save(memory, writer, false);
  assert_int_equal(sfnec_writer_commit(writer), SFNEC_OK);
}

// loads from two files; the memory is the caller's if the load succeeds
static sfnec_status load_apart(sfnec_memory **out, size_t *keys_left) {
  sfnec_reader *reader = NULL, *keys = NULL;
  assert_int_equal(sfnec_reader_open(path, magic, 1, "a test file", &reader), SFNEC_OK);
  assert_int_equal(sfnec_reader_open(keys_path, magic, 1, "a keys file", &keys), SFNEC_OK);
  *out = make();
  const sfnec_status status = sfnec_memory_load(*out, reader, keys);
  *keys_left = sfnec_reader_left(keys);
  if (status != SFNEC_OK) sfnec_memory_destroy(*out);
  sfnec_reader_close(reader);
  sfnec_reader_close(keys);
  return status;
}

static void keys_apart(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(2, 1000);
  sfnec_memory *memory = make(), *loaded = NULL;
  double seen[K + VALUE];
  size_t left;
  for (int step = 0; step < 800; step++) {
    operate(memory, &random, seen);
    if (step % 100 != 0) continue;
    save_apart(memory);
    assert_int_equal(load_apart(&loaded, &left), SFNEC_OK);
    assert_int_equal(left, 0);
    assert_true(sfnec_memory_digest(loaded) == sfnec_memory_digest(memory));
    save(memory, path);
    save(loaded, "again.bin");
    assert_same_files(path, "again.bin");
    sfnec_memory_destroy(loaded);
  }

  // too few keys, and keys that are none
  save_apart(memory);
  const float bad[2 * CAPACITY] = {0};
  for (int i = 0; i < 2; i++) {
    sfnec_writer *writer = NULL;
    assert_int_equal(sfnec_writer_open(keys_path, magic, 1, &writer), SFNEC_OK);
    sfnec_write_bytes(writer, bad, (i == 0 ? KEY * (CAPACITY - 1) : KEY * CAPACITY) * sizeof *bad);
    assert_int_equal(sfnec_writer_commit(writer), SFNEC_OK);
    assert_int_equal(load_apart(&loaded, &left), SFNEC_ERROR_FORMAT);
    assert_non_null(strstr(sfnec_last_error(), i == 0 ? "ends before its last entry" : "keys.bin is not a keys file"));
  }
  sfnec_memory_destroy(memory);
}

// The digest is that of the keys and their order; values and recency do not count.
static void digest(void **state) {
  (void)state;
  const float keys[4][KEY] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const double value[VALUE] = {1, 2, 3}, other[VALUE] = {7, 7, 7};
  const int orders[][3] = {{0, 1, 2}, {0, 1, 2}, {1, 0, 2}, {0, 1, 3}};
  uint64_t digests[4];
  for (int i = 0; i < 4; i++) {
    sfnec_memory *memory = make();
    const uint64_t none = sfnec_memory_digest(memory);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(sfnec_memory_write(memory, keys[orders[i][k]], i == 1 ? other : value, 1.0), SFNEC_OK);
      assert_true(sfnec_memory_digest(memory) != none);
    }
    digests[i] = sfnec_memory_digest(memory);
    assert_int_equal(sfnec_memory_write(memory, keys[orders[i][0]], other, 0.5), SFNEC_OK); // moves a value only
    assert_true(sfnec_memory_digest(memory) == digests[i]);
    sfnec_memory_destroy(memory);
  }
  assert_true(digests[0] == digests[1] && digests[0] != digests[2] && digests[0] != digests[3]);
}

// An eviction changes the digest as well: full, one key goes and another comes.
static void digest_of_evicted(void **state) {
  (void)state;
  sfnec_memory *memory = make();
  const double value[VALUE] = {1, 2, 3};
  uint64_t last = sfnec_memory_digest(memory);
  for (int i = 0; i < 2 * CAPACITY; i++) {
    assert_int_equal(sfnec_memory_write(memory, (float[KEY]){(float)i, 1}, value, 1.0), SFNEC_OK);
    assert_true(sfnec_memory_digest(memory) != last);
    last = sfnec_memory_digest(memory);
  }
  sfnec_memory_destroy(memory);
}

// ---- refusing ----

// writes a file of `count` entries, one for each of `entries` keys, and the recency `used`
static sfnec_status load_forged(uint32_t count, const float (*keys)[KEY], const float *values, uint32_t entries,
                                const uint32_t *used, uint32_t uses) {
  sfnec_writer *writer = NULL;
  assert_int_equal(sfnec_writer_open(path, magic, 1, &writer), SFNEC_OK);
  sfnec_write_u32(writer, count);
  for (uint32_t i = 0; i < entries; i++) {
    const float value[VALUE] = {values[i], 0.0f, 0.0f};
    sfnec_write_bytes(writer, keys[i], sizeof keys[i]);
    sfnec_write_bytes(writer, value, sizeof value);
  }
  for (uint32_t i = 0; i < uses; i++) sfnec_write_u32(writer, used[i]);
  assert_int_equal(sfnec_writer_commit(writer), SFNEC_OK);

  sfnec_memory *memory = NULL;
  const sfnec_status status = load(path, &memory);
  sfnec_memory_destroy(memory);
  return status;
}

static void refuses_damage(void **state) {
  (void)state;
  const float keys[3][KEY] = {{0, 0}, {0, 1}, {1, 0}}, values[3] = {1, 2, 3};
  const uint32_t used[3] = {2, 0, 1};
  assert_int_equal(load_forged(3, keys, values, 3, used, 3), SFNEC_OK);

  // a count that the bytes do not bear out, or that the capacity forbids
  assert_int_equal(load_forged(1, keys, values, 0, used, 0), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(4, keys, values, 3, used, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(3, keys, values, 3, used, 2), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(CAPACITY + 1, keys, values, 3, used, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(UINT32_MAX, keys, values, 3, used, 3), SFNEC_ERROR_FORMAT);

  // a recency that is no permutation
  assert_int_equal(load_forged(3, keys, values, 3, (uint32_t[]){0, 1, 1}, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(3, keys, values, 3, (uint32_t[]){0, 1, 3}, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(3, keys, values, 3, (uint32_t[]){0, 1, UINT32_MAX}, 3), SFNEC_ERROR_FORMAT);

  // the same key twice, numbers that are not finite
  const float twice[3][KEY] = {{0, 0}, {1, 0}, {0, 0}}, not_finite[3][KEY] = {{0, 0}, {0, NAN}, {1, 0}};
  assert_int_equal(load_forged(3, twice, values, 3, used, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(3, not_finite, values, 3, used, 3), SFNEC_ERROR_FORMAT);
  assert_int_equal(load_forged(3, keys, (float[]){1, 2, INFINITY}, 3, used, 3), SFNEC_ERROR_FORMAT);
  assert_non_null(strstr(sfnec_last_error(), path));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_on_alike),     cmocka_unit_test(empty),
      cmocka_unit_test(keys_apart),        cmocka_unit_test(digest),
      cmocka_unit_test(digest_of_evicted), cmocka_unit_test(refuses_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
