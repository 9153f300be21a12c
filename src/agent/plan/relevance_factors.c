// relevance_factors.c: the first stages of a fit of relevance: levels of noisy components; and, after the search for
// one-hot groups (relevance_groups.c), the values of factors, their ranks and bins; see relevance.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/relevance_fit.h"

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// ---- levels of noisy discrete components, and which are 0 or 1 ----

// Whether a column has more values than need quantising.
static bool has_many_values(const float *column, size_t rows) {
  float values[SFNEC_LEVELS_DISTINCT];
  size_t count = 0;
  for (size_t i = 0; i < rows; i++) {
    size_t v = 0;
    while (v < count && values[v] != column[i]) v++;
    if (v < count) continue;
    if (count == SFNEC_LEVELS_DISTINCT) return true;
    values[count++] = column[i];
  }
  return false;
}

// Whether levels that were found earlier still explain a sorted sample: a rare level is easily missed the next time.
static bool explain(const float *levels, size_t count, const float *sorted, size_t n) {
  if (count < 2) return false;
  float gap = INFINITY;
  for (uint32_t l = 1; l < count; l++) gap = fminf(gap, levels[l] - levels[l - 1]);
  double held[SFNEC_LEVELS_MOST] = {0.0}, squares[SFNEC_LEVELS_MOST] = {0.0}, narrow = (double)INFINITY, wide = 0.0;
  size_t near = 0, l = 0;
  for (size_t i = 0; i < n; i++) {
    while (l + 1 < count && sorted[i] > 0.5f * levels[l] + 0.5f * levels[l + 1]) l++;
    const double away = (double)sorted[i] - (double)levels[l];
    near += fabs(away) < (double)gap / 3.0;
    held[l] += 1.0;
    squares[l] += away * away;
  }
  for (l = 0; l < count; l++) {
    if (held[l] < SFNEC_LEVELS_CLUSTER) continue;
    narrow = fmin(narrow, sqrt(squares[l] / held[l]));
    wide = fmax(wide, sqrt(squares[l] / held[l]));
  }
  return wide <= SFNEC_LEVELS_SPREAD * narrow && (double)near >= SFNEC_LEVELS_EXPLAINED * (double)n;
}

// Whether what levels leave of the numbers is noise: as large in the next observation, but uncorrelated with it. A
// radial basis function far from its centre leaves much of itself.
static bool leave_noise(const sfnec_component_relevance *found, const float *before, const float *after, size_t n) {
  double both = 0.0, power = 0.0;
  for (size_t i = 0; i < n; i++) {
    const float a = sfnec_quantise(before[i], found->levels, found->level_count);
    const float b = sfnec_quantise(after[i], found->levels, found->level_count);
    if (a != b) continue;
    both += ((double)before[i] - (double)a) * ((double)after[i] - (double)b);
    power += 0.5 * (((double)before[i] - (double)a) * ((double)before[i] - (double)a) +
                    ((double)after[i] - (double)b) * ((double)after[i] - (double)b));
  }
  return fabs(both) <= SFNEC_LEVELS_WHITE * power;
}

size_t sfnec_factors_begin(sfnec_relevance_fit *fit) {
  const size_t n = fit->rows, c = fit->i;
  float *before = fit->before + c * n, *after = fit->after + c * n;
  sfnec_component_relevance *found = &fit->found[c];
  const bool many = has_many_values(before, n);
  if (many) {
    float known[SFNEC_LEVELS_MOST];
    const uint32_t known_count = found->level_count;
    memcpy(known, found->levels, sizeof known);
    memcpy(fit->numbers, before, n * sizeof *before);
    qsort(fit->numbers, n, sizeof *before, compare_floats);
    found->level_count = (uint32_t)sfnec_quantise_fit(fit->numbers, n, fit->scratch, found->levels);
    if (found->level_count == 0 && explain(known, known_count, fit->numbers, n)) {
      found->level_count = known_count;
      memcpy(found->levels, known, sizeof known);
    }
  } else {
    found->level_count = 0;
  }
  if (found->level_count && !leave_noise(found, before, after, n)) found->level_count = 0;
  for (size_t i = 0; i < n && found->level_count; i++) {
    before[i] = sfnec_quantise(before[i], found->levels, found->level_count);
    after[i] = sfnec_quantise(after[i], found->levels, found->level_count);
  }
  bool binary = true;
  for (size_t i = 0; i < n; i++) {
    binary &= (before[i] == 0.0f || before[i] == 1.0f) && (after[i] == 0.0f || after[i] == 1.0f);
    fit->set[c] += (before[i] == 1.0f) + (after[i] == 1.0f);
  }
  const bool varies = fit->set[c] > 0 && fit->set[c] < 2 * n;
  fit->membership[c] = binary && varies ? SFNEC_MEMBERSHIP_OPEN : SFNEC_MEMBERSHIP_CLOSED;
  if (++fit->i == fit->size) sfnec_fit_enter(fit, sfnec_groups_begin);
  return many ? 100 * n : 8 * n;
}

// ---- how often factors change; which are examined ----

static size_t measure(sfnec_relevance_fit *fit);

// Which of the components of a categorical factor is set, counted from the first: takes one of them (j) into account,
// the last one completes the column of the first. Whether it was the last.
static bool categorise(sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  const size_t ahead = fit->members[factor->start + fit->j] - factor->first;
  float *columns[2] = {fit->before + factor->first * fit->rows, fit->after + factor->first * fit->rows};
  float *set[2] = {fit->numbers, fit->y_column};
  for (int side = 0; side < 2; side++) {
    const float *column = columns[side] + ahead * fit->rows;
    for (size_t i = 0; i < fit->rows; i++) {
      set[side][i] = fit->j > 0 && column[i] < 0.5f ? set[side][i] : (float)ahead;
    }
    if (fit->j + 1 == factor->count) memcpy(columns[side], set[side], fit->rows * sizeof *column);
  }
  return ++fit->j == factor->count;
}

static int compare_changes(const void *a, const void *b) {
  const sfnec_factor *x = a, *y = b;
  if (x->varies != y->varies) return x->varies ? -1 : 1;
  if (x->changes != y->changes) return x->changes > y->changes ? -1 : 1;
  return x->first < y->first ? -1 : 1;
}

size_t sfnec_changes_begin(sfnec_relevance_fit *fit) {
  sfnec_factor *factor = &fit->factors[fit->i];
  if (factor->count > 1 && !categorise(fit, factor)) return 4 * fit->rows;
  fit->j = 0;
  const float *before = sfnec_fit_before(fit, factor), *after = sfnec_fit_after(fit, factor);
  uint32_t alive = 0, changes = 0, all = 0;
  for (size_t i = 0; i < fit->rows; i++) {
    const bool changed = before[i] != after[i];
    factor->varies |= changed || before[i] != before[0];
    alive += !fit->terminated[i];
    changes += changed && !fit->terminated[i];
    all += changed;
  }
  factor->changes = alive > 100 ? changes : all; // an end may show the next episode
  const size_t cost = 8 * fit->rows;
  if (++fit->i < fit->factor_count) return cost;
  qsort(fit->factors, fit->factor_count, sizeof *fit->factors, compare_changes);
  while (fit->examined < fit->factor_count && fit->examined < SFNEC_RELEVANCE_FACTORS &&
         fit->factors[fit->examined].varies) {
    fit->examined++;
  }
  sfnec_fit_enter(fit, fit->examined ? measure : sfnec_fit_conclude);
  return cost;
}

// ---- ranks, bins and scale of a factor ----

// Which of its different values a factor has in each row.
static void rank_values(sfnec_relevance_fit *fit, sfnec_factor *factor) {
  const float *column = sfnec_fit_before(fit, factor);
  memcpy(fit->numbers, column, fit->rows * sizeof *column);
  qsort(fit->numbers, fit->rows, sizeof *column, compare_floats);
  size_t values = 0;
  for (size_t i = 0; i < fit->rows; i++) {
    if (i == 0 || fit->numbers[i] != fit->numbers[values - 1]) fit->numbers[values++] = fit->numbers[i];
  }
  uint16_t *ranks = fit->ranks + factor->slot * fit->rows;
  for (size_t i = 0; i < fit->rows; i++) {
    size_t low = 0, high = values - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (fit->numbers[middle] < column[i]) low = middle + 1;
      if (fit->numbers[middle] >= column[i]) high = middle;
    }
    ranks[i] = (uint16_t)low;
  }
  factor->values = (uint32_t)values;
}

// How many of the values before transitions count as independent: of a series with lag-1 correlation c they are a share
// of (1 - c) / (1 + c), and 1 - c is half of von Neumann's ratio of mean square change to variance.
static double count_independent(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  const float *before = sfnec_fit_before(fit, factor), *after = sfnec_fit_after(fit, factor);
  const double n = (double)fit->rows;
  double sum = 0.0, squares = 0.0, changes = 0.0;
  for (size_t i = 0; i < fit->rows; i++) sum += (double)before[i];
  for (size_t i = 0; i < fit->rows; i++) {
    const double away = (double)before[i] - sum / n, change = (double)after[i] - (double)before[i];
    squares += away * away;
    changes += change * change;
  }
  const double fresh = squares > 0.0 ? fmin(changes / (2.0 * squares), 1.0) : 0.0; // 1 - c; no more than white noise
  return n * fresh / (2.0 - fresh);
}

// sqrt(range * root mean square change), as in scaling.h.
static float distance_scale(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  const float *before = sfnec_fit_before(fit, factor), *after = sfnec_fit_after(fit, factor);
  double low = (double)before[0], high = low, squares = 0.0, changes = 0.0;
  for (size_t i = 0; i < fit->rows; i++) {
    low = fmin(low, (double)fminf(before[i], after[i]));
    high = fmax(high, (double)fmaxf(before[i], after[i]));
    const double change = (double)after[i] - (double)before[i];
    squares += change * change;
    changes += change != 0.0;
  }
  const double range = high - low, step = changes > 0.0 ? sqrt(squares / changes) : range;
  return (float)(1.0 / sqrt(range * fmin(fmax(step, 1e-4 * range), range)));
}

// A hash of ranks and mantissas (FNV-1a): the same in all units that differ by a power of two.
static uint64_t hash_values(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  const uint16_t *ranks = sfnec_fit_ranks(fit, factor);
  const float *after = sfnec_fit_after(fit, factor);
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < fit->rows; i++) {
    uint32_t bits;
    memcpy(&bits, &after[i], sizeof bits);
    hash = (hash ^ ranks[i]) * 1099511628211u;
    hash = (hash ^ (bits & 0x807fffff)) * 1099511628211u;
  }
  return hash;
}

static int compare_factors(const void *a, const void *b) {
  const sfnec_factor *x = a, *y = b;
  if (x->values != y->values) return x->values < y->values ? -1 : 1;
  if (x->changes != y->changes) return x->changes < y->changes ? -1 : 1;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return x->first < y->first ? -1 : 1;
}

static size_t measure(sfnec_relevance_fit *fit) {
  sfnec_factor *factor = &fit->factors[fit->i];
  factor->slot = (uint32_t)fit->i;
  rank_values(fit, factor);
  const bool category = factor->count > 1;
  factor->bins = (uint32_t)sfnec_bin(sfnec_fit_ranks(fit, factor), fit->rows, factor->values,
                                     category ? SFNEC_RELEVANCE_CATEGORIES : SFNEC_RELEVANCE_BINS,
                                     category ? SFNEC_RELEVANCE_CATEGORY_ROWS : SFNEC_RELEVANCE_BIN_ROWS,
                                     fit->codes + factor->slot * fit->rows, fit->counts);
  factor->independent = count_independent(fit, factor);
  factor->scale = distance_scale(fit, factor);
  factor->hash = hash_values(fit, factor);
  if (++fit->i == fit->examined) {
    qsort(fit->factors, fit->examined, sizeof *fit->factors, compare_factors);
    sfnec_fit_enter(fit, sfnec_influence_begin);
  }
  return (factor->values > SFNEC_RELEVANCE_BINS ? 200 : 100) * fit->rows;
}
