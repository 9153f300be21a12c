// masked.h: a world whose mask depends on where the agent is and on what it has done: a grid of SIDE x SIDE cells, four
// moves that no wall may stop, a key that can be taken where it lies, and a door that opens for who has the key.
//
// What is not allowed ends the test: nothing in the library may take it.
#ifndef SFNEC_TESTS_SUPPORT_MASKED_H
#define SFNEC_TESTS_SUPPORT_MASKED_H

#include "support/tiny.h"

enum { MASKED_SIDE = 5, MASKED_ACTIONS = 6, MASKED_FEATURES = 2, MASKED_OBSERVATION = 3 };
enum { MASKED_TAKE = 4, MASKED_OPEN = 5 };

static const sfnec_env_shape masked_shape = {
    .observation_size = MASKED_OBSERVATION, .action_count = MASKED_ACTIONS, .feature_count = MASKED_FEATURES};

typedef struct masked_world {
  int x, y, steps;
  bool has_key;
  sfnec_random random;
} masked_world;

static inline void masked_begin(masked_world *world) {
  world->x = (int)sfnec_random_below(&world->random, MASKED_SIDE);
  world->y = (int)sfnec_random_below(&world->random, MASKED_SIDE);
  world->has_key = false;
  world->steps = 0;
}

static inline void masked_observe(const masked_world *world, float *observation) {
  observation[0] = (float)world->x, observation[1] = (float)world->y, observation[2] = (float)world->has_key;
}

// Walls: the border. The key lies at (4, 0), the door is at (0, 4).
static inline void masked_mask(const masked_world *world, uint8_t *mask) {
  mask[0] = world->x > 0, mask[1] = world->x < MASKED_SIDE - 1;
  mask[2] = world->y > 0, mask[3] = world->y < MASKED_SIDE - 1;
  mask[MASKED_TAKE] = world->x == MASKED_SIDE - 1 && world->y == 0 && !world->has_key;
  mask[MASKED_OPEN] = world->x == 0 && world->y == MASKED_SIDE - 1 && world->has_key;
}

// Returns whether the episode has ended; features: the key, the door.
static inline bool masked_step(masked_world *world, int32_t action, double *features) {
  uint8_t mask[MASKED_ACTIONS];
  masked_mask(world, mask);
  assert_true(action >= 0 && action < MASKED_ACTIONS);
  assert_true(mask[action]);
  world->x += (action == 1) - (action == 0);
  world->y += (action == 3) - (action == 2);
  world->has_key |= action == MASKED_TAKE;
  world->steps++;
  features[0] = action == MASKED_TAKE;
  features[1] = action == MASKED_OPEN;
  return action == MASKED_OPEN;
}

#endif
