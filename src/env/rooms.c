// rooms.c: moves, pick-up, goal and observation of the room worlds (paper, section on the four-room environment).
//
// Objects and goal are tested where a step ends, also when a wall kept the agent where it was.
#include <stdbool.h>

#include "env/bases.h"
#include "env/rooms.h"

static const double start_x = 0.05, start_y = 0.05;
const double sfnec_rooms_goal_x = 0.86, sfnec_rooms_goal_y = 0.86;

static const double directions[SFNEC_ROOMS_ACTIONS][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};
const char *const sfnec_rooms_action_names[] = {"up", "down", "left", "right"};

sfnec_env_shape sfnec_rooms_shape(const sfnec_rooms_map *map) {
  return (sfnec_env_shape){.observation_size = SFNEC_BASES_COUNT + map->object_count + 1,
                           .action_count = SFNEC_ROOMS_ACTIONS,
                           .feature_count = map->class_count + 1};
}

void sfnec_rooms_add_wall(sfnec_rooms_state *state, sfnec_rooms_wall wall) {
  state->walls[state->wall_count++] = wall;
}

void sfnec_rooms_observe(const sfnec_rooms_map *map, const sfnec_rooms_state *state, float *observation) {
  sfnec_bases_write(state->x, state->y, observation);
  float *bits = observation + SFNEC_BASES_COUNT;
  for (int32_t i = 0; i < map->object_count; i++) bits[i] = (float)(int32_t)(state->taken >> i & 1);
  bits[map->object_count] = 1;
}

void sfnec_rooms_reset(const sfnec_rooms_map *map, sfnec_rooms_state *state, float *observation) {
  state->x = start_x;
  state->y = start_y;
  state->taken = 0;
  sfnec_rooms_observe(map, state, observation);
}

// Whether any point of the closed box lies in a wall. A step runs along an axis, so its segment is such a box and the
// test is exact; a single point is one too.
static bool hits_wall(const sfnec_rooms_state *state, sfnec_rooms_wall box) {
  for (uint32_t i = 0; i < state->wall_count; i++) {
    const sfnec_rooms_wall *wall = &state->walls[i];
    if (box.left < wall->right && box.right > wall->left && box.bottom < wall->top && box.top > wall->bottom) {
      return true;
    }
  }
  return false;
}

static double least(double a, double b) {
  return a < b ? a : b;
}

static double most(double a, double b) {
  return a > b ? a : b;
}

// Takes a step unless a wall or the border is in the way.
static void move(sfnec_rooms_state *state, const sfnec_rooms_options *options, int32_t action, sfnec_random *world) {
  double length = options->step_mean + options->step_sd * sfnec_random_normal(world);
  double x = state->x + directions[action][0] * length, y = state->y + directions[action][1] * length;
  if (x < 0 || x > 1 || y < 0 || y > 1) return;
  sfnec_rooms_wall path = {x, x, y, y};
  if (options->walls == SFNEC_ROOMS_SEGMENT) {
    path = (sfnec_rooms_wall){least(x, state->x), most(x, state->x), least(y, state->y), most(y, state->y)};
  }
  if (hits_wall(state, path)) return;
  state->x = x;
  state->y = y;
}

static bool within(const sfnec_rooms_state *state, double x, double y, double radius) {
  double dx = state->x - x, dy = state->y - y;
  return dx * dx + dy * dy <= radius * radius;
}

// Takes the objects in reach, and counts them by class.
static void pick_up(const sfnec_rooms_map *map, sfnec_rooms_state *state, double radius, double *features) {
  for (int32_t i = 0; i < map->object_count; i++) {
    const sfnec_rooms_object *object = &map->objects[i];
    if (state->taken >> i & 1 || !within(state, object->x, object->y, radius)) continue;
    state->taken |= UINT32_C(1) << i;
    features[object->class_index] += 1;
  }
}

sfnec_env_outcome sfnec_rooms_step(const sfnec_rooms_map *map, sfnec_rooms_state *state,
                                   const sfnec_rooms_options *options, int32_t action, sfnec_random *world,
                                   float *observation, double *features) {
  move(state, options, action, world);
  for (int32_t i = 0; i < map->class_count; i++) features[i] = 0;
  pick_up(map, state, options->pickup_radius, features);
  bool goal = within(state, sfnec_rooms_goal_x, sfnec_rooms_goal_y, options->goal_radius);
  features[map->class_count] = goal;
  sfnec_rooms_observe(map, state, observation);
  return (sfnec_env_outcome){.terminated = goal, .truncated = false};
}
