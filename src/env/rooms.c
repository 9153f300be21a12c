// rooms.c: moves, pick-up, goal and observation of the room worlds (paper, section on the four-room environment).
//
// Objects and goal are tested where a step ends, also when a wall kept the agent where it was.
#include "env/rooms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/math.h"
#include "env/optimum.h"
#include "env/raster.h"

static const double start_x = 0.05, start_y = 0.05;
static const double goal_x = 0.86, goal_y = 0.86;

static const double directions[SFNEC_ROOMS_ACTIONS][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};
const char *const sfnec_rooms_action_names[] = {"up", "down", "left", "right"};
const char *const sfnec_rooms_observe_names[] = {"features", "picture", NULL};

// ---- radial basis functions ----

// The factors exp(-(p - c)^2 / 0.1) of one axis for the centres c = j / 9.
//
// The ratio of two neighbouring factors is exp(20 p / 9 - 10 (2 j + 1) / 81), and the ratio of two such ratios is a
// constant, so two exponentials and products give all ten. Their relative error is below 1e-14, far under the rounding
// to float, and the bits are the same everywhere.
static void axis_factors(double p, double *factors) {
  const double bend = 0.7812082024342466; // exp(-20 / 81)
  double factor = sfnec_exp(-10 * p * p);
  double ratio = sfnec_exp((180 * p - 10) / 81);
  for (int j = 0; j < SFNEC_BASES_GRID; j++) {
    factors[j] = factor;
    factor *= ratio;
    ratio *= bend;
  }
}

void sfnec_bases_write(double x, double y, float *bases) {
  double across[SFNEC_BASES_GRID], up[SFNEC_BASES_GRID];
  axis_factors(x, across);
  axis_factors(y, up);
  // the exponential of a sum of squares is the product over the axes
  for (int row = 0; row < SFNEC_BASES_GRID; row++) {
    for (int column = 0; column < SFNEC_BASES_GRID; column++) *bases++ = (float)(up[row] * across[column]);
  }
}

// One coordinate from two neighbouring bases of its axis, by the logarithm of their ratio.
static double from_ratio(double low, double high, int j) {
  return (log(high / low) + 10.0 * (2 * j + 1) / 81) * 9 / 20;
}

bool sfnec_bases_locate(const float *bases, double *x, double *y) {
  // the pair of neighbours around the largest base is the most exact
  int best = 0;
  for (int i = 1; i < SFNEC_BASES_COUNT; i++) best = bases[i] > bases[best] ? i : best;
  const int row = best / SFNEC_BASES_GRID, column = best % SFNEC_BASES_GRID;
  const int j = column < SFNEC_BASES_GRID - 1 ? column : column - 1, i = row < SFNEC_BASES_GRID - 1 ? row : row - 1;
  const float *across = bases + row * SFNEC_BASES_GRID + j, *up = bases + i * SFNEC_BASES_GRID + column;
  const double left = across[0], right = across[1], below = up[0], above = up[SFNEC_BASES_GRID];
  if (!(left > 0 && right > 0 && below > 0 && above > 0)) return false;
  *x = from_ratio(left, right, j);
  *y = from_ratio(below, above, i);
  return true;
}

// ---- episodes ----

sfnec_env_shape sfnec_rooms_shape(const sfnec_rooms_map *map, const sfnec_rooms_options *options) {
  const int32_t side = (int32_t)options->pixels;
  sfnec_env_shape shape = {.observation_size = SFNEC_BASES_COUNT + map->object_count + 1,
                           .action_count = SFNEC_ROOMS_ACTIONS,
                           .feature_count = map->class_count + 1};
  if (options->observe == SFNEC_ROOMS_FEATURES) return shape;
  shape.observation_size = side * side * SFNEC_RASTER_CHANNELS;
  shape.picture = sfnec_raster_shape(side);
  return shape;
}

void sfnec_rooms_add_wall(sfnec_rooms_state *state, sfnec_look_wall wall) {
  state->walls[state->wall_count++] = wall;
}

static void observe(const sfnec_rooms_map *map, const sfnec_rooms_state *state, const sfnec_rooms_options *options,
                    float *observation) {
  if (options->observe == SFNEC_ROOMS_PICTURE) {
    sfnec_look look = {.view = SFNEC_LOOK_MAP};
    sfnec_rooms_look(map, state, options, &look);
    sfnec_raster_draw(&look, (int32_t)options->pixels, observation);
    return;
  }
  sfnec_bases_write(state->x, state->y, observation);
  float *bits = observation + SFNEC_BASES_COUNT;
  for (int32_t i = 0; i < map->object_count; i++) bits[i] = (float)(int32_t)(state->taken >> i & 1);
  bits[map->object_count] = 1;
}

void sfnec_rooms_reset(const sfnec_rooms_map *map, sfnec_rooms_state *state, const sfnec_rooms_options *options,
                       float *observation) {
  state->x = start_x;
  state->y = start_y;
  state->taken = 0;
  observe(map, state, options, observation);
}

// Whether any point of the closed box lies in a wall. A step runs along an axis, so its segment is such a box and the
// test is exact; a single point is one too.
static bool hits_wall(const sfnec_rooms_state *state, sfnec_look_wall box) {
  for (uint32_t i = 0; i < state->wall_count; i++) {
    const sfnec_look_wall *wall = &state->walls[i];
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
  sfnec_look_wall path = {x, x, y, y};
  if (options->walls == SFNEC_ROOMS_SEGMENT) {
    path = (sfnec_look_wall){least(x, state->x), most(x, state->x), least(y, state->y), most(y, state->y)};
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
    const sfnec_look_object *object = &map->objects[i];
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
  bool goal = within(state, goal_x, goal_y, options->goal_radius);
  features[map->class_count] = goal;
  observe(map, state, options, observation);
  return (sfnec_env_outcome){.terminated = goal, .truncated = false};
}

// The walls follow from the options, so a saved state has the very bytes that are there.
bool sfnec_rooms_check_state(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                             const sfnec_rooms_state *saved) {
  return saved->x >= 0 && saved->x <= 1 && saved->y >= 0 && saved->y <= 1 && saved->taken >> map->object_count == 0 &&
         saved->wall_count == state->wall_count &&
         memcmp((const char *)saved->walls, (const char *)state->walls, sizeof saved->walls) == 0;
}

// ---- how it looks ----

void sfnec_rooms_bounds(const sfnec_rooms_map *map, const sfnec_rooms_options *options, float *low, float *high) {
  const int32_t size = sfnec_rooms_shape(map, options).observation_size;
  for (int32_t i = 0; i < size; i++) {
    low[i] = 0;
    high[i] = 1;
  }
}

static double inside(double value) {
  return least(most(value, 0), 1);
}

void sfnec_rooms_look(const sfnec_rooms_map *map, const sfnec_rooms_state *state, const sfnec_rooms_options *options,
                      sfnec_look *look) {
  look->x = state->x;
  look->y = state->y;
  look->goal_x = goal_x;
  look->goal_y = goal_y;
  look->goal_radius = options->goal_radius;
  for (uint32_t i = 0; i < state->wall_count; i++) {
    const sfnec_look_wall *wall = &state->walls[i];
    look->walls[look->wall_count++] =
        (sfnec_look_wall){inside(wall->left), inside(wall->right), inside(wall->bottom), inside(wall->top)};
  }
  look->object_count = map->object_count;
  look->class_count = map->class_count;
  look->taken = state->taken;
  memcpy(look->objects, map->objects, (size_t)map->object_count * sizeof *map->objects);
  memcpy(look->glyphs, map->glyphs, (size_t)map->class_count * sizeof *map->glyphs);
}

bool sfnec_rooms_observe_at(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                            const sfnec_rooms_options *options, double x, double y, float *observation) {
  if (hits_wall(state, (sfnec_look_wall){x, x, y, y})) return false;
  sfnec_rooms_state there = *state;
  there.x = x;
  there.y = y;
  observe(map, &there, options, observation);
  return true;
}

bool sfnec_rooms_locate(const void *options, const float *observation, double *x, double *y) {
  const sfnec_rooms_options *o = options;
  return o->observe == SFNEC_ROOMS_FEATURES && sfnec_bases_locate(observation, x, y);
}

// ---- the optimum ----

// The positions on an axis: both begin at the same coordinate.
typedef struct axis {
  double step;
  int32_t below, count; // positions below the start, and all of them
} axis;

static axis make_axis(double step) {
  const double rounding = 1e-9; // a position on the border belongs to it
  const int32_t below = (int32_t)(start_x / step + rounding), above = (int32_t)((1 - start_x) / step + rounding);
  return (axis){step, below, below + above + 1};
}

static double position(const axis *axis, int32_t i) {
  return inside(start_x + axis->step * (i - axis->below));
}

static int32_t cell_at(const axis *axis, const sfnec_rooms_state *state) {
  const long column = lround((state->x - start_x) / axis->step), row = lround((state->y - start_y) / axis->step);
  return (axis->below + (int32_t)row) * axis->count + axis->below + (int32_t)column;
}

// What the steps from one position do.
static void fill_cell(const sfnec_rooms_map *map, const sfnec_rooms_options *options, const axis *axis,
                      sfnec_rooms_state at, sfnec_cell_graph *graph) {
  const int32_t cell = cell_at(axis, &at);
  sfnec_random unused = sfnec_random_start(0, SFNEC_PURPOSE_WORLD);
  for (int32_t action = 0; action < SFNEC_ROOMS_ACTIONS; action++) {
    sfnec_rooms_state there = at;
    move(&there, options, action, &unused);
    graph->next[cell * SFNEC_ROOMS_ACTIONS + action] = cell_at(axis, &there);
  }
  double features[SFNEC_LOOK_MOST_CLASSES] = {0};
  pick_up(map, &at, options->pickup_radius, features);
  graph->takes[cell] = at.taken;
  graph->goal[cell] = within(&at, goal_x, goal_y, options->goal_radius);
}

static sfnec_tours *find_tours(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                               const sfnec_rooms_options *options, int64_t steps) {
  const axis axis = make_axis(options->step_mean);
  sfnec_rooms_options still = *options;
  still.step_sd = 0;
  sfnec_cell_graph graph;
  if (!sfnec_cell_graph_open(&graph, axis.count * axis.count, SFNEC_ROOMS_ACTIONS)) return NULL;
  graph.object_count = map->object_count;
  graph.class_count = map->class_count;
  for (int32_t i = 0; i < map->object_count; i++) graph.classes[i] = map->objects[i].class_index;
  sfnec_rooms_state at = *state;
  at.taken = 0;
  for (int32_t i = 0; i < graph.count; i++) {
    at.x = position(&axis, i % axis.count);
    at.y = position(&axis, i / axis.count);
    fill_cell(map, &still, &axis, at, &graph);
  }
  at.x = start_x;
  at.y = start_y;
  graph.start = cell_at(&axis, &at);
  sfnec_tours *tours = sfnec_tours_find(&graph, steps);
  sfnec_cell_graph_close(&graph);
  return tours;
}

sfnec_status sfnec_rooms_optimum(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                                 const sfnec_rooms_options *options, const double *w, int64_t steps, void **memo,
                                 double *value) {
  // the shorter the step, the larger the graph
  const double side = 1 / options->step_mean + 1;
  if (!*memo && !sfnec_cell_graph_fits(side * side, map->object_count)) return SFNEC_OK;
  if (*memo && !sfnec_tours_hold(*memo, steps)) {
    free(*memo);
    *memo = NULL;
  }
  if (!*memo) *memo = find_tours(map, state, options, steps);
  if (!*memo) return sfnec_fail_memory("the optimum of an environment");
  return sfnec_tours_best(*memo, w, w[map->class_count], steps, options->common.max_episode_steps, value);
}
