// trig.h: sine and cosine of small angles from exactly rounded operations only.
//
// The C library's differ in the last bit between machines, as base/math.h says of exp and log. These are Taylor's
// series for |x| <= 1, without a reduction of the angle: a pole that is still up leans by 0.21 at most. Up to there the
// error is at most 0.55 units in the last place, because all terms but the first are small; up to 1 it is below 2.
#ifndef SFNEC_ENV_TRIG_H
#define SFNEC_ENV_TRIG_H

// sin x for |x| <= 1; the first term left out is under 1 / 19!.
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

// cos x for |x| <= 1; the first term left out is under 1 / 20!.
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
