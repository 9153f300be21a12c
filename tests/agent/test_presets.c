// test_presets.c: every preset runs clean in every built-in world, and allocates nothing once warm.
//
// The program puts its own malloc before glibc's, which counts. Where that is not possible (another C policies, or a
// sanitizer that has its own), only the counting is skipped.
#include "support/player.h"

#include "agent/agent.h"
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static void test_clean(void **state) {
  (void)state;
  const char *const worlds[] = {"four_rooms", "one_room"};
  const char *const modes[][3] = {{"write=horizon", "w=given", NULL}, {"write=episode", "w=sgd", NULL}};
  int64_t goals = 0;
  double picked = 0;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    for (int j = 0; j < 4; j++) {
      player p = open_player(worlds[j % 2], sfnec_agent_preset_at(i)->name, modes[j / 2], 2);
      play(&p, 600);
      assert_true(p.cuts > 0);
      goals += p.goals;
      picked += p.picked;
      assert_true(p.tasks == 5 && sfnec_agent_get_task_count(p.agent) == 5);
      int64_t steps = 0, chosen = 0;
      for (uint32_t t = 0; t < 5; t++) {
        sfnec_task_info info;
        double w[4];
        OK(sfnec_agent_get_task_info(p.agent, t, &info));
        OK(sfnec_agent_get_task_weights(p.agent, t, w));
        assert_int_equal(info.steps, 60);
        assert_true(isfinite(w[0]));
        // the samples of an agent that plans belong to all tasks, and are told at the last one
        const int psi = sfnec_agent_get_options(p.agent)->psi;
        const bool holds = psi == SFNEC_PSI_EPISODIC || (psi == SFNEC_PSI_PLANNED && t == 4);
        assert_true((info.entries > 0) == holds);
        steps += info.steps;
        chosen += info.chosen;
      }
      assert_true(steps == 300 && chosen == 300);
      close_player(&p);
    }
  }
  assert_true(goals > 30 && picked > 2.0 * (double)goals); // the runs were worth looking at
}

// The same seed twice is the same run; another seed is another one.
static void test_seed(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    player a = open_player("four_rooms", sfnec_agent_preset_at(i)->name, NULL, 8);
    player b = open_player("four_rooms", sfnec_agent_preset_at(i)->name, NULL, 8);
    player c = open_player("four_rooms", sfnec_agent_preset_at(i)->name, NULL, 9);
    play(&a, 300);
    play(&b, 300);
    play(&c, 300);
    OK(sfnec_agent_save(a.agent, "a.agent"));
    OK(sfnec_agent_save(b.agent, "b.agent"));
    assert_true(a.trace == b.trace && a.trace != c.trace);
    assert_true(same_files("a.agent", "b.agent"));
    close_player(&a);
    close_player(&b);
    close_player(&c);
  }
}

// Memories that are full, frames that have their room: steps within a task allocate nothing. Without contexts, as
// planning makes a value table whenever it meets another one.
static void test_no_allocation(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  const char *const settings[] = {"capacity=20", "neighbours=5", "contexts=off", NULL};
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    player p = open_player("four_rooms", sfnec_agent_preset_at(i)->name, settings, 2);
    p.per_task = 2000;
    play(&p, 2 * 2 * 1990); // nearly two tasks
    allocations = 0;
    play(&p, 2 * 10);
    if (allocations > 0) fail_msg("%s: %d", sfnec_agent_preset_at(i)->name, (int)allocations);
    assert_int_equal(p.tasks, 2);
    play(&p, 2 * 10 + 1); // the third task begins
    assert_true(allocations > 0);
    close_player(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clean),
      cmocka_unit_test(test_seed),
      cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
