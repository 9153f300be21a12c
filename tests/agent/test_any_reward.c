// test_any_reward.c: tasks whose reward is a function (rewards=any): labels of an agent that plans, indicators of
// others.
#include "support/tiny.h"

#include <math.h>
#include <string.h>

#include "sfnec/sfnec.h"

static sfnec_reward_expression *parsed(const char *text) {
  sfnec_reward_expression *reward = NULL;
  OK(sfnec_reward_parse(text, NULL, &tiny_shape, &reward));
  return reward;
}

// Goes round the four states: action 1 goes on, action 0 stays. Features: arrived at state 3, and 0.5. The reward is
// that of an expression, or the first feature.
static void walk(sfnec_agent *agent, int steps, sfnec_reward_expression *reward) {
  OK(sfnec_agent_begin_episode(agent));
  for (int s = 0, at = 0; s < steps; s++) {
    int32_t action;
    OK(sfnec_agent_act(agent, states[at], &action));
    action = s % 4 != 0;
    const int next = (at + action) % STATES;
    const double features[FEATURES] = {next == 3, 0.5};
    const bool terminated = false;
    double earned = features[0];
    const sfnec_transitions one = {.count = 1,
                                   .observation_size = STATES,
                                   .feature_count = FEATURES,
                                   .observations = states[at],
                                   .actions = &action,
                                   .next_observations = states[next],
                                   .features = features,
                                   .terminated = &terminated};
    if (reward) OK(sfnec_reward_evaluate(reward, &one, &earned));
    const sfnec_transition moved = {
        .action = action, .features = features, .reward = earned, .next_observation = states[next]};
    OK(sfnec_agent_observe(agent, &moved));
    at = next;
  }
  OK(sfnec_agent_end_episode(agent));
}

static sfnec_agent *planner(void) {
  return tiny_agent("sfnec-plan", (const char *const[]){"gamma=0.9", "pessimism=0", "rewards=any", NULL});
}

// The greedy values under the active task.
static void check_values(const sfnec_agent *agent, const double *values) {
  sfnec_scratch *scratch = scratch_for(agent);
  for (int s = 0; s < STATES; s++) {
    sfnec_choice choice;
    OK(sfnec_agent_choose(agent, scratch, states[s], NULL, &choice));
    NEAR(choice.value, values[s], 0.02);
  }
  sfnec_scratch_destroy(scratch);
}

static const char staying[] = "1 if action == 0 and observation[2] else 0"; // no weights of these features say so
static const double stay = 1 / (1 - 0.9);
#define STAY_AT_2                                                                                                      \
  { 0.9 * 0.9 * stay, 0.9 * stay, stay, 0.9 * 0.9 * 0.9 * stay }
#define STAY_AT_0                                                                                                      \
  { stay, 0.9 * 0.9 * 0.9 * stay, 0.9 * 0.9 * stay, 0.9 * stay }

// What is remembered serves the next task, and what comes later is learned: before the first model and after it.
static void test_switches(void **state) {
  (void)state;
  for (int before = 40; before <= 300; before += 260) {
    sfnec_agent *agent = planner();
    sfnec_reward_expression *two = parsed(staying), *zero = parsed("(action == 0) * observation[0]");
    uint32_t first = 9, second = 9;
    OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
    walk(agent, before, NULL);
    OK(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, two, &first));
    assert_int_equal(first, 1);
    if (before > 100) check_values(agent, (const double[])STAY_AT_2); // without a step
    walk(agent, 200, two);
    check_values(agent, (const double[])STAY_AT_2);
    OK(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, zero, &second));
    check_values(agent, (const double[])STAY_AT_0);
    walk(agent, 100, zero);
    check_values(agent, (const double[])STAY_AT_0);
    // the first again; the planner does not keep its function
    REFUSED(sfnec_agent_set_task(agent, first), SFNEC_ERROR_STATE, "sfnec_agent_set_reward");
    OK(sfnec_agent_set_reward(agent, first, sfnec_reward_evaluate, two));
    check_values(agent, (const double[])STAY_AT_2);
    OK(sfnec_agent_begin_episode(agent)); // the active one in the middle of an episode
    OK(sfnec_agent_set_reward(agent, first, sfnec_reward_evaluate, zero));
    REFUSED(sfnec_agent_set_reward(agent, second, sfnec_reward_evaluate, two), SFNEC_ERROR_STATE, "during an episode");
    OK(sfnec_agent_end_episode(agent));
    check_values(agent, (const double[])STAY_AT_0);
    OK(sfnec_agent_set_task(agent, 0));                                              // weights need no function
    check_values(agent, (const double[]){0.9 * 0.9 * stay, 0.9 * stay, stay, stay}); // to stay at 3
    sfnec_reward_destroy(two), sfnec_reward_destroy(zero);
    sfnec_agent_destroy(agent);
  }
}

// Weights mean the same as without the option.
static void test_weights(void **state) {
  (void)state;
  sfnec_agent *any = planner(),
              *linear = tiny_agent("sfnec-plan", (const char *const[]){"gamma=0.9", "pessimism=0", NULL});
  sfnec_agent *both[] = {any, linear};
  for (int i = 0; i < 2; i++) {
    OK(sfnec_agent_begin_task(both[i], (const double[]){1, 0}, NULL));
    walk(both[i], 300, NULL);
  }
  assert_int_equal(sfnec_agent_get_psi_size(any), FEATURES + 1);
  double w[FEATURES + 1];
  OK(sfnec_agent_get_task_weights(any, 0, w));
  assert_true(w[0] == 1 && w[1] == 0 && w[2] == 0);
  for (int s = 0; s < STATES; s++) {
    double a[ACTIONS], b[ACTIONS];
    OK(ask_q(any, states[s], (const double[]){0.3, -1}, a));
    OK(ask_q(linear, states[s], (const double[]){0.3, -1}, b));
    for (int action = 0; action < ACTIONS; action++) NEAR(a[action], b[action], 1e-4);
  }
  REFUSED(sfnec_agent_set_task_weights(any, 0, (const double[]){NAN, 0}), SFNEC_ERROR_ARGUMENT, "2 finite numbers");
  OK(sfnec_agent_set_task_weights(any, 0, (const double[]){0, 1}));
  sfnec_agent_destroy(any), sfnec_agent_destroy(linear);
}

// A saved agent learns on as the one that was not saved, without its function.
static void test_resumes(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec-plan", "sfnec", "nec"};
  for (size_t i = 0; i < 3; i++) {
    sfnec_agent *agent = tiny_agent(presets[i], (const char *const[]){"rewards=any", NULL}), *loaded = NULL;
    sfnec_reward_expression *reward = parsed("2 if phi[0] > 0.5 else -0.1");
    OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
    walk(agent, 150, NULL);
    OK(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, reward, NULL));
    walk(agent, 20, reward);
    unsigned char *bytes = NULL, *again = NULL;
    size_t size, size_again;
    OK(sfnec_agent_save_bytes(agent, &bytes, &size));
    OK(sfnec_agent_load_bytes(bytes, size, &loaded));
    sfnec_agent_free_bytes(bytes);
    walk(agent, 60, reward);
    walk(loaded, 60, reward);
    OK(sfnec_agent_save_bytes(agent, &bytes, &size));
    OK(sfnec_agent_save_bytes(loaded, &again, &size_again));
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    sfnec_agent_free_bytes(bytes), sfnec_agent_free_bytes(again);
    sfnec_reward_destroy(reward);
    sfnec_agent_destroy(agent), sfnec_agent_destroy(loaded);
  }
}

// psi of indicators: a reward of phi that is not linear in it is linear in them, for all policies.
static void test_indicators(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", (const char *const[]){"rewards=any", "joint_values=3", "gamma=0.9", NULL});
  sfnec_reward_expression *reward = parsed("5 * (phi[0] == 1) - phi[1] ** 2");
  assert_int_equal(sfnec_agent_get_psi_size(agent), 3);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  walk(agent, 200, NULL);
  OK(sfnec_agent_begin_task(agent, (const double[]){-1, 1}, NULL));
  walk(agent, 200, NULL);
  double w[3], psi[2 * ACTIONS * 3], q[2 * ACTIONS], by_weights[2 * ACTIONS];
  OK(sfnec_agent_get_task_weights(agent, 0, w)); // phi was (0, 0.5), then (1, 0.5)
  assert_true(w[0] == 0 && w[1] == 1 && w[2] == 0);
  sfnec_scratch *scratch = scratch_for(agent);
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  OK(sfnec_agent_ask_q(agent, scratch, states[1], NULL, q));
  OK(ask_psi(agent, states[1], psi));
  for (int i = 0; i < 2 * ACTIONS; i++) NEAR(q[i], psi[i * 3] * -0.25 + psi[i * 3 + 1] * 4.75, 1e-9);
  sfnec_scratch *other = scratch_for(agent);
  OK(sfnec_agent_ask_q(agent, other, states[1], (const double[]){2, 3}, by_weights));
  for (int i = 0; i < 2 * ACTIONS; i++) NEAR(by_weights[i], psi[i * 3] * 1.5 + psi[i * 3 + 1] * 3.5, 1e-9);
  // and as a task
  OK(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, reward, NULL));
  OK(sfnec_agent_get_task_weights(agent, 2, w));
  assert_true(w[0] == -0.25 && w[1] == 4.75 && w[2] == 0);
  sfnec_scratch_destroy(scratch), sfnec_scratch_destroy(other);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
}

static sfnec_status silent(void *context, const sfnec_transitions *transitions, double *rewards) {
  (void)transitions, (void)rewards;
  return *(const bool *)context ? sfnec_set_error(SFNEC_ERROR_STATE, "the sensor is unplugged") : SFNEC_OK;
}

static sfnec_status reads_action(void *context, const sfnec_transitions *transitions, double *rewards) {
  (void)context;
  for (size_t i = 0; i < transitions->count; i++) rewards[i] = transitions->actions[i];
  return SFNEC_OK;
}

static void test_refusals(void **state) {
  (void)state;
  sfnec_reward_expression *far = parsed("phi[0] * observation[1]"), *near = parsed("phi[0]");
  bool fails = true;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  REFUSED(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, near, NULL), SFNEC_ERROR_STATE, "rewards=any");
  REFUSED(sfnec_agent_begin_reward(agent, NULL, NULL, NULL), SFNEC_ERROR_ARGUMENT, "NULL");
  sfnec_agent_destroy(agent);

  agent = tiny_agent("sfnec", (const char *const[]){"rewards=any", "joint_values=2", NULL});
  REFUSED(sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, far, NULL), SFNEC_ERROR_ARGUMENT,
          "more than the features"); // before any are known
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  walk(agent, 50, NULL);
  REFUSED(sfnec_agent_begin_reward(agent, reads_action, NULL, NULL), SFNEC_ERROR_ARGUMENT, "more than the features");
  REFUSED(sfnec_agent_begin_reward(agent, silent, &fails, NULL), SFNEC_ERROR_STATE, "unplugged");
  assert_int_equal(sfnec_agent_get_task_count(agent), 1);
  // a third joint value is too many, and the transition can be observed with another one
  int32_t action;
  const double new[] = {7, 7}, old[] = {1, 0.5};
  sfnec_transition moved = {.features = new, .reward = 7, .next_observation = states[1]};
  OK(sfnec_agent_begin_episode(agent));
  OK(sfnec_agent_act(agent, states[0], &action));
  REFUSED(sfnec_agent_observe(agent, &moved), SFNEC_ERROR_STATE, "joint_values");
  moved.features = old;
  OK(sfnec_agent_observe(agent, &moved));
  sfnec_agent_destroy(agent);

  agent = planner();
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  walk(agent, 200, NULL);
  unsigned char *before = NULL, *after = NULL;
  size_t size, size_after;
  OK(sfnec_agent_save_bytes(agent, &before, &size));
  REFUSED(sfnec_agent_begin_reward(agent, silent, &fails, NULL), SFNEC_ERROR_STATE, "unplugged");
  fails = false; // but it writes nothing
  REFUSED(sfnec_agent_begin_reward(agent, silent, &fails, NULL), SFNEC_ERROR_ARGUMENT, "must be finite");
  OK(sfnec_agent_save_bytes(agent, &after, &size_after));
  assert_int_equal(size, size_after);
  assert_memory_equal(before, after, size);
  sfnec_agent_free_bytes(before), sfnec_agent_free_bytes(after);
  sfnec_agent_destroy(agent);
  sfnec_agent_options options;
  OK(sfnec_agent_options_preset("sfnec-plan", &options));
  options.rewards = SFNEC_REWARDS_ANY, options.w = SFNEC_W_RLS;
  REFUSED(sfnec_agent_create(&tiny_shape, &options, 1, &agent), SFNEC_ERROR_OPTION, "w=given");
  sfnec_reward_destroy(far), sfnec_reward_destroy(near);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_switches),   cmocka_unit_test(test_weights),  cmocka_unit_test(test_resumes),
      cmocka_unit_test(test_indicators), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
