// rooms.h: what the room worlds share: a point that walks in the unit square, objects to pick up, a goal.
//
// A world is a small description (objects, classes) and, for each of its layouts, a list of walls; the moves, the
// observation and the features are the same for all. Position (x, y) in [0, 1]^2, y upwards; start at (0.05, 0.05).
//
// Observation: the 100 radial basis functions of the position (below), then one bit per object in the order of
// the map (1 = taken), then 1; or, with observe=picture, a picture of the world (env/raster.h). Features: how many
// objects of each class this step picked up, then whether the goal was reached.
#ifndef SFNEC_ENV_ROOMS_H
#define SFNEC_ENV_ROOMS_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/env.h"

enum { SFNEC_ROOMS_MOST_WALLS = 6, SFNEC_ROOMS_MOST_OBJECTS = 32 };
enum { SFNEC_ROOMS_UP, SFNEC_ROOMS_DOWN, SFNEC_ROOMS_LEFT, SFNEC_ROOMS_RIGHT, SFNEC_ROOMS_ACTIONS };
enum { SFNEC_ROOMS_ENDPOINT, SFNEC_ROOMS_SEGMENT };
enum { SFNEC_ROOMS_FEATURES, SFNEC_ROOMS_PICTURE };

// The options of all room worlds; a world lists in its table those that it has, the others stay 0.
typedef struct sfnec_rooms_options {
  sfnec_env_common common;
  int layout;
  int walls; // SFNEC_ROOMS_ENDPOINT: only the end of a step is tested; SFNEC_ROOMS_SEGMENT: the whole of it
  double step_mean;
  double step_sd;
  double goal_radius;
  double pickup_radius;
  double wall_width;
  double door_width;
  int observe; // SFNEC_ROOMS_FEATURES or _PICTURE
  int64_t pixels;
} sfnec_rooms_options;

// The rows that every room world has.
// clang-format off
#define SFNEC_ROOMS_REAL(field, value, low, high, text)                                                           \
  {.name = #field, .type = SFNEC_OPTION_REAL, .offset = offsetof(sfnec_rooms_options, field), .initial = (value), \
   .least = (low), .most = (high), .help = (text)}
#define SFNEC_ROOMS_ROWS                                                                         \
  SFNEC_ROOMS_REAL(step_mean, 0.05, 0, 1, "mean length of a step"),                              \
  SFNEC_ROOMS_REAL(step_sd, 0.005, 0, 1, "standard deviation of the length of a step"),          \
  SFNEC_ROOMS_REAL(goal_radius, 0.15, 0, 1, "radius of the goal around (0.86, 0.86)"),           \
  SFNEC_ROOMS_REAL(pickup_radius, 0.04, 0, 1, "distance within which an object is picked up"),   \
  {.name = "observe", .type = SFNEC_OPTION_CHOICE, .offset = offsetof(sfnec_rooms_options, observe),            \
   .choices = sfnec_rooms_observe_names,                                                                        \
   .help = "what the agent observes: bases of its position and bits, or a picture of the world"},               \
  {.name = "pixels", .type = SFNEC_OPTION_INT, .offset = offsetof(sfnec_rooms_options, pixels), .initial = 42,  \
   .least = 8, .most = 256, .help = "pixels of a side, with observe=picture"}
// clang-format on

// The constant part of a world.
typedef struct sfnec_rooms_map {
  const sfnec_look_object *objects; // (object_count)
  int32_t object_count;             // at most SFNEC_ROOMS_MOST_OBJECTS
  int32_t class_count;
  const sfnec_look_glyph *glyphs; // (class_count)
} sfnec_rooms_map;

// The state of a world; the walls are constant after init, and without their border.
typedef struct sfnec_rooms_state {
  double x, y;
  uint32_t taken; // bit i: object i was picked up in this episode
  uint32_t wall_count;
  sfnec_look_wall walls[SFNEC_ROOMS_MOST_WALLS];
} sfnec_rooms_state;

extern const char *const sfnec_rooms_action_names[], *const sfnec_rooms_observe_names[];

sfnec_env_shape sfnec_rooms_shape(const sfnec_rooms_map *map, const sfnec_rooms_options *options);
void sfnec_rooms_add_wall(sfnec_rooms_state *state, sfnec_look_wall wall);
void sfnec_rooms_reset(const sfnec_rooms_map *map, sfnec_rooms_state *state, const sfnec_rooms_options *options,
                       float *observation);
sfnec_env_outcome sfnec_rooms_step(const sfnec_rooms_map *map, sfnec_rooms_state *state,
                                   const sfnec_rooms_options *options, int32_t action, sfnec_random *world,
                                   float *observation, double *features);

// The kinds' functions of these names.
bool sfnec_rooms_check_state(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                             const sfnec_rooms_state *saved);
void sfnec_rooms_bounds(const sfnec_rooms_map *map, const sfnec_rooms_options *options, float *low, float *high);
void sfnec_rooms_look(const sfnec_rooms_map *map, const sfnec_rooms_state *state, const sfnec_rooms_options *options,
                      sfnec_look *look);
bool sfnec_rooms_observe_at(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                            const sfnec_rooms_options *options, double x, double y, float *observation);
// Of a picture it is not known.
bool sfnec_rooms_locate(const void *options, const float *observation, double *x, double *y);
// On the graph of the positions that steps of the mean length reach from the start.
sfnec_status sfnec_rooms_optimum(const sfnec_rooms_map *map, const sfnec_rooms_state *state,
                                 const sfnec_rooms_options *options, const double *w, int64_t steps, void **memo,
                                 double *value);

// ---- radial basis functions of a position ----

// 10 x 10 functions exp(-|p - c|^2 / 0.1) with centres c on linspace(0, 1, 10)^2, x fastest: number 10 * row + column,
// row along y.
enum { SFNEC_BASES_GRID = 10, SFNEC_BASES_COUNT = SFNEC_BASES_GRID * SFNEC_BASES_GRID };

// Writes the values at (x, y) to bases (SFNEC_BASES_COUNT).
void sfnec_bases_write(double x, double y, float *bases);
// The position that such values belong to; false if they are of none.
bool sfnec_bases_locate(const float *bases, double *x, double *y);

#endif
