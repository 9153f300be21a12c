// test_plan.c: from specs to jobs: order, points drawn at random, resolved options, identities, ids, work.
#include "study/spec_support.h"

#include "sfnec/random.h"

#define HEAD "name: a\nenv: four_rooms\n"

static void test_grid(void **state) {
  (void)state;
  sfnec_spec *spec = parsed(HEAD "tasks: 3\nsteps: 100\nseeds: 5,2\nrecord: {episodes: yes}\n"
                                 "agents:\n  - {preset: nec, options: {epsilon: 0.3}}\n  - {preset: ql, sweep: {}}\n"
                                 "sweep: {neighbours: [4, 1], walls: [segment, endpoint]}\n",
                            NULL);
  sfnec_plan *plan = planned(spec);
  static const char *const names[] = {"nec neighbours=4 walls=segment", "nec neighbours=4 walls=endpoint",
                                      "nec neighbours=1 walls=segment", "nec neighbours=1 walls=endpoint", "ql"};
  assert_int_equal(plan->configuration_count, 5);
  for (size_t i = 0; i < 5; i++) assert_string_equal(plan->configurations[i].name, names[i]);
  const sfnec_configuration *first = &plan->configurations[0], *last = &plan->configurations[4];
  assert_string_equal(first->label, "nec");
  assert_string_equal(first->preset, "nec");
  assert_string_equal(first->point, "neighbours=4 walls=segment");
  assert_string_equal(last->point, "");
  assert_int_equal(first->settings.count, 2);
  // the preset, then the agent's options, then the point's
  assert_true(first->options.predict == SFNEC_PREDICT_REWARD && first->options.epsilon == 0.3);
  assert_int_equal(first->options.neighbours, 4);
  assert_int_equal(plan->configurations[2].options.neighbours, 1);
  assert_string_equal(first->env->name, "four_rooms");
  assert_string_equal(first->env_settings[0], "walls=segment");
  assert_null(first->env_settings[1]);
  assert_null(last->env_settings[0]);
  // jobs: configuration by configuration, seeds as given
  assert_int_equal(plan->job_count, 10);
  for (size_t i = 0; i < 10; i++) {
    assert_int_equal(plan->jobs[i].configuration, i / 2);
    assert_int_equal(plan->jobs[i].seed, i % 2 ? 2 : 5);
    assert_int_equal(plan->jobs[i].run.tasks, 3);
    assert_int_equal(plan->jobs[i].run.steps, 100);
    assert_int_equal(plan->jobs[i].run.episodes, 0);
    assert_true(plan->jobs[i].run.keep_episodes);
  }
  discard(spec, plan);
  sfnec_plan_destroy(NULL);
}

// ---- identities ----

static void test_identity(void **state) {
  (void)state;
  sfnec_spec *spec = parsed("name: a\nenv: {name: four_rooms, options: {walls: segment, layout: calibrated, "
                            "max_episode_steps: 50}}\nsteps: 100\nseeds: 7\nagents:\n"
                            "  - {label: my nec, preset: nec, options: {neighbours: 20, alpha: 0.5}}\n",
                            NULL);
  sfnec_plan *plan = planned(spec);
  // neighbours=20 and layout=calibrated are defaults: not listed
  assert_string_equal(plan->jobs[0].identity, "label=my nec\nenv=four_rooms\nenv.walls=segment\n"
                                              "env.max_episode_steps=50\nagent.predict=reward\nagent.policies=own\n"
                                              "agent.bootstrap=own\nagent.rate=0.01\nagent.alpha=0.5\nsteps=100\n"
                                              "seed=7\n");
  assert_int_equal(strlen(plan->jobs[0].id), 16);
  assert_int_equal(strspn(plan->jobs[0].id, "0123456789abcdef"), 16);
  discard(spec, plan);

  // ids name folders of stored results, so they must stay what they are; the number is that of the xxhash package of
  // Python: xxh3_64_hexdigest of the identity
  spec = parsed("name: a\nenv: one_room\nagents: [sfnec]\n", NULL);
  plan = planned(spec);
  assert_string_equal(plan->jobs[0].identity, "label=sfnec\nenv=one_room\nsteps=20000\nseed=1\n");
  assert_string_equal(plan->jobs[0].id, "3a47689a2628c216");
  discard(spec, plan);
}

// what may change without another identity, and what may not
static void test_what_counts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool same;
  } cases[] = {
      {HEAD "agents: [sfnec]\ntasks: 99\n", true},
      {HEAD "agents: [sfnec]\ntitle: other\nrecord: {agents: yes, bins: 7, state_megabytes: 1}\n", true},
      {"name: b\nenv: {name: four_rooms, options: {layout: calibrated}}\nagents: [nec, sfnec]\n", true},
      {HEAD "agents: [{preset: sfnec, options: {neighbours: 20}}]\n", true},
      {HEAD "agents: [sfnec]\nsweep: {neighbours: [1, 20]}\n", true},
      {HEAD "agents: [{label: sfnec, preset: nec}]\n", false},
      {HEAD "agents: [{label: other, preset: sfnec}]\n", false},
      {HEAD "agents: [sfnec]\nsteps: 10\n", false},
      {HEAD "agents: [sfnec]\nsteps: 20000\nepisodes: 10\n", false},
      {HEAD "agents: [sfnec]\nseeds: 2\n", false},
      {HEAD "agents: [sfnec]\nrecord: {episodes: yes}\n", false},
      {HEAD "agents: [{preset: sfnec, options: {neighbours: 21}}]\n", false},
      {"name: a\nenv: {name: four_rooms, options: {layout: figure}}\nagents: [sfnec]\n", false},
      {"name: a\nenv: one_room\nagents: [sfnec]\n", false},
  };
  sfnec_spec *spec = parsed(HEAD "agents: [sfnec]\n", NULL);
  sfnec_plan *plan = planned(spec);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sfnec_spec *other = parsed(cases[i].text, NULL);
    sfnec_plan *others = planned(other);
    bool found = false;
    for (size_t j = 0; j < others->job_count; j++) found = found || strcmp(others->jobs[j].id, plan->jobs[0].id) == 0;
    if (found != cases[i].same) fail_msg("%s: %s", found ? "the same id" : "another id", cases[i].text);
    discard(other, others);
  }
  discard(spec, plan);
}

static void check_refused(const char *text, const char *sentence) {
  sfnec_spec *spec = parsed(text, NULL);
  sfnec_plan *plan;
  REFUSED(sfnec_plan_create(spec, &plan), SFNEC_ERROR_FORMAT, sentence);
  assert_null(plan);
  sfnec_spec_destroy(spec);
}

static void test_refused(void **state) {
  (void)state;
  // the same name by two ways
  check_refused(HEAD "agents: [{label: a x, preset: nec, sweep: {}}, {label: a, preset: nec, sweep: {rate: [1]}}, "
                     "{label: a rate=1, preset: nec, sweep: {}}]\n",
                "s.yaml: agents: 'a rate=1' and 'a rate=1' are the same");
  check_refused(HEAD
                "seeds: 1-1000\nagents: [nec]\nsweep: {rate: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], alpha: [0, 0.1, 0.2, "
                "0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]}\n",
                "s.yaml:4: agents: agents, points and seeds make more than 100000 jobs");
  check_refused(HEAD "agents: [nec]\nrandom: {count: 5}\nsweep: {neighbours: [1, 2], kernel: [inverse, "
                     "inverse_squared]}\n",
                "s.yaml:5: random: the sweep does not have 5 different points, but about 4");
}

// ---- points drawn at random ----

static const char random_spec[] = HEAD "agents: [sfnec]\nrandom: {count: %d, seed: %d}\nsweep:\n"
                                       "  rate: {from: 0.001, to: 0.1, scale: log}\n"
                                       "  neighbours: {from: 1, to: 50}\n"
                                       "  capacity: {from: 100, to: 100000, scale: log}\n"
                                       "  epsilon: {from: 0.05, to: 0.25}\n"
                                       "  kernel: [inverse, inverse_squared]\n";

static sfnec_plan *plan_random(int count, int seed) {
  char text[600];
  snprintf(text, sizeof text, random_spec, count, seed);
  return planned(parsed(text, NULL));
}

static void test_random_prefix(void **state) {
  (void)state;
  sfnec_plan *few = plan_random(10, 3), *many = plan_random(40, 3), *other = plan_random(10, 4);
  assert_int_equal(few->configuration_count, 10);
  assert_int_equal(many->configuration_count, 40);
  int equal = 0;
  for (size_t i = 0; i < 10; i++) {
    assert_string_equal(few->configurations[i].name, many->configurations[i].name);
    equal += strcmp(few->configurations[i].name, other->configurations[i].name) == 0;
  }
  assert_int_equal(equal, 0);
  discard(few->spec, few);
  discard(many->spec, many);
  discard(other->spec, other);
}

// the first value by hand: exp(log a + u (log b - log a)) to four digits, u the first draw of the point's stream
static void test_random_by_hand(void **state) {
  (void)state;
  sfnec_plan *plan = plan_random(3, 3);
  for (size_t p = 0; p < 3; p++) {
    sfnec_random random = sfnec_random_start(3, 100);
    random.counter = (uint64_t)p << 32;
    const sfnec_agent_options *options = &plan->configurations[p].options;
    const double rate = exp(log(0.001) + sfnec_random_uniform(&random) * (log(0.1) - log(0.001)));
    char text[32];
    snprintf(text, sizeof text, "%.4g", rate);
    assert_true(options->rate == strtod(text, NULL));
    assert_int_equal(options->neighbours, 1 + (int)(sfnec_random_uniform(&random) * 50));
    const double capacity = exp(log(100) + sfnec_random_uniform(&random) * (log(100001) - log(100)));
    assert_int_equal(options->capacity, (int)capacity);
    NEAR(options->epsilon, 0.05 + sfnec_random_uniform(&random) * 0.2, 1e-4);
    assert_int_equal(options->kernel,
                     sfnec_random_uniform(&random) < 0.5 ? SFNEC_KERNEL_INVERSE : SFNEC_KERNEL_INVERSE_SQUARED);
  }
  discard(plan->spec, plan);
}

static void test_random_spread(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  sfnec_plan *plan = plan_random(COUNT, 1);
  int below = 0, first = 0, small = 0, least = 0, most = 0;
  for (size_t i = 0; i < COUNT; i++) {
    const sfnec_agent_options *o = &plan->configurations[i].options;
    assert_true(o->rate >= 0.001 && o->rate <= 0.1 && o->neighbours >= 1 && o->neighbours <= 50);
    assert_true(o->epsilon >= 0.05 && o->epsilon <= 0.25 && o->capacity >= 100 && o->capacity <= 100000);
    below += o->rate < 0.01; // half of a log scale
    first += o->kernel == SFNEC_KERNEL_INVERSE;
    small += o->epsilon < 0.1; // a quarter of a linear one
    least += o->neighbours == 1;
    most += o->neighbours == 50;
  }
  // five standard deviations
  assert_in_range(below, COUNT / 2 - 112, COUNT / 2 + 112);
  assert_in_range(first, COUNT / 2 - 112, COUNT / 2 + 112);
  assert_in_range(small, COUNT / 4 - 97, COUNT / 4 + 97);
  // the ends of whole numbers are as likely as the rest: 40 each
  assert_in_range(least, 10, 72);
  assert_in_range(most, 10, 72);
  discard(plan->spec, plan);
}

// all points of a small space, each once, in an order that a smaller count keeps
static void test_random_exhausted(void **state) {
  (void)state;
  const char *format =
      HEAD "agents: [sfnec]\nrandom: {count: %d}\nsweep: {neighbours: {from: 1, to: 3}, rate: [0.1, 0.2]}\n";
  char names[6][64];
  for (int count = 6; count >= 1; count--) {
    char text[200];
    snprintf(text, sizeof text, format, count);
    sfnec_spec *spec = parsed(text, NULL);
    sfnec_plan *plan = planned(spec);
    assert_int_equal(plan->configuration_count, count);
    for (int i = 0; i < count; i++) {
      if (count == 6) snprintf(names[i], sizeof names[i], "%s", plan->configurations[i].name);
      else assert_string_equal(plan->configurations[i].name, names[i]);
      for (int j = 0; j < i; j++) assert_string_not_equal(names[i], names[j]);
    }
    discard(spec, plan);
  }
}

// ---- work ----

static void test_work(void **state) {
  (void)state;
  sfnec_agent_options gpi, own, linear;
  OK(sfnec_agent_options_preset("sfnec", &gpi));
  OK(sfnec_agent_options_preset("nec", &own));
  OK(sfnec_agent_options_preset("sfql", &linear));
  const sfnec_run_options run = {.tasks = 10, .steps = 20};
  // 20 steps x (1 + ... + 10) policies, 100 to a look-up; 20 x 10 with the own policy alone
  assert_true(sfnec_plan_work(&gpi, &run, 0, 10) == 100 * 20 * 55);
  assert_true(sfnec_plan_work(&own, &run, 0, 10) == 100 * 20 * 10);
  assert_true(sfnec_plan_work(&linear, &run, 0, 10) == 20 * 55);
  // halfway through the third task: 1 + 2 + 3/2
  assert_true(sfnec_plan_work(&gpi, &run, 0, 2.5) == 100 * 20 * 4.5);
  assert_true(sfnec_plan_work(&gpi, &run, 0, 0) == 0);
  // by episodes: at most 50 steps each, or a guess of 200; the nearer limit counts
  const sfnec_run_options episodes = {.tasks = 1, .episodes = 4}, both = {.tasks = 1, .steps = 100, .episodes = 4};
  assert_true(sfnec_plan_work(&own, &episodes, 50, 1) == 100 * 200);
  assert_true(sfnec_plan_work(&own, &episodes, 0, 1) == 100 * 800);
  assert_true(sfnec_plan_work(&own, &both, 50, 1) == 100 * 100);
  assert_true(sfnec_plan_work(&own, &both, 10, 1) == 100 * 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grid),          cmocka_unit_test(test_identity),
      cmocka_unit_test(test_what_counts),   cmocka_unit_test(test_refused),
      cmocka_unit_test(test_random_prefix), cmocka_unit_test(test_random_by_hand),
      cmocka_unit_test(test_random_spread), cmocka_unit_test(test_random_exhausted),
      cmocka_unit_test(test_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
