// encoder.c: see encoder.h.
#include "agent/plan/encoder.h"

#include <stdlib.h>

#include "agent/plan/model.h"
#include "base/error.h"

// Operations of a fit per transition: about 0.5 ms, so that most fits are done after some hundred steps; twice as many
// would show in the slowest step.
static const uint64_t FIT_BUDGET = 500000;

sfnec_status sfnec_encoder_init(sfnec_encoder *encoder, const sfnec_psi_config *config, uint64_t seed) {
  *encoder = (sfnec_encoder){.config = config, .seed = seed};
  encoder->features = calloc(config->psi_size + 1, sizeof *encoder->features);
  encoder->denoised = calloc(config->psi_size + 1, sizeof *encoder->denoised);
  if (!encoder->features || !encoder->denoised) return sfnec_fail_memory("a planner");
  sfnec_status status = sfnec_feature_noise_init(&encoder->feature_noise, config->psi_size);
  if (!status) {
    status = sfnec_transition_log_init(&encoder->log, config->observation_size, config->psi_size,
                                       (uint32_t)config->action_count);
  }
  return status ? status : sfnec_relevance_init(&encoder->relevance, config->observation_size);
}

void sfnec_encoder_clear(sfnec_encoder *encoder) {
  sfnec_transition_log_clear(&encoder->log);
  sfnec_relevance_clear(&encoder->relevance);
  sfnec_relevance_fit_destroy(encoder->fit);
  sfnec_filter_clear(&encoder->filter);
  sfnec_filter_fit_destroy(encoder->filter_fit);
  sfnec_feature_noise_clear(&encoder->feature_noise);
  free(encoder->features), free(encoder->denoised);
  *encoder = (sfnec_encoder){0};
}

size_t sfnec_encoder_bytes(const sfnec_encoder *encoder) {
  return sfnec_transition_log_bytes(&encoder->log) + encoder->relevance.size * sizeof *encoder->relevance.components +
         sfnec_filter_bytes(&encoder->filter) + (encoder->filter_fit ? sfnec_filter_fit_bytes(encoder->filter_fit) : 0);
}

static sfnec_status watch(sfnec_encoder *encoder) {
  bool *watched = calloc(encoder->relevance.size + 1, sizeof *watched);
  if (!watched) return sfnec_fail_memory("a planner");
  for (size_t i = 0; i < encoder->relevance.size; i++) {
    const sfnec_component_relevance *component = &encoder->relevance.components[i];
    watched[i] = component->verdict == SFNEC_VERDICT_DROPPED || component->level_count > 0;
  }
  sfnec_transition_log_watch(&encoder->log, watched);
  free(watched);
  return SFNEC_OK;
}

// Begins the fit that is due, if any, works on it, and takes its result.
static sfnec_status work(sfnec_encoder *encoder) {
  if (!encoder->fit && sfnec_transition_log_is_due(&encoder->log)) {
    const uint64_t seed = encoder->seed + encoder->relevance.fits;
    const sfnec_status status = sfnec_relevance_fit_begin(&encoder->log, &encoder->relevance, seed, &encoder->fit);
    if (status) return status;
    sfnec_transition_log_schedule(&encoder->log);
  }
  if (!encoder->fit || !sfnec_relevance_fit_step(encoder->fit, FIT_BUDGET)) return SFNEC_OK;
  encoder->changed |= sfnec_relevance_apply(&encoder->relevance, encoder->fit);
  sfnec_relevance_fit_destroy(encoder->fit);
  encoder->fit = NULL;
  return watch(encoder);
}

// The same for noise. Estimates are observations, so a filter serves at once; the model is made again of better ones.
static sfnec_status work_on_noise(sfnec_encoder *encoder) {
  if (sfnec_filter_is_due(encoder->log.seen)) {
    bool found;
    const sfnec_status status = sfnec_feature_noise_fit(&encoder->feature_noise, &encoder->log,
                                                        encoder->log.seen - encoder->features_from, &found);
    if (status) return status;
    encoder->changed |= found;
  }
  if (!encoder->filter_fit && sfnec_filter_is_due(encoder->log.seen)) {
    const sfnec_status status = sfnec_filter_fit_begin(&encoder->log, &encoder->relevance, &encoder->filter_fit);
    if (status) return status;
  }
  if (!encoder->filter_fit || !sfnec_filter_fit_step(encoder->filter_fit)) return SFNEC_OK;
  encoder->changed |= sfnec_filter_fit_apply(encoder->filter_fit, &encoder->filter);
  sfnec_filter_fit_destroy(encoder->filter_fit);
  encoder->filter_fit = NULL;
  return SFNEC_OK;
}

const double *sfnec_encoder_denoise(sfnec_encoder *encoder, const double *features) {
  if (!sfnec_feature_noise_any(&encoder->feature_noise)) return features;
  for (size_t i = 0; i < encoder->config->psi_size; i++) {
    encoder->denoised[i] = sfnec_feature_noise_remove(&encoder->feature_noise, i, features[i]);
  }
  return encoder->denoised;
}

sfnec_status sfnec_encoder_see(sfnec_encoder *encoder, const float *before, const sfnec_transition *transition,
                               const double *features) {
  for (size_t i = 0; i < encoder->config->psi_size; i++) {
    encoder->features[i] = sfnec_bounded(features[i], SFNEC_FEATURE_MOST);
  }
  const bool last = transition->terminated || transition->truncated;
  sfnec_status status = sfnec_transition_log_add(&encoder->log, before, (uint32_t)transition->action, encoder->features,
                                                 transition->next_observation, transition->terminated, last);
  if (!status && encoder->config->options.relevance == SFNEC_RELEVANCE_ON) status = work(encoder);
  if (!status && encoder->config->options.filter == SFNEC_FILTER_ON) status = work_on_noise(encoder);
  return status;
}

void sfnec_encoder_forget_features(sfnec_encoder *encoder) {
  encoder->features_from = encoder->log.seen;
  sfnec_feature_noise_forget(&encoder->feature_noise);
}

bool sfnec_encoder_has_all(const sfnec_encoder *encoder) {
  return encoder->log.seen == encoder->log.count && encoder->features_from == 0;
}

// ---- files ----

// Bits of the first number: the model does not read by the verdicts yet; there is a fit of relevance, a filter, a fit
// of it, noise on features, up to 16 levels of a component instead of 8.
enum { CHANGED = 1, HAS_FIT = 2, HAS_FILTER = 4, HAS_FILTER_FIT = 8, HAS_FEATURE_NOISE = 16, ALL_LEVELS = 32 };

void sfnec_encoder_save(const sfnec_encoder *encoder, sfnec_writer *writer) {
  sfnec_write_u64(writer, encoder->features_from);
  sfnec_write_u32(writer, (encoder->changed ? CHANGED : 0) | (encoder->fit ? HAS_FIT : 0) |
                              (encoder->filter.version ? HAS_FILTER : 0) | (encoder->filter_fit ? HAS_FILTER_FIT : 0) |
                              (sfnec_feature_noise_any(&encoder->feature_noise) ? HAS_FEATURE_NOISE : 0) | ALL_LEVELS);
  sfnec_transition_log_save(&encoder->log, writer);
  sfnec_relevance_save(&encoder->relevance, writer);
  if (encoder->fit) {
    sfnec_relevance_fit_complete(encoder->fit); // its result does not depend on when the work is done
    sfnec_relevance_fit_save(encoder->fit, writer);
  }
  if (encoder->filter.version) sfnec_filter_save(&encoder->filter, writer);
  if (encoder->filter_fit) {
    sfnec_filter_fit_complete(encoder->filter_fit);
    sfnec_filter_fit_save(encoder->filter_fit, writer);
  }
  if (sfnec_feature_noise_any(&encoder->feature_noise)) sfnec_feature_noise_save(&encoder->feature_noise, writer);
}

sfnec_status sfnec_encoder_load(sfnec_encoder *encoder, sfnec_reader *reader) {
  encoder->features_from = sfnec_read_u64(reader);
  const uint32_t flags = sfnec_read_u32(reader);
  encoder->changed = flags & CHANGED;
  sfnec_status status = sfnec_transition_log_load(&encoder->log, reader);
  if (!status && encoder->features_from > encoder->log.seen) {
    status = sfnec_reader_refuse(reader, "its log has features of tasks that are still to come");
  }
  if (!status) status = sfnec_relevance_load(&encoder->relevance, flags & ALL_LEVELS, reader);
  const size_t size = encoder->relevance.size;
  const uint32_t actions = (uint32_t)encoder->config->action_count;
  if (!status && flags & HAS_FIT) status = sfnec_relevance_fit_load(size, flags & ALL_LEVELS, reader, &encoder->fit);
  if (!status && flags & HAS_FILTER) status = sfnec_filter_load(&encoder->filter, size, actions, reader);
  if (!status && flags & HAS_FILTER_FIT) status = sfnec_filter_fit_load(size, actions, reader, &encoder->filter_fit);
  if (!status && flags & HAS_FEATURE_NOISE) status = sfnec_feature_noise_load(&encoder->feature_noise, reader);
  return status;
}
