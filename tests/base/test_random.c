// test_random.c: streams are Philox4x32-10, independent by purpose, and distributed as they say.
#include "support/check.h"

#include <Random123/philox.h>

#include "sfnec/random.h"

// Random123's published known answer for counter 0 and key 0; a stream reaches it with seed 0 and purpose 0.
static void test_known_answer(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(0, 0);
  assert_true(sfnec_random_bits(&random) == 0xe169c58d6627e8d5ull);
  assert_true(sfnec_random_bits(&random) == 0x9b00dbd8bc57ac4cull);
  assert_int_equal(random.counter, 2);

  // and for all ones, which no stream reaches: the installed Philox itself
  const philox4x32_ctr_t ones = {{~0u, ~0u, ~0u, ~0u}};
  const philox4x32_key_t key = {{~0u, ~0u}};
  const philox4x32_ctr_t out = philox4x32(ones, key);
  assert_true(out.v[0] == 0x408f276du && out.v[1] == 0x41c83b0eu && out.v[2] == 0xa20bc7c6u && out.v[3] == 0x6d5451fdu);
}

// seed -> key, purpose -> upper half of the counter, block number -> lower half; two draws per block
static void test_layout(void **state) {
  (void)state;
  const uint64_t seed = 0x0123456789abcdefull, purpose = 0xfedcba9876543210ull, block = 0x5a5a5a5a12345678ull;
  const philox4x32_ctr_t in = {{0x12345678u, 0x5a5a5a5au, 0x76543210u, 0xfedcba98u}};
  const philox4x32_key_t key = {{0x89abcdefu, 0x01234567u}};
  const philox4x32_ctr_t out = philox4x32(in, key);
  sfnec_random random = {seed, purpose, 2 * block};
  assert_true(sfnec_random_bits(&random) == ((uint64_t)out.v[1] << 32 | out.v[0]));
  assert_true(sfnec_random_bits(&random) == ((uint64_t)out.v[3] << 32 | out.v[2]));
}

static void test_start(void **state) {
  (void)state;
  const sfnec_random random = sfnec_random_start(42, SFNEC_PURPOSE_WORLD);
  assert_true(random.seed == 42 && random.purpose == 2 && random.counter == 0);
}

// Numbers drawn from one stream leave the others alone, and streams of different purpose or seed share no draws.
static void test_independence(void **state) {
  (void)state;
  enum { N = 4000 };
  sfnec_random a = sfnec_random_start(7, SFNEC_PURPOSE_TASKS), b = sfnec_random_start(7, SFNEC_PURPOSE_WORLD),
               c = sfnec_random_start(8, SFNEC_PURPOSE_TASKS);
  double ab = 0, ac = 0;
  for (int i = 0; i < N; i++) {
    const double x = sfnec_random_uniform(&a) - 0.5, y = sfnec_random_uniform(&b) - 0.5,
                 z = sfnec_random_uniform(&c) - 0.5;
    assert_true(x != y && x != z);
    ab += 12 * x * y;
    ac += 12 * x * z;
  }
  // correlations of N independent pairs are normal with sd 1 / sqrt(N)
  assert_true(fabs(ab / N) < 4 / sqrt(N) && fabs(ac / N) < 4 / sqrt(N));
}

static void test_save_and_restore(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(3, 1000);
  for (int i = 0; i < 5; i++) sfnec_random_bits(&random);
  sfnec_random saved = random;
  for (int i = 0; i < 9; i++) {
    const uint64_t expected = sfnec_random_bits(&random);
    // a stream at the same counter, rebuilt from the three numbers
    sfnec_random rebuilt = {3, 1000, (uint64_t)(5 + i)};
    assert_true(sfnec_random_bits(&saved) == expected);
    assert_true(sfnec_random_bits(&rebuilt) == expected);
  }
  assert_true(saved.counter == 14 && random.counter == 14);
}

static void test_uniform(void **state) {
  (void)state;
  enum { N = 200000, BINS = 100 };
  int counts[BINS] = {0};
  sfnec_random random = sfnec_random_start(11, 1000);
  for (int i = 0; i < N; i++) {
    sfnec_random copy = random;
    const double u = sfnec_random_uniform(&random);
    assert_true(u >= 0.0 && u < 1.0);
    assert_true(u == ldexp((double)(sfnec_random_bits(&copy) >> 11), -53));
    counts[(int)(u * BINS)]++;
  }
  double chi = 0;
  for (int i = 0; i < BINS; i++) chi += pow(counts[i] - N / BINS, 2) / (N / BINS);
  // chi-square with 99 degrees of freedom: 1 in 10,000 lies above 161
  assert_true(chi < 161 && chi > 53);
}

// For an n just above 2^31, taking 32 bits modulo n would draw the lower half twice as often.
static void test_below(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(5, 1000);
  assert_int_equal(sfnec_random_below(&random, 0), 0);
  assert_int_equal(random.counter, 0);
  assert_int_equal(sfnec_random_below(&random, 1), 0);

  enum { N = 140000, SIDES = 7 };
  int counts[SIDES] = {0};
  for (int i = 0; i < N; i++) {
    const uint32_t side = sfnec_random_below(&random, SIDES);
    assert_true(side < SIDES);
    counts[side]++;
  }
  double chi = 0;
  for (int i = 0; i < SIDES; i++) chi += pow(counts[i] - N / SIDES, 2) / (N / SIDES);
  assert_true(chi < 27.9); // 6 degrees of freedom, 1 in 10,000

  const uint32_t large = 0xC0000000u; // three quarters of 2^32: a biased draw has the lowest third with probability 1/2
  int low = 0;
  for (int i = 0; i < 30000; i++) {
    const uint32_t x = sfnec_random_below(&random, large);
    assert_true(x < large);
    low += x < large / 3;
  }
  assert_true(abs(low - 10000) < 4 * 82);
}

static void test_normal(void **state) {
  (void)state;
  enum { N = 1000000 };
  sfnec_random random = sfnec_random_start(13, 1000);
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  int beyond[4] = {0}; // |x| > 1, 2, 3, 4
  for (int i = 0; i < N; i++) {
    const double x = sfnec_random_normal(&random);
    assert_true(isfinite(x));
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
    for (int k = 0; k < 4; k++) beyond[k] += fabs(x) > k + 1;
  }
  assert_int_equal(random.counter, N);
  // four standard errors each
  assert_true(fabs(sum / N) < 4e-3);
  assert_true(fabs(squares / N - 1) < 4 * sqrt(2.0 / N));
  assert_true(fabs(cubes / N) < 4 * sqrt(15.0 / N));
  assert_true(fabs(fourths / N - 3) < 4 * sqrt(96.0 / N));
  for (int k = 0; k < 4; k++) {
    const double p = erfc((k + 1) / sqrt(2)), expected = N * p;
    assert_true(fabs(beyond[k] - expected) < 4 * sqrt(expected * (1 - p)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_answer), cmocka_unit_test(test_layout),           cmocka_unit_test(test_start),
      cmocka_unit_test(test_independence), cmocka_unit_test(test_save_and_restore), cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_below),        cmocka_unit_test(test_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
