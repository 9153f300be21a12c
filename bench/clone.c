// clone.c: copying agents entry by entry; see clone.h.
#include "clone.h"

#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "bench.h"
#include "memory/entries.h"

// Writes every entry of a memory, oldest first, into the same action of another psi.
static void copy_memory(const sfnec_memory *from, sfnec_psi *to, int32_t action) {
  const size_t size = from->config.value_size;
  double *value = bench_alloc(size, sizeof *value);
  for (uint32_t slot = from->inserted.oldest; slot != SFNEC_NO_SLOT; slot = from->inserted.links[slot].newer) {
    for (size_t j = 0; j < size; j++) value[j] = (double)sfnec_memory_value(from, slot)[j];
    bench_check(to->ops->learn(to, sfnec_memory_key(from, slot), action, value, value));
  }
  free(value);
}

static void copy_task(const sfnec_agent *from, uint32_t task, sfnec_agent *to, double *w) {
  bench_check(sfnec_agent_get_task_weights(from, task, w));
  bench_check(sfnec_agent_begin_task(to, w, NULL));
  const sfnec_psi *source = from->policies.list[task].psi;
  sfnec_psi *target = to->policies.list[task].psi;
  // without a step size, learning only writes
  const double step_size = target->step_size;
  target->step_size = 0;
  for (int32_t a = 0; a < from->shape.action_count; a++) copy_memory(source->ops->memory(source, a), target, a);
  target->step_size = step_size;
}

void clone_init(clone *c, const sfnec_agent *agent, const char *index, uint64_t seed) {
  sfnec_agent_options options = *sfnec_agent_get_options(agent);
  bench_check(sfnec_options_set(sfnec_agent_option_set(), &options, "index", index));
  options.w = SFNEC_W_GIVEN;
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  *c = (clone){.observation = bench_alloc((size_t)shape.observation_size, sizeof(float)),
               .following = bench_alloc((size_t)shape.observation_size, sizeof(float)),
               .features = bench_alloc((size_t)shape.feature_count, sizeof(double)),
               .w = bench_alloc((size_t)shape.feature_count, sizeof(double))};
  bench_check(sfnec_agent_create(&shape, &options, seed, &c->agent));
  bench_check(sfnec_scratch_create(c->agent, &c->scratch));
  bench_check(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, seed, &c->env));
  const uint32_t tasks = sfnec_agent_get_task_count(agent);
  for (uint32_t i = 0; i < tasks; i++) copy_task(agent, i, c->agent, c->w);
  // the reward is the last task's; an agent that predicts it does not know w
  if (options.predict == SFNEC_PREDICT_REWARD) sfnec_env_get_task_weights(c->env, tasks - 1, c->w);
}

void clone_free(clone *c) {
  sfnec_scratch_destroy(c->scratch);
  sfnec_agent_destroy(c->agent);
  sfnec_env_destroy(c->env);
  free(c->observation);
  free(c->following);
  free(c->features);
  free(c->w);
}

int32_t clone_step(clone *c) {
  if (c->in_episode) {
    memcpy(c->observation, c->following, (size_t)sfnec_agent_get_shape(c->agent).observation_size * sizeof(float));
  } else {
    bench_check(sfnec_env_reset(c->env, c->observation));
    bench_check(sfnec_agent_begin_episode(c->agent));
  }
  int32_t action;
  sfnec_env_outcome outcome;
  bench_check(sfnec_agent_act(c->agent, c->observation, &action));
  bench_check(sfnec_env_step(c->env, action, c->following, c->features, &outcome));
  double reward = 0;
  for (int32_t f = 0; f < sfnec_agent_get_shape(c->agent).feature_count; f++) reward += c->features[f] * c->w[f];
  const sfnec_transition transition = {.action = action,
                                       .features = c->features,
                                       .reward = reward,
                                       .next_observation = c->following,
                                       .terminated = outcome.terminated,
                                       .truncated = outcome.truncated};
  bench_check(sfnec_agent_observe(c->agent, &transition));
  c->in_episode = !outcome.terminated && !outcome.truncated;
  return action;
}
