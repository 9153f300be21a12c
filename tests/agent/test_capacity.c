// test_capacity.c: one budget of entries for all tasks: it holds after every step, each task keeps its share, and an
// agent that was saved and loaded gives up the same entries.
#include "support/player.h"

enum { BUDGET = 320, STEPS = 600, LEFT_OVER = 16 };

static const char *const settings[] = {"capacity_total=320", NULL};

static int64_t total_of(const sfnec_agent *agent) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(agent); i++) sum += entries_of(agent, i);
  return sum;
}

static void test_bound(void **state) {
  (void)state;
  player p = open_player("four_rooms", "sfnec", settings, 3);
  p.per_task = 200;
  int64_t most = 0;
  for (int i = 0; i < 2 * STEPS; i++) {
    half_step(&p);
    const int64_t total = total_of(p.agent);
    assert_true(total <= BUDGET);
    if (total > most) most = total;
    // the budget is used: no more than a sixteenth, and what shares leave over, is ever free again
    if (most > BUDGET - 2) assert_true(total >= BUDGET - BUDGET / 16 - LEFT_OVER);
  }
  assert_int_equal(most, BUDGET);
  // three tasks: the others have half of it in equal shares, the active one has the rest
  assert_in_range(entries_of(p.agent, 0), 70, 80);
  assert_in_range(entries_of(p.agent, 1), 70, 80);
  assert_in_range(entries_of(p.agent, 2), 140, 180);
  close_player(&p);
}

// a budget that many tasks exceed leaves an entry in each memory, and the active task learns
static void test_tiny(void **state) {
  (void)state;
  static const char *const tiny[] = {"capacity_total=8", NULL};
  player p = open_player("four_rooms", "sfnec", tiny, 3);
  p.per_task = 50;
  play(&p, 2 * STEPS);
  assert_int_equal(sfnec_agent_get_task_count(p.agent), 12);
  for (uint32_t i = 0; i < 12; i++) assert_in_range(entries_of(p.agent, i), 1, 8);
  close_player(&p);
}

static void compare(const sfnec_agent *a, const sfnec_agent *b) {
  unsigned char *x, *y;
  size_t x_size, y_size;
  OK(sfnec_agent_save_bytes(a, &x, &x_size));
  OK(sfnec_agent_save_bytes(b, &y, &y_size));
  assert_int_equal(x_size, y_size);
  assert_memory_equal(x, y, x_size);
  sfnec_agent_free_bytes(x);
  sfnec_agent_free_bytes(y);
}

// A clone goes through the content of a file.
static void test_resumed(void **state) {
  (void)state;
  static const char *const variants[][4] = {
      {"capacity_total=320", NULL},
      {"capacity_total=320", "write=episode", "capacity=60", NULL},
      {"capacity_total=320", "embedding=linear", "training=batch", NULL},
  };
  for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
    player unbroken = open_player("four_rooms", "sfnec", variants[v], 7);
    player resumed = open_player("four_rooms", "sfnec", variants[v], 7);
    unbroken.per_task = resumed.per_task = 150;
    for (int i = 0; i < 2 * STEPS; i++) {
      half_step(&unbroken);
      half_step(&resumed);
      if (i % 97 != 96) continue;
      sfnec_agent *clone;
      OK(sfnec_agent_clone(resumed.agent, &clone));
      sfnec_scratch_destroy(resumed.scratch);
      sfnec_agent_destroy(resumed.agent);
      resumed.agent = clone;
      resumed.scratch = scratch_for(clone);
    }
    assert_true(total_of(unbroken.agent) <= BUDGET);
    assert_int_equal(unbroken.trace, resumed.trace);
    compare(unbroken.agent, resumed.agent);
    close_player(&unbroken);
    close_player(&resumed);
  }
}

// where there are no entries the option changes nothing
static void test_linear(void **state) {
  (void)state;
  player p = open_player("four_rooms", "sfql", settings, 3), free = open_player("four_rooms", "sfql", NULL, 3);
  play(&p, STEPS);
  play(&free, STEPS);
  assert_int_equal(p.trace, free.trace);
  close_player(&p);
  close_player(&free);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bound),
      cmocka_unit_test(test_tiny),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
