// test_analysis.c: from the results of an experiment to its statistics, with results made by hand.
#include "study/made_results.h"

#include "study/analysis/analysis.h"

// The returns of its tasks are value - 10, value and value + 10.
static void add_value(made *made, uint64_t seed, double value) {
  sfnec_result_run *run = add_run(made, seed, (const double[]){value - 10, value, value + 10}, TASKS);
  for (uint32_t t = 0; t < TASKS; t++) {
    sfnec_task_result *result = &run->tasks[t].result;
    result->episodes = 4 + t;
    result->goals = t;
    result->w_error = 0.5;
    result->seconds = 1 + (double)made->results.run_count;
  }
}

// two agents of three seeds
static made *two_agents(void) {
  made *made = made_create();
  add_configuration(made, "a", "", "a");
  for (uint64_t seed = 1; seed <= 3; seed++) add_value(made, seed, 100.0 * (double)seed);
  add_configuration(made, "b", "", "b");
  for (uint64_t seed = 1; seed <= 3; seed++) add_value(made, seed, 100.0 * (double)seed - 5 * (double)seed);
  return made;
}

static sfnec_analysis *analysis_of(const made *made, sfnec_analysis_options options) {
  sfnec_analysis *analysis;
  if (!options.resamples) options.resamples = 500;
  OK(sfnec_analysis_make(&made->results, &options, &analysis));
  return analysis;
}

static void test_two_agents(void **state) {
  (void)state;
  made *made = two_agents();
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){0});
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
  free(made);
}

static void test_task_and_metric(void **state) {
  (void)state;
  made *made = two_agents();
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){.task = 1});
  NEAR(analysis->rows[0].mean, 190, 1e-15);
  sfnec_analysis_destroy(analysis);

  const struct {
    const char *metric;
    double mean;
  } expected[] = {{"episodes", 5}, {"goals", 1},   {"entries", 150},       {"w-error", 0.5},
                  {"steps", 100},  {"seconds", 3}, {"episode-return", 40}, {"return", 200}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    analysis = analysis_of(made, (sfnec_analysis_options){.metric = expected[i].metric});
    NEAR(analysis->rows[0].mean, expected[i].mean, 1e-14);
    sfnec_analysis_destroy(analysis);
  }
  // 100 steps in 2, 3 and 4 seconds
  analysis = analysis_of(made, (sfnec_analysis_options){.metric = "speed"});
  NEAR(analysis->rows[0].mean, (50 + 100 / 3.0 + 25) / 3, 1e-14);
  sfnec_analysis_destroy(analysis);

  // the runs of b take longer, which is worse
  analysis = analysis_of(made, (sfnec_analysis_options){.metric = "seconds", .against = "b"});
  assert_int_equal(analysis->reference, 1);
  assert_int_equal(analysis->rows[0].better, 3);
  NEAR(analysis->rows[0].paired.mean.value, -3, 1e-14);
  NEAR(analysis->rows[0].improvement.value, 1, 1e-15);
  sfnec_analysis_destroy(analysis);
  free(made);
}

// the metric of the results leads, but not where published values, which are returns, are to be compared with
static void test_natural_metric(void **state) {
  (void)state;
  made *made = made_create();
  add_configuration(made, "a", "", "a");
  add_run(made, 1, (const double[]){10, 20, 60}, 3);
  made->tasks[0][0].result.goals = 1;
  made->tasks[0][1].result.goals = 2;
  made->tasks[0][2].result.goals = 3;
  assert_string_equal(sfnec_metric_of_results(&made->results).name, "return");
  made->results.metric = "success";
  const sfnec_metric success = sfnec_metric_of_results(&made->results);
  assert_string_equal(success.name, "success");
  NEAR(sfnec_metric_value(&success, made->tasks[0], 0, 3), 0.5, 1e-15);
  made->results.metric = "steps-to-goal";
  const sfnec_metric to_goal = sfnec_metric_of_results(&made->results);
  assert_true(to_goal.less_is_better);
  NEAR(sfnec_metric_value(&to_goal, made->tasks[0], 0, 3), 50, 1e-13);
  made->results.metric = "no such metric";
  assert_string_equal(sfnec_metric_of_results(&made->results).name, "return");
  made->results.metric = "success";
  made->results.published_count = 1;
  assert_string_equal(sfnec_metric_of_results(&made->results).name, "return");
  free(made);
}

static void test_by_task(void **state) {
  (void)state;
  made *made = two_agents();
  made->runs[1].task_count = 2; // drops out, so the matrix closes up
  made->runs[1].state = SFNEC_JOB_RUNNING;
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){.by_task = true});
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
  free(made);
}

static void test_unfinished(void **state) {
  (void)state;
  made *made = two_agents();
  made->runs[0].state = SFNEC_JOB_RUNNING; // far enough, still counts
  made->runs[2].state = SFNEC_JOB_FAILED;
  made->runs[2].task_count = 1;
  made->runs[4].state = SFNEC_JOB_WAITING;
  made->runs[4].task_count = 0;
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){0});
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
  for (size_t i = 0; i < made->results.run_count; i++) made->runs[i].state = SFNEC_JOB_RUNNING;
  analysis = analysis_of(made, (sfnec_analysis_options){0});
  assert_int_equal(analysis->coverage.task, 1);
  assert_int_equal(analysis->coverage.counted, 5);
  sfnec_analysis_destroy(analysis);

  // a configuration without any run: the others stand, and the first that has runs is the reference
  for (size_t i = 0; i < 3; i++) made->runs[i].task_count = 0;
  analysis = analysis_of(made, (sfnec_analysis_options){.task = 3});
  assert_int_equal(analysis->rows[0].runs.count, 0);
  assert_int_equal(analysis->reference, 1);
  sfnec_analysis_destroy(analysis);
  sfnec_analysis_options options = {.task = 3, .resamples = 10, .against = "a"};
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_STATE, "'a' has no run");
  assert_null(analysis);
  free(made);
}

static void test_published(void **state) {
  (void)state;
  made *made = two_agents();
  made->published[0] = (sfnec_published){.agent = "a", .task = 1, .mean = 1, .se = (double)NAN};
  made->published[1] = (sfnec_published){.agent = "a", .task = 0, .mean = 100, .se = (double)NAN};
  made->published[2] = (sfnec_published){.agent = "b", .task = 3, .mean = 200, .se = 40};
  made->results.published_count = 3;
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){0});
  assert_ptr_equal(analysis->rows[0].published, &made->published[1]);
  NEAR(analysis->rows[0].published_errors, sqrt(3), 1e-14);
  assert_ptr_equal(analysis->rows[1].published, &made->published[2]);
  NEAR(analysis->rows[1].published_errors, -10 / sqrt(95 * 95 / 3.0 + 1600), 1e-14);
  sfnec_analysis_destroy(analysis);
  analysis = analysis_of(made, (sfnec_analysis_options){.metric = "goals"});
  assert_null(analysis->rows[0].published);
  sfnec_analysis_destroy(analysis);
  free(made);
}

// a sweep of three points and an agent beside it
static made *swept(void) {
  made *made = made_create();
  const char *const points[] = {"neighbours=1", "neighbours=4.0", "neighbours=20"};
  const char *const names[] = {"s neighbours=1", "s neighbours=4.0", "s neighbours=20"};
  const double noise[] = {0, 300, -120, 80, 40, -10}, own[] = {3, -4, 1, 2, -5, 4};
  for (size_t i = 0; i < 3; i++) {
    add_configuration(made, "s", points[i], names[i]);
    for (size_t s = 0; s < 6; s++) add_value(made, s + 1, 500 + noise[s] + own[(s + i) % 6] - (i == 0 ? 100 : 0));
  }
  add_configuration(made, "alone", "", "alone");
  add_value(made, 1, 5);
  return made;
}

static void test_sweep(void **state) {
  (void)state;
  made *made = swept();
  sfnec_setting setting = {"neighbours", "4", 0};
  made->published[0] = (sfnec_published){.agent = "s", .options = {&setting, 1}, .task = 3, .mean = 550, .se = 30};
  made->published[1] = (sfnec_published){.agent = "s", .task = 3, .mean = 1, .se = 30};
  made->results.published_count = 2;
  sfnec_analysis *analysis = analysis_of(made, (sfnec_analysis_options){0});
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
  assert_ptr_equal(analysis->rows[1].published, &made->published[0]);
  assert_null(analysis->rows[0].published);
  sfnec_analysis_destroy(analysis);

  // only the seeds that all points have count
  made->runs[0].task_count = 0;
  made->runs[8].task_count = 0;
  analysis = analysis_of(made, (sfnec_analysis_options){.task = 3});
  assert_int_equal(analysis->sweeps[0].seeds, 4);
  // seeds 2 4 5 6 of the first point
  NEAR(analysis->rows[0].contender.mean, 400 + (300 + 80 + 40 - 10) / 4.0 + (-4 + 2 - 5 + 4) / 4.0, 1e-13);
  sfnec_analysis_destroy(analysis);

  // fewest seconds are best: the first point's runs were the fastest
  analysis = analysis_of(made, (sfnec_analysis_options){.task = 3, .metric = "seconds"});
  assert_int_equal(analysis->sweeps[0].best, 0);
  // of the four seeds that all have, which judge nothing
  assert_int_equal(analysis->sweeps[0].possible, 3);
  assert_true(isnan(analysis->rows[0].contender.chance));
  assert_true(analysis->rows[0].contender.mean > 0);
  sfnec_analysis_destroy(analysis);
  free(made);
}

static void test_refusals(void **state) {
  (void)state;
  made *made = swept();
  sfnec_analysis *analysis;
  sfnec_analysis_options options = {.resamples = 10, .metric = "retrun"};
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_OPTION, "'return'");
  options.metric = "zzzzzzzz";
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_OPTION, "return, episode-return");
  options = (sfnec_analysis_options){.resamples = 10, .task = 4};
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_STATE, "the furthest has 3");
  options = (sfnec_analysis_options){.resamples = 10, .against = "alon"};
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_OPTION, "'alone'");
  options.against = "s";
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_OPTION, "3 sweep points");
  options.against = "alone";
  OK(sfnec_analysis_make(&made->results, &options, &analysis));
  sfnec_analysis_destroy(analysis);
  for (size_t i = 0; i < made->results.run_count; i++) made->runs[i].task_count = 0;
  REFUSED(sfnec_analysis_make(&made->results, &options, &analysis), SFNEC_ERROR_STATE, "no run has finished a task");
  free(made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_agents),     cmocka_unit_test(test_task_and_metric), cmocka_unit_test(test_by_task),
      cmocka_unit_test(test_natural_metric), cmocka_unit_test(test_unfinished),      cmocka_unit_test(test_published),
      cmocka_unit_test(test_sweep),          cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
