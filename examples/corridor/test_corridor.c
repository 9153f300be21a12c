// test_corridor.c: the world keeps its promises, and an agent learns in it.
//
//   cc test_corridor.c $(pkg-config --cflags --libs sfnec) -lm && ./a.out
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "corridor.c" // its functions are its own NOLINT(bugprone-suspicious-include)
#include "sfnec/sfnec.h"

enum { SEED = 1, STEPS = 2000, MOST = 4096 };

static sfnec_status fail(const char *sentence) {
  return sfnec_set_error(SFNEC_ERROR_STATE, sentence);
}

// ---- the same seed and the same state give the same episodes ----

// some steps with every action in turn; the sum of all that was seen
static sfnec_status walk(sfnec_env *env, int steps, double *sum) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  float observation[MOST];
  double features[MOST];
  sfnec_env_outcome outcome = {.truncated = true};
  sfnec_status status = sfnec_env_reset(env, observation);
  for (int i = 0; i < steps && !status; i++) {
    status = sfnec_env_step(env, i % shape.action_count, observation, features, &outcome);
    for (int32_t j = 0; j < shape.observation_size && !status; j++) *sum += (j + 1.5) * (double)observation[j];
    for (int32_t j = 0; j < shape.feature_count && !status; j++) *sum += (j + 2.5) * features[j];
    if (!status && (outcome.terminated || outcome.truncated)) status = sfnec_env_reset(env, observation);
  }
  return status;
}

static sfnec_status check_world(sfnec_env *env, sfnec_env *twin) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  const size_t size = sfnec_env_get_state_size(env);
  if (shape.observation_size > MOST || shape.feature_count > MOST) return fail("make MOST greater in this test");
  double before = 0, after = 0, again = 0;
  void *state = malloc(size);
  if (!state) return fail("out of memory");
  sfnec_status status = walk(env, STEPS, &before);
  sfnec_env_get_state(env, state);
  if (!status) status = walk(env, STEPS, &after);
  // a twin that continues from the saved state sees the same
  if (!status) status = sfnec_env_set_state(twin, state, size);
  if (!status) status = walk(twin, STEPS, &again);
  if (!status && after != again) status = fail("a saved state does not go on as it was");
  free(state);
  return status;
}

// ---- what is drawn is what is observed ----

// along an episode: the position of an observation is where the agent is drawn, and has that observation
static sfnec_status check_positions(sfnec_env *env) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  float observation[MOST], there[MOST];
  double features[MOST], x, y;
  sfnec_env_outcome outcome = {0};
  sfnec_look look;
  if (!kind->look || !kind->observe_at || !kind->locate) return SFNEC_OK;
  sfnec_status status = sfnec_env_reset(env, observation);
  for (int i = 0; i < 100 && !status && !outcome.terminated && !outcome.truncated; i++) {
    status = sfnec_env_get_look(env, &look);
    if (!status && !sfnec_env_locate(env, observation, &x, &y)) status = fail("locate finds no position");
    if (!status && hypot(x - look.x, y - look.y) > 1e-6) status = fail("locate and look give two positions");
    if (!status && !sfnec_env_observe_at(env, x, y, there)) status = fail("observe_at finds no observation");
    for (int32_t j = 0; j < shape.observation_size && !status; j++)
      if (fabs((double)there[j] - (double)observation[j]) > 1e-6) status = fail("observe_at gives another observation");
    if (!status) status = sfnec_env_step(env, i / 3 % shape.action_count, observation, features, &outcome);
  }
  return status;
}

// ---- an agent in it ----

static sfnec_status learn(sfnec_agent *agent, sfnec_env *env) {
  const sfnec_run_options options = {.tasks = 5, .steps = STEPS};
  sfnec_run *run = NULL;
  sfnec_status status = sfnec_run_create(agent, env, &options, &run);
  while (!status && !sfnec_run_is_done(run)) status = sfnec_run_advance(run, options.steps);
  uint32_t count = 0;
  const sfnec_task_result *results = sfnec_run_get_results(run, &count);
  printf("task    return  episodes\n");
  for (uint32_t t = 0; t < count; t++)
    printf("%4u  %8.1f  %8lld\n", (unsigned)t + 1, results[t].total, (long long)results[t].episodes);
  sfnec_run_destroy(run);
  return status;
}

int main(void) {
  sfnec_env *env = NULL, *twin = NULL;
  sfnec_agent *agent = NULL;
  sfnec_agent_options options;
  // each call says whether it worked; the first failure ends the chain
  sfnec_status status = sfnec_env_create(&corridor_kind, NULL, SEED, &env);
  if (!status) status = sfnec_env_create(&corridor_kind, NULL, SEED, &twin);
  if (!status) status = check_world(env, twin);
  if (!status) status = check_positions(env);
  if (!status) status = sfnec_agent_options_preset("sfnec", &options);
  if (!status) {
    const sfnec_env_shape shape = sfnec_env_get_shape(env);
    status = sfnec_agent_create(&shape, &options, SEED, &agent);
  }
  if (!status) status = learn(agent, env);
  if (status) fprintf(stderr, "test_corridor: %s\n", sfnec_last_error());
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(twin);
  sfnec_env_destroy(env);
  return status ? 1 : 0;
}
