// Objects, goal, observation, steps and tasks of the room worlds.
#include <math.h>

#include "world.h"

// The figure's objects: column and row of 21, class from 0. Written again here, not taken from the code under test.
static const int figure[12][3] = {{9, 11, 0},  {3, 10, 0}, {20, 9, 0}, {11, 0, 0}, {0, 20, 1}, {10, 16, 1},
                                  {16, 10, 1}, {20, 0, 1}, {9, 20, 2}, {0, 11, 2}, {11, 9, 2}, {10, 4, 2}};

// A step without moving: one of length 1 towards the nearer side leaves the square and is undone.
static void stay(world *w) {
  w->options.step_mean = 1;
  w->options.step_sd = 0;
  go(w, w->state.x < 0.5 ? SFNEC_ROOMS_LEFT : SFNEC_ROOMS_RIGHT);
}

static void check_features(const world *w, int count, const double *expected) {
  for (int i = 0; i < count; i++) assert_true(w->features[i] == expected[i]);
}

static void objects_lie_where_the_figure_has_them(void **unused) {
  (void)unused;
  const char *const layouts[] = {"layout=calibrated", "layout=figure"};
  for (int k = 0; k < 2; k++) {
    const char *settings[] = {layouts[k], "goal_radius=0", NULL};
    for (int i = 0; i < 12; i++) {
      double x = (figure[i][0] + 0.5) / 21, y = (figure[i][1] + 0.5) / 21;
      // inside of the radius of 0.04 in each direction it is picked up; outside it is not
      for (int d = 0; d < 8; d++) {
        double angle = 0.1 + d * 0.785398, reach = d % 2 ? 0.0399 : 0.0401;
        world w = open_world("four_rooms", settings);
        place(&w, x + reach * cos(angle), y + reach * sin(angle));
        stay(&w);
        double expected[4] = {0};
        expected[figure[i][2]] = d % 2;
        check_features(&w, 4, expected);
        for (int j = 0; j < 12; j++) assert_true(w.observation[100 + j] == (d % 2 && j == i ? 1.0F : 0.0F));
        assert_false(w.outcome.terminated);
      }
    }
  }
}

static void a_picked_object_stays_away_until_the_reset(void **unused) {
  (void)unused;
  world w = open_world("four_rooms", NULL);
  const double circle[4] = {1, 0, 0, 0}, none[4] = {0};
  place(&w, 9.5 / 21, 11.5 / 21);
  stay(&w);
  check_features(&w, 4, circle);
  stay(&w);
  check_features(&w, 4, none);
  assert_true(w.observation[100] == 1);
  place(&w, 0.3, 0.3);
  stay(&w);
  check_features(&w, 4, none);
  assert_true(w.observation[100] == 1);
  w.kind->reset(&w.state, &w.options, &w.random, w.observation);
  assert_true(w.observation[100] == 0);
  place(&w, 9.5 / 21, 11.5 / 21);
  stay(&w);
  check_features(&w, 4, circle);
}

static void all_objects_in_reach_are_picked_up_at_once(void **unused) {
  (void)unused;
  const char *settings[] = {"pickup_radius=1", "goal_radius=0", NULL};
  world w = open_world("four_rooms", settings);
  place(&w, 0.45, 0.45);
  stay(&w);
  check_features(&w, 4, (double[]){4, 4, 4, 0});
  for (int i = 0; i < 12; i++) assert_true(w.observation[100 + i] == 1);
}

static void the_goal_is_a_circle_and_terminates(void **unused) {
  (void)unused;
  const char *const names[] = {"four_rooms", "one_room"};
  for (int k = 0; k < 2; k++) {
    for (int d = 0; d < 12; d++) {
      // beyond 0.14 to the right and upwards lies the border
      double angle = 3.3 + d * 0.11, reach = d % 2 ? 0.149 : 0.151;
      world w = open_world(names[k], NULL);
      int goal = w.kind->shape(&w.options).feature_count - 1;
      place(&w, 0.86 + reach * cos(angle), 0.86 + reach * sin(angle));
      stay(&w);
      assert_int_equal(w.outcome.terminated, d % 2);
      assert_false(w.outcome.truncated);
      assert_true(w.features[goal] == d % 2);
    }
  }
}

static void one_room_has_a_bad_and_a_good_object(void **unused) {
  (void)unused;
  world w = open_world("one_room", NULL);
  place(&w, 0.1, 0.939);
  stay(&w);
  check_features(&w, 3, (double[]){1, 0, 0});
  place(&w, 0.939, 0.1);
  stay(&w);
  check_features(&w, 3, (double[]){0, 1, 0});
  assert_true(w.observation[100] == 1 && w.observation[101] == 1 && w.observation[102] == 1);
  place(&w, 0.1, 0.859);
  stay(&w);
  check_features(&w, 3, (double[]){0, 0, 0});
}

static void check_observation(const world *w, int objects) {
  for (int i = 0; i < 100; i++) {
    double dx = w->state.x - i % 10 / 9.0, dy = w->state.y - i / 10 / 9.0;
    double expected = exp(-(dx * dx + dy * dy) / 0.1);
    // half a unit in the last place of a float, and a little for the doubles
    assert_true(fabs(w->observation[i] - expected) <= 6e-8 * expected);
  }
  assert_true(w->observation[100 + objects] == 1);
}

static void observations_are_the_basis_functions(void **unused) {
  (void)unused;
  const double places[][2] = {{0.05, 0.05}, {0, 0}, {1, 1}, {0, 1}, {1, 0}, {0.3, 0.7}, {0.123, 0.456}, {0.987, 0.31}};
  for (int k = 0; k < 8; k++) {
    world four = open_world("four_rooms", NULL), one = open_world("one_room", NULL);
    place(&four, places[k][0], places[k][1]);
    place(&one, places[k][0], places[k][1]);
    stay(&four);
    stay(&one);
    assert_true(four.state.x == places[k][0] && four.state.y == places[k][1]);
    check_observation(&four, 12);
    check_observation(&one, 2);
  }
}

static void episodes_start_bottom_left_with_nothing_taken(void **unused) {
  (void)unused;
  const char *const names[] = {"four_rooms", "one_room"};
  const int objects[] = {12, 2};
  for (int k = 0; k < 2; k++) {
    world w = open_world(names[k], NULL);
    assert_true(w.state.x == 0.05 && w.state.y == 0.05);
    check_observation(&w, objects[k]);
    for (int i = 0; i < objects[k]; i++) assert_true(w.observation[100 + i] == 0);
    sfnec_env_shape shape = w.kind->shape(&w.options);
    assert_int_equal(shape.observation_size, 100 + objects[k] + 1);
    assert_int_equal(shape.action_count, 4);
    assert_int_equal(shape.feature_count, k == 0 ? 4 : 3);
  }
}

static void actions_go_up_down_left_right(void **unused) {
  (void)unused;
  const double directions[4][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};
  const char *const names[] = {"up", "down", "left", "right"};
  world w = open_world("four_rooms", NULL);
  for (int a = 0; a < 4; a++) {
    place(&w, 0.25, 0.25);
    go(&w, a);
    double dx = w.state.x - 0.25, dy = w.state.y - 0.25;
    // noise on the length only: nothing across the direction
    assert_true(dx * directions[a][1] == 0 && dy * directions[a][0] == 0);
    assert_true(dx * directions[a][0] + dy * directions[a][1] > 0.02);
    assert_string_equal(w.kind->action_names[a], names[a]);
  }
}

static void step_lengths_are_normal(void **unused) {
  (void)unused;
  const int n = 200000;
  const char *const settings[][3] = {{NULL}, {"step_mean=0.08", "step_sd=0.01", NULL}};
  const double mean[] = {0.05, 0.08}, sd[] = {0.005, 0.01};
  for (int k = 0; k < 2; k++) {
    world w = open_world("four_rooms", settings[k]);
    double sum = 0, squares = 0;
    int far = 0;
    for (int i = 0; i < n; i++) {
      place(&w, 0.25, 0.25);
      go(&w, SFNEC_ROOMS_RIGHT);
      double z = (w.state.x - 0.25 - mean[k]) / sd[k];
      sum += z;
      squares += z * z;
      far += fabs(z) > 2;
    }
    // five standard errors
    assert_true(fabs(sum / n) < 5 / sqrt(n));
    assert_true(fabs(squares / n - 1) < 5 * sqrt(2.0 / n));
    // 4.55 % of a normal variable lies beyond two standard deviations
    assert_true(fabs((double)far / n - 0.0455) < 5 * sqrt(0.0455 / n));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(objects_lie_where_the_figure_has_them),
      cmocka_unit_test(a_picked_object_stays_away_until_the_reset),
      cmocka_unit_test(all_objects_in_reach_are_picked_up_at_once),
      cmocka_unit_test(the_goal_is_a_circle_and_terminates),
      cmocka_unit_test(one_room_has_a_bad_and_a_good_object),
      cmocka_unit_test(observations_are_the_basis_functions),
      cmocka_unit_test(episodes_start_bottom_left_with_nothing_taken),
      cmocka_unit_test(actions_go_up_down_left_right),
      cmocka_unit_test(step_lengths_are_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
