// ask.c: asking an agent without changing what it will do or learn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/vector.h"

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
  *scratch = (sfnec_scratch){
      .agent = agent, .generation = agent->generation, .ties = agent->evaluation, .likely = SFNEC_NO_POLICY};
  sfnec_status status = sfnec_psi_scratch_init(&scratch->psi, &agent->policies.config);
  if (!status) status = sfnec_frame_reserve(&scratch->asked, &agent->policies.config, &scratch->psi, 1);
  if (!status && agent->planner) status = sfnec_plan_scratch_create(agent->planner, &scratch->plan);
  if (status) {
    sfnec_scratch_destroy(scratch);
    return status;
  }
  *out = scratch;
  return SFNEC_OK;
}

void sfnec_scratch_destroy(sfnec_scratch *scratch) {
  if (!scratch) return;
  sfnec_plan_scratch_destroy(scratch->plan);
  sfnec_frame_clear(&scratch->asked);
  sfnec_psi_scratch_clear(&scratch->psi);
  free(scratch);
}

void sfnec_scratch_commit(const sfnec_scratch *scratch, sfnec_agent *agent) {
  if (scratch && agent) agent->evaluation = scratch->ties;
}

// Makes a scratch fit for the agent's policies as they are now.
static sfnec_status prepare(const sfnec_agent *agent, sfnec_scratch *scratch) {
  const sfnec_psi_config *config = &agent->policies.config;
  if (!scratch || scratch->agent != agent)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "asking needs a scratch that was made for this agent");
  const sfnec_status status = sfnec_frame_reserve(&scratch->asked, config, &scratch->psi, agent->policies.count);
  if (status || scratch->generation == agent->generation) return status;
  sfnec_frame_invalidate(&scratch->asked, config);
  sfnec_psi_scratch_forget(&scratch->psi);
  scratch->generation = agent->generation;
  return SFNEC_OK;
}

// ---- questions ----

// Checks and looks at the observation of a question; weights NULL mean the active task's, which must exist then.
static sfnec_status look(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation, const double *w,
                         bool needs_weights) {
  const bool own_weights = needs_weights && !w;
  if (agent->policies.count == 0 || (own_weights && agent->active == SFNEC_NO_POLICY)) {
    return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no %stask to answer by: begin one first",
                      agent->policies.count ? "active " : "");
  }
  if (w && agent->policies.config.options.predict == SFNEC_PREDICT_REWARD) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an agent with predict=reward cannot be asked about other reward weights");
  }
  sfnec_status status = sfnec_agent_check_observation(agent, observation);
  if (!status && w) status = sfnec_agent_check_weights(agent, w);
  if (!status) status = prepare(agent, scratch);
  if (!status) sfnec_frame_look(&scratch->asked, &agent->policies.config, observation);
  return status;
}

static const double *weights_or_own(const sfnec_agent *agent, const double *w) {
  return w ? w : agent->policies.list[agent->active].reward.w;
}

// The best action of a plan for these weights.
static sfnec_status choose_by_plan(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                   const double *w, sfnec_choice *choice) {
  double *q = scratch->asked.values; // one policy's: (actions)
  double value;
  const sfnec_status status = sfnec_plan_play(agent->planner, scratch->plan, observation, w, q, &value);
  if (status) return status;
  const bool random = agent->policies.config.options.ties == SFNEC_TIES_RANDOM;
  int32_t best = 0;
  uint32_t tied = 1;
  for (int32_t a = 1; a < agent->shape.action_count; a++) {
    if (q[a] > q[best]) {
      best = a;
      tied = 1;
    } else if (q[a] == q[best] && random && sfnec_random_below(&scratch->ties, ++tied) == 0) {
      best = a;
    }
  }
  *choice =
      (sfnec_choice){.action = best, .policy = agent->active == SFNEC_NO_POLICY ? 0 : agent->active, .value = value};
  return SFNEC_OK;
}

sfnec_status sfnec_agent_choose(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                const double *w, sfnec_choice *choice) {
  if (!agent || !choice) return sfnec_fail_null(__func__);
  const sfnec_status status = look(agent, scratch, observation, w, true);
  if (status) return status;
  if (agent->planner) return choose_by_plan(agent, scratch, observation, weights_or_own(agent, w), choice);
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
    rule = sfnec_agent_rule(agent, &scratch->psi, &scratch->ties);
  }
  *choice = sfnec_gpi_choose(&scratch->asked, &agent->policies, &rule);
  scratch->likely = choice->policy;
  return SFNEC_OK;
}

sfnec_status sfnec_agent_tell(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                              const sfnec_transition *transition) {
  if (!agent || !transition) return sfnec_fail_null(__func__);
  sfnec_status status = look(agent, scratch, observation, NULL, false);
  if (!status) status = sfnec_agent_check_outcome(agent, transition);
  if (status || !agent->planner) return status;
  return sfnec_plan_tell(agent->planner, scratch->plan, observation, transition);
}

sfnec_status sfnec_agent_choose_many(const sfnec_agent *agent, sfnec_scratch *scratch, size_t count,
                                     const float *observations, const double *w, sfnec_choice *choices) {
  if (!agent || (count && (!observations || !choices))) return sfnec_fail_null(__func__);
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < count && !status; i++)
    status =
        sfnec_agent_choose(agent, scratch, observations + i * agent->policies.config.observation_size, w, &choices[i]);
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
  const sfnec_status status = look(agent, scratch, observation, NULL, false);
  if (status) return status;
  const size_t n = agent->policies.config.psi_size;
  for (uint32_t k = 0; agent->planner && k < agent->policies.count; k++) {
    const double *w = agent->policies.list[k].reward.w;
    const sfnec_status planned = sfnec_plan_ask_psi(agent->planner, scratch->plan, observation, w, psi);
    if (planned) return planned;
    psi += (size_t)agent->shape.action_count * n;
  }
  for (uint32_t k = 0; !agent->planner && k < agent->policies.count; k++) {
    for (int32_t b = 0; b < agent->shape.action_count; b++, psi += n) {
      memcpy(psi, sfnec_frame_ask(&scratch->asked, &agent->policies, k, b)->lookup.value, n * sizeof *psi);
    }
  }
  return SFNEC_OK;
}

sfnec_status sfnec_agent_ask_q(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                               const double *w, double *q) {
  if (!agent || !q) return sfnec_fail_null(__func__);
  const sfnec_status status = look(agent, scratch, observation, w, true);
  if (status) return status;
  const double *weights = weights_or_own(agent, w);
  if (agent->planner) { // one plan for all tasks
    const size_t actions = (size_t)agent->shape.action_count;
    const sfnec_status planned = sfnec_plan_ask(agent->planner, scratch->plan, observation, weights, q);
    if (planned) return planned;
    for (uint32_t k = 1; k < agent->policies.count; k++) memcpy(q + k * actions, q, actions * sizeof *q);
    return SFNEC_OK;
  }
  for (uint32_t k = 0; k < agent->policies.count; k++) {
    for (int32_t b = 0; b < agent->shape.action_count; b++) {
      const double *psi = sfnec_frame_ask(&scratch->asked, &agent->policies, k, b)->lookup.value;
      *q++ = sfnec_dot(psi, weights, agent->policies.config.psi_size);
    }
  }
  return SFNEC_OK;
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
  if (!status) status = look(agent, scratch, observation, NULL, false);
  if (status) return status;
  if (agent->planner) {
    return sfnec_plan_ask_samples(agent->planner, scratch->plan, observation, action, most, views, count);
  }

  const sfnec_psi *psi = agent->policies.list[task].psi;
  const sfnec_memory *memory = psi->ops->memory(psi, action);
  const sfnec_lookup *lookup = &sfnec_frame_ask(&scratch->asked, &agent->policies, task, action)->lookup;
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

// ---- the plan ----

// Checks a question about the plan.
static sfnec_status look_at_plan(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                 const double *w) {
  const sfnec_status status = look(agent, scratch, observation, w, true);
  if (status || agent->planner) return status;
  return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no plan: it does not plan (psi=planned)");
}

sfnec_status sfnec_agent_ask_places(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                    const double *w, size_t first, size_t most, sfnec_place_view *views,
                                    size_t *count) {
  if (!agent || (!views && most > 0) || !count) return sfnec_fail_null(__func__);
  const sfnec_status status = look_at_plan(agent, scratch, observation, w);
  if (status) return status;
  return sfnec_plan_ask_states(agent->planner, scratch->plan, observation, weights_or_own(agent, w), first, most, views,
                               count);
}

sfnec_status sfnec_agent_ask_path(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                  const double *w, size_t most, sfnec_place_view *views, size_t *count) {
  if (!agent || (!views && most > 0) || !count) return sfnec_fail_null(__func__);
  const sfnec_status status = look_at_plan(agent, scratch, observation, w);
  if (status) return status;
  return sfnec_plan_ask_path(agent->planner, scratch->plan, observation, weights_or_own(agent, w), most, views, count);
}
