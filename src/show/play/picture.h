// picture.h: a picture in the making: its two halves, and what they are made of. Only for files that paint with cairo.
#ifndef SFNEC_SHOW_PLAY_PICTURE_H
#define SFNEC_SHOW_PLAY_PICTURE_H

#include <cairo.h>

#include "show/play/scene.h"
#include "show/play/value_map.h"
#include "show/theme/theme.h"

// What is painted; `unit` is a twenty-fourth of the height, and everything is measured in it.
typedef struct sfnec_picture {
  cairo_t *cairo;
  const sfnec_scene *scene;
  const sfnec_value_map *values;
  bool whole;
  double width, height, unit;
  double left, top, side; // of the map
} sfnec_picture;

void sfnec_paint_map(const sfnec_picture *picture);
void sfnec_paint_panel(const sfnec_picture *picture);

// ---- colours, text, shapes ----

typedef struct sfnec_colour {
  double red, green, blue;
} sfnec_colour;

// The theme's colours on a light ground: of a role, of a class of objects, and of a value between 0 (low) and 1 (high).
sfnec_colour sfnec_role_colour(sfnec_theme_role role);
sfnec_colour sfnec_class_colour(sfnec_look_glyph glyph);
sfnec_colour sfnec_value_colour(double share);

void sfnec_paint_set_colour(cairo_t *cairo, sfnec_colour colour);
// The outline of the path.
void sfnec_paint_stroke(cairo_t *cairo, double width, sfnec_colour colour);
void sfnec_paint_box(cairo_t *cairo, double x, double y, double width, double height, sfnec_colour colour);

typedef enum sfnec_align { SFNEC_ALIGN_LEFT, SFNEC_ALIGN_RIGHT } sfnec_align;
// Text on a base line; bold if asked for.
void sfnec_paint_text(cairo_t *cairo, double x, double y, double size, bool bold, sfnec_align align,
                      sfnec_colour colour, const char *text);
// How far it would reach.
double sfnec_paint_text_width(cairo_t *cairo, double size, bool bold, const char *text);
// An object around a point: filled, or only its outline.
void sfnec_paint_glyph(cairo_t *cairo, sfnec_look_glyph glyph, double x, double y, double radius, bool filled);

#endif
