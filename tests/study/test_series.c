// test_series.c: curves, boxes and published values from results made by hand.
#include "study/made_results.h"

#include "study/analysis/series.h"

static sfnec_arena *arena;

static int setup(void **state) {
  *state = made_create();
  arena = sfnec_arena_create();
  return !arena;
}

static int teardown(void **state) {
  free(*state);
  sfnec_arena_destroy(arena);
  return 0;
}

// three runs, one of which has not come to the last task, and one that has not begun
static void add_runs(made *made) {
  add_configuration(made, "a", "", "a");
  add_run(made, 1, (const double[]){10, 20, 60}, 3);
  add_run(made, 2, (const double[]){30, 40, 20}, 3);
  add_run(made, 3, (const double[]){50, 90}, 2);
  add_run(made, 4, NULL, 0);
}

// good until the next call
static const sfnec_metric *metric(const char *name) {
  static sfnec_metric found;
  found = sfnec_series_metric(name);
  return &found;
}

static void test_average(void **state) {
  made *made = *state;
  add_runs(made);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_SO_FAR, 0, arena, &curve));
  assert_int_equal(curve.count, 3);
  assert_int_equal(curve.run_count, 3);
  assert_int_equal(curve.seeds[2], 3);
  // 10 30 50; then 15 35 70; then 30 30
  NEAR(curve.points[0].x, 1, 0);
  NEAR(curve.points[0].mean, 30, 1e-15);
  NEAR(curve.points[0].error, 20 / sqrt(3), 1e-14);
  assert_int_equal(curve.points[1].runs, 3);
  NEAR(curve.points[1].mean, 40, 1e-15);
  // deviations -25 -5 30: 1550 / 2 / 3
  NEAR(curve.points[1].error, sqrt(1550 / 6.0), 1e-14);
  assert_int_equal(curve.points[2].runs, 2);
  NEAR(curve.points[2].x, 3, 0);
  NEAR(curve.points[2].mean, 30, 1e-14);
  NEAR(curve.points[2].error, 0, 1e-14);
  NEAR(curve.values[1 * 3 + 1], 35, 1e-15);
  assert_true(isnan(curve.values[2 * 3 + 2]));
  // nothing was resampled
  NEAR(curve.points[0].iqm.value, 30, 1e-15);
  assert_false(sfnec_interval_known(curve.points[0].iqm.interval));
}

static void test_alone(void **state) {
  made *made = *state;
  add_runs(made);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_ALONE, 0, arena, &curve));
  NEAR(curve.points[1].mean, 50, 1e-15);
  NEAR(curve.points[2].mean, 40, 1e-15);
  NEAR(curve.points[2].error, 20, 1e-14);
  // 100 steps of the third task in 0.03 seconds; all three in 0.06
  OK(sfnec_curve_tasks(&made->results, 0, metric("step-time"), SFNEC_SPAN_ALONE, 0, arena, &curve));
  NEAR(curve.points[2].mean, 300, 1e-12);
  OK(sfnec_curve_tasks(&made->results, 0, metric("step-time"), SFNEC_SPAN_SO_FAR, 0, arena, &curve));
  NEAR(curve.points[2].mean, 200, 1e-12);
}

static void test_iqm(void **state) {
  made *made = *state;
  add_configuration(made, "a", "", "a");
  for (uint64_t seed = 1; seed <= 4; seed++) add_run(made, seed, (const double[]){seed < 4 ? (double)seed : 100}, 1);
  sfnec_curve plain, resampled;
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_ALONE, 0, arena, &plain));
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_ALONE, 500, arena, &resampled));
  // 1 2 3 100 without the ends
  NEAR(plain.points[0].iqm.value, 2.5, 1e-15);
  NEAR(resampled.points[0].iqm.value, 2.5, 1e-15);
  assert_true(sfnec_interval_known(resampled.points[0].iqm.interval));
  assert_true(resampled.points[0].iqm.interval.low <= 2.5 && resampled.points[0].iqm.interval.high >= 2.5);
}

static void test_not_finite(void **state) {
  made *made = *state;
  add_configuration(made, "a", "", "a");
  add_run(made, 1, (const double[]){(double)NAN}, 1);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_ALONE, 10, arena, &curve));
  assert_int_equal(curve.points[0].runs, 0);
  assert_true(isnan(curve.points[0].mean));
  add_run(made, 2, (const double[]){7}, 1);
  OK(sfnec_curve_tasks(&made->results, 0, metric("return"), SFNEC_SPAN_ALONE, 10, arena, &curve));
  assert_int_equal(curve.points[0].runs, 1);
  NEAR(curve.points[0].mean, 7, 0);
  assert_true(isnan(curve.points[0].error));
  // a configuration without runs
  add_configuration(made, "b", "", "b");
  OK(sfnec_curve_tasks(&made->results, 1, metric("return"), SFNEC_SPAN_ALONE, 10, arena, &curve));
  assert_int_equal(curve.count, 0);
}

static void record_episodes(made *made, size_t run, uint32_t task, uint32_t count, const double *totals) {
  for (uint32_t i = 0; i < count; i++) made->episodes[run][task][i].total = totals[i];
  made->tasks[run][task].episode_count = count;
}

static void test_episodes(void **state) {
  made *made = *state;
  const double zero[TASKS] = {0};
  add_configuration(made, "a", "", "a");
  add_run(made, 1, zero, 2);
  add_run(made, 2, zero, 2);
  assert_non_null(strstr(sfnec_episodes_missing(&made->results), "record"));
  record_episodes(made, 0, 0, 3, (const double[]){3, 6, 9});
  record_episodes(made, 0, 1, 2, (const double[]){1, 2});
  record_episodes(made, 1, 0, 4, (const double[]){5, 5, 8, 2});
  assert_null(sfnec_episodes_missing(&made->results));
  assert_int_equal(sfnec_episodes_window(&made->results), 0); // over steps
  made->results.episodes = 4;
  assert_int_equal(sfnec_episodes_window(&made->results), 1);

  sfnec_curve curve;
  OK(sfnec_curve_episodes(&made->results, 0, 2, 0, arena, &curve));
  // the shorter run has 4: 3 4.5 7.5 5 (across the tasks) and 5 5 6.5 5
  assert_int_equal(curve.count, 4);
  NEAR(curve.values[0], 3, 0);
  NEAR(curve.values[1], 4.5, 1e-15);
  NEAR(curve.values[3], 5, 1e-15);
  NEAR(curve.values[4 + 2], 6.5, 1e-15);
  NEAR(curve.points[2].mean, 7, 1e-15);
  NEAR(curve.points[2].error, 0.5, 1e-15);
}

// a bin with its reward, its episodes and their returns, added up
static sfnec_bin_result bin(int64_t steps, double total, int64_t episodes, double returns, int64_t entries) {
  return (sfnec_bin_result){
      .total = total, .steps = steps, .episodes = episodes, .episode_return = returns, .entries = entries};
}

static void record_bins(made *made, size_t run, uint32_t task, const sfnec_bin_result *bins, uint32_t count) {
  sfnec_task_record *record = &made->tasks[run][task];
  record->bins = bins;
  record->bin_count = count;
  record->result.steps = 0;
  for (uint32_t i = 0; i < count; i++) record->result.steps += bins[i].steps;
}

static const sfnec_record_field *bin_field(const char *name) {
  const sfnec_record_field *field = sfnec_bin_record_set()->fields;
  while (strcmp(field->name, name) != 0) field++;
  return field;
}

static void test_steps(void **state) {
  made *made = *state;
  const double zero[TASKS] = {0};
  add_configuration(made, "a", "", "a");
  add_run(made, 1, zero, 2);
  add_run(made, 2, zero, 1);
  assert_non_null(strstr(sfnec_bins_missing(&made->results), "record"));
  const sfnec_bin_result first[] = {bin(10, 5, 0, 0, 1), bin(10, 15, 2, 8, 2), bin(10, 1, 0, 0, 3),
                                    bin(10, 0, 1, 9, 4)};
  const sfnec_bin_result second[] = {bin(10, 2, 0, 0, 5), bin(10, 4, 0, 0, 6), bin(10, 1, 1, 7, 7),
                                     bin(10, 3, 0, 0, 8)};
  const sfnec_bin_result other[] = {bin(10, 1, 1, 2, 0), bin(10, 3, 0, 0, 0), bin(10, 2, 0, 0, 0), bin(10, 4, 0, 0, 0)};
  record_bins(made, 0, 0, first, 4);
  record_bins(made, 0, 1, second, 4);
  record_bins(made, 1, 0, other, 4);
  made->results.steps = 40;
  assert_null(sfnec_bins_missing(&made->results));

  sfnec_curve curve;
  OK(sfnec_curve_steps(&made->results, 0, bin_field("total"), 100, 0, arena, &curve));
  assert_int_equal(curve.count, 8);
  for (size_t i = 0; i < 8; i++) NEAR(curve.points[i].x, 10 * (double)(i + 1), 0);
  NEAR(curve.points[1].mean, (1.5 + 0.3) / 2, 1e-15);
  assert_int_equal(curve.points[7].runs, 1);
  NEAR(curve.points[7].mean, 0.3, 1e-15);

  // what ended last in the task is still what there is; the next task begins again
  OK(sfnec_curve_steps(&made->results, 0, bin_field("episode_return"), 100, 0, arena, &curve));
  const double wanted[] = {(double)NAN, 4, 4, 9, (double)NAN, (double)NAN, 7, 7};
  for (size_t i = 0; i < 8; i++) {
    if (isnan(wanted[i])) assert_true(isnan(curve.values[i]));
    else NEAR(curve.values[i], wanted[i], 1e-15);
  }
  for (size_t i = 0; i < 4; i++) NEAR(curve.values[8 + i], 2, 0);

  // two bins to a cell are one bin of twice the width; of a level the last one counts
  OK(sfnec_curve_steps(&made->results, 0, bin_field("total"), 4, 0, arena, &curve));
  assert_int_equal(curve.count, 4);
  NEAR(curve.points[0].x, 20, 0);
  NEAR(curve.values[0], 1, 1e-15);
  NEAR(curve.values[3], 0.2, 1e-15);
  OK(sfnec_curve_steps(&made->results, 0, bin_field("entries"), 4, 0, arena, &curve));
  NEAR(curve.values[2], 6, 0);

  // the area: 30 steps at 4, 4, 9 and 20 at 7; 40 at 2
  NEAR(sfnec_metric_value(metric("auc"), made->tasks[0], 0, 2), (40 + 40 + 90 + 70 + 70) / 50.0, 1e-15);
  NEAR(sfnec_metric_value(metric("auc"), made->tasks[1], 0, 1), 2, 1e-15);
}

// where tasks end by episodes, or the episodes themselves are drawn, cells are even shares, up to the shortest run
static void test_uneven_steps(void **state) {
  made *made = *state;
  const double zero[TASKS] = {0};
  add_configuration(made, "a", "", "a");
  add_run(made, 1, zero, 1);
  add_run(made, 2, zero, 1);
  const sfnec_bin_result wide[] = {bin(20, 20, 1, 1, 1), bin(20, 40, 1, 2, 2), bin(20, 0, 1, 3, 3),
                                   bin(20, 20, 1, 4, 4)};
  const sfnec_bin_result narrow[] = {bin(10, 10, 1, 5, 1), bin(10, 30, 1, 7, 2), bin(10, 20, 1, 9, 3)};
  record_bins(made, 0, 0, wide, 4);
  record_bins(made, 1, 0, narrow, 3);
  made->results.episodes = 4;
  sfnec_curve curve;
  OK(sfnec_curve_steps(&made->results, 0, bin_field("total"), 100, 0, arena, &curve));
  assert_int_equal(curve.count, 1); // 30 steps are one cell of 20
  NEAR(curve.points[0].x, 20, 0);
  NEAR(curve.points[0].mean, (1 + 2) / 2.0, 1e-15);

  made->results.episodes = 0;
  record_episodes(made, 0, 0, 2, (const double[]){6, 8});
  made->episodes[0][0][0].steps = 25;
  made->episodes[0][0][1].steps = 55;
  OK(sfnec_curve_steps(&made->results, 0, NULL, 100, 0, arena, &curve));
  assert_int_equal(curve.count, 2);
  assert_int_equal(curve.run_count, 1);
  NEAR(curve.points[0].x, 40, 0);
  NEAR(curve.points[0].mean, 6, 0);
  NEAR(curve.points[1].mean, 8, 0);
}

static void test_box(void **state) {
  (void)state;
  sfnec_box box;
  // sorted 1 2 3 4 5 6 7 12 14: quartiles 3 5 7, reach 6: whiskers 1 to 12, 14 is just outside
  OK(sfnec_box_make((const double[]){14, 1, 12, 2, 7, 3, 6, 4, 5}, 9, &box));
  NEAR(box.lower, 3, 0);
  NEAR(box.median, 5, 0);
  NEAR(box.upper, 7, 0);
  NEAR(box.low, 1, 0);
  NEAR(box.high, 12, 0);
  NEAR(box.mean, 6, 1e-15);
  OK(sfnec_box_make((const double[]){-1, 3, 4, 5, 6}, 5, &box));
  NEAR(box.low, 3, 0);
  NEAR(box.high, 6, 0);
  OK(sfnec_box_make((const double[]){2}, 1, &box));
  NEAR(box.low, 2, 0);
  NEAR(box.high, 2, 0);
  assert_true(isnan(box.error));
  OK(sfnec_box_make(NULL, 0, &box));
  assert_true(isnan(box.median));
}

static void publish(made *made, const char *agent, const char *value, uint32_t task) {
  const size_t at = made->results.published_count++;
  made->published[at] = (sfnec_published){.agent = agent, .task = task, .mean = 1, .se = (double)NAN};
  if (!value) return;
  made->published_settings[at] = (sfnec_setting){"rate", value, 1};
  made->published[at].options = (sfnec_settings){&made->published_settings[at], 1};
}

static void test_published(void **state) {
  made *made = *state;
  add_configuration(made, "a", "rate=0.1", "a rate=0.1");
  add_configuration(made, "a", "rate=0.2", "a rate=0.2");
  add_configuration(made, "b", "", "b");
  assert_null(sfnec_published_next(&made->results, 0, NULL));
  publish(made, "a", "0.10", 1);
  publish(made, "b", NULL, 0);
  publish(made, "a", "0.1", 2);
  publish(made, "a", NULL, 2);
  const sfnec_published *at = sfnec_published_next(&made->results, 0, NULL);
  assert_ptr_equal(at, &made->published[0]);
  at = sfnec_published_next(&made->results, 0, at);
  assert_ptr_equal(at, &made->published[2]);
  assert_null(sfnec_published_next(&made->results, 0, at));
  assert_null(sfnec_published_next(&made->results, 1, NULL));
  at = sfnec_published_next(&made->results, 2, NULL);
  assert_ptr_equal(at, &made->published[1]);
  assert_int_equal(sfnec_published_task(&made->results, at), TASKS);
  assert_int_equal(sfnec_published_task(&made->results, &made->published[0]), 1);
  assert_ptr_equal(sfnec_published_after(&made->results, 0, 2), &made->published[2]);
  assert_null(sfnec_published_after(&made->results, 0, 3));
}

static void test_names(void **state) {
  made *made = *state;
  add_configuration(made, "a", "rate=0.1", "a rate=0.1");
  add_configuration(made, "a", "rate=0.2", "a rate=0.2");
  assert_string_equal(sfnec_sweep_key(&made->results), "rate");
  assert_string_equal(sfnec_short_name(&made->results, 1), "0.2");
  // a second agent: values alone would not tell whose
  add_configuration(made, "b", "", "b");
  assert_string_equal(sfnec_sweep_key(&made->results), "rate");
  assert_string_equal(sfnec_short_name(&made->results, 1), "a rate=0.2");
  add_configuration(made, "b", "alpha=1", "b alpha=1");
  assert_null(sfnec_sweep_key(&made->results));
}

// each task is the same for all configurations of a seed
static void test_optimum(void **state) {
  made *made = *state;
  add_runs(made);
  add_configuration(made, "b", "", "b");
  add_run(made, 1, (const double[]){1, 2, 3}, 3);
  for (size_t run = 0; run < made->results.run_count; run++)
    for (uint32_t t = 0; t < made->runs[run].task_count; t++)
      made->tasks[run][t].result.optimum = 100.0 * (double)made->runs[run].seed + 10 * t;
  sfnec_curve curve;
  OK(sfnec_curve_optimum(&made->results, SFNEC_SPAN_SO_FAR, arena, &curve));
  assert_int_equal(curve.configuration, 0);
  assert_int_equal(curve.count, 3);
  NEAR(curve.points[0].mean, 200, 1e-15);
  NEAR(curve.points[1].mean, 205, 1e-15);
  NEAR(curve.points[2].mean, 160, 1e-15); // of the two runs that have come so far
  OK(sfnec_curve_optimum(&made->results, SFNEC_SPAN_ALONE, arena, &curve));
  NEAR(curve.points[1].mean, 210, 1e-15);

  // not known of the second task of a run, and of no run at all
  made->tasks[1][1].result.optimum = (double)NAN;
  OK(sfnec_curve_optimum(&made->results, SFNEC_SPAN_SO_FAR, arena, &curve));
  assert_true(curve.points[0].runs == 3 && curve.points[1].runs == 2 && curve.points[2].runs == 1);
  made->tasks[4][2].result.optimum += 1; // another world
  OK(sfnec_curve_optimum(&made->results, SFNEC_SPAN_SO_FAR, arena, &curve));
  assert_int_equal(curve.count, 0);
  for (size_t run = 0; run < made->results.run_count; run++)
    for (uint32_t t = 0; t < made->runs[run].task_count; t++) made->tasks[run][t].result.optimum = (double)NAN;
  OK(sfnec_curve_optimum(&made->results, SFNEC_SPAN_SO_FAR, arena, &curve));
  assert_int_equal(curve.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_average, setup, teardown),
      cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(test_iqm, setup, teardown),
      cmocka_unit_test_setup_teardown(test_not_finite, setup, teardown),
      cmocka_unit_test_setup_teardown(test_episodes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
      cmocka_unit_test_setup_teardown(test_uneven_steps, setup, teardown),
      cmocka_unit_test(test_box),
      cmocka_unit_test_setup_teardown(test_published, setup, teardown),
      cmocka_unit_test_setup_teardown(test_names, setup, teardown),
      cmocka_unit_test_setup_teardown(test_optimum, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
