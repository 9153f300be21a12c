// ask.c: asking an agent without changing what it will do or learn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"

sfnec_status sfnec_agent_get_last_choice(const sfnec_agent *agent, sfnec_choice *choice) {
  if (!agent || !choice) return sfnec_fail_null(__func__);
  if (!agent->has_choice) return sfnec_fail(SFNEC_ERROR_STATE, "the agent has not acted yet");
  *choice = agent->choice;
  return SFNEC_OK;
}

// ---- the scratch ----

sfnec_status sfnec_scratch_create(const sfnec_agent *agent, sfnec_scratch **out) {
  if (!agent || !out) return sfnec_fail_null(__func__);
  sfnec_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch) return sfnec_fail_memory("the scratch of an agent");
  *scratch = (sfnec_scratch){.agent = agent,
                             .generation = agent->generation,
                             .close = agent->learner->close_scratch,
                             .ties = agent->evaluation,
                             .watch.on = agent->watch.steps.on,
                             .likely = SFNEC_NO_POLICY};
  sfnec_status status = sfnec_psi_scratch_init(&scratch->psi, &agent->policies.config);
  if (!status) status = sfnec_frame_reserve(&scratch->asked, &agent->policies.config, &scratch->psi, 1);
  const sfnec_basis basis = sfnec_basis_of(&agent->policies.config.options);
  if (!status && (basis == SFNEC_BASIS_LABEL || basis == SFNEC_BASIS_INDICATORS)) {
    scratch->weights = calloc(agent->policies.config.psi_size, sizeof *scratch->weights);
    if (!scratch->weights) status = sfnec_fail_memory("the scratch of an agent");
  }
  if (!status && agent->learner->open_scratch) status = agent->learner->open_scratch(scratch);
  if (status) {
    sfnec_scratch_destroy(scratch);
    return status;
  }
  *out = scratch;
  return SFNEC_OK;
}

void sfnec_scratch_destroy(sfnec_scratch *scratch) {
  if (!scratch) return;
  if (scratch->close) scratch->close(scratch);
  sfnec_frame_clear(&scratch->asked);
  sfnec_psi_scratch_clear(&scratch->psi);
  free(scratch->weights);
  free(scratch);
}

void sfnec_scratch_commit(const sfnec_scratch *scratch, sfnec_agent *agent) {
  if (scratch && agent) agent->evaluation = scratch->ties;
}

bool sfnec_scratch_is_planning(const sfnec_scratch *scratch) {
  const sfnec_learner *learner = scratch ? scratch->agent->learner : NULL;
  return learner && learner->is_planning && learner->is_planning(scratch);
}

sfnec_status sfnec_scratch_set_reward(sfnec_scratch *scratch, sfnec_reward_function function, void *context) {
  if (!scratch) return sfnec_fail_null(__func__);
  const sfnec_learner *learner = scratch->agent->learner;
  const sfnec_basis basis = sfnec_basis_of(&scratch->agent->policies.config.options);
  if (basis == SFNEC_BASIS_FEATURES && !learner->set_reward)
    return sfnec_fail(
        SFNEC_ERROR_STATE,
        "only an agent that plans (psi=planned, preset sfnec-plan), or one with rewards=any, can be asked "
        "about a reward function; others need reward weights");
  if (basis == SFNEC_BASIS_REWARD || basis == SFNEC_BASIS_LEARNED)
    return sfnec_fail(SFNEC_ERROR_STATE, "an agent with predict=reward or learned does not remember features, and "
                                         "cannot be asked about a reward function: train it with predict=features");
  if (learner->set_reward) learner->set_reward(scratch, function, context);
  scratch->reward = function;
  scratch->weighed = 0;
  scratch->reward_context = context;
  return SFNEC_OK;
}

sfnec_status sfnec_reward_of(const sfnec_env_shape *shape, sfnec_reward_function function, void *context,
                             const float *observation, const sfnec_transition *transition, double *reward) {
  const sfnec_transitions one = {.count = 1,
                                 .observation_size = shape->observation_size,
                                 .feature_count = shape->feature_count,
                                 .observations = observation,
                                 .actions = &transition->action,
                                 .next_observations = transition->next_observation,
                                 .features = transition->features,
                                 .terminated = &transition->terminated};
  *reward = (double)NAN; // what a function leaves out is found
  return function(context, &one, reward);
}

// ---- questions ----

// Checks a question; weights NULL mean the active task's, which must exist then.
static sfnec_status check(const sfnec_agent *agent, const sfnec_scratch *scratch, const float *observation,
                          const double *w, bool needs_weights) {
  const bool has_reward = scratch && scratch->reward;
  const bool own_weights = needs_weights && !w && !has_reward;
  if (agent->policies.count == 0 || (own_weights && agent->active == SFNEC_NO_POLICY)) {
    return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no %stask to answer by: begin one first",
                      agent->policies.count ? "active " : "");
  }
  if (w && has_reward) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "this scratch asks about a reward function (sfnec_scratch_set_reward), so "
                                            "it takes no reward weights");
  }
  if (w && agent->policies.config.options.predict != SFNEC_PREDICT_FEATURES) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "an agent with predict=reward (nec, ql) or learned knows only the rewards that it was trained on "
                      "and cannot be asked about other reward weights: leave them out, or take predict=features");
  }
  sfnec_status status = sfnec_agent_check_observation(agent, observation);
  if (!status && w) status = sfnec_agent_check_weights(agent, w);
  if (status || (scratch && scratch->agent == agent)) return status;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "asking needs a scratch that was made for this agent");
}

// The weights of psi that a question is about, from those that it was given (NULL: the active task's, or none, where
// the learner is asked about a reward function).
static sfnec_status find_weights(sfnec_scratch *scratch, const double **w) {
  if (!scratch->weights) return SFNEC_OK;
  if (*w) {
    sfnec_basis_spread(scratch->agent, *w, scratch->weights);
  } else if (scratch->reward && !scratch->agent->learner->set_reward) {
    const uint32_t known = scratch->agent->joints.count;
    if (scratch->weighed == known && known > 0) {
      *w = scratch->weights;
      return SFNEC_OK;
    }
    const sfnec_status status =
        sfnec_basis_weigh(scratch->agent, scratch->reward, scratch->reward_context, scratch->weights);
    scratch->weighed = status ? 0 : known;
    if (status) return status;
  } else {
    return SFNEC_OK;
  }
  *w = scratch->weights;
  return SFNEC_OK;
}

sfnec_status sfnec_agent_choose(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                const double *w, sfnec_choice *choice) {
  return sfnec_agent_choose_masked(agent, scratch, observation, NULL, w, choice);
}

sfnec_status sfnec_agent_choose_masked(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                       const uint8_t *mask, const double *w, sfnec_choice *choice) {
  if (!agent || !choice) return sfnec_fail_null(__func__);
  sfnec_status status = check(agent, scratch, observation, w, true);
  if (!status) status = sfnec_agent_check_mask(agent, &mask);
  if (!status) status = find_weights(scratch, &w);
  if (status) return status;
  sfnec_stopwatch_start(&scratch->watch);
  status = agent->learner->choose(scratch, observation, mask, w, choice);
  sfnec_stopwatch_stop(&scratch->watch);
  return status;
}

sfnec_status sfnec_agent_tell(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                              const sfnec_transition *transition) {
  if (!agent || !transition) return sfnec_fail_null(__func__);
  sfnec_status status = check(agent, scratch, observation, NULL, false);
  if (!status) status = sfnec_agent_check_outcome(agent, transition);
  if (status) return status;
  sfnec_transition checked = *transition;
  if (transition->terminated) checked.next_mask = NULL;
  status = sfnec_agent_check_mask(agent, &checked.next_mask);
  if (status || !agent->learner->tell) return status;
  return agent->learner->tell(scratch, observation, &checked);
}

sfnec_status sfnec_agent_choose_many(const sfnec_agent *agent, sfnec_scratch *scratch, size_t count,
                                     const float *observations, const double *w, sfnec_choice *choices) {
  return sfnec_agent_choose_many_masked(agent, scratch, count, observations, NULL, w, choices);
}

sfnec_status sfnec_agent_choose_many_masked(const sfnec_agent *agent, sfnec_scratch *scratch, size_t count,
                                            const float *observations, const uint8_t *masks, const double *w,
                                            sfnec_choice *choices) {
  if (!agent || (count && (!observations || !choices))) return sfnec_fail_null(__func__);
  const size_t d = agent->policies.config.observation_size, actions = (size_t)agent->shape.action_count;
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < count && !status; i++) {
    const uint8_t *mask = masks ? masks + i * actions : NULL;
    status = sfnec_agent_choose_masked(agent, scratch, observations + i * d, mask, w, &choices[i]);
  }
  return status;
}

int32_t sfnec_agent_get_key_size(const sfnec_agent *agent) {
  return agent ? (int32_t)sfnec_psi_key_size(&agent->policies.config) : 0;
}

int32_t sfnec_agent_get_psi_size(const sfnec_agent *agent) {
  return agent ? (int32_t)agent->policies.config.psi_size : 0;
}

sfnec_status sfnec_agent_ask_psi(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                 double *psi) {
  if (!agent || !psi) return sfnec_fail_null(__func__);
  const sfnec_status status = check(agent, scratch, observation, NULL, false);
  if (!status && scratch->reward)
    return sfnec_fail(SFNEC_ERROR_STATE, "successor features are of reward weights, and this scratch asks about a "
                                         "reward function: sfnec_agent_ask_q has its values");
  return status ? status : agent->learner->ask_psi(scratch, observation, psi);
}

sfnec_status sfnec_agent_ask_q(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                               const double *w, double *q) {
  if (!agent || !q) return sfnec_fail_null(__func__);
  sfnec_status status = check(agent, scratch, observation, w, true);
  if (!status) status = find_weights(scratch, &w);
  if (status) return status;
  sfnec_stopwatch_start(&scratch->watch);
  status = agent->learner->ask_q(scratch, observation, w, q);
  sfnec_stopwatch_stop(&scratch->watch);
  return status;
}

sfnec_status sfnec_agent_ask_memories(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                      uint32_t task, int32_t action, size_t most, sfnec_memory_view *views,
                                      size_t *count) {
  if (!agent || (!views && most > 0) || !count) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_agent_check_task(agent, task);
  if (!status && (action < 0 || action >= agent->shape.action_count)) {
    status = sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no action %d: there are %d, numbered from 0", (int)action,
                        (int)agent->shape.action_count);
  }
  if (!status) status = check(agent, scratch, observation, NULL, false);
  return status ? status : agent->learner->ask_memories(scratch, observation, task, action, most, views, count);
}

// ---- the plan ----

static sfnec_status check_about_plan(const sfnec_agent *agent, const sfnec_scratch *scratch, const float *observation,
                                     const double *w) {
  const sfnec_status status = check(agent, scratch, observation, w, true);
  if (status || agent->learner->describe_model) return status;
  return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no plan: it does not plan (psi=planned)");
}

sfnec_status sfnec_agent_ask_places(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                    const double *w, size_t first, size_t most, sfnec_place_view *views,
                                    size_t *count) {
  if (!agent || (!views && most > 0) || !count) return sfnec_fail_null(__func__);
  sfnec_status status = check_about_plan(agent, scratch, observation, w);
  if (!status) status = find_weights(scratch, &w);
  return status ? status : agent->learner->ask_places(scratch, observation, w, first, most, views, count);
}

sfnec_status sfnec_agent_ask_path(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                  const double *w, size_t most, sfnec_place_view *views, size_t *count) {
  if (!agent || (!views && most > 0) || !count) return sfnec_fail_null(__func__);
  sfnec_status status = check_about_plan(agent, scratch, observation, w);
  if (!status) status = find_weights(scratch, &w);
  return status ? status : agent->learner->ask_path(scratch, observation, w, most, views, count);
}

sfnec_status sfnec_agent_ask_coverage(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                      const double *w, size_t most, float *observations, int32_t *actions,
                                      sfnec_plan_coverage *coverage) {
  if (!agent || !coverage || (most > 0 && (!observations || !actions))) return sfnec_fail_null(__func__);
  sfnec_status status = check_about_plan(agent, scratch, observation, w);
  if (!status) status = find_weights(scratch, &w);
  if (status) return status;
  return agent->learner->ask_coverage(scratch, observation, w, most, observations, actions, coverage);
}

sfnec_status sfnec_agent_get_start(const sfnec_agent *agent, float *observation) {
  if (!agent || !observation) return sfnec_fail_null(__func__);
  const float *start = agent->learner->start ? agent->learner->start(agent) : NULL;
  if (!start)
    return sfnec_fail(SFNEC_ERROR_STATE,
                      "the agent does not know where episodes begin: it does not plan, or has learned "
                      "from none");
  memcpy(observation, start, agent->policies.config.observation_size * sizeof *observation);
  return SFNEC_OK;
}
