// rooms_kind.h: the functions of a kind of room world, bound to the `map` of the file that includes this after it.
//
// They are the same for every map; a kind that names them differs in its map, its tasks and its options alone.
#ifndef SFNEC_ENV_ROOMS_KIND_H
#define SFNEC_ENV_ROOMS_KIND_H

#include "env/rooms.h"

static sfnec_env_shape shape(const void *options) {
  return sfnec_rooms_shape(&map, options);
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)world;
  sfnec_rooms_reset(&map, self, options, observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  return sfnec_rooms_step(&map, self, options, action, world, observation, features);
}

static bool check_state(const void *self, const void *options, const void *saved) {
  (void)options;
  return sfnec_rooms_check_state(&map, self, saved);
}

static void bounds(const void *options, float *low, float *high) {
  sfnec_rooms_bounds(&map, options, low, high);
}

static void look(const void *self, const void *options, sfnec_look *look) {
  sfnec_rooms_look(&map, self, options, look);
}

static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  return sfnec_rooms_observe_at(&map, self, options, x, y, observation);
}

static sfnec_status optimum(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                            double *value) {
  return sfnec_rooms_optimum(&map, self, options, w, steps, memo, value);
}

// clang-format off
// The fields of a sfnec_env_kind that follow.
#define SFNEC_ROOMS_KIND                                                                                       \
  .action_names = sfnec_rooms_action_names, .options_size = sizeof(sfnec_rooms_options),                       \
  .state_size = sizeof(sfnec_rooms_state), .shape = shape, .reset = reset, .step = step,                        \
  .check_state = check_state, .bounds = bounds, .look = look, .observe_at = observe_at,                         \
  .locate = sfnec_rooms_locate, .optimum = optimum
// clang-format on

#endif
