// made_results.h: the results of an experiment made by hand, for tests of what is computed from them.
#ifndef SFNEC_TESTS_STUDY_MADE_RESULTS_H
#define SFNEC_TESTS_STUDY_MADE_RESULTS_H

#include "support/check.h"

#include "study/store/results.h"

enum { TASKS = 3, EPISODES = 4, MOST_RUNS = 32, MOST_CONFIGURATIONS = 8, MOST_PUBLISHED = 4 };

typedef struct made {
  sfnec_results results;
  sfnec_result_configuration configurations[MOST_CONFIGURATIONS];
  sfnec_result_run runs[MOST_RUNS];
  sfnec_task_record tasks[MOST_RUNS][TASKS];
  sfnec_episode_result episodes[MOST_RUNS][TASKS][EPISODES];
  sfnec_setting settings[MOST_CONFIGURATIONS];
  char keys[MOST_CONFIGURATIONS][16];
  sfnec_published published[MOST_PUBLISHED];
  sfnec_setting published_settings[MOST_PUBLISHED];
} made;

static inline made *made_create(void) {
  made *made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->results = (sfnec_results){.folder = "runs/x",
                                  .name = "x",
                                  .title = "",
                                  .env = "four_rooms",
                                  .tasks = TASKS,
                                  .configurations = made->configurations,
                                  .runs = made->runs,
                                  .published = made->published};
  return made;
}

// point "neighbours=4", or "" without a sweep
static inline void add_configuration(made *made, const char *label, const char *point, const char *name) {
  const size_t at = made->results.configuration_count++;
  made->configurations[at] = (sfnec_result_configuration){
      .label = label, .preset = "sfnec", .point = point, .name = name, .first_run = made->results.run_count};
  if (!point[0]) return;
  snprintf(made->keys[at], sizeof made->keys[at], "%.*s", (int)strcspn(point, "="), point);
  made->settings[at] = (sfnec_setting){made->keys[at], strchr(point, '=') + 1, 1};
  made->configurations[at].settings = (sfnec_settings){&made->settings[at], 1};
}

// a run of the last configuration with the returns of its first `count` tasks
static inline sfnec_result_run *add_run(made *made, uint64_t seed, const double *totals, uint32_t count) {
  const size_t at = made->results.run_count++, configuration = made->results.configuration_count - 1;
  made->configurations[configuration].run_count++;
  for (uint32_t t = 0; t < count; t++)
    made->tasks[at][t] = (sfnec_task_record){
        .task = t,
        .result = {.total = totals[t], .steps = 100, .episodes = 4, .entries = 50 * (t + 1), .seconds = 0.01 * (t + 1)},
        .episodes = made->episodes[at][t]};
  made->runs[at] = (sfnec_result_run){.id = "",
                                      .configuration = configuration,
                                      .seed = seed,
                                      .state = count == TASKS ? SFNEC_JOB_DONE : SFNEC_JOB_RUNNING,
                                      .tasks_wanted = TASKS,
                                      .tasks = made->tasks[at],
                                      .task_count = count};
  return &made->runs[at];
}

#endif
