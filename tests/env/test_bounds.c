// test_bounds.c: every number of a world's state is put to the ends of its range; a state that is accepted is accepted
// again after each step from it.
#include "support/check.h"

#include "sfnec/sfnec.h"

static void check(const char *name, const char *const *settings) {
  sfnec_env *env = NULL;
  OK(sfnec_env_create(sfnec_env_kind_find(name), settings, 1, &env));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  const size_t size = sfnec_env_get_state_size(env);
  unsigned char *state = malloc(size), *changed = malloc(size), *after = malloc(size);
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  double *features = calloc((size_t)shape.feature_count, sizeof *features);
  OK(sfnec_env_reset(env, observation));
  sfnec_env_get_state(env, state);

  const int64_t counts[] = {INT64_MAX / 2, INT64_MAX / 2 - 1, INT64_MAX, 0};
  const double numbers[] = {1e3, -1e3, 999.99, 1, 0, 0.999999999, 1e-300, 24, -24};
  int accepted = 0;
  for (size_t at = 0; at + 8 <= size; at += 4) {
    for (size_t i = 0; i < 13; i++) {
      memcpy(changed, state, size);
      memcpy(changed + at, i < 4 ? (const void *)&counts[i] : (const void *)&numbers[i - 4], 8);
      for (int32_t action = 0; action < shape.action_count; action++) {
        if (sfnec_env_set_state(env, changed, size)) continue;
        accepted++;
        for (int step = 0; step < 3; step++) {
          sfnec_env_outcome outcome;
          if (sfnec_env_step(env, action, observation, features, &outcome)) break;
          sfnec_env_get_state(env, after);
          if (sfnec_env_set_state(env, after, size))
            fail_msg("%s: byte %zu, end %zu: %s", name, at, i, sfnec_last_error());
        }
      }
    }
  }
  assert_true(accepted > 50);
  free(state);
  free(changed);
  free(after);
  free(observation);
  free(features);
  sfnec_env_destroy(env);
}

static void test_worlds(void **state) {
  (void)state;
  const char *const few[] = {"max_episode_steps=5", NULL}, *const none[] = {NULL};
  const char *const worlds[] = {"cartpole", "four_rooms", "one_room", "four_rooms_grid"};
  for (size_t i = 0; i < 4; i++) {
    check(worlds[i], none);
    check(worlds[i], few);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
