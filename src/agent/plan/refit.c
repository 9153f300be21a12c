// refit.c: see refit.h.
#include "agent/plan/refit.h"

#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/fields.h"

// What an operation takes in the time of a backup, about 20 ns.
enum {
  NUMBERS = 16,           // of a transition, copied or compared
  PREDICTION_COST = 150,  // of an action in a state
  TAKE_COST = 100,        // of a transition, without its searches
  TAKE_STATES = 1000,     // that its searches look at, at most: an index leaves the others out
  TAKE_NUMBERS = 256,     // of keys, searched
  WHOLE_COST = INT32_MAX, // of work that ends a slice
};

// What is done next; each stage goes over all of something.
typedef enum stage { GATHER, COMPARE, SCALES, NOISE, STEP, TAKE, POLYNOMIAL, EXPECT, PREDICT, CATCH_UP } stage;

struct sfnec_refit {
  sfnec_model start; // what it begins with: what was seen of components; not fitted
  sfnec_model next;  // what it makes
  bool rereads;      // components are read by other verdicts
  bool compares;     // the transitions are to say whether states come again to the bit; else...
  bool repeats;      // ...they do
  bool alike;        // what came out of it
  bool looked;       // for noise, in the log as it was then; the search, if there is one, knows what it comes to
  sfnec_noise_search *search;
  sfnec_key_noise noise; // that was found
  sfnec_history all;
  uint32_t gathered; // samples of the present model that are among them
  uint32_t first;    // transitions when all was gathered; the others came later
  stage stage;
  uint32_t at;     // which transition, action, sample or state is next
  uint64_t worked; // operations done since all was gathered
  sfnec_polynomial polynomial;
  sfnec_polynomial_fitting *fitting; // of an action; NULL: none is under way
  uint32_t *samples;                 // (samples of next): of that action
};

// ---- life ----

// What a model is to begin with that is made again, into one that was initialised.
static sfnec_status copy_start(sfnec_model *to, const sfnec_model *from) {
  to->contexts_off = from->contexts_off;
  to->coarser = from->coarser;
  to->visits = from->visits;
  to->returns = from->returns;
  memcpy(to->greatest, from->greatest, from->config->psi_size * sizeof *to->greatest);
  return sfnec_scaling_copy(&to->scaling, &from->scaling);
}

static sfnec_status create(const sfnec_model *present, sfnec_refit **out) {
  sfnec_refit *refit = calloc(1, sizeof *refit);
  if (!refit) return sfnec_fail_memory("a model");
  sfnec_status status = sfnec_model_init(&refit->start, present->config, present->log, present->seed);
  if (!status) status = sfnec_model_init(&refit->next, present->config, present->log, present->seed);
  if (!status) status = sfnec_history_init(&refit->all, present->config);
  if (status) {
    sfnec_refit_destroy(refit);
    return status;
  }
  *out = refit;
  return SFNEC_OK;
}

void sfnec_refit_destroy(sfnec_refit *refit) {
  if (!refit) return;
  sfnec_polynomial_end_fit(refit->fitting);
  sfnec_polynomial_clear(&refit->polynomial);
  sfnec_noise_destroy(refit->search);
  free(refit->samples);
  sfnec_history_clear(&refit->all);
  if (refit->start.config) sfnec_model_clear(&refit->start);
  if (refit->next.config) sfnec_model_clear(&refit->next);
  free(refit);
}

size_t sfnec_refit_bytes(const sfnec_refit *refit) {
  return sizeof *refit + sfnec_model_bytes(&refit->next) + sfnec_history_bytes(&refit->all) +
         (refit->search ? sfnec_noise_bytes(refit->search) : 0);
}

bool sfnec_refit_rereads(const sfnec_refit *refit) {
  return refit->rereads;
}

// Takes the transitions of the log for all that is known; `smoothed`: their observations without noise, or NULL.
static sfnec_status read_log(sfnec_refit *refit, const sfnec_transition_log *log, const float *smoothed,
                             const sfnec_feature_noise *noise) {
  const size_t n = refit->all.features_size, d = log->size;
  double *features = calloc(n + 1, sizeof *features);
  sfnec_status status = features ? sfnec_history_reserve(&refit->all, log->count) : sfnec_fail_memory("a model");
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  while (!status && sfnec_transition_log_next(log, &cursor, &row)) {
    for (size_t i = 0; i < n; i++) {
      features[i] = sfnec_feature_noise_remove(noise, i, (double)row.features[i]);
    }
    const float *before = smoothed ? smoothed : row.before, *after = smoothed ? smoothed + d : row.after;
    const sfnec_model_transition transition = {before, after, features, row.action, 1, row.terminated};
    status = sfnec_history_add(&refit->all, &transition);
    if (!status) refit->all.rows[refit->all.count - 1].seen = false; // the scales have it already
    if (smoothed) smoothed += 2 * d;
  }
  free(features);
  return status;
}

sfnec_status sfnec_refit_begin(const sfnec_model *present, const sfnec_refit_origin *origin, sfnec_refit **out) {
  sfnec_refit *refit = NULL;
  sfnec_status status = create(present, &refit);
  if (status) return status;
  float *smoothed = NULL;
  refit->rereads = origin->relevance != NULL;
  refit->compares = refit->rereads || !present->fitted;
  refit->repeats = sfnec_model_repeats(present);
  status = copy_start(&refit->start, present);
  if (!status && (origin->relevance || origin->from_log)) {
    status = sfnec_filter_smooth(origin->filter, present->log, &smoothed);
  }
  if (!status && origin->relevance) {
    status = sfnec_scaling_reread(&refit->start.scaling, origin->relevance, present->log, smoothed);
  }
  if (!status && origin->from_log) status = read_log(refit, present->log, smoothed, origin->feature_noise);
  if (origin->from_log) refit->gathered = SFNEC_NONE;
  free(smoothed);
  if (status) {
    sfnec_refit_destroy(refit);
    return status;
  }
  *out = refit;
  return SFNEC_OK;
}

sfnec_status sfnec_refit_add(sfnec_refit *refit, const sfnec_model_transition *transition, uint32_t sample) {
  const bool gathers = refit->stage == GATHER && sample != SFNEC_NONE;
  if (!gathers || sample < refit->gathered) return sfnec_history_add(&refit->all, transition);
  if (!refit->rereads) return SFNEC_OK;
  sfnec_model_transition seen = *transition; // the sample is still to be gathered, with the transition in it
  seen.count = 0;
  return sfnec_history_add(&refit->all, &seen);
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
  *cost = 1 + (any && !refit->fitting ? (int64_t)refit->next.sample_count / NUMBERS : 0);
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
  refit->stage = EXPECT;
  refit->at = 0;
  return take_polynomial(refit);
}

// ---- scales and noise ----

// The noise is known: makes the projection that it calls for.
static sfnec_status project(sfnec_refit *refit, const sfnec_history *beginning, int64_t *cost) {
  if (refit->search) refit->noise = sfnec_noise_found(refit->search);
  refit->stage = STEP;
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
  refit->stage = NOISE;
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
static bool has_next(sfnec_refit *refit, uint32_t count, stage then) {
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

// The next operation, and what it cost in backups.
static sfnec_status operate(sfnec_refit *refit, int64_t *cost) {
  sfnec_model *next = &refit->next;
  const size_t actions = (size_t)next->config->action_count;
  sfnec_history beginning = refit->all; // without what came later
  beginning.count = refit->first;
  sfnec_status status = SFNEC_OK;
  *cost = 1;
  switch (refit->stage) {
  case GATHER:
    break;
  case COMPARE:
    status = copy_start(next, &refit->start);
    refit->alike = refit->repeats;
    if (!status && refit->compares) status = sfnec_fit_compare(next, &beginning, &refit->alike);
    refit->stage = SCALES;
    *cost = WHOLE_COST;
    break;
  case SCALES:
    status = fit_scales(refit, &beginning, cost);
    break;
  case NOISE:
    status = look_for_noise(refit, &beginning, cost);
    break;
  case STEP:
    status = sfnec_fit_step(next, &beginning);
    refit->stage = TAKE;
    *cost = WHOLE_COST;
    break;
  case TAKE:
    if (has_next(refit, refit->first, corrects(next) ? POLYNOMIAL : PREDICT)) {
      *cost = take_cost(next);
      status = take(refit, false);
    } else {
      while (next->queued > 0) next->states[next->queue[--next->queued]].queued = false; // all are predicted
    }
    break;
  case POLYNOMIAL:
    status = fit_polynomial(refit, cost);
    break;
  case EXPECT:
    if (has_next(refit, next->polynomial.terms > 0 ? next->sample_count : 0, PREDICT)) {
      sfnec_model_expect(next, refit->at++);
      *cost = 1 + (int64_t)(next->polynomial.terms * next->polynomial.size / NUMBERS);
    }
    break;
  case PREDICT:
    if (has_next(refit, next->state_count, CATCH_UP)) {
      *cost = (int64_t)actions * PREDICTION_COST;
      status = sfnec_model_make_predictions(next, refit->at++);
    } else {
      refit->at = refit->first;
    }
    break;
  case CATCH_UP:
    status = take(refit, true);
    *cost = take_cost(next) + (int64_t)(1 + SFNEC_TIDY) * (int64_t)actions * PREDICTION_COST;
    break;
  }
  return status;
}

// Puts samples of the present model among the transitions.
static sfnec_status gather(sfnec_refit *refit, const sfnec_model *present, int64_t *backups) {
  const size_t numbers = 2 * refit->all.observation_size + refit->all.features_size;
  const int64_t cost = 1 + (int64_t)(numbers / NUMBERS);
  for (uint32_t taken = 0; refit->gathered < present->sample_count; taken++) {
    if (*backups <= 0 && taken > 1) return SFNEC_OK; // one comes with each step
    const sfnec_status status = sfnec_history_add_sample(&refit->all, present, refit->gathered);
    if (status) return status;
    refit->gathered++;
    *backups -= cost;
  }
  if (refit->all.count == 0) return SFNEC_OK; // of nothing no model can be made
  refit->first = refit->all.count;
  refit->stage = COMPARE;
  return SFNEC_OK;
}

sfnec_status sfnec_refit_work(sfnec_refit *refit, const sfnec_model *present, int64_t backups) {
  sfnec_status status = refit->stage == GATHER ? gather(refit, present, &backups) : SFNEC_OK;
  uint32_t caught = 0; // up with: more than one, however few backups there are, as one comes with each step
  while (!status && refit->stage != GATHER && !sfnec_refit_is_done(refit)) {
    if (backups <= 0 && (refit->stage != CATCH_UP || caught++ > 0)) break;
    int64_t cost;
    status = operate(refit, &cost);
    refit->worked++;
    backups -= cost;
  }
  return status;
}

bool sfnec_refit_is_done(const sfnec_refit *refit) {
  return refit->stage == CATCH_UP && refit->at == refit->all.count;
}

void sfnec_refit_finish(sfnec_refit *refit, sfnec_model *present) {
  sfnec_model *next = &refit->next;
  if (refit->rereads) {
    for (uint32_t i = 0; i < refit->all.count; i++) {
      const sfnec_model_transition transition = sfnec_history_at(&refit->all, i);
      if (refit->all.rows[i].seen) sfnec_scaling_see(&next->scaling, transition.before, transition.after);
    }
  } else {
    sfnec_scaling_swap_seen(&next->scaling, &present->scaling);
  }
  next->version = present->version + 1;
  next->fitted = true;
  sfnec_model_clear(present);
  *present = *next;
  *next = (sfnec_model){0};
}

// ---- files ----

static const sfnec_fields start_fields =
    SFNEC_FIELDS("its next model", {SFNEC_UP_TO(sfnec_refit, start.visits, SFNEC_SEEN_MOST)},
                 {SFNEC_UP_TO(sfnec_refit, start.returns, SFNEC_SEEN_MOST)});

void sfnec_refit_save(const sfnec_refit *refit, sfnec_writer *writer) {
  const uint32_t gathers = refit->stage == GATHER;
  sfnec_write_u32(writer, (uint32_t)refit->rereads | (uint32_t)refit->compares << 1 | (uint32_t)refit->repeats << 2 |
                              gathers << 3 | (uint32_t)refit->looked << 4 | (uint32_t)(refit->search != NULL) << 5);
  sfnec_key_noise_save(&refit->noise, writer);
  sfnec_model_save(&refit->start, writer);
  sfnec_fields_save(&start_fields, refit, writer);
  sfnec_history_save(&refit->all, writer);
  sfnec_write_u32(writer, refit->gathered);
  sfnec_write_u32(writer, refit->first);
  sfnec_write_u64(writer, refit->worked);
  if (refit->search) sfnec_noise_save(refit->search, writer);
}

// Does again what had been done.
static sfnec_status work_again(sfnec_refit *refit, uint64_t worked) {
  sfnec_status status = SFNEC_OK;
  for (; refit->worked < worked && !status && !sfnec_refit_is_done(refit); refit->worked++) {
    int64_t cost;
    status = operate(refit, &cost);
  }
  return status;
}

static sfnec_status load(sfnec_refit *refit, const sfnec_model *present, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader), actions = (uint32_t)present->config->action_count;
  refit->rereads = flags & 1;
  refit->compares = flags >> 1 & 1;
  refit->repeats = flags >> 2 & 1;
  refit->stage = flags >> 3 & 1 ? GATHER : COMPARE;
  refit->looked = flags >> 4 & 1;
  sfnec_status status = sfnec_key_noise_load(&refit->noise, present->config, reader);
  if (!status) status = sfnec_model_load(&refit->start, reader);
  if (!status) status = sfnec_fields_load(&start_fields, refit, NULL, 0, reader);
  if (!status) status = sfnec_history_load(&refit->all, actions, reader);
  refit->gathered = sfnec_read_u32(reader);
  refit->first = sfnec_read_u32(reader);
  const uint64_t worked = sfnec_read_u64(reader);
  if (!status && flags >> 5 & 1) status = sfnec_noise_load(reader, present->config->observation_size, &refit->search);
  if (refit->search) sfnec_noise_restart(refit->search); // all is done again
  const bool good = !refit->start.fitted && refit->first <= refit->all.count &&
                    (refit->stage == GATHER ? worked == 0 : refit->first > 0);
  if (!status && !good) status = sfnec_reader_refuse(reader, "its next model is in the middle of nothing");
  return status ? status : work_again(refit, worked);
}

sfnec_status sfnec_refit_load(const sfnec_model *present, sfnec_reader *reader, sfnec_refit **out) {
  sfnec_refit *refit = NULL;
  sfnec_status status = create(present, &refit);
  if (!status) status = load(refit, present, reader);
  if (status) {
    sfnec_refit_destroy(refit);
    return status;
  }
  *out = refit;
  return SFNEC_OK;
}
