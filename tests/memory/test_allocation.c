// test_allocation.c: a warm memory allocates nothing, and one that cannot allocate stays as it was.
//
// The program puts its own malloc before glibc's, which counts and can refuse. Where that is not possible (another C
// policies, or a sanitizer that has its own), the tests are skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memory/memory.h"
#include "sfnec/random.h"
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

enum { K = 5 };

static const sfnec_memory_config config = {
    .key_size = 2,
    .value_size = 1,
    .capacity = 600,
    .neighbours = K,
    .weighting.kind = SFNEC_WEIGHT_INVERSE_SQUARED,
    .weighting.delta = 1e-3,
    .index = SFNEC_INDEX_KIND_FAST,
};

static sfnec_index_scratch *scratch;

static void step(sfnec_memory *memory, uint32_t i) {
  const float key[2] = {(float)(i % 1000), (float)(i % 7)};
  const double value = i;
  sfnec_neighbour neighbours[K];
  double weights[K], blended;
  sfnec_lookup lookup = {.neighbours = neighbours, .weights = weights, .value = &blended};
  sfnec_memory_search(memory, scratch, key, &lookup);
  sfnec_memory_blend(memory, &lookup);
  sfnec_memory_touch(memory, &lookup);
  sfnec_memory_nudge(memory, &lookup, &value);
  if (sfnec_memory_write(memory, key, &value, 0.1)) abort();
}

static void warm(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  sfnec_memory *memory = NULL;
  allocations = 0;
  assert_int_equal(sfnec_memory_create(&config, sfnec_simd_at(0), &memory), SFNEC_OK);
  // long enough for the index to learn how to code keys, and to look again
  for (uint32_t i = 0; i < 5000; i++) step(memory, i);
  // the count is real, and small
  assert_in_range(allocations, 20, 200);

  allocations = 0;
  for (uint32_t i = 5000; i < 20000; i++) step(memory, i);
  const int counted = allocations;
  assert_int_equal(counted, 0);
  sfnec_memory_destroy(memory);
}

// the blended value at a few positions: changes if anything did
static double fingerprint(const sfnec_memory *memory) {
  double sum = sfnec_memory_count(memory);
  for (int i = 0; i < 20; i++) {
    sfnec_neighbour neighbours[K];
    double weights[K], blended;
    sfnec_lookup lookup = {.neighbours = neighbours, .weights = weights, .value = &blended};
    sfnec_memory_search(memory, scratch, (float[]){(float)(i * 10), 1.0f}, &lookup);
    sfnec_memory_blend(memory, &lookup);
    sum = 3.0 * sum + blended;
  }
  return sum;
}

// refuses each allocation of each write in turn; the write fails cleanly, and goes through afterwards
static void refused(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  sfnec_memory *memory = NULL;
  int failures = 0;
  for (int at = 0; at < 5; at++) {
    refuse_only(at);
    allocations = 0;
    const sfnec_status status = sfnec_memory_create(&config, sfnec_simd_at(0), &memory);
    assert_int_equal(status, SFNEC_ERROR_MEMORY);
    assert_null(memory);
  }
  refuse_none();
  assert_int_equal(sfnec_memory_create(&config, sfnec_simd_at(0), &memory), SFNEC_OK);

  for (uint32_t i = 0; i < 650; i++) {
    const float key[2] = {(float)i, 1.0f};
    const double value = i;
    const double before = fingerprint(memory);
    const uint64_t version = sfnec_memory_keys_version(memory);
    sfnec_status status = SFNEC_ERROR_MEMORY;
    for (int at = 0; status; at++) {
      allocations = 0;
      refuse_only(at);
      status = sfnec_memory_write(memory, key, &value, 0.1);
      refuse_none();
      if (!status) break;
      assert_int_equal(status, SFNEC_ERROR_MEMORY);
      assert_true(fingerprint(memory) == before);
      assert_true(sfnec_memory_keys_version(memory) == version);
      failures++;
    }
    assert_int_equal(sfnec_memory_count(memory), i < 600 ? i + 1 : 600);
  }
  // several growths, several allocations each
  assert_true(failures > 20);
  sfnec_memory_destroy(memory);
}

int main(void) {
  scratch = sfnec_index_scratch_create();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warm),
      cmocka_unit_test(refused),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  sfnec_index_scratch_destroy(scratch);
  return failed;
}
