// test_plan_views.c: what an agent that plans says of its model, its states and its plan.
#include "support/tiny.h"

#include <math.h>

#include "sfnec/random.h"

// Goes round the four states: action 1 goes on, action 0 stays.
static void walk(sfnec_agent *agent, int steps) {
  OK(sfnec_agent_begin_episode(agent));
  for (int s = 0, at = 0; s < steps; s++) {
    int32_t action;
    OK(sfnec_agent_act(agent, states[at], &action));
    action = s % 4 != 0; // whatever it wants
    at = (at + action) % STATES;
    const double features[FEATURES] = {at == 3, 0.5};
    const sfnec_transition moved = {
        .action = action, .features = features, .reward = at == 3, .next_observation = states[at]};
    OK(sfnec_agent_observe(agent, &moved));
  }
  OK(sfnec_agent_end_episode(agent));
}

static void test_sizes(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec-plan", NULL);
  sfnec_model_info info = {.places = -1};
  OK(sfnec_agent_get_model_info(agent, &info));
  assert_true(info.places == 0 && info.samples == 0 && info.contexts == 0 && info.bytes > 0);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  walk(agent, 50);
  OK(sfnec_agent_get_model_info(agent, &info));
  assert_int_equal(info.places, 0); // too early to know what a step is
  const size_t empty = info.bytes;
  walk(agent, 250);
  OK(sfnec_agent_get_model_info(agent, &info));
  assert_int_equal(info.places, STATES);
  assert_int_equal(info.samples, STATES * ACTIONS); // each of many transitions that were alike
  assert_true(info.slow == 0 && info.contexts == 1);
  assert_true(info.step > 0 && info.radius > 0);
  assert_true(info.bytes > empty && info.bytes < sfnec_agent_get_bytes(agent));
  sfnec_agent_destroy(agent);
}

enum { POSITION, CONSTANT, BIT, FLAG, COMPONENTS };

// A corridor that actions move in, with a constant, a random bit, and a noisy flag without which its end earns nothing.
static void play(sfnec_agent *agent, int steps) {
  sfnec_random random = sfnec_random_start(3, 41);
  for (int t = 0; t < steps;) {
    float at[COMPONENTS] = {[POSITION] = 0.3f, [CONSTANT] = 3};
    const bool flag = sfnec_random_below(&random, 2);
    OK(sfnec_agent_begin_episode(agent));
    for (bool ends = false; !ends; t++) {
      sfnec_transition moved = {.next_observation = at};
      at[BIT] = (float)sfnec_random_below(&random, 2);
      at[FLAG] = (float)flag + 0.05f * (float)sfnec_random_normal(&random);
      OK(sfnec_agent_act(agent, at, &moved.action));
      at[POSITION] += (moved.action ? 0.1f : -0.1f) * (0.5f + (float)sfnec_random_uniform(&random));
      if (at[POSITION] < 0) at[POSITION] = 0;
      at[BIT] = (float)sfnec_random_below(&random, 2);
      at[FLAG] = (float)flag + 0.05f * (float)sfnec_random_normal(&random);
      const double features[FEATURES] = {at[POSITION] > 0.8f && flag, 1};
      ends = at[POSITION] > 0.8f;
      moved.features = features;
      moved.terminated = ends;
      OK(sfnec_agent_observe(agent, &moved));
    }
  }
}

static sfnec_agent *player(const char *const *settings) {
  const sfnec_env_shape shape = {.observation_size = COMPONENTS, .action_count = 2, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 5);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, -0.01}, NULL));
  return agent;
}

static void expect(const sfnec_agent *agent, int32_t component, sfnec_component_role role, bool decided,
                   const char *reason) {
  sfnec_component_info info;
  OK(sfnec_agent_get_component_info(agent, component, &info));
  assert_int_equal(info.role, role);
  assert_int_equal(info.decided, decided);
  assert_string_equal(info.reason, reason);
  assert_int_equal(info.group, component);
}

static void test_components(void **state) {
  (void)state;
  sfnec_agent *agent = player(NULL);
  for (int32_t i = 0; i < COMPONENTS; i++) expect(agent, i, SFNEC_COMPONENT_UNUSED, false, "not examined yet");
  play(agent, 3000);
  expect(agent, POSITION, SFNEC_COMPONENT_KEY, true, "the action changes it");
  expect(agent, CONSTANT, SFNEC_COMPONENT_CONSTANT, false, "constant so far");
  expect(agent, BIT, SFNEC_COMPONENT_DROPPED, true, "changes on its own and predicts nothing");
  expect(agent, FLAG, SFNEC_COMPONENT_CONTEXT, true, "predicts reward feature 0 together with component 0");
  sfnec_component_info info;
  OK(sfnec_agent_get_component_info(agent, POSITION, &info));
  assert_true(info.p < 0.01 && info.levels == 0);
  OK(sfnec_agent_get_component_info(agent, FLAG, &info));
  assert_true(info.p < 0.01 && info.z >= 2 && info.levels == 2);
  sfnec_model_info model;
  OK(sfnec_agent_get_model_info(agent, &model));
  assert_true(model.regime == SFNEC_REGIME_CONTINUOUS && model.directions == 0 && model.noise == 0);
  assert_int_equal(model.slow, 1); // the flag
  sfnec_agent_destroy(agent);

  agent = player((const char *const[]){"relevance=off", NULL});
  play(agent, 500);
  expect(agent, BIT, SFNEC_COMPONENT_KEY, false, "not examined: the option relevance is off");
  sfnec_agent_destroy(agent);
}

// Many numbers that hang on two, each with noise: keys are projections, and the noise in them is known.
static void test_noise(void **state) {
  (void)state;
  enum { MANY = 24, STEPS = 2000 };
  const sfnec_env_shape shape = {.observation_size = MANY, .action_count = 4, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", NULL, 5);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  sfnec_random random = sfnec_random_start(4, 41);
  float at[2] = {0.5f, 0.5f}, seen[MANY];
  OK(sfnec_agent_begin_episode(agent));
  for (int t = 0; t < STEPS; t++) {
    for (size_t i = 0; i < MANY && t == 0; i++) seen[i] = 0.5f;
    sfnec_transition moved = {.next_observation = seen};
    OK(sfnec_agent_act(agent, seen, &moved.action));
    float *number = &at[moved.action / 2];
    *number = fminf(fmaxf(*number + (moved.action % 2 ? -0.1f : 0.1f), 0), 1);
    for (size_t i = 0; i < MANY; i++) seen[i] = at[i % 2] + 0.05f * (float)sfnec_random_normal(&random);
    const double features[FEATURES] = {at[0] > 0.9f, 1};
    moved.features = features;
    OK(sfnec_agent_observe(agent, &moved));
  }
  sfnec_model_info model;
  OK(sfnec_agent_get_model_info(agent, &model));
  assert_int_equal(model.regime, SFNEC_REGIME_CONTINUOUS);
  assert_int_equal(model.directions, 2);
  assert_true(model.noise > 0.05 && model.noise < 0.5);
  sfnec_agent_destroy(agent);
}

// Places in the order they were met; the plan goes round to where the reward is.
static void test_states(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec-plan", NULL);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_place_view views[8];
  size_t count = 9;
  OK(sfnec_agent_ask_places(agent, scratch, states[0], NULL, 0, 8, views, &count));
  assert_int_equal(count, 0);
  count = 9;
  OK(sfnec_agent_ask_path(agent, scratch, states[0], NULL, 8, views, &count));
  assert_int_equal(count, 0);
  walk(agent, 300);
  OK(sfnec_agent_ask_places(agent, scratch, states[0], NULL, 0, 8, views, &count));
  assert_int_equal(count, STATES);
  double values[STATES];
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    while (at < STATES && memcmp(views[i].observation, states[at], sizeof states[at]) != 0) at++;
    assert_true(at < STATES && !views[i].frontier);
    values[at] = views[i].value;
  }
  // 3 pays by staying there, 2 and 1 are one and two steps away; what follows is discounted by 0.95
  NEAR(values[3], 20, 0.1);
  NEAR(values[2], 20, 0.1);
  NEAR(values[1], 19, 0.1);
  NEAR(values[0], 18.05, 0.1);
  OK(sfnec_agent_ask_places(agent, scratch, states[0], NULL, 3, 8, views, &count));
  assert_int_equal(count, 1);
  OK(sfnec_agent_ask_places(agent, scratch, states[0], NULL, 4, 8, views, &count));
  assert_int_equal(count, 0);

  OK(sfnec_agent_ask_path(agent, scratch, states[0], NULL, 8, views, &count));
  assert_int_equal(count, 3); // then it stays
  for (size_t i = 0; i < 3; i++) assert_memory_equal(views[i].observation, states[i + 1], sizeof states[0]);
  NEAR(views[0].value, 19, 0.1);
  OK(sfnec_agent_ask_path(agent, scratch, states[0], NULL, 2, views, &count));
  assert_int_equal(count, 2);
  // under other weights it flees
  OK(sfnec_agent_ask_path(agent, scratch, states[3], (const double[]){-1, 0}, 8, views, &count));
  assert_int_equal(count, 1);
  assert_memory_equal(views[0].observation, states[0], sizeof states[0]);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// Setting the task that is active already forgets nothing: with predict=reward another task has other rewards.
static void test_same_task(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec-plan", (const char *const[]){"predict=reward", NULL});
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  walk(agent, 300);
  double before[2 * ACTIONS], after[2 * ACTIONS];
  OK(ask_q(agent, states[2], NULL, before));
  assert_true(before[1] > 15);
  for (int a = 0; a < ACTIONS; a++) assert_true(before[a] == before[ACTIONS + a]); // one plan, whatever the task
  OK(sfnec_agent_set_task(agent, 1));
  OK(ask_q(agent, states[2], NULL, after));
  assert_memory_equal(before, after, sizeof before);
  OK(sfnec_agent_set_task(agent, 0));
  OK(ask_q(agent, states[2], NULL, after));
  assert_true(after[1] < 1);
  sfnec_agent_destroy(agent);
}

static void test_refused(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  sfnec_model_info info = {.places = -1};
  REFUSED(sfnec_agent_get_model_info(agent, &info), SFNEC_ERROR_STATE, "does not plan");
  assert_int_equal(info.places, -1);
  sfnec_component_info component = {.p = -1};
  REFUSED(sfnec_agent_get_component_info(agent, 0, &component), SFNEC_ERROR_STATE, "does not plan");
  REFUSED(sfnec_agent_get_component_info(agent, -1, &component), SFNEC_ERROR_ARGUMENT, "no component -1");
  REFUSED(sfnec_agent_get_component_info(agent, sfnec_agent_get_shape(agent).observation_size, &component),
          SFNEC_ERROR_ARGUMENT, "numbered from 0");
  assert_true(component.p == -1);
  sfnec_place_view view;
  size_t count = 9;
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  sfnec_scratch *scratch = scratch_for(agent);
  REFUSED(sfnec_agent_ask_places(agent, scratch, states[0], NULL, 0, 1, &view, &count), SFNEC_ERROR_STATE, "not plan");
  REFUSED(sfnec_agent_ask_path(agent, scratch, states[0], NULL, 1, &view, &count), SFNEC_ERROR_STATE, "not plan");
  assert_int_equal(count, 9);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),  cmocka_unit_test(test_components), cmocka_unit_test(test_noise),
      cmocka_unit_test(test_states), cmocka_unit_test(test_same_task),  cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
