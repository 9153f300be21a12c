// test_switches.c: task switches that nobody announces: a reward that contradicts the weights begins a new task, or
// takes up the earlier one that explains it; what the agent avoids is looked at again; copies go on to the byte.
#include "support/tiny.h"

#include "agent/switches.h"

enum { CELLS = 12, ENDS = 2 };

static const sfnec_env_shape corridor_shape = {1, 2, ENDS};
static const char *const detects[] = {"w=rls", "tasks=detect", "recheck=200", NULL};

// A corridor with a reward at each end, which is where episodes end.
typedef struct corridor {
  sfnec_agent *agent;
  int cell, steps;
  bool running;
  double earned;
} corridor;

static corridor enter(const char *const *settings) {
  corridor c = {.agent = agent_for(&corridor_shape, "sfnec-plan", settings, 3)};
  OK(sfnec_agent_begin_task(c.agent, NULL, NULL));
  return c;
}

static void walk(corridor *c, const double *w, int steps) {
  for (int i = 0; i < steps; i++, c->steps++) {
    if (!c->running) {
      OK(sfnec_agent_begin_episode(c->agent));
      c->cell = 4 + c->steps % 4;
      c->running = true;
    }
    const float here = (float)c->cell;
    int32_t action;
    OK(sfnec_agent_act(c->agent, &here, &action));
    c->cell += action ? 1 : -1;
    const double features[ENDS] = {c->cell == 0, c->cell == CELLS - 1};
    const float next = (float)c->cell;
    const double reward = features[0] * w[0] + features[1] * w[1];
    const sfnec_transition moved = {.action = action,
                                    .features = features,
                                    .reward = reward,
                                    .next_observation = &next,
                                    .terminated = features[0] + features[1] > 0.0};
    OK(sfnec_agent_observe(c->agent, &moved));
    c->running = !moved.terminated;
    c->earned += reward;
  }
}

static uint32_t active(const corridor *c) {
  sfnec_task_info info;
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(c->agent); i++) {
    OK(sfnec_agent_get_task_info(c->agent, i, &info));
    if (info.active) return i;
  }
  fail_msg("no task is active");
  return 0;
}

static void check_weights(const corridor *c, const double *w) {
  double learned[ENDS];
  OK(sfnec_agent_get_task_weights(c->agent, active(c), learned));
  for (int i = 0; i < ENDS; i++) assert_true(fabs(learned[i] - w[i]) < 0.03);
}

// Weights that nobody gave are found out: each end is visited, then the better one.
static void test_learned(void **state) {
  (void)state;
  static const char *const told[] = {"w=rls", NULL};
  const double w[ENDS] = {0.3, 1}, other[ENDS] = {-1, 0.2};
  corridor c = enter(told);
  walk(&c, w, 400);
  check_weights(&c, w);
  c.earned = 0.0;
  walk(&c, w, 400);
  assert_true(c.earned > 50.0); // the better end is 6 steps away on average
  OK(sfnec_agent_end_episode(c.agent));
  c.running = false;
  OK(sfnec_agent_begin_task(c.agent, NULL, NULL));
  walk(&c, other, 200);
  check_weights(&c, other);
  sfnec_agent_destroy(c.agent);
}

static void test_recognised(void **state) {
  (void)state;
  const double first[ENDS] = {1, 0.2}, second[ENDS] = {0.2, 1}, third[ENDS] = {-0.5, 0.7};
  corridor c = enter(detects);
  walk(&c, first, 600);
  assert_int_equal(sfnec_agent_get_task_count(c.agent), 1);
  check_weights(&c, first);
  walk(&c, second, 600);
  assert_int_equal(sfnec_agent_get_task_count(c.agent), 2);
  assert_int_equal(active(&c), 1);
  check_weights(&c, second);
  walk(&c, first, 600);
  assert_int_equal(sfnec_agent_get_task_count(c.agent), 2);
  assert_int_equal(active(&c), 0);
  walk(&c, third, 600);
  assert_int_equal(sfnec_agent_get_task_count(c.agent), 3);
  check_weights(&c, third);
  sfnec_agent_destroy(c.agent);
}

// An end that was bad has become good: only looking again can tell.
static void test_avoided(void **state) {
  (void)state;
  static const char *const never[] = {"w=rls", "tasks=detect", "recheck=1000000", NULL};
  const double bad[ENDS] = {-1, 0.2}, good[ENDS] = {1, 0.2};
  corridor c = enter(detects), blind = enter(never);
  walk(&c, bad, 600);
  walk(&blind, bad, 600);
  c.earned = blind.earned = 0.0;
  walk(&c, good, 1000);
  walk(&blind, good, 1000);
  check_weights(&c, good);
  assert_true(c.earned > 100.0 && blind.earned < 100.0);
  sfnec_agent_destroy(c.agent);
  sfnec_agent_destroy(blind.agent);
}

// Two tasks agree on what is met first, so the wrong one is recognised; what follows corrects it.
static void test_mistaken(void **state) {
  (void)state;
  const double first[ENDS] = {0.5, -1}, second[ENDS] = {1, 0.2}, third[ENDS] = {0.5, 1};
  corridor c = enter(detects);
  walk(&c, first, 600);
  walk(&c, second, 600);
  walk(&c, third, 1500); // 0.5 on the left: the first task's
  assert_int_equal(sfnec_agent_get_task_count(c.agent), 3);
  check_weights(&c, third);
  double kept[ENDS];
  OK(sfnec_agent_get_task_weights(c.agent, 0, kept));
  assert_true(fabs(kept[0] - first[0]) < 0.03 && fabs(kept[1] - first[1]) < 0.03);
  sfnec_agent_destroy(c.agent);
}

static void test_copy(void **state) {
  (void)state;
  const double first[ENDS] = {1, 0.2}, second[ENDS] = {-0.2, 1};
  corridor c = enter(detects);
  for (int round = 0; round < 6; round++) {
    walk(&c, round & 1 ? second : first, 157);
    corridor copy = c;
    OK(sfnec_agent_save(c.agent, "switches.agent"));
    OK(sfnec_agent_load("switches.agent", &copy.agent));
    walk(&c, round & 1 ? first : second, 150);
    walk(&copy, round & 1 ? first : second, 150);
    OK(sfnec_agent_save(c.agent, "switches.agent"));
    OK(sfnec_agent_save(copy.agent, "copy.agent"));
    assert_true(same_files("switches.agent", "copy.agent"));
    sfnec_agent_destroy(copy.agent);
  }
  sfnec_agent_destroy(c.agent);
}

static void test_refused(void **state) {
  (void)state;
  static const char *const bad[][4] = {{"tasks=detect", NULL},
                                       {"tasks=detect", "w=sgd", NULL},
                                       {"tasks=detect", "w=rls", "psi=episodic", NULL},
                                       {"tasks=detect", "w=rls", "predict=reward", NULL}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const sfnec_agent_options options = options_of("sfnec-plan", bad[i]);
    sfnec_agent *agent;
    REFUSED(sfnec_agent_create(&corridor_shape, &options, 1, &agent), SFNEC_ERROR_OPTION, "tasks=detect is refused");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_learned),  cmocka_unit_test(test_recognised), cmocka_unit_test(test_avoided),
      cmocka_unit_test(test_mistaken), cmocka_unit_test(test_copy),       cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
