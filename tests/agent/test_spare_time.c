// test_spare_time.c: planning on call, and copies of an agent.
#include "support/player.h"

static const char *const quick[] = {"step_backups=100", "backups=100", NULL};

static player learned(const char *preset, const char *const *settings, int steps) {
  player p = open_player("four_rooms", preset, settings, 4);
  p.per_task = 100000;
  play(&p, 2 * steps);
  return p;
}

static void check_same(const sfnec_agent *a, const sfnec_agent *b) {
  OK(sfnec_agent_save(a, "a.agent"));
  OK(sfnec_agent_save(b, "b.agent"));
  assert_true(same_files("a.agent", "b.agent"));
}

// A copy has the same bytes, at any point of an episode, and what the one learns the other does not know.
static void test_clone(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    for (int half = 0; half < 2; half++) {
      player p = learned(sfnec_agent_preset_at(i)->name, NULL, 150);
      play(&p, half);
      sfnec_agent *copy = NULL, *second = NULL;
      OK(sfnec_agent_clone(p.agent, &copy));
      OK(sfnec_agent_clone(copy, &second));
      check_same(p.agent, copy);
      play(&p, 60);
      check_same(copy, second);
      sfnec_agent_destroy(p.agent);
      p.agent = copy; // acts on without the original
      sfnec_scratch_destroy(p.scratch);
      p.scratch = scratch_for(copy);
      sfnec_choice choice;
      OK(sfnec_agent_choose(copy, p.scratch, p.observation, NULL, &choice));
      sfnec_agent_destroy(second);
      close_player(&p);
    }
  }
}

// Backups made on call are bounded, are not charged to later steps, and give the same bytes for the same calls.
static void test_plan(void **state) {
  (void)state;
  player p[2] = {learned("sfnec-plan", quick, 400), learned("sfnec-plan", quick, 400)};
  int64_t made = 0, total = 0;
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 2; k++) {
      OK(sfnec_agent_plan(p[k].agent, 5000, &made));
      assert_true(made >= 0 && made < 5000 + 100); // the last backup may be of several actions
      play(&p[k], i % 3);
    }
    total += made;
  }
  assert_true(total > 20 * 5000);
  check_same(p[0].agent, p[1].agent);
  OK(sfnec_agent_plan(p[0].agent, 0, &made));
  assert_int_equal(made, 0);
  check_same(p[0].agent, p[1].agent);
  REFUSED(sfnec_agent_plan(p[0].agent, -1, &made), SFNEC_ERROR_ARGUMENT, "fewer than 0 backups");
  for (int k = 0; k < 2; k++) close_player(&p[k]);
}

// Time that is used plans better: what an agent that hardly plans in its steps is worth after the same steps.
static void test_worth_it(void **state) {
  (void)state;
  double goals[2] = {0, 0};
  for (uint64_t seed = 1; seed <= 4; seed++) {
    for (int on_call = 0; on_call < 2; on_call++) {
      player p = open_player("four_rooms", "sfnec-plan", quick, seed);
      p.per_task = 100000;
      for (int i = 0; i < 1500; i++) {
        play(&p, 2);
        int64_t made;
        if (on_call) OK(sfnec_agent_plan(p.agent, 5000, &made));
      }
      goals[on_call] += p.picked;
      close_player(&p);
    }
  }
  assert_true(goals[1] > 1.05 * goals[0]);
}

static void test_nothing_to_plan(void **state) {
  (void)state;
  int64_t made = 7;
  player p = learned("sfnec", NULL, 20);
  OK(sfnec_agent_plan(p.agent, 1000, &made));
  assert_int_equal(made, 0);
  close_player(&p);
  p = learned("sfnec-plan", NULL, 20); // no model yet
  made = 7;
  OK(sfnec_agent_plan(p.agent, 1000, &made));
  assert_int_equal(made, 0);
  close_player(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clone),
      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_worth_it),
      cmocka_unit_test(test_nothing_to_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
