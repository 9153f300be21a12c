// test_tuples.c: the dictionary of contexts: numbers in the order of coming, and a sender of tuples who knows the code
// cannot make it slow.
#include "support/check.h"

#include <time.h>

#include "agent/plan/tuples.h"
#include "sfnec/random.h"

enum { SIZE = 16, COUNT = 1 << 15, NOTHING = 0 };

// ---- tuples that collide in a hash without a key ----

static uint32_t fnv(uint32_t state, float number) {
  unsigned char bytes[sizeof number];
  memcpy(bytes, &number, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; i++) state = (state ^ bytes[i]) * 16777619u;
  return state;
}

// Two numbers that lead FNV-1a from one state to the same next one, which is returned: by the birthday paradox.
static uint32_t find_pair(uint32_t state, float pair[2]) {
  enum { SLOTS = 1 << 20 };
  static uint32_t seen[SLOTS];
  memset(seen, 0, sizeof seen);
  for (uint32_t i = 1;; i++) {
    const uint32_t next = fnv(state, (float)i);
    uint32_t *slot = &seen[next % SLOTS];
    if (*slot != NOTHING && fnv(state, (float)*slot) == next) {
      pair[0] = (float)*slot;
      pair[1] = (float)i;
      return next;
    }
    *slot = i;
  }
}

// (COUNT, SIZE): any choice of one of each pair has the same hash.
static void make_colliding(float *tuples) {
  float pairs[SIZE][2];
  uint32_t state = 2166136261u;
  for (size_t i = 0; i < SIZE; i++) state = find_pair(state, pairs[i]);
  for (size_t t = 0; t < COUNT; t++) {
    for (size_t i = 0; i < SIZE; i++) tuples[t * SIZE + i] = pairs[i][t >> i & 1];
  }
}

static void make_ordinary(float *tuples) {
  sfnec_random random = sfnec_random_start(1, 1);
  for (size_t i = 0; i < (size_t)COUNT * SIZE; i++) tuples[i] = (float)sfnec_random_uniform(&random);
}

// Adds them all, looks them all up, and returns the seconds of a core that this took.
static double add_all(const float *tuples) {
  const clock_t start = clock();
  sfnec_tuples all;
  sfnec_tuples_init(&all, SIZE);
  for (uint32_t t = 0; t < COUNT; t++) {
    uint32_t number;
    OK(sfnec_tuples_add(&all, tuples + (size_t)t * SIZE, &number));
    assert_int_equal(number, t);
  }
  for (uint32_t t = 0; t < COUNT; t++) assert_int_equal(sfnec_tuples_find(&all, tuples + (size_t)t * SIZE), t);
  sfnec_tuples_clear(&all);
  return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void test_flooding(void **state) {
  (void)state;
  float *tuples = malloc((size_t)COUNT * SIZE * sizeof *tuples);
  assert_non_null(tuples);
  make_ordinary(tuples);
  const double ordinary = add_all(tuples);
  make_colliding(tuples);
  const double colliding = add_all(tuples);
  free(tuples);
  // without a key it is a thousand times as much
  if (colliding > 50.0 * ordinary + 0.1) fail_msg("%g s instead of %g s", colliding, ordinary);
}

static void test_numbers(void **state) {
  (void)state;
  sfnec_tuples all;
  uint32_t number;
  sfnec_tuples_init(&all, 2);
  const float a[] = {0.0f, 1.0f}, b[] = {-0.0f, 1.0f};
  assert_int_equal(sfnec_tuples_find(&all, a), SFNEC_NO_TUPLE);
  OK(sfnec_tuples_add(&all, a, &number));
  assert_int_equal(number, 0);
  OK(sfnec_tuples_add(&all, b, &number)); // other bits
  assert_int_equal(number, 1);
  OK(sfnec_tuples_add(&all, a, &number));
  assert_int_equal(number, 0);
  assert_int_equal(all.count, 2);
  sfnec_tuples_clear(&all);
  assert_int_equal(sfnec_tuples_find(&all, a), SFNEC_NO_TUPLE);
  sfnec_tuples_init(&all, 0); // a world without contexts
  OK(sfnec_tuples_add(&all, a, &number));
  OK(sfnec_tuples_add(&all, b, &number));
  assert_int_equal(number, 0);
  sfnec_tuples_clear(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_flooding), cmocka_unit_test(test_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
