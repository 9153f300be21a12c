// correction.c: what is taken from the value of an action that the plan overestimates, by what followed it.
//
// Values are interpolated between states and moves between samples, so a plan may lead to and fro at the corner of a
// wall. As in real-time search (LRTA*; Korf 1990) an action's value in a state is therefore lowered to what was seen of
// it: by its temporal-difference error q - (r + gamma V(next)), where V(next) is corrected too. One action after the
// other gives way, and the agent gets out. Chance has errors as well: the errors of an action are summed, and a sum of
// n counts as far as it exceeds the standard deviation sqrt(n) sigma that the model itself expects of r + gamma V(next)
// (a positive-part shrinkage; James and Stein 1961). The correction is then the mean over as many of the last visits as
// it takes to tell the error from chance: the last one alone where sigma is zero, all of them where it is great.
//
// In play (ask.c) corrections last for an episode, and the plan stays as it is; where it follows rollouts, only what
// did not end as foreseen is corrected. While it learns (below) the agent lowers an action only if it comes to a state
// in circles, until the prediction is made or weighed again, and in all contexts; the state becomes a representative of
// its own, unless there is one next to it.
#include <math.h>

#include "agent/plan/internal.h"

void sfnec_planner_note_target(sfnec_planner *planner, uint32_t action, double brought) {
  const double target_value = (double)planner->asked - (double)sfnec_bounded(brought, SFNEC_REWARD_MOST);
  planner->has_target = planner->model.fitted && action == planner->target_action; // not by one that was drawn instead
  planner->target_value =
      sfnec_bounded(target_value / fmax(planner->config->options.gamma, SFNEC_GAMMA_LEAST), SFNEC_VALUE_MOST);
}

// ---- the table ----

void sfnec_corrections_clear(sfnec_corrections *corrections) {
  corrections->count = corrections->next = 0;
}

// The entry of an action of a state in a context, or SFNEC_NONE.
static uint32_t find(const sfnec_corrections *corrections, uint32_t state, uint32_t context, uint32_t action) {
  for (uint32_t i = 0; i < corrections->count; i++) {
    const sfnec_correction *each = &corrections->items[i];
    if (each->state == state && each->context == context && each->action == action) return i;
  }
  return SFNEC_NONE;
}

float sfnec_correction_of(const sfnec_corrections *corrections, uint32_t state, uint32_t context, uint32_t action) {
  const uint32_t found = find(corrections, state, context, action);
  return found == SFNEC_NONE ? 0.0f : corrections->items[found].amount;
}

void sfnec_corrections_add(sfnec_corrections *corrections, uint32_t state, uint32_t context, uint32_t action,
                           double gap, double variance) {
  const double error = (double)sfnec_bounded(gap, SFNEC_OVERESTIMATE_MOST);
  uint32_t entry = find(corrections, state, context, action);
  if (entry == SFNEC_NONE) {
    entry = corrections->next;
    corrections->items[entry] = (sfnec_correction){.state = state, .context = context, .action = action};
    corrections->next = (entry + 1) % SFNEC_CORRECTIONS;
    if (corrections->count < SFNEC_CORRECTIONS) corrections->count++;
  }
  sfnec_correction *to = &corrections->items[entry];
  to->visits++;
  to->sum += error;
  const double explained = variance * to->visits;
  const double chance = to->sum > 0.0 ? fmin(1.0, explained / (to->sum * to->sum)) : 1.0;
  to->mean += (error - to->mean) / (1.0 + (to->visits - 1) * chance);
  to->amount = sfnec_bounded(fmax(0.0, (1.0 - chance) * to->mean), SFNEC_OVERESTIMATE_MOST);
}

// ---- learning ----

// Whether the episode has come to the state and the context often of late.
static bool goes_in_circles(const sfnec_planner *planner) {
  uint32_t visits = 0;
  for (uint32_t i = 0; i < planner->path_count; i++) {
    visits += planner->path_states[i] == planner->state && planner->path_contexts[i] == planner->context;
  }
  return visits >= SFNEC_CIRCLES;
}

// Lowers the value of the last action by how much less the next state is worth than expected. The difference counts by
// up to twice the discount, as an action that is overestimated should give way soon.
static void lower(sfnec_planner *planner, float gap) {
  // it may have been chance; and in a tabular regime nothing is interpolated, so values overestimate nothing
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
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_CIRCLES) || !goes_in_circles(planner)) return SFNEC_OK;
  planner->has_target = false; // each error counts once
  lower(planner, planner->target_value - value);
  const uint32_t before = planner->model.state_count;
  sfnec_status status = sfnec_model_refine(&planner->model, planner->work.key, SFNEC_REFINED, &planner->state);
  if (status || planner->model.state_count == before) return status;
  status = sfnec_model_make_predictions(&planner->model, planner->state);
  if (!status) status = sfnec_values_follow(values);
  if (!status) values->tables[table].v[planner->state] = value;
  return status;
}
