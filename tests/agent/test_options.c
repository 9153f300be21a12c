// test_options.c: the presets hold the paper's constants, and every option has one name and one meaning.
#include "support/check.h"
#include "support/tiny.h"

#include "agent/option_groups.h"
#include "sfnec/env.h"

// The paper's table: epsilon, rate, neighbours, alpha, horizon.
static void check_table(const sfnec_agent_options *o, double epsilon, double rate, int neighbours, double alpha,
                        int horizon) {
  assert_true(o->epsilon == epsilon && o->epsilon_steps == 0);
  assert_true(o->rate == rate);
  assert_true(o->neighbours == neighbours && o->alpha == alpha && o->horizon == horizon);
}

// What all agents share.
static void check_shared(const sfnec_agent_options *o) {
  assert_true(o->gamma == 0.95 && o->capacity == 10000 && o->delta == 1e-3);
  assert_int_equal(o->kernel, SFNEC_KERNEL_INVERSE_SQUARED);
  assert_int_equal(o->ties, SFNEC_TIES_RANDOM);
  assert_int_equal(o->write, SFNEC_WRITE_HORIZON);
  assert_int_equal(o->w, SFNEC_W_GIVEN);
  assert_true(o->w_rate == 0.05 && o->w_init_sd == 0.01 && o->init_sd == 0.01);
}

static void test_sfnec(void **state) {
  (void)state;
  const sfnec_agent_options o = options_of("sfnec", NULL);
  check_table(&o, 0.15, 0.05, 20, 0.1, 8);
  check_shared(&o);
  assert_int_equal(o.psi, SFNEC_PSI_EPISODIC);
  assert_int_equal(o.predict, SFNEC_PREDICT_FEATURES);
  assert_int_equal(o.policies, SFNEC_POLICIES_GPI);
  assert_int_equal(o.bootstrap, SFNEC_BOOTSTRAP_GPI);
  assert_int_equal(o.td, SFNEC_TD_RESIDUAL);
  assert_true(o.gpi_penalty == 0 && o.novelty == 0);
  sfnec_agent_options defaults;
  sfnec_agent_options_default(&defaults);
  assert_memory_equal(&o, &defaults, sizeof o);
}

static void test_plus(void **state) {
  (void)state;
  sfnec_agent_options o = options_of("sfnec-plus", NULL), paper = options_of("sfnec", NULL);
  assert_true(o.novelty == 0.1 && o.gpi_penalty == 0.3 && o.epsilon == 0.05);
  paper.novelty = 0.1;
  paper.gpi_penalty = 0.3;
  paper.epsilon = 0.05;
  assert_memory_equal(&o, &paper, sizeof o);
}

static void test_nogpi(void **state) {
  (void)state;
  const sfnec_agent_options o = options_of("sfnec-nogpi", NULL);
  check_table(&o, 0.15, 0.05, 20, 0.1, 8);
  check_shared(&o);
  assert_int_equal(o.psi, SFNEC_PSI_EPISODIC);
  assert_int_equal(o.predict, SFNEC_PREDICT_FEATURES);
  assert_int_equal(o.policies, SFNEC_POLICIES_OWN);
}

static void test_nec(void **state) {
  (void)state;
  const sfnec_agent_options o = options_of("nec", NULL);
  check_table(&o, 0.15, 0.01, 20, 0.1, 8);
  check_shared(&o);
  assert_int_equal(o.psi, SFNEC_PSI_EPISODIC);
  assert_int_equal(o.predict, SFNEC_PREDICT_REWARD);
  assert_int_equal(o.policies, SFNEC_POLICIES_OWN);
}

static void test_sfql(void **state) {
  (void)state;
  const sfnec_agent_options o = options_of("sfql", NULL);
  check_shared(&o);
  assert_true(o.epsilon == 0.15 && o.rate == 0.01 && o.horizon == 1);
  assert_int_equal(o.psi, SFNEC_PSI_LINEAR);
  assert_int_equal(o.predict, SFNEC_PREDICT_FEATURES);
  assert_int_equal(o.policies, SFNEC_POLICIES_GPI);
  assert_int_equal(o.bootstrap, SFNEC_BOOTSTRAP_GPI);
  assert_int_equal(o.td, SFNEC_TD_SEMI);
  assert_int_equal(o.warm_start, SFNEC_WARM_START_PREVIOUS);
}

static void test_ql(void **state) {
  (void)state;
  const sfnec_agent_options o = options_of("ql", NULL);
  check_shared(&o);
  assert_true(o.epsilon == 0.15 && o.rate == 0.01 && o.horizon == 1);
  assert_int_equal(o.psi, SFNEC_PSI_LINEAR);
  assert_int_equal(o.predict, SFNEC_PREDICT_REWARD);
  assert_int_equal(o.policies, SFNEC_POLICIES_OWN);
  assert_int_equal(o.warm_start, SFNEC_WARM_START_NONE);
}

static void test_list(void **state) {
  (void)state;
  const char *const names[] = {"sfnec", "sfnec-plus", "sfnec-plan",    "sfnec-nogpi", "nec",
                               "sfql",  "ql",         "sfnec-authors", "nec-atari",   "mfec"};
  for (size_t i = 0; i < 10; i++) {
    assert_string_equal(sfnec_agent_preset_at(i)->name, names[i]);
    assert_true(strlen(sfnec_agent_preset_at(i)->help) > 0);
  }
  assert_null(sfnec_agent_preset_at(10));
  assert_null(sfnec_agent_preset_at(SIZE_MAX));
  sfnec_agent_options o;
  REFUSED(sfnec_agent_options_preset("sfnek", &o), SFNEC_ERROR_OPTION, "there is no agent 'sfnek': did you mean");
  REFUSED(sfnec_agent_options_preset("zzz", &o), SFNEC_ERROR_OPTION,
          "sfnec, sfnec-plus, sfnec-plan, sfnec-nogpi, nec, sfql, ql, sfnec-authors, nec-atari or mfec");
}

// No name twice, and none that an environment uses too: --set needs no prefix.
static void test_names(void **state) {
  (void)state;
  const sfnec_option *rows = sfnec_agent_option_set()->rows;
  for (size_t i = 0; rows[i].name; i++) {
    assert_true(strlen(rows[i].help) > 0 && rows[i].help[strlen(rows[i].help) - 1] != '.');
    for (size_t j = 0; j < i; j++) assert_string_not_equal(rows[i].name, rows[j].name);
    for (size_t e = 0; sfnec_env_kind_at(e); e++) {
      assert_null(sfnec_options_find(sfnec_env_kind_option_set(sfnec_env_kind_at(e)), rows[i].name));
    }
  }
}

// Every field of the struct has a row of its own: no two rows overlap, and together they fill it but for padding.
static void test_fields(void **state) {
  (void)state;
  unsigned char covered[sizeof(sfnec_agent_options)] = {0};
  size_t sum = 0;
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; row->name; row++) {
    const size_t text_size = sizeof(sfnec_option_text),
                 number_size = row->type == SFNEC_OPTION_CHOICE ? sizeof(int) : 8;
    const size_t size = row->type == SFNEC_OPTION_TEXT ? text_size : number_size;
    for (size_t i = 0; i < size; i++) assert_int_equal(covered[row->offset + i]++, 0);
    sum += size;
    char text[32];
    sfnec_agent_options options;
    sfnec_agent_options_default(&options);
    sfnec_options_get_text(row, &options, text, sizeof text);
    OK(sfnec_options_set(sfnec_agent_option_set(), &options, row->name, text));
  }
  size_t gaps = 0;
  for (size_t i = 0; i < sizeof covered; i += 4) gaps += covered[i] == 0;
  assert_true(sum + 4 * gaps == sizeof covered && gaps <= 6);
}

// Lists of options are by groups: each option is in one, and nothing else is.
static void test_groups(void **state) {
  (void)state;
  size_t listed = 0, rows = 0;
  const sfnec_option_group *group;
  for (size_t i = 0; (group = sfnec_agent_option_group_at(i)); i++) {
    for (const char *const *name = group->names; *name; name++, listed++) {
      const sfnec_option *row = sfnec_options_find(sfnec_agent_option_set(), *name);
      assert_non_null(row);
      assert_string_equal(row->name, *name); // not a former name
    }
  }
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; row->name; row++, rows++) {
    size_t found = 0;
    for (size_t i = 0; (group = sfnec_agent_option_group_at(i)); i++)
      for (const char *const *name = group->names; *name; name++) found += strcmp(*name, row->name) == 0;
    if (found != 1) fail_msg("the option %s is in %zu groups", row->name, found);
  }
  assert_int_equal(listed, rows);
}

static void test_ranges(void **state) {
  (void)state;
  const char *const refused[] = {"neighbours=0", "capacity=0",       "gamma=1",     "gamma=-0.1", "epsilon=1.1",
                                 "horizon=0",    "rate=-1",          "delta=0",     "alpha=1.01", "novelty=-1",
                                 "kernel=cubic", "epsilon_steps=-1", "rls_prior=0", "gamma=nan",  "psi=deep"};
  sfnec_agent_options o = options_of("sfnec", NULL);
  const sfnec_agent_options before = o;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    REFUSED(sfnec_options_assign(sfnec_agent_option_set(), &o, refused[i]), SFNEC_ERROR_OPTION, "is refused: it takes");
  }
  assert_memory_equal(&o, &before, sizeof o);
  OK(sfnec_options_assign(sfnec_agent_option_set(), &o, "gamma=0"));

  // a struct filled by hand is checked at creation
  o.neighbours = 0;
  sfnec_agent *agent = NULL;
  REFUSED(sfnec_agent_create(&tiny_shape, &o, 1, &agent), SFNEC_ERROR_OPTION, "agent option neighbours=0 is refused");
  assert_null(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sfnec),  cmocka_unit_test(test_plus),   cmocka_unit_test(test_nogpi),
      cmocka_unit_test(test_nec),    cmocka_unit_test(test_sfql),   cmocka_unit_test(test_ql),
      cmocka_unit_test(test_list),   cmocka_unit_test(test_names),  cmocka_unit_test(test_fields),
      cmocka_unit_test(test_ranges), cmocka_unit_test(test_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
