// refit_stages.c: the stages of a refit and their operations, each of which takes about as long as it says; see
// refit.h.
#include "agent/plan/refit_stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// What an operation takes in the time of a backup, about 20 ns.
enum {
  PREDICTION_COST = 150,  // of an action in a state
  TAKE_COST = 100,        // of a transition, without its searches
  TAKE_STATES = 1000,     // that its searches look at, at most: an index leaves the others out
  TAKE_NUMBERS = 256,     // of keys, searched
  WHOLE_COST = INT32_MAX, // of work that ends a slice
};

sfnec_status sfnec_refit_copy_start(sfnec_model *to, const sfnec_model *from) {
  to->contexts_off = from->contexts_off;
  to->coarser = from->coarser;
  to->visits = from->visits;
  to->returns = from->returns;
  memcpy(to->greatest, from->greatest, from->config->psi_size * sizeof *to->greatest);
  return sfnec_scaling_copy(&to->scaling, &from->scaling);
}

// ---- the polynomial ----

static bool corrects(const sfnec_model *next) {
  return !sfnec_model_is_tabular(next) && sfnec_model_uses(next, SFNEC_WITHOUT_POLYNOMIAL);
}

static sfnec_status begin_polynomial(sfnec_refit *refit) {
  sfnec_model *next = &refit->next;
  const uint32_t actions = (uint32_t)next->config->action_count;
  refit->samples = malloc((next->sample_count + 1) * sizeof *refit->samples);
  uint32_t *counts = calloc(actions, sizeof *counts), most = 0;
  if (!refit->samples || !counts) {
    free(counts);
    return sfnec_fail_memory("a model");
  }
  const uint32_t every = next->sample_count / SFNEC_MEASURED + 1;
  sfnec_polynomial_samples all = {
      .samples = refit->samples, .origins = next->origins, .targets = next->targets, .stride = next->stride};
  for (uint32_t s = 0; s < next->sample_count; s++) {
    const uint32_t count = ++counts[next->samples[s].action];
    most = count > most ? count : most;
    if (s % every == 0) refit->samples[all.count++] = s;
  }
  free(counts);
  const uint32_t degree = sfnec_polynomial_degree(next->key_size, most);
  const sfnec_status status = sfnec_polynomial_init(&refit->polynomial, next->key_size, actions, degree);
  if (!status) sfnec_polynomial_measure(&refit->polynomial, &all);
  return status;
}

// Begins the fit of an action.
static sfnec_status begin_action(sfnec_refit *refit, uint32_t action) {
  const sfnec_model *next = &refit->next;
  sfnec_polynomial_samples all = {
      .samples = refit->samples, .origins = next->origins, .targets = next->targets, .stride = next->stride};
  for (uint32_t s = 0; s < next->sample_count; s++) { // what ends an episode may do something else
    if (next->samples[s].action == action && !next->samples[s].terminated) refit->samples[all.count++] = s;
  }
  return sfnec_polynomial_begin_fit(&refit->polynomial, action, &all, &refit->fitting);
}

// The polynomial is whole.
static sfnec_status take_polynomial(sfnec_refit *refit) {
  sfnec_model *next = &refit->next;
  if (refit->polynomial.terms == 0) return SFNEC_OK;
  float *expected = calloc((size_t)next->sample_room * refit->polynomial.size + 1, sizeof *expected);
  if (!expected) return sfnec_fail_memory("a model");
  next->polynomial = refit->polynomial;
  next->smooth = next->polynomial.mean < SFNEC_SMOOTH * next->step && sfnec_model_uses(next, SFNEC_WITHOUT_BALANCE);
  next->expected = expected;
  refit->polynomial = (sfnec_polynomial){0};
  return SFNEC_OK;
}

// The next operation of the fits of all actions, and what it cost.
static sfnec_status fit_polynomial(sfnec_refit *refit, int64_t *cost) {
  const uint32_t actions = (uint32_t)refit->next.config->action_count;
  const bool begins = refit->at == 0 && !refit->samples;
  sfnec_status status = begins ? begin_polynomial(refit) : SFNEC_OK;
  const bool any = !status && refit->polynomial.terms > 0 && refit->at < actions;
  *cost = 1 + (any && !refit->fitting ? (int64_t)refit->next.sample_count / SFNEC_REFIT_NUMBERS : 0);
  if (any && !refit->fitting) status = begin_action(refit, refit->at);
  if (status) return status;
  if (any) {
    int64_t left = 1; // one operation
    const bool done = sfnec_polynomial_continue_fit(refit->fitting, &left);
    *cost += 1 - left;
    if (!done) return SFNEC_OK;
    sfnec_polynomial_end_fit(refit->fitting);
    refit->fitting = NULL;
    if (++refit->at < actions) return SFNEC_OK;
  }
  refit->stage = SFNEC_REFIT_EXPECT;
  refit->at = 0;
  return take_polynomial(refit);
}

// ---- scales and noise ----

// The noise is known: makes the projection that it calls for.
static sfnec_status project(sfnec_refit *refit, const sfnec_history *beginning, int64_t *cost) {
  if (refit->search) refit->noise = sfnec_noise_found(refit->search);
  refit->stage = SFNEC_REFIT_STEP;
  *cost = WHOLE_COST;
  return sfnec_fit_projection(&refit->next, beginning, &refit->noise);
}

// Fits scales, and begins to look for noise by them.
static sfnec_status fit_scales(sfnec_refit *refit, const sfnec_history *beginning, int64_t *cost) {
  sfnec_model *next = &refit->next;
  sfnec_status status = sfnec_fit_scales(next, beginning, refit->alike);
  if (!status && !refit->looked && sfnec_model_looks_for_noise(next))
    status = sfnec_noise_begin(&next->scaling, next->log, &refit->search);
  if (status) return status;
  refit->looked = true;
  refit->stage = SFNEC_REFIT_NOISE;
  *cost = WHOLE_COST;
  return refit->search ? SFNEC_OK : project(refit, beginning, cost);
}

// The next operation of the search.
static sfnec_status look_for_noise(sfnec_refit *refit, const sfnec_history *beginning, int64_t *cost) {
  int64_t left = 1;
  const bool done = sfnec_noise_continue(refit->search, &left);
  *cost = 1 - left;
  return done ? project(refit, beginning, cost) : SFNEC_OK;
}

// ---- the work ----

static int64_t take_cost(const sfnec_model *next) {
  const uint32_t states = next->state_count < TAKE_STATES ? next->state_count : TAKE_STATES;
  return TAKE_COST + (int64_t)(3 * (size_t)states * next->stride / TAKE_NUMBERS);
}

// Goes to the next stage when this one has been over so many things.
static bool has_next(sfnec_refit *refit, uint32_t count, sfnec_refit_stage then) {
  if (refit->at < count) return true;
  refit->stage = then;
  refit->at = 0;
  return false;
}

static sfnec_status take(sfnec_refit *refit, bool predicts) {
  sfnec_model *next = &refit->next;
  if (refit->all.rows[refit->at].count == 0) {
    refit->at++;
    return SFNEC_OK;
  }
  const sfnec_model_transition transition = sfnec_history_at(&refit->all, refit->at++);
  uint32_t here, there;
  bool changed;
  if (!predicts) return sfnec_model_take(next, &transition, &here, &there, &changed);
  const sfnec_status status = sfnec_model_add(next, &transition, &here, &there);
  return status ? status : sfnec_model_tidy(next, SFNEC_TIDY);
}

sfnec_status sfnec_refit_operate(sfnec_refit *refit, int64_t *cost) {
  sfnec_model *next = &refit->next;
  const size_t actions = (size_t)next->config->action_count;
  sfnec_history beginning = refit->all; // without what came later
  beginning.count = refit->first;
  sfnec_status status = SFNEC_OK;
  *cost = 1;
  switch (refit->stage) {
  case SFNEC_REFIT_GATHER:
    break;
  case SFNEC_REFIT_COMPARE:
    status = sfnec_refit_copy_start(next, &refit->start);
    refit->alike = refit->repeats;
    if (!status && refit->compares) status = sfnec_fit_compare(next, &beginning, &refit->alike);
    refit->stage = SFNEC_REFIT_SCALES;
    *cost = WHOLE_COST;
    break;
  case SFNEC_REFIT_SCALES:
    status = fit_scales(refit, &beginning, cost);
    break;
  case SFNEC_REFIT_NOISE:
    status = look_for_noise(refit, &beginning, cost);
    break;
  case SFNEC_REFIT_STEP:
    status = sfnec_fit_step(next, &beginning);
    refit->stage = SFNEC_REFIT_TAKE;
    *cost = WHOLE_COST;
    break;
  case SFNEC_REFIT_TAKE:
    if (has_next(refit, refit->first, corrects(next) ? SFNEC_REFIT_POLYNOMIAL : SFNEC_REFIT_PREDICT)) {
      *cost = take_cost(next);
      status = take(refit, false);
    } else {
      while (next->queued > 0) next->states[next->queue[--next->queued]].queued = false; // all are predicted
    }
    break;
  case SFNEC_REFIT_POLYNOMIAL:
    status = fit_polynomial(refit, cost);
    break;
  case SFNEC_REFIT_EXPECT:
    if (has_next(refit, next->polynomial.terms > 0 ? next->sample_count : 0, SFNEC_REFIT_PREDICT)) {
      sfnec_model_expect(next, refit->at++);
      *cost = 1 + (int64_t)(next->polynomial.terms * next->polynomial.size / SFNEC_REFIT_NUMBERS);
    }
    break;
  case SFNEC_REFIT_PREDICT:
    if (has_next(refit, next->state_count, SFNEC_REFIT_CATCH_UP)) {
      *cost = (int64_t)actions * PREDICTION_COST;
      status = sfnec_model_make_predictions(next, refit->at++);
    } else {
      refit->at = refit->first;
    }
    break;
  case SFNEC_REFIT_CATCH_UP:
    status = take(refit, true);
    *cost = take_cost(next) + (int64_t)(1 + SFNEC_TIDY) * (int64_t)actions * PREDICTION_COST;
    break;
  }
  return status;
}
