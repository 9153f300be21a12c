// test_switches.c: task switches that nobody announces: rewards that the present task does not explain begin a new one,
// or take up the earlier one that explains them, with noise and without; what the agent avoids is looked at again;
// copies go on to the byte.
#include "support/tiny.h"

#include "agent/switches.h"

enum { CELLS = 12, ENDS = 2 };

static const sfnec_env_shape corridor_shape = {.observation_size = 1, .action_count = 2, .feature_count = ENDS};
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

// ---- noise ----

enum { KINDS = 4 };

// Objects of four kinds, which come up at random; nothing that the agent does matters.
typedef struct stream {
  sfnec_agent *agent;
  sfnec_random random;
  double sd;
  bool every; // noise on rewards without features, too
} stream;

static stream start_stream(uint64_t seed, double sd, bool every) {
  static const sfnec_env_shape shape = {.observation_size = 1, .action_count = 2, .feature_count = KINDS};
  static const char *const cheap[] = {"w=rls", "tasks=detect", "backups=0", "replan_backups=0", NULL};
  stream s = {agent_for(&shape, "sfnec-plan", cheap, 1), sfnec_random_start(seed, 1000), sd, every};
  OK(sfnec_agent_begin_task(s.agent, NULL, NULL));
  OK(sfnec_agent_begin_episode(s.agent));
  return s;
}

// One step in three has an object.
static void flow(stream *s, const double *w, int objects) {
  while (objects > 0) {
    const bool object = sfnec_random_below(&s->random, 3) == 0;
    const uint32_t kind = sfnec_random_below(&s->random, KINDS);
    const double noise = s->sd * sfnec_random_normal(&s->random);
    const float here = (float)sfnec_random_below(&s->random, 2), next = 1.0f - here;
    double features[KINDS] = {0};
    if (object) features[kind] = 1.0;
    int32_t action;
    OK(sfnec_agent_act(s->agent, &here, &action));
    const sfnec_transition moved = {.action = action,
                                    .features = features,
                                    .reward = (object ? w[kind] : 0.0) + (object || s->every ? noise : 0.0),
                                    .next_observation = &next};
    OK(sfnec_agent_observe(s->agent, &moved));
    objects -= object;
  }
}

static uint32_t tasks_of(const stream *s) {
  return sfnec_agent_get_task_count(s->agent);
}

static uint32_t active_of(const stream *s) {
  const corridor c = {.agent = s->agent};
  return active(&c);
}

static const double one_task[KINDS] = {0.8, -0.5, 0.3, -0.1}, another[KINDS] = {-0.3, 0.6, 0.3, 0.4};

// As long as the task stays the same there is no switch, however great the noise: 60,000 rewards, of which the option
// allows for one in a million.
static void test_false_alarms(void **state) {
  (void)state;
  static const double sds[] = {0.0, 1e-6, 0.02, 0.1, 0.5, 3.0};
  for (size_t i = 0; i < sizeof sds / sizeof sds[0]; i++) {
    for (uint64_t seed = 0; seed < 10; seed++) {
      stream s = start_stream(seed, sds[i], seed & 1);
      flow(&s, one_task, 1000);
      assert_int_equal(tasks_of(&s), 1);
      sfnec_agent_destroy(s.agent);
    }
  }
}

// Objects until a task is not the active one any more.
static int delay_of(stream *s, const double *w, uint32_t task) {
  int delay = 0;
  while (active_of(s) == task && delay < 300) flow(s, w, 1), delay++;
  return delay;
}

static void check_learned(const stream *s, uint32_t task, const double *w, double error) {
  double learned[KINDS];
  OK(sfnec_agent_get_task_weights(s->agent, task, learned));
  for (int i = 0; i < KINDS; i++) NEAR(learned[i], w[i], error);
}

// Two tasks in turn. Without noise the first object of which the weight differs tells; three of four kinds differ. With
// noise it takes a few more. A task that returns is recognised, and both are learned from their own rewards alone.
static void test_delays(void **state) {
  (void)state;
  static const struct {
    double sd, delay; // objects, on average
  } cases[] = {{0.0, 1.6}, {0.02, 1.6}, {0.1, 2.0}, {0.2, 3.0}, {0.4, 12.0}};
  enum { SEEDS = 30, LENGTH = 500 };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double delays = 0.0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      stream s = start_stream(seed, cases[i].sd, seed & 1);
      flow(&s, one_task, LENGTH);
      for (uint32_t turn = 0; turn < 4; turn++) {
        const double *w = turn & 1 ? one_task : another;
        delays += delay_of(&s, w, turn & 1);
        flow(&s, w, LENGTH);
        assert_int_equal(tasks_of(&s), 2);
        assert_int_equal(active_of(&s), !(turn & 1));
      }
      // 4.5 standard errors of the rewards of one kind, and what one reward in the wrong task does
      const double error = 1e-5 + cases[i].sd * (4.5 / sqrt(2.0 * LENGTH / KINDS) + 0.1);
      check_learned(&s, 0, one_task, error);
      check_learned(&s, 1, another, error);
      sfnec_agent_destroy(s.agent);
    }
    assert_true(delays / (4 * SEEDS) < cases[i].delay);
  }
}

// One reward that is far off looks like a switch; those that follow show that it was none, and nothing is left of it.
static void test_accident(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 10; seed++) {
    stream s = start_stream(seed, 0.02, false);
    flow(&s, one_task, 300);
    static const double odd[KINDS] = {5.0, 5.0, 5.0, 5.0};
    flow(&s, odd, 1);
    assert_int_equal(tasks_of(&s), 2);
    flow(&s, one_task, 50);
    assert_int_equal(tasks_of(&s), 1);
    assert_int_equal(active_of(&s), 0);
    check_learned(&s, 0, one_task, 0.02);
    sfnec_agent_destroy(s.agent);
  }
}

// Tasks that share most weights are recognised by those that differ, among ten.
static void test_many(void **state) {
  (void)state;
  enum { TASKS = 10 };
  for (uint64_t seed = 0; seed < 3; seed++) {
    stream s = start_stream(seed, 0.1, false);
    for (int round = 0; round < 3; round++) {
      for (int task = 0; task < TASKS; task++) {
        const double w[KINDS] = {0.9 * cos(task), 0.9 * sin(task), 0.3, task % 2 - 0.5};
        flow(&s, w, 200);
        if (round == 0) assert_int_equal(tasks_of(&s), task + 1);
        assert_int_equal(active_of(&s), task);
      }
      assert_int_equal(tasks_of(&s), TASKS);
    }
    sfnec_agent_destroy(s.agent);
  }
}

static void check_same(const stream *a, const stream *b) {
  OK(sfnec_agent_save(a->agent, "switches.agent"));
  OK(sfnec_agent_save(b->agent, "copy.agent"));
  assert_true(same_files("switches.agent", "copy.agent"));
}

// A copy goes on to the byte also where the evidence is full, and where a new task is on trial.
static void test_noisy_copy(void **state) {
  (void)state;
  stream s = start_stream(5, 0.3, true);
  for (int round = 0; round < 24; round++) {
    flow(&s, round % 4 < 2 ? one_task : another, 3 + 7 * round);
    stream copy = s;
    OK(sfnec_agent_save(s.agent, "switches.agent"));
    OK(sfnec_agent_load("switches.agent", &copy.agent));
    check_same(&s, &copy);
    flow(&s, another, 30);
    flow(&copy, another, 30);
    check_same(&s, &copy);
    sfnec_agent_destroy(copy.agent);
  }
  assert_true(tasks_of(&s) >= 2);
  sfnec_agent_destroy(s.agent);
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
      cmocka_unit_test(test_learned),      cmocka_unit_test(test_recognised), cmocka_unit_test(test_avoided),
      cmocka_unit_test(test_mistaken),     cmocka_unit_test(test_copy),       cmocka_unit_test(test_refused),
      cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_delays),     cmocka_unit_test(test_accident),
      cmocka_unit_test(test_many),         cmocka_unit_test(test_noisy_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
