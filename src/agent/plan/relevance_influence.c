// relevance_influence.c: the stages of a fit of relevance that find what actions influence, what that predicts, and
// what is a function of something kept; see relevance.h.
#include <math.h>
#include <string.h>

#include "agent/plan/relevance_fit.h"

// ---- what actions influence ----

static size_t test_action(sfnec_relevance_fit *fit);
static size_t test_predicted(sfnec_relevance_fit *fit);
static size_t find_functions(sfnec_relevance_fit *fit);

// Leaves of y what a line in x within each bin of x does not explain: the policy makes actions depend on x. Whether
// anything is left.
static bool remove_lines(const sfnec_relevance_fit *fit, const sfnec_factor *factor, float *y) {
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
  const bool any = left > 1e-8 * most * most * (double)fit->rows;
  if (!any) memset(y, 0, fit->rows * sizeof *y);
  return any;
}

size_t sfnec_influence_begin(sfnec_relevance_fit *fit) {
  sfnec_factor *factor = &fit->factors[fit->i];
  if (factor->changes > 0 && factor->changes < SFNEC_RELEVANCE_CHANGES) {
    factor->kept = true;
    factor->evidence = (sfnec_factor_evidence){.reason = SFNEC_REASON_FEW_CHANGES, .p = 1.0};
  } else if (factor->changes > 0) {
    const float *before = sfnec_fit_before(fit, factor), *after = sfnec_fit_after(fit, factor);
    factor->residual = (uint32_t)fit->residual_count;
    float *change = fit->residuals + 2 * fit->residual_count * fit->rows, *size = change + fit->rows;
    for (size_t i = 0; i < fit->rows; i++) {
      change[i] = after[i] - before[i];
      size[i] = fabsf(change[i]);
    }
    factor->autonomous = !remove_lines(fit, factor, change);
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
                             size_t residual, uint64_t *cost) {
  double p = 1.0;
  for (size_t t = 2 * residual; t < 2 * residual + 2; t++) {
    p = fmin(p, 2.0 * sfnec_association(grouping, code, bins, fit->residuals + t * fit->rows, false,
                                        SFNEC_RELEVANCE_RATE / 2.0, &fit->gathered, cost));
  }
  return p;
}

// Tests whether the action predicts changes of a factor (i), and keeps those whose p-values are significant.
static size_t test_action(sfnec_relevance_fit *fit) {
  uint64_t cost = 1;
  const size_t count = fit->residual_count;
  fit->p[fit->i] = test_residuals(fit, &fit->everyone, fit->action, fit->action_count, fit->i, &cost);
  if (++fit->i < count) return (size_t)cost;
  memcpy(fit->sorted_p, fit->p, count * sizeof *fit->p);
  const double cut = sfnec_false_discovery(fit->sorted_p, count, count, SFNEC_RELEVANCE_RATE);
  for (size_t t = 0; t < count; t++) {
    sfnec_factor *factor = &fit->factors[fit->tested[t]];
    if (fit->p[t] > cut) continue;
    factor->kept = true;
    factor->evidence = (sfnec_factor_evidence){.reason = SFNEC_REASON_ACTION, .p = fit->p[t]};
  }
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
      factor->evidence = (sfnec_factor_evidence){.reason = SFNEC_REASON_PREDICTED, .target = best, .p = p};
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
    *p = test_residuals(fit, &fit->by_action, sfnec_fit_codes(fit, factor), factor->bins, fit->j, &cost);
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
      factor->evidence = (sfnec_factor_evidence){.reason = SFNEC_REASON_FUNCTION, .target = (uint32_t)f, .p = p};
    }
  }
  if (++fit->i == fit->examined) sfnec_fit_enter(fit, sfnec_select_begin);
  return cost;
}
