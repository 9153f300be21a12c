// tasks.c: adding, choosing, replacing and forgetting tasks.
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

// A fresh policy for the weights that a caller gave, or for weights to learn.
static sfnec_status make_policy(sfnec_agent *agent, uint32_t task, const double *w, sfnec_policy *policy) {
  static const double one = 1.0;
  const sfnec_agent_options *options = &agent->policies.config.options;
  if (options->predict == SFNEC_PREDICT_REWARD) {
    w = &one;
  } else if (!w && options->w == SFNEC_W_GIVEN) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "a task needs its reward weights: give w, or learn it with the option w=sgd or w=rls");
  } else if (w) {
    const sfnec_status status = sfnec_agent_check_weights(agent, w);
    if (status) return status;
  }
  // a policy that fails for lack of memory has drawn nothing
  sfnec_random init = agent->init;
  const sfnec_status status = sfnec_policy_init(policy, &agent->policies, task, w, &init);
  if (!status) agent->init = init;
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

sfnec_status sfnec_agent_push_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  sfnec_status status = sfnec_policies_reserve(&agent->policies);
  if (!status) status = sfnec_agent_make_room(agent, agent->policies.count + 1);
  sfnec_policy policy;
  if (!status) status = make_policy(agent, agent->policies.count, w, &policy);
  if (status) return status;
  if (task) *task = agent->policies.count;
  sfnec_policies_push(&agent->policies, &policy);
  return SFNEC_OK;
}

sfnec_status sfnec_agent_add_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  if (!agent) return sfnec_fail_null(__func__);
  const sfnec_status status = refuse_in_episode(agent, "adding a task");
  return status ? status : sfnec_agent_push_task(agent, w, task);
}

// The learner begins with the weights of the active task.
static sfnec_status begin_active(sfnec_agent *agent) {
  return agent->learner->begin_task ? agent->learner->begin_task(agent) : SFNEC_OK;
}

// The active task, or its weights, are others by the caller's word: what came before is no evidence of a switch.
static sfnec_status begin_told(sfnec_agent *agent) {
  const sfnec_status status = begin_active(agent);
  if (!status) sfnec_evidence_restart(agent);
  return status;
}

sfnec_status sfnec_agent_activate(sfnec_agent *agent, uint32_t task) {
  const int32_t before = agent->active;
  agent->active = (int32_t)task;
  const sfnec_status status = begin_active(agent);
  if (status) {
    agent->active = before; // there was no memory to plan for it
  } else if (before != SFNEC_NO_POLICY && before != (int32_t)task && agent->learner->leave_task) {
    agent->learner->leave_task(agent, (uint32_t)before);
  }
  return status;
}

sfnec_status sfnec_agent_begin_task(sfnec_agent *agent, const double *w, uint32_t *task) {
  if (!agent) return sfnec_fail_null(__func__);
  const sfnec_random init = agent->init;
  uint32_t added = 0;
  sfnec_status status = sfnec_agent_add_task(agent, w, &added);
  if (status) return status;
  status = sfnec_agent_activate(agent, added);
  if (status) {
    sfnec_policies_remove(&agent->policies, added);
    agent->init = init;
    return status;
  }
  sfnec_evidence_restart(agent);
  if (task) *task = added;
  return SFNEC_OK;
}

sfnec_status sfnec_agent_set_task(sfnec_agent *agent, uint32_t task) {
  if (!agent) return sfnec_fail_null(__func__);
  sfnec_status status = refuse_in_episode(agent, "changing the task");
  if (!status) status = sfnec_agent_check_task(agent, task);
  if (status || agent->active == (int32_t)task) return status;
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
  if (!status) status = make_policy(agent, task, w, &policy);
  if (status) return status;
  sfnec_policy old = agent->policies.list[task];
  agent->policies.list[task] = policy;
  if (agent->active == (int32_t)task) status = begin_told(agent);
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
  if (!status && agent->policies.config.options.predict == SFNEC_PREDICT_REWARD) {
    status = sfnec_fail(SFNEC_ERROR_STATE, "an agent with predict=reward has no reward weights to set");
  }
  if (!status) status = sfnec_agent_check_weights(agent, w);
  if (status) return status;
  const size_t size = agent->policies.config.psi_size * sizeof *w;
  double **weights = &agent->policies.list[task].reward.w, *old = *weights, *new = malloc(size);
  if (!new) return sfnec_fail_memory("the weights of a task");
  memcpy(new, w, size);
  *weights = new;
  if (agent->active == (int32_t)task) status = begin_told(agent);
  if (status) *weights = old;
  free(status ? new : old);
  return status;
}

// The numbers of later tasks are one less then.
static void remove_task(sfnec_agent *agent, uint32_t task) {
  sfnec_policies_remove(&agent->policies, task);
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
