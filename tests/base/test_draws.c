// test_draws.c: a stream that is read ahead gives the draws of single calls, from any place of the stream.
#include "support/check.h"

#include "base/draws.h"

static void test_same(void **unused) {
  (void)unused;
  // the greatest n make draws that are thrown away; the counters begin within a block, and pass 2^33
  static const uint32_t ns[] = {1, 2, 3, 100, 50000, 1u << 31, (1u << 31) + 1, 3000000000u, UINT32_MAX};
  static const uint64_t counters[] = {0, 1, 31, 32, (1ull << 33) - 5, (1ull << 33) - 6};
  static const size_t counts[] = {0, 1, 2, 127, 128, 129, 257, 3};
  for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
    sfnec_random random = sfnec_random_start(0x0123456789abcdefull, 0xfedcba9876543210ull);
    random.counter = counters[c];
    sfnec_draws draws = sfnec_draws_start(&random);
    for (size_t n = 0; n < sizeof ns / sizeof *ns; n++) {
      for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        uint32_t drawn[257];
        sfnec_draws_below(&draws, ns[n], drawn, counts[k]);
        for (size_t i = 0; i < counts[k]; i++) assert_int_equal(drawn[i], sfnec_random_below(&random, ns[n]));
      }
    }
    assert_true(draws.random.counter - draws.left == random.counter);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
