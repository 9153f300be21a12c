// The cart and the pole: dynamics, limits, reward, start, observations, state as bytes; sine and cosine.
// cmocka.h needs these four before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "env/cartpole.h"
#include "sfnec/env.h"

enum { LEFT = SFNEC_CARTPOLE_LEFT, RIGHT = SFNEC_CARTPOLE_RIGHT };

static const double pi = 3.14159265358979323846;

static sfnec_env *open_env(const char *setting, uint64_t seed) {
  const char *settings[] = {setting, NULL};
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(sfnec_env_kind_find("cartpole"), settings, seed, &env), SFNEC_OK);
  return env;
}

// One step from a state, in place; the observation is the whole state.
static bool falls(sfnec_cartpole_state *state, int32_t action) {
  const sfnec_env_kind *kind = sfnec_env_kind_find("cartpole");
  const sfnec_cartpole_options options = {.observation = SFNEC_CARTPOLE_FULL};
  sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
  float observation[4];
  double feature = -7;
  sfnec_env_outcome outcome = kind->step(state, &options, action, &random, observation, &feature);
  // 1 for every step, also for the one that ends the episode; the limit on steps is not the kind's business
  assert_true(feature == 1);
  assert_false(outcome.truncated);
  assert_true(random.counter == 0);
  assert_true(observation[0] == (float)state->x && observation[1] == (float)state->x_dot);
  assert_true(observation[2] == (float)state->theta && observation[3] == (float)state->theta_dot);
  return outcome.terminated;
}

static void check_near(double value, double expected) {
  assert_true(fabs(value - expected) < 1e-14);
}

// The expected numbers solve the two equations of motion, in exact fractions:
//   (M + m) x'' + m l theta'' cos theta = F + m l theta'^2 sin theta,   4/3 l theta'' + x'' cos theta = g sin theta
static void a_step_follows_the_equations_of_motion(void **unused) {
  (void)unused;
  sfnec_cartpole_state rest = {0}, mirrored = {0};
  assert_false(falls(&rest, RIGHT));
  assert_true(rest.x == 0 && rest.theta == 0);
  check_near(rest.x_dot, 8.0 / 41);
  check_near(rest.theta_dot, -12.0 / 41);
  assert_false(falls(&mirrored, LEFT));
  assert_true(mirrored.x_dot == -rest.x_dot && mirrored.theta_dot == -rest.theta_dot);

  sfnec_cartpole_state moving = {.x = 1, .x_dot = -0.5, .theta = 0.1, .theta_dot = 0.3};
  assert_false(falls(&moving, LEFT));
  check_near(moving.x, 0.99);
  check_near(moving.x_dot, -0.6963945648609081);
  check_near(moving.theta, 0.106);
  check_near(moving.theta_dot, 0.622471139606021);
}

static void the_episode_ends_beyond_the_limits(void **unused) {
  (void)unused;
  const double tilt = 12 * pi / 180;
  for (int side = -1; side <= 1; side += 2) {
    sfnec_cartpole_state inside = {.x = side * 2.3, .x_dot = side * 4.99};
    sfnec_cartpole_state outside = {.x = side * 2.3, .x_dot = side * 5.01};
    sfnec_cartpole_state border = {.x = side * 2.4};
    assert_false(falls(&inside, LEFT));
    assert_true(falls(&outside, LEFT));
    assert_false(falls(&border, LEFT));
    sfnec_cartpole_state leaning = {.theta = side * (tilt - 0.01), .theta_dot = side * 0.4999};
    sfnec_cartpole_state fallen = {.theta = side * (tilt - 0.01), .theta_dot = side * 0.5001};
    assert_false(falls(&leaning, RIGHT));
    assert_true(falls(&fallen, RIGHT));
  }
}

// Keeps the pole up and the cart in the middle.
static int32_t balance(const float *s) {
  return s[0] + 1.6F * s[1] + 18 * s[2] + 4 * s[3] > 0 ? RIGHT : LEFT;
}

// Runs one episode, balanced or always to the right; returns its length.
static int run_episode(sfnec_env *env, bool balanced, sfnec_env_outcome *outcome) {
  float observation[4];
  double feature;
  int length = 0;
  assert_int_equal(sfnec_env_reset(env, observation), SFNEC_OK);
  do {
    int32_t action = balanced ? balance(observation) : RIGHT;
    assert_int_equal(sfnec_env_step(env, action, observation, &feature, outcome), SFNEC_OK);
    length++;
  } while (!outcome->terminated && !outcome->truncated);
  return length;
}

static void a_balanced_pole_is_cut_off_and_a_fallen_one_ends(void **unused) {
  (void)unused;
  sfnec_env_outcome outcome;
  sfnec_env *env = open_env(NULL, 3);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 500);
  assert_int_equal(run_episode(env, true, &outcome), 500);
  assert_true(outcome.truncated && !outcome.terminated);
  // an acceleration of 14.6 per square second tilts the pole by 12 degrees in about 8 steps
  assert_in_range(run_episode(env, false, &outcome), 7, 11);
  assert_true(outcome.terminated && !outcome.truncated);
  sfnec_env_destroy(env);

  env = open_env("max_episode_steps=7000", 3);
  assert_int_equal(run_episode(env, true, &outcome), 7000);
  sfnec_env_destroy(env);
}

static void episodes_start_uniformly_around_rest(void **unused) {
  (void)unused;
  enum { N = 20000 };
  sfnec_env *env = open_env(NULL, 8);
  double sum[4] = {0}, squares[4] = {0}, product = 0, most = 0;
  for (int i = 0; i < N; i++) {
    float s[4];
    sfnec_env_reset(env, s);
    for (int j = 0; j < 4; j++) {
      assert_true(s[j] >= -0.05F && s[j] <= 0.05F);
      sum[j] += s[j] / 0.05;
      squares[j] += (s[j] / 0.05) * (s[j] / 0.05);
      most = fmax(most, fabs((double)s[j]));
    }
    product += (s[0] / 0.05) * (s[2] / 0.05);
  }
  // five standard errors; the variance of a uniform variable in [-1, 1] is 1/3, that of its square 4/45
  for (int j = 0; j < 4; j++) {
    assert_true(fabs(sum[j] / N) < 5 * sqrt(1.0 / 3 / N));
    assert_true(fabs(squares[j] / N - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
  }
  assert_true(fabs(product / N) < 5 / 3.0 / sqrt(N));
  assert_true(most > 0.0499);
  sfnec_env_destroy(env);
}

static void the_small_observation_is_the_pole(void **unused) {
  (void)unused;
  sfnec_env *full = open_env("observation=full", 5), *pole = open_env("observation=pole", 5);
  assert_int_equal(sfnec_env_get_shape(full).observation_size, 4);
  assert_int_equal(sfnec_env_get_shape(pole).observation_size, 2);
  for (int episode = 0; episode < 3; episode++) {
    float four[4], two[3] = {0, 0, 77};
    double feature;
    sfnec_env_outcome a = {.terminated = false}, b;
    sfnec_env_reset(full, four);
    sfnec_env_reset(pole, two);
    assert_memory_equal(four + 2, two, 2 * sizeof(float));
    for (int i = 0; !a.terminated; i++) {
      sfnec_env_step(full, i % 3 > 0, four, &feature, &a);
      sfnec_env_step(pole, i % 3 > 0, two, &feature, &b);
      assert_memory_equal(four + 2, two, 2 * sizeof(float));
      assert_int_equal(a.terminated, b.terminated);
    }
    assert_true(two[2] == 77);
  }
  sfnec_env_destroy(full);
  sfnec_env_destroy(pole);
}

// Steps on with a noisy controller; resets after each end. Writes one observation per step.
static void follow(sfnec_env *env, float *last, int from, int to, float (*trace)[4]) {
  for (int i = from; i < to; i++) {
    double feature;
    sfnec_env_outcome outcome;
    int32_t noise = (int32_t)((uint32_t)i * 2654435761U >> 31);
    int32_t action = i % 3 == 0 ? noise : balance(last);
    assert_int_equal(sfnec_env_step(env, action, last, &feature, &outcome), SFNEC_OK);
    if (outcome.terminated || outcome.truncated) sfnec_env_reset(env, last);
    memcpy(trace[i], last, sizeof trace[i]);
  }
}

static void same_seed_and_saved_state_give_the_same_bytes(void **unused) {
  (void)unused;
  enum { N = 3000, HALF = 1234 };
  static float unbroken[N][4], resumed[N][4], foreign[N][4];
  float a[4], b[4], c[4];
  sfnec_env *env = open_env(NULL, 5), *same = open_env(NULL, 5), *other = open_env(NULL, 6);
  size_t size = sfnec_env_get_state_size(env);
  char *state = malloc(size);
  sfnec_env_reset(env, a);
  sfnec_env_reset(same, b);
  sfnec_env_reset(other, c);
  follow(env, a, 0, N, unbroken);
  follow(other, c, 0, N, foreign);
  assert_memory_not_equal(unbroken, foreign, sizeof unbroken);
  // the first half in one environment, the second in another with another seed
  follow(same, b, 0, HALF, resumed);
  sfnec_env_get_state(same, state);
  assert_int_equal(sfnec_env_set_state(other, state, size), SFNEC_OK);
  follow(other, b, HALF, N, resumed);
  assert_memory_equal(unbroken, resumed, sizeof unbroken);
  free(state);
  sfnec_env_destroy(env);
  sfnec_env_destroy(same);
  sfnec_env_destroy(other);
}

// The same bits whatever the compiler, the machine and its C library: the numbers were written down once.
static void the_bits_are_fixed(void **unused) {
  (void)unused;
  sfnec_cartpole_state s = {.x = 0.01, .x_dot = 0.02, .theta = 0.03, .theta_dot = -0.04};
  for (int i = 0; i < 300; i++) {
    assert_false(falls(&s, s.x + 1.6 * s.x_dot + 18 * s.theta + 4 * s.theta_dot > 0));
  }
  assert_true(s.x == 0x1.c104292ed72c9p-5 && s.x_dot == 0x1.3e83542bcf708p-6);
  assert_true(s.theta == 0x1.299cbf10473a2p-8 && s.theta_dot == -0x1.c4db9fcf46890p-6);
}

static void there_is_one_task(void **unused) {
  (void)unused;
  sfnec_env *env = open_env(NULL, 5);
  assert_int_equal(sfnec_env_get_shape(env).action_count, 2);
  assert_int_equal(sfnec_env_get_shape(env).feature_count, 1);
  for (uint32_t t = 0; t < 5; t++) {
    double w = 0;
    sfnec_env_get_task_weights(env, t, &w);
    assert_true(w == 1);
  }
  sfnec_env_destroy(env);
}

static void bad_settings_are_refused(void **unused) {
  (void)unused;
  const char *settings[] = {"observation=cart", NULL};
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(sfnec_env_kind_find("cartpole"), settings, 1, &env), SFNEC_ERROR_OPTION);
  assert_null(env);
  assert_non_null(strstr(sfnec_last_error(), "full"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_follows_the_equations_of_motion),
      cmocka_unit_test(the_episode_ends_beyond_the_limits),
      cmocka_unit_test(a_balanced_pole_is_cut_off_and_a_fallen_one_ends),
      cmocka_unit_test(episodes_start_uniformly_around_rest),
      cmocka_unit_test(the_small_observation_is_the_pole),
      cmocka_unit_test(same_seed_and_saved_state_give_the_same_bytes),
      cmocka_unit_test(the_bits_are_fixed),
      cmocka_unit_test(there_is_one_task),
      cmocka_unit_test(bad_settings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
