// policy_learner.h: a learner with a psi per task and GPI over them; learning is in policy_learner.c, questions are in
// policy_ask.c.
#ifndef SFNEC_AGENT_POLICY_LEARNER_H
#define SFNEC_AGENT_POLICY_LEARNER_H

#include "agent/agent.h"

// The rule by which the active task chooses greedily: by the policies that the options allow, with their penalty.
sfnec_gpi_rule sfnec_policy_rule(const sfnec_agent *agent, sfnec_psi_scratch *scratch, sfnec_random *ties);

// Questions, as in learner.h.
sfnec_status sfnec_policy_choose(sfnec_scratch *scratch, const float *observation, const uint8_t *mask, const double *w,
                                 sfnec_choice *choice);
sfnec_status sfnec_policy_ask_psi(sfnec_scratch *scratch, const float *observation, double *psi);
sfnec_status sfnec_policy_ask_q(sfnec_scratch *scratch, const float *observation, const double *w, double *q);
sfnec_status sfnec_policy_ask_memories(sfnec_scratch *scratch, const float *observation, uint32_t task, int32_t action,
                                       size_t most, sfnec_memory_view *views, size_t *count);

#endif
