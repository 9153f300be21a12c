// tool_effects.c: AGENT COUNT: gives the model of a saved agent that plans so many effects, each of which leads to a
// context of its own, as a stranger could who seals the file again.
#include <stdio.h>
#include <stdlib.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "sfnec/sfnec.h"

static sfnec_status add_effects(sfnec_model *model, uint32_t count) {
  const size_t n = model->config->psi_size, slow = model->scaling.slow_count;
  sfnec_status status = sfnec_model_reserve_effects(model, count);
  while (model->effects.count < count && !status) {
    const uint32_t next = model->effects.count;
    uint32_t number;
    for (size_t i = 0; i < slow; i++) model->tuple[i] = (float)next + 0.5f * (float)i;
    status = sfnec_tuples_add(&model->effects, model->tuple, &number);
    for (size_t i = 0; i < n; i++) model->effect_features[next * n + i] = 0.0f;
    model->effect_seen[next] = 1;
  }
  return status;
}

int main(int argc, char **argv) {
  sfnec_agent *agent = NULL;
  sfnec_status status = argc != 3 ? SFNEC_ERROR_ARGUMENT : sfnec_agent_load(argv[1], &agent);
  if (!status) status = add_effects(&agent->planner->model, (uint32_t)atoi(argv[2]));
  if (!status) status = sfnec_agent_save(agent, argv[1]);
  if (status) fprintf(stderr, "tool_effects: %s\n", sfnec_last_error());
  sfnec_agent_destroy(agent);
  return status != SFNEC_OK;
}
