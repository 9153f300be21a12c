// main.c: a program outside of sfnec: an agent takes some steps in the four rooms.
#include <sfnec/sfnec.h>
#include <stdint.h>
#include <stdio.h>

enum { STEPS = 500, MOST_OBSERVATION = 256, MOST_FEATURES = 16 };

// Learns for some steps; stops at the first failure.
static sfnec_status take_steps(sfnec_env *env, sfnec_agent *agent) {
  float observation[MOST_OBSERVATION], next[MOST_OBSERVATION];
  double features[MOST_FEATURES], w[MOST_FEATURES];
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  if (shape.observation_size > MOST_OBSERVATION || shape.feature_count > MOST_FEATURES) return SFNEC_ERROR_ARGUMENT;

  sfnec_env_get_task_weights(env, 0, w);
  sfnec_status status = sfnec_agent_begin_task(agent, w, NULL);
  bool running = false;
  for (int step = 0; step < STEPS && !status; step++) {
    if (!running) {
      if ((status = sfnec_env_reset(env, observation))) break;
      if ((status = sfnec_agent_begin_episode(agent))) break;
    }
    sfnec_transition transition = {.features = features, .next_observation = next};
    sfnec_env_outcome outcome;
    if ((status = sfnec_agent_act(agent, observation, &transition.action))) break;
    if ((status = sfnec_env_step(env, transition.action, next, features, &outcome))) break;

    for (int32_t i = 0; i < shape.feature_count; i++) transition.reward += features[i] * w[i];
    transition.terminated = outcome.terminated;
    transition.truncated = outcome.truncated;
    if ((status = sfnec_agent_observe(agent, &transition))) break;

    running = !outcome.terminated && !outcome.truncated;
    for (int32_t i = 0; i < shape.observation_size; i++) observation[i] = next[i];
  }
  return status;
}

int main(void) {
  sfnec_env *env = NULL;
  sfnec_agent *agent = NULL;
  sfnec_agent_options options;

  sfnec_status status = sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 1, &env);
  if (!status) status = sfnec_agent_options_preset("sfnec", &options);
  if (!status) {
    const sfnec_env_shape shape = sfnec_env_get_shape(env);
    status = sfnec_agent_create(&shape, &options, 1, &agent);
  }
  if (!status) status = take_steps(env, agent);

  // the steps were seen, and left something in the memory
  sfnec_task_info info = {0};
  if (!status) status = sfnec_agent_get_task_info(agent, 0, &info);
  if (status) fprintf(stderr, "%s: %s\n", sfnec_status_name(status), sfnec_last_error());
  const bool good = !status && info.steps == STEPS && info.entries > 0;
  printf("sfnec %s: %lld steps, %lld memories\n", sfnec_version(), (long long)info.steps, (long long)info.entries);

  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return good ? 0 : 1;
}
