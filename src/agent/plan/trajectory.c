// trajectory.c: planning as real-time dynamic programming: a trajectory follows the best actions, and then the tables
// that it came through are swept, the last first. It can stop after any number of backups and resume later.
// See values.h.
#include <string.h>

#include "agent/plan/values.h"

void sfnec_values_begin_trajectory(sfnec_values *values, uint32_t context, uint32_t state) {
  if (values->table_count >= SFNEC_TABLES_MOST || (size_t)values->table_count * values->room >= SFNEC_TABLE_VALUES) {
    sfnec_values_drop_tables(values);
  }
  sfnec_planning *now = &values->planning;
  const uint32_t table = sfnec_values_table(values, context);
  now->found = now->sweep.going = false;
  now->stage = table == SFNEC_NONE ? SFNEC_STAGE_NONE : SFNEC_STAGE_WALK;
  now->table = now->way[0] = table;
  now->count = 1;
  now->state = state;
  now->depth = 0;
}

// Draws the outcome that an action takes in a context, and the state where it leads; false: it ends.
static bool draw(sfnec_values *values, uint32_t *table, uint32_t *state, uint32_t action, sfnec_random *random) {
  const sfnec_model *model = values->model;
  const size_t at = (size_t)*state * (size_t)model->config->action_count + action;
  const sfnec_prediction *prediction = &model->predictions[at];
  if (prediction->outcome_count == 0) return false;
  const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, at);
  const uint32_t condition = sfnec_values_condition(values, *table, prediction, outcomes);
  float total = 0.0f;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    if (condition == SFNEC_NONE || outcomes[p].condition == condition) total += outcomes[p].weight;
  }
  float left = (float)sfnec_random_uniform(random) * total;
  const sfnec_outcome *outcome = outcomes;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
    outcome = &outcomes[p];
    left -= outcome->weight;
    if (left < 0.0f) break;
  }
  left = (float)sfnec_random_uniform(random);
  for (uint32_t i = 0; i < outcome->count; i++) {
    left -= outcome->shares[i];
    if (left >= 0.0f) continue;
    *table = sfnec_values_table_after(values, *table, outcome->effect);
    *state = outcome->states[i];
    return !model->states[*state].terminal;
  }
  return false;
}

// Follows the best actions; true: to its end.
static bool walk(sfnec_values *values, int64_t end, sfnec_random *random) {
  sfnec_planning *now = &values->planning;
  for (; now->depth < SFNEC_TRAJECTORY_STEPS && now->count < SFNEC_TRAJECTORY_TABLES; now->depth++) {
    if (values->backups >= end) return false;
    const uint32_t action = sfnec_values_backup(values, now->table, now->state, random);
    if (!draw(values, &now->table, &now->state, action, random)) break;
    if (now->table != now->way[now->count - 1]) now->way[now->count++] = now->table;
  }
  return true;
}

// Sweeps the tables on the way that are stale, or beside it all that are, the last first; true: all of them.
static bool sweep_stale(sfnec_values *values, int64_t end) {
  sfnec_planning *now = &values->planning;
  for (; now->count > 0; now->count--) {
    const uint32_t table = now->stage == SFNEC_STAGE_BESIDE ? now->count - 1 : now->way[now->count - 1];
    if (!now->sweep.going && !sfnec_values_is_stale(values, table)) continue;
    if (!sfnec_values_sweep(values, table, end)) return false;
  }
  return true;
}

// How many tables are all kept swept. The value of an effect without immediate reward shows only later: trajectories do
// not go where first values are low.
static uint32_t count_beside(const sfnec_values *values) {
  if (values->table_count > SFNEC_TABLES_FEW || !sfnec_model_has_silent_effects(values->model)) return 0;
  return values->table_count;
}

bool sfnec_values_advance(sfnec_values *values, int64_t backups, sfnec_random *random) {
  sfnec_planning *now = &values->planning;
  const int64_t end = values->backups + backups;
  for (;;) {
    switch (now->stage) {
    case SFNEC_STAGE_NONE:
      return true;
    case SFNEC_STAGE_FIRST:
      if (!sfnec_values_solve_first(values, end)) return false;
      now->stage = SFNEC_STAGE_NONE;
      break;
    case SFNEC_STAGE_WALK:
      if (!walk(values, end, random)) return false;
      now->stage = SFNEC_STAGE_SWEEPS;
      break;
    case SFNEC_STAGE_SWEEPS:
      if (!sweep_stale(values, end)) return false;
      now->stage = SFNEC_STAGE_BESIDE;
      now->count = count_beside(values);
      break;
    case SFNEC_STAGE_BESIDE:
      if (!sweep_stale(values, end)) return false;
      now->stage = SFNEC_STAGE_NONE;
      break;
    }
  }
}
