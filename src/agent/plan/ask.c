// ask.c: questions to a planner. Each scratch has plans of its own for the weights that are asked about (plans.c),
// without the bonus, and with `pessimism` taken where the model extrapolates (pessimism in the face of uncertainty).
// Played episodes correct what the plan overestimates (correction.c).
// See planner.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "base/error.h"

// ---- life ----

sfnec_status sfnec_plan_scratch_create(const sfnec_planner *planner, sfnec_plan_scratch **out) {
  sfnec_plan_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch) return sfnec_fail_memory("the scratch of a plan");
  const int64_t most = planner->config->options.question_backups;
  scratch->planner = planner;
  scratch->most = most > 0 ? most : INT64_MAX / 2;
  sfnec_status status = sfnec_workspace_init(&scratch->work, planner->config);
  scratch->plan = scratch->plans;
  scratch->played = calloc(planner->config->observation_size, sizeof *scratch->played);
  scratch->played_mask = calloc((size_t)planner->config->action_count, sizeof *scratch->played_mask);
  scratch->played_q = calloc((size_t)planner->config->action_count, sizeof *scratch->played_q);
  if (!status) status = sfnec_belief_init(&scratch->belief, planner->config->observation_size);
  if (!status && (!scratch->played || !scratch->played_mask || !scratch->played_q))
    status = sfnec_fail_memory("the scratch of a plan");
  if (status) {
    sfnec_plan_scratch_destroy(scratch);
    return status;
  }
  *out = scratch;
  return SFNEC_OK;
}

void sfnec_plan_scratch_destroy(sfnec_plan_scratch *scratch) {
  if (!scratch) return;
  for (size_t i = 0; i < SFNEC_QUESTION_PLANS; i++) sfnec_values_clear(&scratch->plans[i].values);
  sfnec_relabelled_clear(&scratch->relabelled);
  sfnec_workspace_clear(&scratch->work);
  free(scratch->views), free(scratch->played), free(scratch->played_mask), free(scratch->played_q);
  sfnec_belief_clear(&scratch->belief);
  free(scratch);
}

// ---- where an observation is ----

// The table of an observation, planned for, and the state nearest to it.
static sfnec_status locate(sfnec_plan_scratch *scratch, const float *observation, uint32_t *table, uint32_t *state) {
  const sfnec_model *model = &scratch->planner->model;
  sfnec_values *values = &scratch->plan->values;
  uint32_t context;
  float squared;
  sfnec_model_key(model, observation, scratch->work.key);
  *state = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
  sfnec_status status = sfnec_values_context(values, observation, &context);
  if (status) return status;
  const bool known = values->table_of[context] != SFNEC_NONE && values->tables[values->table_of[context]].swept >= 0;
  status = known ? SFNEC_OK : sfnec_plan_scratch_extend(scratch, context, *state);
  if (status) return status;
  *table = sfnec_values_table(values, context);
  return sfnec_plan_scratch_check(scratch);
}

sfnec_status sfnec_plan_scratch_locate(sfnec_plan_scratch *scratch, const float *observation, const double *w,
                                       uint32_t *table, uint32_t *state) {
  const sfnec_status status = sfnec_plan_scratch_prepare(scratch, w);
  return status ? status : locate(scratch, observation, table, state);
}

// The values of the actions of a state, by a backup; -infinity where the mask does not allow one.
static void evaluate_actions(sfnec_plan_scratch *scratch, uint32_t table, uint32_t state, const uint8_t *mask,
                             double *q) {
  const sfnec_model *model = scratch->plan->values.model;
  const float value = sfnec_plan_evaluate(model, &scratch->plan->values, &scratch->work, table, state, mask);
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
    q[a] = (double)(scratch->work.rest[a] + sfnec_model_gamma(model) * scratch->work.own[a] * value);
  }
}

sfnec_status sfnec_plan_ask(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const double *w, double *q) {
  for (int32_t a = 0; a < planner->config->action_count; a++) q[a] = 0.0;
  if (!planner->model.fitted) return SFNEC_OK; // nothing is known yet
  uint32_t table, state;
  const sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (!status) evaluate_actions(scratch, table, state, NULL, q);
  return status;
}

// ---- playing ----
//
// A plan that does not learn oscillates where the world is not as its model says: at the corner of a wall, say. So
// what follows an action of a played episode corrects its value (correction.c) until the episode ends. The plan stays
// as it is, and so do the answers to other questions.

// The values of actions, by rollouts if the model is exact enough for them.
static sfnec_status foresee(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const uint8_t *mask, uint32_t table, uint32_t state) {
  const uint32_t steps = sfnec_plan_rollout_steps(&planner->model);
  if (steps == 0) {
    evaluate_actions(scratch, table, state, mask, scratch->played_q);
  } else {
    sfnec_plan_rollouts(scratch->plan->values.model, &scratch->plan->values, &scratch->work, table, state, mask, steps,
                        scratch->played_q);
  }
  const size_t d = planner->config->observation_size;
  scratch->has_played = true;
  scratch->played_state = state;
  scratch->played_context = scratch->plan->values.tables[table].context;
  memcpy(scratch->played, observation, d * sizeof *observation);
  for (int32_t a = 0; a < planner->config->action_count; a++)
    scratch->played_mask[a] = sfnec_mask_allows(mask, (uint32_t)a);
  return sfnec_plan_scratch_check(scratch);
}

// Whether an observation was looked at last, where these actions were allowed.
static bool was_played(const sfnec_plan_scratch *scratch, const float *observation, const uint8_t *mask) {
  const sfnec_psi_config *config = scratch->planner->config;
  bool same =
      scratch->has_played && memcmp(scratch->played, observation, config->observation_size * sizeof *observation) == 0;
  for (int32_t a = 0; a < config->action_count && same; a++)
    same = scratch->played_mask[a] == sfnec_mask_allows(mask, (uint32_t)a);
  return same;
}

// Evaluates an observation that is played, unless it was the last one: one that feedback has evaluated is played next.
static sfnec_status look(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                         const uint8_t *mask, const double *w) {
  sfnec_status status = sfnec_plan_scratch_prepare(scratch, w);
  if (status || was_played(scratch, observation, mask)) return status;
  uint32_t table, state;
  scratch->has_played = false;
  status = locate(scratch, sfnec_belief_at(&scratch->belief, &planner->encoder.filter, observation), &table, &state);
  return status ? status : foresee(planner, scratch, observation, mask, table, state);
}

// The corrected value of an action of the observation that was looked at.
static double corrected(const sfnec_plan_scratch *scratch, uint32_t action) {
  const float correction =
      sfnec_correction_of(&scratch->corrections, scratch->played_state, scratch->played_context, action);
  return scratch->played_q[action] - (double)correction;
}

static double greatest_corrected(const sfnec_plan_scratch *scratch) {
  const uint32_t actions = (uint32_t)scratch->planner->config->action_count;
  double most = corrected(scratch, 0); // -infinity where it was not allowed
  for (uint32_t a = 1; a < actions; a++) most = fmax(most, corrected(scratch, a));
  return most;
}

sfnec_status sfnec_plan_play(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                             const uint8_t *mask, const double *w, double *q, double *value) {
  if (!planner->model.fitted) {
    *value = 0.0;
    return sfnec_plan_ask(planner, scratch, observation, w, q);
  }
  const sfnec_status status = look(planner, scratch, observation, mask, w);
  if (status) return status;
  *value = scratch->played_q[0]; // of the plan: corrections are for this episode alone
  for (uint32_t a = 0; a < (uint32_t)planner->config->action_count; a++) {
    q[a] = corrected(scratch, a);
    *value = fmax(*value, scratch->played_q[a]);
  }
  return SFNEC_OK;
}

// Whether an action led to within a radius of one of so many states that the plan foresaw.
static bool was_foreseen(const sfnec_model *model, const sfnec_workspace *work, uint32_t goals, const float *after) {
  bool any = false;
  sfnec_model_key(model, after, work->key);
  for (uint32_t i = 0; i < goals && !any; i++) {
    float squared;
    model->config->simd->squared_distances(work->key, work->goals + i * model->stride, model->stride, 1, model->stride,
                                           &squared);
    any = squared < model->radius * model->radius;
  }
  return any;
}

// The variance of what the plan expects of an action of the observation that was looked at; work.goals become the
// so many states that it may lead to.
static sfnec_status expect(sfnec_plan_scratch *scratch, const float *observation, uint32_t action, double *variance,
                           uint32_t *goal_count) {
  const sfnec_model *model = scratch->plan->values.model;
  sfnec_workspace *work = &scratch->work;
  const uint32_t table = sfnec_values_table(&scratch->plan->values, scratch->played_context);
  if (table == SFNEC_NONE) return sfnec_plan_scratch_check(scratch);
  sfnec_prediction prediction;
  sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
  sfnec_sample_share shares[SFNEC_SHARES];
  sfnec_model_key(model, observation, work->key);
  sfnec_model_predict(model, work->key, scratch->played_state, action, true, work->goal, &prediction, outcomes,
                      work->features, work->goals);
  const uint32_t count = sfnec_model_samples(model, work->key, scratch->played_state, action, shares);
  *goal_count = prediction.outcome_count;
  *variance = sfnec_values_variance(&scratch->plan->values, table, &prediction, shares, count);
  return sfnec_plan_scratch_check(scratch);
}

// Looks at the observation of feedback, which usually is the one that was looked at last.
static sfnec_status look_back(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation) {
  const sfnec_psi_config *config = planner->config;
  const bool last =
      scratch->has_played && memcmp(scratch->played, observation, config->observation_size * sizeof *observation) == 0;
  const uint8_t *mask = last ? sfnec_mask_or_none(scratch->played_mask, (uint32_t)config->action_count) : NULL;
  return look(planner, scratch, observation, mask, scratch->plan->values.w);
}

sfnec_status sfnec_plan_tell(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *before,
                             const sfnec_transition *transition) {
  if (!scratch->plan->begun || scratch->plan->version != planner->model.version) return SFNEC_OK; // nothing was played
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_FEEDBACK)) return SFNEC_OK;
  if (transition->terminated || transition->truncated) {
    sfnec_corrections_clear(&scratch->corrections);
    return SFNEC_OK;
  }
  const uint32_t action = (uint32_t)transition->action;
  double variance = 0.0;
  uint32_t goals = 0;
  const sfnec_filter *filter = &planner->encoder.filter;
  // of the observation that was chosen in, all actions that were allowed then
  sfnec_status status = look_back(planner, scratch, before);
  if (!status) status = expect(scratch, sfnec_belief_at(&scratch->belief, filter, before), action, &variance, &goals);
  if (status) return status;
  const uint32_t state = scratch->played_state, context = scratch->played_context;
  const double q = scratch->played_q[action];
  const float *after = transition->next_observation;
  sfnec_belief_follow(&scratch->belief, filter, action, &before, &after);
  // rollouts from both states differ by where they end: that says nothing of an action that led where it should
  const bool follows = sfnec_plan_rollout_steps(&planner->model) > 0;
  if (follows && was_foreseen(&planner->model, &scratch->work, goals, after)) return SFNEC_OK;
  status = look(planner, scratch, transition->next_observation, transition->next_mask, scratch->plan->values.w);
  if (status) return status;
  const double target = transition->reward + (double)sfnec_model_gamma(&planner->model) * greatest_corrected(scratch);
  const double error = q - target;
  variance += (double)sfnec_model_randomness(&planner->model) * error * error; // there may be outcomes not seen yet
  sfnec_corrections_add(&scratch->corrections, state, context, action, error, variance);
  return SFNEC_OK;
}
