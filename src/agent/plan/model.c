// model.c: the life of a model, keys and contexts of observations, and observations of keys; see model.h. states.c has
// its states, samples.c keeps transitions, predict.c makes predictions, fit.c makes all of it again.
#include "agent/plan/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---- life ----

sfnec_status sfnec_model_init(sfnec_model *model, const sfnec_psi_config *config, const sfnec_transition_log *log,
                              uint64_t seed) {
  *model = (sfnec_model){.config = config, .log = log, .seed = seed};
  model->greatest = calloc(config->psi_size, sizeof *model->greatest);
  model->search = sfnec_index_scratch_create();
  model->prediction_features = calloc(SFNEC_PREDICTION_OUTCOMES * config->psi_size, sizeof *model->prediction_features);
  if (!model->greatest || !model->search || !model->prediction_features) return sfnec_fail_memory("a model");
  return sfnec_scaling_init(&model->scaling, config->observation_size);
}

void sfnec_model_empty(sfnec_model *model) {
  sfnec_tuples_clear(&model->contexts);
  sfnec_tuples_clear(&model->effects);
  sfnec_index_destroy(model->index);
  model->index = NULL;
  sfnec_polynomial_clear(&model->polynomial);
  model->smooth = false;
  free(model->low), free(model->high), free(model->key), free(model->goal), free(model->tuple);
  free(model->states), free(model->keys), free(model->cells), free(model->filled), free(model->predictions);
  free(model->plain), free(model->features), free(model->blocks), free(model->block_features);
  free(model->samples), free(model->origins), free(model->targets), free(model->sample_features), free(model->queue);
  model->low = model->high = model->key = model->goal = model->tuple = NULL;
  model->states = NULL, model->keys = NULL, model->cells = NULL, model->filled = NULL, model->predictions = NULL;
  model->plain = NULL, model->features = NULL, model->blocks = NULL, model->block_features = NULL;
  model->samples = NULL, model->origins = NULL, model->targets = NULL, model->sample_features = NULL;
  model->queue = NULL;
  free(model->before), free(model->after), free(model->expected);
  model->before = model->after = model->expected = NULL;
  free(model->effect_features), free(model->effect_seen);
  model->effect_features = NULL, model->effect_seen = NULL, model->effect_room = 0;
  model->state_count = model->state_room = model->block_count = model->block_room = 0;
  model->sample_count = model->sample_room = model->queued = model->tried = 0;
  model->repeats = model->surprises = model->end_repeats = model->end_surprises = 0.0;
}

void sfnec_model_clear(sfnec_model *model) {
  sfnec_model_empty(model);
  sfnec_scaling_clear(&model->scaling);
  sfnec_embedding_destroy(model->embedding);
  sfnec_index_scratch_destroy(model->search);
  free(model->greatest);
  free(model->prediction_features);
  *model = (sfnec_model){0};
}

size_t sfnec_model_bytes(const sfnec_model *model) {
  const size_t actions = (size_t)model->config->action_count, n = model->config->psi_size;
  const size_t state = sizeof(sfnec_state) + model->stride * sizeof(float) + sizeof(uint32_t) +
                       actions * (5 + sizeof(sfnec_prediction) + sizeof(sfnec_outcome) + n * sizeof(float));
  const size_t seen = model->projects ? 2 * model->config->observation_size : 0;
  const size_t expected = model->polynomial.terms > 0 ? model->polynomial.size : 0;
  const size_t sample = sizeof(sfnec_sample) + (2 * model->stride + n + seen + expected) * sizeof(float);
  return (model->embedding ? sfnec_embedding_bytes(model->embedding) : 0) + sfnec_polynomial_bytes(&model->polynomial) +
         model->state_room * state + model->sample_room * sample + sfnec_tuples_bytes(&model->contexts) +
         sfnec_tuples_bytes(&model->effects) + (model->index ? model->index->ops->bytes(model->index) : 0) +
         model->block_room * SFNEC_PREDICTION_OUTCOMES * (sizeof(sfnec_outcome) + n * sizeof(float));
}

// ---- keys and contexts ----

float sfnec_model_scaled(const sfnec_model *model, const float *observation, uint32_t component) {
  const float value = sfnec_scaling_read(&model->scaling, observation, component);
  return sfnec_bounded((double)(value * model->scaling.scale[component]), SFNEC_KEY_MOST);
}

static void project(const sfnec_model *model, const float *observation, float *key) {
  const size_t m = model->key_size;
  const float *weights = model->embedding->weights, *bias = weights + model->embedding->input * m;
  for (size_t j = 0; j < m; j++) key[j] = bias[j];
  for (size_t i = 0; i < model->scaling.fast_count; i++) {
    const uint32_t c = model->scaling.fast[i];
    const float x = sfnec_model_scaled(model, observation, c);
    const float *prediction = weights + c * m;
    for (size_t j = 0; j < m; j++) key[j] += x * prediction[j];
  }
  for (size_t j = 0; j < m; j++) key[j] = sfnec_bounded((double)key[j], SFNEC_KEY_MOST);
}

void sfnec_model_key(const sfnec_model *model, const float *observation, float *key) {
  if (model->projects) {
    project(model, observation, key);
  } else {
    for (size_t i = 0; i < model->key_size; i++)
      key[i] = sfnec_model_scaled(model, observation, model->scaling.fast[i]);
  }
  for (size_t i = model->key_size; i < model->stride; i++) key[i] = 0.0f;
}

bool sfnec_effect_touches(const sfnec_model *model, uint32_t effect, size_t component) {
  return sfnec_tuples_at(&model->effects, effect)[component] != SFNEC_UNCHANGED;
}

// ---- observations ----

void sfnec_model_restore(const sfnec_model *model, const float *key, const float *context, float *observation) {
  const sfnec_scaling *scaling = &model->scaling;
  for (size_t i = 0; i < scaling->fast_count; i++) {
    const uint32_t c = scaling->fast[i];
    const float exact = scaling->scale[c] > 0.0f ? key[i] / scaling->scale[c] : scaling->components[c].low;
    observation[c] = sfnec_bounded((double)exact, FLT_MAX);
  }
  for (size_t i = 0; i < scaling->slow_count; i++) observation[scaling->slow[i]] = context[i];
}

// The observation of a key and a context, after an effect.
// (A projection keeps observations instead, which are means over contexts where those do not matter.)
static void restore(const sfnec_model *model, const float *key, const float *observed, uint32_t context,
                    uint32_t effect, float *observation) {
  const sfnec_scaling *scaling = &model->scaling;
  const float *before = sfnec_tuples_at(&model->contexts, context), *set = sfnec_tuples_at(&model->effects, effect);
  if (model->projects) {
    memcpy(observation, observed, model->config->observation_size * sizeof *observation);
  } else {
    sfnec_model_restore(model, key, before, observation);
  }
  for (size_t i = 0; i < scaling->slow_count; i++) {
    observation[scaling->slow[i]] = set[i] != SFNEC_UNCHANGED ? set[i] : before[i];
  }
}

void sfnec_model_origin(const sfnec_model *model, uint32_t sample, float *observation) {
  const float *observed = model->projects ? model->before + sample * model->config->observation_size : NULL;
  restore(model, model->origins + sample * model->stride, observed, model->samples[sample].before, 0, observation);
}

void sfnec_model_target(const sfnec_model *model, uint32_t s, float *observation) {
  const sfnec_sample *sample = &model->samples[s];
  const float *observed = model->projects ? model->after + s * model->config->observation_size : NULL;
  restore(model, model->targets + s * model->stride, observed, sample->before, sample->effect, observation);
}

// ---- the empty model ----

sfnec_agent_options sfnec_model_key_options(const sfnec_model *model) {
  sfnec_agent_options options = model->config->options;
  if (model->noise.rank > 0) options.embedding = SFNEC_EMBEDDING_PCA, options.key_size = model->noise.rank;
  return options;
}

void sfnec_model_size_keys(sfnec_model *model) {
  const sfnec_agent_options key_options = sfnec_model_key_options(model), *options = &key_options;
  const size_t fast = model->scaling.fast_count;
  // what has no distances, or few components, is left as it is
  model->projects = options->embedding != SFNEC_EMBEDDING_IDENTITY && !sfnec_model_has_cells(model) &&
                    fast > (size_t)options->key_size;
  model->key_size = model->projects ? (size_t)options->key_size : fast;
  model->stride = (model->key_size + SFNEC_SIMD_LANES - 1) / SFNEC_SIMD_LANES * SFNEC_SIMD_LANES;
}

sfnec_status sfnec_model_prepare(sfnec_model *model) {
  const sfnec_scaling *scaling = &model->scaling;
  sfnec_model_size_keys(model);
  sfnec_tuples_init(&model->contexts, scaling->slow_count);
  sfnec_tuples_init(&model->effects, scaling->slow_count);
  const bool fast = model->config->options.index == SFNEC_INDEX_FAST;
  const sfnec_status status = sfnec_index_create(fast ? SFNEC_INDEX_KIND_FAST : SFNEC_INDEX_KIND_FLAT,
                                                 model->config->simd, model->stride, &model->index);
  if (status) return status;
  model->low = malloc(model->stride * sizeof(float));
  model->high = malloc(model->stride * sizeof(float));
  model->key = calloc(model->stride, sizeof(float));
  model->goal = calloc(model->stride, sizeof(float));
  model->tuple = calloc(scaling->slow_count + 1, sizeof(float));
  if (!model->low || !model->high || !model->key || !model->goal || !model->tuple) return sfnec_fail_memory("a model");
  for (size_t i = 0; i < model->stride; i++) {
    model->low[i] = i < model->key_size ? INFINITY : 0.0f;
    model->high[i] = i < model->key_size ? -INFINITY : 0.0f;
  }
  for (size_t i = 0; i < scaling->slow_count; i++) model->tuple[i] = SFNEC_UNCHANGED;
  uint32_t zero; // the effect that is none
  return sfnec_tuples_add(&model->effects, model->tuple, &zero);
}
