// test_bootstrap.c: what bootstrap intervals promise: the same from the same data, the share of truths that they
// cover, and the right answer where the resamples can be counted out.
#include "support/check.h"

#include "sfnec/random.h"
#include "stats/stats.h"

static sfnec_summary summarise(const double *values, size_t count, uint32_t resamples) {
  const sfnec_strata sample = {values, &count, 1};
  sfnec_summary summary;
  OK(sfnec_stats_summarise(&sample, resamples, &summary));
  return summary;
}

// The same data give the same bits, whatever was computed before; these are kept for every machine.
static void test_fixed(void **state) {
  (void)state;
  const double values[] = {646, 363, 370, 338, 967, 512, 430};
  const sfnec_summary first = summarise(values, 7, 10000);
  (void)summarise(values, 3, 77);
  const sfnec_summary again = summarise(values, 7, 10000);
  assert_memory_equal(&first, &again, sizeof first);
  NEAR(first.mean.interval.low, 388.71428571428572, 1e-12);
  NEAR(first.mean.interval.high, 689.57142857142856, 1e-12);
  NEAR(first.iqm.interval.low, 367.2, 1e-12);
  NEAR(first.iqm.interval.high, 704.4, 1e-12);
}

// Two runs have three resamples, {a a}, {a b}, {b b}, with the chances 1/4, 1/2, 1/4: the middle 95 % is all of them.
static void test_two_runs(void **state) {
  (void)state;
  const double values[] = {10, 4};
  const sfnec_summary summary = summarise(values, 2, 10000);
  NEAR(summary.mean.interval.low, 4, 0);
  NEAR(summary.mean.interval.high, 10, 0);
}

// Three runs 0 0 1: the resampled mean is k / 3 with k binomial(3, 1/3): 8, 12, 6 and 1 of 27. The last is 3.7 %, more
// than the 2.5 % that are left out; of 0 0 0 0 1 the last, k = 5, is 0.03 %, k = 4 is 0.6 %, k = 3 is 5.1 %.
static void test_counted_out(void **state) {
  (void)state;
  const double three[] = {0, 0, 1}, five[] = {0, 0, 0, 0, 1};
  sfnec_summary summary = summarise(three, 3, 10000);
  NEAR(summary.mean.interval.low, 0, 0);
  NEAR(summary.mean.interval.high, 1, 0);
  summary = summarise(five, 5, 10000);
  NEAR(summary.mean.interval.low, 0, 0);
  NEAR(summary.mean.interval.high, 0.6, 1e-15);
}

// Strata are resampled apart: each keeps its size. One with equal values adds nothing to the interval.
static void test_strata(void **state) {
  (void)state;
  const double values[] = {0, 1, 0, 1, 500, 500, 500, 500};
  const size_t apart[] = {4, 4}, together[] = {8};
  const sfnec_strata stratified = {values, apart, 2}, flat = {values, together, 1};
  sfnec_summary narrow, wide;
  OK(sfnec_stats_summarise(&stratified, 5000, &narrow));
  OK(sfnec_stats_summarise(&flat, 5000, &wide));
  NEAR(narrow.mean.value, wide.mean.value, 1e-15);
  assert_true(narrow.mean.interval.low >= 250 && narrow.mean.interval.high <= 250.5);
  assert_true(wide.mean.interval.high - wide.mean.interval.low > 200);
}

// How often the interval of the mean holds the true mean 0 of normal runs.
static double coverage(size_t runs, int trials) {
  sfnec_random random = sfnec_random_start(7, 1000);
  int hits = 0;
  for (int i = 0; i < trials; i++) {
    double values[64];
    for (size_t j = 0; j < runs; j++) values[j] = sfnec_random_normal(&random);
    const sfnec_interval interval = summarise(values, runs, 1000).mean.interval;
    hits += interval.low <= 0 && interval.high >= 0;
  }
  return (double)hits / trials;
}

// The percentile bootstrap is a little too sure of few runs: theory says normal runs are covered by 1.96 sqrt((n - 1) /
// n) standard errors of a t distribution, 90 % at n = 10 and 94 % at 50. 1,000 trials are good to 2 %.
static void test_coverage(void **state) {
  (void)state;
  NEAR(coverage(10, 1000), 0.904, 0.025);
  NEAR(coverage(50, 1000), 0.941, 0.02);
}

// In how many studies of equal configurations a given one stays among those that may be the best.
static double kept(size_t configurations, size_t seeds, int trials) {
  sfnec_random random = sfnec_random_start(8, 1000);
  int kept = 0;
  for (int i = 0; i < trials; i++) {
    double values[256];
    assert_true(configurations * seeds <= 256);
    for (size_t j = 0; j < configurations * seeds; j++) values[j] = sfnec_random_normal(&random);
    sfnec_contender contenders[20];
    OK(sfnec_stats_best(values, configurations, seeds, 500, contenders));
    kept += contenders[0].possible;
  }
  return (double)kept / trials;
}

// About 95 % as promised, for few and for many configurations; few seeds are a little too sure.
static void test_best_coverage(void **state) {
  (void)state;
  NEAR(kept(2, 20, 400), 0.95, 0.03);
  NEAR(kept(12, 20, 400), 0.95, 0.03);
  NEAR(kept(20, 5, 400), 0.94, 0.03);
}

// A difference of two standard deviations is always seen on 20 seeds.
static void test_best_power(void **state) {
  (void)state;
  enum { CONFIGURATIONS = 5, SEEDS = 20 };
  sfnec_random random = sfnec_random_start(8, 1000);
  for (int i = 0; i < 100; i++) {
    double values[CONFIGURATIONS * SEEDS];
    for (size_t j = 0; j < CONFIGURATIONS * SEEDS; j++) values[j] = sfnec_random_normal(&random) - (j < SEEDS ? 2 : 0);
    sfnec_contender contenders[CONFIGURATIONS];
    OK(sfnec_stats_best(values, CONFIGURATIONS, SEEDS, 500, contenders));
    assert_false(contenders[0].possible);
  }
}

// The interval of P(X > Y) for equal distributions holds one half.
static void test_improvement_coverage(void **state) {
  (void)state;
  enum { TRIALS = 500 };
  sfnec_random random = sfnec_random_start(9, 1000);
  const size_t n = 20, m = 30;
  int hits = 0;
  for (int i = 0; i < TRIALS; i++) {
    double x[20], y[30];
    for (size_t j = 0; j < n; j++) x[j] = sfnec_random_normal(&random);
    for (size_t j = 0; j < m; j++) y[j] = sfnec_random_normal(&random);
    const sfnec_strata sx = {x, &n, 1}, sy = {y, &m, 1};
    sfnec_estimate estimate;
    OK(sfnec_stats_improvement(&sx, &sy, 1000, &estimate));
    hits += estimate.interval.low <= 0.5 && estimate.interval.high >= 0.5;
  }
  NEAR((double)hits / TRIALS, 0.945, 0.03);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed),       cmocka_unit_test(test_two_runs),
      cmocka_unit_test(test_counted_out), cmocka_unit_test(test_strata),
      cmocka_unit_test(test_coverage),    cmocka_unit_test(test_best_coverage),
      cmocka_unit_test(test_best_power),  cmocka_unit_test(test_improvement_coverage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
