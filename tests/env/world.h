// world.h: a room world whose agent can be put anywhere, for the tests of this folder.
#ifndef SFNEC_TESTS_ENV_WORLD_H
#define SFNEC_TESTS_ENV_WORLD_H

// cmocka.h needs these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "env/rooms.h"

// A kind, its resolved options and its state; the last step's results. Short-lived, no allocation.
typedef struct world {
  const sfnec_env_kind *kind;
  sfnec_rooms_options options;
  sfnec_rooms_state state;
  sfnec_random random;
  float observation[128];
  double features[8];
  sfnec_env_outcome outcome;
} world;

// A world at the start of an episode; `settings` as for sfnec_env_create.
static inline world open_world(const char *name, const char *const *settings) {
  world w = {.kind = sfnec_env_kind_find(name), .random = sfnec_random_start(7, SFNEC_PURPOSE_WORLD)};
  assert_non_null(w.kind);
  sfnec_options_default(w.kind->option_set, &w.options);
  for (size_t i = 0; settings && settings[i]; i++) {
    assert_int_equal(sfnec_options_assign(w.kind->option_set, &w.options, settings[i]), SFNEC_OK);
  }
  if (w.kind->init) assert_int_equal(w.kind->init(&w.state, &w.options), SFNEC_OK);
  w.kind->reset(&w.state, &w.options, &w.random, w.observation);
  return w;
}

static inline void place(world *w, double x, double y) {
  w->state.x = x;
  w->state.y = y;
}

static inline void go(world *w, int32_t action) {
  w->outcome = w->kind->step(&w->state, &w->options, action, &w->random, w->observation, w->features);
}

// Whether a step of exactly `length` from (x, y) is taken; else the position must not have changed.
static inline bool passes(world *w, double x, double y, int32_t action, double length) {
  w->options.step_mean = length;
  w->options.step_sd = 0;
  place(w, x, y);
  go(w, action);
  bool moved = w->state.x != x || w->state.y != y;
  if (moved) {
    double dx = action == SFNEC_ROOMS_LEFT ? -length : action == SFNEC_ROOMS_RIGHT ? length : 0;
    double dy = action == SFNEC_ROOMS_DOWN ? -length : action == SFNEC_ROOMS_UP ? length : 0;
    assert_true(w->state.x == x + dx && w->state.y == y + dy);
  }
  return moved;
}

#endif
