// test_trace.c: one task, step by step: what is in the memories after every transition, worked out by hand.
//
// gamma is 1/2, w = (1, 1), every look-up takes the nearest entry alone; equally near ones by insertion. The standard
// episode goes 0 -> 1 -> 2 -> 3 by action 0 with phi = (1, 0), (0, 1), (2, 2).
#include "support/tiny.h"

static const double w[FEATURES] = {1, 1};

#define SETTINGS(...)                                                                                                  \
  (const char *const[]) {                                                                                              \
    "gamma=0.5", "epsilon=0", "ties=first", "neighbours=1", __VA_ARGS__, NULL                                          \
  }

static sfnec_agent *begin(const char *preset, const char *const *settings) {
  sfnec_agent *agent = tiny_agent(preset, settings);
  OK(sfnec_agent_begin_task(agent, w, NULL));
  OK(sfnec_agent_begin_episode(agent));
  return agent;
}

static void test_one_step(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=1", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON); // psi(1) of an empty memory is 0
  check_stored(agent, 0, 0, 0, 1, 0);
  assert_int_equal(entries_of(agent, 0), 1);
  go(agent, 1, 0, 0, 1, 2, GOES_ON); // psi(2, 0) is that of state 0: (0, 1) + (1, 0) / 2
  check_stored(agent, 0, 1, 0, 0.5, 1);
  go(agent, 2, 0, 2, 2, 3, TERMINATES);
  check_stored(agent, 0, 2, 0, 2, 2);
  assert_int_equal(entries_of(agent, 0), 3);

  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 1, 0, 0, 2, GOES_ON); // the best at 2 is action 0 with (2, 2)
  check_stored(agent, 0, 0, 1, 1, 1);
  // the best at 0 is action 1 with (1, 1): the known key (2, 2) moves by a tenth towards (0.5, 0.5)
  go(agent, 2, 0, 0, 0, 0, TRUNCATES);
  check_stored(agent, 0, 2, 0, 1.85, 1.85);
  assert_int_equal(entries_of(agent, 0), 4);
  sfnec_agent_destroy(agent);
}

static void test_two_steps(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=2", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 0);
  go(agent, 1, 0, 0, 1, 2, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 1);
  check_stored(agent, 0, 0, 0, 1, 0.5);
  go(agent, 2, 0, 2, 2, 3, TERMINATES); // Monte-Carlo returns
  check_stored(agent, 0, 1, 0, 1, 2);
  check_stored(agent, 0, 2, 0, 2, 2);
  assert_int_equal(entries_of(agent, 0), 3);

  // in the middle of an episode: the target of step 0 bootstraps at 2 with gamma^2
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 3, 1, 1, 0, 1, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 3);
  go(agent, 1, 1, 0, 1, 2, GOES_ON);
  check_stored(agent, 0, 3, 1, 1 + 0.5, 0.5 + 0.5);
  OK(sfnec_agent_end_episode(agent));
  check_stored(agent, 0, 1, 1, 0 + 1, 1 + 1); // (0, 1) + (2, 2) / 2
  sfnec_agent_destroy(agent);
}

// Truncated at 3: the rest bootstraps with what is left of the horizon; psi(3, 0) is that of state 0, (1, 0.5).
static void test_truncation(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=2", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  go(agent, 1, 0, 0, 1, 2, GOES_ON);
  go(agent, 2, 0, 2, 2, 3, TRUNCATES);
  check_stored(agent, 0, 1, 0, 1.25, 2.125);
  check_stored(agent, 0, 2, 0, 2.5, 2.25);
  sfnec_agent_destroy(agent);

  // both at once: terminated
  agent = begin("sfnec", SETTINGS("horizon=1", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  int32_t action;
  OK(sfnec_agent_act(agent, states[1], &action));
  const double phi[FEATURES] = {0, 1};
  const sfnec_transition both = {0, phi, 1, states[2], true, true, NULL};
  OK(sfnec_agent_observe(agent, &both));
  check_stored(agent, 0, 1, 0, 0, 1);
  sfnec_agent_destroy(agent);
}

// An episode cut off before the horizon is full bootstraps all the same, whoever cuts it off.
static void test_early_truncation(void **state) {
  (void)state;
  const char *const modes[] = {"write=horizon", "write=episode"};
  for (int i = 0; i < 2; i++) {
    sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=3", "rate=0", modes[i]));
    go(agent, 1, 0, 0, 4, 3, TERMINATES);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 3, 0, 0, 1, 3, TERMINATES);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 0, 1, 1, 0, 1, TRUNCATES); // (1, 0) + (0, 4) / 2
    check_stored(agent, 0, 0, 1, 1, 2);
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 2, 1, 1, 0, 1, GOES_ON);
    OK(sfnec_agent_end_episode(agent));
    check_stored(agent, 0, 2, 1, 1, 2);
    // an action without its transition is dropped; its state is where the episode ended
    OK(sfnec_agent_begin_episode(agent));
    go(agent, 3, 1, 1, 0, 1, GOES_ON);
    int32_t action;
    OK(sfnec_agent_act(agent, states[1], &action));
    OK(sfnec_agent_end_episode(agent));
    check_stored(agent, 0, 3, 1, 1, 2);
    assert_int_equal(entries_of(agent, 0), 5);
    sfnec_agent_destroy(agent);
  }
}

static void test_three_steps(void **state) {
  (void)state;
  // N longer than the episode: nothing before its end, then all of it
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=3", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  go(agent, 1, 0, 0, 1, 2, TERMINATES);
  check_stored(agent, 0, 0, 0, 1, 0.5);
  check_stored(agent, 0, 1, 0, 0, 1);
  assert_int_equal(entries_of(agent, 0), 2);

  OK(sfnec_agent_begin_episode(agent));
  go(agent, 2, 1, 1, 0, 3, GOES_ON);
  go(agent, 3, 1, 0, 1, 2, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 2);
  // at 1 action 0 has (0, 1): 1 + 0 + 2/4 + 0, 0 + 1/2 + 2/4 + 1/8
  go(agent, 2, 1, 2, 2, 1, GOES_ON);
  check_stored(agent, 0, 2, 1, 1.5, 1.125);
  assert_int_equal(entries_of(agent, 0), 3);
  sfnec_agent_destroy(agent);
}

// Nothing of an episode carries over into the targets of the next.
static void test_episodes_are_separate(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=8", "rate=0"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  OK(sfnec_agent_end_episode(agent));
  OK(sfnec_agent_begin_episode(agent));
  assert_int_equal(entries_of(agent, 0), 1);
  check_stored(agent, 0, 0, 0, 1, 0);
  go(agent, 2, 1, 5, 5, 3, TERMINATES);
  check_stored(agent, 0, 2, 1, 5, 5);
  check_stored(agent, 0, 0, 0, 1, 0);
  sfnec_agent_destroy(agent);
}

static void test_write_at_the_end(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=2", "rate=0", "write=episode"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  go(agent, 1, 0, 0, 1, 2, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 0);
  go(agent, 2, 0, 2, 2, 3, TERMINATES);
  check_stored(agent, 0, 0, 0, 1, 0.5);
  check_stored(agent, 0, 1, 0, 1, 2);
  check_stored(agent, 0, 2, 0, 2, 2);

  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 1, 0, 0, 1, GOES_ON);
  go(agent, 1, 1, 0, 0, 2, GOES_ON);
  assert_int_equal(entries_of(agent, 0), 3);
  go(agent, 2, 1, 0, 0, 3, TRUNCATES);
  check_stored(agent, 0, 0, 1, 0.5, 0.5);    // (2, 2) / 4
  check_stored(agent, 0, 1, 1, 0.25, 0.125); // (1, 0.5) / 4, state 0's, the first of three equally near
  check_stored(agent, 0, 2, 1, 0.5, 0.25);   // the same / 2
  sfnec_agent_destroy(agent);
}

// A long episode: more transitions wait than there was room for at first.
static void test_long_episode(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=1000", "rate=0", "write=episode", "alpha=1"));
  for (int i = 0; i < 200; i++) go(agent, i % 4, 0, 1, i == 199, (i + 1) % 4, i == 199 ? TERMINATES : GOES_ON);
  // the last visit of each state wins: 1 + 1/2 + ... , and a power of a half for the last step
  check_stored(agent, 0, 3, 0, 1, 1);
  check_stored(agent, 0, 2, 0, 1.5, 0.5);
  check_stored(agent, 0, 1, 0, 1.75, 0.25);
  check_stored(agent, 0, 0, 0, 1.875, 0.125);
  sfnec_agent_destroy(agent);
}

// NEC stores the return of the reward, here a + b.
static void test_reward(void **state) {
  (void)state;
  sfnec_agent *agent = begin("nec", SETTINGS("horizon=2", "rate=0"));
  assert_int_equal(sfnec_agent_get_psi_size(agent), 1);
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  go(agent, 1, 0, 0, 1, 2, GOES_ON);
  check_stored(agent, 0, 0, 0, 1.5, 0);
  go(agent, 2, 0, 2, 2, 3, TERMINATES);
  check_stored(agent, 0, 1, 0, 3, 0);
  check_stored(agent, 0, 2, 0, 4, 0);
  double q[ACTIONS];
  OK(ask_q(agent, states[2], NULL, q)); // w = 1, whatever was given
  NEAR(q[0], 4, 1e-7);
  assert_true(q[1] == 0);
  sfnec_agent_destroy(agent);
}

// One gradient step per write: k = 2, delta 1: an entry sees itself with weight 3/4 and another with 1/4.
static void test_training(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("neighbours=2", "delta=1", "horizon=1", "rate=0.1"));
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  check_stored(agent, 0, 0, 0, 1, 0);
  go(agent, 1, 0, 0, 1, 2, GOES_ON); // target (0.5, 1); psi (0.625, 0.75); step 0.1 (-0.125, 0.25)
  check_stored(agent, 0, 1, 0, 0.5 - 0.75 * 0.0125, 1 + 0.75 * 0.025);
  check_stored(agent, 0, 0, 0, 1 - 0.25 * 0.0125, 0.25 * 0.025);
  double psi[ACTIONS][FEATURES];
  OK(ask_psi(agent, states[1], &psi[0][0]));
  NEAR(psi[0][0], 0.75 * 0.490625 + 0.25 * 0.996875, 1e-7);
  NEAR(psi[0][1], 0.75 * 1.01875 + 0.25 * 0.00625, 1e-7);
  assert_true(psi[1][0] == 0 && psi[1][1] == 0);
  sfnec_agent_destroy(agent);
}

// Acting uses the nearest memories: acting at 2 looks up state 0 (as near as 1, and older), so that 1 has to go.
static void test_acting_is_use(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=1", "rate=0", "capacity=2"));
  go(agent, 0, 0, 1, 0, 3, TERMINATES);
  OK(sfnec_agent_begin_episode(agent));
  // state 3 is as far from both; the look-ups there go to state 0, the older, whichever action is taken
  go(agent, 1, 0, 2, 0, 3, TERMINATES);
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 2, 0, 3, 0, 3, TERMINATES);
  check_stored(agent, 0, 0, 0, 1, 0);
  check_absent(agent, 0, 1, 0);
  check_stored(agent, 0, 2, 0, 3, 0);
  assert_int_equal(entries_of(agent, 0), 2);

  // acting at 2 and taking action 1 leaves 0 as the one to go
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 2, 1, 0, 0, 3, TERMINATES);
  sfnec_memory_view view;
  size_t count;
  for (int i = 0; i < 5; i++) OK(ask_memories(agent, states[0], 0, 0, 1, &view, &count)); // asking is no use
  OK(sfnec_agent_begin_episode(agent));
  // acting at 2 again: its entry is used, then 3 is written for another action of the same state
  go(agent, 2, 0, 3, 0, 3, TERMINATES);
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 3, 0, 4, 0, 3, TERMINATES); // the look-up at 3 uses 0, the older of two equally near: 2 goes
  check_stored(agent, 0, 0, 0, 1, 0);
  check_absent(agent, 0, 2, 0);
  sfnec_agent_destroy(agent);
}

// The caller's action counts, not the agent's.
static void test_replaced_action(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfnec", SETTINGS("horizon=1", "rate=0"));
  const sfnec_choice choice = go(agent, 0, 1, 1, 1, 1, GOES_ON);
  assert_int_equal(choice.action, 0);
  check_stored(agent, 0, 0, 1, 1, 1);
  check_absent(agent, 0, 0, 0);
  sfnec_agent_destroy(agent);
}

// SFQL: z += rate (phi + gamma psi(s', a*) - psi) s.
static void test_sfql(void **state) {
  (void)state;
  sfnec_agent *agent = begin("sfql", SETTINGS("rate=0.1", "init_sd=0"));
  double psi[ACTIONS][FEATURES];
  go(agent, 0, 0, 1, 0, 1, GOES_ON);
  OK(ask_psi(agent, states[0], &psi[0][0]));
  NEAR(psi[0][0], 0.1, 1e-15);
  go(agent, 1, 1, 0, 1, 0, GOES_ON); // bootstraps from psi(0, 0) = (0.1, 0)
  OK(ask_psi(agent, states[1], &psi[0][0]));
  NEAR(psi[1][0], 0.1 * 0.05, 1e-15);
  NEAR(psi[1][1], 0.1, 1e-15);
  assert_true(psi[0][0] == 0 && psi[0][1] == 0);
  go(agent, 0, 0, 1, 0, 1, TERMINATES);
  OK(ask_psi(agent, states[0], &psi[0][0]));
  NEAR(psi[0][0], 0.1 + 0.1 * 0.9, 1e-15);
  sfnec_agent_destroy(agent);
}

// w is learned by the paper's rule from the rewards, and is at once the w that acts.
static void test_learned_weights(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", SETTINGS("horizon=1", "rate=0", "w=sgd", "w_init_sd=0"));
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 1, 1, 2, 1, TERMINATES); // r = 3, error 3: w = 0.05 * 3 * (1, 2)
  double found[FEATURES];
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(agent, 0, &info));
  OK(sfnec_agent_get_task_weights(agent, 0, found));
  NEAR(found[0], 0.15, 1e-15);
  NEAR(found[1], 0.3, 1e-15);
  assert_true(info.learned && info.active && info.steps == 1 && info.chosen == 1 && info.entries == 1);
  sfnec_choice choice;
  OK(ask_choose(agent, states[0], NULL, &choice));
  assert_int_equal(choice.action, 1);
  NEAR(choice.value, 0.15 + 0.6, 1e-7);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_step),
      cmocka_unit_test(test_two_steps),
      cmocka_unit_test(test_truncation),
      cmocka_unit_test(test_early_truncation),
      cmocka_unit_test(test_three_steps),
      cmocka_unit_test(test_episodes_are_separate),
      cmocka_unit_test(test_write_at_the_end),
      cmocka_unit_test(test_long_episode),
      cmocka_unit_test(test_reward),
      cmocka_unit_test(test_training),
      cmocka_unit_test(test_acting_is_use),
      cmocka_unit_test(test_replaced_action),
      cmocka_unit_test(test_sfql),
      cmocka_unit_test(test_learned_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
