// math.c: the logarithm, the normal quantile and the gamma distribution; see math.h for why they are not the C
// library's.
#include "base/math.h"

double sfnec_log(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2))
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int64_t e = (int64_t)(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull;
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 0x1.6a09e667f3bcdp0) {
    m *= 0.5;
    e += 1;
  }

  // log m = 2 (f + f^3/3 + f^5/5 + ...), f = (m - 1) / (m + 1), |f| < 0.172
  const double f = (m - 1.0) / (m + 1.0);
  const double s = f * f;
  double series = 0.0;
  for (int i = 23; i >= 3; i -= 2) series = (series + 1.0 / i) * s;
  const double n = (double)e;
  return n * 0x1.62e42fee00000p-1 + (2.0 * f + (2.0 * f * series + n * 0x1.a39ef35793c76p-33));
}

// c[0] + c[1] x + ... + c[7] x^7
static double polynomial(const double c[8], double x) {
  double sum = c[7];
  for (int i = 6; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

// Wichura's algorithm AS 241 (PPND16): rational functions for the centre and for two ranges of the tails.
double sfnec_normal_quantile(double p) {
  static const double centre_over[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                        1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                        3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double centre_under[8] = {1.0,
                                         4.2313330701600911252e+1,
                                         6.8718700749205790830e+2,
                                         5.3941960214247511077e+3,
                                         2.1213794301586595867e+4,
                                         3.9307895800092710610e+4,
                                         2.8729085735721942674e+4,
                                         5.2264952788528545610e+3};
  static const double near_over[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                      3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double near_under[8] = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
  static const double far_over[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                     2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double far_under[8] = {1.0,
                                      5.99832206555887937690e-1,
                                      1.36929880922735805310e-1,
                                      1.48753612908506148525e-2,
                                      7.86869131145613259100e-4,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};

  // the centre: |p - 1/2| <= 0.425
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(centre_over, r) / polynomial(centre_under, r);
  }
  // the tails, near and far, by the distance of p from 0 or 1
  const double tail = sqrt(-sfnec_log(q < 0.0 ? p : 1.0 - p));
  const double x = tail <= 5.0 ? polynomial(near_over, tail - 1.6) / polynomial(near_under, tail - 1.6)
                               : polynomial(far_over, tail - 5.0) / polynomial(far_under, tail - 5.0);
  return q < 0.0 ? -x : x;
}

// log of the gamma function of a > 0: Stirling's series beyond 10, and the recurrence below.
static double log_gamma(double a) {
  double product = 1.0;
  while (a < 10.0) product *= a++;
  const double s = 1.0 / (a * a);
  const double series = (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0)))) / a;
  const double half_log_two_pi = 0x1.d67f1c864beb4p-1;
  return (a - 0.5) * sfnec_log(a) - a + half_log_two_pi + series - sfnec_log(product);
}

// The series of the lower tail left of the mean, Lentz's continued fraction of the upper tail right of it (Press et
// al., Numerical Recipes, section 6.2).
double sfnec_gamma_tail(double shape, double x) {
  enum { TERMS = 10000 }; // enough up to a shape of 1e6
  if (!(x > 0.0)) return 1.0;
  if (x > 1e300) return 0.0;
  const double front = sfnec_exp(shape * sfnec_log(x) - x - log_gamma(shape));
  if (x < shape + 1.0) {
    double term = 1.0 / shape, sum = term;
    for (int i = 1; i < TERMS && term > sum * 1e-15; i++) {
      term *= x / (shape + i);
      sum += term;
    }
    return fmin(fmax(1.0 - front * sum, 0.0), 1.0);
  }
  double b = x + 1.0 - shape, c = 1e300, d = 1.0 / b, h = d;
  for (int i = 1; i < TERMS; i++) {
    const double a = -i * (i - shape);
    b += 2.0;
    d = 1.0 / (fabs(a * d + b) < 1e-300 ? 1e-300 : a * d + b);
    c = fabs(b + a / c) < 1e-300 ? 1e-300 : b + a / c;
    h *= d * c;
    if (fabs(d * c - 1.0) < 1e-15) break;
  }
  return fmin(front * h, 1.0);
}
