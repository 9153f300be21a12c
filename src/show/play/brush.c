// brush.c: what the pictures of a scene are made of; see brush.h.
#ifdef SFNEC_HAVE_CAIRO
#include "show/play/brush.h"

#include <math.h>

const sfnec_colour sfnec_ink = {0.13, 0.13, 0.15}, sfnec_faint = {0.42, 0.42, 0.45}, sfnec_line = {0.86, 0.86, 0.88},
                   sfnec_paper = {1, 1, 1}, sfnec_accent = {0.835, 0.369, 0}, sfnec_calm = {0.55, 0.62, 0.70},
                   sfnec_goal_colour = {0, 0.62, 0.45};

static const double pi = 3.14159265358979323846;

sfnec_colour sfnec_class_colour(sfnec_look_glyph glyph) {
  static const sfnec_colour colours[] = {
      {0.902, 0.624, 0}, {0.337, 0.706, 0.914}, {0.8, 0.475, 0.655}, {0.3, 0.3, 0.3}, {0.941, 0.894, 0.259}};
  return colours[glyph];
}

sfnec_colour sfnec_value_colour(double share) {
  static const sfnec_colour stops[] = {{0.98, 0.98, 0.96}, {0.85, 0.91, 0.95}, {0.66, 0.80, 0.90},
                                       {0.43, 0.64, 0.81}, {0.22, 0.45, 0.68}, {0.10, 0.27, 0.52}};
  const int last = sizeof stops / sizeof *stops - 1;
  const double at = fmin(fmax(share, 0), 1) * last;
  const int below = at >= last ? last - 1 : (int)at;
  const double part = at - below;
  const sfnec_colour a = stops[below], b = stops[below + 1];
  return (sfnec_colour){a.red + part * (b.red - a.red), a.green + part * (b.green - a.green),
                        a.blue + part * (b.blue - a.blue)};
}

void sfnec_brush_colour(cairo_t *cairo, sfnec_colour colour) {
  cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

void sfnec_brush_box(cairo_t *cairo, double x, double y, double width, double height, sfnec_colour colour) {
  sfnec_brush_colour(cairo, colour);
  cairo_rectangle(cairo, x, y, width, height);
  cairo_fill(cairo);
}

void sfnec_brush_text(cairo_t *cairo, double x, double y, double size, bool bold, sfnec_align align,
                      sfnec_colour colour, const char *text) {
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, size);
  if (align == SFNEC_ALIGN_RIGHT) {
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    x -= extents.x_advance;
  }
  sfnec_brush_colour(cairo, colour);
  cairo_move_to(cairo, x, y);
  cairo_show_text(cairo, text);
}

static void star_path(cairo_t *cairo, double x, double y, double radius) {
  for (int i = 0; i < 10; i++) {
    const double angle = pi / 5 * i - pi / 2, reach = i % 2 ? 0.45 * radius : 1.15 * radius;
    cairo_line_to(cairo, x + reach * cos(angle), y + reach * sin(angle));
  }
  cairo_close_path(cairo);
}

static void cross_path(cairo_t *cairo, double x, double y, double radius) {
  const double arm = 0.28 * radius, far = radius;
  // a plus, turned by an eighth
  static const int corners[12][2] = {{1, 1},   {1, 2},   {-1, 2}, {-1, 1}, {-2, 1}, {-2, -1},
                                     {-1, -1}, {-1, -2}, {1, -2}, {1, -1}, {2, -1}, {2, 1}};
  for (int i = 0; i < 12; i++) {
    const double u = (corners[i][0] % 2 ? arm : far) * (corners[i][0] < 0 ? -1 : 1);
    const double v = (corners[i][1] % 2 ? arm : far) * (corners[i][1] < 0 ? -1 : 1);
    cairo_line_to(cairo, x + (u - v) * sqrt(0.5), y + (u + v) * sqrt(0.5));
  }
  cairo_close_path(cairo);
}

void sfnec_brush_glyph(cairo_t *cairo, sfnec_look_glyph glyph, double x, double y, double radius, bool filled) {
  cairo_new_path(cairo);
  switch (glyph) {
  case SFNEC_LOOK_CIRCLE:
    cairo_arc(cairo, x, y, radius, 0, 2 * pi);
    break;
  case SFNEC_LOOK_SQUARE:
    cairo_rectangle(cairo, x - 0.88 * radius, y - 0.88 * radius, 1.76 * radius, 1.76 * radius);
    break;
  case SFNEC_LOOK_TRIANGLE:
    cairo_move_to(cairo, x, y - 1.15 * radius);
    cairo_line_to(cairo, x + 1.1 * radius, y + 0.8 * radius);
    cairo_line_to(cairo, x - 1.1 * radius, y + 0.8 * radius);
    cairo_close_path(cairo);
    break;
  case SFNEC_LOOK_CROSS:
    cross_path(cairo, x, y, radius);
    break;
  case SFNEC_LOOK_STAR:
    star_path(cairo, x, y, radius);
    break;
  }
  if (filled) {
    sfnec_brush_colour(cairo, sfnec_class_colour(glyph));
    cairo_fill_preserve(cairo);
  }
  sfnec_brush_colour(cairo, filled ? sfnec_ink : sfnec_faint);
  cairo_set_line_width(cairo, 0.16 * radius);
  cairo_stroke(cairo);
}
#else
// the pedantic want a declaration in every file
typedef int sfnec_no_brush;
#endif
