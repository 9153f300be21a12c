// test_place.c: where things are, by hand and there and back again.
#include "support/player.h"

#include "sfnec/random.h"
#include "show/play/place.h"

static sfnec_place place_of(const sfnec_env *env) {
  sfnec_place place;
  OK(sfnec_place_init(&place, env));
  return place;
}

static void test_four_rooms(void **state) {
  (void)state;
  sfnec_env *env = open_env("four_rooms", NULL, 1);
  const sfnec_place place = place_of(env);
  assert_int_equal(place.wall_count, 6);
  assert_int_equal(place.object_count, 12);
  assert_int_equal(place.class_count, 3);
  NEAR(place.goal_x, 0.86, 0);
  NEAR(place.goal_radius, 0.15, 0);
  // the calibrated walls are 0.04 wide, their doors 0.2 wide around 4/21 and 17/21
  assert_true(sfnec_place_in_wall(&place, 0.5, 0.5));
  assert_true(sfnec_place_in_wall(&place, 0.519, 0.05));
  assert_false(sfnec_place_in_wall(&place, 0.521, 0.05));
  assert_false(sfnec_place_in_wall(&place, 0.5, 4.0 / 21));
  assert_false(sfnec_place_in_wall(&place, 17.0 / 21, 0.5));
  for (uint32_t i = 0; i < place.wall_count; i++)
    assert_true(place.walls[i].left >= 0 && place.walls[i].right <= 1 && place.walls[i].bottom >= 0);
  assert_int_equal(sfnec_place_glyph(&place, 0), SFNEC_GLYPH_CIRCLE);
  assert_int_equal(sfnec_place_glyph(&place, 2), SFNEC_GLYPH_TRIANGLE);
  sfnec_env_destroy(env);
}

static void test_grid(void **state) {
  (void)state;
  sfnec_env *env = open_env("four_rooms_grid", NULL, 1);
  const sfnec_place place = place_of(env);
  assert_int_equal(place.object_count, 12);
  assert_int_equal(place.wall_count, 17);
  // top right, and half a cell wide
  NEAR(place.goal_x, 12.5 / 13, 1e-12);
  NEAR(place.goal_y, 12.5 / 13, 1e-12);
  NEAR(place.goal_radius, 0.5 / 13, 1e-12);
  // the first shapes, column by column: a square at the top left, a triangle in row 5 below it
  NEAR(place.objects[0].y, 12.5 / 13, 1e-12);
  assert_int_equal(place.objects[0].class_index, 0);
  NEAR(place.objects[1].x, 0.5 / 13, 1e-12);
  NEAR(place.objects[1].y, 7.5 / 13, 1e-12);
  assert_int_equal(place.objects[1].class_index, 1);
  assert_int_equal(sfnec_place_glyph(&place, 0), SFNEC_GLYPH_SQUARE);
  // (0, 6 rows down) is a wall
  assert_true(sfnec_place_in_wall(&place, 0.5 / 13, 6.5 / 13));
  sfnec_env_destroy(env);
}

// a position is found again in the observation that it gives
static void there_and_back(const char *world, const char *const *settings, double tolerance) {
  sfnec_env *env = open_env(world, settings, 1);
  const sfnec_place place = place_of(env);
  sfnec_random random = sfnec_random_start(5, SFNEC_PURPOSE_WORLD);
  float observation[256];
  int seen = 0;
  for (int i = 0; i < 2000; i++) {
    const sfnec_spot spot = {sfnec_random_uniform(&random), sfnec_random_uniform(&random), (uint32_t)i & 4095};
    double x, y;
    const bool there = sfnec_place_observe(&place, &spot, observation);
    assert_int_equal(there, !sfnec_place_in_wall(&place, spot.x, spot.y));
    if (!there) continue;
    seen++;
    assert_true(sfnec_place_locate(&place, observation, &x, &y));
    if (fabs(x - spot.x) > tolerance || fabs(y - spot.y) > tolerance)
      fail_msg("%s: (%g, %g) was taken for (%g, %g)", world, spot.x, spot.y, x, y);
  }
  assert_true(seen > 1500);
  sfnec_env_destroy(env);
}

static void test_locate(void **state) {
  (void)state;
  const double cell = 0.5 / 13 + 1e-6;
  there_and_back("four_rooms", NULL, 1e-5);
  there_and_back("four_rooms_grid", NULL, cell);
  there_and_back("four_rooms_grid", (const char *[]){"observation=rbf", NULL}, cell);
  there_and_back("four_rooms_grid", (const char *[]){"observation=coordinates", NULL}, cell);
}

// what the agent really sees where it is, and what place says that it sees
static void same_as_world(const char *world) {
  sfnec_env *env = open_env(world, NULL, 3);
  const sfnec_place place = place_of(env);
  sfnec_random random = sfnec_random_start(6, SFNEC_PURPOSE_WORLD);
  float seen[256], said[256];
  double features[8];
  OK(sfnec_env_reset(env, seen));
  for (int i = 0; i < 400; i++) {
    sfnec_spot spot;
    OK(sfnec_place_now(&place, &spot));
    assert_true(sfnec_place_observe(&place, &spot, said));
    assert_memory_equal(seen, said, (size_t)sfnec_env_get_shape(env).observation_size * sizeof *seen);
    sfnec_env_outcome outcome;
    OK(sfnec_env_step(env, (int32_t)(4 * sfnec_random_uniform(&random)), seen, features, &outcome));
    if (outcome.terminated || outcome.truncated) OK(sfnec_env_reset(env, seen));
  }
  sfnec_env_destroy(env);
}

static void test_now(void **state) {
  (void)state;
  same_as_world("four_rooms");
  same_as_world("one_room");
  same_as_world("four_rooms_grid");
}

static void test_cartpole(void **state) {
  (void)state;
  sfnec_env *env = open_env("cartpole", NULL, 1);
  const sfnec_place place = place_of(env);
  float observation[4];
  sfnec_spot spot;
  OK(sfnec_env_reset(env, observation));
  OK(sfnec_place_now(&place, &spot));
  assert_false(sfnec_place_has_positions(&place));
  NEAR(spot.x, (double)observation[0], 1e-6);
  NEAR(spot.y, (double)observation[2], 1e-6);
  assert_false(sfnec_place_observe(&place, &spot, observation));
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_four_rooms), cmocka_unit_test(test_grid),     cmocka_unit_test(test_locate),
      cmocka_unit_test(test_now),        cmocka_unit_test(test_cartpole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
