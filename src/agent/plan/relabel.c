// relabel.c: see relabel.h.
#include "agent/plan/relabel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Samples that a function is asked about at once.
enum { BATCH = 1024 };

// The arguments of a function for one batch, and its answer.
typedef struct batch {
  float *before, *after; // (BATCH, d)
  int32_t *actions;      // (BATCH)
  double *features;      // (BATCH, n)
  bool *terminated;      // (BATCH)
  double *rewards;       // (BATCH)
} batch;

static void batch_clear(batch *batch) {
  free(batch->before), free(batch->after), free(batch->actions);
  free(batch->features), free(batch->terminated), free(batch->rewards);
}

static sfnec_status batch_init(batch *batch, size_t d, size_t n) {
  // components that the model does not use are zeros
  batch->before = calloc(BATCH * d, sizeof *batch->before);
  batch->after = calloc(BATCH * d, sizeof *batch->after);
  batch->actions = calloc(BATCH, sizeof *batch->actions);
  batch->features = calloc(BATCH * n, sizeof *batch->features);
  batch->terminated = calloc(BATCH, sizeof *batch->terminated);
  batch->rewards = calloc(BATCH, sizeof *batch->rewards);
  if (batch->before && batch->after && batch->actions && batch->features && batch->terminated && batch->rewards)
    return SFNEC_OK;
  batch_clear(batch);
  return sfnec_fail_memory("the rewards of a model's transitions");
}

// Labels samples from `first` on; returns in *count how many.
static sfnec_status label(const sfnec_model *model, sfnec_reward_function function, void *context, batch *batch,
                          uint32_t first, uint32_t *count, float *labels) {
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  *count = model->sample_count - first < BATCH ? model->sample_count - first : BATCH;
  for (uint32_t i = 0; i < *count; i++) {
    const sfnec_sample *sample = &model->samples[first + i];
    sfnec_model_origin(model, first + i, batch->before + i * d);
    sfnec_model_target(model, first + i, batch->after + i * d);
    batch->actions[i] = (int32_t)sample->action;
    batch->terminated[i] = sample->terminated;
    for (size_t f = 0; f < n; f++) batch->features[i * n + f] = (double)model->sample_features[(first + i) * n + f];
    batch->rewards[i] = NAN; // what a function leaves out is found
  }
  const sfnec_transitions transitions = {.count = *count,
                                         .observation_size = (int32_t)d,
                                         .feature_count = (int32_t)n,
                                         .observations = batch->before,
                                         .actions = batch->actions,
                                         .next_observations = batch->after,
                                         .features = batch->features,
                                         .terminated = batch->terminated};
  const sfnec_status status = function(context, &transitions, batch->rewards);
  for (uint32_t i = 0; i < *count && !status; i++) {
    if (!isfinite(batch->rewards[i]))
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the reward of a remembered transition is %g; it must be finite",
                        batch->rewards[i]);
    labels[first + i] = sfnec_bounded(batch->rewards[i], SFNEC_FEATURE_MOST);
  }
  return status;
}

static sfnec_status label_all(const sfnec_model *model, sfnec_reward_function function, void *context, float *labels) {
  batch batch;
  sfnec_status status = batch_init(&batch, model->config->observation_size, model->config->psi_size);
  if (status) return status;
  uint32_t count = 0;
  for (uint32_t first = 0; first < model->sample_count && !status; first += count)
    status = label(model, function, context, &batch, first, &count, labels);
  batch_clear(&batch);
  return status;
}

// The mean labels of the transitions that had an effect, and the greatest label.
static void summarise(sfnec_model *model) {
  for (uint32_t s = 0; s < model->sample_count; s++) {
    const sfnec_sample *sample = &model->samples[s];
    const float label = model->sample_features[s];
    model->greatest[0] = fmaxf(model->greatest[0], fabsf(label));
    if (sample->effect >= model->effect_room) continue;
    model->effect_seen[sample->effect] += sample->count;
    const float rate = (float)sample->count / (float)model->effect_seen[sample->effect];
    model->effect_features[sample->effect] += rate * (label - model->effect_features[sample->effect]);
  }
}

// What the labelled model has of its own, empty.
static sfnec_status make_room(sfnec_model *model) {
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  model->blocks = NULL, model->block_features = NULL;
  model->block_count = model->block_room = 0;
  model->predictions = malloc((predictions + 1) * sizeof *model->predictions);
  model->plain = malloc((predictions + 1) * sizeof *model->plain);
  model->features = calloc(predictions + 1, sizeof *model->features);
  model->sample_features = calloc((size_t)model->sample_count + 1, sizeof *model->sample_features);
  model->effect_features = calloc((size_t)model->effect_room + 1, sizeof *model->effect_features);
  model->effect_seen = calloc((size_t)model->effect_room + 1, sizeof *model->effect_seen);
  model->greatest = calloc(1, sizeof *model->greatest);
  model->goal = calloc(model->stride, sizeof *model->goal);
  model->prediction_features = calloc(SFNEC_PREDICTION_OUTCOMES, sizeof *model->prediction_features);
  if (!model->predictions || !model->plain || !model->features || !model->sample_features || !model->effect_features ||
      !model->effect_seen || !model->greatest || !model->goal || !model->prediction_features)
    return sfnec_fail_memory("the rewards of a model's transitions");
  for (size_t i = 0; i < predictions; i++)
    model->predictions[i] = (sfnec_prediction){.block = SFNEC_NONE, .distance = INFINITY, .dirty = true};
  return SFNEC_OK;
}

sfnec_status sfnec_relabel(const sfnec_model *model, sfnec_reward_function function, void *context,
                           sfnec_relabelled *out) {
  sfnec_model *to = &out->model;
  out->config = *model->config;
  out->config.psi_size = 1;
  *to = *model;
  to->config = &out->config;
  sfnec_status status = make_room(to);
  if (!status) status = label_all(model, function, context, to->sample_features);
  if (!status) summarise(to);
  for (uint32_t state = 0; state < to->state_count && !status; state++)
    status = sfnec_model_make_predictions(to, state);
  to->version = model->version;
  if (status) sfnec_relabelled_clear(out);
  return status;
}

void sfnec_relabelled_clear(sfnec_relabelled *relabelled) {
  sfnec_model *model = &relabelled->model;
  free(model->blocks), free(model->block_features), free(model->predictions), free(model->plain);
  free(model->features), free(model->sample_features), free(model->effect_features), free(model->effect_seen);
  free(model->greatest), free(model->goal), free(model->prediction_features);
  *relabelled = (sfnec_relabelled){0};
}
