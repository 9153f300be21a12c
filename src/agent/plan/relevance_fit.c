// relevance_fit.c: a fit of relevance up to forward selection: levels, categorical factors, bins, what actions
// influence, what that predicts, and what is a function of something kept; see relevance.h.
#include "agent/plan/relevance_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// ---- levels of noisy discrete components, and which are 0 or 1 ----

static size_t find_groups(sfnec_relevance_fit *fit);

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

static size_t find_levels(sfnec_relevance_fit *fit) {
  const size_t n = fit->rows, c = fit->i;
  float *before = fit->before + c * n, *after = fit->after + c * n;
  sfnec_component_relevance *found = &fit->found[c];
  const bool many = has_many_values(before, n);
  if (many) {
    memcpy(fit->numbers, before, n * sizeof *before);
    qsort(fit->numbers, n, sizeof *before, compare_floats);
    found->level_count = (uint32_t)sfnec_quantise_fit(fit->numbers, n, fit->scratch, found->levels);
  }
  for (size_t i = 0; i < n && found->level_count; i++) {
    before[i] = sfnec_quantise(before[i], found->levels, found->level_count);
    after[i] = sfnec_quantise(after[i], found->levels, found->level_count);
  }
  fit->binary[c] = true;
  for (size_t i = 0; i < n; i++) {
    fit->binary[c] &= before[i] == 0.0f || before[i] == 1.0f;
    fit->lit[c] |= before[i] == 1.0f;
  }
  if (++fit->i == fit->size) sfnec_fit_enter(fit, find_groups);
  return many ? 100 * n : 8 * n;
}

// ---- runs of 0/1 components with exactly one set are one factor ----

static size_t find_changes(sfnec_relevance_fit *fit);

static void add_factor(sfnec_relevance_fit *fit, size_t first, size_t count) {
  for (size_t c = first; c < first + count; c++) fit->found[c].group = (uint32_t)first;
  fit->factors[fit->factor_count++] =
      (sfnec_factor){.first = (uint32_t)first, .count = (uint32_t)count, .residual = SFNEC_RELEVANCE_RARE};
  fit->run = first + count;
}

// Adds a component of the run to the rows' sums, or takes it out.
static void sum_column(sfnec_relevance_fit *fit, size_t c, int sign) {
  const float *column = fit->before + c * fit->rows;
  for (size_t i = 0; i < fit->rows; i++) fit->sums[i] = (uint8_t)(fit->sums[i] + sign * (column[i] == 1.0f));
}

// A window over components, i its end: while two of it are set in a row, its first one leaves; when one is set in every
// row, the window is a factor.
static size_t find_groups(sfnec_relevance_fit *fit) {
  if (fit->run == fit->size) {
    sfnec_fit_enter(fit, find_changes);
    return 1;
  }
  uint8_t least = 255, most = 0;
  for (size_t i = 0; i < fit->rows; i++) {
    least = fit->sums[i] < least ? fit->sums[i] : least;
    most = fit->sums[i] > most ? fit->sums[i] : most;
  }
  size_t lit = 0;
  for (size_t c = fit->run; c < fit->i; c++) lit += fit->lit[c];
  const bool closed = fit->i == fit->size || !fit->binary[fit->i];
  if (fit->i > fit->run && least == 1 && most == 1 && lit >= 2) {
    while (fit->i < fit->size && fit->binary[fit->i] && !fit->lit[fit->i]) fit->i++; // values not seen yet
    add_factor(fit, fit->run, fit->i - fit->run);
    memset(fit->sums, 0, fit->rows);
  } else if (most > 1 || closed) {
    if (fit->i > fit->run && fit->lit[fit->run]) sum_column(fit, fit->run, -1);
    add_factor(fit, fit->run, 1);
    if (fit->i < fit->run) fit->i = fit->run;
  } else {
    if (fit->lit[fit->i]) sum_column(fit, fit->i, 1);
    fit->i++;
  }
  return 2 * fit->rows;
}

// ---- how often factors change; which are examined ----

static size_t measure(sfnec_relevance_fit *fit);

// Which of the components of a categorical factor is set: takes one of them (j) into account, the last one completes
// the column of the first. Whether it was the last.
static bool categorise(sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  float *columns[2] = {fit->before + factor->first * fit->rows, fit->after + factor->first * fit->rows};
  float *set[2] = {fit->numbers, fit->y_column};
  for (int side = 0; side < 2; side++) {
    const float *column = columns[side] + fit->j * fit->rows;
    for (size_t i = 0; i < fit->rows; i++) {
      set[side][i] = fit->j > 0 && column[i] < 0.5f ? set[side][i] : (float)fit->j;
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

static size_t find_changes(sfnec_relevance_fit *fit) {
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
  while (fit->examined < smaller(fit->factor_count, SFNEC_RELEVANCE_FACTORS) && fit->factors[fit->examined].varies) {
    fit->examined++;
  }
  sfnec_fit_enter(fit, fit->examined ? measure : sfnec_fit_conclude);
  return cost;
}

// ---- ranks, bins and scale of a factor ----

static size_t find_residuals(sfnec_relevance_fit *fit);

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
  factor->scale = distance_scale(fit, factor);
  factor->hash = hash_values(fit, factor);
  if (++fit->i == fit->examined) {
    qsort(fit->factors, fit->examined, sizeof *fit->factors, compare_factors);
    sfnec_fit_enter(fit, find_residuals);
  }
  return (factor->values > SFNEC_RELEVANCE_BINS ? 200 : 100) * fit->rows;
}

// ---- what actions influence ----

static size_t test_action(sfnec_relevance_fit *fit);
static size_t test_action_within(sfnec_relevance_fit *fit);
static size_t test_predicted(sfnec_relevance_fit *fit);
static size_t find_functions(sfnec_relevance_fit *fit);

// Leaves of y what a line in x within each bin of x does not explain: the policy makes actions depend on x.
static void remove_lines(const sfnec_relevance_fit *fit, const sfnec_factor *factor, float *y) {
  const float *x = sfnec_fit_before(fit, factor);
  const uint8_t *code = sfnec_fit_codes(fit, factor);
  enum { BINS = SFNEC_RELEVANCE_CATEGORIES };
  double n[BINS] = {0}, mx[BINS] = {0}, my[BINS] = {0}, xx[BINS] = {0}, xy[BINS] = {0};
  double most = 0.0, left = 0.0, squares = 0.0;
  for (size_t i = 0; i < fit->rows; i++) {
    n[code[i]] += 1.0;
    mx[code[i]] += (double)x[i];
    my[code[i]] += (double)y[i];
    most = fmax(most, fabs((double)y[i]));
    squares = fmax(squares, (double)x[i] * (double)x[i]);
  }
  for (size_t b = 0; b < factor->bins; b++) {
    mx[b] /= n[b];
    my[b] /= n[b];
  }
  for (size_t i = 0; i < fit->rows; i++) {
    const double dx = (double)x[i] - mx[code[i]];
    xx[code[i]] += dx * dx;
    xy[code[i]] += dx * ((double)y[i] - my[code[i]]);
  }
  for (size_t i = 0; i < fit->rows; i++) {
    const uint8_t b = code[i];
    const double slope = xx[b] > 1e-12 * n[b] * squares ? xy[b] / xx[b] : 0.0;
    const double rest = (double)y[i] - my[b] - slope * ((double)x[i] - mx[b]);
    y[i] = (float)rest;
    left += rest * rest;
  }
  // what rounding leaves is nothing
  if (left <= 1e-8 * most * most * (double)fit->rows) memset(y, 0, fit->rows * sizeof *y);
}

static size_t find_residuals(sfnec_relevance_fit *fit) {
  sfnec_factor *factor = &fit->factors[fit->i];
  if (factor->changes > 0 && factor->changes < SFNEC_RELEVANCE_CHANGES) {
    factor->kept = true;
    factor->evidence = (sfnec_evidence){.reason = SFNEC_REASON_FEW_CHANGES, .p = 1.0};
  } else if (factor->changes > 0) {
    const float *before = sfnec_fit_before(fit, factor), *after = sfnec_fit_after(fit, factor);
    factor->residual = (uint32_t)fit->residual_count;
    float *change = fit->residuals + 2 * fit->residual_count * fit->rows, *size = change + fit->rows;
    for (size_t i = 0; i < fit->rows; i++) {
      change[i] = after[i] - before[i];
      size[i] = fabsf(change[i]);
    }
    remove_lines(fit, factor, change);
    remove_lines(fit, factor, size);
    fit->tested[fit->residual_count++] = fit->i;
  }
  if (++fit->i < fit->examined) return 20 * fit->rows;
  for (size_t i = 0; i < fit->rows; i++) fit->keys[i] = 0;
  sfnec_grouping_make(&fit->everyone, fit->keys, fit->rows, fit->seed);
  for (size_t i = 0; i < fit->rows; i++) fit->keys[i] = fit->action[i];
  sfnec_grouping_make(&fit->by_action, fit->keys, fit->rows, fit->seed);
  sfnec_fit_enter(fit, fit->residual_count ? test_action : find_functions);
  return 200 * fit->rows;
}

// The p-value of either residual by bins, for a test of both.
static double test_residuals(sfnec_relevance_fit *fit, const sfnec_grouping *grouping, const uint8_t *code, size_t bins,
                             size_t residual, double most, uint64_t *cost) {
  double p = 1.0;
  for (size_t t = 2 * residual; t < 2 * residual + 2; t++) {
    p = fmin(p, 2.0 * sfnec_association(grouping, code, bins, fit->residuals + t * fit->rows, false, most / 2.0,
                                        &fit->gathered, cost));
  }
  return p;
}

// Keeps the factors of significant p-values, of which there is one per residual.
static bool keep_significant(sfnec_relevance_fit *fit, sfnec_relevance_reason reason) {
  memcpy(fit->sorted_p, fit->p, fit->residual_count * sizeof *fit->p);
  const double cut =
      sfnec_false_discovery(fit->sorted_p, fit->residual_count, fit->residual_count, SFNEC_RELEVANCE_RATE);
  bool any = false;
  for (size_t t = 0; t < fit->residual_count; t++) {
    sfnec_factor *factor = &fit->factors[fit->tested[t]];
    if (fit->p[t] > cut) continue;
    factor->kept = any = true;
    factor->evidence = (sfnec_evidence){.reason = reason, .p = fit->p[t]};
  }
  return any;
}

static bool any_kept(const sfnec_relevance_fit *fit) {
  bool any = false;
  for (size_t f = 0; f < fit->examined; f++) any |= fit->factors[f].kept;
  return any;
}

static size_t test_action(sfnec_relevance_fit *fit) {
  uint64_t cost = 1;
  fit->p[fit->i] =
      test_residuals(fit, &fit->everyone, fit->action, fit->action_count, fit->i, SFNEC_RELEVANCE_RATE, &cost);
  if (++fit->i < fit->residual_count) return (size_t)cost;
  keep_significant(fit, SFNEC_REASON_ACTION);
  const bool within = !any_kept(fit);
  for (size_t t = 0; t < fit->residual_count; t++) fit->p[t] = 1.0;
  sfnec_fit_enter(fit, within ? test_action_within : test_predicted);
  return (size_t)cost;
}

// An action that matters only in some states: tests it within the bins of each factor (i), for each residual (j).
static size_t test_action_within(sfnec_relevance_fit *fit) {
  const sfnec_factor *factor = &fit->factors[fit->i];
  uint64_t cost = 1;
  if (fit->j == 0) {
    for (size_t i = 0; i < fit->rows; i++) fit->keys[i] = sfnec_fit_codes(fit, factor)[i];
    sfnec_grouping_make(&fit->way, fit->keys, fit->rows, fit->seed);
    cost += 100 * fit->rows;
  }
  const double tests = (double)fit->examined;
  const double p = tests * test_residuals(fit, &fit->way, fit->action, fit->action_count, fit->j,
                                          SFNEC_RELEVANCE_RATE / tests, &cost);
  fit->p[fit->j] = fmin(fit->p[fit->j], p);
  if (++fit->j < fit->residual_count) return (size_t)cost;
  fit->j = 0;
  if (++fit->i < fit->examined) return (size_t)cost;
  keep_significant(fit, SFNEC_REASON_ACTION_CONDITIONAL);
  sfnec_fit_enter(fit, test_predicted);
  return (size_t)cost;
}

// Keeps what a kept factor predicts, and what that predicts, and so on; p: (factors, residuals).
static void close_predicted(sfnec_relevance_fit *fit, size_t tests) {
  size_t given = 0;
  for (size_t i = 0; i < fit->examined * fit->residual_count; i++) {
    if (fit->p[i] < 1.0) fit->sorted_p[given++] = fit->p[i];
  }
  const double cut = sfnec_false_discovery(fit->sorted_p, given, tests, SFNEC_RELEVANCE_RATE);
  for (bool again = true; again;) {
    again = false;
    for (size_t t = 0; t < fit->residual_count; t++) {
      sfnec_factor *factor = &fit->factors[fit->tested[t]];
      uint32_t best = 0;
      double p = 1.0;
      for (size_t f = 0; f < fit->examined; f++) {
        const double by = fit->factors[f].kept ? fit->p[f * fit->residual_count + t] : 1.0;
        if (by < p) best = (uint32_t)f;
        p = fmin(p, by);
      }
      if (factor->kept || p > cut) continue;
      factor->kept = again = true;
      factor->evidence = (sfnec_evidence){.reason = SFNEC_REASON_PREDICTED, .target = best, .p = p};
    }
  }
}

// Tests whether a factor (i) predicts changes (j) of one that is not kept yet, per action.
static size_t test_predicted(sfnec_relevance_fit *fit) {
  const sfnec_factor *factor = &fit->factors[fit->i];
  const bool other = fit->tested[fit->j] != fit->i, open = !fit->factors[fit->tested[fit->j]].kept;
  double *p = &fit->p[fit->i * fit->residual_count + fit->j];
  uint64_t cost = 1;
  *p = 1.0;
  if (other && open && factor->bins > 1) {
    fit->k++;
    *p = test_residuals(fit, &fit->by_action, sfnec_fit_codes(fit, factor), factor->bins, fit->j, SFNEC_RELEVANCE_RATE,
                        &cost);
  }
  if (++fit->j < fit->residual_count) return (size_t)cost;
  fit->j = 0;
  if (++fit->i < fit->examined) return (size_t)cost;
  close_predicted(fit, fit->k);
  sfnec_fit_enter(fit, find_functions);
  return (size_t)cost;
}

// ---- what is a function of another kept factor within every episode, as the colour of what is carried ----

// Whether factor i changes only when j does, and is the same for each value of j in an episode.
static bool is_function(const sfnec_relevance_fit *fit, const sfnec_factor *i, const sfnec_factor *j) {
  const uint16_t *of = sfnec_fit_ranks(fit, j), *ranks = sfnec_fit_ranks(fit, i);
  const float *ib = sfnec_fit_before(fit, i), *ia = sfnec_fit_after(fit, i);
  const float *jb = sfnec_fit_before(fit, j), *ja = sfnec_fit_after(fit, j);
  uint32_t known[SFNEC_RELEVANCE_FUNCTION_VALUES] = {0}; // 1 + rank
  for (size_t t = 0; t < fit->rows; t++) {
    if (ib[t] != ia[t] && jb[t] == ja[t]) return false;
    if (t > 0 && fit->episode[t] != fit->episode[t - 1]) memset(known, 0, sizeof known);
    if (known[of[t]] && known[of[t]] != 1u + ranks[t]) return false;
    known[of[t]] = 1u + ranks[t];
  }
  return true;
}

// The probability that independent changes of one factor all fall on changes of another.
static double coincidence(const sfnec_relevance_fit *fit, const sfnec_factor *i, const sfnec_factor *j) {
  double p = 1.0;
  for (uint32_t c = 0; c < i->changes && p > 1e-300; c++) p *= (double)j->changes / (double)fit->rows;
  return p;
}

// From the factor of most values to that of fewest (i).
static size_t find_functions(sfnec_relevance_fit *fit) {
  const size_t at = fit->examined - 1 - fit->i;
  sfnec_factor *factor = &fit->factors[at];
  size_t cost = 1;
  if (factor->kept && factor->values <= SFNEC_RELEVANCE_FUNCTION_VALUES && factor->changes > 0) {
    for (size_t f = 0; f < fit->examined && factor->kept; f++) {
      const sfnec_factor *other = &fit->factors[f];
      if (f == at || !other->kept || other->values > SFNEC_RELEVANCE_FUNCTION_VALUES) continue;
      cost += fit->rows;
      const double p = coincidence(fit, factor, other);
      if (p > SFNEC_RELEVANCE_RATE || !is_function(fit, factor, other)) continue;
      factor->kept = false;
      factor->evidence = (sfnec_evidence){.reason = SFNEC_REASON_FUNCTION, .target = (uint32_t)f, .p = p};
    }
  }
  if (++fit->i == fit->examined) sfnec_fit_enter(fit, sfnec_select_begin);
  return cost;
}

// ---- the result ----

// Names of factors become those of their first components.
static void tell(const sfnec_relevance_fit *fit, const sfnec_factor *factor, sfnec_component_relevance *found) {
  const sfnec_evidence *evidence = &factor->evidence;
  found->reason = evidence->reason;
  found->partner_kind = evidence->partner_kind;
  found->p = evidence->p;
  found->z = evidence->z;
  const bool feature =
      evidence->reason == SFNEC_REASON_PREDICTS_FEATURE || evidence->reason == SFNEC_REASON_PREDICTS_END;
  found->target = feature ? evidence->target : fit->factors[evidence->target].first;
  found->partner = fit->factors[evidence->partner].first;
}

static void conclude_factor(const sfnec_relevance_fit *fit, const sfnec_factor *factor, bool any,
                            sfnec_component_relevance *found) {
  const bool power = fit->events >= SFNEC_RELEVANCE_EVENTS && fit->episodes >= SFNEC_RELEVANCE_EVENTS;
  if (!factor->varies) {
    found->reason = SFNEC_REASON_CONSTANT;
  } else if (factor->bins == 0) {
    found->reason = SFNEC_REASON_NOT_EXAMINED;
  } else if (factor->kept) {
    tell(fit, factor, found);
    const bool known = factor->evidence.reason != SFNEC_REASON_FEW_CHANGES;
    found->verdict = known ? SFNEC_VERDICT_KEPT : SFNEC_VERDICT_UNDECIDED;
  } else if (!any) {
    found->reason = SFNEC_REASON_NOTHING_FOUND;
  } else if (factor->bins == 1 && factor->evidence.reason != SFNEC_REASON_FUNCTION) {
    found->reason = SFNEC_REASON_FEW_CHANGES; // another value is too rare to be tested
  } else if (factor->changes == 0 && !power) {
    found->reason = SFNEC_REASON_FEW_EVENTS;
  } else {
    if (factor->evidence.reason == SFNEC_REASON_FUNCTION) tell(fit, factor, found);
    if (factor->evidence.reason != SFNEC_REASON_FUNCTION) found->reason = SFNEC_REASON_IRRELEVANT;
    found->verdict = SFNEC_VERDICT_DROPPED;
    found->drop_proposed = true;
  }
}

size_t sfnec_fit_conclude(sfnec_relevance_fit *fit) {
  const bool any = any_kept(fit);
  for (size_t f = 0; f < fit->factor_count; f++) {
    const sfnec_factor *factor = &fit->factors[f];
    for (uint32_t c = 0; c < factor->count; c++) conclude_factor(fit, factor, any, &fit->found[factor->first + c]);
  }
  sfnec_fit_enter(fit, NULL);
  return fit->size;
}

// ---- a fit ----

sfnec_relevance_fit *sfnec_relevance_fit_alloc(size_t size) {
  sfnec_arena *arena;
  sfnec_relevance_fit *fit = sfnec_arena_create_for(sizeof *fit, &arena);
  if (!fit) return NULL;
  fit->arena = arena;
  fit->size = size;
  fit->found = sfnec_arena_alloc(arena, size, sizeof *fit->found);
  if (!fit->found) {
    sfnec_arena_destroy(arena);
    return NULL;
  }
  for (size_t i = 0; i < size; i++) fit->found[i] = (sfnec_component_relevance){.group = (uint32_t)i, .p = 1.0};
  return fit;
}

void sfnec_relevance_fit_destroy(sfnec_relevance_fit *fit) {
  if (fit) sfnec_arena_destroy(fit->arena);
}

// Memory of a fit; remembers if there was none.
static void *get(sfnec_relevance_fit *fit, size_t count, size_t size) {
  void *memory = fit->starved ? NULL : sfnec_arena_alloc(fit->arena, count, size);
  fit->starved |= !memory;
  return memory;
}

static void get_grouping(sfnec_relevance_fit *fit, sfnec_grouping *grouping) {
  const size_t groups = fit->rows / SFNEC_ASSOCIATION_GROUP + 1;
  grouping->row = get(fit, fit->rows, sizeof *grouping->row);
  grouping->start = get(fit, groups + 1, sizeof *grouping->start);
  grouping->shift = get(fit, SFNEC_ASSOCIATION_SHIFTS * groups, sizeof *grouping->shift);
  grouping->sorting = get(fit, fit->rows, sizeof *grouping->sorting);
}

static void get_log(sfnec_relevance_fit *fit) {
  const size_t n = fit->rows, d = fit->size;
  fit->before = get(fit, d * n, sizeof *fit->before);
  fit->after = get(fit, d * n, sizeof *fit->after);
  fit->feature = get(fit, fit->features * n, sizeof *fit->feature);
  fit->action = get(fit, n, sizeof *fit->action);
  fit->episode = get(fit, n, sizeof *fit->episode);
  fit->terminated = get(fit, n, sizeof *fit->terminated);
  fit->event = get(fit, n, sizeof *fit->event);
}

static void get_tests(sfnec_relevance_fit *fit, size_t columns) {
  const size_t n = fit->rows, d = fit->size;
  fit->binary = get(fit, d, sizeof *fit->binary);
  fit->lit = get(fit, d, sizeof *fit->lit);
  fit->sums = get(fit, n, sizeof *fit->sums);
  fit->factors = get(fit, d, sizeof *fit->factors);
  fit->codes = get(fit, columns * n, sizeof *fit->codes);
  fit->ranks = get(fit, columns * n, sizeof *fit->ranks);
  fit->residuals = get(fit, 2 * columns * n, sizeof *fit->residuals);
  fit->tested = get(fit, columns, sizeof *fit->tested);
  fit->p = get(fit, columns * columns, sizeof *fit->p);
  fit->sorted_p = get(fit, columns * columns, sizeof *fit->sorted_p);
  fit->numbers = get(fit, n, sizeof *fit->numbers);
  fit->scratch = get(fit, 2 * (n + 1), sizeof *fit->scratch);
  fit->counts = get(fit, n, sizeof *fit->counts);
  fit->keys = get(fit, n, sizeof *fit->keys);
  fit->gathered.code = get(fit, n, sizeof *fit->gathered.code);
  fit->gathered.number = get(fit, n, sizeof *fit->gathered.number);
  get_grouping(fit, &fit->everyone);
  get_grouping(fit, &fit->by_action);
  get_grouping(fit, &fit->way);
}

static void get_selection(sfnec_relevance_fit *fit, size_t columns) {
  const size_t n = fit->rows, targets = smaller(columns, SFNEC_RELEVANCE_TARGETS) + fit->features + 1;
  fit->kept = get(fit, columns, sizeof *fit->kept);
  fit->target_factor = get(fit, targets, sizeof *fit->target_factor);
  fit->x = get(fit, (columns + 1) * n, sizeof *fit->x);
  fit->x_references = get(fit, (columns + 1) * n, sizeof *fit->x_references);
  fit->y = get(fit, targets * n, sizeof *fit->y);
  fit->residual = get(fit, targets * n, sizeof *fit->residual);
  fit->y_column = get(fit, n, sizeof *fit->y_column);
  fit->live = get(fit, targets, sizeof *fit->live);
  fit->reference_row = get(fit, n, sizeof *fit->reference_row);
  fit->distance = get(fit, n, sizeof *fit->distance);
  fit->prediction = get(fit, targets, sizeof *fit->prediction);
  fit->queue = get(fit, columns, sizeof *fit->queue);
  fit->ways = get(fit, 2 * SFNEC_RELEVANCE_PARTNERS + 2, sizeof *fit->ways);
}

// Copies the log into columns.
static void copy_log(sfnec_relevance_fit *fit, const sfnec_transition_log *log) {
  sfnec_transition row;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  for (size_t i = 0; sfnec_transition_log_next(log, &cursor, &row); i++) {
    for (size_t c = 0; c < fit->size; c++) fit->before[c * fit->rows + i] = row.before[c];
    for (size_t c = 0; c < fit->size; c++) fit->after[c * fit->rows + i] = row.after[c];
    for (size_t c = 0; c < fit->features; c++) fit->feature[c * fit->rows + i] = row.features[c];
    fit->action[i] = row.action < fit->action_count ? (uint8_t)row.action : (uint8_t)(fit->action_count - 1);
    fit->episode[i] = row.episode;
    fit->terminated[i] = row.terminated;
    fit->event[i] = row.event;
    fit->events += row.event;
    fit->episodes += i == 0 || row.episode != fit->episode[i - 1];
  }
}

sfnec_status sfnec_relevance_fit_begin(const sfnec_transition_log *log, uint64_t seed, sfnec_relevance_fit **out) {
  *out = NULL;
  sfnec_relevance_fit *fit = sfnec_relevance_fit_alloc(log->size);
  if (!fit) return sfnec_fail_memory("a fit of relevance");
  fit->rows = log->count;
  fit->features = log->features;
  fit->seed = seed;
  fit->action_count = (uint32_t)smaller(log->actions, SFNEC_ASSOCIATION_BINS);
  const size_t columns = smaller(log->size, SFNEC_RELEVANCE_FACTORS);
  get_log(fit);
  get_tests(fit, columns);
  get_selection(fit, columns);
  if (fit->starved) {
    sfnec_relevance_fit_destroy(fit);
    return sfnec_fail_memory("a fit of relevance");
  }
  copy_log(fit, log);
  if (fit->rows && fit->size) sfnec_fit_enter(fit, find_levels);
  *out = fit;
  return SFNEC_OK;
}

bool sfnec_relevance_fit_step(sfnec_relevance_fit *fit, uint64_t budget) {
  fit->granted += budget;
  while (fit->stage && fit->cost < fit->granted) fit->cost += fit->stage(fit);
  return !fit->stage && fit->cost <= fit->granted;
}

void sfnec_relevance_fit_complete(sfnec_relevance_fit *fit) {
  while (fit->stage) fit->cost += fit->stage(fit);
}

uint64_t sfnec_relevance_fit_cost(const sfnec_relevance_fit *fit) {
  return fit->cost;
}
