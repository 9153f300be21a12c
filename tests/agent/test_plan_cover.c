// test_plan_cover.c: what a plan's transitions cover, where it leaves them, and what it is worth by the model.
#include "support/tiny.h"

#include "sfnec/random.h"

enum { CELLS = 10 };
static const sfnec_env_shape line_shape = {.observation_size = 1, .action_count = 2, .feature_count = 1};

// A corridor with a reward at its end, `noisy` with a reward of 0 or 2 on average 1; the first `until` transitions of
// episodes from cell 0 that go right, but for a step in `left`.
static sfnec_agent *walked(int steps, int left, bool noisy) {
  const char *const settings[] = {"terminal=zero", "gamma=0.9", "pessimism=0", NULL};
  sfnec_agent *agent = agent_for(&line_shape, "sfnec-plan", settings, 1);
  sfnec_random random = sfnec_random_start(3, SFNEC_PURPOSE_WORLD);
  OK(sfnec_agent_begin_task(agent, (const double[]){1}, NULL));
  for (int i = 0, cell = 0; i < steps; i++) {
    const float here = (float)cell;
    const int32_t action = left > 0 && i % left == 0 ? 0 : 1;
    cell += action ? 1 : cell > 0 ? -1 : 0;
    const bool end = cell == CELLS - 1;
    const double paid = !end ? 0.0 : noisy ? 2.0 * (sfnec_random_uniform(&random) < 0.5) : 1.0;
    const float next = (float)cell;
    const sfnec_transition moved = {
        .action = action, .features = &paid, .reward = paid, .next_observation = &next, .terminated = end};
    OK(sfnec_agent_learn_transition(agent, &here, &moved));
    if (end) cell = 0;
  }
  OK(sfnec_agent_end_episode(agent));
  return agent;
}

static sfnec_plan_coverage cover(const sfnec_agent *agent, float *observations, int32_t *actions, size_t most) {
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_plan_coverage coverage;
  float start;
  OK(sfnec_agent_get_start(agent, &start));
  assert_true(start == 0.0f);
  OK(sfnec_agent_ask_coverage(agent, scratch, &start, NULL, most, observations, actions, &coverage));
  sfnec_scratch_destroy(scratch);
  return coverage;
}

// Everything was tried: the plan stays inside, and its value is exact.
static void test_covered(void **state) {
  (void)state;
  sfnec_agent *agent = walked(2000, 3, false);
  const sfnec_plan_coverage all = cover(agent, NULL, NULL, 0);
  assert_int_equal(all.states, CELLS - 1);
  assert_int_equal(all.choices, 2 * (CELLS - 1));
  assert_true(all.tried >= all.choices - 1 && all.near >= all.tried);
  assert_int_equal(all.outside, 0);
  assert_int_equal(all.steps, CELLS - 1);
  NEAR(all.value, pow(0.9, CELLS - 2), 0.02);
  assert_true(all.error < 0.02);
  sfnec_agent_destroy(agent);
}

// Left was never tried: half of the choices are unknown.
static void test_holes(void **state) {
  (void)state;
  sfnec_agent *agent = walked(500, 0, false);
  const sfnec_plan_coverage half = cover(agent, NULL, NULL, 0);
  assert_int_equal(2 * half.tried, half.choices);
  sfnec_agent_destroy(agent);
}

// A weight that makes what was tried cost: the plan leaves the data, and says where.
static void test_outside(void **state) {
  (void)state;
  sfnec_agent *agent = walked(500, 0, false);
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_plan_coverage coverage;
  const double cost = -1;
  const float start = 0;
  float observations[3];
  int32_t actions[3];
  OK(sfnec_agent_ask_coverage(agent, scratch, &start, &cost, 3, observations, actions, &coverage));
  assert_true(coverage.outside > 0);
  assert_int_equal(actions[0], 0);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// Where keys are projections, too, though of states that cannot be told from them.
static void test_projected(void **state) {
  (void)state;
  const sfnec_env_shape plane = {.observation_size = 2, .action_count = 2, .feature_count = 1};
  const char *const settings[] = {"terminal=zero", "embedding=random", "key_size=1", "contexts=off", NULL};
  sfnec_agent *agent = agent_for(&plane, "sfnec-plan", settings, 1);
  sfnec_random random = sfnec_random_start(3, SFNEC_PURPOSE_WORLD);
  OK(sfnec_agent_begin_task(agent, (const double[]){1}, NULL));
  float here[2] = {0, 0};
  for (int i = 0; i < 500; i++) {
    const bool end = i % CELLS == CELLS - 1;
    const double paid = 1;
    float next[2];
    for (int c = 0; c < 2; c++) next[c] = here[c] + 0.5f + 0.2f * (float)sfnec_random_uniform(&random);
    const sfnec_transition moved = {
        .action = 1, .features = &paid, .reward = paid, .next_observation = next, .terminated = end};
    OK(sfnec_agent_learn_transition(agent, here, &moved));
    for (int c = 0; c < 2; c++) here[c] = end ? 0.0f : next[c];
  }
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_plan_coverage coverage;
  float observations[2] = {NAN, NAN};
  int32_t actions[1] = {-1};
  OK(sfnec_agent_ask_coverage(agent, scratch, (const float[]){0, 0}, (const double[]){-1}, 1, observations, actions,
                              &coverage));
  assert_true(coverage.outside > 0);
  assert_int_equal(actions[0], 0);
  assert_true(observations[0] == 0.0f && observations[1] == 0.0f);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// Rewards by chance: the standard error is about that of a mean of so many, discounted.
static void test_error(void **state) {
  (void)state;
  sfnec_agent *few = walked(300, 0, true), *many = walked(3000, 0, true);
  const double discount = pow(0.9, CELLS - 2);
  const sfnec_plan_coverage a = cover(few, NULL, NULL, 0), b = cover(many, NULL, NULL, 0);
  assert_true(a.error > 0.3 * discount / sqrt(33) && a.error < 3 * discount / sqrt(33));
  assert_true(b.error < 0.6 * a.error);
  assert_true(fabs(b.value - discount) < 4 * b.error + 0.02);
  sfnec_agent_destroy(few);
  sfnec_agent_destroy(many);
}

static void test_refusals(void **state) {
  (void)state;
  const float here = 0;
  sfnec_plan_coverage coverage;
  float start[STATES];
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  sfnec_scratch *scratch = scratch_for(agent);
  REFUSED(sfnec_agent_ask_coverage(agent, scratch, states[0], NULL, 0, NULL, NULL, &coverage), SFNEC_ERROR_STATE,
          "does not plan");
  REFUSED(sfnec_agent_get_start(agent, start), SFNEC_ERROR_STATE, "does not know where");
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  agent = agent_for(&line_shape, "sfnec-plan", NULL, 1);
  OK(sfnec_agent_begin_task(agent, (const double[]){1}, NULL));
  scratch = scratch_for(agent);
  REFUSED(sfnec_agent_ask_coverage(agent, scratch, &here, NULL, 0, NULL, NULL, &coverage), SFNEC_ERROR_STATE,
          "no model yet");
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_covered),   cmocka_unit_test(test_holes), cmocka_unit_test(test_outside),
      cmocka_unit_test(test_projected), cmocka_unit_test(test_error), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
