// look.c: where things are in a built-in world, for drawing it; the contract is in python.h.
//
// The saved state of an environment ends with the bytes of its kind, which are the structs of src/env/.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "env/cartpole.h"
#include "env/four_rooms_grid.h"
#include "env/kinds.h"
#include "env/rooms.h"
#include "python.h"

static void look_rooms(const sfnec_env *env, const void *bytes, sfnec_python_view *view) {
  sfnec_rooms_state state;
  memcpy(&state, bytes, sizeof state);
  view->x = state.x;
  view->y = state.y;
  view->taken = state.taken;
  view->wall_count = (int32_t)state.wall_count;
  for (uint32_t i = 0; i < state.wall_count; i++) {
    const sfnec_rooms_wall wall = state.walls[i];
    memcpy(view->walls + 4 * (size_t)i, (double[]){wall.left, wall.right, wall.bottom, wall.top}, 4 * sizeof(double));
  }
  view->goal_radius = ((const sfnec_rooms_options *)sfnec_env_get_options(env))->goal_radius;
}

static void look_grid(const void *bytes, sfnec_python_view *view) {
  sfnec_grid_state state;
  memcpy(&state, bytes, sizeof state);
  view->x = state.column;
  view->y = state.row;
  view->taken = state.taken;
}

static void look_cartpole(const void *bytes, sfnec_python_view *view) {
  sfnec_cartpole_state state;
  memcpy(&state, bytes, sizeof state);
  view->x = state.x;
  view->angle = state.theta;
}

sfnec_status sfnec_python_look(const sfnec_env *env, sfnec_python_view *view) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  const size_t size = sfnec_env_get_state_size(env);
  char *bytes = malloc(size);
  if (!bytes) return sfnec_fail_memory("a picture");
  sfnec_env_get_state(env, bytes);
  const char *own = bytes + (size - kind->state_size);
  *view = (sfnec_python_view){0};
  sfnec_status status = SFNEC_OK;
  if (kind == &sfnec_env_four_rooms || kind == &sfnec_env_one_room) look_rooms(env, own, view);
  else if (kind == &sfnec_env_four_rooms_grid) look_grid(own, view);
  else if (kind == &sfnec_env_cartpole) look_cartpole(own, view);
  else status = sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no picture of environment %s", kind->name);
  free(bytes);
  return status;
}
