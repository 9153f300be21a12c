// association.c: see association.h.
#include "agent/plan/association.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "sfnec/random.h"

// ---- groups ----

static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

void sfnec_grouping_make(sfnec_grouping *grouping, const uint64_t *keys, size_t rows, uint64_t seed) {
  for (size_t i = 0; i < rows; i++) grouping->sorting[i] = keys[i] << 16 | i; // a log has fewer than 2^16 rows
  qsort(grouping->sorting, rows, sizeof *grouping->sorting, compare_keys);

  grouping->rows = grouping->groups = 0;
  for (size_t from = 0, to; from < rows; from = to) {
    for (to = from; to < rows && grouping->sorting[to] >> 16 == grouping->sorting[from] >> 16;) to++;
    if (to - from < SFNEC_ASSOCIATION_GROUP) continue;
    grouping->start[grouping->groups++] = (uint32_t)grouping->rows;
    for (size_t i = from; i < to; i++) grouping->row[grouping->rows++] = grouping->sorting[i] & 0xffff;
  }
  grouping->start[grouping->groups] = (uint32_t)grouping->rows;

  for (size_t s = 0; s < SFNEC_ASSOCIATION_SHIFTS; s++) {
    for (size_t g = 0; g < grouping->groups; g++) {
      const uint32_t size = grouping->start[g + 1] - grouping->start[g];
      const uint32_t margin = size < SFNEC_ASSOCIATION_MARGIN ? 1 : size / SFNEC_ASSOCIATION_MARGIN;
      sfnec_random random = {seed, SFNEC_PURPOSE_PLANNING, (uint64_t)s << 32 | (uint64_t)g << 8};
      grouping->shift[s * grouping->groups + g] = margin + sfnec_random_below(&random, size - 2 * margin);
    }
  }
}

// ---- the statistic ----

typedef struct sums {
  double counts[SFNEC_ASSOCIATION_BINS], totals[SFNEC_ASSOCIATION_BINS];
} sums;

// What the bins explain of the squares of some numbers; adds the bins in use, less one, to dof.
static double explained(const sums *sums, size_t bins, double *dof) {
  double squares = 0.0, count = 0.0, total = 0.0, used = 0.0;
  for (size_t b = 0; b < bins; b++) {
    if (sums->counts[b] == 0.0) continue;
    squares += sums->totals[b] * sums->totals[b] / sums->counts[b];
    count += sums->counts[b];
    total += sums->totals[b];
    used += 1.0;
  }
  *dof += fmax(used - 1.0, 0.0);
  return fmax(squares - (count > 0.0 ? total * total / count : 0.0), 0.0);
}

static double variance(const float *numbers, size_t count) {
  double sum = 0.0, squares = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += (double)numbers[i];
    squares += (double)numbers[i] * (double)numbers[i];
  }
  const double mean = sum / (double)count, all = squares / (double)count;
  const double rest = all - mean * mean;
  return rest > 1e-12 * all ? rest : 0.0; // what rounding leaves of a constant is none
}

// Sums of a group by bins, numbers shifted against them.
static void add_up(sums *sums, size_t bins, const uint8_t *code, const float *numbers, size_t size, size_t shift) {
  memset(sums->counts, 0, bins * sizeof *sums->counts);
  memset(sums->totals, 0, bins * sizeof *sums->totals);
  const size_t wrap = size - shift;
  for (size_t i = 0; i < wrap; i++) {
    sums->counts[code[i]] += 1.0;
    sums->totals[code[i]] += (double)numbers[i + shift];
  }
  for (size_t i = wrap; i < size; i++) {
    sums->counts[code[i]] += 1.0;
    sums->totals[code[i]] += (double)numbers[i - wrap];
  }
}

// The statistic of gathered rows under a set of shifts (NULL: none); its degrees of freedom go to dof.
static double statistic(const sfnec_grouping *grouping, const sfnec_association_scratch *s, size_t bins,
                        const uint32_t *shifts, bool interaction, double *dof) {
  sums group, all;
  memset(&all, 0, sizeof all);
  double sum = 0.0;
  const double common = interaction ? variance(s->number, grouping->rows) : 0.0;
  *dof = 0.0;
  for (size_t g = 0; g < grouping->groups; g++) {
    const size_t from = grouping->start[g], size = grouping->start[g + 1] - from;
    const double scale = interaction ? common : variance(s->number + from, size);
    if (!interaction && scale == 0.0) continue;
    add_up(&group, bins, s->code + from, s->number + from, size, shifts ? shifts[g] : 0);
    sum += scale > 0.0 ? explained(&group, bins, dof) / scale : 0.0;
    for (size_t b = 0; b < bins && interaction; b++) {
      all.counts[b] += group.counts[b];
      all.totals[b] += group.totals[b];
    }
  }
  if (!interaction || common == 0.0) return sum;
  double main_dof = 0.0;
  sum -= explained(&all, bins, &main_dof) / common;
  *dof -= main_dof;
  return fmax(sum, 0.0);
}

double sfnec_association(const sfnec_grouping *grouping, const uint8_t *code, size_t bins, const float *numbers,
                         bool interaction, double most, const sfnec_association_scratch *scratch, uint64_t *cost) {
  for (size_t i = 0; i < grouping->rows; i++) {
    scratch->code[i] = code[grouping->row[i]];
    scratch->number[i] = numbers[grouping->row[i]];
  }
  double dof;
  const double seen = statistic(grouping, scratch, bins, NULL, interaction, &dof);
  *cost += 3 * grouping->rows + 3 * grouping->groups * bins + 100;
  // the null distribution below is at least as wide as chi-square, so this is a bound
  if (!(dof > 0.0) || sfnec_gamma_tail(dof / 2.0, seen / 2.0) > most) return 1.0;

  double sum = 0.0, squares = 0.0, unused;
  for (size_t s = 0; s < SFNEC_ASSOCIATION_SHIFTS; s++) {
    const double null =
        statistic(grouping, scratch, bins, grouping->shift + s * grouping->groups, interaction, &unused);
    *cost += 3 * grouping->rows + 3 * grouping->groups * bins;
    if (null >= seen) return 1.0;
    sum += null;
    squares += null * null;
  }
  const double mean = sum / SFNEC_ASSOCIATION_SHIFTS;
  const double m = fmax(mean, dof), v = fmax(squares / SFNEC_ASSOCIATION_SHIFTS - mean * mean, 2.0 * dof);
  return sfnec_gamma_tail(m * m / v, seen * m / v);
}

// ---- many tests ----

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double sfnec_false_discovery(double *p, size_t given, size_t count, double rate) {
  if (given) qsort(p, given, sizeof *p, compare_doubles);
  for (size_t i = given; i > 0; i--) {
    if (p[i - 1] <= rate * (double)i / (double)count) return p[i - 1];
  }
  return -1.0;
}

// ---- bins ----

// Joins bins of fewer than `least` rows with the bin below, or the first with the next above; returns how many are
// left. sizes: rows of each bin; to: the bin that each becomes.
static size_t join_small(uint32_t *sizes, uint8_t *to, size_t bins, size_t least) {
  for (size_t b = 0; b < bins; b++) to[b] = (uint8_t)b;
  for (;;) {
    size_t small = bins, below = bins, above = bins, used = 0;
    for (size_t b = 0; b < bins; b++) {
      used += sizes[b] > 0;
      if (sizes[b] > 0 && (small == bins || sizes[b] < sizes[small])) small = b;
    }
    if (used <= 1 || sizes[small] >= least) break;
    for (size_t b = 0; b < small; b++) below = sizes[b] > 0 ? b : below;
    for (size_t b = bins; b-- > small + 1;) above = sizes[b] > 0 ? b : above;
    const size_t into = below < bins ? below : above;
    sizes[into] += sizes[small];
    sizes[small] = 0;
    for (size_t b = 0; b < bins; b++) to[b] = to[b] == small ? (uint8_t)into : to[b];
  }
  uint8_t number[SFNEC_ASSOCIATION_BINS];
  size_t left = 0;
  for (size_t b = 0; b < bins; b++) {
    number[b] = (uint8_t)left;
    left += sizes[b] > 0;
  }
  for (size_t b = 0; b < bins; b++) to[b] = number[to[b]];
  return left;
}

size_t sfnec_bin(const uint16_t *ranks, size_t rows, size_t values, size_t bins, size_t least, uint8_t *code,
                 uint32_t *scratch) {
  uint32_t sizes[SFNEC_ASSOCIATION_BINS] = {0};
  uint8_t to[SFNEC_ASSOCIATION_BINS];
  memset(scratch, 0, values * sizeof *scratch);
  for (size_t i = 0; i < rows; i++) scratch[ranks[i]]++;

  // a bin begins at the value of each quantile; values that are few have a bin each
  size_t used = 0, edge = 1, before = 0;
  for (size_t v = 0; v < values; v++) {
    bool begins = values <= bins && v > 0;
    for (; values > bins && edge < bins && (edge * (rows - 1) + bins - 1) / bins < before + scratch[v]; edge++)
      begins = v > 0;
    before += scratch[v];
    used += begins;
    sizes[used] += scratch[v];
    scratch[v] = (uint32_t)used;
  }
  used = join_small(sizes, to, used + 1, least);
  for (size_t i = 0; i < rows; i++) code[i] = to[scratch[ranks[i]]];
  return used;
}
