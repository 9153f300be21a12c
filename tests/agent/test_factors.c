// test_factors.c: rewards as products of few factors, with many of them missing.
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "agent/plan/factors.h"

enum { TASKS = 8, ROWS = 12, KINDS = 4 };

// What tasks pay for four kinds of events: the first pays alike in all of them.
static const double paid[KINDS][TASKS] = {{1, 1, 1, 1, 1, 1, 1, 1},
                                          {0.3, -0.9, 0.1, -0.6, -0.4, -0.8, 0.7, -0.1},
                                          {0.1, 0.7, -0.1, -0.3, 0.4, -0.5, 0.3, 0.9},
                                          {-0.2, -0.7, 0.2, 0.2, 0.6, -0.6, 0.3, -0.4}};

// Rewards of rows 0 to 11, row i of kind i % 4; every seventh is missing.
static size_t make(sfnec_row_reward *rewards, bool structured) {
  size_t count = 0;
  for (uint32_t r = 0; r < ROWS; r++) {
    for (uint32_t t = 0; t < TASKS; t++) {
      if ((r * TASKS + t) % 7 == 3) continue;
      const double other = sin(37.0 * r * r + 101.0 * t * t + 11.0 * r * t); // each row on its own
      rewards[count++] = (sfnec_row_reward){r, t, structured ? paid[r % KINDS][t] : other};
    }
  }
  return count;
}

static void test_found(void **state) {
  (void)state;
  sfnec_row_reward rewards[ROWS * TASKS];
  const size_t count = make(rewards, true);
  sfnec_factors factors;
  OK(sfnec_factors_find(rewards, count, ROWS, TASKS, &factors));
  assert_int_equal(factors.rank, KINDS);
  assert_true(factors.explained > 0.85);
  // all but the first have mean 0 and variance 1
  for (uint32_t i = 0; i < factors.rank; i++) {
    double mean = 0, square = 0;
    for (uint32_t t = 0; t < TASKS; t++) {
      const double w = factors.w[t * factors.rank + i];
      mean += w / TASKS, square += w * w / TASKS;
    }
    NEAR(mean, i == 0 ? 1.0 : 0.0, 1e-9);
    NEAR(square, 1.0, 1e-4);
  }
  sfnec_factors_clear(&factors);
}

// A row that was seen in most tasks has the rewards of the others, too; one that was seen in one leaves much open.
static void test_row(void **state) {
  (void)state;
  sfnec_row_reward rewards[ROWS * TASKS], row[TASKS];
  sfnec_factors factors;
  OK(sfnec_factors_find(rewards, make(rewards, true), ROWS, TASKS, &factors));
  for (uint32_t t = 0; t < TASKS - 2; t++) row[t] = (sfnec_row_reward){0, t, paid[2][t]};
  double phi[SFNEC_FACTORS_MOST];
  assert_true(sfnec_factors_of_row(&factors, row, TASKS - 2, phi) < 0.05);
  for (uint32_t t = TASKS - 2; t < TASKS; t++) {
    double reward = 0;
    for (uint32_t i = 0; i < factors.rank; i++) reward += phi[i] * factors.w[t * factors.rank + i];
    NEAR(reward, paid[2][t], 0.05);
  }
  assert_true(sfnec_factors_of_row(&factors, row, 1, phi) > 0.7);
  sfnec_factors_clear(&factors);
}

// Rewards without structure, or of one task, have no factors.
static void test_none(void **state) {
  (void)state;
  sfnec_row_reward rewards[ROWS * TASKS];
  sfnec_factors factors;
  OK(sfnec_factors_find(rewards, make(rewards, false), ROWS, TASKS, &factors));
  assert_int_equal(factors.rank, 0);
  sfnec_factors_clear(&factors);
  const sfnec_row_reward one[] = {{0, 0, 1.0}, {1, 0, 2.0}};
  OK(sfnec_factors_find(one, 2, 2, 1, &factors));
  assert_int_equal(factors.rank, 0);
  sfnec_factors_clear(&factors);
  OK(sfnec_factors_find(NULL, 0, 0, 0, &factors));
  assert_int_equal(factors.rank, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found),
      cmocka_unit_test(test_row),
      cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
