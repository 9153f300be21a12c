// paint.c: a scene as a picture, by cairo; see paint.h.
#include "show/play/paint.h"

#include <math.h>

#include "base/error.h"

void sfnec_paint_extent(int size, int *width, int *height) {
  *height = size / 2 * 2;
  *width = (int)(size * 1.62) / 2 * 2;
}

#ifdef SFNEC_HAVE_CAIRO
#include "show/play/picture.h"

// ---- what pictures are made of ----

static const double pi = 3.14159265358979323846;

static sfnec_colour colour_of(const char *text) {
  double rgb[3];
  sfnec_theme_rgb(text, rgb);
  return (sfnec_colour){rgb[0], rgb[1], rgb[2]};
}

sfnec_colour sfnec_role_colour(sfnec_theme_role role) {
  return colour_of(sfnec_theme_roles[role].colour.light);
}

sfnec_colour sfnec_class_colour(sfnec_look_glyph glyph) {
  return colour_of(sfnec_theme_objects[glyph].colour.light);
}

sfnec_colour sfnec_value_colour(double share) {
  double rgb[3];
  sfnec_theme_value(share, rgb);
  return (sfnec_colour){rgb[0], rgb[1], rgb[2]};
}

void sfnec_paint_set_colour(cairo_t *cairo, sfnec_colour colour) {
  cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue);
}

void sfnec_paint_stroke(cairo_t *cairo, double width, sfnec_colour colour) {
  sfnec_paint_set_colour(cairo, colour);
  cairo_set_line_width(cairo, width);
  cairo_stroke(cairo);
}

void sfnec_paint_box(cairo_t *cairo, double x, double y, double width, double height, sfnec_colour colour) {
  sfnec_paint_set_colour(cairo, colour);
  cairo_rectangle(cairo, x, y, width, height);
  cairo_fill(cairo);
}

double sfnec_paint_text_width(cairo_t *cairo, double size, bool bold, const char *text) {
  cairo_text_extents_t extents;
  cairo_select_font_face(cairo, sfnec_theme_font_print, CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, size);
  cairo_text_extents(cairo, text, &extents);
  return extents.x_advance;
}

void sfnec_paint_text(cairo_t *cairo, double x, double y, double size, bool bold, sfnec_align align,
                      sfnec_colour colour, const char *text) {
  const double width = sfnec_paint_text_width(cairo, size, bold, text);
  if (align == SFNEC_ALIGN_RIGHT) x -= width;
  sfnec_paint_set_colour(cairo, colour);
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

void sfnec_paint_glyph(cairo_t *cairo, sfnec_look_glyph glyph, double x, double y, double radius, bool filled) {
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
    sfnec_paint_set_colour(cairo, sfnec_class_colour(glyph));
    cairo_fill_preserve(cairo);
  }
  sfnec_paint_stroke(cairo, 0.16 * radius,
                     filled ? sfnec_role_colour(SFNEC_ROLE_TEXT) : sfnec_role_colour(SFNEC_ROLE_SOFT));
}

// ---- the picture ----

sfnec_status sfnec_paint(const sfnec_scene *scene, const sfnec_value_map *values, int size, bool whole,
                         uint32_t *pixels) {
  int width, height;
  sfnec_paint_extent(size, &width, &height);
  // a row of RGB24 is a row of these pixels
  cairo_surface_t *surface =
      cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
  const double unit = height / 24.0;
  const sfnec_picture picture = {.cairo = cairo_create(surface),
                                 .scene = scene,
                                 .values = values,
                                 .whole = whole,
                                 .width = width,
                                 .height = height,
                                 .unit = unit,
                                 .left = 0.8 * unit,
                                 .top = 0.8 * unit,
                                 .side = height - 1.6 * unit};
  sfnec_paint_box(picture.cairo, 0, 0, width, height, sfnec_role_colour(SFNEC_ROLE_BACK));
  sfnec_paint_map(&picture);
  sfnec_paint_panel(&picture);
  const cairo_status_t painted = cairo_status(picture.cairo);
  cairo_destroy(picture.cairo);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  // the byte that RGB24 leaves open
  for (size_t i = 0; i < (size_t)width * (size_t)height; i++) pixels[i] &= 0xffffff;
  if (painted == CAIRO_STATUS_SUCCESS) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_MEMORY, "cairo cannot paint a picture of %d x %d: %s", width, height,
                    cairo_status_to_string(painted));
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int size) {
  return fwrite(bytes, 1, size, file) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

sfnec_status sfnec_paint_png(uint32_t *pixels, int width, int height, FILE *file) {
  cairo_surface_t *surface =
      cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
  const cairo_status_t written = cairo_surface_write_to_png_stream(surface, write_bytes, file);
  cairo_surface_destroy(surface);
  if (written == CAIRO_STATUS_NO_MEMORY) return sfnec_fail_memory("a picture");
  return SFNEC_OK;
}

#else

static sfnec_status absent(void) {
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "this sfnec was built without cairo, which draws the pictures: install libcairo2-dev "
                    "and build it from source (for Python: pip install --no-binary sfnec sfnec)");
}

sfnec_status sfnec_paint(const sfnec_scene *scene, const sfnec_value_map *values, int size, bool whole,
                         uint32_t *pixels) {
  (void)scene, (void)values, (void)size, (void)whole, (void)pixels;
  return absent();
}

sfnec_status sfnec_paint_png(uint32_t *pixels, int width, int height, FILE *file) {
  (void)pixels, (void)width, (void)height, (void)file;
  return absent();
}
#endif
