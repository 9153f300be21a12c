// gauge.h: the k-th least of the numbers offered so far, from above.
//
// The first k numbers span a scale of 128 marks; each number counts at its mark. That is much cheaper than a heap, and
// all that a search needs: a limit that is a few percent too high costs little. When the reading has come down to the
// first marks, where the scale is coarse, the numbers are counted again on a finer one.
#ifndef SFNEC_INDEX_FAST_GAUGE_H
#define SFNEC_INDEX_FAST_GAUGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SFNEC_GAUGE_MARKS = 128, SFNEC_GAUGE_COARSE = 16 };

typedef struct sfnec_gauge {
  uint32_t k, inside; // numbers at marks up to `top`: k at least
  uint32_t top;
  float scale; // marks per unit
  bool read;   // whether the reading was ever taken
  uint32_t counts[SFNEC_GAUGE_MARKS];
} sfnec_gauge;

static inline void sfnec_gauge_offer(sfnec_gauge *gauge, float number) {
  const float mark = number * gauge->scale;
  if (!(mark < (float)(gauge->top + 1))) return;
  gauge->counts[(uint32_t)mark]++;
  gauge->inside++;
}

// Counts numbers, at least k of which are not greater than `most`, from the start.
static inline void sfnec_gauge_count(sfnec_gauge *gauge, float most, const float *numbers, uint32_t count) {
  gauge->inside = 0;
  gauge->top = SFNEC_GAUGE_MARKS - 1;
  gauge->scale = most > 1e-30f ? 0.9999f * SFNEC_GAUGE_MARKS / most : 1.0f;
  memset(gauge->counts, 0, sizeof gauge->counts);
  for (uint32_t i = 0; i < count; i++) sfnec_gauge_offer(gauge, numbers[i]);
}

// Starts with the first k numbers.
static inline void sfnec_gauge_start(sfnec_gauge *gauge, uint32_t k, const float *numbers) {
  float most = 0.0f;
  for (uint32_t i = 0; i < k; i++) most = numbers[i] > most ? numbers[i] : most;
  gauge->k = k;
  gauge->read = false;
  sfnec_gauge_count(gauge, most, numbers, k);
}

// Moves the reading down as far as the numbers allow; true if it has changed, or was never taken.
static inline bool sfnec_gauge_settle(sfnec_gauge *gauge) {
  const uint32_t before = gauge->top;
  while (gauge->inside - gauge->counts[gauge->top] >= gauge->k) gauge->inside -= gauge->counts[gauge->top--];
  const bool changed = gauge->top != before || !gauge->read;
  gauge->read = true;
  return changed;
}

// A number that at least k of the offered ones do not exceed.
static inline float sfnec_gauge_reading(const sfnec_gauge *gauge) {
  return (float)(gauge->top + 1) / gauge->scale * 1.0001f;
}

// Whether the scale has become too coarse for the reading.
static inline bool sfnec_gauge_coarse(const sfnec_gauge *gauge) {
  return gauge->top < SFNEC_GAUGE_COARSE && gauge->scale < 1.0f;
}

#endif
