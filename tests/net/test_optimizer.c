// test_optimizer.c: steps of each optimizer by hand; and moments that outlive a step but not their end.
#include "net/optimizer.h"
#include "support/check.h"

static sfnec_optimizer_rule rule_of(int kind) {
  const double square_decay = 0.9;
  return (sfnec_optimizer_rule){.kind = kind, .rate = 0.1, .decay = 0.8, .square_decay = square_decay, .epsilon = 0.01};
}

// Two steps with gradients 2 and -1, halved by the scale: 1 and -0.5.
static void steps(void **state) {
  (void)state;
  const double v1 = 0.1, v2 = 0.9 * 0.1 + 0.1 * 0.25;
  const double m2 = (0.8 * 0.2 - 0.2 * 0.5) / (1 - 0.64), a2 = (0.9 * 0.1 + 0.1 * 0.25) / (1 - 0.81);
  const double expected[] = {
      5 - 0.1 + 0.05,
      5 - 0.1 / (sqrt(v1) + 0.01) + 0.05 / (sqrt(v2) + 0.01),
      5 - 0.1 / (1 + 0.01) - 0.1 * m2 / (sqrt(a2) + 0.01),
  };
  for (int kind = 0; kind < 3; kind++) {
    const sfnec_optimizer_rule rule = rule_of(kind);
    sfnec_optimizer optimizer = {0};
    // the second time after the end of a task: nothing is left of the first
    for (int time = 0; time < 2; time++) {
      OK(sfnec_optimizer_prepare(&optimizer, &rule, 2));
      float weights[2] = {5, 1};
      const float first[2] = {2, 0}, second[2] = {-1, 0};
      sfnec_optimizer_step(&optimizer, &rule, weights, first, 0.5);
      sfnec_optimizer_step(&optimizer, &rule, weights, second, 0.5);
      NEAR((double)weights[0], expected[kind], 2e-6);
      assert_true(weights[1] == 1);
      sfnec_optimizer_forget(&optimizer);
    }
    sfnec_optimizer_clear(&optimizer);
  }
}

// The greatest gradients leave weights and moments finite and bounded.
static void bounds(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    const sfnec_optimizer_rule rule = rule_of(kind);
    sfnec_optimizer optimizer = {0};
    OK(sfnec_optimizer_prepare(&optimizer, &rule, 1));
    float weight = 0;
    const float most = (float)SFNEC_NET_GRADIENT_MOST;
    for (int i = 0; i < 100; i++) {
      sfnec_optimizer_step(&optimizer, &rule, &weight, &most, 1.0);
      assert_true(weight < 0 && weight >= -SFNEC_NET_WEIGHT_MOST);
      assert_true(!optimizer.squares || isfinite(optimizer.squares[0]));
    }
    sfnec_optimizer_clear(&optimizer);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps),
      cmocka_unit_test(bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
