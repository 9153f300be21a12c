// conditions.c: which components of the context a prediction is conditioned on (a factored model, as in Boutilier et
// al. 2000): those that the action changes, and those in which samples differ that went different ways. See model.h.
#include <math.h>

#include "agent/plan/model.h"

bool sfnec_prediction_agrees(const sfnec_model *model, const sfnec_prediction *prediction, uint32_t a, uint32_t b) {
  if (prediction->whole) return a == b;
  const float *x = sfnec_tuples_at(&model->contexts, a), *y = sfnec_tuples_at(&model->contexts, b);
  for (uint32_t i = 0; i < prediction->relevant_count; i++) {
    if (x[prediction->relevant[i]] != y[prediction->relevant[i]]) return false;
  }
  return true;
}

static void mark_relevant(sfnec_prediction *prediction, uint32_t component) {
  for (uint32_t i = 0; i < prediction->relevant_count; i++) {
    if (prediction->relevant[i] == component) return;
  }
  if (prediction->relevant_count < SFNEC_PREDICTION_RELEVANT)
    prediction->relevant[prediction->relevant_count++] = component;
}

static void add_relevant(const sfnec_model *model, uint32_t effect, sfnec_prediction *prediction) {
  for (uint32_t c = 0; effect != 0 && c < model->contexts.size; c++) {
    if (sfnec_effect_touches(model, effect, c)) mark_relevant(prediction, c);
  }
}

// Whether two samples that began in the same state, but for the context, went different ways.
static bool differ(const sfnec_model *model, uint32_t a, uint32_t b) {
  const sfnec_sample *x = &model->samples[a], *y = &model->samples[b];
  const size_t n = model->config->psi_size;
  const float *xo = model->origins + a * model->stride, *yo = model->origins + b * model->stride;
  const float *xt = model->targets + a * model->stride, *yt = model->targets + b * model->stride;
  float away = 0.0f, turn = 0.0f;
  for (size_t i = 0; i < model->stride; i++) {
    away += (xo[i] - yo[i]) * (xo[i] - yo[i]);
    turn += (xt[i] - yt[i]) * (xt[i] - yt[i]);
  }
  if (away > SFNEC_ORIGIN_SQUARED * model->radius * model->radius) return false;
  if (x->terminated != y->terminated || turn > SFNEC_TURN_SQUARED * model->step * model->step) return true;
  for (size_t i = 0; i < n; i++) {
    const float *f = model->sample_features;
    if (fabsf(f[a * n + i] - f[b * n + i]) > SFNEC_FEATURE_DIFFERS * model->greatest[i]) return true;
  }
  return false;
}

// Whether a context has seen both what a sample shows and something else: then chance plays a part in it.
static bool goes_both_ways(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t context,
                           uint32_t sample) {
  bool alike = false, otherwise = false;
  for (uint32_t i = 0; i < count; i++) {
    if (model->samples[found[i].sample].before != context) continue;
    *(differ(model, found[i].sample, sample) ? &otherwise : &alike) = true;
  }
  return alike && otherwise;
}

// Whether chance explains, if tabular, why one of two samples of different contexts was an end and the other was not: a
// context has seen both; or, in a world that has surprised, one of them was seen once or twice and there is little
// else.
static bool is_chance(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t a,
                      uint32_t b) {
  const sfnec_sample *x = &model->samples[a], *y = &model->samples[b];
  if (x->terminated == y->terminated || !sfnec_model_uses(model, SFNEC_WITHOUT_CHANCE)) return false;
  const bool few = (x->count < SFNEC_CHANCE_FEW || y->count < SFNEC_CHANCE_FEW) && x->count < SFNEC_CHANCE_MUCH &&
                   y->count < SFNEC_CHANCE_MUCH;
  return (few && model->surprises > 0.0) || goes_both_ways(model, found, count, x->before, b) ||
         goes_both_ways(model, found, count, y->before, a);
}

// Components of the context in which samples differ that went different ways.
static void add_differences(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t a,
                            uint32_t b, sfnec_prediction *prediction) {
  const uint32_t before = model->samples[a].before, other = model->samples[b].before;
  if (before == other || !differ(model, a, b)) return;
  if (sfnec_model_is_tabular(model)) {
    // a component that is relevant already is the reason
    if (!sfnec_prediction_agrees(model, prediction, before, other) || is_chance(model, found, count, a, b)) return;
  }
  const float *x = sfnec_tuples_at(&model->contexts, before), *y = sfnec_tuples_at(&model->contexts, other);
  for (uint32_t c = 0; c < model->contexts.size; c++) {
    if (x[c] != y[c]) mark_relevant(prediction, c);
  }
}

void sfnec_prediction_condition(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count,
                                sfnec_prediction *prediction) {
  for (uint32_t i = 0; i < count; i++) add_relevant(model, model->samples[found[i].sample].effect, prediction);
  const bool compares = model->contexts.size > 0 && sfnec_model_uses(model, SFNEC_WITHOUT_DIFFERENCES);
  for (uint32_t i = 0; i < count && compares; i++) {
    for (uint32_t j = 0; j < i; j++) add_differences(model, found, count, found[i].sample, found[j].sample, prediction);
  }
  // an end may be another one in another context: a few are tried
  prediction->whole = sfnec_model_is_tabular(model) && model->contexts.size > 0 && count < SFNEC_CONDITIONS &&
                      sfnec_model_uses(model, SFNEC_WITHOUT_OTHER_ENDS);
  for (uint32_t i = 0; i < count; i++) prediction->whole &= model->samples[found[i].sample].terminated;
}
