// test_plan_relabel.c: questions about rewards that are no weights: plans over the same transitions, labelled again.
#include "support/tiny.h"

#include <math.h>

#include "sfnec/sfnec.h"

// Goes round the four states: action 1 goes on, action 0 stays. Features: arrived at state 3, and 0.5.
static void walk(sfnec_agent *agent, int steps) {
  OK(sfnec_agent_begin_episode(agent));
  for (int s = 0, at = 0; s < steps; s++) {
    int32_t action;
    OK(sfnec_agent_act(agent, states[at], &action));
    action = s % 4 != 0;
    at = (at + action) % STATES;
    const double features[FEATURES] = {at == 3, 0.5};
    const sfnec_transition moved = {
        .action = action, .features = features, .reward = at == 3, .next_observation = states[at]};
    OK(sfnec_agent_observe(agent, &moved));
  }
  OK(sfnec_agent_end_episode(agent));
}

static sfnec_agent *walked(void) {
  sfnec_agent *agent = tiny_agent("sfnec-plan", (const char *const[]){"gamma=0.9", "pessimism=0", NULL});
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  walk(agent, 300);
  return agent;
}

static sfnec_reward_expression *parsed(const char *text) {
  sfnec_reward_expression *reward = NULL;
  OK(sfnec_reward_parse(text, NULL, &tiny_shape, &reward));
  return reward;
}

// What a linear function says is what weights say.
static void test_linear(void **state) {
  (void)state;
  sfnec_agent *agent = walked();
  sfnec_reward_expression *reward = parsed("phi[0] - 0.25 * phi[1]");
  sfnec_scratch *scratch = scratch_for(agent);
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  for (int s = 0; s < STATES; s++) {
    double by_weights[ACTIONS], by_function[ACTIONS];
    OK(ask_q(agent, states[s], (const double[]){1, -0.25}, by_weights));
    OK(sfnec_agent_ask_q(agent, scratch, states[s], NULL, by_function));
    for (int a = 0; a < ACTIONS; a++) NEAR(by_function[a], by_weights[a], 1e-4);
  }
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
}

// A reward that no weights of these features can express: staying in state 2. Its values are known on paper.
static void test_not_linear(void **state) {
  (void)state;
  sfnec_agent *agent = walked();
  sfnec_reward_expression *reward = parsed("1 if action == 0 and observation[2] else 0");
  sfnec_scratch *scratch = scratch_for(agent);
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  const double stay = 1 / (1 - 0.9);
  const double values[STATES] = {0.9 * 0.9 * stay, 0.9 * stay, stay, 0.9 * 0.9 * 0.9 * stay};
  for (int s = 0; s < STATES; s++) {
    sfnec_choice choice;
    OK(sfnec_agent_choose(agent, scratch, states[s], NULL, &choice));
    assert_int_equal(choice.action, s != 2);
    NEAR(choice.value, values[s], 0.02);
  }
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
}

// The plan follows what the agent has learned since, and the scratch can go back to weights.
static void test_changes(void **state) {
  (void)state;
  sfnec_agent *agent = walked();
  sfnec_reward_expression *reward = parsed("observation[0]");
  sfnec_scratch *scratch = scratch_for(agent);
  double q[ACTIONS], fresh[ACTIONS];
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  OK(sfnec_agent_ask_q(agent, scratch, states[1], NULL, q));
  walk(agent, 200);
  OK(sfnec_agent_ask_q(agent, scratch, states[1], NULL, q));
  sfnec_scratch *other = scratch_for(agent);
  OK(sfnec_scratch_set_reward(other, sfnec_reward_evaluate, reward));
  OK(sfnec_agent_ask_q(agent, other, states[1], NULL, fresh));
  assert_memory_equal(q, fresh, sizeof q); // as one that never asked before
  sfnec_scratch_destroy(other);
  OK(sfnec_scratch_set_reward(scratch, NULL, NULL));
  OK(sfnec_agent_ask_q(agent, scratch, states[1], (const double[]){0, 1}, q));
  OK(ask_q(agent, states[1], (const double[]){0, 1}, fresh));
  assert_memory_equal(q, fresh, sizeof q);
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
}

static sfnec_status answer(void *context, const sfnec_transitions *transitions, double *rewards) {
  (void)rewards;
  assert_true(transitions->count > 0 && transitions->observation_size == STATES &&
              transitions->feature_count == FEATURES);
  return *(const bool *)context ? sfnec_set_error(SFNEC_ERROR_STATE, "the sensor is unplugged") : SFNEC_OK;
}

// A line of positions and a flag, which a visit to the first one sets for the episode; the last one ends it.
enum { LINE = 6 };

static void see(float *observation, int at, bool taken) {
  for (int i = 0; i < LINE; i++) observation[i] = (float)(i == at);
  observation[LINE] = (float)taken;
}

// Walks at random, but with the flag never beyond position 2, and never to the first one in every other episode: the
// right half is known without the flag alone.
static sfnec_agent *walked_line(const sfnec_env_shape *shape) {
  sfnec_agent *agent = agent_for(shape, "sfnec-plan", (const char *const[]){"gamma=0.9", "pessimism=0", NULL}, 1);
  OK(sfnec_agent_begin_task(agent, (const double[]){1}, NULL));
  sfnec_random random = sfnec_random_start(5, SFNEC_PURPOSE_EXPLORATION);
  for (int episode = 0; episode < 60; episode++) {
    int at = 2;
    bool taken = false, ends = false;
    OK(sfnec_agent_begin_episode(agent));
    for (int t = 0; t < 30 && !ends; t++) {
      float before[LINE + 1], after[LINE + 1];
      see(before, at, taken);
      int32_t action;
      OK(sfnec_agent_act(agent, before, &action));
      action = (int32_t)sfnec_random_below(&random, 2);
      if (episode % 2 == 0 && at == 2) action = 0;
      if (episode % 2 == 1 && at == 1) action = 1;
      at += action ? 1 : at > 0 ? -1 : 0;
      taken |= at == 0;
      ends = at == LINE - 1;
      see(after, at, taken);
      const double features[] = {ends};
      const sfnec_transition moved = {.action = action,
                                      .features = features,
                                      .reward = ends,
                                      .next_observation = after,
                                      .terminated = ends,
                                      .truncated = t == 29};
      OK(sfnec_agent_observe(agent, &moved));
    }
    OK(sfnec_agent_end_episode(agent));
  }
  return agent;
}

// A reward of the flag is asked about in the contexts of the plan: the end is worth something with the flag, though it
// was only seen without.
static void test_contexts(void **state) {
  (void)state;
  const sfnec_env_shape shape = {.observation_size = LINE + 1, .action_count = 2, .feature_count = 1};
  sfnec_agent *agent = walked_line(&shape);
  sfnec_reward_expression *reward = NULL;
  OK(sfnec_reward_parse("phi[0] and observation[6]", NULL, &shape, &reward));
  sfnec_scratch *scratch = scratch_for(agent);
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  for (int taken = 0; taken < 2; taken++) {
    for (int at = 1; at < LINE - 2; at++) { // from the last one the episode after is as near
      float observation[LINE + 1];
      see(observation, at, taken);
      sfnec_choice choice;
      OK(sfnec_agent_choose(agent, scratch, observation, NULL, &choice));
      assert_int_equal(choice.action, taken); // first for the flag, then to the end
      assert_true(choice.value > 0.5);
    }
  }
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
}

static void test_refusals(void **state) {
  (void)state;
  sfnec_agent *agent = walked();
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_choice choice;
  double psi[ACTIONS * FEATURES], q[ACTIONS];
  bool fails = true;
  OK(sfnec_scratch_set_reward(scratch, answer, &fails));
  REFUSED(sfnec_agent_choose(agent, scratch, states[0], NULL, &choice), SFNEC_ERROR_STATE, "unplugged");
  assert_string_equal(sfnec_last_error(), "the sensor is unplugged");
  fails = false; // but it writes nothing
  REFUSED(sfnec_agent_choose(agent, scratch, states[0], NULL, &choice), SFNEC_ERROR_ARGUMENT, "must be finite");
  REFUSED(sfnec_agent_choose(agent, scratch, states[0], (const double[]){1, 0}, &choice), SFNEC_ERROR_ARGUMENT,
          "takes no reward weights");
  REFUSED(sfnec_agent_ask_psi(agent, scratch, states[0], psi), SFNEC_ERROR_STATE,
          "successor features are of reward weights");
  OK(sfnec_scratch_set_reward(scratch, NULL, NULL)); // it has not suffered
  OK(sfnec_agent_ask_q(agent, scratch, states[0], (const double[]){1, 0}, q));
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);

  agent = tiny_agent("sfnec", NULL);
  scratch = scratch_for(agent);
  REFUSED(sfnec_scratch_set_reward(scratch, answer, &fails), SFNEC_ERROR_STATE, "only an agent that plans");
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  REFUSED(sfnec_scratch_set_reward(NULL, answer, &fails), SFNEC_ERROR_ARGUMENT, "NULL");
}

static void test_names(void **state) {
  (void)state;
  const sfnec_env_kind *kind = sfnec_env_kind_find("four_rooms");
  sfnec_env *env = NULL;
  OK(sfnec_env_create(kind, NULL, 1, &env));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_env_destroy(env);
  sfnec_reward_expression *reward = NULL;
  OK(sfnec_reward_parse("2 * circle - goal + 10 * (action == down) + 100 * terminated", kind, &shape, &reward));
  float *observations = calloc(2 * (size_t)shape.observation_size, sizeof *observations);
  const double features[] = {1, 0, 0, 0, 0, 0, 0, 1};
  const int32_t actions[] = {1, 0};
  const bool terminated[] = {false, true};
  const sfnec_transitions two = {.count = 2,
                                 .observation_size = shape.observation_size,
                                 .feature_count = shape.feature_count,
                                 .observations = observations,
                                 .actions = actions,
                                 .next_observations = observations,
                                 .features = features,
                                 .terminated = terminated};
  double rewards[2];
  OK(sfnec_reward_evaluate(reward, &two, rewards));
  NEAR(rewards[0], 12, 0);
  NEAR(rewards[1], 99, 0);
  sfnec_transitions other = two;
  other.feature_count--;
  REFUSED(sfnec_reward_evaluate(reward, &other, rewards), SFNEC_ERROR_ARGUMENT, "another environment");
  sfnec_reward_destroy(reward);
  reward = NULL;
  REFUSED(sfnec_reward_parse("circles", kind, &shape, &reward), SFNEC_ERROR_OPTION,
          "no feature and no action of four_rooms");
  REFUSED(sfnec_reward_parse("phi[4]", kind, &shape, &reward), SFNEC_ERROR_OPTION, "0 to 3");
  REFUSED(sfnec_reward_parse("circle[0]", kind, &shape, &reward), SFNEC_ERROR_OPTION, "have numbers");
  REFUSED(sfnec_reward_parse("circle", NULL, &shape, &reward), SFNEC_ERROR_OPTION, "no feature and no action");
  REFUSED(sfnec_reward_parse(NULL, kind, &shape, &reward), SFNEC_ERROR_ARGUMENT, "NULL");
  assert_null(reward);
  free(observations);
}

// In a world with objects, where contexts matter: zero-shot play under a function is paid by it, and earns what it
// earns where weights say the same.
static void test_evaluation(void **state) {
  (void)state;
  sfnec_env *env = NULL;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms_grid"), NULL, 3, &env));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", NULL, 3);
  double w[8] = {1, 1, 1, 1};
  assert_true(shape.feature_count <= 8);
  OK(sfnec_agent_begin_task(agent, w, NULL));
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  double features[8];
  sfnec_env_outcome outcome = {.terminated = true};
  for (int t = 0; t < 4000; t++) {
    if (outcome.terminated || outcome.truncated) {
      OK(sfnec_env_reset(env, observation));
      OK(sfnec_agent_begin_episode(agent));
    }
    sfnec_transition moved = {.features = features, .next_observation = observation};
    OK(sfnec_agent_act(agent, observation, &moved.action));
    OK(sfnec_env_step(env, moved.action, observation, features, &outcome));
    moved.terminated = outcome.terminated;
    moved.truncated = outcome.truncated;
    for (int f = 0; f < shape.feature_count; f++) moved.reward += w[f] * features[f];
    OK(sfnec_agent_observe(agent, &moved));
  }
  OK(sfnec_agent_end_episode(agent));
  sfnec_reward_expression *reward = NULL;
  OK(sfnec_reward_parse("1 if phi[0] > 0 and action >= 0 else -0.5 * (phi[1] > 0)", NULL, &shape, &reward));
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_evaluation by_function, by_weights;
  REFUSED(sfnec_run_evaluate(agent, scratch, env, NULL, 500, 100, &by_function), SFNEC_ERROR_ARGUMENT,
          "NULL"); // no reward
  OK(sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward));
  OK(sfnec_run_evaluate(agent, scratch, env, NULL, 500, 100, &by_function));
  w[0] = 1, w[1] = -0.5, w[2] = w[3] = 0; // the same, said by weights
  OK(sfnec_scratch_set_reward(scratch, NULL, NULL));
  OK(sfnec_run_evaluate(agent, scratch, env, w, 500, 100, &by_weights));
  assert_true(by_function.total > 10);
  NEAR(by_function.total, by_weights.total, 0.1 * by_weights.total);
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  free(observation);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear),    cmocka_unit_test(test_not_linear),
                                     cmocka_unit_test(test_changes),   cmocka_unit_test(test_contexts),
                                     cmocka_unit_test(test_refusals),  cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_evaluation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
