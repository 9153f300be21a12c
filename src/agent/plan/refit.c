// refit.c: the life of a refit, its slices and its file; see refit.h. Its operations are in refit_stages.c.
#include "agent/plan/refit_stages.h"

#include <stdlib.h>

#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/fields.h"

// ---- life ----

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
  status = sfnec_refit_copy_start(&refit->start, present);
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
  const bool gathers = refit->stage == SFNEC_REFIT_GATHER && sample != SFNEC_NONE;
  if (!gathers || sample < refit->gathered) return sfnec_history_add(&refit->all, transition);
  if (!refit->rereads) return SFNEC_OK;
  sfnec_model_transition seen = *transition; // the sample is still to be gathered, with the transition in it
  seen.count = 0;
  return sfnec_history_add(&refit->all, &seen);
}

// Puts samples of the present model among the transitions.
static sfnec_status gather(sfnec_refit *refit, const sfnec_model *present, int64_t *backups) {
  const size_t numbers = 2 * refit->all.observation_size + refit->all.features_size;
  const int64_t cost = 1 + (int64_t)(numbers / SFNEC_REFIT_NUMBERS);
  for (uint32_t taken = 0; refit->gathered < present->sample_count; taken++) {
    if (*backups <= 0 && taken > 1) return SFNEC_OK; // one comes with each step
    const sfnec_status status = sfnec_history_add_sample(&refit->all, present, refit->gathered);
    if (status) return status;
    refit->gathered++;
    *backups -= cost;
  }
  if (refit->all.count == 0) return SFNEC_OK; // of nothing no model can be made
  refit->first = refit->all.count;
  refit->stage = SFNEC_REFIT_COMPARE;
  return SFNEC_OK;
}

sfnec_status sfnec_refit_work(sfnec_refit *refit, const sfnec_model *present, int64_t backups) {
  sfnec_status status = refit->stage == SFNEC_REFIT_GATHER ? gather(refit, present, &backups) : SFNEC_OK;
  uint32_t caught = 0; // up with: more than one, however few backups there are, as one comes with each step
  while (!status && refit->stage != SFNEC_REFIT_GATHER && !sfnec_refit_is_done(refit)) {
    if (backups <= 0 && (refit->stage != SFNEC_REFIT_CATCH_UP || caught++ > 0)) break;
    int64_t cost;
    status = sfnec_refit_operate(refit, &cost);
    refit->worked++;
    backups -= cost;
  }
  return status;
}

const sfnec_model *sfnec_refit_next(const sfnec_refit *refit) {
  return &refit->next;
}

bool sfnec_refit_is_done(const sfnec_refit *refit) {
  return refit->stage == SFNEC_REFIT_CATCH_UP && refit->at == refit->all.count;
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
  const uint32_t gathers = refit->stage == SFNEC_REFIT_GATHER;
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
    status = sfnec_refit_operate(refit, &cost);
  }
  return status;
}

static sfnec_status load(sfnec_refit *refit, const sfnec_model *present, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader), actions = (uint32_t)present->config->action_count;
  refit->rereads = flags & 1;
  refit->compares = flags >> 1 & 1;
  refit->repeats = flags >> 2 & 1;
  refit->stage = flags >> 3 & 1 ? SFNEC_REFIT_GATHER : SFNEC_REFIT_COMPARE;
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
                    (refit->stage == SFNEC_REFIT_GATHER ? worked == 0 : refit->first > 0);
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
