// successor_features.c: successor features (Dayan 1993; Barreto et al. 2017) of the greedy policy of a plan, by
// iterative policy evaluation over the tables that it leads to. See planner.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "base/error.h"

// The tables that the best actions go through, and what is known of them.
typedef struct closure {
  uint32_t count;
  uint32_t tables[SFNEC_PSI_TABLES];
  uint32_t start;     // which of them an episode starts in, or SFNEC_NONE
  uint32_t *best;     // (count, states): the best action of each state
  float *psi;         // (count, states): of one feature
  uint32_t known;     // tables that there were
  uint32_t *state_in; // (known): where a table stands here, or SFNEC_NONE
} closure;

static void closure_clear(closure *all) {
  free(all->best), free(all->psi), free(all->state_in);
}

// Adds the table of an outcome's effect, if there is space.
static void reach(closure *all, uint32_t table) {
  if (all->state_in[table] != SFNEC_NONE || all->count == SFNEC_PSI_TABLES) return;
  all->state_in[table] = all->count;
  all->tables[all->count++] = table;
}

// Finds the best action of every state in every table that they lead to from the first one. Tables that no trajectory
// has met are not followed.
static sfnec_status close_over(sfnec_values *values, uint32_t table, closure *all) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count, states = model->state_count;
  *all = (closure){.count = 0};
  const uint32_t known = all->known = values->table_count;
  const size_t most = known < SFNEC_PSI_TABLES ? known : SFNEC_PSI_TABLES;
  all->state_in = malloc(known * sizeof *all->state_in);
  all->best = calloc(most * states, sizeof *all->best);
  all->psi = malloc(most * states * sizeof *all->psi);
  if (!all->state_in || !all->best || !all->psi) {
    closure_clear(all);
    return sfnec_fail_memory("the successor features of a plan");
  }
  memset(all->state_in, 0xff, known * sizeof *all->state_in);
  reach(all, table);
  all->start = SFNEC_NONE;
  if (values->start_state != SFNEC_NONE && values->table_of[values->start_context] < known) {
    reach(all, values->table_of[values->start_context]);
    all->start = all->state_in[values->table_of[values->start_context]];
  }
  for (uint32_t i = 0; i < all->count; i++) {
    for (uint32_t p = 0; p < states; p++) {
      const float value = values->tables[all->tables[i]].v[p];
      const uint32_t best = sfnec_values_backup(values, all->tables[i], p, NULL);
      values->tables[all->tables[i]].v[p] = value; // a question about psi leaves values as they are
      all->best[(size_t)i * states + p] = best;
      const size_t prediction = (size_t)p * actions + best;
      const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, prediction);
      for (uint32_t j = 0; j < model->predictions[prediction].outcome_count; j++) {
        const uint32_t to = sfnec_values_table_after(values, all->tables[i], outcomes[j].effect);
        if (to < known) reach(all, to);
      }
    }
  }
  return SFNEC_OK;
}

// One feature of psi of an action, by its prediction and outcomes: without what stays in the state, and that share.
static void feature_of(sfnec_values *values, const closure *all, uint32_t table, uint32_t state,
                       const sfnec_prediction *prediction, const sfnec_outcome *outcomes, const float *features,
                       size_t feature, float *rest, float *own) {
  const sfnec_model *model = values->model;
  const size_t n = model->config->psi_size, states = model->state_count;
  const float gamma = sfnec_model_gamma(model);
  const bool restart = model->config->options.terminal == SFNEC_TERMINAL_RESTART;
  const uint32_t condition = sfnec_values_condition(values, table, prediction, outcomes);
  float weights = 0.0f;
  *rest = 0.0f;
  *own = prediction->outcome_count == 0 ? 1.0f : 0.0f; // where nothing is known, nothing happens, as for its value
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
    const uint32_t to = sfnec_values_table_after(values, table, outcomes[p].effect);
    const bool again = sfnec_outcome_is_again(&outcomes[p], condition, table, to);
    const uint32_t at = to < all->known ? all->state_in[to] : SFNEC_NONE;
    float later = 0.0f, self = to == table ? outcomes[p].self : 0.0f;
    for (uint32_t i = 0; i < outcomes[p].count && at != SFNEC_NONE; i++) {
      if (outcomes[p].states[i] == state && to == table) {
        self += outcomes[p].shares[i];
      } else {
        later += outcomes[p].shares[i] * all->psi[at * states + outcomes[p].states[i]];
      }
    }
    if (restart && all->start != SFNEC_NONE) {
      later += outcomes[p].terminal * all->psi[all->start * states + values->start_state];
    }
    weights += outcomes[p].weight;
    *rest += outcomes[p].weight * ((again ? 0.0f : features[p * n + feature]) + gamma * later);
    *own += outcomes[p].weight * self;
  }
  if (weights > 0.0f) *rest = sfnec_value_bounded(*rest / weights), *own = fminf(*own / weights, 1.0f);
}

// Sweeps one feature over the closure until it hardly changes.
static void sweep_feature(sfnec_values *values, closure *all, size_t feature) {
  const sfnec_model *model = values->model;
  const size_t states = model->state_count, actions = (size_t)model->config->action_count;
  const float gamma = sfnec_model_gamma(model);
  memset(all->psi, 0, all->count * states * sizeof *all->psi);
  const bool restart = model->config->options.terminal == SFNEC_TERMINAL_RESTART && all->start != SFNEC_NONE;
  const float enough = SFNEC_PSI_TOLERANCE * fmaxf(model->greatest[feature], (float)SFNEC_GREATEST_LEAST);
  for (uint32_t t = 0; t < SFNEC_SWEEPS; t++) {
    float change = 0.0f;
    for (uint32_t i = all->count; i-- > 0;) { // the last tables lead to no others
      for (size_t k = 0; k < states; k++) {
        const size_t p = t & 1 ? states - 1 - k : k, at = (size_t)i * states + p;
        if (model->states[p].terminal) { // as its value: the task continues from the start
          all->psi[at] = restart ? all->psi[all->start * states + values->start_state] : 0.0f;
          continue;
        }
        const size_t prediction = p * actions + all->best[at];
        float rest, own;
        feature_of(values, all, all->tables[i], (uint32_t)p, &model->predictions[prediction],
                   sfnec_prediction_outcomes(model, prediction), sfnec_prediction_features(model, prediction), feature,
                   &rest, &own);
        const float psi = sfnec_value_bounded(rest / (1.0f - gamma * own));
        change = fmaxf(change, fabsf(psi - all->psi[at]));
        all->psi[at] = psi;
      }
    }
    if (change < enough) break;
  }
}

sfnec_status sfnec_plan_ask_psi(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                const double *w, double *psi) {
  const sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)planner->config->action_count;
  const size_t n = planner->config->psi_size;
  const float gamma = sfnec_model_gamma(&planner->model);
  memset(psi, 0, actions * n * sizeof *psi);
  if (!model->fitted) return SFNEC_OK;
  uint32_t table, state;
  closure all;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  sfnec_values *values = &scratch->plan->values;
  if (!status) status = close_over(values, table, &all);
  if (status) return status;
  const uint8_t *mask = sfnec_values_mask(values, table, state);
  const float value = sfnec_plan_evaluate(model, values, &scratch->work, table, state, mask);
  uint32_t best = sfnec_mask_nth(mask, 0); // the action that the state itself takes, where an action stays in it
  for (uint32_t a = 0; a < actions; a++) {
    if (scratch->work.rest[a] / (1.0f - gamma * scratch->work.own[a]) == value) best = a;
  }
  for (size_t f = 0; f < n; f++) {
    sweep_feature(values, &all, f);
    float own_psi = 0.0f;
    for (uint32_t turn = 0; turn < actions + 1; turn++) { // the best action first: others may lead back to the state
      const uint32_t a = turn == 0 ? best : turn - 1;
      sfnec_prediction prediction;
      sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
      sfnec_model_predict(model, scratch->work.key, state, a, true, scratch->work.goal, &prediction, outcomes,
                          scratch->work.features, NULL);
      float rest, own;
      feature_of(values, &all, table, SFNEC_NONE, &prediction, outcomes, scratch->work.features, f, &rest, &own);
      if (turn == 0) own_psi = sfnec_value_bounded(rest / (1.0f - gamma * own));
      psi[a * n + f] = (double)(rest + gamma * own * own_psi);
    }
  }
  closure_clear(&all);
  return sfnec_plan_scratch_check(scratch);
}
