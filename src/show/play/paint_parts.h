// paint_parts.h: the two halves of a picture. Only for files that paint with cairo.
#ifndef SFNEC_SHOW_PLAY_PAINT_PARTS_H
#define SFNEC_SHOW_PLAY_PAINT_PARTS_H

#include <cairo.h>

#include "show/play/scene.h"
#include "show/play/values.h"

// What is painted; `unit` is a twenty-fourth of the height, and everything is measured in it.
typedef struct sfnec_picture {
  cairo_t *cairo;
  const sfnec_scene *scene;
  const sfnec_values *values;
  bool whole;
  double width, height, unit;
  double left, top, side; // of the map
} sfnec_picture;

void sfnec_paint_map(const sfnec_picture *picture);
void sfnec_paint_panel(const sfnec_picture *picture);

#endif
