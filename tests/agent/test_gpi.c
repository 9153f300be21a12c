// test_gpi.c: the choice over policies and actions by hand: ties, the penalty for far memories, novelty.
#include "support/check.h"
#include "support/tiny.h"

#include "agent/gpi.h"

// Policies over one-number observations, two actions and two features; every memory answers with its nearest entry.
typedef struct fixture {
  sfnec_policies policies;
  sfnec_frame frame;
} fixture;

static sfnec_psi_scratch scratch;

static fixture make(uint32_t policies) {
  static const char *const settings[] = {"neighbours=1", "rate=0", NULL};
  static const double w[2] = {1, 1};
  fixture f = {.policies = {.config = {.options = options_of("sfnec", settings),
                                       .simd = sfnec_simd_at(0),
                                       .scratch = &scratch,
                                       .shape = {.observation_size = 1},
                                       .observation_size = 1,
                                       .psi_size = 2,
                                       .action_count = 2}}};
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  for (uint32_t i = 0; i < policies; i++) {
    OK(sfnec_policies_reserve(&f.policies));
    sfnec_policy policy;
    OK(sfnec_policy_init(&policy, &f.policies, i, w, &init));
    sfnec_policies_push(&f.policies, &policy);
  }
  return f;
}

// Each psi points to the policies' config, so it must have its final place first.
static void put(fixture *f, uint32_t policy, int action, float key, double a, double b) {
  const double value[2] = {a, b};
  sfnec_psi *psi = f->policies.list[policy].psi;
  psi->config = &f->policies.config;
  OK(psi->ops->learn(psi, &key, action, value, value));
}

static void settle(fixture *f) {
  for (uint32_t i = 0; i < f->policies.count; i++) f->policies.list[i].psi->config = &f->policies.config;
  OK(sfnec_psi_scratch_init(&scratch, &f->policies.config));
  OK(sfnec_frame_reserve(&f->frame, &f->policies.config, &scratch, f->policies.count));
}

static void clear(fixture *f) {
  sfnec_frame_clear(&f->frame);
  sfnec_policies_clear(&f->policies);
  sfnec_psi_scratch_clear(&scratch);
}

static sfnec_gpi_rule rule_of(const double *w) {
  return (sfnec_gpi_rule){.w = w, .active = 0, .only = SFNEC_NO_POLICY};
}

static sfnec_choice choose(fixture *f, float at, const sfnec_gpi_rule *rule) {
  sfnec_frame_look(&f->frame, &f->policies.config, &at);
  return sfnec_gpi_choose(&f->frame, &f->policies, rule);
}

#define CHOICE(choice, p, a, v)                                                                                        \
  do {                                                                                                                 \
    const sfnec_choice made = (choice);                                                                                \
    assert_int_equal(made.policy, (p));                                                                                \
    assert_int_equal(made.action, (a));                                                                                \
    NEAR(made.value, (v), 1e-6);                                                                                       \
    assert_false(made.explored);                                                                                       \
  } while (0)

// psi at 0: policy 0 has (1, 0) and (0, 2), policy 1 has (0, 1) and (-1, 3)
static void fill(fixture *f) {
  settle(f);
  put(f, 0, 0, 0, 1, 0);
  put(f, 0, 1, 0, 0, 2);
  put(f, 1, 0, 0, 0, 1);
  put(f, 1, 1, 0, -1, 3);
}

static void test_choice(void **state) {
  (void)state;
  fixture f = make(2);
  fill(&f);
  const double w[][2] = {{0, 1}, {1, 0}, {3, 1}, {-1, -3}};
  sfnec_gpi_rule rule = rule_of(w[0]);
  CHOICE(choose(&f, 0, &rule), 1, 1, 3);
  rule.w = w[1];
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  rule.w = w[2];
  CHOICE(choose(&f, 0, &rule), 0, 0, 3);
  rule.w = w[3];
  CHOICE(choose(&f, 0, &rule), 0, 0, -1);
  // one policy alone
  rule.w = w[0];
  rule.only = 0;
  CHOICE(choose(&f, 0, &rule), 0, 1, 2);
  rule.only = 1;
  rule.w = w[1];
  CHOICE(choose(&f, 0, &rule), 1, 0, 0);
  clear(&f);
}

// w = (1, 1) ties (0, 1) and (1, 1) at 2
static void test_ties(void **state) {
  (void)state;
  fixture f = make(2);
  fill(&f);
  const double w[] = {1, 1}, clear_cut[] = {0, 1};
  sfnec_gpi_rule rule = rule_of(w);
  for (int i = 0; i < 20; i++) CHOICE(choose(&f, 0, &rule), 0, 1, 2);

  sfnec_random ties = sfnec_random_start(9, SFNEC_PURPOSE_EXPLORATION);
  rule.ties = &ties;
  int second = 0;
  for (int i = 0; i < 4000; i++) {
    const sfnec_choice choice = choose(&f, 0, &rule);
    assert_true(choice.action == 1 && choice.value == 2);
    second += choice.policy;
  }
  assert_int_equal(ties.counter, 4000);
  assert_true(abs(second - 2000) < 4 * 32);
  // without a tie nothing is drawn
  rule.w = clear_cut;
  CHOICE(choose(&f, 0, &rule), 1, 1, 3);
  assert_int_equal(ties.counter, 4000);
  clear(&f);
}

// Empty memories tie everything at 0: uniform over policies and actions.
static void test_empty_ties(void **state) {
  (void)state;
  fixture f = make(3);
  settle(&f);
  const double w[] = {1, 1};
  sfnec_random ties = sfnec_random_start(10, SFNEC_PURPOSE_EXPLORATION);
  sfnec_gpi_rule rule = rule_of(w);
  rule.ties = &ties;
  int counts[6] = {0};
  for (int i = 0; i < 6000; i++) {
    const sfnec_choice choice = choose(&f, 0, &rule);
    counts[choice.policy * 2 + choice.action]++;
  }
  double chi = 0;
  for (int i = 0; i < 6; i++) chi += pow(counts[i] - 1000, 2) / 1000;
  assert_true(chi < 25.7); // 5 degrees of freedom, 1 in 10,000
  clear(&f);
}

static void test_penalty(void **state) {
  (void)state;
  fixture f = make(3);
  fill(&f);
  const double w[] = {0, 1}, minus[] = {-1, -1};
  sfnec_gpi_rule rule = rule_of(w);
  // at 0.5: policy 1 offers 3 - penalty / 2, the active one 2
  rule.penalty = 1.9;
  CHOICE(choose(&f, 0.5f, &rule), 1, 1, 3);
  rule.penalty = 2.1;
  CHOICE(choose(&f, 0.5f, &rule), 0, 1, 2);
  // at the key itself there is none, and far away it is one penalty, no more
  CHOICE(choose(&f, 0, &rule), 1, 1, 3);
  rule.penalty = 0.9;
  CHOICE(choose(&f, 50, &rule), 1, 1, 3);
  rule.penalty = 1.1;
  CHOICE(choose(&f, 50, &rule), 0, 1, 2);
  // the active one is never penalised; with policy 1 active, policy 0 is
  rule.active = 1;
  rule.penalty = 100;
  CHOICE(choose(&f, 0.5f, &rule), 1, 1, 3);
  // without an active one all are: 3 - 50 is the best of them again
  rule.active = SFNEC_NO_POLICY;
  CHOICE(choose(&f, 0.5f, &rule), 1, 1, 3);

  // the empty policy 2 offers 0: more than -1, unless its emptiness counts as a distance of 1
  rule = rule_of(minus);
  CHOICE(choose(&f, 0, &rule), 2, 0, 0);
  rule.penalty = 0.9;
  CHOICE(choose(&f, 0, &rule), 2, 0, 0);
  rule.penalty = 1.1;
  CHOICE(choose(&f, 0, &rule), 0, 0, -1);
  clear(&f);
}

// Novelty is the distance in the active policy's memory of the action, and counts for every policy's value of it.
static void test_novelty(void **state) {
  (void)state;
  fixture f = make(2);
  settle(&f);
  put(&f, 0, 0, 0, 1, 0);
  put(&f, 0, 1, 0.5f, 0.5, 0); // at 0: half a unit away
  put(&f, 1, 0, 0, 0.9, 0);
  put(&f, 1, 1, 0, 0.9, 0);
  const double w[] = {1, 1};
  sfnec_gpi_rule rule = rule_of(w);
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  rule.novelty = 0.19; // 0.9 + 0.095 < 1
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  rule.novelty = 0.21; // 0.9 + 0.105 > 1; the value stays psi . w
  CHOICE(choose(&f, 0, &rule), 1, 1, 0.9);
  rule.active = 1; // policy 1 has tried both here
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  rule.active = SFNEC_NO_POLICY;
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  // far from everything both actions are equally new
  rule.active = 0;
  rule.novelty = 100;
  CHOICE(choose(&f, -30, &rule), 0, 0, 1);
  clear(&f);
}

// An action never tried is as new as can be, also for the one policy that is asked.
static void test_novelty_of_empty(void **state) {
  (void)state;
  fixture f = make(1);
  settle(&f);
  put(&f, 0, 0, 0, 1, 0);
  const double w[] = {1, 1};
  sfnec_gpi_rule rule = rule_of(w);
  rule.only = 0;
  rule.novelty = 0.9;
  CHOICE(choose(&f, 0, &rule), 0, 0, 1);
  rule.novelty = 1.1;
  CHOICE(choose(&f, 0, &rule), 0, 1, 0);
  clear(&f);
}

// 0 times infinity is not a number: it never wins, and if there is nothing else, some action is chosen all the same.
static void test_not_a_number(void **state) {
  (void)state;
  fixture f = make(1);
  settle(&f);
  put(&f, 0, 0, 0, 0, 1);
  put(&f, 0, 1, 0, -1, 0);
  const double w[] = {-(double)INFINITY, 1};
  const sfnec_gpi_rule rule = rule_of(w);
  assert_int_equal(choose(&f, 0, &rule).action, 1);
  put(&f, 0, 1, 5, 0, 0);
  const sfnec_choice choice = choose(&f, 5, &rule);
  assert_true(choice.policy == 0 && choice.action == 0);
  clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choice),       cmocka_unit_test(test_ties),    cmocka_unit_test(test_empty_ties),
      cmocka_unit_test(test_penalty),      cmocka_unit_test(test_novelty), cmocka_unit_test(test_novelty_of_empty),
      cmocka_unit_test(test_not_a_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
