// tasks.c: adding, choosing, replacing and forgetting tasks.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/switches.h"
#include "base/error.h"

static sfnec_status refuse_in_episode(const sfnec_agent *agent, const char *what) {
  if (!agent->in_episode) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "%s is not possible during an episode: end it first with sfnec_agent_end_episode", what);
}

// What a task rewards: a function, or weights of features; neither: weights to learn.
typedef struct goal {
  const double *w;
  sfnec_reward_function function;
  void *context;
} goal;

// The weights of psi that make a task's reward: a new block, NULL for weights to learn.
static sfnec_status make_weights(const sfnec_agent *agent, const goal *goal, double **weights) {
  *weights = NULL;
  const sfnec_agent_options *options = &agent->policies.config.options;
  const sfnec_basis basis = sfnec_basis_of(options);
  if (basis == SFNEC_BASIS_LEARNED) return SFNEC_OK; // of features that nobody knows
  if (basis == SFNEC_BASIS_REWARD || goal->function || goal->w) {
    *weights = calloc(agent->policies.config.psi_size, sizeof **weights);
    if (!*weights) return sfnec_fail_memory("the weights of a task");
  }
  sfnec_status status = SFNEC_OK;
  if (basis == SFNEC_BASIS_REWARD) {
    **weights = 1.0;
  } else if (goal->function) {
    status = sfnec_basis_weigh(agent, goal->function, goal->context, *weights);
  } else if (goal->w) {
    status = sfnec_agent_check_weights(agent, goal->w);
    if (!status) sfnec_basis_spread(agent, goal->w, *weights);
  } else if (options->w == SFNEC_W_GIVEN) {
    status = sfnec_fail(SFNEC_ERROR_ARGUMENT,
                        "a task needs its reward weights: give w, or learn it with the option w=sgd or w=rls");
  }
  if (!status) return SFNEC_OK;
  free(*weights);
  *weights = NULL;
  return status;
}

// A fresh policy for what a task rewards.
static sfnec_status make_policy(sfnec_agent *agent, uint32_t task, const goal *goal, sfnec_policy *policy) {
  double *weights;
  sfnec_status status = make_weights(agent, goal, &weights);
  if (status) return status;
  // a policy that fails for lack of memory has drawn nothing
  sfnec_random init = agent->init;
  status = sfnec_policy_init(policy, &agent->policies, task, weights, &init);
  if (!status) agent->init = init;
  free(weights);
  return status;
}

// Answers and choices speak of policies by number; they are void once the numbers mean something else.
static void forget_answers(sfnec_agent *agent) {
  const sfnec_psi_config *config = &agent->policies.config;
  sfnec_frame_invalidate(&agent->here, config);
  sfnec_frame_invalidate(&agent->next, config);
  sfnec_psi_scratch_forget(&agent->scratch);
  agent->generation++;
  agent->has_choice = false;
}

static sfnec_status push(sfnec_agent *agent, const goal *goal, uint32_t *task) {
  sfnec_status status = sfnec_policies_reserve(&agent->policies);
  if (!status) status = sfnec_agent_make_room(agent, agent->policies.count + 1);
  sfnec_policy policy;
  if (!status) status = make_policy(agent, agent->policies.count, goal, &policy);
  if (status) return status;
  if (task) *task = agent->policies.count;
  sfnec_policies_push(&agent->policies, &policy);
  return SFNEC_OK;
}

sfnec_status sfnec_agent_push_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  return push(agent, &(goal){.w = w}, task);
}

sfnec_status sfnec_agent_add_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  if (!agent) return sfnec_fail_null(__func__);
  const sfnec_status status = refuse_in_episode(agent, "adding a task");
  return status ? status : sfnec_agent_push_task(agent, w, task);
}

// The learner begins with what the active task rewards.
static sfnec_status begin_active(sfnec_agent *agent, const goal *goal) {
  const sfnec_learner *learner = agent->learner;
  if (goal->function && learner->begin_reward) return learner->begin_reward(agent, goal->function, goal->context);
  return learner->begin_task ? learner->begin_task(agent) : SFNEC_OK;
}

// The caller changed the active task or its weights: earlier rewards are no evidence of a switch.
static sfnec_status begin_told(sfnec_agent *agent, const goal *goal) {
  const sfnec_status status = begin_active(agent, goal);
  if (!status) sfnec_evidence_restart(agent);
  return status;
}

static sfnec_status activate(sfnec_agent *agent, uint32_t task, const goal *goal) {
  const int32_t before = agent->active;
  agent->active = (int32_t)task;
  const sfnec_status status = begin_active(agent, goal);
  if (!status) agent->watch.unrewarded = 0;
  if (status) {
    agent->active = before; // there was no memory to plan for it
  } else if (before != SFNEC_NO_POLICY && before != (int32_t)task && agent->learner->leave_task) {
    agent->learner->leave_task(agent, (uint32_t)before);
  }
  return status;
}

sfnec_status sfnec_agent_activate(sfnec_agent *agent, uint32_t task) {
  return activate(agent, task, &(goal){0});
}

static sfnec_status begin(sfnec_agent *agent, const goal *goal, uint32_t *task) {
  const sfnec_random init = agent->init;
  uint32_t added = 0;
  sfnec_status status = refuse_in_episode(agent, "adding a task");
  if (!status) status = push(agent, goal, &added);
  if (status) return status;
  status = activate(agent, added, goal);
  if (status) {
    sfnec_policies_remove(&agent->policies, added);
    agent->init = init;
    return status;
  }
  sfnec_evidence_restart(agent);
  if (task) *task = added;
  return SFNEC_OK;
}

sfnec_status sfnec_agent_begin_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  if (!agent) return sfnec_fail_null(__func__);
  return begin(agent, &(goal){.w = w}, task);
}

// ---- tasks with a reward function ----

static sfnec_status check_any_reward(const sfnec_agent *agent) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  if (sfnec_basis_of(options) != SFNEC_BASIS_FEATURES) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "the agent's tasks are reward weights: for a reward function as a task create it with the option "
                    "rewards=any, or predict=reward");
}

sfnec_status sfnec_agent_begin_reward(sfnec_agent *agent, sfnec_reward_function function, void *context,
                                      uint32_t *task) {
  if (!agent || !function) return sfnec_fail_null(__func__);
  const sfnec_status status = check_any_reward(agent);
  return status ? status : begin(agent, &(goal){.function = function, .context = context}, task);
}

// Whether the reward of a task is known only as the labels of what was seen while it was the active one.
static bool has_labels(const sfnec_agent *agent, uint32_t task) {
  return sfnec_basis_of(&agent->policies.config.options) == SFNEC_BASIS_LABEL &&
         agent->policies.list[task].reward.w[agent->shape.feature_count] != 0.0;
}

sfnec_status sfnec_agent_set_reward(sfnec_agent *agent, uint32_t task, sfnec_reward_function function, void *context) {
  if (!agent || !function) return sfnec_fail_null(__func__);
  const goal goal = {.function = function, .context = context};
  sfnec_status status = sfnec_agent_check_task(agent, task);
  if (!status && agent->active != (int32_t)task) status = refuse_in_episode(agent, "changing the task");
  if (!status) status = check_any_reward(agent);
  if (!status && sfnec_basis_of(&agent->policies.config.options) == SFNEC_BASIS_LEARNED) {
    status =
        sfnec_fail(SFNEC_ERROR_STATE, "an agent with predict=learned keeps the rewards of a task as they were seen: "
                                      "begin another task for another reward");
  }
  double *weights = NULL;
  if (!status) status = make_weights(agent, &goal, &weights);
  if (status) return status;
  sfnec_reward *reward = &agent->policies.list[task].reward;
  double *former = reward->w;
  reward->w = weights;
  status = activate(agent, task, &goal);
  if (!status) sfnec_evidence_restart(agent);
  if (status) reward->w = former;
  free(status ? weights : former);
  return status;
}

sfnec_status sfnec_agent_set_task(sfnec_agent *agent, uint32_t task) {
  if (!agent) return sfnec_fail_null(__func__);
  sfnec_status status = refuse_in_episode(agent, "changing the task");
  if (!status) status = sfnec_agent_check_task(agent, task);
  if (status || agent->active == (int32_t)task) return status;
  if (has_labels(agent, task)) {
    return sfnec_fail(SFNEC_ERROR_STATE,
                      "task %" PRIu32 " has a reward function, which an agent that plans does not keep: take it up "
                      "again with sfnec_agent_set_reward",
                      task);
  }
  status = sfnec_agent_activate(agent, task);
  if (!status) sfnec_evidence_restart(agent);
  return status;
}

sfnec_status sfnec_agent_replace_task(sfnec_agent *agent, uint32_t task, const double *w) {
  if (!agent) return sfnec_fail_null(__func__);
  sfnec_status status = refuse_in_episode(agent, "replacing a task");
  if (!status) status = sfnec_agent_check_task(agent, task);
  const sfnec_random init = agent->init;
  sfnec_policy policy;
  const goal goal = {.w = w};
  if (!status) status = make_policy(agent, task, &goal, &policy);
  if (status) return status;
  sfnec_policy old = agent->policies.list[task];
  agent->policies.list[task] = policy;
  if (agent->active == (int32_t)task) status = begin_told(agent, &goal);
  if (status) {
    agent->policies.list[task] = old;
    old = policy;
    agent->init = init;
  } else {
    forget_answers(agent);
  }
  sfnec_policy_clear(&old);
  return status;
}

sfnec_status sfnec_agent_set_task_weights(sfnec_agent *agent, uint32_t task, const double *w) {
  if (!agent) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_agent_check_task(agent, task);
  if (!status && agent->policies.config.options.predict != SFNEC_PREDICT_FEATURES) {
    status = sfnec_fail(SFNEC_ERROR_STATE, "an agent with predict=reward or learned has no reward weights to set");
  }
  double *new = NULL;
  if (!status) status = w ? make_weights(agent, &(goal){.w = w}, &new) : sfnec_agent_check_weights(agent, w);
  if (status) return status;
  double **weights = &agent->policies.list[task].reward.w, *old = *weights;
  *weights = new;
  if (agent->active == (int32_t)task) status = begin_told(agent, &(goal){0});
  if (status) *weights = old;
  free(status ? new : old);
  return status;
}

// The numbers of later tasks are one less then.
static void remove_task(sfnec_agent *agent, uint32_t task) {
  sfnec_policies_remove(&agent->policies, task);
  if (agent->learner->forget_task) agent->learner->forget_task(agent, task, true);
  if (agent->active == (int32_t)task) {
    agent->active = SFNEC_NO_POLICY;
    sfnec_evidence_restart(agent);
  } else if (agent->active > (int32_t)task) {
    agent->active--;
  }
}

sfnec_status sfnec_agent_forget_task(sfnec_agent *agent, uint32_t task) {
  if (!agent) return sfnec_fail_null(__func__);
  sfnec_status status = refuse_in_episode(agent, "forgetting a task");
  if (!status) status = sfnec_agent_check_task(agent, task);
  if (status) return status;
  remove_task(agent, task);
  forget_answers(agent);
  return SFNEC_OK;
}

void sfnec_agent_drop_task(sfnec_agent *agent, uint32_t task) {
  const sfnec_choice choice = agent->choice;
  const bool has_choice = agent->has_choice;
  remove_task(agent, task);
  forget_answers(agent);
  // the action that was taken is still what the plan chose
  agent->has_choice = has_choice;
  agent->choice = choice;
  agent->choice.policy = agent->active;
}

uint32_t sfnec_agent_get_task_count(const sfnec_agent *agent) {
  return agent ? agent->policies.count : 0;
}

sfnec_status sfnec_agent_get_task_info(const sfnec_agent *agent, uint32_t task, sfnec_task_info *info) {
  if (!agent || !info) return sfnec_fail_null(__func__);
  const sfnec_status status = sfnec_agent_check_task(agent, task);
  if (status) return status;
  const sfnec_policy *policy = &agent->policies.list[task];
  *info = (sfnec_task_info){
      .active = agent->active == (int32_t)task,
      .learned = policy->reward.learned,
      .steps = policy->steps,
      .chosen = policy->chosen,
  };
  agent->learner->describe_task(agent, task, info);
  return SFNEC_OK;
}

sfnec_status sfnec_agent_get_task_weights(const sfnec_agent *agent, uint32_t task, double *w) {
  if (!agent || !w) return sfnec_fail_null(__func__);
  const sfnec_status status = sfnec_agent_check_task(agent, task);
  if (status) return status;
  const sfnec_reward *reward = &agent->policies.list[task].reward;
  memcpy(w, reward->w, reward->size * sizeof *w);
  return SFNEC_OK;
}

// ---- a budget of memory ----

sfnec_status sfnec_agent_reserve(sfnec_agent *agent) {
  if (!agent) return sfnec_fail_null(__func__);
  return agent->learner->reserve(agent);
}
