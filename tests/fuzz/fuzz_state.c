// fuzz_state.c: the state of an environment as bytes. One byte chooses the world, 16 are actions, the rest is the state
// (cut or filled to its size). A world that accepts it can be looked at and goes on, and its state is accepted again.
#include "fuzz.h"

enum { ACTIONS = 16, MOST_NUMBERS = 1024 };

static void look(const sfnec_env *env) {
  static sfnec_look seen;
  static float low[MOST_NUMBERS], high[MOST_NUMBERS], observation[MOST_NUMBERS];
  double x, y;
  if (!sfnec_env_get_look(env, &seen)) HOLDS(seen.object_count <= SFNEC_LOOK_MOST_OBJECTS);
  sfnec_env_get_bounds(env, low, high);
  if (sfnec_env_observe_at(env, 0.5, 0.1, observation)) (void)sfnec_env_locate(env, observation, &x, &y);
}

static void go_on(sfnec_env *env, const uint8_t *actions) {
  static float observation[MOST_NUMBERS];
  static double features[MOST_NUMBERS];
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  HOLDS(shape.observation_size <= MOST_NUMBERS && shape.feature_count <= MOST_NUMBERS);
  for (int i = 0; i < ACTIONS; i++) {
    sfnec_env_outcome outcome;
    if (sfnec_env_step(env, actions[i] % shape.action_count, observation, features, &outcome)) {
      HOLDS(!sfnec_env_reset(env, observation));
    }
    for (int32_t j = 0; j < shape.observation_size; j++) HOLDS(isfinite(observation[j]));
    for (int32_t j = 0; j < shape.feature_count; j++) HOLDS(isfinite(features[j]));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 + ACTIONS) return 0;
  input in = {data + 1 + ACTIONS, size - 1 - ACTIONS};
  sfnec_env *env = fuzz_world(data[0]);
  const size_t state_size = sfnec_env_get_state_size(env);
  HOLDS(in.left == state_size || sfnec_env_set_state(env, in.at, in.left));
  unsigned char *state = malloc(state_size);
  HOLDS(state);
  take(&in, state, state_size);
  if (!sfnec_env_set_state(env, state, state_size)) {
    look(env);
    go_on(env, data + 1);
    look(env);
    sfnec_env_get_state(env, state);
    HOLDS(!sfnec_env_set_state(env, state, state_size));
  }
  free(state);
  sfnec_env_destroy(env);
  return 0;
}
