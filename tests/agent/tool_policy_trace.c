// tool_policy_trace AGENT ENV STEPS FILE [SETTING]: plays a saved agent without learning in a world (a name, or the
// file of a plugin; `key=value` sets an option of it), and writes what it saw and what the library answered, for
// policy_check.c to compare with an exported policy:
//
//   sizes       int32[5]: observation, actions, features, rows of q, whether other weights can be asked about
//   each step   observation, what is asked (d floats each); the mask (a byte for each action); q of the observation
//               and of what is asked (rows, actions); reward weights (n) and, under these, q, action and value of what
//               is asked; action, value, reward, next observation (d), next mask, and whether the episode ended, as it
//               does in contexts that were never seen
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/deploy/deploy.h"
#include "sfnec/run.h"
#include "study/spec/world.h"

static void check(sfnec_status status) {
  if (!status) return;
  fprintf(stderr, "tool_policy_trace: %s\n", sfnec_last_error());
  exit(1);
}

static void put(FILE *file, const void *what, size_t size) {
  if (fwrite(what, 1, size, file) != size) exit(1);
}

// What is asked besides what is played: observations that were never seen, but in contexts that were. A picture has
// other levels then.
static void disturb(const sfnec_agent *agent, sfnec_random *noise, const float *observation, float *asked) {
  sfnec_model_info model = {0};
  if (agent->planner) check(sfnec_agent_get_model_info(agent, &model));
  const int32_t d = agent->shape.observation_size;
  for (int32_t i = 0; i < d; i++) {
    const double by = 0.1 * sfnec_random_normal(noise);
    const int32_t levels = agent->shape.picture.levels;
    if (levels > 0) asked[i] = (float)(floor(fmin(fabs((double)observation[i] + by), 1.0) * levels) * (1.0 / levels));
    else asked[i] = model.slow > 0 ? observation[i] : (float)((double)observation[i] + by);
  }
}

// Whether the plan was made for the context of an observation: else asking would plan on.
static bool is_planned(sfnec_scratch *scratch, const float *observation) {
  if (!scratch->plan) return true;
  sfnec_values *values = &scratch->plan->plan->values;
  uint32_t context;
  const uint32_t known = values->contexts.count;
  check(sfnec_values_context(values, observation, &context));
  return context < known && values->table_of[context] != SFNEC_NONE &&
         values->tables[values->table_of[context]].swept >= 0;
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  const long steps = strtol(argv[3], NULL, 10);
  sfnec_agent *agent;
  check(sfnec_agent_load(argv[1], &agent));
  const bool plans = agent->planner, told = agent->policies.config.options.predict == SFNEC_PREDICT_FEATURES && !plans;
  const bool own = agent->policies.config.options.policies == SFNEC_POLICIES_OWN && !plans;
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_world world;
  check(sfnec_world_find(arena, argv[2], &world));
  sfnec_env *env;
  check(sfnec_env_create(world.kind, (const char *const *)(argv + 5), 7, &env));
  sfnec_scratch *scratch, *other;
  check(sfnec_scratch_create(agent, &scratch));
  check(sfnec_scratch_create(agent, &other));
  const size_t d = (size_t)agent->shape.observation_size, actions = (size_t)agent->shape.action_count;
  const size_t n = agent->policies.config.psi_size, policies = agent->policies.count;
  const size_t rows = own || plans ? 1 : policies, skip = own ? (size_t)agent->active * actions : 0;
  double *q = calloc(policies * actions, sizeof *q), *w = calloc(n, sizeof *w), *phi = calloc(n + 64, sizeof *phi);
  float *here = calloc(d, sizeof *here), *next = calloc(d, sizeof *next), *asked = calloc(d, sizeof *asked);
  uint8_t *mask = calloc(actions, 1);
  const double *weights = agent->policies.list[agent->active].reward.w;
  if (plans) check(sfnec_deploy_freeze(agent, scratch->plan, weights));

  FILE *file = fopen(argv[4], "wb");
  if (!file) exit(1);
  put(file, (int32_t[]){(int32_t)d, (int32_t)actions, (int32_t)n, (int32_t)rows, told && !own}, 5 * sizeof(int32_t));
  sfnec_random noise = sfnec_random_start(3, 1000);
  check(sfnec_env_reset(env, here));
  long unknown = 0;
  for (long step = 0; step < steps; step++) {
    sfnec_choice choice;
    disturb(agent, &noise, here, asked);
    put(file, here, d * sizeof *here);
    put(file, asked, d * sizeof *asked);
    sfnec_env_get_mask(env, mask);
    put(file, mask, actions);
    check(sfnec_agent_ask_q(agent, scratch, here, NULL, q));
    put(file, q + skip, rows * actions * sizeof *q);
    check(sfnec_agent_ask_q(agent, scratch, asked, NULL, q));
    put(file, q + skip, rows * actions * sizeof *q);
    for (size_t i = 0; i < n; i++) w[i] = sfnec_random_normal(&noise);
    if (told && !own) {
      check(sfnec_agent_ask_q(agent, other, asked, w, q));
      check(sfnec_agent_choose_masked(agent, other, asked, mask, w, &choice));
      put(file, w, n * sizeof *w);
      put(file, q, rows * actions * sizeof *q);
      put(file, &choice.action, sizeof choice.action);
      put(file, &choice.value, sizeof choice.value);
    }
    check(sfnec_agent_choose_masked(agent, scratch, here, mask, NULL, &choice));
    put(file, &choice.action, sizeof choice.action);
    put(file, &choice.value, sizeof choice.value);
    sfnec_env_outcome outcome;
    check(sfnec_env_step(env, choice.action, next, phi, &outcome));
    sfnec_env_get_mask(env, mask);
    double reward = 0.0;
    for (size_t i = 0; i < n && plans; i++) reward += phi[i] * weights[i];
    const bool known = is_planned(scratch, next);
    unknown += !known;
    const int32_t ended = outcome.terminated || outcome.truncated || step % 100 == 99 || !known;
    const sfnec_transition transition = {.action = choice.action,
                                         .reward = reward,
                                         .features = phi,
                                         .next_observation = next,
                                         .truncated = ended,
                                         .next_mask = mask};
    check(sfnec_agent_tell(agent, scratch, here, &transition));
    put(file, &reward, sizeof reward);
    put(file, next, d * sizeof *next);
    put(file, mask, actions);
    put(file, &ended, sizeof ended);
    memcpy(here, next, d * sizeof *here);
    if (ended) check(sfnec_env_reset(env, here));
  }
  if (unknown > steps / 4) {
    fprintf(stderr, "tool_policy_trace: %ld contexts were not planned for, so little is compared\n", unknown);
    exit(1);
  }
  sfnec_scratch_destroy(scratch), sfnec_scratch_destroy(other);
  sfnec_env_destroy(env), sfnec_agent_destroy(agent);
  sfnec_arena_destroy(arena);
  free(q), free(w), free(phi), free(here), free(next), free(asked), free(mask);
  return fclose(file) ? 1 : 0;
}
