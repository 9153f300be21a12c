// place.h: where things are in a built-in world, for everything that draws it.
//
// Room worlds of either kind are shown in the unit square, y upwards: walls, objects, goal, the agent's position. The
// cart-pole world has the cart's place and the pole's angle instead.
#ifndef SFNEC_SHOW_PLAY_PLACE_H
#define SFNEC_SHOW_PLAY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "env/rooms.h"
#include "sfnec/agent.h"

enum { SFNEC_PLACE_MOST_WALLS = 64 };

// How a world is drawn.
typedef enum sfnec_place_kind { SFNEC_PLACE_ROOMS, SFNEC_PLACE_GRID, SFNEC_PLACE_CARTPOLE } sfnec_place_kind;

// The shapes of object classes.
typedef enum sfnec_glyph {
  SFNEC_GLYPH_CIRCLE,
  SFNEC_GLYPH_SQUARE,
  SFNEC_GLYPH_TRIANGLE,
  SFNEC_GLYPH_CROSS,
  SFNEC_GLYPH_STAR
} sfnec_glyph;

typedef struct sfnec_place {
  sfnec_place_kind kind;
  const sfnec_env *env; // the caller's

  // rooms and grid
  sfnec_rooms_wall walls[SFNEC_PLACE_MOST_WALLS]; // within the unit square
  uint32_t wall_count;
  sfnec_rooms_object objects[SFNEC_ROOMS_MOST_OBJECTS];
  uint32_t object_count, class_count;
  double goal_x, goal_y, goal_radius;
} sfnec_place;

// Where the agent is. In the cart-pole world x is the cart's place and y the pole's angle (radians, to the right).
typedef struct sfnec_spot {
  double x, y;
  uint32_t taken; // bit i: object i was taken
} sfnec_spot;

// Describes the world of an environment; fails with SFNEC_ERROR_ARGUMENT for one that cannot be drawn.
sfnec_status sfnec_place_init(sfnec_place *place, const sfnec_env *env);
bool sfnec_place_has_positions(const sfnec_place *place);

// Where the agent is now. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_place_now(const sfnec_place *place, sfnec_spot *spot);
// The observation that the agent would have at a spot; false (and nothing written) inside a wall or where there is no
// such spot. Positions of a grid mean the cell around them.
bool sfnec_place_observe(const sfnec_place *place, const sfnec_spot *spot, float *observation);
// The position that an observation (or the key of a memory, if it is one) belongs to; false if it shows none.
bool sfnec_place_locate(const sfnec_place *place, const float *observation, double *x, double *y);

// Is the point inside a wall?
bool sfnec_place_in_wall(const sfnec_place *place, double x, double y);
// The shape by which objects of a class are drawn.
sfnec_glyph sfnec_place_glyph(const sfnec_place *place, int32_t class_index);

#endif
