// policies.h: the policies that an agent has learned, one per task: psi, w and how often they were used.
#ifndef SFNEC_AGENT_POLICIES_H
#define SFNEC_AGENT_POLICIES_H

#include <stdint.h>

#include "agent/psi.h"
#include "agent/reward.h"

typedef struct sfnec_policy {
  sfnec_psi *psi; // NULL: the agent plans (plan/planner.h)
  sfnec_reward reward;
  int64_t steps;  // transitions while its task was the active one
  int64_t chosen; // transitions for which GPI chose it
} sfnec_policy;

typedef struct sfnec_policies {
  sfnec_psi_config config;
  uint32_t count, capacity;
  sfnec_policy *list; // (count)
} sfnec_policies;

void sfnec_policies_clear(sfnec_policies *policies);

// Makes a fresh policy with the number `task` (w as for sfnec_reward_init), without adding it. A linear psi may be
// warm-started from the policy before that number.
sfnec_status sfnec_policy_init(sfnec_policy *policy, const sfnec_policies *policies, uint32_t task, const double *w,
                               sfnec_random *init);
void sfnec_policy_clear(sfnec_policy *policy);

// Space for one more policy, so that the next push cannot fail.
sfnec_status sfnec_policies_reserve(sfnec_policies *policies);
void sfnec_policies_push(sfnec_policies *policies, const sfnec_policy *policy);
// Removes a policy; the later ones move down.
void sfnec_policies_remove(sfnec_policies *policies, uint32_t i);

#endif
