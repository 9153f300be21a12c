// planner_act.c: acting: where the agent is, what actions are worth there, and which it takes; see planner.h.
#include "agent/plan/planner.h"

#include <math.h>
#include <string.h>

#include "agent/plan/internal.h"

// Finds the state and the context of the state.
sfnec_status sfnec_planner_locate(sfnec_planner *planner, const float *observation) {
  sfnec_model_key(&planner->model, observation, planner->work.key);
  if (planner->located) return SFNEC_OK;
  sfnec_status status = sfnec_model_state(&planner->model, planner->work.key, false, &planner->state);
  if (!status) status = sfnec_model_make_predictions(&planner->model, planner->state);
  if (!status) status = sfnec_values_follow(&planner->values);
  if (!status) status = sfnec_values_context(&planner->values, observation, &planner->context);
  planner->located = !status;
  return status;
}

float sfnec_plan_evaluate(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table,
                          uint32_t state, const uint8_t *mask) {
  const float gamma = sfnec_model_gamma(model);
  float best = -INFINITY;
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
    work->rest[a] = -INFINITY;
    work->own[a] = 0.0f;
    if (!sfnec_mask_allows(mask, a)) continue;
    sfnec_prediction prediction;
    sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
    float rewards[SFNEC_PREDICTION_OUTCOMES];
    sfnec_model_predict(model, work->key, state, a, true, work->goal, &prediction, outcomes, work->features, NULL);
    sfnec_values_rewards(values, &prediction, work->features, rewards);
    sfnec_values_q(values, table, SFNEC_NONE, &prediction, outcomes, rewards, &work->rest[a], &work->own[a]);
    if (values->overestimate)
      work->rest[a] -= values->overestimate[(size_t)state * (size_t)model->config->action_count + a];
    best = fmaxf(best, work->rest[a] / (1.0f - gamma * work->own[a]));
  }
  return sfnec_value_bounded(best);
}

uint32_t sfnec_plan_best(const sfnec_workspace *work, uint32_t actions, float gamma) {
  uint32_t best = 0;
  for (uint32_t a = 1; a < actions; a++) {
    if (work->rest[a] / (1.0f - gamma * work->own[a]) > work->rest[best] / (1.0f - gamma * work->own[best])) best = a;
  }
  return best;
}

// The best allowed action of what was looked at last, and its value (best).
static int32_t pick(const sfnec_workspace *work, uint32_t actions, const uint8_t *mask, float gamma, float value,
                    sfnec_random *ties, float *best) {
  sfnec_argmax most = sfnec_argmax_begin(mask);
  for (uint32_t a = 0; a < actions; a++) {
    if (!sfnec_mask_allows(mask, a)) continue;
    const float q = work->rest[a] + gamma * work->own[a] * value;
    sfnec_argmax_offer(&most, a, (double)q, ties);
  }
  *best = sfnec_value_bounded((float)most.most);
  return (int32_t)most.action;
}

// Takes the mask of an observation, which the state that the planner is in may have had otherwise.
sfnec_status sfnec_planner_note_mask(sfnec_planner *planner, const float *observation, const uint8_t *mask) {
  bool changed;
  const uint32_t state = planner->model.fitted ? planner->state : SFNEC_NONE;
  const sfnec_status status = sfnec_masks_note(&planner->masks, state, observation, mask, &changed);
  if (status || !changed) return status;
  planner->values.model_clock = ++planner->values.clock;
  planner->model.version++;
  return SFNEC_OK;
}

// The action before there is a model: any.
static int32_t pick_any(const sfnec_planner *planner, const uint8_t *mask, sfnec_random *ties) {
  const uint32_t count = sfnec_mask_count(mask, (uint32_t)planner->config->action_count);
  return (int32_t)sfnec_mask_nth(mask, ties ? sfnec_random_below(ties, count)
                                            : (uint32_t)(planner->steps % (count ? count : 1)));
}

static void begin_episode(sfnec_planner *planner, const float *observation) {
  planner->in_episode = planner->has_start = true;
  planner->has_target = false;
  planner->path_count = 0;
  memcpy(planner->start, observation, planner->config->observation_size * sizeof *observation);
}

// Makes room for what acting adds: the state, one more to leave circles, their predictions, a context and its table.
// After that only the index may be without memory, for a key that is the first thing to be added: acting happens or
// not.
static sfnec_status reserve_acting(sfnec_planner *planner) {
  enum { STATES = 2 };
  sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)model->config->action_count;
  sfnec_status status = sfnec_model_reserve(model, model->state_count + STATES, model->sample_count,
                                            model->block_count + STATES * actions);
  if (!status) status = sfnec_values_follow(&planner->values);
  return status ? status : sfnec_values_reserve_table(&planner->values);
}

// Finds the state of an observation, where an action will be taken: by the agent, or in a log.
static sfnec_status arrive(sfnec_planner *planner, const float *observation) {
  if (!planner->model.fitted) return SFNEC_OK;
  const sfnec_status status = reserve_acting(planner);
  return status ? status : sfnec_planner_locate(planner, observation);
}

// Begins an episode there, unless one is running.
static void enter(sfnec_planner *planner, const float *observation) {
  if (planner->in_episode) return;
  begin_episode(planner, observation);
  if (!planner->model.fitted) return;
  planner->values.start_state = planner->state;
  planner->values.start_context = planner->context;
}

sfnec_status sfnec_planner_follow(sfnec_planner *planner, const float *observed) {
  const float *observation = sfnec_belief_at(&planner->belief, &planner->encoder.filter, observed);
  const sfnec_status status = arrive(planner, observation);
  if (status) return status;
  enter(planner, observation);
  planner->follows = true;
  planner->has_target = false; // its own choice was not asked for
  return SFNEC_OK;
}

sfnec_status sfnec_planner_act(sfnec_planner *planner, const float *observed, const uint8_t *mask, sfnec_random *ties,
                               sfnec_choice *choice) {
  const float *observation = sfnec_belief_at(&planner->belief, &planner->encoder.filter, observed);
  const uint32_t actions = (uint32_t)planner->config->action_count;
  sfnec_values *values = &planner->values;
  sfnec_status status = arrive(planner, observation);
  if (!status) status = sfnec_planner_note_mask(planner, observation, mask);
  if (status) return status;
  enter(planner, observation);
  planner->follows = false;
  if (!planner->model.fitted) {
    choice->action = pick_any(planner, mask, ties);
    choice->value = 0.0;
    return SFNEC_OK;
  }
  const uint32_t table = sfnec_values_table(values, planner->context);
  sfnec_values_backup(values, table, planner->state, NULL);
  const float value = sfnec_plan_evaluate(&planner->model, values, &planner->work, table, planner->state, mask);
  const float gamma = sfnec_model_gamma(&planner->model);
  choice->action = pick(&planner->work, actions, mask, gamma, value, ties, &planner->asked);
  choice->value = (double)planner->asked;
  // the action stands whether there was memory for the rest or not; observing says so
  const uint32_t before = planner->state;
  status = sfnec_planner_correct(planner, table, planner->asked);
  if (!status && planner->state != before)
    status = sfnec_planner_note_mask(planner, observation, mask); // it is a state of its own
  planner->target_action = (uint32_t)choice->action; // the target value that was kept or missed was of the last one
  values->starved |= status != SFNEC_OK;
  return SFNEC_OK;
}
