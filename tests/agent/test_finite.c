// test_finite.c: an agent that is told finite numbers holds finite numbers, whatever its rates: it can always be saved
// and loaded again, and says when it diverges and which option to lower.
#include "support/tiny.h"

#include <float.h>

#include "agent/reward.h"
#include "sfnec/random.h"

// Saves, loads, and compares what a second save writes.
static void check_loadable(const sfnec_agent *agent) {
  sfnec_agent *loaded = NULL;
  OK(sfnec_agent_save(agent, "finite.agent"));
  OK(sfnec_agent_load("finite.agent", &loaded));
  OK(sfnec_agent_save(loaded, "again.agent"));
  assert_true(same_files("finite.agent", "again.agent"));
  sfnec_agent_destroy(loaded);
}

static double draw(sfnec_random *random) {
  const double numbers[] = {0, 1, -1, 20, -0.3, 1e-300, 5e-324, 1e30, -1e38, 1e60, 1e100, -1e100};
  return numbers[sfnec_random_below(random, sizeof numbers / sizeof numbers[0])];
}

// Any numbers that are allowed, at rates that make everything diverge.
static void check_extremes(const char *preset, const char *const *settings, sfnec_random *random) {
  sfnec_agent *agent = tiny_agent(preset, settings);
  const float reach[] = {0, 1, -1, FLT_MAX, -FLT_MAX, FLT_MIN, 1e19F};
  for (int step = 0; step < 400; step++) {
    const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
    if (step % 100 == 0) {
      const double w[FEATURES] = {draw(random), draw(random)};
      OK(sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
    }
    if (step % 10 == 0) OK(sfnec_agent_begin_episode(agent));
    float observation[STATES];
    for (int i = 0; i < STATES; i++) observation[i] = reach[sfnec_random_below(random, 7)];
    int32_t action;
    OK(sfnec_agent_act(agent, observation, &action));
    const double features[FEATURES] = {draw(random), draw(random)};
    const sfnec_transition transition = {action, features, draw(random), observation, false, step % 10 == 9, NULL};
    const sfnec_status status = sfnec_agent_observe(agent, &transition);
    if (status) REFUSED(status, SFNEC_ERROR_STATE, "lower the option");
    if (step % 50 == 13) check_loadable(agent);
  }
  sfnec_agent_destroy(agent);
}

static void test_extremes(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "sfnec-plus", "nec", "sfql", "ql"};
  const char *const w[] = {"w=given", "w=sgd", "w=rls"};
  const char *const more[] = {"embedding=identity", "embedding=mlp", "embedding=pca", "embedding=random"};
  const char *const batch[] = {"training=sample", "training=batch", "training=sample", "training=batch"};
  sfnec_random random = sfnec_random_start(1, 1000);
  for (size_t i = 0; i < 5; i++) {
    for (size_t j = 0; j < 3; j++) {
      for (size_t k = 0; k < 4; k++) {
        const char *const settings[] = {"rate=1000",
                                        "key_rate=1000",
                                        "embedding_rate=1000",
                                        "clip=0",
                                        "w_rate=1000",
                                        "w_init_sd=1000",
                                        "rls_prior=1e12",
                                        "batch=2",
                                        "train_every=1",
                                        "pca_observations=20",
                                        "key_size=2",
                                        w[j],
                                        more[k],
                                        batch[k],
                                        NULL};
        check_extremes(presets[i], settings, &random);
      }
    }
  }
}

// The same numbers, for an agent that squares distances and adds values up in floats.
static void test_plan_extremes(void **state) {
  (void)state;
  const char *const w[] = {"w=given", "w=sgd", "w=rls"};
  const char *const more[][4] = {{"radius=0", "bonus=0", "caution=0"},
                                 {"radius=1e6", "borrow=1e6", "bonus=1e6", "caution=1e6"},
                                 {"gamma=0.9999999999", "terminal=zero", "samples=1"},
                                 {"gamma=0", "predict=reward", "contexts=off", "places=16"}};
  sfnec_random random = sfnec_random_start(7, 1000);
  for (size_t i = 0; i < 12; i++) {
    const char *const *with = more[i / 3];
    const char *const settings[] = {w[i % 3], with[0], with[1], with[2], with[3], NULL};
    check_extremes("sfnec-plan", settings, &random);
  }
}

// Beyond that, numbers are refused, and nothing changes.
static void test_limits(void **state) {
  (void)state;
  const double w[FEATURES] = {1, 1}, huge[FEATURES] = {1, 1.1e100};
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  REFUSED(sfnec_agent_begin_task(agent, huge, NULL), SFNEC_ERROR_ARGUMENT, "none beyond 1e+100");
  OK(sfnec_agent_begin_task(agent, w, NULL));
  REFUSED(sfnec_agent_set_task_weights(agent, 0, huge), SFNEC_ERROR_ARGUMENT, "none beyond 1e+100");
  OK(sfnec_agent_begin_episode(agent));
  int32_t action;
  OK(sfnec_agent_act(agent, states[0], &action));
  sfnec_transition transition = {0, huge, 1, states[1], false, false, NULL};
  REFUSED(sfnec_agent_observe(agent, &transition), SFNEC_ERROR_ARGUMENT, "none beyond 1e+100");
  transition.features = w;
  transition.reward = 1e300;
  REFUSED(sfnec_agent_observe(agent, &transition), SFNEC_ERROR_ARGUMENT, "not beyond 1e+100");
  transition.reward = 2;
  OK(sfnec_agent_observe(agent, &transition));
  sfnec_agent_destroy(agent);
}

// ---- w=sgd ----

enum { N = 4 };

// The rule of the paper, to the bit, as long as rate |phi|^2 is at most 2.
static void test_sgd_as_published(void **state) {
  (void)state;
  const sfnec_agent_options options = options_of("sfnec", (const char *const[]){"w=sgd", NULL});
  sfnec_random random = sfnec_random_start(2, 1000);
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, &options, N, NULL, &random));
  double w[N];
  memcpy(w, reward.w, sizeof w);
  for (int step = 0; step < 2000; step++) {
    double phi[N], squares = 0;
    for (int i = 0; i < N; i++) phi[i] = 3 * sfnec_random_normal(&random);
    for (int i = 0; i < N; i++) squares += phi[i] * phi[i];
    if (options.w_rate * squares > 2) continue;
    const double r = sfnec_random_normal(&random);
    double error = 0;
    for (int i = 0; i < N; i++) error += phi[i] * w[i];
    error = r - error;
    for (int i = 0; i < N; i++) w[i] += options.w_rate * error * phi[i];
    OK(sfnec_reward_learn(&reward, &options, phi, r));
    assert_memory_equal(reward.w, w, sizeof w);
  }
  sfnec_reward_clear(&reward);
}

// Large features, or a large rate: it finds the weights all the same.
static void test_sgd_is_safe(void **state) {
  (void)state;
  const double truth[N] = {1, -2, 0.5, 3};
  const char *const rates[] = {"w_rate=0.05", "w_rate=3", "w_rate=1000"};
  for (int k = 0; k < 3; k++) {
    const sfnec_agent_options options = options_of("sfnec", (const char *const[]){"w=sgd", rates[k], NULL});
    sfnec_random random = sfnec_random_start(3, 1000);
    sfnec_reward reward;
    OK(sfnec_reward_init(&reward, &options, N, NULL, &random));
    for (int step = 0; step < 3000; step++) {
      double phi[N], r = 0;
      for (int i = 0; i < N; i++) phi[i] = 40 * sfnec_random_uniform(&random) - 20;
      for (int i = 0; i < N; i++) r += truth[i] * phi[i];
      OK(sfnec_reward_learn(&reward, &options, phi, r));
    }
    for (int i = 0; i < N; i++) NEAR(reward.w[i], truth[i], 1e-6);
    sfnec_reward_clear(&reward);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_extremes),         cmocka_unit_test(test_plan_extremes), cmocka_unit_test(test_limits),
      cmocka_unit_test(test_sgd_as_published), cmocka_unit_test(test_sgd_is_safe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
