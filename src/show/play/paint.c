// paint.c: a scene as a picture, by cairo; see paint.h.
#include "show/play/paint.h"

#include "base/error.h"

void sfnec_paint_extent(int size, int *width, int *height) {
  *height = size / 2 * 2;
  *width = (int)(size * 1.62) / 2 * 2;
}

#ifdef SFNEC_HAVE_CAIRO
#include "show/play/brush.h"
#include "show/play/paint_parts.h"

sfnec_status sfnec_paint(const sfnec_scene *scene, const sfnec_values *values, int size, bool whole, uint32_t *pixels) {
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
  sfnec_brush_box(picture.cairo, 0, 0, width, height, sfnec_paper);
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
  return sfnec_fail(
      SFNEC_ERROR_STATE,
      "this sfnec was built without cairo, which draws the pictures: install libcairo2-dev and build again");
}

sfnec_status sfnec_paint(const sfnec_scene *scene, const sfnec_values *values, int size, bool whole, uint32_t *pixels) {
  (void)scene, (void)values, (void)size, (void)whole, (void)pixels;
  return absent();
}

sfnec_status sfnec_paint_png(uint32_t *pixels, int width, int height, FILE *file) {
  (void)pixels, (void)width, (void)height, (void)file;
  return absent();
}
#endif
