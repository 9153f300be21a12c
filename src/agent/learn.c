// learn.c: acting and learning, one transition at a time: what all learners (learner.h) have in common.
#include <string.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/switches.h"
#include "base/error.h"
#include "base/vector.h"

// ---- acting ----

sfnec_status sfnec_agent_begin_episode(sfnec_agent *agent) {
  if (!agent) return sfnec_fail_null(__func__);
  if (agent->active == SFNEC_NO_POLICY) {
    return sfnec_fail(SFNEC_ERROR_STATE, "an episode needs a task: begin one first with sfnec_agent_begin_task");
  }
  if (agent->in_episode) {
    return sfnec_fail(SFNEC_ERROR_STATE, "an episode is running already: end it first with sfnec_agent_end_episode");
  }
  agent->in_episode = true;
  agent->acted = false;
  agent->next.valid = false;
  return SFNEC_OK;
}

// Room for the masks of both states, before anything is learned: they change places.
static sfnec_status reserve_masks(sfnec_agent *agent) {
  const sfnec_status status = sfnec_frame_reserve_mask(&agent->here, &agent->policies.config);
  return status ? status : sfnec_frame_reserve_mask(&agent->next, &agent->policies.config);
}

static double epsilon_now(const sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const int64_t steps = agent->policies.list[agent->active].steps;
  if (options->epsilon_steps == 0) return options->epsilon;
  if (steps >= options->epsilon_steps) return options->epsilon_final;
  const double share = (double)steps / (double)options->epsilon_steps;
  return options->epsilon + share * (options->epsilon_final - options->epsilon);
}

sfnec_status sfnec_agent_act(sfnec_agent *agent, const float *observation, int32_t *action) {
  return sfnec_agent_act_masked(agent, observation, NULL, action);
}

// Any of the allowed actions.
static int32_t explore(sfnec_agent *agent, const uint8_t *mask) {
  const uint32_t count = sfnec_mask_count(mask, (uint32_t)agent->shape.action_count);
  return (int32_t)sfnec_mask_nth(mask, sfnec_random_below(&agent->exploration, count));
}

sfnec_status sfnec_agent_act_masked(sfnec_agent *agent, const float *observation, const uint8_t *mask,
                                    int32_t *action) {
  if (!agent || !action) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_agent_check_observation(agent, observation);
  if (!status) status = sfnec_agent_check_mask(agent, &mask);
  if (status) return status;
  if (!agent->in_episode || agent->acted) {
    return sfnec_fail(SFNEC_ERROR_STATE, agent->in_episode
                                             ? "the last action still waits for its transition: observe it first"
                                             : "acting needs an episode: begin one first");
  }
  if (mask) status = reserve_masks(agent);
  if (!status) {
    sfnec_stopwatch_start(&agent->watch.steps);
    status = agent->learner->act(agent, observation, mask);
    sfnec_stopwatch_stop(&agent->watch.steps);
  }
  if (status) return status;
  if (sfnec_random_uniform(&agent->exploration) < epsilon_now(agent)) {
    agent->choice.action = explore(agent, mask);
    agent->choice.explored = true;
  }
  agent->acted = agent->has_choice = true;
  *action = agent->choice.action;
  return SFNEC_OK;
}

// ---- learning ----

static sfnec_status check_transition(const sfnec_agent *agent, const sfnec_transition *transition) {
  const size_t features = (size_t)agent->shape.feature_count;
  if (!transition->features || !sfnec_all_within_f64(transition->features, features, SFNEC_NUMBER_MOST)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the features of a transition must be %zu finite numbers, none beyond %g: scale them to about 1",
                      features, SFNEC_NUMBER_MOST);
  }
  return sfnec_agent_check_outcome(agent, transition);
}

// Weights that the caller gives say what the reward should be; a reward function may be of more than phi.
static void watch_reward(sfnec_agent *agent, double reward) {
  const sfnec_policies *policies = &agent->policies;
  const sfnec_agent_options *options = &policies->config.options;
  const bool given = options->w == SFNEC_W_GIVEN;
  const double *w = policies->list[agent->active].reward.w;
  const double earned = given ? sfnec_dot(agent->phi, w, policies->config.psi_size) : reward;
  sfnec_watch_reward(&agent->watch, earned);
  if (given && options->rewards == SFNEC_REWARDS_LINEAR) sfnec_watch_weights(&agent->watch, reward, earned);
}

// Learns from the transition that waits in agent->phi and agent->next.
static sfnec_status learn_transition(sfnec_agent *agent, const sfnec_transition *transition) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_status status = agent->evidence ? sfnec_agent_detect(agent, agent->phi, transition->reward) : SFNEC_OK;
  sfnec_policy *policy = &agent->policies.list[agent->active];
  status = sfnec_first_failure(status, sfnec_reward_learn(&policy->reward, options, agent->phi, transition->reward));
  policy->steps = sfnec_count_up(policy->steps);
  return sfnec_first_failure(status, agent->learner->observe(agent, transition));
}

sfnec_status sfnec_agent_observe(sfnec_agent *agent, const sfnec_transition *transition) {
  if (!agent || !transition) return sfnec_fail_null(__func__);
  const sfnec_psi_config *config = &agent->policies.config;
  if (!agent->acted) return sfnec_fail(SFNEC_ERROR_STATE, "there is no action to observe the transition of: act first");
  sfnec_status status = check_transition(agent, transition);
  sfnec_transition checked = *transition;
  if (transition->terminated) checked.next_mask = NULL;
  if (!status) status = sfnec_agent_check_mask(agent, &checked.next_mask);
  if (!status && checked.next_mask) status = reserve_masks(agent);
  if (!status) status = sfnec_basis_observe(agent, &checked);
  if (status) return status;

  sfnec_frame_look(&agent->next, config, transition->next_observation);
  sfnec_frame_set_mask(&agent->next, config, checked.next_mask);
  watch_reward(agent, transition->reward);
  sfnec_stopwatch_start(&agent->watch.steps);
  status = learn_transition(agent, &checked);
  sfnec_stopwatch_stop(&agent->watch.steps);
  agent->acted = false;
  if (transition->terminated || transition->truncated) agent->in_episode = false;
  return status;
}

// Whether the episode that is being learned continues from this observation.
static bool continues_at(const sfnec_agent *agent, const float *observation) {
  const size_t size = agent->policies.config.observation_size;
  return agent->next.valid && memcmp(agent->next.observation, observation, size * sizeof *observation) == 0;
}

sfnec_status sfnec_agent_learn_transition(sfnec_agent *agent, const float *observation,
                                          const sfnec_transition *transition) {
  if (!agent || !transition) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_agent_check_observation(agent, observation);
  if (!status) status = check_transition(agent, transition);
  if (status) return status;
  if (agent->acted)
    return sfnec_fail(SFNEC_ERROR_STATE, "the last action still waits for its transition: observe it first");
  if (agent->in_episode && !continues_at(agent, observation)) status = sfnec_agent_end_episode(agent);
  if (!agent->in_episode) status = sfnec_first_failure(status, sfnec_agent_begin_episode(agent));
  if (!status) status = agent->learner->follow(agent, observation, transition->action);
  if (status) return status;
  agent->acted = agent->has_choice = true;
  return sfnec_agent_observe(agent, transition);
}

sfnec_status sfnec_agent_end_episode(sfnec_agent *agent) {
  if (!agent) return sfnec_fail_null(__func__);
  if (!agent->in_episode) return SFNEC_OK;
  agent->in_episode = agent->acted = false;
  return agent->learner->end_episode(agent);
}

sfnec_status sfnec_agent_plan(sfnec_agent *agent, int64_t backups, int64_t *made) {
  if (!agent || !made) return sfnec_fail_null(__func__);
  if (backups < 0) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an agent cannot plan by fewer than 0 backups");
  *made = 0;
  return agent->learner->plan ? agent->learner->plan(agent, backups, made) : SFNEC_OK;
}

void sfnec_agent_get_loss(const sfnec_agent *agent, double *loss, int64_t *targets) {
  *loss = agent->scratch.loss >= 0.0 ? agent->scratch.loss : 0.0;
  *targets = agent->scratch.targets;
}

void sfnec_agent_set_loss(sfnec_agent *agent, double loss, int64_t targets) {
  agent->scratch.loss = loss;
  agent->scratch.targets = targets;
}
