// quantise.c: recursive Otsu cuts of a sorted sample; see quantise.h.
#include "agent/plan/quantise.h"

#include <math.h>

enum { DEPTH = 5, PARTS = 1 << DEPTH }; // cuts above each other, and the parts they can make

typedef struct part {
  size_t from, to;
} part;

typedef struct sample {
  const float *sorted;
  const double *sums, *squares; // of the numbers before each, from the least number
  size_t least;                 // numbers of a cluster
  double floor;                 // a variance that is rounding
} sample;

static double mean(const sample *s, part p) {
  return (s->sums[p.to] - s->sums[p.from]) / (double)(p.to - p.from);
}

static double deviation(const sample *s, part p) {
  const double m = mean(s, p), n = (double)(p.to - p.from);
  return sqrt(fmax((s->squares[p.to] - s->squares[p.from]) / n - m * m, s->floor));
}

// How far apart two parts are, in sums of their standard deviations.
static double separation(const sample *s, part a, part b) {
  return (mean(s, b) - mean(s, a)) / (deviation(s, a) + deviation(s, b));
}

// Where to cut a part so that the variance between both sides is largest.
static size_t best_cut(const sample *s, part p) {
  double best = -1.0;
  size_t cut = p.from + s->least;
  for (size_t k = p.from + s->least; k + s->least <= p.to; k++) {
    const double gap = mean(s, (part){p.from, k}) - mean(s, (part){k, p.to});
    const double between = (double)(k - p.from) * (double)(p.to - k) * gap * gap;
    if (between > best) {
      best = between;
      cut = k;
    }
  }
  return cut;
}

// Cuts a part as long as cuts separate; returns how many parts there are then.
static size_t split(const sample *s, part p, int depth, part *out) {
  out[0] = p;
  if (p.to - p.from < 2 * s->least || depth == DEPTH) return 1;
  const size_t cut = best_cut(s, p);
  const part left = {p.from, cut}, right = {cut, p.to};
  const double apart = separation(s, left, right);
  if (apart < 1.0) return 1;
  const size_t a = split(s, left, depth + 1, out);
  const size_t b = split(s, right, depth + 1, out + a);
  if (separation(s, out[a - 1], out[a]) > SFNEC_LEVELS_SEPARATION) return a + b;
  out[0] = apart > SFNEC_LEVELS_SEPARATION ? left : p;
  out[1] = right;
  return apart > SFNEC_LEVELS_SEPARATION ? 2 : 1;
}

size_t sfnec_quantise_fit(const float *sorted, size_t count, double *scratch, float levels[SFNEC_LEVELS_MOST]) {
  size_t distinct = 1;
  for (size_t i = 1; i < count; i++) distinct += sorted[i] != sorted[i - 1];
  if (count < SFNEC_LEVELS_ROWS || distinct <= SFNEC_LEVELS_DISTINCT) return 0;

  const double range = (double)sorted[count - 1] - (double)sorted[0];
  double *sums = scratch, *squares = scratch + count + 1;
  sums[0] = squares[0] = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double x = (double)sorted[i] - (double)sorted[0];
    sums[i + 1] = sums[i] + x;
    squares[i + 1] = squares[i] + x * x;
  }
  const size_t share = count / 500;
  const sample s = {sorted, sums, squares, share > SFNEC_LEVELS_CLUSTER ? share : SFNEC_LEVELS_CLUSTER,
                    1e-14 * range * range};
  part parts[PARTS + 1];
  const size_t found = split(&s, (part){0, count}, 0, parts);
  if (found < 2 || found > SFNEC_LEVELS_MOST) return 0;
  double narrow = (double)INFINITY, wide = 0.0;
  for (size_t i = 0; i < found; i++) {
    narrow = fmin(narrow, deviation(&s, parts[i]));
    wide = fmax(wide, deviation(&s, parts[i]));
  }
  if (wide > SFNEC_LEVELS_SPREAD * narrow) return 0;
  for (size_t i = 0; i < found; i++) levels[i] = (float)((double)sorted[0] + mean(&s, parts[i]));
  return found;
}

float sfnec_quantise(float number, const float *levels, size_t count) {
  size_t at = 0;
  while (at + 1 < count && number > 0.5f * levels[at] + 0.5f * levels[at + 1]) at++;
  return levels[at];
}
