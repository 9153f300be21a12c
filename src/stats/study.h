// study.h: all statistics of an experiment, ready to be printed or drawn.
#ifndef SFNEC_STATS_STUDY_H
#define SFNEC_STATS_STUDY_H

#include "stats/scores.h"
#include "stats/solved.h"
#include "stats/stats.h"

typedef struct sfnec_study_options {
  const char *metric;  // NULL: the return
  const char *against; // the configuration that the others are compared with, by name or label; NULL: the first
  uint32_t task;       // judge after so many tasks; 0: the last that all finished runs have
  bool by_task;        // median, interquartile mean, improvement and profile over runs x tasks, the tasks being strata
  uint32_t resamples;
  sfnec_goal goal; // what counts as solved
} sfnec_study_options;

void sfnec_study_options_default(sfnec_study_options *options);

// One configuration. Without runs that count, only the first three fields mean anything.
typedef struct sfnec_study_row {
  const sfnec_result_configuration *configuration;
  size_t configuration_index;
  sfnec_scores scores; // of its runs
  sfnec_sample sample; // the same as one stratum, or runs x tasks
  double mean, error;  // over runs, as in the paper
  sfnec_summary summary;

  const sfnec_published *published; // of this metric after this task; NULL: none
  double published_errors;          // how many standard errors ours is above it (of both, if it has one); may be NaN

  // against the reference; not of the reference itself
  sfnec_paired paired;        // count 0: no seed in common. Differences are ours less the reference's
  size_t better, worse;       // pairs, by what is good for the metric
  sfnec_estimate improvement; // the probability that a run of ours is better

  sfnec_estimate *profile; // (tau_count)
  sfnec_solved solved;     // by the goal, if there is one

  size_t sweep;              // which of the sweeps it belongs to; SIZE_MAX: none
  sfnec_contender contender; // in that sweep
} sfnec_study_row;

// The points of one agent's sweep.
typedef struct sfnec_study_sweep {
  const char *label;
  size_t points;   // that have runs
  size_t seeds;    // that all of these have: only they count here. 0: no common seed, nothing is known
  size_t best;     // row
  size_t possible; // how many points may be the best
} sfnec_study_sweep;

typedef struct sfnec_study {
  sfnec_arena *arena;
  const sfnec_results *results; // borrowed
  const sfnec_metric *metric;
  sfnec_study_options options;
  sfnec_coverage coverage;
  sfnec_study_row *rows; // one per configuration, in its order
  size_t row_count;
  size_t reference; // row
  double *taus;     // of the profiles: a few round numbers from the lowest to the highest score
  size_t tau_count;
  sfnec_study_sweep *sweeps;
  size_t sweep_count;
} sfnec_study;

// Fails with SFNEC_ERROR_OPTION (unknown metric or configuration), _STATE (no run is far enough, or none has enough
// recorded episodes for the goal) or _MEMORY.
sfnec_status sfnec_study_make(const sfnec_results *results, const sfnec_study_options *options, sfnec_study **out);
void sfnec_study_destroy(sfnec_study *study); // NULL is fine

#endif
