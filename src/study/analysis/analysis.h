// analysis.h: the statistics of an experiment: its stored results as values of a metric, one per run, and all that
// stats.h says of them, ready to be printed or drawn.
#ifndef SFNEC_STUDY_ANALYSIS_ANALYSIS_H
#define SFNEC_STUDY_ANALYSIS_ANALYSIS_H

#include "stats/stats.h"
#include "study/store/results.h"

// ---- metrics (metrics.c) ----

// What can be asked of a run.
typedef struct sfnec_metric {
  const char *name;
  const char *help; // one line, what the number is
  bool less_is_better;
  const sfnec_record_field *field; // what is recorded: its mean over the tasks, or its last value if it is a level
  double (*value)(const sfnec_task_record *tasks, uint32_t first,
                  uint32_t last); // what follows from it, if field is NULL
} sfnec_metric;

sfnec_metric sfnec_metric_at(size_t i); // its name is NULL past the last; the first is the return
bool sfnec_metric_is_return(const sfnec_metric *metric);
// Fails with SFNEC_ERROR_OPTION and the names that there are. NULL: the return.
sfnec_status sfnec_metric_find(const char *name, sfnec_metric *out);
// The metric that results are judged by unless another one is asked for: the return where there are published values to
// compare with, else what the spec or the world names, else the return.
sfnec_metric sfnec_metric_of_results(const sfnec_results *results);
// The value over the tasks [first, last) of a run, first < last.
double sfnec_metric_value(const sfnec_metric *metric, const sfnec_task_record *tasks, uint32_t first, uint32_t last);

// How much of an experiment is there.
typedef struct sfnec_coverage {
  uint32_t task;               // values are after so many tasks
  size_t wanted, done, failed; // runs
  size_t counted;              // runs that have so many tasks and count, and
  size_t early;                // those of them that are not finished yet
} sfnec_coverage;

// Chooses the task after which all are judged: the wanted one, or (0) the last that all finished runs have; with no
// finished run, the last that all started ones have. Fails with SFNEC_ERROR_STATE if no run is that far.
sfnec_status sfnec_coverage_find(const sfnec_results *results, uint32_t wanted, sfnec_coverage *out);

// The values of a metric of one configuration: of its runs that have `task` tasks, in the order of their seeds.
typedef struct sfnec_run_values {
  size_t count;
  uint64_t *seeds;
  double *values;  // (count) of the runs: over the first `task` tasks
  double *by_task; // (task, count) of each task alone; NULL unless asked for
} sfnec_run_values;

// Taken from the arena. Runs whose value is not a finite number are left out. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_run_values_take(const sfnec_results *results, size_t configuration, const sfnec_metric *metric,
                                   uint32_t task, bool by_task, sfnec_arena *arena, sfnec_run_values *out);

// ---- whether runs solve their environment: so high a mean return over so many episodes in a row ----

typedef struct sfnec_criterion {
  double mean;     // the return to reach
  uint32_t window; // on average over so many episodes in a row; 0: nothing is judged
} sfnec_criterion;

// The runs of one configuration that have at least a window of recorded episodes in a task.
typedef struct sfnec_solved {
  size_t runs, solved;
  double best, best_error;   // the highest mean of a window, over the runs; NaN without any
  double after, after_error; // episodes until the first window that reaches it ends, over the solved runs
} sfnec_solved;

// In the task of that number, from 1. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_solved_find(const sfnec_results *results, size_t configuration, sfnec_criterion criterion,
                               uint32_t task, sfnec_arena *arena, sfnec_solved *out);

// ---- all of it ----

typedef struct sfnec_analysis_options {
  const char *metric;  // NULL: that of the results (sfnec_metric_of_results)
  const char *against; // the configuration that the others are compared with, by name or label; NULL: the first
  uint32_t task;       // judge after so many tasks; 0: the last that all finished runs have
  bool by_task;        // median, interquartile mean, improvement and profile over runs x tasks, the tasks being strata
  uint32_t resamples;
  sfnec_criterion criterion; // what counts as solved
} sfnec_analysis_options;

// One configuration. Without runs that count, only the first three fields mean anything.
typedef struct sfnec_analysis_row {
  const sfnec_result_configuration *configuration;
  size_t configuration_index;
  sfnec_run_values runs; // and their values
  sfnec_strata sample;   // the same as one stratum, or runs x tasks
  double mean, error;    // over runs, as in the paper
  sfnec_summary summary;

  const sfnec_published *published; // of this metric after this task; NULL: none
  double published_errors;          // how many standard errors ours is above it (of both, if it has one); may be NaN

  // against the reference; not of the reference itself
  sfnec_paired paired;        // count 0: no seed in common. Differences are ours less the reference's
  size_t better, worse;       // pairs, by what is good for the metric
  sfnec_estimate improvement; // the probability that a run of ours is better

  sfnec_estimate *profile; // (tau_count)
  sfnec_solved solved;     // by the criterion, if there is one

  size_t sweep;              // which of the sweeps it belongs to; SIZE_MAX: none
  sfnec_contender contender; // in that sweep
} sfnec_analysis_row;

// The points of one agent's sweep.
// Below so many runs no interval is given, and no point of a sweep is called better than another: from 5 seeds no
// signed-rank test can reach p < 0.05, and resampling so few runs gives intervals that are too short.
enum { SFNEC_ANALYSIS_FEW = 6 };

typedef struct sfnec_analysis_sweep {
  const char *label;
  size_t points;   // that have runs
  size_t seeds;    // that all of these have: only they count here. 0: no common seed, nothing is known
  size_t best;     // row
  size_t possible; // how many points may be the best
} sfnec_analysis_sweep;

typedef struct sfnec_analysis {
  sfnec_arena *arena;
  const sfnec_results *results; // borrowed
  sfnec_metric metric;
  sfnec_analysis_options options;
  sfnec_coverage coverage;
  sfnec_analysis_row *rows; // one per configuration, in its order
  size_t row_count;
  size_t reference; // row
  double *taus;     // of the profiles: a few round numbers from the lowest to the highest value
  size_t tau_count;
  sfnec_analysis_sweep *sweeps;
  size_t sweep_count;
} sfnec_analysis;

// Fails with SFNEC_ERROR_OPTION (unknown metric or configuration), _STATE (no run is far enough, or none has enough
// recorded episodes for the criterion) or _MEMORY.
sfnec_status sfnec_analysis_make(const sfnec_results *results, const sfnec_analysis_options *options,
                                 sfnec_analysis **out);
void sfnec_analysis_destroy(sfnec_analysis *analysis); // NULL is fine

#endif
