// place.c: where things are in a built-in world; see place.h.
//
// The state comes as the bytes that an environment saves: what all environments share, then the world's own struct.
#include "show/play/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "env/bases.h"
#include "env/cartpole.h"
#include "env/four_rooms_grid.h"
#include "env/kinds.h"

// ---- the map ----

static const sfnec_rooms_map *rooms_map(const sfnec_env *env) {
  return sfnec_env_get_kind(env) == &sfnec_env_one_room ? &sfnec_one_room_map : &sfnec_four_rooms_map;
}

// the world's own state, as the last bytes of the saved one
static sfnec_status read_state(const sfnec_env *env, void *state, size_t size) {
  const size_t all = sfnec_env_get_state_size(env);
  unsigned char *bytes = malloc(all);
  if (!bytes) return sfnec_fail_memory("the state of a world");
  sfnec_env_get_state(env, bytes);
  memcpy(state, bytes + all - size, size);
  free(bytes);
  return SFNEC_OK;
}

static double inside(double value) {
  return value < 0 ? 0 : value > 1 ? 1 : value;
}

static sfnec_status init_rooms(sfnec_place *place) {
  sfnec_rooms_state state;
  const sfnec_status status = read_state(place->env, &state, sizeof state);
  if (status) return status;
  const sfnec_rooms_map *map = rooms_map(place->env);
  const sfnec_rooms_options *options = sfnec_env_get_options(place->env);
  for (uint32_t i = 0; i < state.wall_count; i++) {
    const sfnec_rooms_wall *wall = &state.walls[i];
    place->walls[place->wall_count++] =
        (sfnec_rooms_wall){inside(wall->left), inside(wall->right), inside(wall->bottom), inside(wall->top)};
  }
  place->object_count = (uint32_t)map->object_count;
  place->class_count = (uint32_t)map->class_count;
  memcpy(place->objects, map->objects, place->object_count * sizeof *map->objects);
  place->goal_x = sfnec_rooms_goal_x;
  place->goal_y = sfnec_rooms_goal_y;
  place->goal_radius = options->goal_radius;
  return SFNEC_OK;
}

static double grid_x(int32_t column) {
  return (column + 0.5) / SFNEC_GRID_SIZE;
}

static double grid_y(int32_t row) {
  return (SFNEC_GRID_SIZE - row - 0.5) / SFNEC_GRID_SIZE;
}

static void init_cell(sfnec_place *place, int32_t row, int32_t column) {
  const char cell = sfnec_grid_cell(row, column);
  const double x = grid_x(column), y = grid_y(row), half = 0.5 / SFNEC_GRID_SIZE;
  if (cell == 'X') {
    place->walls[place->wall_count++] = (sfnec_rooms_wall){x - half, x + half, y - half, y + half};
  } else if (cell == 'G') {
    place->goal_x = x;
    place->goal_y = y;
    place->goal_radius = half;
  } else if (cell >= '1' && cell <= '3') {
    place->objects[sfnec_grid_shape_number(row, column)] = (sfnec_rooms_object){x, y, cell - '1'};
    place->object_count++;
  }
}

sfnec_status sfnec_place_init(sfnec_place *place, const sfnec_env *env) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  *place = (sfnec_place){.kind = SFNEC_PLACE_ROOMS, .env = env};
  if (kind == &sfnec_env_four_rooms || kind == &sfnec_env_one_room) return init_rooms(place);
  if (kind == &sfnec_env_cartpole) {
    place->kind = SFNEC_PLACE_CARTPOLE;
    return SFNEC_OK;
  }
  if (kind != &sfnec_env_four_rooms_grid) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the world %s cannot be drawn: only the built-in ones can", kind->name);
  }
  place->kind = SFNEC_PLACE_GRID;
  place->class_count = SFNEC_GRID_CLASSES;
  for (int32_t row = 0; row < SFNEC_GRID_SIZE; row++) {
    for (int32_t column = 0; column < SFNEC_GRID_SIZE; column++) init_cell(place, row, column);
  }
  return SFNEC_OK;
}

bool sfnec_place_has_positions(const sfnec_place *place) {
  return place->kind != SFNEC_PLACE_CARTPOLE;
}

bool sfnec_place_in_wall(const sfnec_place *place, double x, double y) {
  for (uint32_t i = 0; i < place->wall_count; i++) {
    const sfnec_rooms_wall *wall = &place->walls[i];
    if (x > wall->left && x < wall->right && y > wall->bottom && y < wall->top) return true;
  }
  return false;
}

sfnec_glyph sfnec_place_glyph(const sfnec_place *place, int32_t class_index) {
  static const char *const names[] = {"circle", "square", "triangle", "bad", "good"};
  const char *name = sfnec_env_get_kind(place->env)->feature_names[class_index];
  for (int i = 0; i < 5; i++) {
    if (strcmp(name, names[i]) == 0) return (sfnec_glyph)i;
  }
  return SFNEC_GLYPH_CIRCLE;
}

// ---- from states to spots, and back to observations ----

sfnec_status sfnec_place_now(const sfnec_place *place, sfnec_spot *spot) {
  sfnec_status status;
  if (place->kind == SFNEC_PLACE_ROOMS) {
    sfnec_rooms_state state;
    status = read_state(place->env, &state, sizeof state);
    if (!status) *spot = (sfnec_spot){state.x, state.y, state.taken};
  } else if (place->kind == SFNEC_PLACE_GRID) {
    sfnec_grid_state state;
    status = read_state(place->env, &state, sizeof state);
    if (!status) *spot = (sfnec_spot){grid_x(state.column), grid_y(state.row), state.taken};
  } else {
    sfnec_cartpole_state state;
    status = read_state(place->env, &state, sizeof state);
    if (!status) *spot = (sfnec_spot){state.x, state.theta, 0};
  }
  return status;
}

bool sfnec_place_observe(const sfnec_place *place, const sfnec_spot *spot, float *observation) {
  const bool within = spot->x >= 0 && spot->x <= 1 && spot->y >= 0 && spot->y <= 1;
  if (!sfnec_place_has_positions(place) || !within || sfnec_place_in_wall(place, spot->x, spot->y)) return false;
  if (place->kind == SFNEC_PLACE_ROOMS) {
    const sfnec_rooms_state state = {.x = spot->x, .y = spot->y, .taken = spot->taken};
    sfnec_rooms_observe(rooms_map(place->env), &state, observation);
    return true;
  }
  const int32_t column = (int32_t)fmin(spot->x * SFNEC_GRID_SIZE, SFNEC_GRID_SIZE - 1);
  const int32_t row = SFNEC_GRID_SIZE - 1 - (int32_t)fmin(spot->y * SFNEC_GRID_SIZE, SFNEC_GRID_SIZE - 1);
  const sfnec_grid_state state = {.row = row, .column = column, .taken = spot->taken};
  sfnec_grid_observe(&state, sfnec_env_get_options(place->env), observation);
  return true;
}

// ---- from observations to positions ----

// One coordinate from two neighbouring bases of its axis: b(j) = exp(-(p - j/9)^2 / 0.1), so the logarithm of
// b(j+1) / b(j) is 20 p / 9 - 10 (2 j + 1) / 81.
static double from_ratio(double low, double high, int j) {
  return (log(high / low) + 10.0 * (2 * j + 1) / 81) * 9 / 20;
}

// the pair of neighbours around the largest base tells most exactly
static bool locate_bases(const float *bases, double *x, double *y) {
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

static bool locate_cell(const float *cells, double *x, double *y) {
  int best = 0;
  for (int i = 1; i < SFNEC_GRID_CELLS; i++) best = cells[i] > cells[best] ? i : best;
  *x = grid_x(best % SFNEC_GRID_SIZE);
  *y = grid_y(best / SFNEC_GRID_SIZE);
  return cells[best] > 0;
}

bool sfnec_place_locate(const sfnec_place *place, const float *observation, double *x, double *y) {
  bool found = false;
  if (place->kind == SFNEC_PLACE_ROOMS) {
    found = locate_bases(observation, x, y);
  } else if (place->kind == SFNEC_PLACE_GRID) {
    const int form = ((const sfnec_grid_options *)sfnec_env_get_options(place->env))->observation;
    if (form == SFNEC_GRID_RBF) found = locate_bases(observation, x, y);
    if (form == SFNEC_GRID_ONE_HOT) found = locate_cell(observation, x, y);
    if (form == SFNEC_GRID_COORDINATES) {
      *x = ((double)observation[1] + 0.5) / SFNEC_GRID_SIZE;
      *y = (SFNEC_GRID_SIZE - (double)observation[0] - 0.5) / SFNEC_GRID_SIZE;
      found = true;
    }
  }
  // a key that training has moved may lie anywhere
  return found && *x > -0.02 && *x < 1.02 && *y > -0.02 && *y < 1.02;
}
