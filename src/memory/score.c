// score.c: upper bounds on what a memory can be worth, so that GPI need not look where it cannot win.
//
// A look-up blends the values of the k nearest entries with weights that add up to 1, so value . w of the blend is at
// most the greatest value . w among them. The index keeps that number (the score) per entry and per part of its tree
// and bounds the greatest one near a key without finding the neighbours.
//
// Rounding: the blend and its inner product with w are sums of a few hundred products in double, whose error is below
// 1e-12 times the greatest sum of |value_j w_j| of an entry. Scores are rounded up to float. Both go to the safe side.
#include <float.h>
#include <math.h>
#include <string.h>

#include "memory/parts.h"

static const double rounding = 1e-12;

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
  for (size_t j = 0; j < memory->shape.value_size; j++) {
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
  memcpy(memory->w, w, memory->shape.value_size * sizeof *w);
  for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer) {
    sfnec_memory_rescore(memory, slot);
  }
}

double sfnec_memory_ceiling(const sfnec_memory *memory, const float *key, double floor) {
  if (sfnec_memory_count(memory) == 0) return 0.0;
  if (memory->stamp == 0) return (double)INFINITY;
  const double slack = rounding * memory->magnitude;
  const sfnec_index *index = memory->index;
  return (double)index->ops->ceiling(index, key, memory->shape.neighbours, float_below(floor - slack), NULL) + slack;
}

double sfnec_memory_nearest_bound(const sfnec_memory *memory, const float *key) {
  const sfnec_index *index = memory->index;
  if (!index->ops->ceiling || sfnec_memory_count(memory) == 0) return 0.0;
  // a floor that nothing reaches: the answer comes at once, and with it the bound
  float squared = 0.0f;
  (void)index->ops->ceiling(index, key, memory->shape.neighbours, INFINITY, &squared);
  return sqrt((double)squared);
}

void sfnec_memory_freeze(sfnec_memory *memory) {
  if (memory->index->ops->freeze) memory->index->ops->freeze(memory->index);
}
