// test_raster.c: worlds as pictures: where things are drawn, what changes with a move and a taken object; and agents
// that learn from such pictures.
#include "env/picture.h"
#include "env/raster.h"
#include "env/rooms.h"
#include "support/check.h"

enum { SIDE = 21, SIZE = SIDE * SIDE * SFNEC_RASTER_CHANNELS };

static const char *const settings[] = {"observe=picture", "pixels=21", "step_sd=0", NULL};

static const float *pixel(const float *picture, double x, double y) {
  const int row = (int)((1 - y) * SIDE), column = (int)(x * SIDE);
  return picture + (row * SIDE + column) * SFNEC_RASTER_CHANNELS;
}

static bool is(const float *pixel, float red, float green, float blue) {
  return fabsf(pixel[0] - red) < 0.05f && fabsf(pixel[1] - green) < 0.05f && fabsf(pixel[2] - blue) < 0.05f;
}

static bool is_white(const float *pixel) {
  return pixel[0] > 0.5f && pixel[1] == pixel[0] && pixel[2] == pixel[0];
}

static void test_drawn(void **state) {
  (void)state;
  sfnec_env *env = NULL;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), settings, 1, &env));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  assert_true(shape.observation_size == SIZE && shape.picture.height == SIDE && shape.picture.levels == 255);
  float first[SIZE], next[SIZE];
  double features[4];
  sfnec_env_outcome outcome;
  OK(sfnec_env_reset(env, first));
  assert_int_equal(sfnec_picture_whole(255, first, SIZE), SIZE);
  assert_true(is_white(pixel(first, 0.05, 0.05)));                // the agent, in between four pixels
  assert_true(is(pixel(first, 0.86, 0.86), 0, 0.6f, 0));          // the goal
  assert_true(is(pixel(first, 0.5, 0.35), 0.34f, 0.34f, 0.34f));  // a wall that covers most of a pixel
  assert_true(is(pixel(first, 3.5 / 21, 10.5 / 21), 1, 0, 0));    // a circle
  assert_true(is(pixel(first, 0.5 / 21, 20.5 / 21), 0, 0.4f, 1)); // a square
  assert_true(is(pixel(first, 0.3, 0.3), 0, 0, 0));
  OK(sfnec_env_step(env, SFNEC_ROOMS_UP, next, features, &outcome));
  assert_true(is_white(pixel(next, 0.05, 0.1)) && !is_white(pixel(next, 0.05, 0.02)));
  assert_memory_not_equal(first, next, sizeof first);
  // all that is far from the agent stays
  assert_memory_equal(first, next, sizeof first / 2);
  double x, y;
  assert_false(sfnec_env_locate(env, next, &x, &y));
  sfnec_env_destroy(env);
}

// A move of a fiftieth of a pixel shows; a taken object is gone.
static void test_changes(void **state) {
  (void)state;
  sfnec_look look = {.view = SFNEC_LOOK_MAP, .x = 0.2, .y = 0.2, .object_count = 1, .class_count = 1};
  look.objects[0] = (sfnec_look_object){14.5 / SIDE, 14.5 / SIDE, 0};
  float before[SIZE], moved[SIZE], taken[SIZE];
  sfnec_raster_draw(&look, SIDE, before);
  for (int i = 1; i <= 10; i++) {
    float last[SIZE];
    sfnec_raster_draw(&look, SIDE, last);
    look.x = 0.2 + i * 0.02 / SIDE;
    sfnec_raster_draw(&look, SIDE, moved);
    assert_memory_not_equal(last, moved, sizeof last);
  }
  look.x = 0.2;
  look.taken = 1;
  sfnec_raster_draw(&look, SIDE, taken);
  assert_true(is(pixel(before, 0.7, 0.7), 1, 0, 0) && is(pixel(taken, 0.7, 0.7), 0, 0, 0));
  // half in the picture
  look.x = 0;
  sfnec_raster_draw(&look, SIDE, moved);
  assert_int_equal(sfnec_picture_whole(255, moved, SIZE), SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn), cmocka_unit_test(test_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
