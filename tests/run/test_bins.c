// test_bins.c: the curve of a task over steps: its bins are equally wide and add up to the task, whatever ends tasks;
// recording them changes nothing else, and resuming gives the same ones.
#include "run/job.h"

#include <math.h>

#include "run/record.h"

static const char *const small[] = {"capacity=25", "neighbours=5", NULL};

static job run_whole(const char *preset, sfnec_run_options options) {
  const plan plan = {preset, small, options};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  return j;
}

// What the bins of a task add up to must be its result.
static void check_sums(const job *j, uint32_t task) {
  uint32_t tasks, count;
  const sfnec_task_result *result = &sfnec_run_get_results(j->run, &tasks)[task];
  const sfnec_bin_result *bins = sfnec_run_get_bins(j->run, task, &count);
  assert_in_range(count, 1, 1000);
  sfnec_bin_result sum = {0};
  for (uint32_t i = 0; i < count; i++) sfnec_record_add(sfnec_bin_record_set(), &sum, &bins[i]);
  assert_int_equal(sum.steps, result->steps);
  NEAR(sum.total, result->total, 1e-12 * fmax(1, fabs(result->total)));
  assert_int_equal(sum.episodes, result->episodes);
  assert_int_equal(sum.goals, result->goals);
  assert_int_equal(sum.episode_steps, result->steps); // every episode that is begun in a task ends in it
  NEAR(sum.episode_return, result->total, 1e-12 * fmax(1, fabs(result->total)));
  assert_int_equal(sum.entries, result->entries);
  assert_int_equal(sum.places, result->places);
}

static void test_by_steps(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    job j = run_whole(sfnec_agent_preset_at(i)->name, (sfnec_run_options){.tasks = 2, .steps = 150, .bins = 7});
    for (uint32_t task = 0; task < 2; task++) {
      check_sums(&j, task);
      uint32_t count;
      const sfnec_bin_result *bins = sfnec_run_get_bins(j.run, task, &count);
      assert_int_equal(count, 7);
      int64_t end = 0;
      for (uint32_t b = 0; b < 7; b++) {
        end += bins[b].steps;
        assert_int_equal(end, 150 * (b + 1) / 7);
      }
    }
    uint32_t count = 9;
    assert_null(sfnec_run_get_bins(j.run, 2, &count));
    assert_int_equal(count, 0);
    close_job(&j);
  }
}

// at least ten transitions each
static void test_short_tasks(void **state) {
  (void)state;
  static const struct {
    int64_t steps;
    uint32_t bins, count;
  } cases[] = {{1, 50, 1}, {19, 50, 1}, {20, 50, 2}, {95, 50, 9}, {95, 4, 4}, {500, 50, 50}, {100, 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    job j = run_whole("sfql", (sfnec_run_options){.tasks = 1, .steps = cases[i].steps, .bins = cases[i].bins});
    uint32_t count;
    sfnec_run_get_bins(j.run, 0, &count);
    assert_int_equal(count, cases[i].count);
    check_sums(&j, 0);
    close_job(&j);
  }
}

// widths are 10, 20, 40, ...; the last bin holds what is left
static void test_by_episodes(void **state) {
  (void)state;
  for (uint32_t most = 1; most <= 9; most++) {
    job j = run_whole("sfnec", (sfnec_run_options){.tasks = 2, .episodes = 9, .bins = most});
    for (uint32_t task = 0; task < 2; task++) {
      check_sums(&j, task);
      uint32_t count, tasks;
      const sfnec_bin_result *bins = sfnec_run_get_bins(j.run, task, &count);
      assert_in_range(count, 1, most);
      int64_t width = 10;
      while (width * most < sfnec_run_get_results(j.run, &tasks)[task].steps) width *= 2;
      for (uint32_t b = 0; b + 1 < count; b++) assert_int_equal(bins[b].steps, width);
      assert_in_range(bins[count - 1].steps, 1, width);
    }
    close_job(&j);
  }
}

// episodes are those that are kept, by the step of their end; actions are random as often as epsilon says
static void test_numbers(void **state) {
  (void)state;
  const char *const settings[] = {"epsilon=1", "rate=0.1", NULL};
  const plan plan = {"sfql", settings, {.tasks = 1, .steps = 300, .bins = 10, .keep_episodes = true}};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  uint32_t count;
  size_t kept, at = 0;
  const sfnec_bin_result *bins = sfnec_run_get_bins(j.run, 0, &count);
  const sfnec_episode_result *episodes = sfnec_run_get_episodes(j.run, &kept);
  int64_t end = 0, episode_end = 0, targets = 0;
  double loss = 0;
  for (uint32_t b = 0; b < count; b++) {
    end += bins[b].steps;
    double total = 0;
    int64_t ended = 0, steps = 0;
    for (; at < kept && episode_end + episodes[at].steps <= end; at++) {
      episode_end += episodes[at].steps;
      total += episodes[at].total;
      steps += episodes[at].steps;
      ended++;
    }
    assert_int_equal(bins[b].episodes, ended);
    assert_int_equal(bins[b].episode_steps, steps);
    assert_true(bins[b].episode_return == total);
    assert_int_equal(bins[b].exploration, bins[b].steps);
    targets += bins[b].targets;
    loss += bins[b].loss;
  }
  assert_int_equal(at, kept);
  assert_true(kept > 1);
  assert_int_equal(targets, 300); // every transition gets its target in the end
  assert_true(loss > 0);
  close_job(&j);
}

static void test_nothing_else_changes(void **state) {
  (void)state;
  sfnec_run_options options = {.tasks = 3, .steps = 150};
  job none = run_whole("sfnec", options);
  uint32_t count;
  assert_null(sfnec_run_get_bins(none.run, 0, &count));
  assert_int_equal(count, 0);
  for (options.bins = 1; options.bins < 60; options.bins += 19) {
    job j = run_whole("sfnec", options);
    check_same_tasks(none.run, j.run);
    close_job(&j);
  }
  close_job(&none);
}

// a run that goes on with another number of bins keeps to the old one for the task at hand
static void test_another_number(void **state) {
  (void)state;
  plan plan = {"sfnec", small, {.tasks = 3, .steps = 150, .bins = 7}};
  job whole = open_job(&plan), broken = open_job(&plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  OK(sfnec_run_advance(broken.run, 200));
  OK(sfnec_run_save(broken.run, "another", label));
  close_job(&broken);
  plan.options.bins = 3;
  broken = resume_job(&plan, "another");
  OK(sfnec_run_advance(broken.run, INT64_MAX));
  check_same_tasks(whole.run, broken.run);
  const uint32_t wanted[] = {7, 7, 3};
  for (uint32_t task = 0; task < 3; task++) {
    uint32_t count;
    sfnec_run_get_bins(broken.run, task, &count);
    assert_int_equal(count, wanted[task]);
    check_sums(&broken, task);
  }
  close_job(&whole);
  close_job(&broken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_steps),
      cmocka_unit_test(test_short_tasks),
      cmocka_unit_test(test_by_episodes),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_nothing_else_changes),
      cmocka_unit_test(test_another_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
