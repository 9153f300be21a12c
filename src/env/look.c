// look.c: whether a description of how a world looks can be drawn; see look.h.
//
// The description may come from a plugin (sfnec/plugin.h), so that nothing in it is believed.
#include "env/look.h"

#include <math.h>

#include "base/error.h"

// In sides of the picture: farther away nothing is drawn, and a position times a number of pixels is still an int.
static const double far_away = 1000;

static sfnec_status check_count(const char *name, const char *what, int32_t count, int32_t most) {
  if (count >= 0 && count <= most) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s looks wrong: it has %d %s, but 0 to %d can be drawn", name,
                    count, what, most);
}

// Bounds numbers that are finite.
static sfnec_status check_numbers(const char *name, const char *what, double *const *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(*numbers[i])) {
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s looks wrong: a number of its %s is %g", name, what,
                        *numbers[i]);
    }
    *numbers[i] = fmin(fmax(*numbers[i], -far_away), far_away);
  }
  return SFNEC_OK;
}

static sfnec_status check_objects(sfnec_look *look, const char *name) {
  for (int32_t i = 0; i < look->object_count; i++) {
    sfnec_look_object *object = &look->objects[i];
    const sfnec_status status = check_numbers(name, "objects", (double *[]){&object->x, &object->y}, 2);
    if (status) return status;
    if (object->class_index < 0 || object->class_index >= look->class_count) {
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s looks wrong: object %d is of class %d, but there are %d",
                        name, i, object->class_index, look->class_count);
    }
  }
  for (int32_t i = 0; i < look->class_count; i++) {
    if (look->glyphs[i] > SFNEC_LOOK_STAR) {
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s looks wrong: class %d has no glyph of number %d", name, i,
                        (int)look->glyphs[i]);
    }
  }
  return SFNEC_OK;
}

static sfnec_status check_walls(sfnec_look *look, const char *name) {
  sfnec_status status = SFNEC_OK;
  for (int32_t i = 0; i < look->wall_count && !status; i++) {
    sfnec_look_wall *wall = &look->walls[i];
    status = check_numbers(name, "walls", (double *[]){&wall->left, &wall->right, &wall->bottom, &wall->top}, 4);
  }
  return status;
}

sfnec_status sfnec_look_check(sfnec_look *look, const char *name, int32_t feature_count) {
  const int32_t classes = feature_count < SFNEC_LOOK_MOST_CLASSES ? feature_count : SFNEC_LOOK_MOST_CLASSES;
  sfnec_status status = SFNEC_OK;
  if (look->view > SFNEC_LOOK_POLE) {
    status = sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s looks wrong: there is no view of number %d", name,
                        (int)look->view);
  }
  if (!status) status = check_count(name, "cells along a side", look->cells, SFNEC_LOOK_MOST_CELLS);
  if (!status) status = check_count(name, "walls", look->wall_count, SFNEC_LOOK_MOST_WALLS);
  if (!status) status = check_count(name, "objects", look->object_count, SFNEC_LOOK_MOST_OBJECTS);
  if (!status) status = check_count(name, "classes of objects", look->class_count, classes);
  if (!status) {
    double *const numbers[] = {&look->x, &look->y, &look->angle, &look->goal_x, &look->goal_y, &look->goal_radius};
    status = check_numbers(name, "position, angle or goal", numbers, sizeof numbers / sizeof *numbers);
  }
  if (!status) status = check_walls(look, name);
  return status ? status : check_objects(look, name);
}
