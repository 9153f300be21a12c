// test_plan_questions.c: a question spends a bounded time on its plan and says so, and plans are kept: one that was cut
// resumes, weights asked about in turns are planned for once, and a plan resumes when the agent has learned.
#include "support/grid.h"

#include "agent/agent.h"
#include "agent/plan/internal.h"

static const char *const map[] = {"############", "#S   #    G#", "#    #     #",
                                  "#         ##", "#    #     #", "# K  #  P  #",
                                  "##########D#", "############", NULL};
static const grid world = {map, true};
static const double goal[GRID_FEATURES] = {1, -1, -0.01}, pit[GRID_FEATURES] = {-0.2, 1, -0.01};

static sfnec_agent *trained(const char *limit) {
  const char *const settings[] = {limit, "terminal=zero", NULL};
  const sfnec_env_shape shape = grid_shape(&world);
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 7);
  OK(sfnec_agent_begin_task(agent, goal, NULL));
  grid_train(agent, &world, goal, 3000, 60);
  return agent;
}

// The values of actions at the start, and the backups that asking for them took.
static int64_t ask(const sfnec_agent *agent, sfnec_scratch *scratch, const double *w, double *q) {
  float here[3];
  int64_t before[SFNEC_QUESTION_PLANS];
  for (int i = 0; i < SFNEC_QUESTION_PLANS; i++) before[i] = scratch->plan->plans[i].values.backups;
  grid_see(grid_start(&world), here);
  OK(sfnec_agent_ask_q(agent, scratch, here, w, q));
  return scratch->plan->plan->values.backups - before[scratch->plan->plan - scratch->plan->plans];
}

static double greatest(const double *q) {
  return fmax(fmax(q[0], q[1]), fmax(q[2], q[3]));
}

// A question stops at its limit and says so, and the next ones resume its plan until it is what one without a limit is.
static void test_limit(void **state) {
  (void)state;
  enum { LIMIT = 100, SLACK = 2 * GRID_ACTIONS }; // the limit is looked at between states
  sfnec_agent *cut = trained("question_backups=100"), *whole = trained("question_backups=0");
  sfnec_scratch *a = scratch_for(cut), *b = scratch_for(whole);
  assert_false(sfnec_scratch_is_planning(NULL));
  assert_false(sfnec_scratch_is_planning(a));
  const double *each[] = {goal, pit};
  for (int i = 0; i < 2; i++) {
    double want[GRID_ACTIONS], q[GRID_ACTIONS];
    assert_true(ask(whole, b, each[i], want) > 10 * LIMIT);
    assert_false(sfnec_scratch_is_planning(b));
    NEAR(greatest(want), grid_optimum(&world, each[i], 0.95, false), 0.04);
    int questions = 0;
    do {
      assert_true(ask(cut, a, each[i], q) <= LIMIT + SLACK);
      for (int action = 0; action < GRID_ACTIONS; action++) assert_true(isfinite(q[action]));
      assert_true(++questions < 10000);
    } while (sfnec_scratch_is_planning(a));
    assert_true(questions > 10);
    assert_memory_equal(q, want, sizeof q);
    assert_true(ask(cut, a, each[i], q) == 0);
  }
  sfnec_scratch_destroy(a);
  sfnec_scratch_destroy(b);
  sfnec_agent_destroy(cut);
  sfnec_agent_destroy(whole);
}

// Weights in turns are planned for once, and a plan too many takes the place of the one asked about the longest ago.
static void test_turns(void **state) {
  (void)state;
  enum { KEPT = SFNEC_QUESTION_PLANS };
  sfnec_agent *agent = trained("question_backups=0");
  sfnec_scratch *scratch = scratch_for(agent);
  double w[KEPT + 1][GRID_FEATURES], first[KEPT + 1][GRID_ACTIONS], q[GRID_ACTIONS];
  for (int i = 0; i <= KEPT; i++) {
    for (int f = 0; f < GRID_FEATURES; f++) w[i][f] = goal[f] * (1 + 0.2 * i * (f + 1));
  }
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < KEPT; i++) {
      const int64_t made = ask(agent, scratch, w[i], turn ? q : first[i]);
      assert_true(turn ? made == 0 : made > 1000);
      if (turn) assert_memory_equal(q, first[i], sizeof q);
    }
  }
  assert_true(ask(agent, scratch, w[KEPT], first[KEPT]) > 1000);
  for (int i = KEPT - 1; i > 0; i--) assert_true(ask(agent, scratch, w[i], q) == 0);
  assert_true(ask(agent, scratch, w[KEPT], q) == 0);
  assert_true(ask(agent, scratch, w[0], q) > 1000); // made again
  assert_memory_equal(q, first[0], sizeof q);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// An agent that learns a little between questions: their plan resumes, and stays near one from nothing. Each stops
// within 0.02 of the reward scale, which is 2.
static void test_learning(void **state) {
  (void)state;
  enum { TIMES = 20 };
  sfnec_agent *agent = trained("question_backups=0");
  sfnec_scratch *kept = scratch_for(agent);
  double q[GRID_ACTIONS], want[GRID_ACTIONS];
  ask(agent, kept, goal, q);
  int64_t resumed = 0, from_nothing = 0;
  for (int i = 0; i < TIMES; i++) {
    grid_train(agent, &world, goal, 2, 60);
    resumed += ask(agent, kept, goal, q);
    sfnec_scratch *fresh = scratch_for(agent);
    from_nothing += ask(agent, fresh, goal, want);
    for (int a = 0; a < GRID_ACTIONS; a++) NEAR(q[a], want[a], 0.08);
    sfnec_scratch_destroy(fresh);
  }
  assert_true(resumed > 0 && resumed < from_nothing / 2);
  sfnec_scratch_destroy(kept);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_learning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
