// test_tasks.c: adding, choosing, replacing and forgetting tasks, and what is refused during an episode.
#include "support/tiny.h"

static const double w0[FEATURES] = {1, 0}, w1[FEATURES] = {0, 1}, w2[FEATURES] = {-1, 2};
static const char *const plain[] = {"gamma=0.5", "epsilon=0", "ties=first", "neighbours=1",
                                    "horizon=1", "rate=0",    NULL};

static void teach(sfnec_agent *agent, int at, int action, double a, double b) {
  OK(sfnec_agent_begin_episode(agent));
  go(agent, at, action, a, b, 3, TERMINATES);
}

static void check_weights(const sfnec_agent *agent, uint32_t task, const double *w) {
  double found[FEATURES];
  OK(sfnec_agent_get_task_weights(agent, task, found));
  assert_memory_equal(found, w, sizeof found);
}

static int active(const sfnec_agent *agent) {
  int found = -1;
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(agent); i++) {
    sfnec_task_info info;
    OK(sfnec_agent_get_task_info(agent, i, &info));
    if (info.active) {
      assert_int_equal(found, -1);
      found = (int)i;
    }
  }
  return found;
}

static void test_numbers(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", plain);
  uint32_t task = 99;
  assert_int_equal(sfnec_agent_get_task_count(agent), 0);
  REFUSED(sfnec_agent_begin_episode(agent), SFNEC_ERROR_STATE, "an episode needs a task");
  sfnec_task_info info;
  double w[FEATURES];
  REFUSED(sfnec_agent_get_task_info(agent, 0, &info), SFNEC_ERROR_ARGUMENT, "there is no task 0");
  REFUSED(sfnec_agent_get_task_weights(agent, 0, w), SFNEC_ERROR_ARGUMENT, "there is no task 0");
  OK(sfnec_agent_add_task(agent, w0, &task));
  assert_int_equal(task, 0);
  assert_int_equal(active(agent), -1);
  REFUSED(sfnec_agent_begin_episode(agent), SFNEC_ERROR_STATE, "an episode needs a task");
  OK(sfnec_agent_begin_task(agent, w1, &task));
  assert_true(task == 1 && active(agent) == 1);
  OK(sfnec_agent_add_task(agent, w2, &task));
  assert_true(task == 2 && active(agent) == 1);
  check_weights(agent, 0, w0);
  check_weights(agent, 1, w1);
  check_weights(agent, 2, w2);
  OK(sfnec_agent_set_task(agent, 2));
  assert_int_equal(active(agent), 2);
  REFUSED(sfnec_agent_set_task(agent, 3), SFNEC_ERROR_ARGUMENT, "there is no task 3: the agent has 3");
  assert_int_equal(active(agent), 2);
  sfnec_agent_destroy(agent);
}

// Three tasks with one entry each, in states 0, 1 and 2.
static sfnec_agent *three_tasks(void) {
  sfnec_agent *agent = tiny_agent("sfnec", plain);
  const double *const weights[] = {w0, w1, w2};
  for (int i = 0; i < 3; i++) {
    OK(sfnec_agent_begin_task(agent, weights[i], NULL));
    teach(agent, i, 0, i + 1, 0);
  }
  return agent;
}

static void test_forget(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  sfnec_scratch *scratch = scratch_for(agent);
  double psi[3][ACTIONS][FEATURES];
  OK(sfnec_agent_ask_psi(agent, scratch, states[0],
                         &psi[0][0][0])); // answers are kept: they must not outlive their policies
  OK(sfnec_agent_forget_task(agent, 0));
  assert_int_equal(sfnec_agent_get_task_count(agent), 2);
  assert_int_equal(active(agent), 1); // task 2 of before
  check_weights(agent, 0, w1);
  check_weights(agent, 1, w2);
  check_stored(agent, 0, 1, 0, 2, 0);
  check_stored(agent, 1, 2, 0, 3, 0);
  memset(psi, 0, sizeof psi);
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  assert_true(psi[0][0][0] == 2 && psi[1][0][0] == 3 && psi[2][0][0] == 0);

  OK(sfnec_agent_forget_task(agent, 1));
  assert_int_equal(active(agent), -1);
  REFUSED(sfnec_agent_begin_episode(agent), SFNEC_ERROR_STATE, "an episode needs a task");
  sfnec_choice choice;
  REFUSED(sfnec_agent_choose(agent, scratch, states[0], NULL, &choice), SFNEC_ERROR_STATE, "no active task");
  OK(sfnec_agent_choose(agent, scratch, states[0], w0, &choice));
  REFUSED(sfnec_agent_get_last_choice(agent, &choice), SFNEC_ERROR_STATE, "has not acted yet");
  REFUSED(sfnec_agent_forget_task(agent, 1), SFNEC_ERROR_ARGUMENT, "there is no task 1");
  OK(sfnec_agent_set_task(agent, 0));
  teach(agent, 3, 0, 7, 0);
  check_stored(agent, 0, 3, 0, 7, 0);
  OK(sfnec_agent_forget_task(agent, 0));
  assert_int_equal(sfnec_agent_get_task_count(agent), 0);
  REFUSED(sfnec_agent_choose(agent, scratch, states[0], w0, &choice), SFNEC_ERROR_STATE, "the agent has no task");
  // and it can start again, without anything of the old ones
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  assert_true(psi[0][0][0] == 0);
  teach(agent, 0, 0, 5, 0);
  check_stored(agent, 0, 0, 0, 5, 0);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// A later task than the active one goes: the active one keeps its number.
static void test_forget_later(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  OK(sfnec_agent_set_task(agent, 1));
  OK(sfnec_agent_forget_task(agent, 2));
  assert_int_equal(active(agent), 1);
  OK(sfnec_agent_forget_task(agent, 0));
  assert_int_equal(active(agent), 0);
  check_weights(agent, 0, w1);
  sfnec_agent_destroy(agent);
}

static void test_replace(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  sfnec_scratch *scratch = scratch_for(agent);
  double psi[3][ACTIONS][FEATURES];
  OK(sfnec_agent_ask_psi(agent, scratch, states[1], &psi[0][0][0]));
  OK(sfnec_agent_replace_task(agent, 1, w0));
  check_weights(agent, 1, w0);
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(agent, 1, &info));
  assert_true(info.entries == 0 && info.steps == 0 && info.chosen == 0 && !info.active);
  assert_int_equal(active(agent), 2);
  OK(sfnec_agent_ask_psi(agent, scratch, states[1], &psi[0][0][0]));
  assert_true(psi[0][0][0] == 1 && psi[1][0][0] == 0 && psi[2][0][0] == 3);
  // the active one too; it stays the active one
  OK(sfnec_agent_replace_task(agent, 2, w1));
  assert_int_equal(active(agent), 2);
  assert_int_equal(entries_of(agent, 2), 0);
  REFUSED(sfnec_agent_replace_task(agent, 3, w0), SFNEC_ERROR_ARGUMENT, "there is no task 3");
  REFUSED(sfnec_agent_replace_task(agent, 0, NULL), SFNEC_ERROR_ARGUMENT, "a task needs its reward weights");
  assert_int_equal(entries_of(agent, 0), 1);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// What was asked about the old task is no answer for the new one, however alike their histories are.
static void test_replace_forgets_answers(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  sfnec_scratch *scratch = scratch_for(agent);
  OK(sfnec_agent_set_task(agent, 1));
  double psi[3][ACTIONS][FEATURES];
  sfnec_choice choice;
  OK(sfnec_agent_ask_psi(agent, scratch, states[1], &psi[0][0][0]));
  OK(sfnec_agent_get_last_choice(agent, &choice));
  OK(sfnec_agent_replace_task(agent, 1, w1));
  REFUSED(sfnec_agent_get_last_choice(agent, &choice), SFNEC_ERROR_STATE, "has not acted yet");
  teach(agent, 1, 0, 9, 0);
  OK(sfnec_agent_ask_psi(agent, scratch, states[1], &psi[0][0][0]));
  assert_true(psi[1][0][0] == 9 && psi[0][0][0] == 1 && psi[2][0][0] == 3);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// A linear psi starts from that of the task before it, and from then on is its own.
static void test_warm_start(void **state) {
  (void)state;
  const char *const linear[] = {"rate=1", "epsilon=0", "ties=first", "init_sd=0", "policies=own", NULL};
  sfnec_agent *agent = tiny_agent("sfql", linear);
  sfnec_scratch *scratch = scratch_for(agent);
  double psi[3][ACTIONS][FEATURES];
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  teach(agent, 0, 0, 5, 0);
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  teach(agent, 0, 0, 7, 1);
  OK(sfnec_agent_begin_task(agent, w2, NULL));
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  NEAR(psi[0][0][0], 5, 1e-12);
  NEAR(psi[1][0][0], 7, 1e-12);
  NEAR(psi[2][0][0], 7, 1e-12);
  NEAR(psi[2][0][1], 1, 1e-12);
  teach(agent, 0, 0, 8, 8);
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  assert_true(fabs(psi[1][0][0] - 7) < 1e-12 && fabs(psi[2][0][0] - 8) < 1e-12);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// A replaced linear task starts from the task before it, or from nothing; never from what it replaces.
static void test_replace_linear(void **state) {
  (void)state;
  const char *const linear[] = {"rate=1", "epsilon=0", "ties=first", "init_sd=0", "policies=own", NULL};
  sfnec_agent *agent = tiny_agent("sfql", linear);
  sfnec_scratch *scratch = scratch_for(agent);
  double psi[2][ACTIONS][FEATURES];
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  teach(agent, 0, 0, 5, 5);
  OK(sfnec_agent_begin_task(agent, w1, NULL));
  teach(agent, 0, 0, 7, 1);
  OK(sfnec_agent_replace_task(agent, 1, w1));
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  NEAR(psi[1][0][0], 5, 1e-12);
  OK(sfnec_agent_replace_task(agent, 0, w0));
  OK(sfnec_agent_ask_psi(agent, scratch, states[0], &psi[0][0][0]));
  NEAR(psi[0][0][0], 0, 1e-12);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// Going back to a task goes on with what it has learned.
static void test_return(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  OK(sfnec_agent_set_task(agent, 0));
  teach(agent, 0, 0, 11, 0); // alpha 0.1: 1 + 0.1 * 10
  check_stored(agent, 0, 0, 0, 2, 0);
  assert_int_equal(entries_of(agent, 2), 1);
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(agent, 0, &info));
  assert_true(info.active && info.steps == 2);
  sfnec_agent_destroy(agent);
}

static void test_set_weights(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  OK(sfnec_agent_set_task_weights(agent, 2, w0));
  check_weights(agent, 2, w0);
  assert_int_equal(entries_of(agent, 2), 1);
  OK(sfnec_agent_begin_episode(agent));
  OK(sfnec_agent_set_task_weights(agent, 2, w1)); // in an episode too
  check_weights(agent, 2, w1);
  const double bad[FEATURES] = {0, (double)NAN};
  REFUSED(sfnec_agent_set_task_weights(agent, 2, bad), SFNEC_ERROR_ARGUMENT, "must be 2 finite numbers");
  REFUSED(sfnec_agent_set_task_weights(agent, 2, NULL), SFNEC_ERROR_ARGUMENT, "must be 2 finite numbers");
  REFUSED(sfnec_agent_set_task_weights(agent, 5, w0), SFNEC_ERROR_ARGUMENT, "there is no task 5");
  check_weights(agent, 2, w1);
  sfnec_agent_destroy(agent);
}

static void test_refused_in_episode(void **state) {
  (void)state;
  sfnec_agent *agent = three_tasks();
  OK(sfnec_agent_begin_episode(agent));
  const char *const sentence = "is not possible during an episode";
  REFUSED(sfnec_agent_begin_task(agent, w0, NULL), SFNEC_ERROR_STATE, sentence);
  REFUSED(sfnec_agent_add_task(agent, w0, NULL), SFNEC_ERROR_STATE, sentence);
  REFUSED(sfnec_agent_set_task(agent, 0), SFNEC_ERROR_STATE, sentence);
  REFUSED(sfnec_agent_replace_task(agent, 0, w0), SFNEC_ERROR_STATE, sentence);
  REFUSED(sfnec_agent_forget_task(agent, 0), SFNEC_ERROR_STATE, sentence);
  REFUSED(sfnec_agent_begin_episode(agent), SFNEC_ERROR_STATE, "an episode is running already");
  assert_true(sfnec_agent_get_task_count(agent) == 3 && active(agent) == 2);
  OK(sfnec_agent_end_episode(agent));
  OK(sfnec_agent_end_episode(agent)); // nothing to do
  OK(sfnec_agent_begin_task(agent, w0, NULL));
  sfnec_agent_destroy(agent);
}

static void test_weights_needed(void **state) {
  (void)state;
  const char *const sgd[] = {"w=sgd", NULL};
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  REFUSED(sfnec_agent_begin_task(agent, NULL, NULL), SFNEC_ERROR_ARGUMENT, "give w, or learn it with the option w=sgd");
  const double bad[FEATURES] = {(double)INFINITY, 0};
  REFUSED(sfnec_agent_begin_task(agent, bad, NULL), SFNEC_ERROR_ARGUMENT, "must be 2 finite numbers");
  assert_int_equal(sfnec_agent_get_task_count(agent), 0);
  sfnec_agent_destroy(agent);

  agent = tiny_agent("sfnec", sgd);
  sfnec_task_info info;
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  OK(sfnec_agent_get_task_info(agent, 0, &info));
  assert_true(info.learned);
  OK(sfnec_agent_begin_task(agent, w1, NULL)); // given, although others are learned
  OK(sfnec_agent_get_task_info(agent, 1, &info));
  assert_false(info.learned);
  sfnec_agent_destroy(agent);

  agent = tiny_agent("nec", NULL);
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  OK(sfnec_agent_begin_task(agent, bad, NULL)); // ignored
  double w[1];
  OK(sfnec_agent_get_task_info(agent, 1, &info));
  OK(sfnec_agent_get_task_weights(agent, 1, w));
  assert_true(w[0] == 1 && !info.learned);
  REFUSED(sfnec_agent_set_task_weights(agent, 0, w0), SFNEC_ERROR_STATE, "has no reward weights");
  sfnec_agent_destroy(agent);
}

// More tasks than any first allocation has room for.
static void test_many(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", plain);
  sfnec_scratch *scratch = scratch_for(agent);
  for (int i = 0; i < 40; i++) {
    OK(sfnec_agent_begin_task(agent, w0, NULL));
    teach(agent, 0, 0, i, 0);
  }
  double q[40][ACTIONS];
  OK(sfnec_agent_ask_q(agent, scratch, states[0], NULL, &q[0][0]));
  for (int i = 0; i < 40; i++) assert_true(q[i][0] == i && q[i][1] == 0);
  sfnec_choice choice;
  OK(sfnec_agent_choose(agent, scratch, states[0], w0, &choice));
  assert_int_equal(choice.policy, 39);
  assert_true(sfnec_agent_get_bytes(agent) > 40 * 4 * sizeof(float));
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_forget),
      cmocka_unit_test(test_forget_later),
      cmocka_unit_test(test_replace),
      cmocka_unit_test(test_replace_forgets_answers),
      cmocka_unit_test(test_warm_start),
      cmocka_unit_test(test_replace_linear),
      cmocka_unit_test(test_return),
      cmocka_unit_test(test_set_weights),
      cmocka_unit_test(test_refused_in_episode),
      cmocka_unit_test(test_weights_needed),
      cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
