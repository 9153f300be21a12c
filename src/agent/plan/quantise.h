// quantise.h: discrete components under noise: the levels of a one-dimensional sample that falls into clusters.
//
// The sample is cut in two where the variance between the parts is largest (Otsu 1979), and the parts again. Levels are
// accepted if neighbours are clearly apart and the noise is about the same at all of them: a radial basis function,
// nearly 0 except in a few states, has no levels. A 0/1 flag is found up to noise of standard deviation 0.14; samples
// from a normal, uniform, exponential, t or sine distribution have no levels. One random walk in a hundred has, and
// fails the test of what they leave (SFNEC_LEVELS_WHITE).
#ifndef SFNEC_AGENT_PLAN_QUANTISE_H
#define SFNEC_AGENT_PLAN_QUANTISE_H

#include <stddef.h>

enum {
  SFNEC_LEVELS_MOST =
      16, // levels of a component: with 8, noisy cells of a grid of 13 stay continuous; more are a scale
  SFNEC_LEVELS_ROWS = 50,     // numbers of a sample, at least
  SFNEC_LEVELS_CLUSTER = 5,   // numbers of a cluster, at least, and a 500th of the sample: rare flags count
  SFNEC_LEVELS_DISTINCT = 16, // values of a sample that needs no quantising, at most
};
#define SFNEC_LEVELS_SEPARATION 3.0 // between means, in sums of the standard deviations: 2 finds levels in a uniform
#define SFNEC_LEVELS_EXPLAINED 0.98 // share of numbers near known levels that keeps them
#define SFNEC_LEVELS_MOVED 0.2      // of the distance of levels: those that moved less are the same
#define SFNEC_LEVELS_WHITE 0.2      // correlation of noise with the next observation, at most
#define SFNEC_LEVELS_SPREAD 2.5     // greatest to least standard deviation of a level: noise does not depend on it

// The levels of a sorted sample in ascending order; 0 if it has none. scratch: 2 (count + 1) numbers.
size_t sfnec_quantise_fit(const float *sorted, size_t count, double *scratch, float levels[SFNEC_LEVELS_MOST]);
// The level nearest to a number; there must be one.
float sfnec_quantise(float number, const float *levels, size_t count);

#endif
