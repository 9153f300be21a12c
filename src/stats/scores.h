// scores.h: from stored results to scores: one number per run, or one per run and task.
#ifndef SFNEC_STATS_SCORES_H
#define SFNEC_STATS_SCORES_H

#include "study/store/results.h"

// What can be asked of a run.
typedef struct sfnec_metric {
  const char *name;
  const char *help; // one line, what the number is
  bool less_is_better;
  // over the tasks [first, last) of a run, first < last
  double (*value)(const sfnec_task_record *tasks, uint32_t first, uint32_t last);
} sfnec_metric;

const sfnec_metric *sfnec_metric_at(size_t i); // NULL past the last; the first is the return
// Fails with SFNEC_ERROR_OPTION and the names that there are. NULL: the return.
sfnec_status sfnec_metric_find(const char *name, const sfnec_metric **out);

// How much of an experiment is there.
typedef struct sfnec_coverage {
  uint32_t task;               // scores are after so many tasks
  size_t wanted, done, failed; // runs
  size_t counted;              // runs that have so many tasks and count, and
  size_t early;                // those of them that are not finished yet
} sfnec_coverage;

// Chooses the task after which all are judged: the wanted one, or (0) the last that all finished runs have; with no
// finished run, the last that all started ones have. Fails with SFNEC_ERROR_STATE if no run is that far.
sfnec_status sfnec_coverage_find(const sfnec_results *results, uint32_t wanted, sfnec_coverage *out);

// The scores of one configuration: of its runs that have `task` tasks, in the order of their seeds.
typedef struct sfnec_scores {
  size_t count;
  uint64_t *seeds;
  double *values;  // (count) of the runs: over the first `task` tasks
  double *by_task; // (task, count) of each task alone; NULL unless asked for
} sfnec_scores;

// Taken from the arena. Runs whose score is not a finite number are left out. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_scores_take(const sfnec_results *results, size_t configuration, const sfnec_metric *metric,
                               uint32_t task, bool by_task, sfnec_arena *arena, sfnec_scores *out);

#endif
