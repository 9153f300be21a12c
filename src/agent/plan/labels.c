// labels.c: see labels.h.
#include "agent/plan/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "base/error.h"

// ---- asking ----

// Transitions that a function is asked about at once.
enum { BATCH = 1024 };

// The arguments of a function for one batch, and its answer, which goes to `labels`.
typedef struct batch {
  sfnec_reward_function function;
  void *context;
  size_t d, n, count;
  float *before, *after; // (BATCH, d)
  int32_t *actions;      // (BATCH)
  double *features;      // (BATCH, n)
  bool *terminated;      // (BATCH)
  double *rewards;       // (BATCH)
  float *labels;         // of the next transition
} batch;

static void batch_clear(batch *batch) {
  free(batch->before), free(batch->after), free(batch->actions);
  free(batch->features), free(batch->terminated), free(batch->rewards);
  *batch = (struct batch){0};
}

static sfnec_status batch_init(batch *batch, const sfnec_psi_config *config, sfnec_reward_function function,
                               void *context) {
  const size_t d = config->observation_size, n = (size_t)config->shape.feature_count;
  *batch = (struct batch){.function = function, .context = context, .d = d, .n = n};
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

// Asks about the transitions that are there.
static sfnec_status flush(batch *batch) {
  const sfnec_transitions transitions = {.count = batch->count,
                                         .observation_size = (int32_t)batch->d,
                                         .feature_count = (int32_t)batch->n,
                                         .observations = batch->before,
                                         .actions = batch->actions,
                                         .next_observations = batch->after,
                                         .features = batch->features,
                                         .terminated = batch->terminated};
  for (size_t i = 0; i < batch->count; i++) batch->rewards[i] = (double)NAN; // what a function leaves out is found
  const sfnec_status status = batch->count ? batch->function(batch->context, &transitions, batch->rewards) : SFNEC_OK;
  for (size_t i = 0; i < batch->count && !status; i++) {
    if (!isfinite(batch->rewards[i]))
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the reward of a remembered transition is %g; it must be finite",
                        batch->rewards[i]);
    *batch->labels++ = sfnec_bounded(batch->rewards[i], SFNEC_FEATURE_MOST);
  }
  batch->count = 0;
  return status;
}

// The observations of the transition at `count` are written; adds the rest of it.
static sfnec_status add(batch *batch, uint32_t action, bool terminated) {
  batch->actions[batch->count] = (int32_t)action;
  batch->terminated[batch->count++] = terminated;
  return batch->count == BATCH ? flush(batch) : SFNEC_OK;
}

static void take_features(batch *batch, const float *features) {
  for (size_t f = 0; f < batch->n; f++) batch->features[batch->count * batch->n + f] = (double)features[f];
}

sfnec_status sfnec_label_samples(const sfnec_model *model, sfnec_reward_function function, void *context,
                                 float *labels) {
  batch batch;
  sfnec_status status = batch_init(&batch, model->config, function, context);
  if (status) return status;
  batch.labels = labels;
  for (uint32_t s = 0; s < model->sample_count && !status; s++) {
    sfnec_model_origin(model, s, batch.before + batch.count * batch.d);
    sfnec_model_target(model, s, batch.after + batch.count * batch.d);
    take_features(&batch, model->sample_features + s * model->config->psi_size);
    status = add(&batch, model->samples[s].action, model->samples[s].terminated);
  }
  if (!status) status = flush(&batch);
  batch_clear(&batch);
  return status;
}

// The rows of the log, in time order.
static sfnec_status label_log(const sfnec_planner *planner, sfnec_reward_function function, void *context,
                              float *labels) {
  const sfnec_transition_log *log = &planner->encoder.log;
  batch batch;
  sfnec_status status = batch_init(&batch, planner->config, function, context);
  if (status) return status;
  batch.labels = labels;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  while (!status && sfnec_transition_log_next(log, &cursor, &row)) {
    memcpy(batch.before + batch.count * batch.d, row.before, batch.d * sizeof(float));
    memcpy(batch.after + batch.count * batch.d, row.after, batch.d * sizeof(float));
    take_features(&batch, row.features);
    status = add(&batch, row.action, row.terminated);
  }
  if (!status) status = flush(&batch);
  batch_clear(&batch);
  return status;
}

static sfnec_status label_waiting(const sfnec_planner *planner, sfnec_reward_function function, void *context,
                                  float *labels) {
  const size_t n = planner->config->psi_size;
  batch batch;
  sfnec_status status = batch_init(&batch, planner->config, function, context);
  if (status) return status;
  batch.labels = labels;
  for (uint32_t t = 0; t < planner->waiting && !status; t++) {
    memcpy(batch.before + batch.count * batch.d, planner->before + t * batch.d, batch.d * sizeof(float));
    memcpy(batch.after + batch.count * batch.d, planner->after + t * batch.d, batch.d * sizeof(float));
    memcpy(batch.features + batch.count * batch.n, planner->features + t * n, batch.n * sizeof(double));
    status = add(&batch, planner->actions[t], planner->terminated[t]);
  }
  if (!status) status = flush(&batch);
  batch_clear(&batch);
  return status;
}

// ---- labels in other contexts ----

struct sfnec_judge {
  const sfnec_model *model;
  const float *labels; // (sample_count)
  batch batch;
  uint32_t count, *samples; // whose labels depend on the context
  float *found;             // (sample_count): labels that were asked for
  sfnec_status failed;
  char sentence[256];
};

// Labels of some samples (NULL: of all) in a context; what a sample changed itself stays as it was.
static sfnec_status label_in(sfnec_judge *judge, const float *tuple, const uint32_t *samples, uint32_t count) {
  const sfnec_model *model = judge->model;
  batch *batch = &judge->batch;
  sfnec_status status = SFNEC_OK;
  batch->labels = judge->found;
  for (uint32_t i = 0; i < count && !status; i++) {
    const uint32_t s = samples ? samples[i] : i;
    const sfnec_sample *sample = &model->samples[s];
    float *before = batch->before + batch->count * batch->d, *after = batch->after + batch->count * batch->d;
    sfnec_model_origin(model, s, before);
    sfnec_model_target(model, s, after);
    for (size_t c = 0; c < model->contexts.size; c++) {
      if (sfnec_effect_touches(model, sample->effect, c)) continue;
      before[model->scaling.slow[c]] = after[model->scaling.slow[c]] = tuple[c];
    }
    take_features(batch, model->sample_features + s * model->config->psi_size);
    status = add(batch, sample->action, sample->terminated);
  }
  if (!status) status = flush(batch);
  batch->count = 0;
  return status;
}

// Marks the samples whose labels are others in one of a few contexts.
static sfnec_status find_dependent(sfnec_judge *judge, uint8_t *depends) {
  enum { PROBES = 8 };
  const sfnec_model *model = judge->model;
  const uint32_t contexts = model->contexts.count;
  sfnec_status status = SFNEC_OK;
  for (uint32_t probe = 0; probe < PROBES && probe < contexts && !status; probe++) {
    const uint32_t number = (uint32_t)((uint64_t)contexts * (probe + 1) / (PROBES < contexts ? PROBES : contexts)) - 1;
    status = label_in(judge, sfnec_tuples_at(&model->contexts, number), NULL, model->sample_count);
    for (uint32_t s = 0; s < model->sample_count && !status; s++) depends[s] |= judge->found[s] != judge->labels[s];
  }
  for (uint32_t s = 0; s < model->sample_count; s++) {
    if (depends[s]) judge->samples[judge->count++] = s;
  }
  return status;
}

sfnec_status sfnec_judge_create(const sfnec_model *model, sfnec_reward_function function, void *context,
                                const float *labels, sfnec_judge **out) {
  *out = NULL;
  if (model->contexts.size == 0 || model->contexts.count < 2) return SFNEC_OK;
  sfnec_judge *judge = calloc(1, sizeof *judge);
  uint8_t *depends = calloc((size_t)model->sample_count + 1, sizeof *depends);
  sfnec_status status =
      judge && depends ? batch_init(&judge->batch, model->config, function, context) : sfnec_fail_memory("a plan");
  if (!status) {
    judge->model = model, judge->labels = labels;
    judge->samples = calloc((size_t)model->sample_count + 1, sizeof *judge->samples);
    judge->found = calloc((size_t)model->sample_count + 1, sizeof *judge->found);
    status = judge->samples && judge->found ? find_dependent(judge, depends) : sfnec_fail_memory("a plan");
  }
  free(depends);
  if (status || judge->count == 0) sfnec_judge_destroy(judge);
  else *out = judge;
  return status;
}

void sfnec_judge_destroy(sfnec_judge *judge) {
  if (!judge) return;
  batch_clear(&judge->batch);
  free(judge->samples), free(judge->found);
  free(judge);
}

sfnec_status sfnec_judge_ask(sfnec_judge *judge, const float *tuple, float **other) {
  const size_t count = judge->model->sample_count;
  if (!*other && !(*other = calloc(count + 1, sizeof **other))) return sfnec_fail_memory("a plan");
  const sfnec_status status = label_in(judge, tuple, judge->samples, judge->count);
  if (status) {
    judge->failed = status;
    snprintf(judge->sentence, sizeof judge->sentence, "%s", sfnec_last_error());
    memset(*other, 0, count * sizeof **other);
    return status;
  }
  for (uint32_t i = 0; i < judge->count; i++)
    (*other)[judge->samples[i]] = judge->found[i] - judge->labels[judge->samples[i]];
  return SFNEC_OK;
}

sfnec_status sfnec_judge_failure(const sfnec_judge *judge) {
  return judge && judge->failed ? sfnec_set_error(judge->failed, judge->sentence) : SFNEC_OK;
}

// ---- the last feature ----

float sfnec_label_effects(const sfnec_model *model, const float *labels, float *means, uint32_t *seen) {
  float greatest = 0.0f;
  for (uint32_t e = 0; e < model->effect_room; e++) seen[e] = 0, means[e] = 0.0f;
  for (uint32_t s = 0; s < model->sample_count; s++) {
    const sfnec_sample *sample = &model->samples[s];
    const uint32_t e = sample->effect;
    greatest = fmaxf(greatest, fabsf(labels[s]));
    if (e >= model->effect_room) continue;
    seen[e] = seen[e] < SFNEC_COUNT_KNOWN - sample->count ? seen[e] + sample->count : SFNEC_COUNT_KNOWN;
    means[e] += (float)sample->count / (float)seen[e] * (labels[s] - means[e]);
  }
  return greatest;
}

sfnec_status sfnec_labels_ask(const sfnec_planner *planner, sfnec_reward_function function, void *context,
                              sfnec_labels *out) {
  *out = (sfnec_labels){
      .samples = calloc((size_t)planner->model.sample_count + 1, sizeof(float)),
      .log = calloc((size_t)planner->encoder.log.count + 1, sizeof(float)),
      .waiting = calloc((size_t)planner->waiting + 1, sizeof(float)),
      .effects = calloc((size_t)planner->model.effect_room + 1, sizeof(float)),
  };
  uint32_t *seen = calloc((size_t)planner->model.effect_room + 1, sizeof *seen);
  sfnec_status status = SFNEC_OK;
  if (!out->samples || !out->log || !out->waiting || !out->effects || !seen)
    status = sfnec_fail_memory("the rewards of a model's transitions");
  if (!status) status = sfnec_label_samples(&planner->model, function, context, out->samples);
  if (!status) status = label_log(planner, function, context, out->log);
  if (!status) status = label_waiting(planner, function, context, out->waiting);
  if (!status) out->greatest = sfnec_label_effects(&planner->model, out->samples, out->effects, seen);
  free(seen);
  if (status) sfnec_labels_clear(out);
  return status;
}

void sfnec_labels_clear(sfnec_labels *labels) {
  free(labels->samples), free(labels->log), free(labels->waiting), free(labels->effects);
  *labels = (sfnec_labels){0};
}

static void swap(float *a, float *b) {
  const float kept = *a;
  *a = *b;
  *b = kept;
}

// Predictions that follow from other features; there is room for all that they may become.
static sfnec_status predict_again(sfnec_model *model) {
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  for (size_t i = 0; i < predictions; i++) model->predictions[i].dirty = true;
  sfnec_status status = SFNEC_OK;
  for (uint32_t state = 0; state < model->state_count && !status; state++)
    status = sfnec_model_make_predictions(model, state);
  return status;
}

sfnec_status sfnec_labels_swap(sfnec_planner *planner, sfnec_labels *labels) {
  sfnec_model *model = &planner->model;
  const size_t n = planner->config->psi_size, last = n - 1;
  // first the memory that may be missing
  sfnec_status status = sfnec_model_reserve_all_blocks(model);
  if (status) return status;
  for (uint32_t s = 0; s < model->sample_count; s++) swap(&labels->samples[s], &model->sample_features[s * n + last]);
  for (uint32_t t = 0; t < planner->waiting; t++) {
    const float kept = (float)planner->features[t * n + last];
    planner->features[t * n + last] = (double)labels->waiting[t];
    labels->waiting[t] = kept;
  }
  sfnec_transition_log_swap(&planner->encoder.log, last, labels->log);
  planner->encoder.feature_noise.reach[last] = 0.0f; // of the former rewards
  if (!model->fitted) return SFNEC_OK;
  for (uint32_t e = 0; e < model->effect_room; e++) swap(&labels->effects[e], &model->effect_features[e * n + last]);
  swap(&labels->greatest, &model->greatest[last]);
  return predict_again(model);
}
