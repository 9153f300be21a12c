// rollout.c: what actions of a played state are worth, by following the plan from there in the model.
//
// Values of places are blended, and a value that promises too much sends the agent the wrong way. Where the trend makes
// moves exact, a way can be followed from state to state, without places: then only its end is valued by them. The
// plan's own way after each action, and the best of these, is a better policy than the plan (rollouts; Tesauro and
// Galperin 1996). It is followed for as many steps as errors need to add up to a place.
#include <math.h>
#include <string.h>

#include "agent/plan/state.h"

enum { STEPS_MOST = 20 };
static const float NOTHING_LEFT = 0.01f; // of what the end may still count

uint32_t sfnec_plan_rollout_steps(const sfnec_model *model) {
  if (model->trend.terms == 0 || sfnec_model_is_random(model)) return 0;
  const float steps = model->radius / fmaxf(model->trend.error, 1e-9f * model->radius);
  return steps < 2.0f ? 0 : steps < (float)STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
}

// Moves work->key and the layer by the likeliest way of an action. False: nothing is known of it.
static bool imagine(const sfnec_model *model, sfnec_values *values, sfnec_plan_work *work, uint32_t *layer,
                    uint32_t near, uint32_t action, float *reward, bool *ends) {
  sfnec_row row;
  sfnec_part parts[SFNEC_ROW_PARTS];
  float rewards[SFNEC_ROW_PARTS];
  sfnec_goals goals = {.keys = work->goals};
  sfnec_model_ask(model, work->key, near, action, true, work->goal, &row, parts, work->features, &goals);
  sfnec_values_rewards(values, &row, work->features, rewards);
  const uint32_t likely = sfnec_values_likeliest(values, *layer, &row, parts);
  if (likely == SFNEC_NONE) return false;
  const uint32_t variant = sfnec_values_variant(values, *layer, &row, parts);
  const uint32_t to = sfnec_values_child(values, *layer, parts[likely].effect);
  *reward = sfnec_part_is_again(&parts[likely], variant, *layer, to) ? 0.0f : rewards[likely];
  *ends = goals.ends[likely];
  *layer = to;
  memcpy(work->key, goals.keys + likely * model->stride, model->stride * sizeof *work->key);
  return true;
}

// What follows an action from work->key.
static float roll(const sfnec_model *model, sfnec_values *values, sfnec_plan_work *work, uint32_t layer, uint32_t near,
                  uint32_t action, uint32_t steps) {
  const float gamma = sfnec_model_gamma(model);
  float total = 0.0f, left = 1.0f, value = 0.0f;
  for (uint32_t t = 0; t < steps && left > NOTHING_LEFT; t++) {
    float reward, squared;
    bool ends;
    if (!imagine(model, values, work, &layer, near, action, &reward, &ends)) {
      return total + left * sfnec_values_unknown(values) / (1.0f - gamma);
    }
    total += left * reward;
    left *= gamma;
    if (ends) return total + left * sfnec_values_terminal(values);
    near = sfnec_model_nearest(model, work->search, work->key, &squared);
    value = sfnec_plan_look(model, values, work, layer, near);
    action = sfnec_plan_best(work, (uint32_t)model->config->action_count, gamma);
  }
  return total + left * value;
}

void sfnec_plan_rollouts(const sfnec_model *model, sfnec_values *values, sfnec_plan_work *work, uint32_t layer,
                         uint32_t place, uint32_t steps, double *q) {
  memcpy(work->start, work->key, model->stride * sizeof *work->key);
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
    memcpy(work->key, work->start, model->stride * sizeof *work->key);
    q[a] = (double)roll(model, values, work, layer, place, a, steps);
  }
}
