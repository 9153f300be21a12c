// test_psi.c: both kinds of psi by hand: the blend, the write and one gradient step; SFQL's update and its warm start.
#include "support/check.h"
#include "support/tiny.h"

#include "agent/gpi.h"

// A psi over one-number observations with two features, unless told otherwise.
static sfnec_psi_scratch scratch;

static sfnec_psi_config shape_of(const char *preset, const char *const *settings) {
  sfnec_psi_config config = {.options = options_of(preset, settings),
                             .simd = sfnec_simd_at(0),
                             .scratch = &scratch,
                             .shape = {.observation_size = 1},
                             .observation_size = 1};
  if (!scratch.search) scratch.search = sfnec_index_scratch_create();
  assert_non_null(scratch.search);
  config.psi_size = 2;
  config.action_count = 2;
  return config;
}

static sfnec_psi *create(const sfnec_psi_config *config) {
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_psi *psi = NULL;
  OK(sfnec_psi_create(config, NULL, &init, &psi));
  return psi;
}

static void learn(sfnec_psi *psi, float at, int action, double a, double b) {
  const double target[2] = {a, b};
  OK(psi->ops->learn(psi, &at, action, target, target));
}

// Asks with a fresh answer; returns the remoteness.
static double ask(const sfnec_psi *psi, const float *at, int action, double value[2]) {
  sfnec_answer answer;
  void *block = malloc(sfnec_answer_size(psi->config));
  assert_non_null(block);
  sfnec_answer_place(psi->config, block, &answer);
  psi->ops->ask(psi, &scratch, at, action, &answer);
  memcpy(value, answer.lookup.value, psi->config->psi_size * sizeof *value);
  free(block);
  return answer.remoteness;
}

static void check(const sfnec_psi *psi, float at, int action, double a, double b) {
  double value[2];
  ask(psi, &at, action, value);
  NEAR(value[0], a, 3e-7);
  NEAR(value[1], b, 3e-7);
}

// ---- episodic ----

// Keys 0, 1, 3 seen from 0 with delta 1: kernel 1, 1/2, 1/10, their sum 1.6.
static void test_blend(void **state) {
  (void)state;
  const char *const three[] = {"delta=1", "rate=0", "neighbours=20", NULL};
  const char *const two[] = {"delta=1", "rate=0", "neighbours=2", NULL};
  const char *const inverse[] = {"delta=1", "rate=0", "kernel=inverse", NULL};
  const char *const *const settings[] = {three, two, inverse};
  const double other = 1 / (sqrt(1 + 1e-8) + 1), far = 1 / (sqrt(9 + 1e-8) + 1), self = 1 / (1e-4 + 1);
  const double expected[3][2] = {
      {3.0 / 1.6, 4.6 / 1.6},
      {2.5 / 1.5, 4.0 / 1.5},
      {(self + 3 * other + 5 * far) / (self + other + far), (2 * self + 4 * other + 6 * far) / (self + other + far)}};
  for (int i = 0; i < 3; i++) {
    const sfnec_psi_config config = shape_of("sfnec", settings[i]);
    sfnec_psi *psi = create(&config);
    learn(psi, 0, 1, 1, 2);
    learn(psi, 1, 1, 3, 4);
    learn(psi, 3, 1, 5, 6);
    check(psi, 0, 1, expected[i][0], expected[i][1]);
    check(psi, 0, 0, 0, 0); // the other action's memory is empty
    assert_int_equal(sfnec_psi_entries(psi), 3);
    sfnec_psi_destroy(psi);
  }
}

static void test_remoteness(void **state) {
  (void)state;
  const char *const settings[] = {"rate=0", NULL};
  const sfnec_psi_config config = shape_of("sfnec", settings);
  sfnec_psi *psi = create(&config);
  const float at[] = {0, 0.25f, 0.5f, 5};
  const double expected[] = {0, 0.25, 0.5, 1};
  double value[2];
  assert_true(ask(psi, &at[0], 0, value) == 1.0);
  learn(psi, 0, 0, 1, 2);
  learn(psi, 1, 0, 1, 2);
  for (int i = 0; i < 4; i++) NEAR(ask(psi, &at[i], 0, value), expected[i], 1e-15);
  assert_true(ask(psi, &at[0], 1, value) == 1.0);
  sfnec_psi_destroy(psi);
}

// rate 0.1, two features: an error e moves a neighbour of weight v by 2/2 * 0.1 * v * e.
static void test_step(void **state) {
  (void)state;
  const char *const settings[] = {"delta=1", "rate=0.1", "neighbours=2", "alpha=0.1", NULL};
  const sfnec_psi_config config = shape_of("sfnec", settings);
  sfnec_psi *psi = create(&config);
  const sfnec_memory *memory = psi->ops->memory(psi, 0);
  learn(psi, 0, 0, 1, 2); // alone: psi is the target, no error
  assert_true(sfnec_memory_value(memory, 0)[0] == 1.0f && sfnec_memory_value(memory, 0)[1] == 2.0f);

  // weights 2/3 and 1/3: psi = (7/3, 10/3), error 2/3 in both, step 1/15
  learn(psi, 1, 0, 3, 4);
  NEAR((double)sfnec_memory_value(memory, 1)[0], 3 + 2.0 / 45, 2e-7);
  NEAR((double)sfnec_memory_value(memory, 1)[1], 4 + 2.0 / 45, 2e-7);
  NEAR((double)sfnec_memory_value(memory, 0)[0], 1 + 1.0 / 45, 2e-7);
  NEAR((double)sfnec_memory_value(memory, 0)[1], 2 + 1.0 / 45, 2e-7);

  // a key that is there: first a tenth of the way to (2, 0), from 46/45 and 91/45: 1.12 and 1.82; then the step
  learn(psi, 0, 0, 2, 0);
  const double step0 = 0.1 * (2 - (2.0 / 3 * 1.12 + 1.0 / 3 * (3 + 2.0 / 45)));
  const double step1 = 0.1 * (0 - (2.0 / 3 * 1.82 + 1.0 / 3 * (4 + 2.0 / 45)));
  NEAR((double)sfnec_memory_value(memory, 0)[0], 1.12 + 2.0 / 3 * step0, 3e-7);
  NEAR((double)sfnec_memory_value(memory, 0)[1], 1.82 + 2.0 / 3 * step1, 3e-7);
  NEAR((double)sfnec_memory_value(memory, 1)[0], 3 + 2.0 / 45 + 1.0 / 3 * step0, 3e-7);
  NEAR((double)sfnec_memory_value(memory, 1)[1], 4 + 2.0 / 45 + 1.0 / 3 * step1, 3e-7);
  assert_int_equal(sfnec_psi_entries(psi), 2);
  sfnec_psi_destroy(psi);
}

// What is written and what is trained with may differ: with rate 0 only the write counts, with alpha 0 only the step.
static void test_written(void **state) {
  (void)state;
  const double first[2] = {1, 2}, target[2] = {2, 2}, written[2] = {11, 2};
  const float at = 0;
  const char *const settings[2][4] = {{"rate=0", "alpha=0.1", NULL}, {"rate=0.1", "alpha=0", NULL}};
  const double expected[2] = {2, 1.1};
  for (int i = 0; i < 2; i++) {
    const sfnec_psi_config config = shape_of("sfnec", settings[i]);
    sfnec_psi *psi = create(&config);
    const sfnec_memory *memory = psi->ops->memory(psi, 0);
    OK(psi->ops->learn(psi, &at, 0, first, NULL)); // nothing is written
    assert_int_equal(sfnec_memory_count(memory), 0);
    OK(psi->ops->learn(psi, &at, 0, first, first));
    OK(psi->ops->learn(psi, &at, 0, target, written));
    NEAR((double)sfnec_memory_value(memory, 0)[0], expected[i], 3e-7);
    NEAR((double)sfnec_memory_value(memory, 0)[1], 2, 3e-7);
    sfnec_psi_destroy(psi);
  }
}

// The mean over n components: the same error moves one component by 2 rate, each of four by rate / 2.
static void test_step_over_features(void **state) {
  (void)state;
  const char *const settings[] = {"delta=1", "rate=0.1", "neighbours=2", NULL};
  const size_t sizes[] = {1, 4};
  for (int i = 0; i < 2; i++) {
    sfnec_psi_config config = shape_of("sfnec", settings);
    config.psi_size = sizes[i];
    sfnec_psi *psi = create(&config);
    const double zeros[4] = {0}, ones[4] = {1, 1, 1, 1};
    const float near = 0, far = 1;
    OK(psi->ops->learn(psi, &near, 0, zeros, zeros));
    OK(psi->ops->learn(psi, &far, 0, ones, ones)); // psi = 2/3, error 1/3
    const double step = 2 * 0.1 / (double)sizes[i] / 3;
    NEAR((double)sfnec_memory_value(psi->ops->memory(psi, 0), 1)[sizes[i] - 1], 1 + 2.0 / 3 * step, 2e-7);
    NEAR((double)sfnec_memory_value(psi->ops->memory(psi, 0), 0)[sizes[i] - 1], 1.0 / 3 * step, 2e-7);
    sfnec_psi_destroy(psi);
  }
}

// Training counts as use: writing 0.1 looks 0 up, so that 5 is the one to go. Without training, 0 goes.
static void test_training_is_use(void **state) {
  (void)state;
  const char *const trained[] = {"capacity=3", "neighbours=2", "rate=0.05", NULL};
  const char *const written[] = {"capacity=3", "neighbours=2", "rate=0", NULL};
  for (int i = 0; i < 2; i++) {
    const sfnec_psi_config config = shape_of("sfnec", i ? written : trained);
    sfnec_psi *psi = create(&config);
    const float keys[] = {0, 5, 0.1f, 20};
    for (int j = 0; j < 4; j++) learn(psi, keys[j], 0, 1, 1);
    assert_int_equal(sfnec_psi_entries(psi), 3);
    double value[2];
    assert_true((ask(psi, &keys[0], 0, value) == 0.0) == (i == 0));
    assert_true((ask(psi, &keys[1], 0, value) == 0.0) == (i == 1));
    sfnec_psi_destroy(psi);
  }
}

// An answer that was given before is brought up to date after a write and after a step, and says so to nobody else.
static void test_answer_follows(void **state) {
  (void)state;
  const char *const settings[] = {"delta=1", "rate=0.1", "neighbours=2", NULL};
  for (int kind = 0; kind < 2; kind++) {
    const sfnec_psi_config config = shape_of(kind ? "sfql" : "sfnec", settings);
    sfnec_psi *psi = create(&config);
    sfnec_answer answer;
    void *block = malloc(sfnec_answer_size(&config));
    sfnec_answer_place(&config, block, &answer);
    const float at = 0.5f;
    double fresh[2];
    for (int i = 0; i < 6; i++) {
      learn(psi, (float)(i % 3), 0, i, -i);
      psi->ops->ask(psi, &scratch, &at, 0, &answer);
      ask(psi, &at, 0, fresh);
      assert_true(answer.lookup.value[0] == fresh[0] && answer.lookup.value[1] == fresh[1]);
      const double step[2] = {1, 2};
      const sfnec_psi_step once = {&at, 0, &answer, step};
      assert_int_equal(psi->ops->nudge(psi, &once, 1), SFNEC_OK);
      psi->ops->ask(psi, &scratch, &at, 0, &answer);
      ask(psi, &at, 0, fresh);
      assert_true(answer.lookup.value[0] == fresh[0] && answer.lookup.value[1] == fresh[1]);
    }
    free(block);
    sfnec_psi_destroy(psi);
  }
}

// ---- linear ----

// psi_f = sum_i s_i z_if; z_if += rate (target_f - psi_f) s_i
static void test_linear(void **state) {
  (void)state;
  const char *const settings[] = {"rate=0.1", "init_sd=0", NULL};
  sfnec_psi_config config = shape_of("sfql", settings);
  config.observation_size = 2;
  config.shape.observation_size = 2;
  sfnec_psi *psi = create(&config);
  const float s[2] = {1, 2}, unit[2] = {1, 0};
  const double target[2] = {3, -1};
  double value[2];
  assert_true(ask(psi, s, 0, value) == 0.0 && value[0] == 0 && value[1] == 0);
  OK(psi->ops->learn(psi, s, 0, target, target)); // z = (0.3, -0.1), (0.6, -0.2)
  ask(psi, unit, 0, value);
  NEAR(value[0], 0.3, 1e-15);
  NEAR(value[1], -0.1, 1e-15);
  ask(psi, s, 0, value);
  NEAR(value[0], 1.5, 1e-15);
  NEAR(value[1], -0.5, 1e-15);
  OK(psi->ops->learn(psi, s, 0, target, target)); // errors 1.5 and -0.5: psi grows by 0.1 * 5 of them
  ask(psi, s, 0, value);
  NEAR(value[0], 2.25, 1e-15);
  NEAR(value[1], -0.75, 1e-15);
  ask(psi, s, 1, value);
  assert_true(value[0] == 0 && value[1] == 0);
  assert_int_equal(sfnec_psi_entries(psi), 0);
  assert_null(psi->ops->memory(psi, 0));
  sfnec_psi_destroy(psi);
}

static void test_linear_start(void **state) {
  (void)state;
  const char *const none[] = {"warm_start=none", NULL};
  sfnec_psi_config config = shape_of("sfql", NULL);
  config.observation_size = 50;
  config.shape.observation_size = 50;
  config.action_count = 40;
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_psi *first = NULL, *second = NULL, *fresh = NULL;
  OK(sfnec_psi_create(&config, NULL, &init, &first));
  assert_int_equal(init.counter, 50 * 40 * 2);
  double squares = 0, value[2], other[2];
  float unit[50] = {0};
  for (int a = 0; a < 40; a++) {
    for (int i = 0; i < 50; i++) {
      unit[i] = 1;
      ask(first, unit, a, value);
      squares += value[0] * value[0] + value[1] * value[1];
      unit[i] = 0;
    }
  }
  NEAR(sqrt(squares / 4000) / 0.01, 1, 4 / sqrt(8000.0));

  // a copy that draws nothing, and then goes its own way
  OK(sfnec_psi_create(&config, first, &init, &second));
  assert_int_equal(init.counter, 4000);
  unit[3] = 1;
  const double target[2] = {1, 1};
  for (int a = 0; a < 40; a++) {
    ask(first, unit, a, value);
    ask(second, unit, a, other);
    assert_memory_equal(value, other, sizeof value);
  }
  OK(second->ops->learn(second, unit, 7, target, target));
  ask(first, unit, 7, value);
  ask(second, unit, 7, other);
  assert_true(fabs(value[0]) < 0.06 && other[0] == value[0] + 0.01 * (1 - value[0]));

  config.options = options_of("sfql", none);
  OK(sfnec_psi_create(&config, first, &init, &fresh));
  assert_int_equal(init.counter, 8000);
  sfnec_psi_destroy(first);
  sfnec_psi_destroy(second);
  sfnec_psi_destroy(fresh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blend),
      cmocka_unit_test(test_remoteness),
      cmocka_unit_test(test_step),
      cmocka_unit_test(test_written),
      cmocka_unit_test(test_step_over_features),
      cmocka_unit_test(test_training_is_use),
      cmocka_unit_test(test_answer_follows),
      cmocka_unit_test(test_linear),
      cmocka_unit_test(test_linear_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
