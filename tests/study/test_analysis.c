// test_analysis.c: from the results of a study to its statistics, with results made by hand.
#include "support/check.h"

#include "study/analysis/analysis.h"

enum { TASKS = 3, MOST_RUNS = 32, MOST_CONFIGURATIONS = 8 };

// An experiment in memory. The return of task t is given by the value of the run: value - 10, value, value + 10.
typedef struct world {
  sfnec_results results;
  sfnec_result_configuration configurations[MOST_CONFIGURATIONS];
  sfnec_result_run runs[MOST_RUNS];
  sfnec_task_record tasks[MOST_RUNS][TASKS];
  sfnec_setting settings[MOST_CONFIGURATIONS];
  sfnec_published published[4];
} world;

static world *world_make(void) {
  world *world = calloc(1, sizeof *world);
  assert_non_null(world);
  world->results = (sfnec_results){.folder = "runs/x",
                                   .name = "x",
                                   .title = "",
                                   .env = "four_rooms",
                                   .tasks = TASKS,
                                   .configurations = world->configurations,
                                   .runs = world->runs,
                                   .published = world->published};
  return world;
}

static void add_configuration(world *world, const char *label, const char *point, const char *name) {
  const size_t at = world->results.configuration_count++;
  world->configurations[at] = (sfnec_result_configuration){
      .label = label, .preset = "sfnec", .point = point, .name = name, .first_run = world->results.run_count};
  if (!point[0]) return;
  world->settings[at] = (sfnec_setting){"neighbours", strchr(point, '=') + 1, 1};
  world->configurations[at].settings = (sfnec_settings){&world->settings[at], 1};
}

static sfnec_result_run *add_run(world *world, uint64_t seed, double value) {
  const size_t at = world->results.run_count++;
  const size_t configuration = world->results.configuration_count - 1;
  world->configurations[configuration].run_count++;
  for (uint32_t t = 0; t < TASKS; t++)
    world->tasks[at][t] = (sfnec_task_record){.task = t,
                                              .result = {.total = value + 10 * ((double)t - 1),
                                                         .steps = 100,
                                                         .episodes = 4 + t,
                                                         .goals = t,
                                                         .entries = 50 * (t + 1),
                                                         .w_error = 0.5,
                                                         .seconds = 2 + at}};
  world->runs[at] = (sfnec_result_run){.id = "",
                                       .configuration = configuration,
                                       .seed = seed,
                                       .state = SFNEC_JOB_DONE,
                                       .tasks_wanted = TASKS,
                                       .tasks = world->tasks[at],
                                       .task_count = TASKS};
  return &world->runs[at];
}

// two agents of three seeds
static world *two_agents(void) {
  world *world = world_make();
  add_configuration(world, "a", "", "a");
  for (uint64_t seed = 1; seed <= 3; seed++) add_run(world, seed, 100.0 * (double)seed);
  add_configuration(world, "b", "", "b");
  for (uint64_t seed = 1; seed <= 3; seed++) add_run(world, seed, 100.0 * (double)seed - 5 * (double)seed);
  return world;
}

static sfnec_analysis *analysis_of(const world *world, sfnec_analysis_options options) {
  sfnec_analysis *analysis;
  if (!options.resamples) options.resamples = 500;
  OK(sfnec_analysis_make(&world->results, &options, &analysis));
  return analysis;
}

static void test_two_agents(void **state) {
  (void)state;
  world *world = two_agents();
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){0});
  assert_int_equal(analysis->coverage.task, 3);
  assert_int_equal(analysis->coverage.counted, 6);
  assert_int_equal(analysis->reference, 0);
  assert_int_equal(analysis->sweep_count, 0);
  NEAR(analysis->rows[0].mean, 200, 1e-15);
  NEAR(analysis->rows[0].error, 100 / sqrt(3), 1e-14);
  NEAR(analysis->rows[1].mean, 190, 1e-15);
  NEAR(analysis->rows[1].summary.median.value, 190, 1e-15);
  // b - a is -5, -10, -15
  const sfnec_paired *paired = &analysis->rows[1].paired;
  assert_int_equal(paired->count, 3);
  NEAR(paired->mean.value, -10, 1e-14);
  NEAR(paired->error, 5 / sqrt(3), 1e-14);
  NEAR(paired->p, 0.25, 1e-15);
  assert_int_equal(analysis->rows[1].better, 0);
  assert_int_equal(analysis->rows[1].worse, 3);
  // 95 190 285 against 100 200 300: 190 beats 100, 285 beats 100 and 200
  NEAR(analysis->rows[1].improvement.value, 3.0 / 9, 1e-15);
  // 95 to 300: round numbers by 50; two of a are above 150
  assert_int_equal(analysis->tau_count, 4);
  NEAR(analysis->taus[0], 100, 0);
  NEAR(analysis->taus[3], 250, 0);
  NEAR(analysis->rows[0].profile[1].value, 2.0 / 3, 1e-15);
  sfnec_analysis_destroy(analysis);
  free(world);
}

static void test_task_and_metric(void **state) {
  (void)state;
  world *world = two_agents();
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){.task = 1});
  NEAR(analysis->rows[0].mean, 190, 1e-15);
  sfnec_analysis_destroy(analysis);

  const struct {
    const char *metric;
    double mean;
  } expected[] = {{"episodes", 5}, {"goals", 1},   {"entries", 150},       {"w-error", 0.5},
                  {"steps", 100},  {"seconds", 3}, {"episode-return", 40}, {"return", 200}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    analysis = analysis_of(world, (sfnec_analysis_options){.metric = expected[i].metric});
    NEAR(analysis->rows[0].mean, expected[i].mean, 1e-14);
    sfnec_analysis_destroy(analysis);
  }
  // 100 steps in 2, 3 and 4 seconds
  analysis = analysis_of(world, (sfnec_analysis_options){.metric = "speed"});
  NEAR(analysis->rows[0].mean, (50 + 100 / 3.0 + 25) / 3, 1e-14);
  sfnec_analysis_destroy(analysis);

  // the runs of b take longer, which is worse
  analysis = analysis_of(world, (sfnec_analysis_options){.metric = "seconds", .against = "b"});
  assert_int_equal(analysis->reference, 1);
  assert_int_equal(analysis->rows[0].better, 3);
  NEAR(analysis->rows[0].paired.mean.value, -3, 1e-14);
  NEAR(analysis->rows[0].improvement.value, 1, 1e-15);
  sfnec_analysis_destroy(analysis);
  free(world);
}

static void test_by_task(void **state) {
  (void)state;
  world *world = two_agents();
  world->runs[1].task_count = 2; // drops out, so the matrix closes up
  world->runs[1].state = SFNEC_JOB_RUNNING;
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){.by_task = true});
  const sfnec_analysis_row *row = &analysis->rows[0];
  assert_int_equal(row->summary.count, 6);
  assert_int_equal(row->sample.strata, 3);
  const double matrix[] = {90, 290, 100, 300, 110, 310};
  for (size_t i = 0; i < 6; i++) NEAR(row->sample.values[i], matrix[i], 0);
  NEAR(row->mean, 200, 1e-14);
  NEAR(row->error, 100, 1e-14); // over the two runs, not the six cells
  NEAR(row->summary.iqm.value, 200, 1e-14);
  assert_int_equal(row->runs.seeds[1], 3);
  // paired over the seeds 1 and 3
  assert_int_equal(analysis->rows[1].paired.count, 2);
  sfnec_analysis_destroy(analysis);
  free(world);
}

static void test_unfinished(void **state) {
  (void)state;
  world *world = two_agents();
  world->runs[0].state = SFNEC_JOB_RUNNING; // far enough, still counts
  world->runs[2].state = SFNEC_JOB_FAILED;
  world->runs[2].task_count = 1;
  world->runs[4].state = SFNEC_JOB_WAITING;
  world->runs[4].task_count = 0;
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){0});
  assert_int_equal(analysis->coverage.task, 3);
  assert_int_equal(analysis->coverage.wanted, 6);
  assert_int_equal(analysis->coverage.done, 3);
  assert_int_equal(analysis->coverage.failed, 1);
  assert_int_equal(analysis->coverage.counted, 4);
  assert_int_equal(analysis->coverage.early, 1);
  assert_int_equal(analysis->rows[0].runs.count, 2);
  assert_int_equal(analysis->rows[1].runs.count, 2);
  // seeds 1 2 and 1 3: one pair, no interval, no standard error
  assert_int_equal(analysis->rows[1].paired.count, 1);
  NEAR(analysis->rows[1].paired.mean.value, -5, 1e-14);
  assert_true(isnan(analysis->rows[1].paired.error));
  sfnec_analysis_destroy(analysis);

  // none finished: the last task that all started ones have
  for (size_t i = 0; i < world->results.run_count; i++) world->runs[i].state = SFNEC_JOB_RUNNING;
  analysis = analysis_of(world, (sfnec_analysis_options){0});
  assert_int_equal(analysis->coverage.task, 1);
  assert_int_equal(analysis->coverage.counted, 5);
  sfnec_analysis_destroy(analysis);

  // a configuration without any run: the others stand, and the first that has runs is the reference
  for (size_t i = 0; i < 3; i++) world->runs[i].task_count = 0;
  analysis = analysis_of(world, (sfnec_analysis_options){.task = 3});
  assert_int_equal(analysis->rows[0].runs.count, 0);
  assert_int_equal(analysis->reference, 1);
  sfnec_analysis_destroy(analysis);
  sfnec_analysis_options options = {.task = 3, .resamples = 10, .against = "a"};
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_STATE, "'a' has no run");
  assert_null(analysis);
  free(world);
}

static void test_published(void **state) {
  (void)state;
  world *world = two_agents();
  world->published[0] = (sfnec_published){.agent = "a", .task = 1, .mean = 1, .se = (double)NAN};
  world->published[1] = (sfnec_published){.agent = "a", .task = 0, .mean = 100, .se = (double)NAN};
  world->published[2] = (sfnec_published){.agent = "b", .task = 3, .mean = 200, .se = 40};
  world->results.published_count = 3;
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){0});
  assert_ptr_equal(analysis->rows[0].published, &world->published[1]);
  NEAR(analysis->rows[0].published_errors, sqrt(3), 1e-14);
  assert_ptr_equal(analysis->rows[1].published, &world->published[2]);
  NEAR(analysis->rows[1].published_errors, -10 / sqrt(95 * 95 / 3.0 + 1600), 1e-14);
  sfnec_analysis_destroy(analysis);
  analysis = analysis_of(world, (sfnec_analysis_options){.metric = "goals"});
  assert_null(analysis->rows[0].published);
  sfnec_analysis_destroy(analysis);
  free(world);
}

// a sweep of three points and an agent beside it
static world *swept(void) {
  world *world = world_make();
  const char *const points[] = {"neighbours=1", "neighbours=4.0", "neighbours=20"};
  const char *const names[] = {"s neighbours=1", "s neighbours=4.0", "s neighbours=20"};
  const double noise[] = {0, 300, -120, 80, 40, -10}, own[] = {3, -4, 1, 2, -5, 4};
  for (size_t i = 0; i < 3; i++) {
    add_configuration(world, "s", points[i], names[i]);
    for (size_t s = 0; s < 6; s++) add_run(world, s + 1, 500 + noise[s] + own[(s + i) % 6] - (i == 0 ? 100 : 0));
  }
  add_configuration(world, "alone", "", "alone");
  add_run(world, 1, 5);
  return world;
}

static void test_sweep(void **state) {
  (void)state;
  world *world = swept();
  sfnec_setting setting = {"neighbours", "4", 0};
  world->published[0] = (sfnec_published){.agent = "s", .options = {&setting, 1}, .task = 3, .mean = 550, .se = 30};
  world->published[1] = (sfnec_published){.agent = "s", .task = 3, .mean = 1, .se = 30};
  world->results.published_count = 2;
  sfnec_analysis *analysis = analysis_of(world, (sfnec_analysis_options){0});
  assert_int_equal(analysis->sweep_count, 1);
  const sfnec_analysis_sweep *sweep = &analysis->sweeps[0];
  assert_string_equal(sweep->label, "s");
  assert_int_equal(sweep->points, 3);
  assert_int_equal(sweep->seeds, 6);
  assert_int_equal(sweep->possible, 2);
  assert_true(sweep->best == 1 || sweep->best == 2);
  assert_false(analysis->rows[0].contender.possible);
  assert_true(analysis->rows[1].contender.possible && analysis->rows[2].contender.possible);
  assert_true(analysis->rows[3].sweep == SIZE_MAX);
  // "4" is "4.0", and a value for no point belongs to no point
  assert_ptr_equal(analysis->rows[1].published, &world->published[0]);
  assert_null(analysis->rows[0].published);
  sfnec_analysis_destroy(analysis);

  // only the seeds that all points have count
  world->runs[0].task_count = 0;
  world->runs[8].task_count = 0;
  analysis = analysis_of(world, (sfnec_analysis_options){.task = 3});
  assert_int_equal(analysis->sweeps[0].seeds, 4);
  // seeds 2 4 5 6 of the first point
  NEAR(analysis->rows[0].contender.mean, 400 + (300 + 80 + 40 - 10) / 4.0 + (-4 + 2 - 5 + 4) / 4.0, 1e-13);
  sfnec_analysis_destroy(analysis);

  // fewest seconds are best: the first point's runs were the fastest
  analysis = analysis_of(world, (sfnec_analysis_options){.task = 3, .metric = "seconds"});
  assert_int_equal(analysis->sweeps[0].best, 0);
  assert_int_equal(analysis->sweeps[0].possible, 1);
  assert_true(analysis->rows[0].contender.mean > 0);
  sfnec_analysis_destroy(analysis);
  free(world);
}

static void test_refusals(void **state) {
  (void)state;
  world *world = swept();
  sfnec_analysis *analysis;
  sfnec_analysis_options options = {.resamples = 10, .metric = "retrun"};
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_OPTION, "'return'");
  options.metric = "zzzzzzzz";
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_OPTION, "return, episode-return");
  options = (sfnec_analysis_options){.resamples = 10, .task = 4};
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_STATE, "the furthest has 3");
  options = (sfnec_analysis_options){.resamples = 10, .against = "alon"};
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_OPTION, "'alone'");
  options.against = "s";
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_OPTION, "3 sweep points");
  options.against = "alone";
  OK(sfnec_analysis_make(&world->results, &options, &analysis));
  sfnec_analysis_destroy(analysis);
  for (size_t i = 0; i < world->results.run_count; i++) world->runs[i].task_count = 0;
  REFUSED(sfnec_analysis_make(&world->results, &options, &analysis), SFNEC_ERROR_STATE, "no run has finished a task");
  free(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_agents), cmocka_unit_test(test_task_and_metric), cmocka_unit_test(test_by_task),
      cmocka_unit_test(test_unfinished), cmocka_unit_test(test_published),       cmocka_unit_test(test_sweep),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
