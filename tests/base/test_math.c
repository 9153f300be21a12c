// test_math.c: our exp, log and normal quantile against the C library, and against quantiles computed to 60 digits.
#include "support/check.h"

#include <float.h>

#include "base/math.h"

// relative; every result of these functions is far from the denormals
#define CLOSE(found, expected, tolerance, at)                                                                          \
  do {                                                                                                                 \
    const double close_found = (found), close_expected = (expected);                                                   \
    if (!(fabs(close_found - close_expected) <= (tolerance)*fabs(close_expected)))                                     \
      fail_msg("%s at %.17g is %.17g, not %.17g", #found, (double)(at), close_found, close_expected);                  \
  } while (0)

static void test_exp(void **state) {
  (void)state;
  for (double x = -707.9; x < 708.9; x += 0.00371) CLOSE(sfnec_exp(x), exp(x), 1e-15, x);
  // where the environments use it: e^-20 to e^0
  for (double x = -20; x <= 0; x += 1e-5) CLOSE(sfnec_exp(x), exp(x), 5e-16, x);
  for (double x = 1; x > 1e-320; x /= 3) {
    CLOSE(sfnec_exp(x), exp(x), 5e-16, x);
    CLOSE(sfnec_exp(-x), exp(-x), 5e-16, -x);
  }
}

static void test_exp_edges(void **state) {
  (void)state;
  assert_true(sfnec_exp(0.0) == 1.0);
  assert_true(sfnec_exp(-0.0) == 1.0);
  assert_true(sfnec_exp(-708.0) == 0.0 && sfnec_exp(-1e300) == 0.0 && sfnec_exp(-(double)INFINITY) == 0.0);
  assert_true(sfnec_exp(-707.9999) > 0.0);
  CLOSE(sfnec_exp(709.0), exp(709.0), 1e-15, 709);
  assert_true(isinf(sfnec_exp(709.1)) && isinf(sfnec_exp((double)INFINITY)) && sfnec_exp(1e9) > 0);
  assert_true(isnan(sfnec_exp((double)NAN)));
  // half-way between two multiples of ln 2, where the reduction changes its mind
  for (int n = -1000; n <= 1000; n++) {
    const double x = (n + 0.5) * 0.69314718055994530942;
    CLOSE(sfnec_exp(nextafter(x, -1e9)), exp(nextafter(x, -1e9)), 1e-15, x);
    CLOSE(sfnec_exp(nextafter(x, 1e9)), exp(nextafter(x, 1e9)), 1e-15, x);
  }
}

static void test_log(void **state) {
  (void)state;
  assert_true(sfnec_log(1.0) == 0.0);
  for (double x = 1e-3; x < 10; x += 1.7e-5) CLOSE(sfnec_log(x), log(x), 1e-15, x);
  for (double x = DBL_MIN; x < 1e308; x *= 1.0173) CLOSE(sfnec_log(x), log(x), 1e-15, x);
  // next to 1, where the result is as small as its argument's distance from 1
  for (double d = 0.3; d > 2e-16; d *= 0.7) {
    CLOSE(sfnec_log(1 + d), log(1 + d), 1e-15, 1 + d);
    CLOSE(sfnec_log(1 - d), log(1 - d), 1e-15, 1 - d);
  }
  CLOSE(sfnec_log(DBL_MAX), log(DBL_MAX), 1e-15, DBL_MAX);
  CLOSE(sfnec_log(0x1.6a09e667f3bccp0), log(0x1.6a09e667f3bccp0), 1e-15, 0);
  CLOSE(sfnec_log(0x1.6a09e667f3bcdp0), log(0x1.6a09e667f3bcdp0), 1e-15, 0);
  CLOSE(sfnec_log(0x1.6a09e667f3bcep0), log(0x1.6a09e667f3bcep0), 1e-15, 0);
}

// p and the x with P(X < x) = p, by root finding with 60 digits from the double that p is.
static const double quantiles[][2] = {
    {0x1p-53, -8.2095361516013868556},      {0x1p-40, -7.0477002566644087254},
    {0x1p-37, -6.7523004314070149646},      {1e-10, -6.3613409024040561991},
    {1e-6, -4.7534243088228989573},         {1e-3, -3.0902323061678135354},
    {0.01, -2.3263478740408410931},         {0.025, -1.9599639845400542118},
    {0.05, -1.644853626951472688},          {0.075, -1.4395314709384559349},
    {0.0750001, -1.4395307645017296865},    {0.1, -1.2815515655446004353},
    {0.25, -0.6744897501960817432},         {0.4, -0.25334710313579974132},
    {0.49999, -0.000025066282748960008527}, {0.5000001, 2.5066282733116483012e-7},
    {0.7, 0.52440051270804065631},          {0.9, 1.2815515655446005935},
    {0.925, 1.4395314709384562291},         {0.95, 1.6448536269514722843},
    {0.975, 1.9599639845400538556},         {0.99, 2.3263478740408407676},
    {0.999, 3.0902323061678132778},         {0x1.fffffffffffffp-1, 8.2095361516013868556},
};

static void test_quantile(void **state) {
  (void)state;
  assert_true(sfnec_normal_quantile(0.5) == 0.0);
  for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
    // 1 - p is exact only to half a unit of p in the last place: that alone moves the upper tail's x by 1e-14
    CLOSE(sfnec_normal_quantile(quantiles[i][0]), quantiles[i][1], 1e-14, quantiles[i][0]);
  }
}

// The quantile inverts the C library's distribution function; an error e in x is about x^2 e in the probability.
static void test_quantile_inverts(void **state) {
  (void)state;
  for (double p = 0x1p-53; p < 0.5; p *= 1.013) {
    const double x = sfnec_normal_quantile(p);
    CLOSE(0.5 * erfc(-x / sqrt(2)), p, 1e-14 * (1 + x * x), p);
  }
  double last = -9;
  for (double p = 1e-5; p < 1; p += 1e-5) {
    const double x = sfnec_normal_quantile(p);
    assert_true(x > last);
    last = x;
    // symmetric as far as 1 - p is exact
    assert_true(fabs(x + sfnec_normal_quantile(1 - p)) < 1e-10);
  }
}

// Values of scipy.stats.gamma.sf: the series, the continued fraction, far tails and large shapes.
static void test_gamma_tail(void **state) {
  (void)state;
  static const double tails[][3] = {
      {0.5, 0.02, 8.414805811217940e-01}, {0.5, 8, 6.334248366623988e-05},    {0.5, 100, 2.088487583762569e-45},
      {1, 3, 4.978706836786395e-02},      {3.5, 1, 9.598403687301016e-01},    {3.5, 20, 1.258790387371308e-06},
      {50, 40, 9.296649333406051e-01},    {50, 90, 1.649498501717853e-06},    {700, 800, 1.440501538210458e-04},
      {700, 650, 9.728299443653773e-01},  {1e4, 10300, 1.470494896385681e-03}};
  for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
    CLOSE(sfnec_gamma_tail(tails[i][0], tails[i][1]), tails[i][2], 1e-10, tails[i][1]);
  }
  assert_true(sfnec_gamma_tail(2.0, 0.0) == 1.0 && sfnec_gamma_tail(2.0, -1.0) == 1.0);
  assert_true(sfnec_gamma_tail(2.0, 1e305) == 0.0 && sfnec_gamma_tail(2.0, 1e5) == 0.0);
}

static void test_sine_and_cosine(void **state) {
  (void)state;
  const int n = 200000;
  for (int i = -n; i <= n; i++) {
    double x = (double)i / n;
    // the C library's own error is half a unit in the last place
    assert_true(fabs(sfnec_sin_small(x) - sin(x)) <= 3e-16);
    assert_true(fabs(sfnec_cos_small(x) - cos(x)) <= 3e-16);
    assert_true(sfnec_sin_small(-x) == -sfnec_sin_small(x) && sfnec_cos_small(-x) == sfnec_cos_small(x));
  }
  assert_true(sfnec_sin_small(0) == 0 && sfnec_cos_small(0) == 1);
  // small angles keep their relative precision
  assert_true(sfnec_sin_small(1e-30) == 1e-30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exp),
      cmocka_unit_test(test_exp_edges),
      cmocka_unit_test(test_log),
      cmocka_unit_test(test_quantile),
      cmocka_unit_test(test_quantile_inverts),
      cmocka_unit_test(test_gamma_tail),
      cmocka_unit_test(test_sine_and_cosine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
