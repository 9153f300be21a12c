// sweeps.c: planning: sweeps of tables, and trajectories that say which; see values.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/values.h"

enum {
  TRAJECTORY_TABLES = 64,      // tables of one trajectory
  TABLE_VALUES_MOST = 1 << 25, // values of all tables; 128 megabytes
  TABLES_MOST = 4096,          // when there are more, planning begins anew
  DEPTH = 200,                 // steps of a trajectory
  FEW_TABLES = 64,             // that are all kept swept, where effects are silent
};

// ---- sweeps ----

static float tolerance(const sfnec_values *values) {
  return 1e-3f * values->reward_scale * values->optimism;
}

// Whether some effect brings no feature itself: a key, or gold that is worth something at home. Off a tabular values
// are too vague to follow what it may be worth.
static bool has_silent_effects(const sfnec_model *model) {
  const size_t n = model->config->psi_size;
  const uint32_t effects = sfnec_model_is_tabular(model) ? model->effects.count : 0;
  for (uint32_t e = 1; e < effects && e < model->effect_room; e++) {
    bool silent = true;
    for (size_t i = 0; i < n; i++) silent &= model->effect_features[e * n + i] <= 0.0f;
    if (silent) return true;
  }
  return false;
}

// The change of a sweep after which a table is done. Where nothing is planned any more then, what is left must not add
// up to a bonus: at most 1 / (1 - gamma) times the last change is still to come.
static float done(const sfnec_values *values) {
  const sfnec_model *model = values->model;
  const bool settles = sfnec_model_has_one_table(model) && sfnec_model_may_settle(model);
  return tolerance(values) * (settles ? 1.0f - sfnec_model_gamma(model) : 1.0f);
}

// Sweeps a table up to two times, forth and back.
static void sweep(sfnec_values *values, uint32_t table) {
  const uint32_t states = values->model->state_count;
  float change = 0.0f, greatest = 0.0f;
  for (uint32_t t = 0; t < 2; t++) {
    const bool back = values->sweeps++ & 1;
    change = 0.0f;
    for (uint32_t i = 0; i < states; i++) {
      const uint32_t p = back ? states - 1 - i : i;
      const float old = values->tables[table].v[p];
      sfnec_values_backup(values, table, p, NULL);
      change = fmaxf(change, fabsf(values->tables[table].v[p] - old));
    }
    greatest = fmaxf(greatest, change);
    if (change < tolerance(values)) break;
  }
  values->clock++;
  sfnec_value_table *swept = &values->tables[table];
  if (change < done(values)) swept->swept = values->clock;
  // what leads to silent effects learns of any change; else first values are good, and the last change is enough
  const float told = has_silent_effects(values->model) ? greatest : change;
  if (told >= tolerance(values)) swept->changed = values->clock;
  if (values->start_state != SFNEC_NONE && swept->context == values->start_context) {
    const float turn = swept->v[values->start_state] - values->start_value;
    if (fabsf(turn) > tolerance(values)) {
      values->start_value += turn;
      if (values->model->config->options.terminal == SFNEC_TERMINAL_RESTART) values->model_clock = values->clock;
    }
  }
}

bool sfnec_values_is_stale(const sfnec_values *values, uint32_t table) {
  const sfnec_value_table *at = &values->tables[table];
  if (at->swept < 0 || at->swept < values->model_clock || at->changed > at->swept) return true;
  for (uint32_t e = 1; e < at->effect_room; e++) {
    const uint32_t to = at->children[e];
    if (to != SFNEC_NONE && to != table && values->tables[to].changed > at->swept) return true;
  }
  return false;
}

// ---- base and chances ----

// The value of an action without good effects, or the chance that it makes an effect, now or later.
static float simple_q(sfnec_values *values, size_t at, uint32_t effect, const float *v) {
  const sfnec_model *model = values->model;
  const sfnec_prediction *prediction = &model->predictions[at];
  const float gamma = sfnec_model_gamma(model);
  if (prediction->outcome_count == 0) {
    return effect ? 0.0f : sfnec_values_unknown(values) + gamma * sfnec_values_terminal(values);
  }
  const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, at);
  const float *rewards = sfnec_values_prediction_rewards(values, at);
  bool able = false;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) able |= effect && outcomes[p].effect == effect;
  uint32_t condition = SFNEC_NONE;
  for (uint32_t p = 0; able && p < prediction->outcome_count; p++) {
    if (outcomes[p].effect == effect) condition = outcomes[p].condition;
  }
  float total = 0.0f, weights = 0.0f;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    const sfnec_outcome *outcome = &outcomes[p];
    if (condition != SFNEC_NONE && outcome->condition != condition) continue;
    float later = 0.0f;
    for (uint32_t i = 0; i < outcome->count; i++) later += outcome->shares[i] * v[outcome->states[i]];
    weights += outcome->weight;
    if (effect) {
      total += outcome->weight * (outcome->effect == effect ? 1.0f : gamma * later);
    } else {
      const float reward = outcome->effect ? fminf(0.0f, rewards[p]) : rewards[p];
      later += outcome->terminal * sfnec_values_terminal(values);
      total += outcome->weight * (reward + gamma * later);
    }
  }
  return total / weights;
}

static void solve_simple(sfnec_values *values, uint32_t effect, float *v, uint32_t sweeps, float enough) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count, states = model->state_count;
  for (uint32_t t = 0; t < sweeps; t++) {
    float change = 0.0f;
    for (uint32_t i = 0; i < states; i++) {
      const uint32_t p = t & 1 ? states - 1 - i : i;
      if (model->states[p].terminal) {
        v[p] = effect ? 0.0f : sfnec_values_terminal(values);
        continue;
      }
      float best = effect ? 0.0f : -INFINITY;
      for (uint32_t a = 0; a < actions; a++) {
        best = fmaxf(best, simple_q(values, (size_t)p * actions + a, effect, v));
      }
      change = fmaxf(change, fabsf(best - v[p]));
      v[p] = best;
    }
    values->backups += (int64_t)states * actions;
    if (change < enough) break;
  }
}

void sfnec_values_solve(sfnec_values *values, uint32_t sweeps) {
  const sfnec_model *model = values->model;
  if (model->effects.count <= 1) return;
  solve_simple(values, 0, values->base, sweeps, tolerance(values));
  for (uint32_t e = 1; e < model->effects.count && e < values->effect_room; e++) {
    solve_simple(values, e, values->chances + (size_t)e * values->room, sweeps, 1e-3f);
  }
}

// ---- trajectories ----

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

// What a silent effect is worth shows only later. Trials do not go where first values target_value nothing, so with
// such effects, and few tables, all of them are kept swept, the last first.
static bool sweep_beside(sfnec_values *values) {
  if (values->table_count > FEW_TABLES || !has_silent_effects(values->model)) return false;
  bool any = false;
  for (uint32_t l = values->table_count; l-- > 0;) {
    if (!sfnec_values_is_stale(values, l)) continue;
    sweep(values, l);
    any = true;
  }
  return any;
}

bool sfnec_values_run_trajectory(sfnec_values *values, uint32_t context, uint32_t state, sfnec_random *random) {
  if (values->table_count >= TABLES_MOST || (size_t)values->table_count * values->room >= TABLE_VALUES_MOST) {
    sfnec_values_drop_tables(values);
  }
  uint32_t table = sfnec_values_table(values, context);
  if (table == SFNEC_NONE) return false;
  uint32_t way[TRAJECTORY_TABLES] = {table}, count = 1;
  for (uint32_t i = 0; i < DEPTH && count < TRAJECTORY_TABLES; i++) {
    const uint32_t action = sfnec_values_backup(values, table, state, random);
    if (!draw(values, &table, &state, action, random)) break;
    if (table != way[count - 1]) way[count++] = table;
  }
  bool any = false;
  while (count > 0) {
    const uint32_t l = way[--count];
    if (!sfnec_values_is_stale(values, l)) continue;
    sweep(values, l);
    any = true;
  }
  return sweep_beside(values) || any;
}

void sfnec_values_plan(sfnec_values *values, int64_t backups, sfnec_random *random) {
  if (values->start_state == SFNEC_NONE) return;
  const int64_t end = values->backups + backups;
  for (uint32_t quiet = 0; quiet < 10 && values->backups < end && !values->starved;) {
    quiet = sfnec_values_run_trajectory(values, values->start_context, values->start_state, random) ? 0 : quiet + 1;
  }
}
