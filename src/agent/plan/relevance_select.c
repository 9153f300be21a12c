// relevance_select.c: forward selection: which of the components that no action influences help to predict changes of
// kept ones, rewards or ends; see relevance.h.
//
// A round predicts all targets from the nearest rows in the kept components (relevance_neighbours.c). A factor is a
// candidate if it predicts what is left of a change, or interacts on features or ends, and enters if that helps.
#include <math.h>

#include "agent/plan/relevance_fit.h"

enum { CHANGE, OUTCOME }; // what a candidate predicts: sfnec_factor.candidate

static size_t fill_targets(sfnec_relevance_fit *fit);
static size_t fill_values(sfnec_relevance_fit *fit);
static size_t predict_rows(sfnec_relevance_fit *fit);
static size_t test_changes(sfnec_relevance_fit *fit);
static size_t test_ways(sfnec_relevance_fit *fit);
static size_t verify(sfnec_relevance_fit *fit);

static bool is_candidate(const sfnec_factor *factor) {
  return factor->bins > 1 && !factor->kept;
}

// ---- a round: what is kept, what is to be predicted, and from which rows ----

size_t sfnec_select_begin(sfnec_relevance_fit *fit) {
  size_t candidates = 0;
  fit->kept_count = fit->change_targets = fit->queued = fit->taken = 0;
  for (size_t f = 0; f < fit->examined; f++) {
    sfnec_factor *factor = &fit->factors[f];
    candidates += is_candidate(factor);
    factor->candidate[CHANGE].p = factor->candidate[OUTCOME].p = 1.0;
    if (!factor->kept) continue;
    fit->kept[fit->kept_count++] = f;
    if (factor->changes == 0 || fit->change_targets == SFNEC_RELEVANCE_TARGETS) continue;
    fit->target_factor[fit->change_targets++] = (uint32_t)f;
  }
  fit->target_count = fit->change_targets + fit->features + 1;
  sfnec_fit_enter(fit, candidates && fit->round < SFNEC_RELEVANCE_ROUNDS ? fill_targets : sfnec_fit_conclude);
  return fit->examined;
}

// What is to be predicted (i), with mean 0 and variance 1: changes, then features, then termination.
static size_t fill_targets(sfnec_relevance_fit *fit) {
  const size_t n = fit->rows, t = fit->i, outcome = t - fit->change_targets;
  double sum = 0.0, squares = 0.0, most = 0.0;
  for (size_t i = 0; i < n; i++) {
    double y = fit->terminated[i];
    if (t >= fit->change_targets && outcome < fit->features) y = (double)fit->feature[outcome * n + i];
    if (t < fit->change_targets) {
      const sfnec_factor *factor = &fit->factors[fit->target_factor[t]];
      y = (double)sfnec_fit_after(fit, factor)[i] - (double)sfnec_fit_before(fit, factor)[i];
    }
    fit->scratch[i] = y;
    sum += y;
    most = fmax(most, fabs(y));
  }
  const double mean = sum / (double)n;
  for (size_t i = 0; i < n; i++) squares += (fit->scratch[i] - mean) * (fit->scratch[i] - mean);
  const double deviation = sqrt(squares / (double)n);
  for (size_t i = 0; i < n; i++) {
    const double y = deviation > 1e-9 * most ? (fit->scratch[i] - mean) / deviation : 0.0;
    fit->y[i * fit->target_count + t] = (float)y;
  }
  if (++fit->i == fit->target_count) sfnec_fit_enter(fit, fill_values);
  return 8 * n;
}

static size_t fill_values(sfnec_relevance_fit *fit) {
  if (fit->i == 0 && fit->round == 0) sfnec_fit_choose_references(fit);
  if (fit->i < fit->kept_count) sfnec_fit_fill_column(fit, &fit->factors[fit->kept[fit->i]], fit->i);
  if (++fit->i >= fit->kept_count) sfnec_fit_enter(fit, predict_rows);
  return 10 * fit->rows;
}

// ---- candidates by tests ----

static size_t predict_rows(sfnec_relevance_fit *fit) {
  const size_t row = fit->i, cost = sfnec_fit_predict(fit, row, NULL, 0, fit->target_count);
  for (size_t t = 0; t < fit->target_count; t++) {
    const float y = fit->y[row * fit->target_count + t];
    fit->residual[t * fit->rows + row] = y - (float)fit->prediction[t];
  }
  if (++fit->i < fit->rows) return cost;
  sfnec_fit_find_live_targets(fit);
  sfnec_fit_enter(fit, test_changes);
  return cost + fit->rows * fit->target_count;
}

// Forgets what is not significant among `tests`, of which the least p-values are in sorted_p.
static void cut_candidates(sfnec_relevance_fit *fit, int which, size_t given, size_t tests) {
  const double cut = sfnec_false_discovery(fit->sorted_p, given, tests, SFNEC_RELEVANCE_RATE);
  for (size_t f = 0; f < fit->examined; f++) {
    sfnec_factor_evidence *evidence = &fit->factors[f].candidate[which];
    if (evidence->p > cut) evidence->p = 1.0;
  }
}

static void note(sfnec_factor *factor, int which, sfnec_factor_evidence evidence) {
  if (evidence.p < factor->candidate[which].p) factor->candidate[which] = evidence;
}

static void list_ways(sfnec_relevance_fit *fit);

// Does a factor (i) predict what is left of a change (j), per action? k counts the tests, `queued` small p-values.
static size_t test_changes(sfnec_relevance_fit *fit) {
  uint64_t cost = 1;
  if (fit->i < fit->examined && is_candidate(&fit->factors[fit->i]) && fit->j < fit->change_targets) {
    sfnec_factor *factor = &fit->factors[fit->i];
    if (fit->live[fit->j]) {
      fit->k++;
      const double p =
          sfnec_association(&fit->by_action, sfnec_fit_codes(fit, factor), factor->bins,
                            fit->residual + fit->j * fit->rows, false, SFNEC_RELEVANCE_RATE, &fit->gathered, &cost);
      if (p < 1.0) fit->sorted_p[fit->queued++] = p;
      note(factor, CHANGE,
           (sfnec_factor_evidence){SFNEC_REASON_PREDICTS_CHANGE, SFNEC_PARTNER_NONE, (uint32_t)fit->j, 0, p, 0});
    }
    fit->j++;
    return (size_t)cost;
  }
  fit->j = 0;
  if (++fit->i < fit->examined) return (size_t)cost;
  cut_candidates(fit, CHANGE, fit->queued, fit->k);
  fit->queued = 0;
  list_ways(fit);
  sfnec_fit_enter(fit, test_ways);
  return (size_t)cost + 100 * fit->rows;
}

// ---- interactions on features and ends ----

// Numbers of exact kept states, per action: a hash of ranks, of 47 bits.
static void key_states(const sfnec_relevance_fit *fit) {
  for (size_t i = 0; i < fit->rows; i++) {
    uint64_t hash = (14695981039346656037u ^ fit->action[i]) * 1099511628211u;
    for (size_t k = 0; k < fit->kept_count; k++) {
      hash = (hash ^ sfnec_fit_ranks(fit, &fit->factors[fit->kept[k]])[i]) * 1099511628211u;
      hash ^= hash >> 29;
    }
    fit->keys[i] = hash >> 17;
  }
}

// What a candidate may interact with: the action, kept factors, states that come again.
static void list_ways(sfnec_relevance_fit *fit) {
  fit->way_count = 0;
  fit->ways[fit->way_count++] = (sfnec_factor_evidence){.partner_kind = SFNEC_PARTNER_ACTION};
  size_t partners = 0;
  for (size_t k = 0; k < fit->kept_count && partners < SFNEC_RELEVANCE_PARTNERS; k++) {
    const uint32_t f = (uint32_t)fit->kept[k];
    if (fit->factors[f].bins < 2) continue;
    partners++;
    fit->ways[fit->way_count++] = (sfnec_factor_evidence){.partner_kind = SFNEC_PARTNER_COMPONENT, .partner = f};
  }
  key_states(fit);
  sfnec_grouping_make(&fit->way, fit->keys, fit->rows, fit->seed);
  if ((double)fit->way.rows > SFNEC_RELEVANCE_COVERED * (double)fit->rows) {
    fit->ways[fit->way_count++] = (sfnec_factor_evidence){.partner_kind = SFNEC_PARTNER_STATE};
  }
}

// The groups of a way.
static void group_way(sfnec_relevance_fit *fit, const sfnec_factor_evidence *way) {
  const sfnec_factor *partner = &fit->factors[way->partner];
  if (way->partner_kind == SFNEC_PARTNER_STATE) key_states(fit);
  if (way->partner_kind == SFNEC_PARTNER_COMPONENT) {
    sfnec_bin(sfnec_fit_ranks(fit, partner), fit->rows, partner->values, SFNEC_RELEVANCE_PARTNER_BINS,
              SFNEC_RELEVANCE_BIN_ROWS, fit->sums, fit->counts);
  }
  for (size_t i = 0; i < fit->rows; i++) {
    if (way->partner_kind == SFNEC_PARTNER_ACTION) fit->keys[i] = fit->action[i];
    if (way->partner_kind == SFNEC_PARTNER_COMPONENT) fit->keys[i] = fit->action[i] * 256u + fit->sums[i];
  }
  sfnec_grouping_make(&fit->way, fit->keys, fit->rows, fit->seed);
}

// The numbers that a way is tested on: what neighbours leave, or where neighbours are the same state, the target
// itself.
static const float *way_numbers(const sfnec_relevance_fit *fit, const sfnec_factor_evidence *way, size_t target) {
  const bool left = way->partner_kind == SFNEC_PARTNER_ACTION || way->partner_kind == SFNEC_PARTNER_COMPONENT;
  if (left) return fit->residual + target * fit->rows;
  for (size_t i = 0; i < fit->rows; i++) fit->y_column[i] = fit->y[i * fit->target_count + target];
  return fit->y_column;
}

static void queue_candidates(sfnec_relevance_fit *fit);

// Tests a way (i) for a candidate (j): its interaction on every feature and on ends.
static size_t test_ways(sfnec_relevance_fit *fit) {
  const sfnec_factor_evidence *way = &fit->ways[fit->i];
  uint64_t cost = 1;
  if (fit->j == 0) {
    group_way(fit, way);
    cost += 100 * fit->rows;
  }
  sfnec_factor *factor = &fit->factors[fit->j];
  size_t live = 0;
  for (size_t t = fit->change_targets; t < fit->target_count; t++) live += fit->live[t];
  const double tests = (double)(fit->way_count * (live ? live : 1));
  for (size_t t = fit->change_targets; t < fit->target_count; t++) {
    if (!is_candidate(factor) || !fit->live[t] || fit->way.groups < 2) continue;
    const double p = sfnec_association(&fit->way, sfnec_fit_codes(fit, factor), factor->bins, way_numbers(fit, way, t),
                                       true, SFNEC_RELEVANCE_RATE / tests, &fit->gathered, &cost);
    const bool end = t + 1 == fit->target_count;
    note(factor, OUTCOME,
         (sfnec_factor_evidence){end ? SFNEC_REASON_PREDICTS_END : SFNEC_REASON_PREDICTS_FEATURE, way->partner_kind,
                                 (uint32_t)t, way->partner, fmin(1.0, p * tests), 0.0});
  }
  if (++fit->j < fit->examined) return (size_t)cost;
  fit->j = 0;
  if (++fit->i < fit->way_count) return (size_t)cost;
  size_t candidates = 0;
  for (size_t f = 0; f < fit->examined; f++) {
    if (is_candidate(&fit->factors[f])) fit->sorted_p[candidates++] = fit->factors[f].candidate[OUTCOME].p;
  }
  cut_candidates(fit, OUTCOME, candidates, candidates);
  queue_candidates(fit);
  sfnec_fit_enter(fit, verify);
  return (size_t)cost;
}

// ---- candidates by prediction ----

static double least_p(const sfnec_factor *factor) {
  return fmin(factor->candidate[CHANGE].p, factor->candidate[OUTCOME].p);
}

// Orders candidates by p; equal ones stay in the order of factors.
static void queue_candidates(sfnec_relevance_fit *fit) {
  for (size_t f = 0; f < fit->examined; f++) {
    if (!is_candidate(&fit->factors[f]) || least_p(&fit->factors[f]) >= 1.0) continue;
    size_t at = fit->queued++;
    for (; at > 0 && least_p(&fit->factors[fit->queue[at - 1]]) > least_p(&fit->factors[f]); at--) {
      fit->queue[at] = fit->queue[at - 1];
    }
    fit->queue[at] = f;
  }
}

// Takes a candidate if the errors of the prediction with it are smaller than without it; whether it did.
static bool take(sfnec_relevance_fit *fit, size_t at, const sfnec_factor_evidence *evidence) {
  const double n = (double)fit->rows, mean = fit->gain / n;
  const double error = sqrt(fmax(fit->gain_squares / n - mean * mean, 0.0) / n);
  const double z = error > 0.0 ? mean / error : 0.0;
  if (z < SFNEC_RELEVANCE_Z) return false;
  sfnec_factor *factor = &fit->factors[at];
  factor->kept = true;
  factor->evidence = *evidence;
  factor->evidence.z = z;
  if (evidence->reason == SFNEC_REASON_PREDICTS_CHANGE) factor->evidence.target = fit->target_factor[evidence->target];
  if (evidence->reason != SFNEC_REASON_PREDICTS_CHANGE) factor->evidence.target -= (uint32_t)fit->change_targets;
  fit->kept[fit->kept_count++] = at;
  fit->taken++;
  return true;
}

// The gain of a row (k) when a candidate joins what is kept, in squared error of a target.
static size_t add_gain(sfnec_relevance_fit *fit, const sfnec_factor *factor, size_t target) {
  const double y = (double)fit->y[fit->k * fit->target_count + target];
  double before = (double)fit->residual[target * fit->rows + fit->k];
  size_t cost = 0;
  if (fit->taken) { // with those that the round took already: else what only stands for them would join, too
    cost += sfnec_fit_predict(fit, fit->k, NULL, target, 1);
    before = y - fit->prediction[0];
  }
  cost += sfnec_fit_predict(fit, fit->k, factor, target, 1);
  const double after = y - fit->prediction[0], gain = before * before - after * after;
  fit->gain += gain;
  fit->gain_squares += gain * gain;
  return cost;
}

// Verifies a candidate (i of the queue) by the target of a reason (j) on every row (k), the likelier reason first.
// After the last one comes another round if this one took something.
static size_t verify(sfnec_relevance_fit *fit) {
  if (fit->i >= fit->queued) {
    fit->round++;
    sfnec_fit_enter(fit, fit->taken ? sfnec_select_begin : sfnec_fit_conclude);
    return 1;
  }
  const sfnec_factor *factor = &fit->factors[fit->queue[fit->i]];
  const bool change_first = factor->candidate[CHANGE].p <= factor->candidate[OUTCOME].p;
  const sfnec_factor_evidence *evidence = &factor->candidate[(fit->j == 0) == change_first ? CHANGE : OUTCOME];
  size_t cost = 1;
  if (evidence->p < 1.0) {
    if (fit->k == 0) {
      sfnec_fit_fill_column(fit, factor, fit->kept_count);
      fit->gain = fit->gain_squares = 0.0;
      cost += 10 * fit->rows;
    }
    cost += add_gain(fit, factor, evidence->target);
    if (++fit->k < fit->rows) return cost;
    fit->k = 0;
    if (take(fit, fit->queue[fit->i], evidence)) fit->j = 1;
  }
  if (++fit->j < 2) return cost;
  fit->i++;
  fit->j = 0;
  return cost;
}
