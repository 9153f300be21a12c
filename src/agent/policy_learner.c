// policy_learner.c: acting and learning with a psi per task: algorithm 1 of the paper, one transition at a time.
//
// Departures: a truncated episode bootstraps from its last state; the w line has its missing phi (reward.c); of several
// best actions one is drawn (options ties). Look-ups of the active task's memories count as use when the agent acts and
// when it trains; look-ups of other tasks' memories never do, so leaving one out cannot change anything.
//
// write=late is the authors' program: a target waits one step more than the horizon and bootstraps with the psi that
// was found when the agent acted in that state; what waits when an episode terminates is written in one batch, in which
// equal keys are folded into one value first; what waits at a truncation is dropped.
#include "agent/policy_learner.h"

#include <math.h>

#include "agent/capacity.h"
#include "agent/mask.h"
#include "base/error.h"
#include "base/vector.h"

static sfnec_policy *active_policy(sfnec_agent *agent) {
  return &agent->policies.list[agent->active];
}

// ---- life and tasks ----

static size_t bytes(const sfnec_agent *agent) {
  size_t sum = 0;
  for (uint32_t i = 0; i < agent->policies.count; i++) {
    const sfnec_psi *psi = agent->policies.list[i].psi;
    sum += psi->ops->bytes(psi);
  }
  return sum;
}

// Under the other options a task allocates while it learns: an index that is fitted, a replay buffer, an embedding.
static sfnec_status check_bounded(const sfnec_agent_options *options) {
  const bool bounded = options->psi == SFNEC_PSI_LINEAR ||
                       (options->index == SFNEC_INDEX_FLAT && options->gpi == SFNEC_GPI_FULL &&
                        options->embedding == SFNEC_EMBEDDING_IDENTITY && options->training == SFNEC_TRAINING_SAMPLE &&
                        options->write == SFNEC_WRITE_HORIZON && options->capacity_total == 0);
  if (bounded) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "the memory of this agent cannot be reserved: it takes index=flat, gpi=full, "
                                       "embedding=identity, training=sample, write=horizon and capacity_total=0, or "
                                       "psi=linear");
}

static sfnec_status reserve(sfnec_agent *agent) {
  sfnec_status status = check_bounded(&agent->policies.config.options);
  if (!status) status = sfnec_agent_reserve_frames(agent, agent->policies.count);
  if (!status) status = sfnec_ring_reserve_all(&agent->waiting, (size_t)agent->policies.config.options.horizon + 1);
  for (uint32_t i = 0; i < agent->policies.count && !status; i++) {
    sfnec_psi *psi = agent->policies.list[i].psi;
    if (psi->ops->reserve) status = psi->ops->reserve(psi);
  }
  return status;
}

// What the task that is left has learned is packed, as it will hardly change now.
static void leave_task(sfnec_agent *agent, uint32_t task) {
  sfnec_psi *psi = agent->policies.list[task].psi;
  psi->ops->freeze(psi);
}

static void describe_task(const sfnec_agent *agent, uint32_t task, sfnec_task_info *info) {
  const sfnec_psi *psi = agent->policies.list[task].psi;
  const sfnec_training training = psi->ops->training(psi);
  info->entries = sfnec_psi_entries(psi);
  info->trained = training.trained;
  info->skipped = training.skipped;
}

// ---- acting ----

sfnec_gpi_rule sfnec_policy_rule(const sfnec_agent *agent, sfnec_psi_scratch *scratch, sfnec_random *ties) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const double *w = agent->policies.list[agent->active].reward.w;
  const bool own = options->policies == SFNEC_POLICIES_OWN;
  return (sfnec_gpi_rule){
      .w = w,
      .active = agent->active,
      .only = own ? agent->active : SFNEC_NO_POLICY,
      .penalty = options->gpi_penalty,
      .likely = agent->has_choice ? agent->choice.policy : SFNEC_NO_POLICY,
      .stamp = own ? 0 : sfnec_psi_scratch_stamp(scratch, &agent->policies.config, w),
      .ties = options->ties == SFNEC_TIES_RANDOM ? ties : NULL,
  };
}

// Sets what the newest waiting transition bootstraps with: psi_active(s, a), s the state of the frame.
static void set_bootstrap(sfnec_agent *agent, sfnec_frame *frame, int32_t action) {
  const sfnec_answer *answer = sfnec_frame_ask(frame, &agent->policies, (uint32_t)agent->active, action);
  sfnec_collector_set_bootstrap(&agent->waiting, answer->lookup.value);
}

// The action that a target bootstraps from in the state of a frame: GPI's or the task's own (option bootstrap).
static int32_t bootstrap_action(sfnec_agent *agent, sfnec_frame *frame) {
  sfnec_gpi_rule rule = sfnec_policy_rule(agent, &agent->scratch, &agent->exploration);
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

// The greedy choice of GPI; looking at the active task's memories counts as use. Those of actions that are not allowed
// are not looked at.
static sfnec_status act(sfnec_agent *agent, const float *observation, const uint8_t *mask) {
  // for the transition that will follow, which then cannot fail for want of it
  const sfnec_status status = sfnec_ring_reserve(&agent->waiting);
  if (status) return status;
  sfnec_agent_look_here(agent, observation, mask);
  sfnec_gpi_rule rule = sfnec_policy_rule(agent, &agent->scratch, &agent->exploration);
  rule.novelty = agent->policies.config.options.novelty;
  agent->choice = sfnec_gpi_choose(&agent->here, &agent->policies, &rule);
  sfnec_psi *psi = active_policy(agent)->psi;
  for (int32_t a = 0; a < agent->shape.action_count; a++) {
    if (!sfnec_mask_allows(mask, (uint32_t)a)) continue;
    psi->ops->touch(psi, a, sfnec_frame_ask(&agent->here, &agent->policies, (uint32_t)agent->active, a));
  }
  bootstrap_late(agent);
  return SFNEC_OK;
}

// Somebody else's action: as far as it is also the greedy one the returns of what waits go on through it; where it is
// another one they are cut off, and bootstrap here (Watkins's Q(lambda), 1989).
static sfnec_status follow(sfnec_agent *agent, const float *observation, int32_t action) {
  // of the first observation of an episode the mask is not known
  sfnec_status status = act(agent, observation, agent->next.valid ? sfnec_frame_mask(&agent->next) : NULL);
  if (status || agent->choice.action == action || agent->waiting.count == 0) return status;
  status = sfnec_agent_end_episode(agent);
  status = sfnec_first_failure(status, sfnec_agent_begin_episode(agent));
  return status ? status : act(agent, observation, sfnec_frame_mask(&agent->here));
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
  const float *observation = sfnec_ring_observation(&agent->waiting, i);
  return psi->ops->learn(psi, observation, sfnec_ring_at(&agent->waiting, i).action, target, written);
}

// Learns the target of the oldest waiting transition.
static sfnec_status learn_oldest(sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_collector_target(&agent->waiting, (size_t)options->horizon, options->gamma, agent->target);
  const sfnec_status status = learn_target(agent, 0, agent->target, agent->target);
  sfnec_ring_pop(&agent->waiting);
  return status;
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
    status = sfnec_first_failure(status, learn_target(agent, i, target, writes ? agent->target : NULL));
  }
  return status;
}

// The episode is over: learns what waits, or drops it if it was cut off and write=late, where nothing was found to
// bootstrap with.
static sfnec_status learn_rest(sfnec_agent *agent, bool terminated) {
  const bool late = agent->policies.config.options.write == SFNEC_WRITE_LATE;
  sfnec_status status = late && terminated ? learn_batch(agent) : SFNEC_OK;
  while (late && agent->waiting.count > 0) sfnec_ring_pop(&agent->waiting);
  while (agent->waiting.count > 0) status = sfnec_first_failure(status, learn_oldest(agent));
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

static sfnec_status observe(sfnec_agent *agent, const sfnec_transition *transition) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_status status = SFNEC_OK;
  sfnec_collector_push(&agent->waiting, agent->here.observation, transition->action, agent->phi);
  const bool late = options->write == SFNEC_WRITE_LATE, whole_episode = options->write == SFNEC_WRITE_EPISODE;
  const bool full = agent->waiting.count == sfnec_collector_limit(options);
  if (!transition->terminated && !late && (full || whole_episode || transition->truncated)) bootstrap(agent);
  if (full) status = learn_oldest(agent);
  if (agent->choice.policy != agent->active) status = sfnec_first_failure(status, update_other(agent, transition));
  int64_t *chosen = &agent->policies.list[agent->choice.policy].chosen;
  *chosen = sfnec_count_up(*chosen);
  if (transition->terminated || transition->truncated) {
    status = sfnec_first_failure(status, learn_rest(agent, transition->terminated));
  }
  sfnec_psi *psi = active_policy(agent)->psi;
  if (psi->ops->train) status = sfnec_first_failure(status, psi->ops->train(psi));
  return sfnec_first_failure(status, sfnec_capacity_keep(agent));
}

static sfnec_status end_episode(sfnec_agent *agent) {
  if (agent->waiting.count == 0) return SFNEC_OK;
  // an action without its transition is dropped; the state it was chosen in is the last one
  if (!agent->next.valid) {
    sfnec_frame_look(&agent->next, &agent->policies.config, agent->here.observation);
    sfnec_frame_set_mask(&agent->next, &agent->policies.config, sfnec_frame_mask(&agent->here));
  }
  if (agent->policies.config.options.write != SFNEC_WRITE_LATE) bootstrap(agent);
  const sfnec_status status = learn_rest(agent, false);
  return sfnec_first_failure(status, sfnec_capacity_keep(agent));
}

// ---- files ----

// The transition of an action that waits for it will have its place.
static sfnec_status load(sfnec_agent *agent, sfnec_reader *reader) {
  (void)reader;
  return agent->acted ? sfnec_ring_reserve(&agent->waiting) : SFNEC_OK;
}

const sfnec_learner sfnec_policy_learner = {
    .bytes = bytes,
    .reserve = reserve,
    .make_room = sfnec_agent_reserve_frames,
    .leave_task = leave_task,
    .describe_task = describe_task,
    .act = act,
    .follow = follow,
    .observe = observe,
    .end_episode = end_episode,
    .choose = sfnec_policy_choose,
    .ask_psi = sfnec_policy_ask_psi,
    .ask_q = sfnec_policy_ask_q,
    .ask_memories = sfnec_policy_ask_memories,
    .load = load,
};
