// Walls and doors of four_rooms in both layouts, the border, and the two ways of testing a step.
#include "world.h"

// The wall is centred on 0.5; the doors on the borders between cells 3 and 4, and 16 and 17, of 21.
static const double door_centres[] = {4.0 / 21, 17.0 / 21};

typedef struct layout {
  const char *setting;
  double wall, door; // half widths
} layout;

static const layout layouts[] = {{"layout=calibrated", 0.02, 0.1}, {"layout=figure", 0.5 / 21, 1.0 / 21}};

static world open_layout(const layout *l) {
  const char *settings[] = {l->setting, "goal_radius=0", NULL};
  return open_world("four_rooms", settings);
}

static bool in_door(const layout *l, double along) {
  for (int i = 0; i < 2; i++) {
    double off = along - door_centres[i];
    if (off < l->door && off > -l->door) return true;
  }
  return false;
}

// Along both walls, a step that ends in a wall is undone, and one that ends in a door is taken.
static void a_step_into_a_wall_is_undone(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++) {
    const layout *l = &layouts[k];
    world w = open_layout(l);
    int doors = 0;
    // 997 is prime: no sample lies on the border of a door
    for (int i = 0; i < 997; i++) {
      double along = (i + 0.5) / 997;
      bool open = in_door(l, along);
      bool crossing = along > 0.5 - l->wall - 0.07 && along < 0.5 + l->wall + 0.07;
      if (crossing) continue;
      doors += open;
      // the middle of the wall, and just inside of both of its faces, from both sides
      const double inside[] = {0.5, 0.5 - l->wall + 1e-6, 0.5 + l->wall - 1e-6};
      for (int j = 0; j < 3; j++) {
        double length = 0.0625;
        assert_int_equal(passes(&w, inside[j] - length, along, SFNEC_ROOMS_RIGHT, length), open);
        assert_int_equal(passes(&w, inside[j] + length, along, SFNEC_ROOMS_LEFT, length), open);
        assert_int_equal(passes(&w, along, inside[j] - length, SFNEC_ROOMS_UP, length), open);
        assert_int_equal(passes(&w, along, inside[j] + length, SFNEC_ROOMS_DOWN, length), open);
      }
      // just before the wall's face there is no wall
      double before = 0.5 - l->wall - 1e-6;
      assert_true(passes(&w, before - 0.0625, along, SFNEC_ROOMS_RIGHT, 0.0625));
      assert_true(passes(&w, along, before - 0.0625, SFNEC_ROOMS_UP, 0.0625));
    }
    // both doors were seen: 4 half widths of samples, and one more at most for each end
    assert_in_range(doors, (int)(4 * l->door * 997) - 2, (int)(4 * l->door * 997) + 2);
  }
}

static void doors_are_as_wide_as_the_layout_says(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++) {
    const layout *l = &layouts[k];
    world w = open_layout(l);
    for (int i = 0; i < 2; i++) {
      for (int side = -1; side <= 1; side += 2) {
        double in = door_centres[i] + side * (l->door - 1e-6), out = door_centres[i] + side * (l->door + 1e-6);
        assert_true(passes(&w, 0.45, in, SFNEC_ROOMS_RIGHT, 0.05));
        assert_false(passes(&w, 0.45, out, SFNEC_ROOMS_RIGHT, 0.05));
        assert_true(passes(&w, in, 0.45, SFNEC_ROOMS_UP, 0.05));
        assert_false(passes(&w, out, 0.45, SFNEC_ROOMS_UP, 0.05));
      }
    }
  }
}

static void the_middle_of_the_cross_is_closed(void **unused) {
  (void)unused;
  for (int k = 0; k < 2; k++) {
    world w = open_layout(&layouts[k]);
    assert_false(passes(&w, 0.4375, 0.5, SFNEC_ROOMS_RIGHT, 0.0625));
    assert_false(passes(&w, 0.5, 0.5625, SFNEC_ROOMS_DOWN, 0.0625));
  }
}

static void numbers_override_the_layout(void **unused) {
  (void)unused;
  const char *settings[] = {"layout=figure", "wall_width=0.1", "door_width=0.3", "goal_radius=0", NULL};
  world w = open_world("four_rooms", settings);
  // 0.46 lies outside of the figure's wall, 4/21 + 0.14 outside of its door
  assert_false(passes(&w, 0.41, 0.5 - 0.13, SFNEC_ROOMS_RIGHT, 0.05));
  assert_true(passes(&w, 0.41, 4.0 / 21 + 0.14, SFNEC_ROOMS_RIGHT, 0.05));
  assert_false(passes(&w, 0.41, 4.0 / 21 + 0.16, SFNEC_ROOMS_RIGHT, 0.05));
}

static void nobody_leaves_the_square(void **unused) {
  (void)unused;
  const char *const names[] = {"four_rooms", "one_room"};
  for (int k = 0; k < 2; k++) {
    world w = open_world(names[k], NULL);
    assert_false(passes(&w, 0.3, 0.96, SFNEC_ROOMS_UP, 0.05));
    assert_false(passes(&w, 0.3, 0.04, SFNEC_ROOMS_DOWN, 0.05));
    assert_false(passes(&w, 0.04, 0.3, SFNEC_ROOMS_LEFT, 0.05));
    assert_false(passes(&w, 0.96, 0.3, SFNEC_ROOMS_RIGHT, 0.05));
    // the border itself belongs to the square
    assert_true(passes(&w, 0.25, 0.0625, SFNEC_ROOMS_DOWN, 0.0625));
    assert_true(passes(&w, 0.9375, 0.25, SFNEC_ROOMS_RIGHT, 0.0625));
  }
}

// With steps of constant length the agent can stand exactly on the border; the wall must reach it.
static void the_wall_reaches_the_border(void **unused) {
  (void)unused;
  world w = open_layout(&layouts[1]);
  assert_false(passes(&w, 0.45, 0, SFNEC_ROOMS_RIGHT, 0.05));
  assert_false(passes(&w, 0.45, 1, SFNEC_ROOMS_RIGHT, 0.05));
  assert_false(passes(&w, 0, 0.45, SFNEC_ROOMS_UP, 0.05));
  assert_false(passes(&w, 1, 0.45, SFNEC_ROOMS_UP, 0.05));
}

static void one_room_has_no_inner_walls(void **unused) {
  (void)unused;
  const char *settings[] = {"goal_radius=0", NULL};
  world w = open_world("one_room", settings);
  for (int i = 0; i < 100; i++) {
    double along = (i + 0.5) / 100;
    assert_true(passes(&w, 0.45, along, SFNEC_ROOMS_RIGHT, 0.05));
    assert_true(passes(&w, along, 0.45, SFNEC_ROOMS_UP, 0.05));
  }
}

static void only_endpoint_walls_can_be_jumped(void **unused) {
  (void)unused;
  const char *thin[] = {"wall_width=0.01", "walls=endpoint", NULL};
  const char *solid[] = {"wall_width=0.01", "walls=segment", NULL};
  world jump = open_world("four_rooms", thin), stop = open_world("four_rooms", solid);
  const double y = 0.35, from = 0.48, length = 0.04; // ends at 0.52, beyond the wall of 0.495 to 0.505
  assert_true(passes(&jump, from, y, SFNEC_ROOMS_RIGHT, length));
  assert_false(passes(&stop, from, y, SFNEC_ROOMS_RIGHT, length));
  assert_true(passes(&jump, 0.52, y, SFNEC_ROOMS_LEFT, length));
  assert_false(passes(&stop, 0.52, y, SFNEC_ROOMS_LEFT, length));
  assert_true(passes(&jump, y, from, SFNEC_ROOMS_UP, length));
  assert_false(passes(&stop, y, from, SFNEC_ROOMS_UP, length));
  assert_true(passes(&jump, y, 0.52, SFNEC_ROOMS_DOWN, length));
  assert_false(passes(&stop, y, 0.52, SFNEC_ROOMS_DOWN, length));
  // a wall as thin as a ten-thousandth is still seen, and doors stay open
  const char *thinnest[] = {"wall_width=0.0001", "walls=segment", NULL};
  world hair = open_world("four_rooms", thinnest);
  assert_false(passes(&hair, from, y, SFNEC_ROOMS_RIGHT, length));
  assert_true(passes(&hair, from, door_centres[0], SFNEC_ROOMS_RIGHT, length));
  assert_true(passes(&hair, door_centres[1], from, SFNEC_ROOMS_UP, length));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_into_a_wall_is_undone),      cmocka_unit_test(doors_are_as_wide_as_the_layout_says),
      cmocka_unit_test(the_middle_of_the_cross_is_closed), cmocka_unit_test(numbers_override_the_layout),
      cmocka_unit_test(nobody_leaves_the_square),          cmocka_unit_test(the_wall_reaches_the_border),
      cmocka_unit_test(one_room_has_no_inner_walls),       cmocka_unit_test(only_endpoint_walls_can_be_jumped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
