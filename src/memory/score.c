// score.c: look-ups that stop when they cannot matter, so that GPI need not look where it cannot win.
//
// A look-up gives q = sum_i u_i x_i / sum_i u_i over the k nearest entries, with kernel weights u_i and scores
// x_i = value_i . w. The index holds the scores, and knows bounds of the distances of all entries that may be among the
// k nearest, hence bounds of their weights; from these it can often tell that q stays below a floor before it has
// looked at a single key.
//
// Rounding: scores are rounded up to float and the floor down. The blend and its inner product with w are sums of a few
// hundred products in double, whose error is below 1e-12 times the greatest sum of |value_j w_j| of any entry
// (magnitude); the floor is lowered by that much.
#include <float.h>
#include <math.h>
#include <string.h>

#include "memory/entries.h"

// A float that is certainly not less, or not greater.
static float float_above(double x) {
  return (float)(x + 2.5e-7 * fabs(x) + (double)FLT_MIN);
}

static float float_below(double x) {
  return (float)(x - 2.5e-7 * fabs(x) - (double)FLT_MIN);
}

void sfnec_memory_rescore(sfnec_memory *memory, uint32_t slot) {
  if (memory->stamp == 0) return;
  const float *value = sfnec_memory_value(memory, slot);
  double score = 0.0, magnitude = 0.0;
  for (size_t j = 0; j < memory->config.value_size; j++) {
    const double share = (double)value[j] * memory->w[j];
    score += share;
    magnitude += fabs(share);
  }
  if (magnitude > memory->magnitude) memory->magnitude = magnitude;
  // beyond the range of floats (or inf - inf) the entry cannot be ruled out
  const float above = float_above(score);
  memory->index->ops->set_score(memory->index, slot, isfinite(above) ? above : INFINITY);
}

void sfnec_memory_score(sfnec_memory *memory, const double *w, uint64_t stamp) {
  if (memory->stamp == stamp || !memory->index->ops->set_score) return;
  memory->stamp = stamp;
  memory->magnitude = 0.0;
  memcpy(memory->w, w, memory->config.value_size * sizeof *w);
  for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer) {
    sfnec_memory_rescore(memory, slot);
  }
}

bool sfnec_memory_search_worth(const sfnec_memory *memory, const float *key, double penalty, double floor,
                               sfnec_lookup *lookup) {
  const sfnec_index *index = memory->index;
  if (memory->stamp == 0) {
    sfnec_memory_search(memory, key, lookup);
    return true;
  }
  const sfnec_worth worth = {
      .floor = float_below(floor - 1e-12 * memory->magnitude),
      .penalty = penalty,
      .weighting = memory->config.weighting,
  };
  const uint32_t found = index->ops->search_worth(index, key, memory->config.neighbours, &worth, lookup->neighbours);
  lookup->count = found == SFNEC_WORTHLESS ? 0 : found;
  if (found == SFNEC_WORTHLESS) return false;
  sfnec_memory_weigh(memory, lookup);
  return true;
}

void sfnec_memory_freeze(sfnec_memory *memory) {
  if (memory->index->ops->freeze) memory->index->ops->freeze(memory->index);
}
