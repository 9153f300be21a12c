// test_navigation.c: the robot's room by hand: its ways and walls, both noises, what is paid for, and what a stop does.
#include "support/player.h"

#include <math.h>

enum { NORTH, SOUTH, WEST, EAST, STOP };
enum { GOAL, MOVE, STOPPED };

// A robot, and what its last step brought.
typedef struct robot {
  sfnec_env *env;
  float pose[2];
  double features[3];
  sfnec_env_outcome outcome;
} robot;

static robot open_robot(const char *const *settings) {
  robot r = {.env = open_env("navigation", settings, 1)};
  OK(sfnec_env_reset(r.env, r.pose));
  return r;
}

static void drive(robot *r, int32_t action, int times) {
  for (int i = 0; i < times; i++) {
    OK(sfnec_env_step(r->env, action, r->pose, r->features, &r->outcome));
    assert_false(r->outcome.terminated || r->outcome.truncated);
    assert_true(r->features[MOVE] == (action != STOP) && r->features[STOPPED] == (action == STOP));
  }
}

// where the robot really is
static sfnec_look truth(const robot *r) {
  sfnec_look look;
  OK(sfnec_env_get_look(r->env, &look));
  return look;
}

static void at(const robot *r, double x, double y) {
  const sfnec_look look = truth(r);
  NEAR(look.x, x, 1e-9);
  NEAR(look.y, y, 1e-9);
}

static const char *const exact[] = {"pose_noise=0", NULL};

static void the_way_takes_25_moves(void **unused) {
  (void)unused;
  robot r = open_robot(exact);
  for (int round = 0; round < 3; round++) {
    drive(&r, EAST, 8);
    at(&r, 0.6, 0.2);
    drive(&r, NORTH, 10);
    drive(&r, WEST, 6);
    at(&r, 0.3, 0.7);
    assert_true(r.features[GOAL] == 0);
    drive(&r, WEST, 1);
    assert_true(r.features[GOAL] == 1);
    // it goes on at the start, in the same episode
    at(&r, 0.2, 0.2);
    NEAR(r.pose[0], 0.2, 1e-7);
    NEAR(r.pose[1], 0.2, 1e-7);
  }
  sfnec_env_destroy(r.env);
}

static void walls_and_borders_stop_moves(void **unused) {
  (void)unused;
  robot r = open_robot(exact);
  drive(&r, NORTH, 9);
  at(&r, 0.2, 0.45); // below the wall
  drive(&r, WEST, 9);
  at(&r, 0.0, 0.45); // at the border
  drive(&r, SOUTH, 20);
  at(&r, 0.0, 0.0);
  drive(&r, EAST, 12);
  drive(&r, NORTH, 10);
  at(&r, 0.6, 0.5); // beside the wall's end
  drive(&r, WEST, 1);
  at(&r, 0.6, 0.5);
  drive(&r, NORTH, 1);
  drive(&r, WEST, 1);
  at(&r, 0.55, 0.55); // above it
  drive(&r, SOUTH, 1);
  at(&r, 0.55, 0.55);
  drive(&r, STOP, 1);
  at(&r, 0.55, 0.55);
  sfnec_env_destroy(r.env);
}

// The wall is thinner than a move, and noise makes moves slant: no robot gets to the other side but by the gap.
static void nobody_walks_through_the_wall(void **unused) {
  (void)unused;
  robot r = open_robot((const char *[]){"pose_noise=0.03", "start=random", "goal_radius=0.01", NULL});
  sfnec_random random = sfnec_random_start(4, SFNEC_PURPOSE_WORLD);
  int crossed = 0;
  sfnec_look before = truth(&r);
  for (int i = 0; i < 100000; i++) {
    drive(&r, (int32_t)sfnec_random_below(&random, 5), 1);
    const sfnec_look now = truth(&r);
    assert_true(now.x >= 0 && now.x <= 1 && now.y >= 0 && now.y <= 1);
    assert_false(now.x < 0.58 && now.y > 0.48 && now.y < 0.52);
    if (r.features[GOAL] == 0 && (before.y < 0.5) != (now.y < 0.5)) {
      crossed++;
      // where the way crosses the middle of the wall
      assert_true(before.x + (now.x - before.x) * (0.5 - before.y) / (now.y - before.y) >= 0.58);
    }
    before = now;
  }
  assert_true(crossed > 100);
  sfnec_env_destroy(r.env);
}

// Standard deviation of what the sensor says of a robot that stands still; *moved: of where it is.
static double spread(const char *const *settings, double *moved) {
  enum { COUNT = 4000 };
  robot r = open_robot(settings);
  double squares = 0;
  *moved = 0;
  sfnec_look before = truth(&r);
  for (int i = 0; i < COUNT; i++) {
    drive(&r, STOP, 1);
    const sfnec_look now = truth(&r);
    squares += pow(r.pose[0] - now.x, 2) + pow(r.pose[1] - now.y, 2);
    *moved += pow(now.x - before.x, 2) + pow(now.y - before.y, 2);
    before = now;
  }
  sfnec_env_destroy(r.env);
  *moved = sqrt(*moved / (2 * COUNT));
  return sqrt(squares / (2 * COUNT));
}

static void noise_is_as_large_as_it_says(void **unused) {
  (void)unused;
  double moved;
  NEAR(spread(NULL, &moved), 0, 1e-7);
  NEAR(moved, 0.0025, 0.0001);
  NEAR(spread((const char *[]){"pose_noise=0", "sensor_noise=0.002", NULL}, &moved), 0.002, 0.0001);
  NEAR(moved, 0, 0);
}

// Without noise on stop nothing changes, not even what the sensor says; a move is as noisy as ever.
static void a_stop_can_be_free_of_noise(void **unused) {
  (void)unused;
  robot r = open_robot((const char *[]){"stop_noise=off", "sensor_noise=0.001", NULL});
  for (int i = 0; i < 100; i++) {
    drive(&r, i % 2 ? EAST : WEST, 1);
    const sfnec_look look = truth(&r);
    const float pose[2] = {r.pose[0], r.pose[1]};
    assert_true((double)pose[0] != look.x && fabs(look.y - 0.2) > 0);
    drive(&r, STOP, 1);
    assert_memory_equal(pose, r.pose, sizeof pose);
    assert_true(truth(&r).x == look.x && truth(&r).y == look.y);
  }
  sfnec_env_destroy(r.env);
}

static void a_random_start_is_anywhere_but_in_the_goal(void **unused) {
  (void)unused;
  robot r = open_robot((const char *[]){"start=random", NULL});
  double left = 1, right = 0, bottom = 1, top = 0;
  for (int i = 0; i < 2000; i++) {
    OK(sfnec_env_reset(r.env, r.pose));
    const sfnec_look look = truth(&r);
    assert_false(look.x < 0.58 && look.y > 0.48 && look.y < 0.52);
    assert_true(hypot(look.x - 0.2, look.y - 0.8) > 0.12);
    left = fmin(left, look.x), right = fmax(right, look.x), bottom = fmin(bottom, look.y), top = fmax(top, look.y);
  }
  assert_true(left < 0.01 && right > 0.99 && bottom < 0.01 && top > 0.99);
  sfnec_env_destroy(r.env);
}

static void the_task_is_what_the_options_say(void **unused) {
  (void)unused;
  double w[3];
  sfnec_env *env = open_env("navigation", (const char *[]){"goal_reward=100", "move_cost=1", "stop_cost=0.8", NULL}, 1);
  sfnec_env_get_task_weights(env, 3, w);
  assert_true(w[GOAL] == 100 && w[MOVE] == -1 && w[STOPPED] == -0.8);
  sfnec_env_destroy(env);
}

static void positions_are_found_again(void **unused) {
  (void)unused;
  robot r = open_robot(exact);
  double x = 0.0, y = 0.0;
  float low[2], high[2];
  assert_true(sfnec_env_observe_at(r.env, 0.7, 0.5, r.pose) && sfnec_env_locate(r.env, r.pose, &x, &y));
  NEAR(x, 0.7, 1e-6);
  NEAR(y, 0.5, 1e-6);
  assert_false(sfnec_env_observe_at(r.env, 0.3, 0.5, r.pose));
  assert_false(sfnec_env_observe_at(r.env, 1.1, 0.5, r.pose));
  sfnec_env_get_bounds(r.env, low, high);
  assert_true(low[0] == 0 && high[1] == 1);
  sfnec_env_destroy(r.env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_way_takes_25_moves),           cmocka_unit_test(walls_and_borders_stop_moves),
      cmocka_unit_test(nobody_walks_through_the_wall),    cmocka_unit_test(noise_is_as_large_as_it_says),
      cmocka_unit_test(a_stop_can_be_free_of_noise),      cmocka_unit_test(a_random_start_is_anywhere_but_in_the_goal),
      cmocka_unit_test(the_task_is_what_the_options_say), cmocka_unit_test(positions_are_found_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
