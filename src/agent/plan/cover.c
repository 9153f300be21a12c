// cover.c: what the transitions behind a plan cover: which actions of which states were tried, and where the planned
// path from a state leaves them. The value of that state is only as good as the model: its standard error is that of
// the predictions along the path, each the variance of r + gamma V(next) over the transitions that it is made of,
// divided by their number (the delta method; Mannor et al. 2007), with the weight gamma^2t. What nobody tried it does
// not know.
#include <math.h>

#include "agent/plan/internal.h"
#include "base/error.h"

static const float OUTSIDE = 1.0f;  // steps from the nearest transition of an action, beyond which a plan extrapolates
static const double IGNORED = 1e-3; // discounted weight from which the rest of a path does not matter
enum { LONGEST = 10000 };           // steps of a path

static void count_choices(const sfnec_model *model, sfnec_plan_coverage *coverage) {
  const size_t actions = (size_t)model->config->action_count;
  for (uint32_t p = 0; p < model->state_count; p++) {
    if (model->states[p].terminal) continue;
    coverage->states++;
    for (size_t a = 0; a < actions; a++) {
      coverage->choices++;
      coverage->tried += model->cells[p * actions + a] != SFNEC_NONE;
      coverage->near += model->predictions[p * actions + a].distance <= OUTSIDE;
    }
  }
}

// What the plan does in the state of work->key.
typedef struct planned {
  uint32_t action;
  bool outside;
  double variance; // of the mean of what follows
} planned;

static planned look(sfnec_plan_scratch *scratch, uint32_t table, uint32_t state) {
  sfnec_values *values = &scratch->plan->values;
  sfnec_workspace *work = &scratch->work;
  const sfnec_model *model = values->model;
  planned now = {.action = sfnec_plan_best(work, (uint32_t)model->config->action_count, sfnec_model_gamma(model))};
  sfnec_prediction prediction;
  sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
  sfnec_sample_share shares[SFNEC_SHARES];
  sfnec_model_predict(model, work->key, state, now.action, true, work->goal, &prediction, outcomes, work->features,
                      NULL);
  const uint32_t count = sfnec_model_samples(model, work->key, state, now.action, shares);
  now.outside = prediction.outcome_count == 0 || prediction.distance > OUTSIDE;
  now.variance =
      sfnec_values_variance(values, table, &prediction, shares, count) / (double)fmaxf(1.0f, prediction.seen);
  return now;
}

sfnec_status sfnec_plan_ask_coverage(const sfnec_planner *planner, sfnec_plan_scratch *scratch,
                                     const float *observation, const double *w, size_t most, float *observations,
                                     int32_t *actions, sfnec_plan_coverage *coverage) {
  const size_t d = planner->config->observation_size;
  *coverage = (sfnec_plan_coverage){0};
  if (!planner->model.fitted)
    return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no model yet: it is fitted after 100 transitions");
  count_choices(&planner->model, coverage);
  uint32_t table, state;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (status) return status;
  sfnec_values *values = &scratch->plan->values;
  const sfnec_model *model = values->model;
  const double gamma = (double)sfnec_model_gamma(model);
  double discount = 1.0, variance = 0.0;
  coverage->value =
      (double)sfnec_plan_evaluate(model, values, &scratch->work, table, state, sfnec_values_mask(values, table, state));
  while (coverage->steps < LONGEST && discount > IGNORED && !model->states[state].terminal) {
    const planned now = look(scratch, table, state);
    coverage->steps++;
    variance += discount * discount * now.variance;
    if (now.outside && (size_t)coverage->outside < most) {
      const float *context = sfnec_tuples_at(&values->contexts, values->tables[table].context);
      float *at = observations + (size_t)coverage->outside * d;
      for (size_t i = 0; i < d; i++) at[i] = 0.0f; // components that the model does not use
      if (!model->projects) sfnec_model_restore(model, scratch->work.key, context, at);
      actions[coverage->outside] = (int32_t)now.action;
    }
    coverage->outside += now.outside;
    if (!sfnec_plan_follow_likeliest(scratch, &table, state, now.action)) break;
    float squared;
    state = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
    sfnec_plan_evaluate(model, values, &scratch->work, table, state, sfnec_values_mask(values, table, state));
    discount *= gamma;
  }
  coverage->error = sqrt(variance);
  return sfnec_plan_scratch_check(scratch);
}

const float *sfnec_planner_start(const sfnec_planner *planner) {
  return planner->has_start ? planner->start : NULL;
}
