// ask.c: questions to a planner: a plan of its own for each; see planner.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agent/plan/internal.h"
#include "base/error.h"

// ---- life ----

sfnec_status sfnec_plan_scratch_create(const sfnec_planner *planner, sfnec_plan_scratch **out) {
  sfnec_plan_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch) return sfnec_fail_memory("the scratch of a plan");
  scratch->planner = planner;
  sfnec_status status = sfnec_workspace_init(&scratch->work, planner->config);
  if (!status) status = sfnec_values_init(&scratch->values, &planner->model, false);
  if (status) {
    sfnec_plan_scratch_destroy(scratch);
    return status;
  }
  *out = scratch;
  return SFNEC_OK;
}

void sfnec_plan_scratch_destroy(sfnec_plan_scratch *scratch) {
  if (!scratch) return;
  if (scratch->values.model) sfnec_values_clear(&scratch->values);
  sfnec_workspace_clear(&scratch->work);
  free(scratch->views);
  free(scratch);
}

// ---- planning ----

sfnec_status sfnec_plan_scratch_check(sfnec_plan_scratch *scratch) {
  if (!scratch->values.starved) return SFNEC_OK;
  scratch->values.starved = scratch->planned = false;
  return sfnec_fail_memory("a plan");
}

// Plans for weights, unless the plan at hand is for them.
static sfnec_status prepare(sfnec_plan_scratch *scratch, const double *w) {
  const sfnec_planner *planner = scratch->planner;
  sfnec_values *values = &scratch->values;
  const size_t n = planner->config->psi_size;
  if (scratch->planned && scratch->version == planner->model.version && memcmp(values->w, w, n * sizeof *w) == 0) {
    return SFNEC_OK;
  }
  scratch->planned = false;
  scratch->tried_count = 0; // the numbers of contexts begin anew
  scratch->random = sfnec_random_start(planner->random.seed, SFNEC_PURPOSE_PLANNING);
  sfnec_status status = sfnec_values_reset(values);
  if (!status) status = sfnec_values_begin(values, w);
  if (!status && planner->has_start) {
    float squared;
    sfnec_model_key(&planner->model, planner->start, scratch->work.key);
    values->start_state = sfnec_model_nearest(&planner->model, scratch->work.search, scratch->work.key, &squared);
    status = sfnec_values_context(values, planner->start, &values->start_context);
  }
  if (status) return status;
  sfnec_values_plan(values, planner->config->options.replan_backups, &scratch->random);
  status = sfnec_plan_scratch_check(scratch);
  scratch->planned = !status;
  scratch->version = planner->model.version;
  return status;
}

// A state near a state, and its context.
static sfnec_status find_node(sfnec_plan_scratch *scratch, const float *observation, uint32_t *state,
                              uint32_t *context) {
  const sfnec_model *model = &scratch->planner->model;
  float squared;
  sfnec_model_key(model, observation, scratch->work.key);
  *state = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
  return sfnec_values_context(&scratch->values, observation, context);
}

// The table and a state of a state, planned for.
static sfnec_status locate(sfnec_plan_scratch *scratch, const float *observation, uint32_t *table, uint32_t *state) {
  sfnec_values *values = &scratch->values;
  uint32_t context;
  const sfnec_status status = find_node(scratch, observation, state, &context);
  if (status) return status;
  const bool known = values->table_of[context] != SFNEC_NONE && values->tables[values->table_of[context]].swept >= 0;
  for (int i = 0; !known && i < SFNEC_EXTRA_TRAJECTORIES; i++)
    sfnec_values_run_trajectory(values, context, *state, &scratch->random);
  *table = sfnec_values_table(values, context);
  return sfnec_plan_scratch_check(scratch);
}

sfnec_status sfnec_plan_scratch_locate(sfnec_plan_scratch *scratch, const float *observation, const double *w,
                                       uint32_t *table, uint32_t *state) {
  const sfnec_status status = prepare(scratch, w);
  return status ? status : locate(scratch, observation, table, state);
}

sfnec_status sfnec_plan_ask(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const double *w, double *q) {
  const uint32_t actions = (uint32_t)planner->config->action_count;
  for (uint32_t a = 0; a < actions; a++) q[a] = 0.0;
  if (!planner->model.fitted) return SFNEC_OK; // nothing is known yet
  uint32_t table, state;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (status) return status;
  const float value = sfnec_plan_evaluate(&planner->model, &scratch->values, &scratch->work, table, state);
  for (uint32_t a = 0; a < actions; a++) {
    q[a] = (double)(scratch->work.rest[a] + sfnec_model_gamma(&planner->model) * scratch->work.own[a] * value);
  }
  return SFNEC_OK;
}

// ---- playing ----
//
// A plan that does not learn goes to and fro where the world is not as its model says: at the corner of a wall, say. So
// what a played episode shows is kept for as long as it brings no reward; an agent that balances earns all the time.
// Where steps cost, an episode may have to come to a state again and again (a swing), so only the very state counts.

// A number for a state; not 0.
static uint64_t hash(const sfnec_planner *planner, const float *observation) {
  return XXH3_64bits(observation, planner->config->observation_size * sizeof *observation) | 1;
}

static sfnec_tried *find_tried(sfnec_plan_scratch *scratch, uint32_t state, uint32_t context, uint32_t action,
                               uint64_t observed) {
  for (uint32_t i = 0; i < scratch->tried_count; i++) {
    sfnec_tried *each = &scratch->tried[i];
    if (each->state == state && each->context == context && each->action == action && each->observed == observed)
      return each;
  }
  return NULL;
}

// Forgets what was told of whole states: something has happened since.
static void forget_states(sfnec_plan_scratch *scratch) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < scratch->tried_count; i++) {
    if (scratch->tried[i].observed) scratch->tried[kept++] = scratch->tried[i];
  }
  scratch->tried_count = kept;
}

sfnec_status sfnec_plan_tell(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *before,
                             const sfnec_transition *transition) {
  const bool ends = transition->terminated || transition->truncated;
  // where chance has a part, an action that failed may yet be the best
  if (!scratch->planned || ends || transition->reward > 0.0 || sfnec_model_is_random(&planner->model)) {
    scratch->tried_count = 0;
    return SFNEC_OK;
  }
  const uint32_t action = (uint32_t)transition->action;
  uint32_t state, context;
  const sfnec_status status = find_node(scratch, before, &state, &context);
  if (status) return status;
  const uint64_t observed = transition->reward < 0.0 ? hash(planner, before) : 0;
  if (observed) forget_states(scratch);
  sfnec_tried *tried = find_tried(scratch, state, context, action, observed);
  if (!tried) {
    if (scratch->tried_count == SFNEC_PLAN_TRIED) scratch->tried_count = 0;
    tried = &scratch->tried[scratch->tried_count++];
    *tried = (sfnec_tried){state, context, action, 0, observed};
  }
  const size_t size = planner->config->observation_size * sizeof *before;
  tried->times += observed || memcmp(before, transition->next_observation, size) == 0 ? SFNEC_IN_VAIN : 1;
  return SFNEC_OK;
}

// How often an action was in vain in the very state; where only states count, at the state, up to a most.
static uint32_t times_in_vain(sfnec_plan_scratch *scratch, uint32_t state, uint32_t context, uint32_t action,
                              uint64_t observed) {
  const sfnec_tried *there = find_tried(scratch, state, context, action, 0);
  const sfnec_tried *here = find_tried(scratch, state, context, action, observed);
  if (here) return here->times;
  return there && there->times >= SFNEC_IN_VAIN ? SFNEC_IN_VAIN : 0;
}

// The values of actions, by rollouts if the model is exact enough for them.
static sfnec_status foresee(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const double *w, double *q) {
  const uint32_t steps = planner->model.fitted ? sfnec_plan_rollout_steps(&planner->model) : 0;
  if (steps == 0) return sfnec_plan_ask(planner, scratch, observation, w, q);
  uint32_t table, state;
  const sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (status) return status;
  sfnec_plan_rollouts(&planner->model, &scratch->values, &scratch->work, table, state, steps, q);
  return sfnec_plan_scratch_check(scratch);
}

sfnec_status sfnec_plan_play(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                             const double *w, double *q, double *value) {
  sfnec_status status = foresee(planner, scratch, observation, w, q);
  if (status) return status;
  const uint32_t actions = (uint32_t)planner->config->action_count;
  *value = q[0];
  for (uint32_t a = 1; a < actions; a++) *value = fmax(*value, q[a]);
  if (scratch->tried_count == 0) return SFNEC_OK;
  uint32_t state, context;
  status = find_node(scratch, observation, &state, &context);
  if (status) return status;
  const uint64_t observed = hash(planner, observation);
  uint32_t least = UINT32_MAX; // where all were in vain, those that were least
  for (uint32_t a = 0; a < actions; a++) {
    const uint32_t times = times_in_vain(scratch, state, context, a, observed);
    least = times < least ? times : least;
  }
  for (uint32_t a = 0; a < actions; a++) {
    const uint32_t times = times_in_vain(scratch, state, context, a, observed);
    if (times > least) q[a] = -(double)INFINITY;
  }
  return SFNEC_OK;
}

// ---- successor features ----

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

// Finds the best action of every state in every table that they lead to from the first one. Layers that no trajectory
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
      values->tables[all->tables[i]].v[p] = value; // a question about psi extrapolates values as they are
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

// One feature of psi of an action, by its prediction and outcomes: without what stays in state, and that share.
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
        if (model->states[p].terminal) { // as its value: the task goes on from the start
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
  sfnec_values *values = &scratch->values;
  uint32_t table, state;
  closure all;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (!status) status = close_over(values, table, &all);
  if (status) return status;
  const float value = sfnec_plan_evaluate(model, values, &scratch->work, table, state);
  uint32_t best = 0; // the action that the state itself takes, where an action stays in it
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
