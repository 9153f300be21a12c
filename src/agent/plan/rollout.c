// rollout.c: what actions of a played state are worth, by following the plan from there in the model.
//
// Interpolated values may overestimate. Where the polynomial makes moves exact, a rollout is exact for longer, and only
// its end is valued by states. The best of the plan's own rollouts is a better policy than the plan (policy improvement
// by rollouts; Tesauro and Galperin 1996).
//
// Where steps only cost, a long rollout leads to where values overestimate most: there the lambda-return counts, the
// mean of what a rollout is worth after each of its steps, the first ones most (TD(lambda); Sutton 1988).
#include <math.h>
#include <string.h>

#include "agent/plan/internal.h"

// Errors of steps add up like those of a walk at random. A way is followed until they are as far as samples serve.
uint32_t sfnec_plan_rollout_steps(const sfnec_model *model) {
  const float actions = (float)model->config->action_count;
  if (model->polynomial.terms == 0 || !sfnec_model_uses(model, SFNEC_WITHOUT_ROLLOUTS)) return 0;
  const float far = (float)model->config->options.sample_reach * model->step /
                    fmaxf(model->polynomial.error, SFNEC_ERROR_LEAST * model->step);
  const float steps =
      fminf(fminf(far * far, (float)SFNEC_ROLLOUT_STEPS), (float)SFNEC_ROLLOUT_ASKED / (actions * actions));
  return steps < 2.0f ? 0 : (uint32_t)steps;
}

// Moves work->key and the table by the likeliest way of an action. False: nothing is known of it.
static bool imagine(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t *table,
                    uint32_t near, uint32_t action, float *reward, float *pessimism, bool *ends) {
  sfnec_prediction prediction;
  sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
  float rewards[SFNEC_PREDICTION_OUTCOMES];
  sfnec_model_predict(model, work->key, near, action, true, work->goal, &prediction, outcomes, work->features,
                      work->goals);
  sfnec_values_rewards(values, &prediction, work->features, rewards);
  const uint32_t likely = sfnec_values_likeliest(values, *table, &prediction, outcomes);
  if (likely == SFNEC_NONE) return false;
  const uint32_t condition = sfnec_values_condition(values, *table, &prediction, outcomes);
  const uint32_t to = sfnec_values_table_after(values, *table, outcomes[likely].effect);
  *pessimism = sfnec_values_pessimism(values, &prediction);
  const float brought = rewards[likely] + *pessimism + sfnec_values_other(values, *table, &outcomes[likely]);
  *reward = sfnec_outcome_is_again(&outcomes[likely], condition, *table, to) ? 0.0f : brought;
  *ends = outcomes[likely].terminal > SFNEC_PATH_LIKELY;
  *table = to;
  memcpy(work->key, work->goals + likely * model->stride, model->stride * sizeof *work->key);
  return true;
}

// A rollout, and what is known of all rollouts so far.
typedef struct way {
  float full; // its return, with the value of its end
  float mean; // lambda-return: of its returns after each of its steps
  float most; // greatest reward of a step, without pessimism
} way;

// Follows an action from work->key.
static void roll(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table, uint32_t near,
                 uint32_t action, uint32_t steps, way *to) {
  const float gamma = sfnec_model_gamma(model);
  float total = 0.0f, left = 1.0f, value = 0.0f, share = 1.0f;
  to->mean = 0.0f;
  for (uint32_t t = 0; t < steps && left > SFNEC_ROLLOUT_LEFT; t++) {
    float reward, pessimism, squared;
    bool ends;
    if (!imagine(model, values, work, &table, near, action, &reward, &pessimism, &ends)) {
      value = sfnec_values_unknown(values) / (1.0f - gamma);
      break;
    }
    to->most = fmaxf(to->most, reward);
    total += left * (reward - pessimism);
    left *= gamma;
    if (ends) {
      value = sfnec_values_terminal(values);
      break;
    }
    near = sfnec_model_nearest(model, work->search, work->key, &squared);
    value = sfnec_plan_evaluate(model, values, work, table, near, sfnec_values_mask(values, table, near));
    action = sfnec_plan_best(work, (uint32_t)model->config->action_count, gamma);
    to->mean += (1.0f - SFNEC_ROLLOUT_LAMBDA) * share * (total + left * value);
    share *= SFNEC_ROLLOUT_LAMBDA;
  }
  to->full = total + left * value;
  to->mean += share * to->full;
}

void sfnec_plan_rollouts(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table,
                         uint32_t state, const uint8_t *mask, uint32_t steps, double *q) {
  const uint32_t actions = (uint32_t)model->config->action_count;
  way each = {.most = -INFINITY};
  memcpy(work->start, work->key, model->stride * sizeof *work->key);
  for (uint32_t a = 0; a < actions; a++) {
    q[a] = -(double)INFINITY;
    work->means[a] = -INFINITY;
    if (!sfnec_mask_allows(mask, a)) continue;
    memcpy(work->key, work->start, model->stride * sizeof *work->key);
    roll(model, values, work, table, state, a, steps, &each);
    q[a] = (double)each.full;
    work->means[a] = each.mean;
  }
  const bool costs = each.most <= 0.0f && sfnec_model_uses(model, SFNEC_WITHOUT_LAMBDA_RETURNS);
  for (uint32_t a = 0; a < actions && costs; a++) q[a] = (double)work->means[a];
}
