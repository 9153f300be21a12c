// math.h: exp, log, the normal quantile, the gamma distribution, sine and cosine from exactly rounded operations only.
//
// The C library's versions differ in the last bit between machines (they pick code by CPU). These use nothing but
// + - * /, sqrt and integer arithmetic on doubles, in a fixed order, so a run has the same bytes everywhere. Their
// error is below 2 units in the last place, far under what rounding to float keeps.
#ifndef SFNEC_BASE_MATH_H
#define SFNEC_BASE_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// e^x; 0 below -708 (where the result would be denormal), infinity above 709, NaN for NaN.
static inline double sfnec_exp(double x) {
  if (!(x > -708.0)) return isnan(x) ? x : 0.0;
  if (x > 709.0) return (double)INFINITY;

  // x = n ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts so that n * high is exact
  const double shift = 0x1.8p52;
  const double n = (x * 0x1.71547652b82fep0 + shift) - shift;
  const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;

  // Taylor's series to r^13 / 13!, whose remainder is under 2^-57
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;

  // times 2^n, through the exponent bits; n >= -1021 here
  const int64_t bits = ((int64_t)n + 1023) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return p * scale;
}

// The natural logarithm of a positive, finite, normal x.
double sfnec_log(double x);

// The x below which a standard normal variable lies with probability p, 0 < p < 1.
double sfnec_normal_quantile(double p);

// The probability that a gamma variable of this shape and scale 1 is above x, to about 1e-10. shape > 0; 1 for x <= 0.
// Chi-square with k degrees of freedom above x: shape k / 2 at x / 2. A normal variable beyond z on either side:
// shape 1 / 2 at z^2 / 2.
double sfnec_gamma_tail(double shape, double x);

// sin x and cos x for |x| <= 1, by Taylor's series without a reduction of the angle: a pole that is still up leans by
// 0.21 at most. Up to there the error is at most 0.55 units in the last place, because all terms but the first are
// small. The first term left out is under 1 / 19!, and under 1 / 20!.
static inline double sfnec_sin_small(double x) {
  const double s = x * x;
  double p = 1.0 / 355687428096000.0; // 17!
  p = p * s - 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s - 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s - 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s - 1.0 / 6.0;
  return x + x * (s * p);
}

static inline double sfnec_cos_small(double x) {
  const double s = x * x;
  double p = -1.0 / 6402373705728000.0; // 18!
  p = p * s + 1.0 / 20922789888000.0;
  p = p * s - 1.0 / 87178291200.0;
  p = p * s + 1.0 / 479001600.0;
  p = p * s - 1.0 / 3628800.0;
  p = p * s + 1.0 / 40320.0;
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  p = p * s - 0.5;
  return 1.0 + s * p;
}

#endif
