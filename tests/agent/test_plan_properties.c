// test_plan_properties.c: what must not matter to an agent that plans: a component that it has dropped, the order and
// the units of components, and a component that means nothing.
#include "support/tiny.h"

#include <math.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "sfnec/random.h"

enum { WAYS = 4, COMPONENTS = 4, MOST = 60 };

// How a place in a square is observed.
typedef struct sensor {
  int size;
  int from[COMPONENTS]; // 0, 1: the numbers of the place; 2: noise; 3: a bit
  float unit[COMPONENTS];
} sensor;

static const sensor plain = {2, {0, 1}, {1, 1}};

static void see(const sensor *by, const float *at, sfnec_random *noise, float *observation) {
  const float all[] = {at[0], at[1], (float)sfnec_random_normal(noise), (float)sfnec_random_below(noise, 2)};
  for (int i = 0; i < by->size; i++) observation[i] = all[by->from[i]] * by->unit[i];
}

static sfnec_agent *agent_of(const sensor *by, uint64_t seed) {
  static const char *const settings[] = {"terminal=zero", "backups=2000", NULL};
  const double both[FEATURES] = {1, 1};
  const sfnec_env_shape shape = {.observation_size = by->size, .action_count = WAYS, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, seed);
  OK(sfnec_agent_begin_task(agent, both, NULL));
  return agent;
}

// Learns in a square with a goal in a corner; returns what was earned, and what was done as a number.
static double learn(sfnec_agent *agent, const sensor *by, int steps, uint64_t seed, uint64_t *trace) {
  sfnec_random random = sfnec_random_start(seed, 79), noise = sfnec_random_start(seed, 80);
  double earned = 0;
  for (int step = 0; step < steps;) {
    float at[2] = {0.2f, 0.2f}, here[COMPONENTS], next[COMPONENTS];
    see(by, at, &noise, here);
    OK(sfnec_agent_begin_episode(agent));
    bool there = false;
    for (int t = 0; t < MOST && step < steps && !there; t++, step++) {
      sfnec_transition moved = {.next_observation = next};
      OK(sfnec_agent_act(agent, here, &moved.action));
      *trace = *trace * 31 + (uint64_t)moved.action + 1;
      const float far = 0.05f + 0.05f * (float)sfnec_random_uniform(&random);
      float *number = &at[moved.action / 2];
      *number = fminf(fmaxf(*number + (moved.action % 2 ? -far : far), 0), 1);
      there = at[0] > 0.8f && at[1] > 0.8f;
      see(by, at, &noise, next);
      const double features[FEATURES] = {there, -0.01};
      moved.features = features;
      moved.reward = features[0] + features[1];
      moved.terminated = there, moved.truncated = !there && t + 1 == MOST;
      earned += moved.reward;
      OK(sfnec_agent_observe(agent, &moved));
      memcpy(here, next, sizeof here);
    }
    OK(sfnec_agent_end_episode(agent));
  }
  return earned;
}

// What noise and a bit say changes no answer to the bit, once they are dropped.
static void test_dropped(void **state) {
  (void)state;
  const sensor with_junk = {4, {2, 0, 3, 1}, {1, 1, 1, 1}};
  sfnec_agent *agent = agent_of(&with_junk, 5);
  uint64_t trace = 0;
  learn(agent, &with_junk, 3000, 5, &trace);
  sfnec_component_info info;
  for (size_t i = 0; i < 4; i++) {
    OK(sfnec_agent_get_component_info(agent, i, &info));
    assert_int_equal(info.role == SFNEC_COMPONENT_DROPPED, i % 2 == 0);
  }
  sfnec_scratch *scratch = scratch_for(agent);
  for (int i = 0; i < 20; i++) {
    const float x = 0.05f * (float)i, y = 1 - x;
    double q[WAYS], other[WAYS];
    OK(sfnec_agent_ask_q(agent, scratch, (const float[]){0, x, 0, y}, NULL, q));
    OK(sfnec_agent_ask_q(agent, scratch, (const float[]){(float)i - 10, x, 1, y}, NULL, other));
    assert_memory_equal(q, other, sizeof q);
  }
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
}

// The units of components (powers of two, which do not round) and, of two of them, their order.
static void test_units_and_order(void **state) {
  (void)state;
  const sensor others[] = {{2, {0, 1}, {8, 0.25f}}, {2, {0, 1}, {1024, 1024}}, {2, {1, 0}, {1, 1}}};
  for (uint64_t seed = 1; seed <= 3; seed++) {
    uint64_t trace = 0;
    sfnec_agent *agent = agent_of(&plain, seed);
    const double earned = learn(agent, &plain, 2500, seed, &trace);
    assert_true(earned > 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
      uint64_t same = 0;
      sfnec_agent *other = agent_of(&others[i], seed);
      assert_true(learn(other, &others[i], 2500, seed, &same) == earned);
      assert_true(same == trace);
      sfnec_agent_destroy(other);
    }
    sfnec_agent_destroy(agent);
  }
}

// Noise among the components changes what is earned by no more than its error.
static void test_irrelevant(void **state) {
  (void)state;
  enum { SEEDS = 12, STEPS = 4000 };
  const sensor noisy = {3, {0, 2, 1}, {1, 1, 1}};
  double mean = 0, squares = 0, without = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uint64_t trace = 0;
    sfnec_agent *a = agent_of(&plain, seed), *b = agent_of(&noisy, seed);
    learn(a, &plain, 1500, seed, &trace); // until it knows what matters
    learn(b, &noisy, 1500, seed, &trace);
    const double clean = learn(a, &plain, STEPS - 1500, seed + 100, &trace);
    const double gap = learn(b, &noisy, STEPS - 1500, seed + 100, &trace) - clean;
    without += clean / SEEDS;
    mean += gap / SEEDS;
    squares += gap * gap / SEEDS;
    sfnec_agent_destroy(a);
    sfnec_agent_destroy(b);
  }
  const double error = sqrt((squares - mean * mean) / (SEEDS - 1));
  print_message("%.2f without noise, %+.2f ± %.2f with it\n", without, mean, error);
  assert_true(mean > -2 * error - 0.01 * without);
  assert_true(error < 0.1 * without); // else it says nothing
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dropped),
      cmocka_unit_test(test_units_and_order),
      cmocka_unit_test(test_irrelevant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
