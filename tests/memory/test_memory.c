// test_memory.c: look-up, write, eviction and gradient step of one memory, against numbers worked out by hand.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/memory.h"

enum { MOST = 8 };

// a look-up with room of its own
typedef struct answer {
  sfnec_lookup lookup;
  sfnec_neighbour neighbours[MOST];
  double weights[MOST], value[MOST];
} answer;

static const sfnec_memory_config plain = {
    .key_size = 1,
    .value_size = 1,
    .capacity = 100,
    .neighbours = 3,
    .weighting.kind = SFNEC_WEIGHT_INVERSE_SQUARED,
    .weighting.delta = 0.5,
    .index = SFNEC_INDEX_KIND_FLAT,
};

static sfnec_memory *make(sfnec_memory_config config) {
  sfnec_memory *memory = NULL;
  assert_int_equal(sfnec_memory_create(&config, &sfnec_simd_scalar, &memory), SFNEC_OK);
  return memory;
}

static void write_1(sfnec_memory *memory, float key, double value, double alpha) {
  assert_int_equal(sfnec_memory_write(memory, &key, &value, alpha), SFNEC_OK);
}

static void ask(const sfnec_memory *memory, float key, answer *a) {
  a->lookup = (sfnec_lookup){.neighbours = a->neighbours, .weights = a->weights, .value = a->value};
  sfnec_memory_search(memory, NULL, &key, &a->lookup);
  sfnec_memory_blend(memory, &a->lookup);
}

// the value stored under exactly this key, or NAN
static double stored(const sfnec_memory *memory, float key) {
  answer a;
  ask(memory, key, &a);
  if (a.lookup.count == 0 || a.neighbours[0].squared > 0.0f) return (double)NAN;
  assert_true(sfnec_memory_key(memory, a.neighbours[0].slot)[0] == key);
  return (double)sfnec_memory_value(memory, a.neighbours[0].slot)[0];
}

static bool holds(const sfnec_memory *memory, float key) {
  return !isnan(stored(memory, key));
}

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

// ---- look-up ----

static void inverse_squared(void **state) {
  (void)state;
  sfnec_memory *memory = make(plain);
  write_1(memory, 3.0f, 21.0, 0.1);
  write_1(memory, 0.0f, 7.0, 0.1);
  write_1(memory, 2.0f, 14.0, 0.1);
  write_1(memory, 9.0f, 1000.0, 0.1);

  // d^2 = 1, 1, 4: 1 / (d^2 + 1/2) = 2/3, 2/3, 2/9, so the shares are 3/7, 3/7, 1/7
  answer a;
  ask(memory, 1.0f, &a);
  assert_int_equal(a.lookup.count, 3);
  assert_near(a.weights[0], 3.0 / 7, 1e-15);
  assert_near(a.weights[1], 3.0 / 7, 1e-15);
  assert_near(a.weights[2], 1.0 / 7, 1e-15);
  assert_near(a.value[0], 12.0, 1e-14);
  // the tie goes to the key that came first
  assert_true(sfnec_memory_key(memory, a.neighbours[0].slot)[0] == 0.0f);
  sfnec_memory_destroy(memory);
}

static void inverse(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.weighting.kind = SFNEC_WEIGHT_INVERSE;
  config.weighting.delta = 1e-3;
  sfnec_memory *memory = make(config);
  write_1(memory, 5.0f, 911.0, 0.1);
  write_1(memory, 6.0f, 0.0, 0.1);

  // at the first key: 1 / (sqrt(1e-8) + 1e-3) = 1 / 0.0011; at the other: 1 / (sqrt(1 + 1e-8) + 1e-3) = 1 / 1.001000005
  answer a;
  ask(memory, 5.0f, &a);
  assert_int_equal(a.lookup.count, 2);
  assert_near(a.weights[0] / a.weights[1], 910.0000045, 1e-6);
  assert_near(a.weights[0] + a.weights[1], 1.0, 1e-15);
  assert_near(a.value[0], 910.0, 1e-5);
  sfnec_memory_destroy(memory);
}

static void few_and_none(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.value_size = 2;
  sfnec_memory *memory = make(config);
  answer a;
  a.value[0] = a.value[1] = 77.0;
  ask(memory, 1.0f, &a);
  assert_int_equal(a.lookup.count, 0);
  assert_true(a.value[0] == 0.0 && a.value[1] == 0.0);

  const float key = 4.0f;
  assert_int_equal(sfnec_memory_write(memory, &key, (double[]){2.5, -3.0}, 0.1), SFNEC_OK);
  ask(memory, -100.0f, &a);
  assert_int_equal(a.lookup.count, 1);
  assert_true(a.weights[0] == 1.0 && a.value[0] == 2.5 && a.value[1] == -3.0);
  sfnec_memory_destroy(memory);
}

// distances that overflow leave no weight to share out; the neighbours share equally instead of giving NaN
static void overflow(void **state) {
  (void)state;
  sfnec_memory *memory = make(plain);
  write_1(memory, FLT_MAX, 2.0, 0.1);
  write_1(memory, -FLT_MAX, 4.0, 0.1);
  answer a;
  ask(memory, 0.0f, &a);
  assert_true(a.weights[0] == 0.5 && a.weights[1] == 0.5 && a.value[0] == 3.0);

  // a finite neighbour takes it all
  write_1(memory, 1.0f, 5.0, 0.1);
  ask(memory, 0.0f, &a);
  assert_true(a.weights[0] == 1.0 && a.weights[2] == 0.0 && a.value[0] == 5.0);
  sfnec_memory_destroy(memory);
}

// ---- write ----

static void exact_key(void **state) {
  (void)state;
  sfnec_memory *memory = make(plain);
  write_1(memory, 1.0f, 1.0, 0.25);
  write_1(memory, 1.0f, 3.0, 0.25); // 1 + (3 - 1) / 4
  assert_int_equal(sfnec_memory_count(memory), 1);
  assert_true(stored(memory, 1.0f) == 1.5);
  write_1(memory, 1.0f, -0.5, 0.5); // 1.5 + (-0.5 - 1.5) / 2
  assert_true(stored(memory, 1.0f) == 0.5);

  // -0 and 0 have different bytes and are two keys
  write_1(memory, 0.0f, 1.0, 0.5);
  write_1(memory, -0.0f, 2.0, 0.5);
  assert_int_equal(sfnec_memory_count(memory), 3);
  sfnec_memory_destroy(memory);
}

static void saturates(void **state) {
  (void)state;
  sfnec_memory *memory = make(plain);
  write_1(memory, 1.0f, 1e300, 0.5);
  write_1(memory, 2.0f, -1e300, 0.5);
  assert_true(stored(memory, 1.0f) == (double)FLT_MAX);
  assert_true(stored(memory, 2.0f) == -(double)FLT_MAX);
  sfnec_memory_destroy(memory);
}

static void least_recently_used_goes(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.capacity = 3;
  config.neighbours = 1;
  sfnec_memory *memory = make(config);
  write_1(memory, 0.0f, 0.0, 0.1);
  write_1(memory, 10.0f, 1.0, 0.1);
  write_1(memory, 20.0f, 2.0, 0.1);

  // asking alone is no use; a look-up that is touched is one: 0 survives, 10 goes
  answer a;
  ask(memory, 10.0f, &a);
  ask(memory, 1.0f, &a);
  sfnec_memory_touch(memory, &a.lookup);
  write_1(memory, 30.0f, 3.0, 0.1);
  assert_int_equal(sfnec_memory_count(memory), 3);
  assert_true(holds(memory, 0.0f) && !holds(memory, 10.0f) && holds(memory, 20.0f) && holds(memory, 30.0f));

  // so is a write to a key that is there: 20 survives, 0 goes, then 30
  write_1(memory, 20.0f, 2.0, 0.1);
  write_1(memory, 40.0f, 4.0, 0.1);
  assert_true(!holds(memory, 0.0f) && holds(memory, 20.0f) && holds(memory, 30.0f) && holds(memory, 40.0f));
  write_1(memory, 50.0f, 5.0, 0.1);
  assert_true(holds(memory, 20.0f) && !holds(memory, 30.0f) && holds(memory, 40.0f) && holds(memory, 50.0f));

  // a key that went is new when it comes back, with a value of its own
  write_1(memory, 0.0f, 9.0, 0.1);
  assert_true(stored(memory, 0.0f) == 9.0 && !holds(memory, 20.0f));
  assert_true(stored(memory, 40.0f) == 4.0 && stored(memory, 50.0f) == 5.0);
  sfnec_memory_destroy(memory);
}

static void touch_puts_the_nearest_last(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.capacity = 3;
  config.neighbours = 2;
  sfnec_memory *memory = make(config);
  write_1(memory, 10.0f, 0.0, 0.1);
  write_1(memory, 20.0f, 0.0, 0.1);
  write_1(memory, 0.0f, 0.0, 0.1);
  // neighbours of 11: 10, then 20; by use: 0, 20, 10
  answer a;
  ask(memory, 11.0f, &a);
  sfnec_memory_touch(memory, &a.lookup);
  write_1(memory, 100.0f, 0.0, 0.1);
  assert_true(!holds(memory, 0.0f) && holds(memory, 20.0f) && holds(memory, 10.0f));
  write_1(memory, 200.0f, 0.0, 0.1);
  assert_true(!holds(memory, 20.0f) && holds(memory, 10.0f));
  sfnec_memory_destroy(memory);
}

static void capacity_one(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.capacity = 1;
  sfnec_memory *memory = make(config);
  for (int i = 0; i < 50; i++) {
    write_1(memory, (float)i, i, 0.1);
    assert_int_equal(sfnec_memory_count(memory), 1);
    assert_true(stored(memory, (float)i) == i);
  }
  sfnec_memory_destroy(memory);
}

// ---- gradient step and versions ----

static void nudge(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.value_size = 2;
  config.neighbours = 2;
  sfnec_memory *memory = make(config);
  const float keys[] = {0.0f, 1.0f, 8.0f};
  for (int i = 0; i < 3; i++)
    assert_int_equal(sfnec_memory_write(memory, &keys[i], (double[]){i, 10.0 * i}, 0.1), SFNEC_OK);

  // at 0: d^2 = 0, 1: 1 / (d^2 + 1/2) = 2, 2/3, so the shares are 3/4, 1/4
  answer a;
  ask(memory, 0.0f, &a);
  sfnec_memory_nudge(memory, &a.lookup, (double[]){4.0, -8.0});
  const float *first = sfnec_memory_value(memory, a.neighbours[0].slot);
  const float *second = sfnec_memory_value(memory, a.neighbours[1].slot);
  assert_true(first[0] == 3.0f && first[1] == -6.0f);
  assert_true(second[0] == 2.0f && second[1] == 8.0f);

  // the blend sees the new values, and the third entry kept its own
  sfnec_memory_blend(memory, &a.lookup);
  assert_near(a.value[0], 0.75 * 3 + 0.25 * 2, 1e-15);
  assert_near(a.value[1], 0.75 * -6 + 0.25 * 8, 1e-15);
  assert_true(stored(memory, 8.0f) == 2.0);
  sfnec_memory_destroy(memory);
}

// checks what changed since the last call
static void assert_changed(const sfnec_memory *memory, bool keys, bool values) {
  static uint64_t keys_before, values_before;
  assert_true((sfnec_memory_keys_version(memory) != keys_before) == keys);
  assert_true((sfnec_memory_values_version(memory) != values_before) == values);
  keys_before = sfnec_memory_keys_version(memory);
  values_before = sfnec_memory_values_version(memory);
}

static void versions(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.capacity = 2;
  sfnec_memory *memory = make(config);
  assert_changed(memory, true, true); // never 0
  answer a;
  ask(memory, 0.0f, &a);
  sfnec_memory_nudge(memory, &a.lookup, (double[]){1.0}); // no neighbours, no change
  assert_changed(memory, false, false);
  write_1(memory, 0.0f, 1.0, 0.1);
  assert_changed(memory, true, true);
  write_1(memory, 0.0f, 2.0, 0.1);
  assert_changed(memory, false, true);
  ask(memory, 0.0f, &a);
  sfnec_memory_touch(memory, &a.lookup);
  assert_changed(memory, false, false);
  sfnec_memory_nudge(memory, &a.lookup, (double[]){1.0});
  assert_changed(memory, false, true);
  write_1(memory, 1.0f, 1.0, 0.1);
  assert_changed(memory, true, true);
  write_1(memory, 2.0f, 1.0, 0.1); // evicts
  assert_changed(memory, true, true);
  sfnec_memory_destroy(memory);
}

static void refuses_bad_configs(void **state) {
  (void)state;
  sfnec_memory_config bad[9];
  for (int i = 0; i < 9; i++) bad[i] = plain;
  bad[0].key_size = 0;
  bad[1].value_size = 0;
  bad[2].capacity = 0;
  bad[3].capacity = UINT32_MAX;
  bad[4].neighbours = 0;
  bad[5].weighting.kind = 9;
  bad[6].weighting.delta = 0.0;
  bad[7].weighting.delta = (double)NAN;
  bad[8].index = 99;
  for (int i = 0; i < 9; i++) {
    sfnec_memory *memory = NULL;
    assert_int_equal(sfnec_memory_create(&bad[i], &sfnec_simd_scalar, &memory), SFNEC_ERROR_ARGUMENT);
    assert_null(memory);
  }
  sfnec_memory_destroy(NULL);
}

// ---- tags ----

static void write_tagged(sfnec_memory *memory, uint64_t tag, float key, double value, double alpha) {
  assert_int_equal(sfnec_memory_write_tagged(memory, tag, &key, &value, alpha), SFNEC_OK);
}

// An entry is found by its tag and gets the new key; equal keys of two tags are two entries.
static void tags(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.tagged = true;
  config.capacity = 3;
  sfnec_memory *memory = make(config);
  const uint64_t high = UINT64_C(1) << 32; // the same lower half
  write_tagged(memory, 1, 5, 10, 0.5);
  write_tagged(memory, 1 + high, 5, 30, 0.5);
  assert_int_equal(sfnec_memory_count(memory), 2);
  write_tagged(memory, 1, 7, 20, 0.5);
  assert_int_equal(sfnec_memory_count(memory), 2);
  assert_true(stored(memory, 7) == 15 && stored(memory, 5) == 30);
  // at the limit the one used least recently goes, and its tag with it
  write_tagged(memory, 2, 8, 1, 1);
  write_tagged(memory, 3, 9, 2, 1);
  assert_true(sfnec_memory_count(memory) == 3 && !holds(memory, 5));
  write_tagged(memory, 1 + high, 6, 4, 0.5);
  assert_true(stored(memory, 6) == 4 && !holds(memory, 7));
  // a key may move onto another's
  float key = 6;
  answer a;
  ask(memory, 9, &a);
  assert_int_equal(sfnec_memory_move(memory, a.neighbours[0].slot, &key), SFNEC_OK);
  ask(memory, 6, &a);
  assert_true(a.lookup.count == 3 && a.neighbours[0].squared == 0 && a.neighbours[1].squared == 0);
  sfnec_memory_destroy(memory);
}

static void greater(void **state) {
  (void)state;
  sfnec_memory_config config = plain;
  config.keeps_greater = true;
  sfnec_memory *memory = make(config);
  write_1(memory, 1, 5, 0.1);
  write_1(memory, 1, 3, 0.1);
  assert_true(stored(memory, 1) == 5);
  write_1(memory, 1, 8, 0.1);
  assert_true(stored(memory, 1) == 8);
  sfnec_memory_destroy(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_squared),
      cmocka_unit_test(inverse),
      cmocka_unit_test(few_and_none),
      cmocka_unit_test(overflow),
      cmocka_unit_test(exact_key),
      cmocka_unit_test(saturates),
      cmocka_unit_test(least_recently_used_goes),
      cmocka_unit_test(touch_puts_the_nearest_last),
      cmocka_unit_test(capacity_one),
      cmocka_unit_test(nudge),
      cmocka_unit_test(tags),
      cmocka_unit_test(greater),
      cmocka_unit_test(versions),
      cmocka_unit_test(refuses_bad_configs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
