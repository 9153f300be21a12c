// The four rooms on a grid: map, moves, shapes, goal, observations, tasks, limit, state as bytes.
// cmocka.h needs these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/four_rooms_grid.h"
#include "sfnec/env.h"

enum { N = 13, LEFT = SFNEC_GRID_LEFT, UP = SFNEC_GRID_UP, RIGHT = SFNEC_GRID_RIGHT, DOWN = SFNEC_GRID_DOWN };

// The map, written again here: the walls but for the doors, and the shapes column by column with their class from 0.
static bool is_wall(int row, int column) {
  if (row == 6) return !(column == 2 || column == 3 || column == 9 || column == 10);
  return column == 6 && !(row == 2 || row == 3 || row == 9 || row == 10);
}

static const int shapes[12][3] = {{0, 0, 0},  {5, 0, 1}, {6, 2, 2},  {0, 5, 1},  {5, 5, 2},  {2, 6, 0},
                                  {10, 6, 1}, {7, 7, 1}, {12, 7, 2}, {6, 10, 0}, {7, 12, 2}, {12, 12, 0}};

static int shape_at(int row, int column) {
  for (int i = 0; i < 12; i++) {
    if (shapes[i][0] == row && shapes[i][1] == column) return i;
  }
  return -1;
}

// ---- a world whose agent can be put anywhere ----

typedef struct world {
  sfnec_grid_options options;
  sfnec_grid_state state;
  float observation[256];
  double features[5];
  sfnec_env_outcome outcome;
} world;

static const sfnec_env_kind *kind(void) {
  return sfnec_env_kind_find("four_rooms_grid");
}

static world open_world(int observation, int goal) {
  world w = {.options = {.observation = observation, .goal = goal}};
  sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
  kind()->reset(&w.state, &w.options, &random, w.observation);
  return w;
}

static void place(world *w, int row, int column) {
  w->state.row = row;
  w->state.column = column;
}

static void go(world *w, int32_t action) {
  sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
  const int count = w->options.goal == SFNEC_GRID_GOAL_OWN ? 4 : 3;
  w->features[count] = 77;
  w->outcome = kind()->step(&w->state, &w->options, action, &random, w->observation, w->features);
  // nothing is random, nothing is written beyond the features, the limit is not the kind's business
  assert_true(random.counter == 0 && w->features[count] == 77);
  assert_false(w->outcome.truncated);
}

static void go_far(world *w, int32_t action, int times) {
  for (int i = 0; i < times; i++) go(w, action);
}

static void check_features(const world *w, double a, double b, double c) {
  assert_true(w->features[0] == a && w->features[1] == b && w->features[2] == c);
}

// ---- tests ----

static void every_step_goes_to_the_next_free_cell(void **unused) {
  (void)unused;
  const int moves[4][2] = {{0, -1}, {-1, 0}, {0, 1}, {1, 0}}; // left, up, right, down
  world w = open_world(SFNEC_GRID_COORDINATES, SFNEC_GRID_GOAL_EVERY);
  int cells = 0;
  for (int row = 0; row < N; row++) {
    for (int column = 0; column < N; column++) {
      if (is_wall(row, column)) continue;
      cells++;
      for (int a = 0; a < 4; a++) {
        int r = row + moves[a][0], c = column + moves[a][1];
        bool free = r >= 0 && r < N && c >= 0 && c < N && !is_wall(r, c);
        place(&w, row, column);
        w.state.taken = 0;
        go(&w, a);
        assert_int_equal(w.state.row, free ? r : row);
        assert_int_equal(w.state.column, free ? c : column);
        // a shape is collected by entering its cell, not by standing in it
        int shape = free ? shape_at(r, c) : -1;
        assert_int_equal(w.state.taken, shape < 0 ? 0 : 1 << shape);
      }
    }
  }
  assert_int_equal(cells, 152);
}

static void shapes_count_once_and_come_back_with_the_next_episode(void **unused) {
  (void)unused;
  for (int i = 0; i < 12; i++) {
    world w = open_world(SFNEC_GRID_COORDINATES, SFNEC_GRID_GOAL_EVERY);
    int row = shapes[i][0], column = shapes[i][1];
    // from a free neighbour: each shape has one to its left or right, or above
    int32_t in = column > 0 && !is_wall(row, column - 1) ? RIGHT : row > 0 && !is_wall(row - 1, column) ? DOWN : LEFT;
    place(&w, row - (in == DOWN), column - (in == RIGHT) + (in == LEFT));
    go(&w, in);
    for (int j = 0; j < 3; j++) assert_true(w.features[j] == (shapes[i][2] == j));
    assert_false(w.outcome.terminated);
    for (int j = 0; j < 12; j++) assert_true(w.observation[2 + j] == (j == i));
    place(&w, row - (in == DOWN), column - (in == RIGHT) + (in == LEFT));
    go(&w, in);
    check_features(&w, 0, 0, 0);
    assert_true(w.observation[2 + i] == 1);
    w.state.taken = 0xfff;
    sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
    kind()->reset(&w.state, &w.options, &random, w.observation);
    assert_true(random.counter == 0);
    const float start[14] = {12, 0};
    assert_memory_equal(w.observation, start, sizeof start);
  }
}

// A walk worked out on the map by hand.
static void a_walk_collects_and_ends_at_the_goal(void **unused) {
  (void)unused;
  world w = open_world(SFNEC_GRID_COORDINATES, SFNEC_GRID_GOAL_EVERY);
  go(&w, LEFT); // against the border
  go_far(&w, UP, 5);
  go(&w, UP); // against the wall
  check_features(&w, 0, 0, 0);
  go_far(&w, RIGHT, 2);
  go(&w, UP);
  check_features(&w, 0, 0, 1); // the circle in the door (6, 2)
  go(&w, UP);
  check_features(&w, 0, 0, 0);
  go_far(&w, LEFT, 2);
  check_features(&w, 0, 1, 0); // the triangle at (5, 0)
  go_far(&w, RIGHT, 5);
  check_features(&w, 0, 0, 1); // the circle at (5, 5)
  go_far(&w, UP, 3);
  go(&w, RIGHT);
  check_features(&w, 1, 0, 0); // the square in the door (2, 6)
  go_far(&w, RIGHT, 6);
  go(&w, UP);
  assert_false(w.outcome.terminated);
  const float before[14] = {1, 12, 0, 1, 1, 0, 1, 1};
  assert_memory_equal(w.observation, before, sizeof before);
  go(&w, UP);
  assert_true(w.outcome.terminated);
  check_features(&w, 1, 1, 1); // the goal at (0, 12)
}

static void the_goal_can_have_a_feature_of_its_own(void **unused) {
  (void)unused;
  world w = open_world(SFNEC_GRID_COORDINATES, SFNEC_GRID_GOAL_OWN);
  place(&w, 0, 11);
  go(&w, LEFT);
  check_features(&w, 0, 0, 0);
  assert_true(w.features[3] == 0);
  place(&w, 7, 11);
  go(&w, RIGHT);
  check_features(&w, 0, 0, 1);
  assert_true(w.features[3] == 0);
  place(&w, 0, 11);
  go(&w, RIGHT);
  check_features(&w, 0, 0, 0);
  assert_true(w.features[3] == 1 && w.outcome.terminated);
}

// Observations of one cell in all three forms, by the definitions in the file head.
static void check_observations(int row, int column, uint32_t taken) {
  const int forms[] = {SFNEC_GRID_ONE_HOT, SFNEC_GRID_RBF, SFNEC_GRID_COORDINATES}, position[] = {169, 100, 2};
  for (int k = 0; k < 3; k++) {
    world w = open_world(forms[k], SFNEC_GRID_GOAL_EVERY);
    place(&w, row, column);
    w.state.taken = taken;
    for (int i = 0; i < 256; i++) w.observation[i] = 77;
    // into the wall or the border on the left: nothing changes
    go(&w, LEFT);
    assert_true(w.state.row == row && w.state.column == column);
    double x = (column + 0.5) / 13, y = (12 - row + 0.5) / 13;
    for (int i = 0; i < position[k]; i++) {
      double dx = x - i % 10 / 9.0, dy = y - i / 10 / 9.0, rbf = exp(-(dx * dx + dy * dy) / 0.1);
      double other = k == 0 ? i == 13 * row + column : i == 0 ? row : column;
      double expected = k == 1 ? rbf : other;
      assert_true(fabs(w.observation[i] - expected) <= 6e-8 * expected);
    }
    for (int i = 0; i < 12; i++) assert_true(w.observation[position[k] + i] == (float)(int)(taken >> i & 1));
    assert_true(w.observation[position[k] + 12] == (k == 1 ? 1.0F : 77.0F));
    assert_true(w.observation[position[k] + 13] == 77);
    assert_int_equal(kind()->shape(&w.options).observation_size, position[k] + 12 + (k == 1));
  }
}

static void observations_are_as_documented(void **unused) {
  (void)unused;
  check_observations(12, 0, 0);
  check_observations(0, 0, 0x001);
  check_observations(3, 0, 0x800);
  check_observations(8, 7, 0xa5a);
  check_observations(12, 7, 0xfff);
}

static sfnec_env *open_env(const char *setting, uint64_t seed) {
  const char *settings[] = {setting, NULL};
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(kind(), settings, seed, &env), SFNEC_OK);
  return env;
}

// Goes to the goal along the border and through two doors in 24 steps, then returns the last outcome.
static sfnec_env_outcome walk(sfnec_env *env, int steps) {
  float observation[256];
  double features[4];
  sfnec_env_outcome outcome = {.terminated = false};
  sfnec_env_reset(env, observation);
  for (int i = 0; i < steps; i++) {
    assert_false(outcome.terminated || outcome.truncated);
    int32_t action = i < 3 ? RIGHT : i < 12 ? UP : i < 21 ? RIGHT : UP;
    assert_int_equal(sfnec_env_step(env, action, observation, features, &outcome), SFNEC_OK);
  }
  return outcome;
}

static void the_limit_truncates_and_the_goal_terminates(void **unused) {
  (void)unused;
  sfnec_env *env = open_env(NULL, 1);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 200);
  sfnec_env_outcome outcome = walk(env, 24);
  assert_true(outcome.terminated && !outcome.truncated);
  sfnec_env_destroy(env);
  // terminated exactly at the limit is terminated only
  env = open_env("max_episode_steps=24", 1);
  outcome = walk(env, 24);
  assert_true(outcome.terminated && !outcome.truncated);
  sfnec_env_destroy(env);
  env = open_env("max_episode_steps=23", 1);
  outcome = walk(env, 23);
  assert_true(outcome.truncated && !outcome.terminated);
  sfnec_env_destroy(env);
}

static void tasks_weigh_the_shapes_and_a_goal_of_its_own_with_one(void **unused) {
  (void)unused;
  sfnec_env *every = open_env(NULL, 3), *own = open_env("goal=own", 3);
  assert_int_equal(sfnec_env_get_shape(every).feature_count, 3);
  assert_int_equal(sfnec_env_get_shape(own).feature_count, 4);
  assert_int_equal(sfnec_env_get_shape(every).action_count, 4);
  double sum = 0, least = 1, most = -1;
  for (uint32_t t = 0; t < 300; t++) {
    double w[4] = {0, 0, 0, 77}, v[4];
    sfnec_env_get_task_weights(every, t, w);
    sfnec_env_get_task_weights(own, t, v);
    assert_true(w[3] == 77 && v[3] == 1);
    assert_memory_equal(w, v, 3 * sizeof(double));
    for (int i = 0; i < 3; i++) {
      sum += w[i];
      least = fmin(least, w[i]);
      most = fmax(most, w[i]);
    }
  }
  // 900 uniform numbers of variance 1/3: five standard errors
  assert_true(fabs(sum / 900) < 5 * sqrt(1.0 / 3 / 900));
  assert_true(least >= -1 && least < -0.95 && most <= 1 && most > 0.95);
  sfnec_env_destroy(every);
  sfnec_env_destroy(own);
}

// Steps on with actions that depend on the number of the step only; resets after each end.
static void follow(sfnec_env *env, int from, int to, float (*trace)[181]) {
  for (int i = from; i < to; i++) {
    double features[3];
    sfnec_env_outcome outcome;
    sfnec_random random = {.seed = 1, .purpose = 1000, .counter = (uint64_t)i / 2};
    int32_t action = (int32_t)sfnec_random_below(&random, 4);
    assert_int_equal(sfnec_env_step(env, action, trace[i], features, &outcome), SFNEC_OK);
    if (outcome.terminated || outcome.truncated) sfnec_env_reset(env, trace[i]);
  }
}

static void a_saved_state_continues_and_the_seed_does_not_matter(void **unused) {
  (void)unused;
  enum { STEPS = 900, HALF = 350 };
  static float unbroken[STEPS][181], resumed[STEPS][181];
  float first[181];
  sfnec_env *env = open_env(NULL, 5), *other = open_env(NULL, 6), *third = open_env(NULL, 7);
  size_t size = sfnec_env_get_state_size(env);
  char *state = malloc(size);
  sfnec_env_reset(env, first);
  follow(env, 0, STEPS, unbroken);
  sfnec_env_reset(other, first);
  follow(other, 0, HALF, resumed);
  // something was collected by then
  float bits = 0;
  for (int i = 0; i < 12; i++) bits += resumed[HALF - 1][169 + i];
  assert_true(bits > 0);
  sfnec_env_get_state(other, state);
  assert_int_equal(sfnec_env_set_state(third, state, size), SFNEC_OK);
  follow(third, HALF, STEPS, resumed);
  assert_memory_equal(unbroken, resumed, sizeof unbroken);
  free(state);
  sfnec_env_destroy(env);
  sfnec_env_destroy(other);
  sfnec_env_destroy(third);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_step_goes_to_the_next_free_cell),
      cmocka_unit_test(shapes_count_once_and_come_back_with_the_next_episode),
      cmocka_unit_test(a_walk_collects_and_ends_at_the_goal),
      cmocka_unit_test(the_goal_can_have_a_feature_of_its_own),
      cmocka_unit_test(observations_are_as_documented),
      cmocka_unit_test(the_limit_truncates_and_the_goal_terminates),
      cmocka_unit_test(tasks_weigh_the_shapes_and_a_goal_of_its_own_with_one),
      cmocka_unit_test(a_saved_state_continues_and_the_seed_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
