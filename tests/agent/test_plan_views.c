// test_plan_views.c: what an agent that plans says of its model, its states and its plan.
#include "support/tiny.h"

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
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_states),
      cmocka_unit_test(test_same_task),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
