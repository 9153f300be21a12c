// test_collector.c: N-step targets (paper, equation 1) at the start, in the middle and at the end of an episode, and a
// batch of them with equal keys.
#include "support/check.h"

#include "agent/collector.h"

enum { N = 2 }; // components of phi

static sfnec_ring make(size_t limit) {
  sfnec_ring c;
  sfnec_collector_init(&c, 1, N, limit);
  return c;
}

// Transition i: observation i, action i mod 3, phi = (i + 1, 10 (i + 1)).
static void push(sfnec_ring *c, int i) {
  const float observation = (float)i;
  const double phi[N] = {i + 1, 10 * (i + 1)};
  OK(sfnec_ring_reserve(c));
  sfnec_collector_push(c, &observation, i % 3, phi);
}

static void check(const sfnec_ring *c, int oldest, size_t horizon, double a, double b) {
  double target[N];
  assert_true(sfnec_ring_observation(c, 0)[0] == (float)oldest);
  assert_int_equal(sfnec_ring_at(c, 0).action, oldest % 3);
  sfnec_collector_target(c, horizon, 0.5, target);
  assert_true(target[0] == a && target[1] == b); // powers of a half: exact
}

// gamma 0.5, N = 3, phi = 1, 2, 3, bootstrap 8: 1 + 1 + 0.75 + 8/8 = 3.75
static void test_horizon(void **state) {
  (void)state;
  sfnec_ring c = make(3);
  const double bootstrap[N] = {8, 16};
  for (int i = 0; i < 3; i++) push(&c, i);
  check(&c, 0, 3, 2.75, 27.5); // no bootstrap yet: zeros
  sfnec_collector_set_bootstrap(&c, bootstrap);
  check(&c, 0, 3, 3.75, 29.5);
  // N = 1 looks at the oldest only, whose own bootstrap is zeros
  check(&c, 0, 1, 1, 10);
  sfnec_ring_clear(&c);
}

// In the middle of an episode the ring goes round: transitions 5, 6, 7 of a long one.
static void test_middle(void **state) {
  (void)state;
  sfnec_ring c = make(3);
  for (int i = 0; i < 8; i++) {
    if (c.count == 3) sfnec_ring_pop(&c);
    push(&c, i);
  }
  assert_int_equal(c.capacity, 3);
  const double bootstrap[N] = {-8, 0};
  sfnec_collector_set_bootstrap(&c, bootstrap);
  check(&c, 5, 3, 6 + 3.5 + 2 - 1, 60 + 35 + 20);
  sfnec_ring_clear(&c);
}

// A terminated episode: the last transitions get Monte-Carlo returns.
static void test_terminated(void **state) {
  (void)state;
  sfnec_ring c = make(3);
  for (int i = 0; i < 3; i++) push(&c, i);
  check(&c, 0, 3, 1 + 1 + 0.75, 10 + 10 + 7.5);
  sfnec_ring_pop(&c);
  check(&c, 1, 3, 2 + 1.5, 20 + 15);
  sfnec_ring_pop(&c);
  check(&c, 2, 3, 3, 30);
  sfnec_ring_pop(&c);
  assert_int_equal(c.count, 0);
  sfnec_ring_clear(&c);
}

// A truncated one bootstraps from its last state with gamma to the number of steps that were left.
static void test_truncated(void **state) {
  (void)state;
  sfnec_ring c = make(3);
  for (int i = 0; i < 3; i++) push(&c, i);
  const double bootstrap[N] = {8, 16};
  sfnec_collector_set_bootstrap(&c, bootstrap);
  check(&c, 0, 3, 2.75 + 1, 27.5 + 2);
  sfnec_ring_pop(&c);
  check(&c, 1, 3, 3.5 + 2, 35 + 4);
  sfnec_ring_pop(&c);
  check(&c, 2, 3, 3 + 4, 30 + 8);
  sfnec_ring_clear(&c);
}

// A whole episode waits: each transition keeps the bootstrap of its own next state, and the ring grows.
static void test_whole_episode(void **state) {
  (void)state;
  sfnec_ring c = make(SIZE_MAX);
  for (int i = 0; i < 5; i++) {
    push(&c, i);
    const double bootstrap[N] = {100 * (i + 1), 0};
    if (i < 4) sfnec_collector_set_bootstrap(&c, bootstrap); // the fifth terminates
  }
  assert_int_equal(c.count, 5);
  check(&c, 0, 2, 1 + 1 + 0.25 * 200, 20);
  sfnec_ring_pop(&c);
  check(&c, 1, 2, 2 + 1.5 + 0.25 * 300, 20 + 15);
  sfnec_ring_pop(&c);
  check(&c, 2, 2, 3 + 2 + 0.25 * 400, 30 + 20);
  sfnec_ring_pop(&c);
  check(&c, 3, 2, 4 + 2.5, 40 + 25);
  sfnec_ring_pop(&c);
  check(&c, 4, 2, 5, 50);
  sfnec_ring_clear(&c);
}

// N longer than the episode: all of it counts.
static void test_long_horizon(void **state) {
  (void)state;
  sfnec_ring c = make(100);
  for (int i = 0; i < 4; i++) push(&c, i);
  check(&c, 0, 100, 1 + 1 + 0.75 + 0.5, 32.5);
  sfnec_ring_clear(&c);
}

// Growing while the ring has gone round keeps the order and everything that a transition carries.
static void test_growth_when_wrapped(void **state) {
  (void)state;
  sfnec_ring c = make(SIZE_MAX);
  c.least = 4;
  for (int i = 0; i < 4; i++) push(&c, i);
  sfnec_ring_pop(&c);
  sfnec_ring_pop(&c);
  push(&c, 4);
  push(&c, 5);
  const double bootstrap[N] = {32, 64};
  sfnec_collector_set_bootstrap(&c, bootstrap);
  push(&c, 6); // grows: 2, 3, 4, 5, 6
  assert_int_equal(c.count, 5);
  assert_true(c.capacity > 4);
  check(&c, 2, 4, 3 + 2 + 1.25 + 0.75 + 2, 30 + 20 + 12.5 + 7.5 + 4);
  sfnec_ring_pop(&c);
  check(&c, 3, 1, 4, 40);
  sfnec_ring_pop(&c);
  sfnec_ring_pop(&c);
  check(&c, 5, 1, 6 + 16, 60 + 32);
  sfnec_ring_pop(&c);
  check(&c, 6, 1, 7, 70); // a new transition's bootstrap is zeros
  sfnec_ring_clear(&c);
}

// A place in the ring that held a bootstrap before starts again with zeros.
static void test_reused_place(void **state) {
  (void)state;
  sfnec_ring c = make(1);
  const double bootstrap[N] = {8, 8};
  push(&c, 0);
  sfnec_collector_set_bootstrap(&c, bootstrap);
  sfnec_ring_pop(&c);
  push(&c, 1);
  check(&c, 1, 1, 2, 20);
  sfnec_ring_clear(&c);
}

// A terminated episode as one batch, gamma 0.5, alpha 0.5: the observations are a, b, a, a and c, the action differs at
// the last a. Returns from the end: 5, 4 + 2.5, 3 + 3.25, 2 + 3.125, 1 + 2.5625.
static void test_fold(void **state) {
  (void)state;
  sfnec_ring c = make(5);
  // the ring goes round, so that the batch does not begin at its first place
  for (int i = 0; i < 3; i++) push(&c, i);
  while (c.count > 0) sfnec_ring_pop(&c);
  const float at[] = {1, 2, 1, 1, 3};
  const int32_t actions[] = {0, 0, 0, 1, 0};
  for (int i = 0; i < 5; i++) {
    const double phi[N] = {i + 1, 10 * (i + 1)};
    OK(sfnec_ring_reserve(&c));
    sfnec_collector_push(&c, &at[i], actions[i], phi);
  }
  sfnec_collector_finish(&c, 0.5);
  const double returns[] = {3.5625, 5.125, 6.25, 6.5, 5};
  for (size_t i = 0; i < 5; i++) {
    assert_true(sfnec_collector_return(&c, i)[0] == returns[i]);
    assert_true(sfnec_collector_return(&c, i)[1] == 10 * returns[i]);
  }
  const bool writes[] = {true, true, false, true, true};
  for (size_t i = 0; i < 5; i++) {
    double value[N] = {-1, -1};
    assert_int_equal(sfnec_collector_fold(&c, i, 0.5, value), writes[i]);
    const double expected = i == 0 ? (3.5625 + 6.25) / 2 : writes[i] ? returns[i] : -1;
    assert_true(value[0] == expected);
    assert_true(value[1] == (writes[i] ? 10 * expected : -1));
  }
  sfnec_ring_clear(&c);
}

// 0.0 and -0.0 are other bytes, hence other keys, and a third occurrence moves what the second has moved.
static void test_fold_bytes(void **state) {
  (void)state;
  sfnec_ring c = make(4);
  const float at[] = {0.0f, -0.0f, 0.0f, 0.0f};
  for (int i = 0; i < 4; i++) {
    const double phi[N] = {i == 3 ? 16 : 0, 0};
    OK(sfnec_ring_reserve(&c));
    sfnec_collector_push(&c, &at[i], 0, phi);
  }
  sfnec_collector_finish(&c, 0.5); // 2, 4, 8, 16
  double value[N];
  assert_true(sfnec_collector_fold(&c, 0, 0.25, value));
  assert_true(value[0] == 3.5 + 0.25 * (16 - 3.5)); // 2, then 2 + (8 - 2) / 4
  assert_true(sfnec_collector_fold(&c, 1, 0.25, value));
  assert_true(value[0] == 4);
  sfnec_ring_clear(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_horizon),
      cmocka_unit_test(test_middle),
      cmocka_unit_test(test_terminated),
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_whole_episode),
      cmocka_unit_test(test_long_horizon),
      cmocka_unit_test(test_growth_when_wrapped),
      cmocka_unit_test(test_reused_place),
      cmocka_unit_test(test_fold),
      cmocka_unit_test(test_fold_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
