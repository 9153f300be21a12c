// quickstart.c: an agent in four rooms: learn under two rewards, then act under a third that it has never seen.
//
//   cc quickstart.c $(pkg-config --cflags --libs sfnec) && ./a.out
#include <stdio.h>

#include "sfnec/sfnec.h"

enum { OBSERVATION = 113, FEATURES = 4, STEPS = 10000 };

static int fail(void) {
  fprintf(stderr, "quickstart: %s\n", sfnec_last_error());
  return 1;
}

// Learns for STEPS transitions under the weights w, and says how much reward that brought.
static sfnec_status learn(sfnec_agent *agent, sfnec_env *env, const double *w, double *total) {
  float now[OBSERVATION], next[OBSERVATION];
  double features[FEATURES];
  bool running = false;
  *total = 0;
  sfnec_status status = sfnec_agent_begin_task(agent, w, NULL);
  for (int step = 0; step < STEPS && !status; step++) {
    if (!running) {
      status = sfnec_env_reset(env, now);
      if (!status) status = sfnec_agent_begin_episode(agent);
    }
    int32_t action = 0;
    sfnec_env_outcome outcome = {.terminated = false};
    if (!status) status = sfnec_agent_act(agent, now, &action);
    if (!status) status = sfnec_env_step(env, action, next, features, &outcome);
    if (status) break;

    double reward = 0;
    for (int f = 0; f < FEATURES; f++) reward += features[f] * w[f];
    const sfnec_transition transition = {.action = action,
                                         .features = features,
                                         .reward = reward,
                                         .next_observation = next,
                                         .terminated = outcome.terminated,
                                         .truncated = outcome.truncated};
    status = sfnec_agent_observe(agent, &transition);
    *total += reward;
    running = !outcome.terminated && !outcome.truncated;
    for (int i = 0; i < OBSERVATION; i++) now[i] = next[i];
  }
  return status ? status : sfnec_agent_end_episode(agent);
}

int main(void) {
  sfnec_env *env = NULL;
  sfnec_agent *agent = NULL;
  sfnec_scratch *scratch = NULL;
  sfnec_agent_options options;
  if (sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 1, &env)) return fail();
  if (sfnec_agent_options_preset("sfnec-plan", &options)) return fail();
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  if (sfnec_agent_create(&shape, &options, 1, &agent)) return fail();

  // circles, squares, triangles, goal
  const double tasks[2][FEATURES] = {{1, 0, -1, 1}, {-1, 1, 0, 1}};
  for (int i = 0; i < 2; i++) {
    double total;
    if (learn(agent, env, tasks[i], &total)) return fail();
    printf("learned task %d: collected %.1f in %d steps\n", i, total, STEPS);
  }

  // a new reward: no learning, the agent plans for it
  const double w[FEATURES] = {0.5, 0.5, -1, 1};
  sfnec_evaluation result;
  if (sfnec_scratch_create(agent, &scratch)) return fail();
  if (sfnec_run_evaluate(agent, scratch, env, w, STEPS, 500, &result)) return fail();
  printf("new reward, not learned: collected %.1f in %d steps, %lld goals\n", result.total, STEPS,
         (long long)result.goals);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return 0;
}
