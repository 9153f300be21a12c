// target_value.c: what an action targets, and what becomes of it.
//
// The value of an action targets what the next state is worth. Values are blended over states, so a target_value may be
// one of a state that cannot be reached, beyond a wall say, and then the next state targets the same again: the agent
// goes to and fro. If it comes to a state in circles, and that is worth less than was has_target, the action that
// has_target too much is worth that much less, under the present rewards and until its prediction is made anew: so one
// after the other gives way, and the agent gets out. (What is too much in one context counts in all.) And the state
// becomes a state of its own, unless there is one next to it.
#include <math.h>

#include "agent/plan/internal.h"

void sfnec_planner_note_target(sfnec_planner *planner, uint32_t action, double brought) {
  const double target_value = (double)planner->asked - (double)sfnec_bounded(brought, SFNEC_REWARD_MOST);
  planner->has_target = planner->model.fitted && action == planner->target_action; // not by one that was drawn instead
  planner->target_value =
      sfnec_bounded(target_value / fmax(planner->config->options.gamma, SFNEC_GAMMA_LEAST), SFNEC_VALUE_MOST);
}

// Whether the episode has come to the state and the context often of late.
static bool goes_in_circles(const sfnec_planner *planner) {
  uint32_t visits = 0;
  for (uint32_t i = 0; i < planner->path_count; i++) {
    visits += planner->path_states[i] == planner->state && planner->path_contexts[i] == planner->context;
  }
  return visits >= SFNEC_CIRCLES;
}

// The action of the last transition is worth less, as the next state is by so much. That counts with more than the
// discount, at most twice, as what targets too much should give way soon.
static void lower(sfnec_planner *planner, float gap) {
  // it may have been chance; and on a tabular nothing is blended, so that what is has_target is what was known
  if (sfnec_model_is_random(&planner->model) || sfnec_model_is_tabular(&planner->model)) return;
  const size_t state = planner->path_states[planner->path_count - 1];
  const size_t prediction = state * (size_t)planner->config->action_count + planner->target_action;
  sfnec_values_lower(&planner->values, prediction,
                     fminf(1.0f, SFNEC_LOWERED * sfnec_model_gamma(&planner->model)) * gap);
}

sfnec_status sfnec_planner_correct(sfnec_planner *planner, uint32_t table, float value) {
  sfnec_values *values = &planner->values;
  const float slack =
      fminf(SFNEC_MISSED_SCALE * values->reward_scale,
            SFNEC_MISSED_DISCOUNT * (1.0f - sfnec_model_gamma(&planner->model)) * fabsf(planner->target_value));
  if (!planner->has_target || !(planner->target_value - value > slack)) return SFNEC_OK;
  if (!goes_in_circles(planner)) return SFNEC_OK;
  planner->has_target = false; // it is mended once
  lower(planner, planner->target_value - value);
  const uint32_t before = planner->model.state_count;
  sfnec_status status = sfnec_model_refine(&planner->model, planner->work.key, SFNEC_REFINED, &planner->state);
  if (status || planner->model.state_count == before) return status;
  status = sfnec_model_make_predictions(&planner->model, planner->state);
  if (!status) status = sfnec_values_follow(values);
  if (!status) values->tables[table].v[planner->state] = value;
  return status;
}
