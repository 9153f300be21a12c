// four_rooms_grid.h: options and state of the environment four_rooms_grid.
#ifndef SFNEC_ENV_FOUR_ROOMS_GRID_H
#define SFNEC_ENV_FOUR_ROOMS_GRID_H

#include <stdint.h>

#include "sfnec/env.h"

enum { SFNEC_GRID_SIZE = 13, SFNEC_GRID_CELLS = SFNEC_GRID_SIZE * SFNEC_GRID_SIZE };
enum { SFNEC_GRID_SHAPES = 12, SFNEC_GRID_CLASSES = 3 };
enum { SFNEC_GRID_LEFT, SFNEC_GRID_UP, SFNEC_GRID_RIGHT, SFNEC_GRID_DOWN, SFNEC_GRID_ACTIONS };
enum { SFNEC_GRID_ONE_HOT, SFNEC_GRID_RBF, SFNEC_GRID_COORDINATES };
enum { SFNEC_GRID_GOAL_EVERY, SFNEC_GRID_GOAL_OWN };

typedef struct sfnec_grid_options {
  sfnec_env_common common;
  int observation; // SFNEC_GRID_ONE_HOT, SFNEC_GRID_RBF or SFNEC_GRID_COORDINATES
  int goal;        // SFNEC_GRID_GOAL_EVERY: it counts as one of every class; SFNEC_GRID_GOAL_OWN: a fourth feature
} sfnec_grid_options;

typedef struct sfnec_grid_state {
  int32_t row, column; // from the top left
  uint32_t taken;      // bit i: shape i was collected in this episode
} sfnec_grid_state;

#endif
