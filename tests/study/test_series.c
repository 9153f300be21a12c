// test_series.c: curves, boxes and published values from results made by hand.
#include "support/check.h"

#include "study/analysis/series.h"

enum { TASKS = 3, EPISODES = 4, RUNS = 8, CONFIGURATIONS = 4 };

typedef struct world {
  sfnec_results results;
  sfnec_result_configuration configurations[CONFIGURATIONS];
  sfnec_result_run runs[RUNS];
  sfnec_task_record tasks[RUNS][TASKS];
  sfnec_episode_result episodes[RUNS][TASKS][EPISODES];
  sfnec_setting settings[CONFIGURATIONS];
  sfnec_published published[4];
  sfnec_setting published_settings[4];
  sfnec_arena *arena;
} world;

static int setup(void **state) {
  world *world = calloc(1, sizeof *world);
  assert_non_null(world);
  world->arena = sfnec_arena_create();
  assert_non_null(world->arena);
  world->results = (sfnec_results){.folder = "runs/x",
                                   .name = "x",
                                   .title = "",
                                   .env = "four_rooms",
                                   .tasks = TASKS,
                                   .configurations = world->configurations,
                                   .runs = world->runs};
  *state = world;
  return 0;
}

static int teardown(void **state) {
  world *world = *state;
  sfnec_arena_destroy(world->arena);
  free(world);
  return 0;
}

// value NULL: no sweep
static void add_configuration(world *world, const char *label, const char *name, const char *value) {
  const size_t at = world->results.configuration_count++;
  world->configurations[at] = (sfnec_result_configuration){
      .label = label, .preset = "sfnec", .point = "", .name = name, .first_run = world->results.run_count};
  if (!value) return;
  world->settings[at] = (sfnec_setting){"rate", value, 1};
  world->configurations[at].settings = (sfnec_settings){&world->settings[at], 1};
}

static sfnec_result_run *add_run(world *world, uint64_t seed, const double *totals, uint32_t count) {
  const size_t at = world->results.run_count++, configuration = world->results.configuration_count - 1;
  world->configurations[configuration].run_count++;
  for (uint32_t t = 0; t < count; t++)
    world->tasks[at][t] = (sfnec_task_record){
        .task = t,
        .result = {.total = totals[t], .steps = 100, .episodes = 4, .entries = 50 * (t + 1), .seconds = 0.01 * (t + 1)},
        .episodes = world->episodes[at][t]};
  world->runs[at] = (sfnec_result_run){.id = "",
                                       .configuration = configuration,
                                       .seed = seed,
                                       .state = count == TASKS ? SFNEC_JOB_DONE : SFNEC_JOB_RUNNING,
                                       .tasks_wanted = TASKS,
                                       .tasks = world->tasks[at],
                                       .task_count = count};
  return &world->runs[at];
}

// three runs, one of which has not come to the last task, and one that has not begun
static void add_runs(world *world) {
  add_configuration(world, "a", "a", NULL);
  add_run(world, 1, (const double[]){10, 20, 60}, 3);
  add_run(world, 2, (const double[]){30, 40, 20}, 3);
  add_run(world, 3, (const double[]){50, 90}, 2);
  add_run(world, 4, NULL, 0);
}

// good until the next call
static const sfnec_metric *metric(const char *name) {
  static sfnec_metric found;
  found = sfnec_series_metric(name);
  return &found;
}

static void test_average(void **state) {
  world *world = *state;
  add_runs(world);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_SO_FAR, 0, world->arena, &curve));
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
  world *world = *state;
  add_runs(world);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_ALONE, 0, world->arena, &curve));
  NEAR(curve.points[1].mean, 50, 1e-15);
  NEAR(curve.points[2].mean, 40, 1e-15);
  NEAR(curve.points[2].error, 20, 1e-14);
  // 100 steps of the third task in 0.03 seconds; all three in 0.06
  OK(sfnec_curve_tasks(&world->results, 0, metric("step-time"), SFNEC_SPAN_ALONE, 0, world->arena, &curve));
  NEAR(curve.points[2].mean, 300, 1e-12);
  OK(sfnec_curve_tasks(&world->results, 0, metric("step-time"), SFNEC_SPAN_SO_FAR, 0, world->arena, &curve));
  NEAR(curve.points[2].mean, 200, 1e-12);
}

static void test_iqm(void **state) {
  world *world = *state;
  add_configuration(world, "a", "a", NULL);
  for (uint64_t seed = 1; seed <= 4; seed++) add_run(world, seed, (const double[]){seed < 4 ? (double)seed : 100}, 1);
  sfnec_curve plain, resampled;
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_ALONE, 0, world->arena, &plain));
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_ALONE, 500, world->arena, &resampled));
  // 1 2 3 100 without the ends
  NEAR(plain.points[0].iqm.value, 2.5, 1e-15);
  NEAR(resampled.points[0].iqm.value, 2.5, 1e-15);
  assert_true(sfnec_interval_known(resampled.points[0].iqm.interval));
  assert_true(resampled.points[0].iqm.interval.low <= 2.5 && resampled.points[0].iqm.interval.high >= 2.5);
}

static void test_not_finite(void **state) {
  world *world = *state;
  add_configuration(world, "a", "a", NULL);
  add_run(world, 1, (const double[]){(double)NAN}, 1);
  sfnec_curve curve;
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_ALONE, 10, world->arena, &curve));
  assert_int_equal(curve.points[0].runs, 0);
  assert_true(isnan(curve.points[0].mean));
  add_run(world, 2, (const double[]){7}, 1);
  OK(sfnec_curve_tasks(&world->results, 0, metric("return"), SFNEC_SPAN_ALONE, 10, world->arena, &curve));
  assert_int_equal(curve.points[0].runs, 1);
  NEAR(curve.points[0].mean, 7, 0);
  assert_true(isnan(curve.points[0].error));
  // a configuration without runs
  add_configuration(world, "b", "b", NULL);
  OK(sfnec_curve_tasks(&world->results, 1, metric("return"), SFNEC_SPAN_ALONE, 10, world->arena, &curve));
  assert_int_equal(curve.count, 0);
}

static void record_episodes(world *world, size_t run, uint32_t task, uint32_t count, const double *totals) {
  for (uint32_t i = 0; i < count; i++) world->episodes[run][task][i].total = totals[i];
  world->tasks[run][task].episode_count = count;
}

static void test_episodes(void **state) {
  world *world = *state;
  const double zero[TASKS] = {0};
  add_configuration(world, "a", "a", NULL);
  add_run(world, 1, zero, 2);
  add_run(world, 2, zero, 2);
  assert_non_null(strstr(sfnec_episodes_missing(&world->results), "record"));
  record_episodes(world, 0, 0, 3, (const double[]){3, 6, 9});
  record_episodes(world, 0, 1, 2, (const double[]){1, 2});
  record_episodes(world, 1, 0, 4, (const double[]){5, 5, 8, 2});
  assert_non_null(strstr(sfnec_episodes_missing(&world->results), "steps"));
  world->results.episodes = 4;
  assert_null(sfnec_episodes_missing(&world->results));
  assert_int_equal(sfnec_episodes_window(&world->results), 1);

  sfnec_curve curve;
  OK(sfnec_curve_episodes(&world->results, 0, 2, 0, world->arena, &curve));
  // the shorter run has 4: 3 4.5 7.5 5 (across the tasks) and 5 5 6.5 5
  assert_int_equal(curve.count, 4);
  NEAR(curve.values[0], 3, 0);
  NEAR(curve.values[1], 4.5, 1e-15);
  NEAR(curve.values[3], 5, 1e-15);
  NEAR(curve.values[4 + 2], 6.5, 1e-15);
  NEAR(curve.points[2].mean, 7, 1e-15);
  NEAR(curve.points[2].error, 0.5, 1e-15);
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

static void publish(world *world, const char *agent, const char *value, uint32_t task) {
  const size_t at = world->results.published_count++;
  world->results.published = world->published;
  world->published[at] = (sfnec_published){.agent = agent, .task = task, .mean = 1, .se = (double)NAN};
  if (!value) return;
  world->published_settings[at] = (sfnec_setting){"rate", value, 1};
  world->published[at].options = (sfnec_settings){&world->published_settings[at], 1};
}

static void test_published(void **state) {
  world *world = *state;
  add_configuration(world, "a", "a rate=0.1", "0.1");
  add_configuration(world, "a", "a rate=0.2", "0.2");
  add_configuration(world, "b", "b", NULL);
  assert_null(sfnec_published_next(&world->results, 0, NULL));
  publish(world, "a", "0.10", 1);
  publish(world, "b", NULL, 0);
  publish(world, "a", "0.1", 2);
  publish(world, "a", NULL, 2);
  const sfnec_published *at = sfnec_published_next(&world->results, 0, NULL);
  assert_ptr_equal(at, &world->published[0]);
  at = sfnec_published_next(&world->results, 0, at);
  assert_ptr_equal(at, &world->published[2]);
  assert_null(sfnec_published_next(&world->results, 0, at));
  assert_null(sfnec_published_next(&world->results, 1, NULL));
  at = sfnec_published_next(&world->results, 2, NULL);
  assert_ptr_equal(at, &world->published[1]);
  assert_int_equal(sfnec_published_task(&world->results, at), TASKS);
  assert_int_equal(sfnec_published_task(&world->results, &world->published[0]), 1);
}

static void test_names(void **state) {
  world *world = *state;
  add_configuration(world, "a", "a rate=0.1", "0.1");
  add_configuration(world, "a", "a rate=0.2", "0.2");
  assert_string_equal(sfnec_sweep_key(&world->results), "rate");
  assert_string_equal(sfnec_short_name(&world->results, 1), "0.2");
  // a second agent: values alone would not tell whose
  add_configuration(world, "b", "b", NULL);
  assert_string_equal(sfnec_sweep_key(&world->results), "rate");
  assert_string_equal(sfnec_short_name(&world->results, 1), "a rate=0.2");
  add_configuration(world, "b", "b alpha=1", "1");
  world->settings[3].key = "alpha";
  assert_null(sfnec_sweep_key(&world->results));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_average, setup, teardown),
      cmocka_unit_test_setup_teardown(test_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(test_iqm, setup, teardown),
      cmocka_unit_test_setup_teardown(test_not_finite, setup, teardown),
      cmocka_unit_test_setup_teardown(test_episodes, setup, teardown),
      cmocka_unit_test(test_box),
      cmocka_unit_test_setup_teardown(test_published, setup, teardown),
      cmocka_unit_test_setup_teardown(test_names, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
