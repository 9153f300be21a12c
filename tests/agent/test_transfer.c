// test_transfer.c: two tasks by hand: GPI acts by the old policy, which learns by one-step TD; whose action a target
// bootstraps from; how penalty, novelty and epsilon enter.
//
// gamma is 1/2, look-ups take the nearest entry alone, and with two features a rate of 0.1 makes a step of 0.1 * error.
#include "support/tiny.h"

static const double w0[FEATURES] = {1, 0}, w1[FEATURES] = {0, 1};

#define SETTINGS(...)                                                                                                  \
  (const char *const[]) {                                                                                              \
    "gamma=0.5", "epsilon=0", "ties=first", "neighbours=1", "horizon=1", __VA_ARGS__, NULL                             \
  }

// One transition as an episode of its own.
static void teach(sfnec_agent *agent, int at, int action, double a, double b) {
  OK(sfnec_agent_begin_episode(agent));
  go(agent, at, action, a, b, 3, TERMINATES);
}

// Task 0 (w0) knows psi(0, 0) = (1, 2), psi(1, 0) = (0, 4), psi(1, 1) = (3, 0); then task 1 (w1) begins, empty.
static sfnec_agent *two_tasks(const char *const *settings) {
  sfnec_agent *agent = tiny_agent("sfnec", settings);
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  teach(agent, 0, 0, 1, 2);
  teach(agent, 1, 0, 0, 4);
  teach(agent, 1, 1, 3, 0);
  check_stored(agent, 0, 0, 0, 1, 2);
  check_stored(agent, 0, 1, 0, 0, 4);
  check_stored(agent, 0, 1, 1, 3, 0);
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  OK(sfnec_agent_begin_episode(agent));
  return agent;
}

// At 0 the old policy offers 2. Its own best action at 1 under w0 is 1: target (0, 1) + (3, 0) / 2 = (1.5, 1), error
// (0.5, -1), step (0.05, -0.1); with the residual gradient psi(1, 1) moves by -1/2 of it.
static void test_td(void **state) {
  (void)state;
  const int ends[] = {GOES_ON, TRUNCATES};
  for (int i = 0; i < 4; i++) {
    const bool semi = i % 2;
    sfnec_agent *agent = two_tasks(semi ? SETTINGS("rate=0.1", "td=semi") : SETTINGS("rate=0.1", "td=residual"));
    const sfnec_choice choice = go(agent, 0, 0, 0, 1, 1, ends[i / 2]);
    assert_true(choice.policy == 0 && choice.action == 0 && !choice.explored);
    NEAR(choice.value, 2, 1e-7);
    check_stored(agent, 0, 0, 0, 1.05, 1.9);
    check_stored(agent, 0, 1, 1, semi ? 3 : 2.975, semi ? 0 : 0.05);
    check_stored(agent, 0, 1, 0, 0, 4);
    assert_int_equal(entries_of(agent, 0), 3);
    // the active task learns its own target: phi + psi_1(1, .) / 2, and that is still empty
    check_stored(agent, 1, 0, 0, 0, 1);
    assert_int_equal(entries_of(agent, 1), 1);
    sfnec_task_info info[2];
    OK(sfnec_agent_get_task_info(agent, 0, &info[0]));
    OK(sfnec_agent_get_task_info(agent, 1, &info[1]));
    assert_true(info[0].steps == 3 && info[0].chosen == 4 && info[1].steps == 1 && info[1].chosen == 0);
    sfnec_agent_destroy(agent);
  }
}

// Terminated: the target is phi alone, and nothing flows into the next state.
static void test_td_terminated(void **state) {
  (void)state;
  sfnec_agent *agent = two_tasks(SETTINGS("rate=0.1"));
  go(agent, 0, 0, 0, 1, 1, TERMINATES); // error (-1, -1)
  check_stored(agent, 0, 0, 0, 0.9, 1.9);
  check_stored(agent, 0, 1, 1, 3, 0);
  sfnec_agent_destroy(agent);
}

// The action really taken is the one that learns: psi_0(0, 1) is state 1's (3, 0), error (-1.5, 1); the residual part
// comes back to the same entry.
static void test_td_other_action(void **state) {
  (void)state;
  sfnec_agent *agent = two_tasks(SETTINGS("rate=0.1"));
  go(agent, 0, 1, 0, 1, 1, GOES_ON);
  check_stored(agent, 0, 1, 1, 3 - 0.15 + 0.075, 0.1 - 0.05);
  check_stored(agent, 0, 0, 0, 1, 2);
  check_stored(agent, 1, 0, 1, 0, 1);
  sfnec_agent_destroy(agent);
}

// A random action does not change whose policy GPI chose, and that policy learns about the action taken.
static void test_td_explored(void **state) {
  (void)state;
  sfnec_agent *agent = two_tasks(SETTINGS("rate=0.1", "td=semi", "epsilon=1"));
  const sfnec_choice choice = go(agent, 0, 0, 0, 1, 1, GOES_ON);
  assert_true(choice.explored && choice.policy == 0);
  NEAR(choice.value, 2, 1e-7);
  check_stored(agent, 0, 0, 0, 1.05, 1.9);
  sfnec_agent_destroy(agent);
}

// The active policy never learns by TD, and without GPI nobody else does.
static void test_no_td(void **state) {
  (void)state;
  sfnec_agent *agent = two_tasks(SETTINGS("rate=0.1", "policies=own"));
  const sfnec_choice choice = go(agent, 0, 0, 0, 1, 1, GOES_ON);
  assert_true(choice.policy == 1 && choice.value == 0);
  check_stored(agent, 0, 0, 0, 1, 2);
  check_stored(agent, 1, 0, 0, 0, 1);
  // at 0 the task's own entry offers 1; its next target is learned, not also stepped towards
  go(agent, 0, 0, 0, 1, 3, TERMINATES);
  check_stored(agent, 1, 0, 0, 0, 1);
  sfnec_agent_destroy(agent);
}

// SFQL: the old policy is a linear function of one-hot states, so only z of (0, 0) moves: by 0.1 * error,
// semi-gradient.
static void test_td_linear(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfql", SETTINGS("rate=1", "init_sd=0", "warm_start=none"));
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  teach(agent, 0, 0, 1, 2);
  teach(agent, 1, 1, 3, 0);
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  OK(sfnec_agent_begin_episode(agent));
  const sfnec_choice choice = go(agent, 0, 0, 0, 1, 1, GOES_ON);
  assert_int_equal(choice.policy, 0);
  double psi[2][ACTIONS][FEATURES];
  OK(ask_psi(agent, states[0], &psi[0][0][0]));
  NEAR(psi[0][0][0], 1.5, 1e-12); // rate 1: all the way to (0, 1) + (3, 0) / 2
  NEAR(psi[0][0][1], 1, 1e-12);
  NEAR(psi[1][0][1], 1, 1e-12);
  OK(ask_psi(agent, states[1], &psi[0][0][0]));
  NEAR(psi[0][1][0], 3, 1e-12);
  sfnec_agent_destroy(agent);
}

// Task 1 has psi(0, 0) = (0, 1) and psi(3, 1) = (0, 2). At 1 its own best is action 1 (2 over 1), GPI's is action 0 (4,
// by the old policy). Either way the value is the active policy's psi of that action.
static void test_bootstrap(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++) {
    sfnec_agent *agent = two_tasks(own ? SETTINGS("rate=0", "bootstrap=own") : SETTINGS("rate=0", "bootstrap=gpi"));
    go(agent, 0, 0, 0, 1, 3, TERMINATES);
    teach(agent, 3, 1, 0, 2);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 2, 0, 0, 0, 1, GOES_ON);
    check_stored(agent, 1, 2, 0, 0, own ? 1 : 0.5);
    sfnec_agent_destroy(agent);
  }
}

// The old policy's psi(0, 0) = (1, 8), seen from 2 more than 1 away, loses one penalty when a target bootstraps there;
// task 1 offers 1 and 2 for actions 0 and 1.
static void test_bootstrap_penalty(void **state) {
  (void)state;
  const char *const penalties[] = {"gpi_penalty=0", "gpi_penalty=5", "gpi_penalty=7"};
  const double expected[] = {0.5, 0.5, 1};
  for (int i = 0; i < 3; i++) {
    sfnec_agent *agent = tiny_agent("sfnec", SETTINGS("rate=0", penalties[i]));
    OK(sfnec_agent_begin_task(agent, w0, NULL));
    teach(agent, 0, 0, 1, 8);
    OK(sfnec_agent_begin_task(agent, w1, NULL));
    teach(agent, 3, 0, 0, 1);
    teach(agent, 3, 1, 0, 2);
    sfnec_choice choice;
    OK(ask_choose(agent, states[2], NULL, &choice));
    assert_int_equal(choice.action, i == 2);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 1, 0, 0, 0, 2, GOES_ON);
    check_stored(agent, 1, 1, 0, 0, expected[i]);
    sfnec_agent_destroy(agent);
  }
}

// Novelty decides what is done (at 3, action 1 was never tried), not what a target bootstraps from (action 0).
static void test_novelty(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    sfnec_agent *agent = tiny_agent("sfnec", SETTINGS("rate=0", i ? "novelty=100" : "novelty=0"));
    OK(sfnec_agent_begin_task(agent, w1, NULL));
    teach(agent, 3, 0, 0, 4);
    teach(agent, 2, 1, 0, 2);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 1, 0, 0, 0, 3, GOES_ON);
    check_stored(agent, 0, 1, 0, 0, 2); // (0, 4) / 2
    const sfnec_choice choice = go(agent, 3, 0, 0, 0, 0, TERMINATES);
    assert_int_equal(choice.action, i);
    NEAR(choice.value, i ? 2 : 4, 1e-7);
    // a greedy question is not curious
    sfnec_choice greedy;
    OK(ask_choose(agent, states[3], NULL, &greedy));
    assert_int_equal(greedy.action, 0);
    sfnec_agent_destroy(agent);
  }
}

// How often the agent explored in so many steps, and how often that gave action 1.
static int explorations(sfnec_agent *agent, int steps, int *ones) {
  int count = 0;
  for (int i = 0; i < steps; i++) {
    const sfnec_choice choice = go(agent, 0, 0, 0, 1, 1, GOES_ON);
    count += choice.explored;
    *ones += choice.explored && choice.action == 1;
    if (!choice.explored) assert_int_equal(choice.action, 0);
  }
  return count;
}

static void test_epsilon(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", SETTINGS("rate=0", "epsilon=0.15"));
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  OK(sfnec_agent_begin_episode(agent));
  int ones = 0;
  const int count = explorations(agent, 4000, &ones);
  assert_true(abs(count - 600) < 4 * 23);
  assert_true(abs(2 * ones - count) < 4 * 25); // a random action may be the greedy one
  sfnec_agent_destroy(agent);
}

// Linear from 1 to 0 over the first 100 steps of each task, 0 after.
static void test_epsilon_decay(void **state) {
  (void)state;
  int early = 0, late = 0, ones = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    sfnec_agent *agent =
        agent_for(&tiny_shape, "sfnec", SETTINGS("rate=0", "epsilon=1", "epsilon_final=0", "epsilon_steps=100"), seed);
    for (int task = 0; task < 2; task++) { // each task starts again
      OK(sfnec_agent_begin_task(agent, w1, NULL));
      OK(sfnec_agent_begin_episode(agent));
      assert_int_equal(explorations(agent, 1, &ones), 1);
      early += explorations(agent, 49, &ones);
      late += explorations(agent, 50, &ones);
      assert_int_equal(explorations(agent, 50, &ones), 0);
      OK(sfnec_agent_end_episode(agent));
    }
    sfnec_agent_destroy(agent);
  }
  // expected: 80 * sum of (1 - i / 100) over i = 1..49 = 80 * 36.75, and over i = 50..99 = 80 * 12.75
  assert_true(abs(early - 2940) < 4 * 26);
  assert_true(abs(late - 1020) < 4 * 27);
}

// A final value that is not 0 stays.
static void test_epsilon_final(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", SETTINGS("rate=0", "epsilon=0", "epsilon_final=1", "epsilon_steps=5"));
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  OK(sfnec_agent_begin_episode(agent));
  int ones = 0;
  assert_int_equal(explorations(agent, 1, &ones), 0);
  explorations(agent, 4, &ones);
  assert_int_equal(explorations(agent, 30, &ones), 30);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_td),
      cmocka_unit_test(test_td_terminated),
      cmocka_unit_test(test_td_other_action),
      cmocka_unit_test(test_td_explored),
      cmocka_unit_test(test_no_td),
      cmocka_unit_test(test_td_linear),
      cmocka_unit_test(test_bootstrap),
      cmocka_unit_test(test_bootstrap_penalty),
      cmocka_unit_test(test_novelty),
      cmocka_unit_test(test_epsilon),
      cmocka_unit_test(test_epsilon_decay),
      cmocka_unit_test(test_epsilon_final),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
