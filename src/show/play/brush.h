// brush.h: what the pictures of a scene are made of: colours, text, shapes. Only for files that paint with cairo.
#ifndef SFNEC_SHOW_PLAY_BRUSH_H
#define SFNEC_SHOW_PLAY_BRUSH_H

#include <cairo.h>

#include "sfnec/env.h"

typedef struct sfnec_colour {
  double red, green, blue;
} sfnec_colour;

// Okabe and Ito's colours, which colour-blind people can tell apart, and greys.
extern const sfnec_colour sfnec_ink, sfnec_faint, sfnec_line, sfnec_paper, sfnec_accent, sfnec_calm, sfnec_goal_colour;

// The colour of a class of objects, and of a value between 0 (low) and 1 (high): light to dark blue, so that it reads
// in grey too.
sfnec_colour sfnec_class_colour(sfnec_look_glyph glyph);
sfnec_colour sfnec_value_colour(double share);

void sfnec_brush_colour(cairo_t *cairo, sfnec_colour colour);
void sfnec_brush_box(cairo_t *cairo, double x, double y, double width, double height, sfnec_colour colour);

typedef enum sfnec_align { SFNEC_ALIGN_LEFT, SFNEC_ALIGN_RIGHT } sfnec_align;
// Text on a base line; bold if asked for.
void sfnec_brush_text(cairo_t *cairo, double x, double y, double size, bool bold, sfnec_align align,
                      sfnec_colour colour, const char *text);
// An object around a point: filled, or only its outline.
void sfnec_brush_glyph(cairo_t *cairo, sfnec_look_glyph glyph, double x, double y, double radius, bool filled);

#endif
