// test_memory_reduce.c: which entries a memory keeps when it gives up many, and that it then is like one that never had
// the others.
#include "support/check.h"

#include "memory/memory.h"
#include "sfnec/random.h"

enum { K = 3, MOST = 2000 };

static sfnec_memory *memory_of(int index, size_t key_size, uint32_t capacity) {
  const sfnec_memory_config config = {.key_size = key_size,
                                      .value_size = 1,
                                      .capacity = capacity,
                                      .neighbours = K,
                                      .weighting.kind = SFNEC_WEIGHT_INVERSE_SQUARED,
                                      .weighting.delta = 1e-3,
                                      .index = index};
  sfnec_memory *memory = NULL;
  OK(sfnec_memory_create(&config, sfnec_simd_at(0), &memory));
  return memory;
}

static void write_1(sfnec_memory *memory, float key, double value) {
  OK(sfnec_memory_write(memory, &key, &value, 1));
}

static double look(const sfnec_memory *memory, sfnec_index_scratch *scratch, const float *key, float *nearest) {
  sfnec_neighbour neighbours[K];
  double weights[K], value;
  sfnec_lookup lookup = {.neighbours = neighbours, .weights = weights, .value = &value};
  sfnec_memory_search(memory, scratch, key, &lookup);
  sfnec_memory_blend(memory, &lookup);
  if (nearest) *nearest = lookup.count ? sfnec_memory_key(memory, neighbours[0].slot)[0] : NAN;
  return value;
}

static bool holds(const sfnec_memory *memory, float key) {
  float nearest;
  look(memory, NULL, &key, &nearest);
  return nearest == key;
}

// Of ten entries 2, 4, 7 and 9 stay, and take in those that are nearest to them, of two as near the one that was
// inserted first: the means are those of 0 to 3, 4 and 5, 6 to 8, and 9.
static void test_means(void **state) {
  (void)state;
  sfnec_memory *memory = memory_of(SFNEC_INDEX_KIND_FLAT, 1, 10);
  for (int i = 0; i < 10; i++) write_1(memory, (float)i, 10 * i);
  write_1(memory, 0, 40);
  const uint64_t keys = sfnec_memory_keys_version(memory), values = sfnec_memory_values_version(memory);
  OK(sfnec_memory_reduce(memory, 10));
  assert_int_equal(sfnec_memory_keys_version(memory), keys);
  OK(sfnec_memory_reduce(memory, 4));
  assert_int_equal(sfnec_memory_count(memory), 4);
  const float expected[4][2] = {{1.5F, 25}, {4.5F, 45}, {7, 70}, {9, 90}};
  for (int i = 0; i < 4; i++) {
    assert_true(holds(memory, expected[i][0]));
    sfnec_neighbour nearest[K];
    double weights[K], value;
    sfnec_lookup lookup = {.neighbours = nearest, .weights = weights, .value = &value};
    sfnec_memory_search(memory, NULL, expected[i], &lookup);
    assert_true(sfnec_memory_value(memory, nearest[0].slot)[0] == expected[i][1]);
  }
  assert_true(sfnec_memory_keys_version(memory) > keys && sfnec_memory_values_version(memory) > values);
  sfnec_memory_destroy(memory);
}

// what is left goes in the order of use: 2, now the mean 1.5, was written again, so 4, now 4.5, is evicted before it
static void test_recency(void **state) {
  (void)state;
  sfnec_memory *memory = memory_of(SFNEC_INDEX_KIND_FLAT, 1, 10);
  for (int i = 0; i < 10; i++) write_1(memory, (float)i, i);
  write_1(memory, 2, 2);
  OK(sfnec_memory_reduce(memory, 4));
  for (int i = 20; i < 27; i++) write_1(memory, (float)i, i);
  assert_int_equal(sfnec_memory_count(memory), 10);
  assert_true(holds(memory, 1.5F) && holds(memory, 7) && !holds(memory, 4.5F));
  sfnec_memory_destroy(memory);
}

// Keys that differ by so little that their squared distances are 0: the oldest of them takes in all, as their mean.
static void test_underflow(void **state) {
  (void)state;
  for (int index = SFNEC_INDEX_KIND_FLAT; index <= SFNEC_INDEX_KIND_FAST; index++) {
    sfnec_memory *memory = memory_of(index, 1, 10);
    sfnec_index_scratch *scratch = sfnec_index_scratch_create();
    for (int i = 0; i < 10; i++) write_1(memory, 1e-30F * (float)i, i);
    OK(sfnec_memory_reduce(memory, 4));
    assert_int_equal(sfnec_memory_count(memory), 1);
    float nearest;
    assert_true(look(memory, scratch, &(float){0}, &nearest) == 4.5);
    NEAR((double)nearest * 1e30, 4.5, 1e-6);
    sfnec_index_scratch_destroy(scratch);
    sfnec_memory_destroy(memory);
  }
}

// one memory with the fast index, one with the flat scan: the same answers before, between and after reductions
static void test_exact(void **state) {
  (void)state;
  enum { SIZE = 12 };
  sfnec_memory *fast = memory_of(SFNEC_INDEX_KIND_FAST, SIZE, MOST),
               *flat = memory_of(SFNEC_INDEX_KIND_FLAT, SIZE, MOST);
  sfnec_index_scratch *scratch = sfnec_index_scratch_create();
  sfnec_random random = sfnec_random_start(3, 1000);
  for (int step = 0; step < 6000; step++) {
    float key[SIZE];
    // near a surface of three dimensions, as the codes of the fast index take it
    double at[3];
    for (int j = 0; j < 3; j++) at[j] = sfnec_random_uniform(&random);
    for (int j = 0; j < SIZE; j++) key[j] = (float)(at[j % 3] * (1 + j) + at[(j + 1) % 3] * at[2]);
    const double value = sfnec_random_normal(&random);
    assert_true(look(fast, scratch, key, NULL) == look(flat, NULL, key, NULL));
    OK(sfnec_memory_write(fast, key, &value, 0.1));
    OK(sfnec_memory_write(flat, key, &value, 0.1));
    if (step % 1500 != 1499) continue;
    OK(sfnec_memory_reduce(fast, 700));
    OK(sfnec_memory_reduce(flat, 700));
    assert_in_range(sfnec_memory_count(fast), 690, 700);
    assert_int_equal(sfnec_memory_digest(fast), sfnec_memory_digest(flat));
  }
  sfnec_index_scratch_destroy(scratch);
  sfnec_memory_destroy(fast);
  sfnec_memory_destroy(flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_means),
      cmocka_unit_test(test_recency),
      cmocka_unit_test(test_underflow),
      cmocka_unit_test(test_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
