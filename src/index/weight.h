// weight.h: how much a neighbour counts by its distance: the kernel of the paper's equation 2, before the weights of a
// look-up are made to add up to 1.
//
// The one place of the formula: the memory averages by it, the index bounds by it, training differentiates it.
#ifndef SFNEC_INDEX_WEIGHT_H
#define SFNEC_INDEX_WEIGHT_H

#include <math.h>

enum {
  SFNEC_WEIGHT_INVERSE_SQUARED, // 1 / (d^2 + delta)
  SFNEC_WEIGHT_INVERSE,         // 1 / (sqrt(d^2 + 1e-8) + delta)
  SFNEC_WEIGHT_KINDS
};

typedef struct sfnec_weighting {
  int kind;     // SFNEC_WEIGHT_...
  double delta; // greater than 0
} sfnec_weighting;

// The weight at a squared distance: greater than 0 (or 0 by underflow), and not greater for a greater distance.
static inline double sfnec_weight(sfnec_weighting weighting, float squared) {
  if (weighting.kind == SFNEC_WEIGHT_INVERSE) return 1.0 / (sqrt((double)squared + 1e-8) + weighting.delta);
  return 1.0 / ((double)squared + weighting.delta);
}

// The derivative of a weight by the squared distance, for a weight that is `share` of the sum of all, over that sum.
static inline double sfnec_weight_slope(sfnec_weighting weighting, float squared, double share) {
  const double u = sfnec_weight(weighting, squared);
  if (weighting.kind == SFNEC_WEIGHT_INVERSE) return -share * u / (2.0 * sqrt((double)squared + 1e-8));
  return -share * u;
}

#endif
