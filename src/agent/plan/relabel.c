// relabel.c: see relabel.h.
#include "agent/plan/relabel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/labels.h"
#include "base/error.h"

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
  if (!status) status = sfnec_label_samples(model, function, context, to->sample_features);
  if (!status) to->greatest[0] = sfnec_label_effects(to, to->sample_features, to->effect_features, to->effect_seen);
  for (uint32_t state = 0; state < to->state_count && !status; state++)
    status = sfnec_model_make_predictions(to, state);
  to->version = model->version;
  if (!status) status = sfnec_judge_create(model, function, context, to->sample_features, &out->judge);
  if (status) sfnec_relabelled_clear(out);
  return status;
}

void sfnec_relabelled_clear(sfnec_relabelled *relabelled) {
  sfnec_model *model = &relabelled->model;
  free(model->blocks), free(model->block_features), free(model->predictions), free(model->plain);
  free(model->features), free(model->sample_features), free(model->effect_features), free(model->effect_seen);
  free(model->greatest), free(model->goal), free(model->prediction_features);
  sfnec_judge_destroy(relabelled->judge);
  *relabelled = (sfnec_relabelled){0};
}
