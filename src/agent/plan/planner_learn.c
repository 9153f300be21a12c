// planner_learn.c: learning from a transition: the model gets it, the states of the episode are backed up, and planning
// continues within the budget of a step; see planner.h.
#include "agent/plan/planner.h"

#include <math.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "base/vector.h"

// ---- planning ----

// Spends the backups of a step: on the plan that is being made, or on what is due. Effects make many tables out of one;
// without them a fifth of the backups earns as much.
static void plan(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  const sfnec_agent_options *options = &planner->config->options;
  if (planner->follows) { // the plan is made when the agent acts again, by all of the log
    sfnec_values_begin_plan(values, true, options->replan_backups);
    return;
  }
  const sfnec_node here = {planner->context, planner->state};
  if (sfnec_values_plans(values)) {
    sfnec_values_continue_plan(values, &here, options->step_backups, &planner->random);
    return;
  }
  const double income = (double)options->backups / (sfnec_model_has_one_table(&planner->model) ? SFNEC_ONE_TABLE : 1);
  planner->debt = fmin(planner->debt + income, SFNEC_DEBT_MOST * income);
  if (values->planning.stage == SFNEC_STAGE_NONE) {
    if (planner->debt <= 0.0) return;
    sfnec_values_begin_somewhere(values, &here, &planner->random);
  }
  const int64_t before = values->backups;
  sfnec_values_advance(values, options->step_backups, &planner->random);
  planner->debt -= (double)(values->backups - before);
}

sfnec_status sfnec_planner_plan(sfnec_planner *planner, int64_t backups, int64_t *made) {
  sfnec_values *values = &planner->values;
  *made = 0;
  if (!planner->model.fitted || planner->follows) return SFNEC_OK;
  const int64_t before = values->backups;
  const sfnec_node here = {planner->context, planner->state}, *from = planner->located ? &here : NULL;
  for (int64_t last = -1; *made<backups && * made> last && !values->starved;) {
    last = *made;
    if (sfnec_values_plans(values)) {
      sfnec_values_continue_plan(values, from, backups - *made, &planner->random);
    } else if (values->planning.stage != SFNEC_STAGE_NONE ||
               sfnec_values_begin_somewhere(values, from, &planner->random)) {
      sfnec_values_advance(values, backups - *made, &planner->random);
    }
    *made = values->backups - before;
  }
  return sfnec_planner_check(planner);
}

// ---- learning ----

static sfnec_status warm_up(sfnec_planner *planner, const sfnec_model_transition *transition) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size, t = planner->waiting;
  if (planner->refit) return sfnec_refit_add(planner->refit, transition, SFNEC_NONE);
  const sfnec_status room = sfnec_planner_reserve_waiting(planner, planner->waiting + 1);
  if (room) return room;
  memcpy(planner->before + t * d, transition->before, d * sizeof(float));
  memcpy(planner->after + t * d, transition->after, d * sizeof(float));
  memcpy(planner->features + t * n, transition->features, n * sizeof(double));
  planner->actions[t] = transition->action;
  planner->terminated[t] = transition->terminated;
  return ++planner->waiting < SFNEC_PLAN_WARM_UP ? SFNEC_OK : sfnec_planner_begin_first_model(planner);
}

static void remember_path(sfnec_planner *planner, uint32_t state, uint32_t context) {
  enum { HALF = SFNEC_PLAN_PATH / 2 };
  if (planner->path_count == SFNEC_PLAN_PATH) {
    memmove(planner->path_states, planner->path_states + HALF, HALF * sizeof(uint32_t));
    memmove(planner->path_contexts, planner->path_contexts + HALF, HALF * sizeof(uint32_t));
    planner->path_count = HALF;
  }
  planner->path_states[planner->path_count] = state;
  planner->path_contexts[planner->path_count++] = context;
}

static void back_up_path(sfnec_planner *planner) {
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_PATH)) planner->path_count = 0;
  while (planner->path_count > 0) {
    const size_t i = --planner->path_count;
    const uint32_t table = sfnec_values_table(&planner->values, planner->path_contexts[i]);
    if (table != SFNEC_NONE) sfnec_values_backup(&planner->values, table, planner->path_states[i], NULL);
  }
}

// Follows the weights: replans from nothing if they have moved far while they are learned, else reweighs the values.
static sfnec_status follow_weights(sfnec_planner *planner, const sfnec_reward *reward) {
  const double moved = sfnec_planner_weight_change(planner, reward);
  if (moved > SFNEC_GREAT_NEWS && planner->uncertainty) return sfnec_planner_replan(planner, reward, true);
  if (moved > SFNEC_NEWS) {
    planner->has_target = false; // by other rewards
    sfnec_planner_note_uncertainty(planner, reward);
    sfnec_values_reweigh(&planner->values, reward->w);
  }
  return SFNEC_OK;
}

// Work that is due from time to time.
static sfnec_status keep_up(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  if (sfnec_model_has_one_table(&planner->model) || planner->steps % SFNEC_STALE_EVERY == 0) {
    values->model_clock = ++values->clock;
    if (planner->steps - planner->solved >= SFNEC_SOLVE_EVERY) {
      sfnec_values_begin_first(values);
      planner->solved = planner->steps;
    }
  }
  sfnec_status status = follow_weights(planner, reward);
  if (status || values->contexts.count <= SFNEC_CONTEXTS_MOST) return status;
  planner->located = false;
  planner->path_count = 0;
  planner->numbering++;
  status = sfnec_values_reset(values);
  return status ? status : sfnec_planner_find_start(planner);
}

// Keeps the reward of the last transition for the features that are learned.
static sfnec_status note_reward(sfnec_planner *planner, double paid) {
  const uint32_t sample = planner->model.touched;
  const bool fresh = planner->model.samples[sample].count == 1;
  return sfnec_rewards_seen_add(&planner->learned->seen, sample, planner->learned->task, paid, fresh);
}

static sfnec_status learn(sfnec_planner *planner, const sfnec_transition *transition,
                          const sfnec_model_transition *seen, const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  uint32_t here, next;
  sfnec_status status = sfnec_model_add(&planner->model, seen, &here, &next);
  if (!status && planner->refit) status = sfnec_refit_add(planner->refit, seen, planner->model.touched);
  if (!status && planner->learned) status = note_reward(planner, transition->reward);
  if (!status) status = sfnec_model_tidy(&planner->model, SFNEC_TIDY);
  if (!status) status = sfnec_values_follow(values);
  if (status) return status;
  const uint32_t table = sfnec_values_table(values, planner->context);
  if (table != SFNEC_NONE) sfnec_values_backup(values, table, here, NULL);
  remember_path(planner, here, planner->context);

  const bool ends = transition->terminated || transition->truncated;
  planner->located = false;
  if (ends) back_up_path(planner);
  status = keep_up(planner, reward);
  if (!status && !ends) status = sfnec_planner_locate(planner, transition->next_observation);
  if (!status && !ends) status = sfnec_planner_note_mask(planner, transition->next_observation, transition->next_mask);
  if (!status && !ends) plan(planner);
  return status ? status : sfnec_planner_check(planner);
}

void sfnec_planner_learned_features(const sfnec_planner *planner, const float *observation,
                                    const sfnec_transition *transition, const sfnec_reward *reward, double *features) {
  const sfnec_model_transition seen = {.before = observation,
                                       .after = transition->next_observation,
                                       .action = (uint32_t)transition->action,
                                       .terminated = transition->terminated};
  sfnec_learned_features(planner->learned, &planner->model, &seen, transition->reward, reward,
                         &planner->config->options, features);
}

void sfnec_planner_forget_task(sfnec_planner *planner, uint32_t task, bool removed) {
  if (planner->learned) sfnec_learned_forget(planner->learned, task, removed);
}

sfnec_status sfnec_planner_observe(sfnec_planner *planner, const float *observed, const sfnec_transition *observed_then,
                                   const double *paid, const sfnec_reward *reward) {
  const double *features = sfnec_encoder_denoise(&planner->encoder, paid);
  const float *before = observed;
  sfnec_transition estimated = *observed_then;
  const sfnec_transition *transition = &estimated;
  sfnec_belief_follow(&planner->belief, &planner->encoder.filter, (uint32_t)observed_then->action, &before,
                      &estimated.next_observation);
  sfnec_scaling_see(&planner->model.scaling, before, transition->next_observation);
  planner->steps = sfnec_count_up(planner->steps);
  for (size_t i = 0; planner->seen && i < planner->config->psi_size; i++) {
    if (features[i] != 0.0) planner->seen[i] = planner->steps;
  }
  const double brought = sfnec_dot(features, planner->values.w, planner->config->psi_size);
  if (brought > 0.0) planner->earned_at = planner->steps;
  sfnec_planner_note_target(planner, (uint32_t)transition->action, brought);
  const uint32_t filter = planner->encoder.filter.version;
  sfnec_transition logged = *observed_then;
  logged.truncated |= planner->takes_turns; // what is logged next is another episode's
  sfnec_status status = sfnec_encoder_see(&planner->encoder, observed, &logged, paid);
  const sfnec_model_transition seen = {.before = before,
                                       .after = transition->next_observation,
                                       .features = features,
                                       .action = (uint32_t)transition->action,
                                       .count = 1,
                                       .terminated = transition->terminated};
  if (!planner->model.fitted) {
    if (!status && !transition->terminated) {
      status = sfnec_planner_note_mask(planner, transition->next_observation, transition->next_mask);
    }
    if (!status) status = warm_up(planner, &seen);
    if (!status) status = sfnec_planner_follow_refit(planner, reward);
  } else {
    if (planner->belief.version) planner->located = false; // what followed has corrected the estimate
    if (!status) status = sfnec_planner_locate(planner, before);
    if (!status) status = learn(planner, transition, &seen, reward);
    if (!status) status = sfnec_planner_follow_refit(planner, reward);
    if (filter != planner->encoder.filter.version) planner->located = false; // estimates are others now
    if (status) planner->located = planner->has_target = false; // the values may not have room for the newest state
  }
  if (!status) status = sfnec_planner_follow_optimism(planner, transition, brought, reward);
  if (status) planner->values.starved = false; // the status says so
  if (transition->terminated || transition->truncated) sfnec_planner_end_episode(planner);
  return status;
}

void sfnec_planner_end_episode(sfnec_planner *planner) {
  planner->in_episode = planner->located = planner->has_target = false;
}
