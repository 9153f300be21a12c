// learn.c: acting and learning: algorithm 1 of the paper, one transition at a time.
//
// Departures: a truncated episode bootstraps from its last state; the w line has its missing phi (reward.c); of several
// best actions one is drawn (options ties). Look-ups of the active task's memories count as use when the agent acts and
// when it trains; look-ups of other tasks' memories never do, so leaving one out cannot change anything.
//
// write=late is the authors' program: a target waits one step more than the horizon and bootstraps with the psi that
// was found when the agent acted in that state; what waits when an episode terminates is written in one batch, in which
// equal keys are folded into one value first; what waits at a truncation is dropped.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/switches.h"
#include "base/error.h"
#include "base/vector.h"

static sfnec_policy *active_policy(sfnec_agent *agent) {
  return &agent->policies.list[agent->active];
}

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

static double epsilon_now(const sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const int64_t steps = agent->policies.list[agent->active].steps;
  if (options->epsilon_steps == 0) return options->epsilon;
  if (steps >= options->epsilon_steps) return options->epsilon_final;
  const double share = (double)steps / (double)options->epsilon_steps;
  return options->epsilon + share * (options->epsilon_final - options->epsilon);
}

// Makes `here` the frame of an observation; usually it is the one that the last transition led to.
static void look_here(sfnec_agent *agent, const float *observation) {
  const sfnec_psi_config *config = &agent->policies.config;
  if (agent->next.valid &&
      memcmp(agent->next.observation, observation, config->observation_size * sizeof(float)) == 0) {
    const sfnec_frame here = agent->here;
    agent->here = agent->next;
    agent->next = here;
  }
  sfnec_frame_look(&agent->here, config, observation);
  agent->next.valid = false;
}

// Sets what the newest waiting transition bootstraps with: psi_active(s, a), s the state of the frame.
static void set_bootstrap(sfnec_agent *agent, sfnec_frame *frame, int32_t action) {
  const sfnec_answer *answer = sfnec_frame_ask(frame, &agent->policies, (uint32_t)agent->active, action);
  sfnec_collector_set_bootstrap(&agent->waiting, answer->lookup.value);
}

// The action that a target bootstraps from in the state of a frame: GPI's or the task's own (option bootstrap).
static int32_t bootstrap_action(sfnec_agent *agent, sfnec_frame *frame) {
  sfnec_gpi_rule rule = sfnec_agent_rule(agent, &agent->scratch, &agent->exploration);
  if (agent->policies.config.options.bootstrap == SFNEC_BOOTSTRAP_OWN) rule.only = agent->active;
  return sfnec_gpi_choose(frame, &agent->policies, &rule).action;
}

// write=late: the last transition bootstraps with what acting has just found.
static void bootstrap_late(sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  if (options->write != SFNEC_WRITE_LATE || agent->waiting.count == 0) return;
  const bool chosen = options->bootstrap == SFNEC_BOOTSTRAP_GPI || options->policies == SFNEC_POLICIES_OWN;
  set_bootstrap(agent, &agent->here, chosen ? agent->choice.action : bootstrap_action(agent, &agent->here));
}

// The greedy choice of GPI; looking at the active task's memories counts as use.
static sfnec_status act_by_gpi(sfnec_agent *agent) {
  sfnec_gpi_rule rule = sfnec_agent_rule(agent, &agent->scratch, &agent->exploration);
  rule.novelty = agent->policies.config.options.novelty;
  agent->choice = sfnec_gpi_choose(&agent->here, &agent->policies, &rule);
  sfnec_psi *psi = active_policy(agent)->psi;
  for (int32_t a = 0; a < agent->shape.action_count; a++) {
    psi->ops->touch(psi, a, sfnec_frame_ask(&agent->here, &agent->policies, (uint32_t)agent->active, a));
  }
  bootstrap_late(agent);
  return SFNEC_OK;
}

static sfnec_status act_by_plan(sfnec_agent *agent) {
  const bool random = agent->policies.config.options.ties == SFNEC_TIES_RANDOM;
  agent->choice = (sfnec_choice){.policy = agent->active};
  return sfnec_planner_act(agent->planner, agent->here.observation, random ? &agent->exploration : NULL,
                           &agent->choice);
}

sfnec_status sfnec_agent_act(sfnec_agent *agent, const float *observation, int32_t *action) {
  if (!agent || !action) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_agent_check_observation(agent, observation);
  if (status) return status;
  if (!agent->in_episode || agent->acted) {
    return sfnec_fail(SFNEC_ERROR_STATE, agent->in_episode
                                             ? "the last action still waits for its transition: observe it first"
                                             : "acting needs an episode: begin one first");
  }
  // for the transition that will follow, which then cannot fail for want of it
  status = sfnec_ring_reserve(&agent->waiting);
  if (status) return status;
  look_here(agent, observation);

  status = agent->planner ? act_by_plan(agent) : act_by_gpi(agent);
  if (status) return status;
  if (sfnec_random_uniform(&agent->exploration) < epsilon_now(agent)) {
    agent->choice.action = (int32_t)sfnec_random_below(&agent->exploration, (uint32_t)agent->shape.action_count);
    agent->choice.explored = true;
  }
  agent->acted = agent->has_choice = true;
  *action = agent->choice.action;
  return SFNEC_OK;
}

// ---- learning ----

// The newest transition bootstraps in s_{t+1}.
static void bootstrap(sfnec_agent *agent) {
  set_bootstrap(agent, &agent->next, bootstrap_action(agent, &agent->next));
}

// Learns the target of waiting transition i, and writes what it is to write (sfnec_psi_ops.learn).
static sfnec_status learn_target(sfnec_agent *agent, size_t i, const double *target, const double *written) {
  for (size_t f = 0; f < agent->policies.config.psi_size; f++) {
    if (!(fabs(target[f]) <= 1e30)) {
      return sfnec_fail(SFNEC_ERROR_STATE,
                        "psi has diverged (a target is %g): lower the option rate, or scale the features down",
                        target[f]);
    }
  }
  sfnec_psi *psi = active_policy(agent)->psi;
  const sfnec_ring_entry transition = sfnec_ring_at(&agent->waiting, i);
  return psi->ops->learn(psi, transition.observation, transition.action, target, written);
}

// Learns the target of the oldest waiting transition.
static sfnec_status learn_oldest(sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_collector_target(&agent->waiting, (size_t)options->horizon, options->gamma, agent->target);
  const sfnec_status status = learn_target(agent, 0, agent->target, agent->target);
  sfnec_ring_pop(&agent->waiting);
  return status;
}

// The first failure of several steps, all of which are taken.
static sfnec_status first_of(sfnec_status first, sfnec_status next) {
  return first ? first : next;
}

// write=late, and the episode terminated: learns what waits as one batch. A repeated key moves the stored value once,
// towards the fold of its targets; all targets are trained with as they are.
static sfnec_status learn_batch(sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_status status = SFNEC_OK;
  sfnec_collector_finish(&agent->waiting, options->gamma);
  for (size_t i = 0; i < agent->waiting.count; i++) {
    const bool writes = sfnec_collector_fold(&agent->waiting, i, options->alpha, agent->target);
    const double *target = sfnec_collector_return(&agent->waiting, i);
    status = first_of(status, learn_target(agent, i, target, writes ? agent->target : NULL));
  }
  return status;
}

// The episode is over: learns what waits, or drops it if it was cut off and write=late, where nothing was found to
// bootstrap with.
static sfnec_status learn_rest(sfnec_agent *agent, bool terminated) {
  const bool late = agent->policies.config.options.write == SFNEC_WRITE_LATE;
  sfnec_status status = late && terminated ? learn_batch(agent) : SFNEC_OK;
  while (late && agent->waiting.count > 0) sfnec_ring_pop(&agent->waiting);
  while (agent->waiting.count > 0) status = first_of(status, learn_oldest(agent));
  return status;
}

// One-step TD on the policy j that GPI chose, if it is not the active one: psi_j(s_t, a_t) towards
// phi + gamma psi_j(s_{t+1}, a'), a' its own greedy action. With td=residual the gradient also flows through the
// target.
static sfnec_status update_other(sfnec_agent *agent, const sfnec_transition *transition) {
  const sfnec_psi_config *config = &agent->policies.config;
  const uint32_t j = (uint32_t)agent->choice.policy;
  const sfnec_policy *policy = &agent->policies.list[j];
  sfnec_psi *psi = policy->psi;

  const sfnec_answer *after = NULL;
  int32_t greedy = 0;
  if (!transition->terminated) {
    const sfnec_gpi_rule own = {.w = policy->reward.w,
                                .active = (int32_t)j,
                                .only = (int32_t)j,
                                .ties = config->options.ties == SFNEC_TIES_RANDOM ? &agent->exploration : NULL};
    greedy = sfnec_gpi_choose(&agent->next, &agent->policies, &own).action;
    after = sfnec_frame_ask(&agent->next, &agent->policies, j, greedy);
  }

  const sfnec_answer *before = sfnec_frame_ask(&agent->here, &agent->policies, j, transition->action);
  double *step = agent->target, *step_after = agent->target + config->psi_size;
  for (size_t f = 0; f < config->psi_size; f++) {
    const double target = agent->phi[f] + (after ? config->options.gamma * after->lookup.value[f] : 0.0);
    step[f] = psi->step_size * (target - before->lookup.value[f]);
    step_after[f] = step[f] * -config->options.gamma;
  }
  const sfnec_status status = sfnec_psi_check_step(config, step);
  if (status) return status;
  const sfnec_psi_step steps[] = {{agent->here.observation, transition->action, before, step},
                                  {agent->next.observation, greedy, after, step_after}};
  return psi->ops->nudge(psi, steps, after && config->options.td == SFNEC_TD_RESIDUAL ? 2 : 1);
}

static sfnec_status check_transition(const sfnec_agent *agent, const sfnec_transition *transition) {
  if (!agent->acted) return sfnec_fail(SFNEC_ERROR_STATE, "there is no action to observe the transition of: act first");
  const size_t features = (size_t)agent->shape.feature_count;
  if (!transition->features || !sfnec_all_within_f64(transition->features, features, SFNEC_NUMBER_MOST)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the features of a transition must be %zu finite numbers, none beyond %g: scale them to about 1",
                      features, SFNEC_NUMBER_MOST);
  }
  return sfnec_agent_check_outcome(agent, transition);
}

// Learns from the transition that waits in agent->phi and agent->next, and queues it for its N-step target.
static sfnec_status learn_transition(sfnec_agent *agent, const sfnec_transition *transition) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_status status = agent->evidence ? sfnec_agent_detect(agent, agent->phi, transition->reward) : SFNEC_OK;
  sfnec_policy *policy = active_policy(agent);
  status = first_of(status, sfnec_reward_learn(&policy->reward, options, agent->phi, transition->reward));
  if (agent->planner) {
    policy->steps = sfnec_count_up(policy->steps);
    policy->chosen = sfnec_count_up(policy->chosen);
    return first_of(status, sfnec_planner_observe(agent->planner, agent->here.observation, transition, agent->phi,
                                                  &policy->reward));
  }

  sfnec_collector_push(&agent->waiting, agent->here.observation, transition->action, agent->phi);
  const bool late = options->write == SFNEC_WRITE_LATE, whole_episode = options->write == SFNEC_WRITE_EPISODE;
  const bool full = agent->waiting.count == sfnec_collector_limit(options);
  if (!transition->terminated && !late && (full || whole_episode || transition->truncated)) bootstrap(agent);
  if (full) status = first_of(status, learn_oldest(agent));
  if (agent->choice.policy != agent->active) status = first_of(status, update_other(agent, transition));
  policy->steps = sfnec_count_up(policy->steps);
  int64_t *chosen = &agent->policies.list[agent->choice.policy].chosen;
  *chosen = sfnec_count_up(*chosen);
  if (transition->terminated || transition->truncated) {
    status = first_of(status, learn_rest(agent, transition->terminated));
  }
  return policy->psi->ops->train ? first_of(status, policy->psi->ops->train(policy->psi)) : status;
}

sfnec_status sfnec_agent_observe(sfnec_agent *agent, const sfnec_transition *transition) {
  if (!agent || !transition) return sfnec_fail_null(__func__);
  const sfnec_psi_config *config = &agent->policies.config;
  sfnec_status status = check_transition(agent, transition);
  if (status) return status;

  if (config->options.predict == SFNEC_PREDICT_REWARD) {
    agent->phi[0] = transition->reward;
  } else {
    memcpy(agent->phi, transition->features, config->psi_size * sizeof *agent->phi);
  }
  sfnec_frame_look(&agent->next, config, transition->next_observation);
  status = learn_transition(agent, transition);
  agent->acted = false;
  if (transition->terminated || transition->truncated) agent->in_episode = false;
  return status;
}

sfnec_status sfnec_agent_end_episode(sfnec_agent *agent) {
  if (!agent) return sfnec_fail_null(__func__);
  if (!agent->in_episode) return SFNEC_OK;
  agent->in_episode = agent->acted = false;
  if (agent->planner) sfnec_planner_end_episode(agent->planner);
  if (agent->waiting.count == 0) return SFNEC_OK;
  // an action without its transition is dropped; the state it was chosen in is the last one
  if (!agent->next.valid) sfnec_frame_look(&agent->next, &agent->policies.config, agent->here.observation);
  if (agent->policies.config.options.write != SFNEC_WRITE_LATE) bootstrap(agent);
  return learn_rest(agent, false);
}

void sfnec_agent_get_loss(const sfnec_agent *agent, double *loss, int64_t *targets) {
  *loss = agent->scratch.loss >= 0.0 ? agent->scratch.loss : 0.0;
  *targets = agent->scratch.targets;
}

void sfnec_agent_set_loss(sfnec_agent *agent, double loss, int64_t targets) {
  agent->scratch.loss = loss;
  agent->scratch.targets = targets;
}
