// test_model_info.c: what an agent that plans says of its model.
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
    const sfnec_transition moved = {.action = action, .features = features, .next_observation = states[at]};
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

static void test_refused(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  sfnec_model_info info = {.places = -1};
  REFUSED(sfnec_agent_get_model_info(agent, &info), SFNEC_ERROR_STATE, "does not plan");
  assert_int_equal(info.places, -1);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
