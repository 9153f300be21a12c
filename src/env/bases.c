// bases.c: the values of the radial basis functions.
#include "env/bases.h"

#include "base/math.h"

// The factors exp(-(p - c)^2 / 0.1) of one axis for the centres c = j / 9.
//
// The ratio of two neighbouring factors is exp(20 p / 9 - 10 (2 j + 1) / 81), and the ratio of two such ratios is a
// constant, so two exponentials and products give all ten. Their relative error is below 1e-14, far under the rounding
// to float, and the bits are the same everywhere.
static void axis_factors(double p, double *factors) {
  const double bend = 0.7812082024342466; // exp(-20 / 81)
  double factor = sfnec_exp(-10 * p * p);
  double ratio = sfnec_exp((180 * p - 10) / 81);
  for (int j = 0; j < SFNEC_BASES_GRID; j++) {
    factors[j] = factor;
    factor *= ratio;
    ratio *= bend;
  }
}

void sfnec_bases_write(double x, double y, float *bases) {
  double across[SFNEC_BASES_GRID], up[SFNEC_BASES_GRID];
  axis_factors(x, across);
  axis_factors(y, up);
  // the exponential of a sum of squares is the product over the axes
  for (int row = 0; row < SFNEC_BASES_GRID; row++) {
    for (int column = 0; column < SFNEC_BASES_GRID; column++) *bases++ = (float)(up[row] * across[column]);
  }
}
