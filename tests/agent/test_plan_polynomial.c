// test_plan_polynomial.c: worlds without a tabular: moves that follow a polynomial are predicted by it and others are
// not, and a model that is exact is followed step by step.
#include "support/tiny.h"

#include <stdlib.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "sfnec/env.h"
#include "sfnec/random.h"
#include "simd/simd.h"

// ---- a polynomial by itself ----

enum { COUNT = 400, STRIDE = 3, NUMBERS = 2 };

typedef struct seen {
  uint32_t samples[COUNT];
  float origins[COUNT][STRIDE], targets[COUNT][STRIDE];
} seen;

// What an action does at (x, y): along x by a polynomial, of fourth degree if `curved`, along y as at a wall, or
// nothing.
static void happen(float x, float y, bool curved, float *moved) {
  moved[0] = 0.1f + 0.3f * x - 0.2f * x * y + 0.4f * y * y + (curved ? 4.0f * x * x * y * (y - x) : 0.0f);
  moved[1] = y < 0.3f && !curved ? 0.5f : 0.0f;
}

static sfnec_polynomial_samples see(seen *all, size_t count, bool curved) {
  sfnec_random random = sfnec_random_start(1, 1);
  for (uint32_t s = 0; s < count; s++) {
    float moved[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++) all->origins[s][i] = (float)sfnec_random_uniform(&random);
    happen(all->origins[s][0], all->origins[s][1], curved, moved);
    for (size_t i = 0; i < NUMBERS; i++) all->targets[s][i] = all->origins[s][i] + moved[i];
    all->samples[s] = s;
  }
  return (sfnec_polynomial_samples){count, all->samples, &all->origins[0][0], &all->targets[0][0], STRIDE};
}

// What a polynomial has for two states: f(here) - f(origin).
static void turn_between(const sfnec_polynomial *polynomial, uint32_t action, const float *here, const float *origin,
                         float *turn) {
  float from[SFNEC_POLYNOMIAL_KEY];
  sfnec_polynomial_at(polynomial, action, here, turn);
  sfnec_polynomial_at(polynomial, action, origin, from);
  for (size_t i = 0; i < polynomial->size; i++) turn[i] -= from[i];
}

// Where a polynomial tells, it is the difference between two states; elsewhere nothing is corrected.
static void test_polynomial(void **unused) {
  (void)unused;
  static seen all;
  for (int curved = 0; curved <= 1; curved++) {
    const sfnec_polynomial_samples samples = see(&all, COUNT, curved);
    sfnec_polynomial polynomial;
    OK(sfnec_polynomial_init(&polynomial, NUMBERS, 2, sfnec_polynomial_degree(NUMBERS, COUNT)));
    sfnec_polynomial_measure(&polynomial, &samples);
    OK(sfnec_polynomial_fit(&polynomial, 1, &samples));
    const size_t cubic = 5; // the first term of third degree: those are there only where they are needed
    float higher = 0;
    for (size_t i = cubic * polynomial.size; i < polynomial.terms * polynomial.size; i++) {
      higher += fabsf(polynomial.weights[polynomial.terms * polynomial.size + i]);
    }
    assert_true(curved ? higher > 0 : higher == 0);
    float turn[SFNEC_POLYNOMIAL_KEY];
    for (int i = 0; i < 50; i++) {
      const float *here = all.origins[i], *origin = all.origins[i + 50];
      float at[NUMBERS], from[NUMBERS];
      happen(here[0], here[1], curved, at);
      happen(origin[0], origin[1], curved, from);
      turn_between(&polynomial, 1, here, origin, turn);
      assert_true(fabsf(turn[0] - (at[0] - from[0])) < (curved ? 0.05f : 0.01f)); // of about 1
      assert_true(turn[1] == 0.0f);
      turn_between(&polynomial, 0, here, origin, turn); // of that action nothing was seen
      assert_true(turn[0] == 0.0f && turn[1] == 0.0f);
    }
    assert_true(polynomial.error < 0.01f); // one of some ten samples has its nearest one beyond the wall; most have not
    assert_true(curved ? polynomial.mean < 0.02f : polynomial.mean > 5 * polynomial.error && polynomial.mean > 0.02f);
    sfnec_polynomial_clear(&polynomial);
  }
}

// However far a state is, and whatever a file says, what is expected is a number.
static void test_far(void **unused) {
  (void)unused;
  static seen all;
  const sfnec_polynomial_samples samples = see(&all, COUNT, true);
  sfnec_polynomial polynomial;
  OK(sfnec_polynomial_init(&polynomial, NUMBERS, 1, 4));
  sfnec_polynomial_measure(&polynomial, &samples);
  OK(sfnec_polynomial_fit(&polynomial, 0, &samples));
  for (size_t i = 0; i < polynomial.terms * polynomial.size; i++) polynomial.weights[i] = i % 2 ? 1e12f : -1e12f;
  const float far[NUMBERS] = {1e12f, -1e12f};
  float expected[SFNEC_POLYNOMIAL_KEY];
  polynomial.narrow[1] = 1e12f;
  sfnec_polynomial_at(&polynomial, 0, far, expected);
  for (size_t i = 0; i < polynomial.size; i++) assert_true(isfinite(expected[i]));
  sfnec_polynomial_clear(&polynomial);
}

// Few samples say nothing, and long keys have no polynomial.
static void test_too_little(void **unused) {
  (void)unused;
  static seen all;
  const sfnec_polynomial_samples samples = see(&all, 20, false);
  sfnec_polynomial polynomial;
  OK(sfnec_polynomial_init(&polynomial, NUMBERS, 1, sfnec_polynomial_degree(NUMBERS, 20)));
  sfnec_polynomial_measure(&polynomial, &samples);
  OK(sfnec_polynomial_fit(&polynomial, 0, &samples));
  assert_true(isinf(polynomial.error) && polynomial.terms == 5);
  for (size_t i = 0; i < polynomial.terms * polynomial.size; i++) assert_true(polynomial.weights[i] == 0.0f);
  sfnec_polynomial_clear(&polynomial);
  OK(sfnec_polynomial_init(&polynomial, SFNEC_POLYNOMIAL_KEY + 1, 1, 2));
  assert_int_equal(polynomial.terms, 0);
  assert_int_equal(sfnec_polynomial_degree(6, 836), 3);
  assert_int_equal(sfnec_polynomial_degree(6, 840), 4);
  assert_int_equal(sfnec_polynomial_degree(9, 100000), 2); // there would be too many terms
}

// ---- a pole that is balanced ----

static const double one[FEATURES] = {1};

typedef struct cart {
  sfnec_env *env;
  sfnec_agent *agent;
  float observation[4];
  bool running;
} cart;

static cart open_cart(const char *index, uint64_t seed) {
  cart c = {0};
  const char *const settings[] = {"terminal=zero", "gamma=0.99", index, NULL};
  OK(sfnec_env_create(sfnec_env_kind_find("cartpole"), NULL, seed, &c.env));
  const sfnec_env_shape shape = sfnec_env_get_shape(c.env);
  c.agent = agent_for(&shape, "sfnec-plan", settings, seed);
  OK(sfnec_agent_begin_task(c.agent, one, NULL));
  return c;
}

static void close_cart(cart *c) {
  sfnec_agent_destroy(c->agent);
  sfnec_env_destroy(c->env);
}

static void learn(cart *c, int steps) {
  for (int i = 0; i < steps; i++) {
    if (!c->running) {
      OK(sfnec_env_reset(c->env, c->observation));
      OK(sfnec_agent_begin_episode(c->agent));
    }
    double feature;
    sfnec_env_outcome outcome;
    sfnec_transition moved = {.features = &feature, .next_observation = c->observation};
    OK(sfnec_agent_act(c->agent, c->observation, &moved.action));
    OK(sfnec_env_step(c->env, moved.action, c->observation, &feature, &outcome));
    moved.reward = feature;
    moved.terminated = outcome.terminated, moved.truncated = outcome.truncated;
    OK(sfnec_agent_observe(c->agent, &moved));
    c->running = !outcome.terminated && !outcome.truncated;
  }
}

// The mean length of played episodes: of the choices, or of the greatest q.
static double play(const cart *c, bool chosen) {
  enum { EPISODES = 5 };
  sfnec_env *env = NULL;
  sfnec_scratch *scratch = scratch_for(c->agent);
  OK(sfnec_env_create(sfnec_env_kind_find("cartpole"), NULL, 900, &env));
  int steps = 0;
  for (int i = 0; i < EPISODES; i++) {
    float o[4];
    sfnec_env_outcome outcome = {.terminated = false};
    OK(sfnec_env_reset(env, o));
    for (; !outcome.terminated && !outcome.truncated; steps++) {
      sfnec_choice choice;
      double q[2], feature;
      OK(sfnec_agent_choose(c->agent, scratch, o, one, &choice));
      OK(sfnec_agent_ask_q(c->agent, scratch, o, one, q));
      OK(sfnec_env_step(env, chosen ? choice.action : q[1] > q[0], o, &feature, &outcome));
    }
  }
  sfnec_env_destroy(env);
  sfnec_scratch_destroy(scratch);
  return (double)steps / EPISODES;
}

// Its moves are predicted to a hundredth of a state, so play follows them, and balances far longer than by values of
// states.
static void test_rollouts(void **unused) {
  (void)unused;
  double followed = 0, valued = 0;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    cart c = open_cart("index=fast", seed);
    learn(&c, 2000);
    const sfnec_model *model = sfnec_planner_model(c.agent->planner);
    assert_true(model->polynomial.error < 0.01f * model->radius && sfnec_plan_rollout_steps(model) > 10);
    followed += play(&c, true), valued += play(&c, false);
    close_cart(&c);
  }
  assert_true(followed > 3 * 250 && followed > 1.3 * valued);
}

// Feedback of a move that ended where rollouts foresaw it says nothing of their values; that of one that was blocked
// does. Balancing comes to the same states all the time, and would be told out of the best actions.
static void test_feedback(void **unused) {
  (void)unused;
  enum { PLAYED = 40 };
  cart c = open_cart("index=fast", 1);
  learn(&c, 2000);
  sfnec_scratch *scratch = scratch_for(c.agent);
  const sfnec_corrections *corrections = &scratch->plan->corrections;
  OK(sfnec_env_reset(c.env, c.observation));
  for (uint32_t step = 0; step < PLAYED; step++) {
    float before[4];
    double feature;
    sfnec_choice choice;
    sfnec_env_outcome outcome;
    memcpy(before, c.observation, sizeof before);
    OK(sfnec_agent_choose(c.agent, scratch, before, one, &choice));
    OK(sfnec_env_step(c.env, choice.action, c.observation, &feature, &outcome));
    assert_false(outcome.terminated);
    sfnec_transition moved = {.action = choice.action, .reward = feature, .next_observation = c.observation};
    OK(sfnec_agent_tell(c.agent, scratch, before, &moved));
    assert_int_equal(corrections->count, 0);
  }
  float still[4];
  memcpy(still, c.observation, sizeof still);
  for (int32_t action = 0; action < 2; action++) {
    const sfnec_transition blocked = {.action = action, .reward = 1.0, .next_observation = still};
    OK(sfnec_agent_tell(c.agent, scratch, c.observation, &blocked));
  }
  assert_int_equal(corrections->count, 2);
  sfnec_scratch_destroy(scratch);
  close_cart(&c);
}

// What ten steps of rollouts tell that three do not, at most, under a weight: in states of a fall.
static double far_ahead(const cart *c, double w) {
  const sfnec_planner *planner = c->agent->planner;
  const sfnec_model *model = sfnec_planner_model(planner);
  sfnec_plan_scratch *scratch = NULL;
  OK(sfnec_plan_scratch_create(planner, &scratch));
  double most = 0;
  for (int i = 0; i < 20; i++) {
    const float o[4] = {0, 0, 0.02f * (float)(i % 10), i < 10 ? 0.2f : -0.2f};
    double near[2], far[2];
    uint32_t table, state;
    OK(sfnec_plan_scratch_locate(scratch, o, &w, &table, &state));
    sfnec_plan_rollouts(model, &scratch->plan->values, &scratch->work, table, state, NULL, 3, near);
    OK(sfnec_plan_scratch_locate(scratch, o, &w, &table, &state));
    sfnec_plan_rollouts(model, &scratch->plan->values, &scratch->work, table, state, NULL, 10, far);
    for (int a = 0; a < 2; a++) most = fmax(most, fabs(far[a] - near[a]));
  }
  sfnec_plan_scratch_destroy(scratch);
  return most;
}

// Where steps bring something, all that a rollout meets counts; where they only cost, the first steps count most.
static void test_far_ahead(void **unused) {
  (void)unused;
  cart c = open_cart("index=fast", 6);
  learn(&c, 1500);
  const double paid = far_ahead(&c, 1.0), cost = far_ahead(&c, -1.0);
  assert_true(paid > 10.0 && cost < 2.5);
  close_cart(&c);
}

// ---- values between states ----

// How far the middle of the states that a key is blended over lies from it, and how much they count in all; `plain`:
// were they weighed by distance alone.
static float off_middle(const sfnec_model *model, const float *key, const sfnec_interpolation *around, bool plain,
                        float *weights) {
  float off = 0, middle[4] = {0};
  *weights = 0;
  for (uint32_t i = 0; i < around->count; i++) {
    const float *state = model->keys + around->states[i] * model->stride;
    float away = sfnec_model_coincidence(model);
    for (size_t c = 0; c < model->key_size; c++) away += (state[c] - key[c]) * (state[c] - key[c]);
    const float weight = 1 / (plain ? away : around->away[i]);
    assert_true(weight > 0 && isfinite(weight));
    *weights += weight;
    for (size_t c = 0; c < model->key_size; c++) middle[c] += weight * (state[c] - key[c]);
  }
  for (size_t c = 0; c < model->key_size; c++) off += middle[c] * middle[c] / (*weights * *weights);
  return sqrtf(off);
}

// Where moves follow a smooth law, a key between states is blended over states that lie around it on every side; else
// (test_plan_correction.c has walls) they count by their distance alone.
static void test_balance(void **unused) {
  (void)unused;
  cart c = open_cart("index=fast", 7);
  learn(&c, 2000);
  sfnec_model *model = &c.agent->planner->model;
  assert_int_equal(model->key_size, 4);
  assert_true(model->smooth);
  for (int smooth = 1; smooth >= 0; smooth--) {
    float balanced = 0, plain = 0;
    model->smooth = smooth;
    for (uint32_t p = 0; p < model->state_count; p++) {
      const sfnec_state *state = &model->states[p];
      float key[4 + SFNEC_SIMD_LANES] = {0};
      assert_true(state->neighbour_count > 8);
      for (size_t i = 0; i < 4; i++) {
        key[i] = 0.5f * (model->keys[p * model->stride + i] + model->keys[state->neighbours[4] * model->stride + i]);
      }
      sfnec_interpolation around;
      sfnec_model_interpolate(model, key, p, &around);
      float weights, all;
      balanced += off_middle(model, key, &around, false, &weights);
      plain += off_middle(model, key, &around, true, &all);
      assert_true(fabsf(weights - all) < 1e-3f * all); // beside the state itself they count as much
    }
    assert_true(smooth ? balanced < 0.6f * plain : fabsf(balanced - plain) < 1e-3f * plain);
  }
  close_cart(&c);
}

// ---- the same to the bit ----

static void save_as(const cart *c, const char *path) {
  OK(sfnec_agent_save(c->agent, path));
}

// With the flat index and the fast one, on every level of instructions.
static void test_same(void **unused) {
  (void)unused;
  cart first = open_cart("index=flat", 4);
  learn(&first, 1500);
  assert_true(first.agent->planner->model.smooth);
  unsigned char *bytes, *others;
  size_t size, other_size;
  double q[2], other_q[2];
  OK(ask_q(first.agent, first.observation, NULL, q));
  OK(sfnec_agent_save_bytes(first.agent, &bytes, &size));
  for (size_t i = 0; sfnec_simd_at(i); i++) {
    assert_int_equal(setenv("SFNEC_SIMD", sfnec_simd_at(i)->name, 1), 0);
    cart flat = open_cart("index=flat", 4), fast = open_cart("index=fast", 4);
    learn(&flat, 1500);
    learn(&fast, 1500);
    OK(sfnec_agent_save_bytes(flat.agent, &others, &other_size));
    assert_int_equal(other_size, size);
    assert_memory_equal(others, bytes, size);
    OK(ask_q(fast.agent, fast.observation, NULL, other_q));
    assert_memory_equal(other_q, q, sizeof q);
    sfnec_agent_free_bytes(others);
    close_cart(&flat);
    close_cart(&fast);
  }
  unsetenv("SFNEC_SIMD");
  sfnec_agent_free_bytes(bytes);
  close_cart(&first);
}

// A loaded agent goes on as the other does.
static void test_loaded(void **unused) {
  (void)unused;
  for (int steps = 150; steps <= 950; steps += 200) {
    cart c = open_cart("index=fast", 5), copy = open_cart("index=fast", 5);
    learn(&c, steps);
    learn(&copy, steps);
    save_as(&c, "half.agent");
    sfnec_agent_destroy(copy.agent);
    OK(sfnec_agent_load("half.agent", &copy.agent));
    learn(&c, 300);
    learn(&copy, 300);
    save_as(&c, "whole.agent");
    save_as(&copy, "copy.agent");
    assert_true(same_files("whole.agent", "copy.agent"));
    close_cart(&c);
    close_cart(&copy);
  }
}

// ---- what a step is ----

// How long a move of 0.1 is, in steps, where two actions move by about as much, and the third by a fifth of it: always,
// or only mostly, as in a world that is at rest most of the time.
static float length_in_steps(bool always) {
  const double both[FEATURES] = {1, 1};
  const sfnec_env_shape shape = {.observation_size = 1, .action_count = 3, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", NULL, 1);
  sfnec_random random = sfnec_random_start(1, 78);
  float at = 0;
  OK(sfnec_agent_begin_task(agent, both, NULL));
  OK(sfnec_agent_begin_episode(agent));
  const sfnec_model *model = sfnec_planner_model(agent->planner);
  for (int step = 0; !model->fitted && step < 2 * SFNEC_PLAN_WARM_UP; step++) { // the first fit takes a few steps
    const double features[FEATURES] = {0};
    sfnec_transition moved = {.next_observation = &at, .features = features};
    OK(sfnec_agent_act(agent, &at, &moved.action));
    const bool little = moved.action == 2 && (always || step % 5 != 0);
    at += (little ? 0.02f : 0.1f) * (0.9f + 0.2f * (float)sfnec_random_uniform(&random));
    OK(sfnec_agent_observe(agent, &moved));
  }
  assert_true(model->fitted);
  float from[1 + SFNEC_SIMD_LANES] = {0}, to[1 + SFNEC_SIMD_LANES] = {0};
  const float rest = 0, away = 0.1f;
  sfnec_model_key(model, &rest, from);
  sfnec_model_key(model, &away, to);
  const float length = fabsf(to[0] - from[0]) / model->step;
  sfnec_agent_destroy(agent);
  return length;
}

// A step is so short that no move of an action stays in its state; but an action that can move far is no reason.
static void test_step(void **unused) {
  (void)unused;
  const float walks = length_in_steps(true), rests = length_in_steps(false);
  assert_true(walks > 4.5f && walks < 5.5f);
  assert_true(rests > 0.9f && rests < 1.1f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomial), cmocka_unit_test(test_far),       cmocka_unit_test(test_too_little),
      cmocka_unit_test(test_rollouts),   cmocka_unit_test(test_far_ahead), cmocka_unit_test(test_feedback),
      cmocka_unit_test(test_balance),    cmocka_unit_test(test_same),      cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
