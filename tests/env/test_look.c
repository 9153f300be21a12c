// test_look.c: how the worlds look: by hand, against where the agent can go, and there and back again.
#include "support/player.h"

#include "sfnec/random.h"

static sfnec_look look_at(const sfnec_env *env) {
  sfnec_look look;
  OK(sfnec_env_get_look(env, &look));
  return look;
}

static bool in_wall(const sfnec_look *look, double x, double y) {
  for (int32_t i = 0; i < look->wall_count; i++) {
    const sfnec_look_wall *wall = &look->walls[i];
    if (x > wall->left && x < wall->right && y > wall->bottom && y < wall->top) return true;
  }
  return false;
}

// ---- the worlds by hand ----

static void test_four_rooms(void **state) {
  (void)state;
  sfnec_env *env = open_env("four_rooms", NULL, 1);
  const sfnec_look look = look_at(env);
  assert_int_equal(look.view, SFNEC_LOOK_MAP);
  assert_int_equal(look.cells, 0);
  assert_int_equal(look.wall_count, 6);
  assert_int_equal(look.object_count, 12);
  assert_int_equal(look.class_count, 3);
  NEAR(look.goal_x, 0.86, 0);
  NEAR(look.goal_radius, 0.15, 0);
  // the calibrated walls are 0.04 wide, their doors 0.2 wide around 4/21 and 17/21
  assert_true(in_wall(&look, 0.5, 0.5));
  assert_true(in_wall(&look, 0.519, 0.05));
  assert_false(in_wall(&look, 0.521, 0.05));
  assert_false(in_wall(&look, 0.5, 4.0 / 21));
  assert_false(in_wall(&look, 17.0 / 21, 0.5));
  for (int32_t i = 0; i < look.wall_count; i++)
    assert_true(look.walls[i].left >= 0 && look.walls[i].right <= 1 && look.walls[i].bottom >= 0);
  assert_int_equal(look.glyphs[0], SFNEC_LOOK_CIRCLE);
  assert_int_equal(look.glyphs[2], SFNEC_LOOK_TRIANGLE);
  sfnec_env_destroy(env);
}

static void test_one_room(void **state) {
  (void)state;
  sfnec_env *env = open_env("one_room", (const char *[]){"goal_radius=0.1", NULL}, 1);
  const sfnec_look look = look_at(env);
  assert_int_equal(look.wall_count, 0);
  assert_int_equal(look.object_count, 2);
  assert_int_equal(look.glyphs[0], SFNEC_LOOK_CROSS);
  assert_int_equal(look.glyphs[1], SFNEC_LOOK_STAR);
  NEAR(look.goal_radius, 0.1, 0);
  sfnec_env_destroy(env);
}

static void test_grid(void **state) {
  (void)state;
  sfnec_env *env = open_env("four_rooms_grid", NULL, 1);
  const sfnec_look look = look_at(env);
  assert_int_equal(look.cells, 13);
  assert_int_equal(look.object_count, 12);
  assert_int_equal(look.wall_count, 17);
  // top right, and half a cell wide
  NEAR(look.goal_x, 12.5 / 13, 1e-12);
  NEAR(look.goal_y, 12.5 / 13, 1e-12);
  NEAR(look.goal_radius, 0.5 / 13, 1e-12);
  // the first shapes, column by column: a square at the top left, a triangle in row 5 below it
  NEAR(look.objects[0].y, 12.5 / 13, 1e-12);
  assert_int_equal(look.objects[0].class_index, 0);
  NEAR(look.objects[1].x, 0.5 / 13, 1e-12);
  NEAR(look.objects[1].y, 7.5 / 13, 1e-12);
  assert_int_equal(look.objects[1].class_index, 1);
  assert_int_equal(look.glyphs[0], SFNEC_LOOK_SQUARE);
  // (0, 6 rows down) is a wall
  assert_true(in_wall(&look, 0.5 / 13, 6.5 / 13));
  sfnec_env_destroy(env);
}

static void test_cartpole(void **state) {
  (void)state;
  sfnec_env *env = open_env("cartpole", NULL, 1);
  float observation[4];
  double x, y;
  OK(sfnec_env_reset(env, observation));
  const sfnec_look look = look_at(env);
  assert_int_equal(look.view, SFNEC_LOOK_POLE);
  // the track is 4.8 wide
  NEAR(look.x, 0.5 + (double)observation[0] / 4.8, 1e-7);
  NEAR(look.angle, (double)observation[2], 1e-7);
  assert_false(sfnec_env_observe_at(env, look.x, 0.5, observation));
  assert_false(sfnec_env_locate(env, observation, &x, &y));
  sfnec_env_destroy(env);
}

// ---- positions and observations ----

// a position is found again in the observation that it gives
static void there_and_back(const char *world, const char *const *settings, double tolerance) {
  sfnec_env *env = open_env(world, settings, 1);
  const sfnec_look look = look_at(env);
  sfnec_random random = sfnec_random_start(5, SFNEC_PURPOSE_WORLD);
  float observation[256];
  int seen = 0;
  for (int i = 0; i < 2000; i++) {
    const double x = sfnec_random_uniform(&random), y = sfnec_random_uniform(&random);
    double found_x, found_y;
    const bool there = sfnec_env_observe_at(env, x, y, observation);
    assert_int_equal(there, !in_wall(&look, x, y));
    if (!there) continue;
    seen++;
    assert_true(sfnec_env_locate(env, observation, &found_x, &found_y));
    if (fabs(found_x - x) > tolerance || fabs(found_y - y) > tolerance)
      fail_msg("%s: (%g, %g) was taken for (%g, %g)", world, x, y, found_x, found_y);
  }
  assert_true(seen > 1500);
  assert_false(sfnec_env_observe_at(env, -0.1, 0.05, observation));
  assert_false(sfnec_env_observe_at(env, 0.05, 1.1, observation));
  sfnec_env_destroy(env);
}

static void test_locate(void **state) {
  (void)state;
  const double cell = 0.5 / 13 + 1e-6;
  there_and_back("four_rooms", NULL, 1e-5);
  there_and_back("one_room", NULL, 1e-5);
  there_and_back("four_rooms_grid", NULL, cell);
  there_and_back("four_rooms_grid", (const char *[]){"observation=rbf", NULL}, cell);
  there_and_back("four_rooms_grid", (const char *[]){"observation=coordinates", NULL}, cell);
}

static int bits(uint64_t mask) {
  int count = 0;
  for (; mask; mask &= mask - 1) count++;
  return count;
}

// What the agent really sees where it is, and what observe_at says that it sees; what was taken grows by what the
// features counted, and lies where the agent was.
static void same_as_world(const char *world, const char *const *settings) {
  sfnec_env *env = open_env(world, settings, 3);
  sfnec_random random = sfnec_random_start(6, SFNEC_PURPOSE_WORLD);
  float seen[256], said[256];
  double features[8];
  int taken = 0;
  OK(sfnec_env_reset(env, seen));
  sfnec_look look = look_at(env);
  for (int i = 0; i < 2000; i++) {
    assert_true(sfnec_env_observe_at(env, look.x, look.y, said));
    assert_memory_equal(seen, said, (size_t)sfnec_env_get_shape(env).observation_size * sizeof *seen);
    const uint64_t before = look.taken;
    sfnec_env_outcome outcome;
    OK(sfnec_env_step(env, (int32_t)(4 * sfnec_random_uniform(&random)), seen, features, &outcome));
    look = look_at(env);
    double counted = 0;
    for (int32_t f = 0; f < look.class_count; f++) counted += features[f];
    if (!outcome.terminated) assert_int_equal(bits(look.taken & ~before), (int)counted);
    for (int32_t k = 0; k < look.object_count; k++) {
      if (!((look.taken & ~before) >> k & 1)) continue;
      taken++;
      assert_true(hypot(look.objects[k].x - look.x, look.objects[k].y - look.y) <= 0.1);
    }
    if (outcome.terminated || outcome.truncated) OK(sfnec_env_reset(env, seen));
    if (outcome.terminated || outcome.truncated) look = look_at(env);
  }
  assert_true(taken > 0);
  sfnec_env_destroy(env);
}

static void test_now(void **state) {
  (void)state;
  const char *const wide[] = {"pickup_radius=0.1", "step_mean=0.1", NULL};
  same_as_world("four_rooms", wide);
  same_as_world("one_room", wide);
  same_as_world("four_rooms_grid", NULL);
}

// ---- bounds ----

static void test_bounds(void **state) {
  (void)state;
  const char *const worlds[][2] = {{"four_rooms", NULL},
                                   {"one_room", NULL},
                                   {"four_rooms_grid", NULL},
                                   {"four_rooms_grid", "observation=coordinates"}};
  for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
    sfnec_env *env = open_env(worlds[k][0], (const char *[]){worlds[k][1], NULL}, 1);
    float low[256], high[256];
    sfnec_env_get_bounds(env, low, high);
    for (int32_t i = 0; i < sfnec_env_get_shape(env).observation_size; i++) {
      assert_true(low[i] == 0);
      assert_true(high[i] == (worlds[k][1] && i < 2 ? 12 : 1));
    }
    sfnec_env_destroy(env);
  }
  float low[4], high[4];
  sfnec_env *env = open_env("cartpole", NULL, 1);
  sfnec_env_get_bounds(env, low, high);
  assert_true(high[0] == 4.8F && low[0] == -4.8F && isinf(high[1]) && isinf(low[3]));
  NEAR((double)high[2], 24 / 180.0 * 3.141592653589793, 1e-7);
  sfnec_env_destroy(env);
}

// ---- a kind of the user's that does not say how it looks ----

static sfnec_env_shape blind_shape(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = 1, .action_count = 1, .feature_count = 1};
}

static void blind_reset(void *self, const void *options, sfnec_random *random, float *observation) {
  (void)self, (void)options, (void)random;
  *observation = 0;
}

static sfnec_env_outcome blind_step(void *self, const void *options, int32_t action, sfnec_random *random,
                                    float *observation, double *features) {
  (void)self, (void)options, (void)action, (void)random;
  *observation = 0;
  *features = 0;
  return (sfnec_env_outcome){.terminated = true};
}

static void test_without_look(void **state) {
  (void)state;
  const sfnec_env_kind blind = {.name = "blind", .shape = blind_shape, .reset = blind_reset, .step = blind_step};
  sfnec_env *env;
  OK(sfnec_env_create(&blind, NULL, 1, &env));
  sfnec_look look;
  float observation = 0, low, high;
  double x, y;
  REFUSED(sfnec_env_get_look(env, &look), SFNEC_ERROR_ARGUMENT, "blind cannot be drawn");
  assert_false(sfnec_env_observe_at(env, 0.5, 0.5, &observation));
  assert_false(sfnec_env_locate(env, &observation, &x, &y));
  sfnec_env_get_bounds(env, &low, &high);
  assert_true(isinf(low) && isinf(high) && low < high);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_four_rooms), cmocka_unit_test(test_one_room),     cmocka_unit_test(test_grid),
      cmocka_unit_test(test_cartpole),   cmocka_unit_test(test_locate),       cmocka_unit_test(test_now),
      cmocka_unit_test(test_bounds),     cmocka_unit_test(test_without_look),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
