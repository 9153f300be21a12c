// solve.c: sweeps of value tables and of what their first values are made of; both can stop after any number of backups
// and resume later. Trajectories of the greedy policy choose the tables to sweep (real-time dynamic programming; Barto,
// Bradtke and Singh 1995); a sweep is Gauss-Seidel value iteration, forth and back. See values.h.
#include <math.h>

#include "agent/plan/values.h"

// ---- sweeps ----

// The change of a sweep after which a table is done.
static float tolerance(const sfnec_values *values) {
  return SFNEC_SWEEP_TOLERANCE * values->reward_scale * values->optimism;
}

bool sfnec_model_has_silent_effects(const sfnec_model *model) {
  const size_t n = model->config->psi_size;
  const bool looks = sfnec_model_is_tabular(model) && sfnec_model_uses(model, SFNEC_WITHOUT_SILENT_EFFECTS);
  const uint32_t effects = looks ? model->effects.count : 0;
  for (uint32_t e = 1; e < effects && e < model->effect_room; e++) {
    bool silent = true;
    for (size_t i = 0; i < n; i++) silent &= model->effect_features[e * n + i] <= 0.0f;
    if (silent) return true;
  }
  return false;
}

// Begins a turn over all states; the next one goes the other way.
static void begin_turn(sfnec_sweep *sweep, uint32_t states, bool back) {
  sweep->at = 0;
  sweep->states = states;
  sweep->back = back;
  sweep->change = 0.0f;
}

static uint32_t state_at(const sfnec_sweep *sweep) {
  return sweep->back ? sweep->states - 1 - sweep->at : sweep->at;
}

// Notes that a table was swept: at a time after which nothing has changed that it follows from.
static void end_sweep(sfnec_values *values, uint32_t table) {
  const sfnec_sweep *sweep = &values->planning.sweep;
  sfnec_value_table *swept = &values->tables[table];
  values->clock++;
  if (sweep->change < tolerance(values))
    swept->swept = values->model_clock > sweep->began ? sweep->began : values->clock;
  // where effects have no immediate reward any change counts; else first values are good, and the last change is enough
  const float told = sfnec_model_has_silent_effects(values->model) ? sweep->greatest : sweep->change;
  if (told >= tolerance(values)) swept->changed = values->clock;
  if (values->start_state == SFNEC_NONE || swept->context != values->start_context) return;
  const float turn = swept->v[values->start_state] - values->start_value;
  if (fabsf(turn) <= tolerance(values)) return;
  values->start_value = sfnec_value_bounded(values->start_value + turn);
  if (values->model->config->options.terminal == SFNEC_TERMINAL_RESTART)
    values->model_clock = ++values->clock; // all tables follow from it, this one too
}

bool sfnec_values_sweep(sfnec_values *values, uint32_t table, int64_t end) {
  sfnec_planning *now = &values->planning;
  sfnec_sweep *sweep = &now->sweep;
  if (!sweep->going) {
    *sweep = (sfnec_sweep){.going = true, .began = values->clock};
    begin_turn(sweep, values->model->state_count, values->sweeps++ & 1);
  }
  for (;;) {
    for (; sweep->at < sweep->states; sweep->at++) {
      if (values->backups >= end) return false;
      const uint32_t p = state_at(sweep);
      const float old = values->tables[table].v[p];
      sfnec_values_backup(values, table, p, NULL);
      sweep->change = fmaxf(sweep->change, fabsf(values->tables[table].v[p] - old));
    }
    sweep->greatest = fmaxf(sweep->greatest, sweep->change);
    if (sweep->change < tolerance(values) || ++sweep->turn == SFNEC_TABLE_TURNS) break;
    begin_turn(sweep, values->model->state_count, values->sweeps++ & 1);
  }
  end_sweep(values, table);
  now->found |= !(sweep->change < tolerance(values));
  sweep->going = false;
  return true;
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

// Backs up a state's value without good effects, or its chance to make an effect; returns by how much it changed.
static float solve_state(sfnec_values *values, uint32_t effect, float *v, uint32_t p) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count;
  values->backups += actions;
  if (model->states[p].terminal) {
    v[p] = effect ? 0.0f : sfnec_values_terminal(values);
    return 0.0f;
  }
  float best = effect ? 0.0f : -INFINITY;
  for (uint32_t a = 0; a < actions; a++) {
    if (sfnec_masks_allow_ever(values->masks, p, a)) // in one context or another: these values are for all
      best = fmaxf(best, simple_q(values, (size_t)p * actions + a, effect, v));
  }
  best = effect ? fminf(best, SFNEC_CHANCE_MOST) : sfnec_value_bounded(best);
  const float change = fabsf(best - v[p]);
  v[p] = best;
  return change;
}

bool sfnec_values_solve_first(sfnec_values *values, int64_t end) {
  const sfnec_model *model = values->model;
  sfnec_planning *now = &values->planning;
  sfnec_sweep *sweep = &now->sweep;
  for (; now->effect < model->effects.count && now->effect < values->effect_room; now->effect++) {
    float *v = now->effect ? values->chances + (size_t)now->effect * values->room : values->base;
    if (!sweep->going) {
      *sweep = (sfnec_sweep){.going = true};
      begin_turn(sweep, model->state_count, false);
    }
    for (;;) {
      for (; sweep->at < sweep->states; sweep->at++) {
        if (values->backups >= end) return false;
        sweep->change = fmaxf(sweep->change, solve_state(values, now->effect, v, state_at(sweep)));
      }
      if (sweep->change < (now->effect ? SFNEC_SWEEP_TOLERANCE : tolerance(values)) || ++sweep->turn == SFNEC_SWEEPS)
        break;
      begin_turn(sweep, model->state_count, sweep->turn & 1);
    }
    sweep->going = false;
  }
  return true;
}
