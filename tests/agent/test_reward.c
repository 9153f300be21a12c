// test_reward.c: w learned by SGD is the paper's rule, and by RLS the ridge regression of everything seen.
#include "support/check.h"

#include "agent/reward.h"

static sfnec_agent_options with(int w) {
  sfnec_agent_options options;
  sfnec_agent_options_default(&options);
  options.w = w;
  options.rls_prior = 100.0;
  return options;
}

// w += 0.05 (r - phi . w) phi by hand
static void test_sgd(void **state) {
  (void)state;
  sfnec_agent_options options = with(SFNEC_W_SGD);
  options.w_init_sd = 0;
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, &options, 2, NULL, &init));
  assert_true(reward.learned && reward.w[0] == 0 && reward.w[1] == 0);
  const double first[2] = {1, 2}, second[2] = {0, -1};
  sfnec_reward_learn(&reward, &options, first, 3); // error 3
  NEAR(reward.w[0], 0.15, 1e-15);
  NEAR(reward.w[1], 0.30, 1e-15);
  sfnec_reward_learn(&reward, &options, second, 1); // error 1 + 0.3 = 1.3, times phi = -1
  NEAR(reward.w[0], 0.15, 1e-15);
  NEAR(reward.w[1], 0.30 - 0.05 * 1.3, 1e-15);
  const double zeros[2] = {0, 0};
  sfnec_reward_learn(&reward, &options, zeros, 100); // no features, nothing learned
  NEAR(reward.w[0], 0.15, 1e-15);
  NEAR(reward.w[1], 0.235, 1e-15);
  sfnec_reward_clear(&reward);
}

// The first w by SGD is normal with the option's standard deviation, from the stream that it is given.
static void test_sgd_start(void **state) {
  (void)state;
  const sfnec_agent_options options = with(SFNEC_W_SGD);
  enum { N = 20000 };
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT), same = init;
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, &options, N, NULL, &init));
  double squares = 0;
  for (int i = 0; i < N; i++) {
    assert_true(reward.w[i] == 0.01 * sfnec_random_normal(&same));
    squares += reward.w[i] * reward.w[i];
  }
  NEAR(sqrt(squares / N) / 0.01, 1, 4 / sqrt(2.0 * N));
  sfnec_reward_clear(&reward);
}

static void test_given(void **state) {
  (void)state;
  const double w[2] = {0.5, -1}, phi[2] = {1, 1};
  for (int mode = SFNEC_W_GIVEN; mode <= SFNEC_W_RLS; mode++) {
    const sfnec_agent_options options = with(mode);
    sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
    sfnec_reward reward;
    OK(sfnec_reward_init(&reward, &options, 2, w, &init));
    assert_false(reward.learned);
    assert_int_equal(init.counter, 0);
    sfnec_reward_learn(&reward, &options, phi, 100);
    assert_true(reward.w[0] == 0.5 && reward.w[1] == -1);
    sfnec_reward_clear(&reward);
  }
}

// Solves (sum phi phi^T + I / prior) w = sum phi r for three weights by Cramer's rule.
static void ridge(double phis[][3], const double *r, int count, double prior, double w[3]) {
  double a[3][3] = {{0}}, b[3] = {0};
  for (int i = 0; i < 3; i++) a[i][i] = 1 / prior;
  for (int t = 0; t < count; t++) {
    for (int i = 0; i < 3; i++) {
      b[i] += phis[t][i] * r[t];
      for (int j = 0; j < 3; j++) a[i][j] += phis[t][i] * phis[t][j];
    }
  }
#define DETERMINANT(m)                                                                                                 \
  (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +             \
   m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]))
  const double det = DETERMINANT(a);
  for (int k = 0; k < 3; k++) {
    double m[3][3];
    memcpy(m, a, sizeof m);
    for (int i = 0; i < 3; i++) m[i][k] = b[i];
    w[k] = DETERMINANT(m) / det;
  }
}

static void test_rls(void **state) {
  (void)state;
  const sfnec_agent_options options = with(SFNEC_W_RLS);
  enum { COUNT = 12 };
  sfnec_random random = sfnec_random_start(4, 1000), init = random;
  double phis[COUNT][3], r[COUNT], expected[3];
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, &options, 3, NULL, &init));
  assert_true(reward.w[0] == 0 && reward.w[1] == 0 && reward.w[2] == 0);
  for (int t = 0; t < COUNT; t++) {
    for (int i = 0; i < 3; i++) phis[t][i] = sfnec_random_normal(&random);
    r[t] = 0.3 * phis[t][0] - 0.7 * phis[t][1] + phis[t][2] + 0.1 * sfnec_random_normal(&random);
    sfnec_reward_learn(&reward, &options, phis[t], r[t]);
    ridge(phis, r, t + 1, options.rls_prior, expected);
    for (int i = 0; i < 3; i++) NEAR(reward.w[i], expected[i], 1e-9);
    for (int i = 0; i < 9; i++) assert_true(reward.covariance[i] == reward.covariance[i / 3 + i % 3 * 3]);
  }
  sfnec_reward_clear(&reward);
}

// One weight, by hand: prior 100, phi 1, r 1: w = 1 / (1 + 1/100).
static void test_rls_once(void **state) {
  (void)state;
  const sfnec_agent_options options = with(SFNEC_W_RLS);
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, &options, 2, NULL, &init));
  const double phi[2] = {0, 1};
  sfnec_reward_learn(&reward, &options, phi, 1);
  assert_true(reward.w[0] == 0);
  NEAR(reward.w[1], 100.0 / 101, 1e-14);
  NEAR(sfnec_reward_uncertainty(&reward, &options, 0, 0), 1, 0);
  NEAR(sfnec_reward_uncertainty(&reward, &options, 1, 1), 1.0 / 101, 1e-14);
  NEAR(sfnec_reward_uncertainty(&reward, &options, 0, 1), 0, 0);
  sfnec_reward_clear(&reward);
}

// Learns so many rewards of three features with noise.
static sfnec_reward noisy(const sfnec_agent_options *options, uint64_t seed, int count, double scale, double sd) {
  sfnec_random random = sfnec_random_start(seed, 1000), init = random;
  sfnec_reward reward;
  OK(sfnec_reward_init(&reward, options, 3, NULL, &init));
  for (int t = 0; t < count; t++) {
    double phi[3] = {0};
    phi[sfnec_random_below(&random, 3)] = 1.0;
    const double r = 0.5 * phi[0] - 0.6 * phi[1] + 0.4 * phi[2] + sd * sfnec_random_normal(&random);
    OK(sfnec_reward_learn(&reward, options, phi, scale * r));
  }
  return reward;
}

// The variance of the noise is learned, from few rewards and from many, and in any unit. Without noise it is what the
// prior allows for. Rewards without features say nothing.
static void test_noise(void **state) {
  (void)state;
  sfnec_agent_options options = with(SFNEC_W_RLS);
  options.rls_prior = 1e6;
  static const double sds[] = {0.0, 0.02, 0.1, 1.0}, scales[] = {1e-3, 1.0, 1e3};
  for (size_t i = 0; i < 4; i++) {
    for (size_t k = 0; k < 3; k++) {
      double few = 0.0;
      enum { SEEDS = 200, FEW = 12 };
      for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sfnec_reward reward = noisy(&options, seed, FEW, scales[k], sds[i]);
        few += sfnec_residuals_noise(&reward.residuals, &options).variance / SEEDS;
        sfnec_reward_clear(&reward);
      }
      sfnec_reward reward = noisy(&options, 1, 3000, scales[k], sds[i]);
      const double zeros[3] = {0};
      OK(sfnec_reward_learn(&reward, &options, zeros, 100.0 * scales[k]));
      const sfnec_noise noise = sfnec_residuals_noise(&reward.residuals, &options);
      const double squares = (0.25 + 0.36 + 0.16) / 3.0 + sds[i] * sds[i]; // of rewards per square of features
      const double unit = scales[k] * scales[k], least = squares / options.rls_prior;
      const double expected = fmax(sds[i] * sds[i], least);
      NEAR(noise.variance / unit / expected, 1.0, 0.1);
      NEAR(noise.prior, squares / expected, 0.1 * squares / expected);
      NEAR(few / unit / expected, 1.0, 0.15);
      sfnec_reward_clear(&reward);
    }
  }
}

// One observation is enough without noise; with noise as great as the weights it leaves half of what was not known, and
// many are enough. What was never seen is not known either way.
static void test_noisy_uncertainty(void **state) {
  (void)state;
  sfnec_agent_options options = with(SFNEC_W_RLS);
  options.rls_prior = 1e6;
  static const double sds[] = {0.0, 0.1, 0.5};
  for (size_t i = 0; i < 3; i++) {
    sfnec_reward reward = noisy(&options, 2, 3000, 1.0, sds[i]);
    assert_true(sfnec_reward_uncertainty(&reward, &options, 0, 0) < 0.01);
    // as if the third feature had been seen once, and then not at all
    const double ratio = sfnec_residuals_noise(&reward.residuals, &options).prior;
    reward.covariance[8] = 1.0 / (1.0 + 1.0 / options.rls_prior);
    NEAR(sfnec_reward_uncertainty(&reward, &options, 2, 2), 1.0 / (1.0 + ratio), 1e-6);
    reward.covariance[8] = options.rls_prior;
    NEAR(sfnec_reward_uncertainty(&reward, &options, 2, 2), 1.0, 1e-6);
    sfnec_reward_clear(&reward);
  }
}

// A file whose noise is out of range is refused, and one of before there was noise has none.
static void test_residuals_file(void **state) {
  (void)state;
  const sfnec_agent_options options = with(SFNEC_W_RLS);
  sfnec_reward reward = noisy(&options, 1, 20, 1.0, 0.1), again = {0};
  enum { AT = 4 + 3 * 8 + 9 * 8, SIZE = AT + 4 * 8 };
  static const double bad[] = {-1.0, NAN, INFINITY, 1e251};
  for (int field = -2; field < 4; field++) {
    for (size_t k = 0; k < 4; k++) {
      unsigned char *bytes;
      size_t size;
      sfnec_writer *writer = NULL;
      OK(sfnec_writer_open_memory(NULL, 0, &writer));
      sfnec_reward_save(&reward, writer);
      OK(sfnec_writer_take(writer, &bytes, &size));
      assert_int_equal(size, SIZE);
      if (field >= 0) memcpy(bytes + AT + 8 * field, &bad[k], 8);
      if (field == -2) bytes[0] = 1;
      sfnec_reader *reader = NULL;
      OK(sfnec_reader_open_memory(bytes, field == -2 ? AT : SIZE, NULL, 0, "weights", &reader));
      if (field >= 0) {
        REFUSED(sfnec_reward_load(&again, &options, 3, reader), SFNEC_ERROR_FORMAT, "the noise of its rewards");
      } else {
        OK(sfnec_reward_load(&again, &options, 3, reader));
        assert_memory_equal(again.w, reward.w, 3 * sizeof(double));
        assert_true(again.residuals.squares == (field == -1 ? reward.residuals.squares : 0.0));
        assert_int_equal(sfnec_reader_left(reader), 0);
      }
      sfnec_reward_clear(&again);
      sfnec_reader_close(reader);
      free(bytes);
    }
  }
  sfnec_reward_clear(&reward);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sgd),
      cmocka_unit_test(test_sgd_start),
      cmocka_unit_test(test_given),
      cmocka_unit_test(test_rls),
      cmocka_unit_test(test_rls_once),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_noisy_uncertainty),
      cmocka_unit_test(test_residuals_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
