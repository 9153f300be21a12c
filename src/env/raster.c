// raster.c: discs and rectangles on a black ground; see raster.h.
//
// Edges are smooth: a pixel takes as much of a colour as is covered of it, so that a move by less than a pixel changes
// the picture. Only + - * / and the square root occur, so the bytes are the same everywhere.
#include "env/raster.h"

#include <math.h>
#include <string.h>

#include "env/picture.h"

typedef struct colour {
  float channels[SFNEC_RASTER_CHANNELS];
} colour;

static const colour wall_colour = {{0.4f, 0.4f, 0.4f}}, goal_colour = {{0.0f, 0.6f, 0.0f}},
                    agent_colour = {{1.0f, 1.0f, 1.0f}};
static const colour class_colours[SFNEC_LOOK_MOST_CLASSES] = {
    {{1.0f, 0.0f, 0.0f}}, {{0.0f, 0.4f, 1.0f}}, {{1.0f, 1.0f, 0.0f}}, {{1.0f, 0.0f, 1.0f}},
    {{0.0f, 1.0f, 1.0f}}, {{1.0f, 0.5f, 0.0f}}, {{0.5f, 0.5f, 1.0f}}, {{0.6f, 0.3f, 0.1f}},
};
// in sides of the picture: about the thickness of a wall
static const double object_radius = 0.03, agent_radius = 0.035;

typedef struct canvas {
  int32_t side;
  float *picture;
} canvas;

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static void blend(const canvas *c, int32_t row, int32_t column, double share, const colour *with) {
  float *pixel = c->picture + ((size_t)row * (size_t)c->side + (size_t)column) * SFNEC_RASTER_CHANNELS;
  for (size_t i = 0; i < SFNEC_RASTER_CHANNELS; i++) pixel[i] += (float)share * (with->channels[i] - pixel[i]);
}

// The first pixel that an extent from `low` to `high` touches, and the one after the last.
static void pixels_of(const canvas *c, double low, double high, int32_t *first, int32_t *end) {
  *first = (int32_t)clamp(floor(low * c->side), 0, c->side);
  *end = (int32_t)clamp(ceil(high * c->side), 0, c->side);
}

// How much of pixel i an extent covers.
static double covered(const canvas *c, double low, double high, int32_t i) {
  const double from = clamp(low * c->side, i, i + 1), to = clamp(high * c->side, i, i + 1);
  return to - from;
}

// y upwards, rows downwards
static void draw_box(const canvas *c, sfnec_look_wall box, const colour *with) {
  int32_t left, right, top, bottom;
  pixels_of(c, box.left, box.right, &left, &right);
  pixels_of(c, 1 - box.top, 1 - box.bottom, &top, &bottom);
  for (int32_t row = top; row < bottom; row++) {
    const double high = covered(c, 1 - box.top, 1 - box.bottom, row);
    for (int32_t column = left; column < right; column++)
      blend(c, row, column, high * covered(c, box.left, box.right, column), with);
  }
}

static void draw_disc(const canvas *c, double x, double y, double radius, const colour *with) {
  int32_t left, right, top, bottom;
  const double reach = radius + 1.0 / c->side;
  pixels_of(c, x - reach, x + reach, &left, &right);
  pixels_of(c, 1 - y - reach, 1 - y + reach, &top, &bottom);
  for (int32_t row = top; row < bottom; row++) {
    for (int32_t column = left; column < right; column++) {
      const double across = column + 0.5 - x * c->side, down = row + 0.5 - (1 - y) * c->side;
      const double inside = radius * c->side - sqrt(across * across + down * down);
      blend(c, row, column, clamp(0.5 + inside, 0, 1), with);
    }
  }
}

sfnec_picture_shape sfnec_raster_shape(int32_t side) {
  return (sfnec_picture_shape){
      .frames = 1, .height = side, .width = side, .channels = SFNEC_RASTER_CHANNELS, .levels = SFNEC_RASTER_LEVELS};
}

void sfnec_raster_draw(const sfnec_look *look, int32_t side, float *picture) {
  const canvas c = {side, picture};
  const size_t row = (size_t)side * SFNEC_RASTER_CHANNELS;
  memset(picture, 0, (size_t)side * row * sizeof *picture);
  if (look->goal_radius > 0) draw_disc(&c, look->goal_x, look->goal_y, look->goal_radius, &goal_colour);
  for (int32_t i = 0; i < look->wall_count; i++) draw_box(&c, look->walls[i], &wall_colour);
  for (int32_t i = 0; i < look->object_count; i++) {
    const sfnec_look_object *object = &look->objects[i];
    if (look->taken >> i & 1) continue;
    draw_disc(&c, object->x, object->y, object_radius, &class_colours[object->class_index]);
  }
  draw_disc(&c, look->x, look->y, agent_radius, &agent_colour);
  uint8_t levels[SFNEC_RASTER_MOST_SIDE * SFNEC_RASTER_CHANNELS];
  for (int32_t i = 0; i < side; i++, picture += row) {
    sfnec_picture_pack(SFNEC_RASTER_LEVELS, picture, row, levels);
    sfnec_picture_unpack(SFNEC_RASTER_LEVELS, levels, row, picture);
  }
}
