// policy_ask.c: questions to an agent with a psi per task; see policy_learner.h.
#include <math.h>
#include <string.h>

#include "agent/policy_learner.h"
#include "base/vector.h"

// Looks at the observation of a question, by the agent's policies as they are now.
static sfnec_status look(sfnec_scratch *scratch, const float *observation) {
  const sfnec_agent *agent = scratch->agent;
  const sfnec_psi_config *config = &agent->policies.config;
  const sfnec_status status = sfnec_frame_reserve(&scratch->asked, config, &scratch->psi, agent->policies.count);
  if (status) return status;
  if (scratch->generation != agent->generation) {
    sfnec_frame_invalidate(&scratch->asked, config);
    sfnec_psi_scratch_forget(&scratch->psi);
    scratch->generation = agent->generation;
  }
  sfnec_frame_look(&scratch->asked, config, observation);
  return SFNEC_OK;
}

static const double *ask(sfnec_scratch *scratch, uint32_t policy, int32_t action) {
  return sfnec_frame_ask(&scratch->asked, &scratch->agent->policies, policy, action)->lookup.value;
}

sfnec_status sfnec_policy_choose(sfnec_scratch *scratch, const float *observation, const uint8_t *mask, const double *w,
                                 sfnec_choice *choice) {
  sfnec_status status = look(scratch, observation);
  if (!status && mask) status = sfnec_frame_reserve_mask(&scratch->asked, &scratch->agent->policies.config);
  if (status) return status;
  sfnec_frame_set_mask(&scratch->asked, &scratch->agent->policies.config, mask);
  const sfnec_agent *agent = scratch->agent;
  const sfnec_agent_options *options = &agent->policies.config.options;
  sfnec_gpi_rule rule;
  if (w) {
    rule = (sfnec_gpi_rule){
        .w = w,
        .active = SFNEC_NO_POLICY,
        .only = SFNEC_NO_POLICY,
        .penalty = options->gpi_penalty,
        .likely = scratch->likely,
        .stamp = sfnec_psi_scratch_stamp(&scratch->psi, &agent->policies.config, w),
        .ties = options->ties == SFNEC_TIES_RANDOM ? &scratch->ties : NULL,
    };
  } else {
    rule = sfnec_policy_rule(agent, &scratch->psi, &scratch->ties);
  }
  *choice = sfnec_gpi_choose(&scratch->asked, &agent->policies, &rule);
  scratch->likely = choice->policy;
  return SFNEC_OK;
}

sfnec_status sfnec_policy_ask_psi(sfnec_scratch *scratch, const float *observation, double *psi) {
  const sfnec_status status = look(scratch, observation);
  if (status) return status;
  const sfnec_agent *agent = scratch->agent;
  const size_t n = agent->policies.config.psi_size;
  for (uint32_t k = 0; k < agent->policies.count; k++) {
    for (int32_t b = 0; b < agent->shape.action_count; b++, psi += n) memcpy(psi, ask(scratch, k, b), n * sizeof *psi);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_policy_ask_q(sfnec_scratch *scratch, const float *observation, const double *w, double *q) {
  const sfnec_status status = look(scratch, observation);
  if (status) return status;
  const sfnec_agent *agent = scratch->agent;
  w = sfnec_agent_weights(agent, w);
  for (uint32_t k = 0; k < agent->policies.count; k++) {
    for (int32_t b = 0; b < agent->shape.action_count; b++)
      *q++ = sfnec_dot(ask(scratch, k, b), w, agent->policies.config.psi_size);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_policy_ask_memories(sfnec_scratch *scratch, const float *observation, uint32_t task, int32_t action,
                                       size_t most, sfnec_memory_view *views, size_t *count) {
  const sfnec_status status = look(scratch, observation);
  if (status) return status;
  const sfnec_policies *policies = &scratch->agent->policies;
  const sfnec_psi *psi = policies->list[task].psi;
  const sfnec_memory *memory = psi->ops->memory(psi, action);
  const sfnec_lookup *lookup = &sfnec_frame_ask(&scratch->asked, policies, task, action)->lookup;
  *count = most < lookup->count ? most : lookup->count;
  for (size_t i = 0; i < *count; i++) {
    const sfnec_neighbour neighbour = lookup->neighbours[i];
    views[i] = (sfnec_memory_view){
        .distance = sqrt((double)neighbour.squared),
        .weight = lookup->weights[i],
        .key = sfnec_memory_key(memory, neighbour.slot),
        .psi = sfnec_memory_value(memory, neighbour.slot),
    };
  }
  return SFNEC_OK;
}
