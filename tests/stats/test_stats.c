// test_stats.c: the statistics of runs against numbers worked out by hand.
#include "support/check.h"

#include "sfnec/random.h"
#include "stats/stats.h"

static sfnec_strata one_stratum(const double *values, const size_t *count) {
  return (sfnec_strata){values, count, 1};
}

static void test_mean_and_error(void **state) {
  (void)state;
  const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  NEAR(sfnec_stats_mean(values, 8), 5, 1e-15);
  // squares sum to 32: sd = sqrt(32 / 7), over sqrt(8)
  NEAR(sfnec_stats_error(values, 8), sqrt(32.0 / 7 / 8), 1e-15);
  NEAR(sfnec_stats_error(values, 2), 1, 1e-15);
  assert_true(isnan(sfnec_stats_error(values, 1)));
  assert_true(isnan(sfnec_stats_mean(values, 0)));
  // a large common part must not drown the small differences
  const double far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
  NEAR(sfnec_stats_error(far, 3), sqrt(1.0 / 3), 1e-12);
}

static void test_quantiles(void **state) {
  (void)state;
  const double sorted[] = {1, 2, 4, 8};
  NEAR(sfnec_stats_quantile(sorted, 4, 0), 1, 0);
  NEAR(sfnec_stats_quantile(sorted, 4, 1), 8, 0);
  NEAR(sfnec_stats_quantile(sorted, 4, 0.5), 3, 1e-15);
  NEAR(sfnec_stats_quantile(sorted, 4, 0.25), 1.75, 1e-15); // place 0.75
  NEAR(sfnec_stats_quantile(sorted, 4, 0.9), 6.8, 1e-14);   // place 2.7
  NEAR(sfnec_stats_quantile(sorted, 1, 0.9), 1, 0);
  assert_true(isnan(sfnec_stats_quantile(sorted, 0, 0.5)));
}

// Selecting finds what sorting finds, to the bit, also among many equal values.
static void test_select(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(1, 1000);
  for (int trial = 0; trial < 2000; trial++) {
    double values[64], sorted[64];
    const size_t count = 1 + sfnec_random_below(&random, 64);
    const uint32_t kinds = 1 + sfnec_random_below(&random, 80);
    for (size_t i = 0; i < count; i++) sorted[i] = values[i] = sfnec_random_below(&random, kinds) / 7.0;
    sfnec_stats_sort(sorted, count);
    for (size_t i = 1; i < count; i++) assert_true(sorted[i - 1] <= sorted[i]);
    const double share = trial % 10 ? sfnec_random_uniform(&random) : trial % 20 / 10;
    NEAR(sfnec_stats_select(values, count, share), sfnec_stats_quantile(sorted, count, share), 0);
    sfnec_stats_sort(values, count);
    assert_memory_equal(values, sorted, count * sizeof *values);
  }
  assert_true(isnan(sfnec_stats_select(NULL, 0, 0.5)));
}

static void test_trimmed_means(void **state) {
  (void)state;
  const double sorted[] = {-100, 1, 2, 3, 4, 5, 6, 7, 1000};
  // nine values: two go at each end
  NEAR(sfnec_stats_trimmed_mean(sorted, 9, sfnec_stats_iqm_cut(9)), 4, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 8, sfnec_stats_iqm_cut(8)), 3.5, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 7, sfnec_stats_iqm_cut(7)), 3, 1e-15); // one goes: (1+2+3+4+5)/5
  NEAR(sfnec_stats_trimmed_mean(sorted, 3, sfnec_stats_iqm_cut(3)), -97.0 / 3, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 9, sfnec_stats_median_cut(9)), 4, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 8, sfnec_stats_median_cut(8)), 3.5, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 2, sfnec_stats_median_cut(2)), -49.5, 1e-15);
  NEAR(sfnec_stats_trimmed_mean(sorted, 1, sfnec_stats_median_cut(1)), -100, 0);
  assert_true(isnan(sfnec_stats_trimmed_mean(sorted, 0, 0)));
  assert_true(isnan(sfnec_stats_trimmed_mean(sorted, 2, 1)));
}

static void test_summary(void **state) {
  (void)state;
  // in no order, in two strata: the point estimates do not see the strata
  const double values[] = {7, -100, 3, 1, 2, 1000, 5, 6, 4};
  const size_t sizes[] = {4, 5};
  const sfnec_strata sample = {values, sizes, 2};
  sfnec_summary summary;
  OK(sfnec_stats_summarise(&sample, 100, &summary));
  assert_int_equal(summary.count, 9);
  NEAR(summary.mean.value, 928.0 / 9, 1e-14);
  NEAR(summary.median.value, 4, 1e-15);
  NEAR(summary.iqm.value, 4, 1e-15);
  assert_true(summary.mean.interval.low < summary.mean.value && summary.mean.interval.high > summary.mean.value);
}

static void test_one_run_has_no_interval(void **state) {
  (void)state;
  const double values[] = {3, 5, 6};
  const size_t one = 1, sizes[] = {2, 1};
  const sfnec_strata alone = one_stratum(values, &one), half = {values, sizes, 2};
  sfnec_summary summary;
  OK(sfnec_stats_summarise(&alone, 100, &summary));
  NEAR(summary.mean.value, 3, 0);
  NEAR(summary.iqm.value, 3, 0);
  assert_false(sfnec_interval_known(summary.mean.interval));
  assert_false(sfnec_interval_known(summary.iqm.interval));
  OK(sfnec_stats_summarise(&half, 100, &summary));
  assert_false(sfnec_interval_known(summary.median.interval));

  sfnec_estimate estimate;
  OK(sfnec_stats_improvement(&alone, &alone, 100, &estimate));
  NEAR(estimate.value, 0.5, 0);
  assert_false(sfnec_interval_known(estimate.interval));
  OK(sfnec_stats_profile(&alone, values, 1, 100, &estimate));
  assert_false(sfnec_interval_known(estimate.interval));
}

static void test_improvement(void **state) {
  (void)state;
  const double x[] = {1, 3, 5}, y[] = {3, 2};
  const size_t three = 3, two = 2;
  const sfnec_strata sx = one_stratum(x, &three), sy = one_stratum(y, &two);
  sfnec_estimate estimate;
  // of six pairs: 3 > 2, 5 > 3, 5 > 2 and half for 3 = 3
  OK(sfnec_stats_improvement(&sx, &sy, 1000, &estimate));
  NEAR(estimate.value, 3.5 / 6, 1e-15);
  OK(sfnec_stats_improvement(&sy, &sx, 1000, &estimate));
  NEAR(estimate.value, 2.5 / 6, 1e-15);

  // two strata of different sizes count the same: (3.5 / 6 + 1) / 2
  const double xs[] = {5, 1, 3, 10, 11}, ys[] = {2, 3, 1, 2, 3, 4};
  const size_t nx[] = {3, 2}, ny[] = {2, 4};
  const sfnec_strata tx = {xs, nx, 2}, ty = {ys, ny, 2};
  OK(sfnec_stats_improvement(&tx, &ty, 1000, &estimate));
  NEAR(estimate.value, (3.5 / 6 + 1) / 2, 1e-15);
  // the second stratum is certain, so the interval cannot go below a half
  assert_true(estimate.interval.low >= 0.5 && estimate.interval.high <= 1 && estimate.interval.low < estimate.value);

  // x always wins: no resample says otherwise
  const double high[] = {8, 9, 10};
  const sfnec_strata sure = one_stratum(high, &three);
  OK(sfnec_stats_improvement(&sure, &sx, 1000, &estimate));
  NEAR(estimate.interval.low, 1, 0);
  NEAR(estimate.interval.high, 1, 0);
  REFUSED(sfnec_stats_improvement(&tx, &sy, 10, &estimate), SFNEC_ERROR_ARGUMENT, "strata");
}

static void test_profile(void **state) {
  (void)state;
  const double values[] = {1, 2, 2, 5}, taus[] = {0, 1, 2, 4.9, 5};
  const size_t four = 4;
  const sfnec_strata sample = one_stratum(values, &four);
  sfnec_estimate shares[5];
  OK(sfnec_stats_profile(&sample, taus, 5, 1000, shares));
  const double expected[] = {1, 0.75, 0.25, 0.25, 0}; // strictly above
  for (size_t i = 0; i < 5; i++) NEAR(shares[i].value, expected[i], 0);
  NEAR(shares[0].interval.low, 1, 0);
  NEAR(shares[4].interval.high, 0, 0);
  assert_true(shares[1].interval.low < 0.75 && shares[1].interval.high > 0.75);
}

static double wilcoxon(const double *differences, size_t count) {
  double p;
  OK(sfnec_stats_wilcoxon(differences, count, &p));
  return p;
}

static void test_wilcoxon(void **state) {
  (void)state;
  // all of one sign: both extreme outcomes of 2^n
  const double same[] = {1, 2, 3, 4, 5, 6};
  NEAR(wilcoxon(same, 6), 2.0 / 64, 1e-15);
  NEAR(wilcoxon(same, 1), 1, 0);
  NEAR(wilcoxon(same, 0), 1, 0);
  // ranks 1 2 3, the negative one is rank 1: sums <= 1 are {} and {1}, 2 of 8, two-sided 4 of 8
  const double three[] = {-1, 2, 3};
  NEAR(wilcoxon(three, 3), 0.5, 1e-15);
  // zeros are dropped
  const double zeros[] = {0, -1, 0, 2, 3};
  NEAR(wilcoxon(zeros, 5), 0.5, 1e-15);
  NEAR(wilcoxon((const double[]){0, 0}, 2), 1, 0);
  // ties: sizes 1 1 2 have ranks 1.5 1.5 3; the negative sum is 1.5: {}, {a}, {b} of 8 are not above it
  const double ties[] = {-1, 1, 2};
  NEAR(wilcoxon(ties, 3), 6.0 / 8, 1e-15);
  // the sign of all turned changes nothing
  const double turned[] = {1, -1, -2};
  NEAR(wilcoxon(turned, 3), 6.0 / 8, 1e-15);
  // symmetric: never above 1
  NEAR(wilcoxon((const double[]){-1, 1}, 2), 1, 1e-15);
}

// just below the exact limit and just above it the two methods agree
static void test_wilcoxon_large(void **state) {
  (void)state;
  double differences[501];
  for (int i = 0; i < 501; i++) differences[i] = (i % 9 < 5 ? 1 : -1) * (1.0 + i % 37);
  differences[500] = 1e-3; // hardly more evidence, but more than the exact test takes
  const double exact = wilcoxon(differences, 500), normal = wilcoxon(differences, 501);
  assert_true(exact > 0.001 && exact < 0.2);
  NEAR(normal / exact, 1, 0.03);
}

static void test_paired(void **state) {
  (void)state;
  const double differences[] = {1, 2, 0, 3, -1, 4};
  sfnec_paired paired;
  OK(sfnec_stats_paired(differences, 6, 2000, &paired));
  assert_int_equal(paired.count, 6);
  assert_int_equal(paired.higher, 4);
  assert_int_equal(paired.lower, 1);
  NEAR(paired.mean.value, 1.5, 1e-15);
  // squares: .25 .25 2.25 2.25 6.25 6.25 = 17.5
  NEAR(paired.error, sqrt(17.5 / 5 / 6), 1e-15);
  // ranks of 1 1 2 3 4: 1.5 1.5 3 4 5; negative 1.5: {}, {a}, {b} of 32
  NEAR(paired.p, 6.0 / 32, 1e-15);
  assert_true(paired.mean.interval.low < 1.5 && paired.mean.interval.high > 1.5);
}

static void test_best(void **state) {
  (void)state;
  // the second is best by far on every seed; the third is the second's twin
  const double values[] = {1,  2,  3,  4,  5.5, //
                           11, 12, 13, 14, 15,  //
                           11, 12, 13, 14, 15};
  sfnec_contender contenders[3];
  OK(sfnec_stats_best(values, 3, 5, 1000, contenders));
  NEAR(contenders[0].mean, 3.1, 1e-15);
  NEAR(contenders[0].chance, 0, 0);
  NEAR(contenders[1].chance, 0.5, 1e-12);
  NEAR(contenders[2].chance, 0.5, 1e-12);
  assert_false(contenders[0].possible);
  assert_true(contenders[1].possible && contenders[2].possible);
}

// What one would call a tie stays one, though each seed has large ups and downs in common; a small but steady lead
// counts.
static void test_best_is_paired(void **state) {
  (void)state;
  const double values[] = {100, 500, 900, 300, 700, 200, 800, 400, //
                           103, 498, 899, 304, 697, 203, 798, 402, //
                           90,  491, 889, 291, 688, 192, 791, 389};
  sfnec_contender contenders[3];
  OK(sfnec_stats_best(values, 3, 8, 2000, contenders));
  assert_true(contenders[0].possible && contenders[1].possible);
  assert_false(contenders[2].possible);
  assert_true(contenders[1].chance > 0.2 && contenders[1].chance < 0.95);
  NEAR(contenders[0].chance + contenders[1].chance + contenders[2].chance, 1, 1e-9);
}

static void test_best_of_one_seed(void **state) {
  (void)state;
  const double values[] = {1, 2};
  sfnec_contender contenders[2];
  OK(sfnec_stats_best(values, 2, 1, 100, contenders));
  assert_true(contenders[0].possible && contenders[1].possible && isnan(contenders[0].chance));
  OK(sfnec_stats_best(values, 1, 2, 100, contenders));
  assert_true(contenders[0].possible);
  NEAR(contenders[0].chance, 1, 1e-9);
}

static void test_refusals(void **state) {
  (void)state;
  const size_t none = 0, sizes[] = {2, 0};
  const double values[] = {1, 2};
  sfnec_summary summary;
  sfnec_contender contender;
  sfnec_paired paired;
  const sfnec_strata empty = one_stratum(values, &none), hole = {values, sizes, 2}, two = one_stratum(values, sizes);
  REFUSED(sfnec_stats_summarise(&empty, 10, &summary), SFNEC_ERROR_ARGUMENT, "no values");
  REFUSED(sfnec_stats_summarise(&hole, 10, &summary), SFNEC_ERROR_ARGUMENT, "stratum 2");
  REFUSED(sfnec_stats_summarise(&two, 0, &summary), SFNEC_ERROR_ARGUMENT, "resample");
  REFUSED(sfnec_stats_paired(values, 0, 10, &paired), SFNEC_ERROR_ARGUMENT, "no values");
  REFUSED(sfnec_stats_best(values, 0, 2, 10, &contender), SFNEC_ERROR_ARGUMENT, "at least");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mean_and_error), cmocka_unit_test(test_quantiles),
      cmocka_unit_test(test_select),         cmocka_unit_test(test_trimmed_means),
      cmocka_unit_test(test_summary),        cmocka_unit_test(test_one_run_has_no_interval),
      cmocka_unit_test(test_improvement),    cmocka_unit_test(test_profile),
      cmocka_unit_test(test_wilcoxon),       cmocka_unit_test(test_wilcoxon_large),
      cmocka_unit_test(test_paired),         cmocka_unit_test(test_best),
      cmocka_unit_test(test_best_is_paired), cmocka_unit_test(test_best_of_one_seed),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
