// series.h: what figures and the page draw: curves with bands, boxes, and the published values that belong to them.
//
// All numbers come from stored results through the functions of stats.h. Nothing here knows how it is drawn.
#ifndef SFNEC_STUDY_ANALYSIS_SERIES_H
#define SFNEC_STUDY_ANALYSIS_SERIES_H

#include "study/analysis/analysis.h"

// A metric by its name: one of analysis.h, or "step-time", the microseconds of a step, which figures have and tables do
// not. Its name is NULL if there is none.
sfnec_metric sfnec_series_metric(const char *name);

// ---- curves ----

// One point of a curve: over the runs that have it.
typedef struct sfnec_curve_point {
  double x;           // the task or the episode, from 1, or the environment step
  size_t runs;        // 0: nothing is known, and the numbers below are NaN
  double mean, error; // and its standard error; NaN below two runs
  sfnec_estimate iqm; // the interval is NaN when nothing was resampled
} sfnec_curve_point;

// The curve of one configuration, with the runs behind it.
typedef struct sfnec_curve {
  size_t configuration;
  sfnec_curve_point *points; // (count)
  size_t count;              // as far as any run has come; 0: nothing is known
  uint64_t *seeds;           // (run_count) of the runs that have at least one point
  double *values;            // (run_count, count) NaN where a run has no finite number
  size_t run_count;
} sfnec_curve;

// What a point of a curve is over: all tasks up to there, or the one task.
typedef enum sfnec_span { SFNEC_SPAN_SO_FAR, SFNEC_SPAN_ALONE } sfnec_span;

// A metric against tasks. Unfinished runs count as far as they have come. `resamples` are for the interval of the
// interquartile mean; 0: no interval. Taken from the arena. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_curve_tasks(const sfnec_results *results, size_t configuration, const sfnec_metric *metric,
                               sfnec_span span, uint32_t resamples, sfnec_arena *arena, sfnec_curve *out);

// The optimum against tasks: of the seeds of the configuration that has come furthest, as all have the same tasks.
// Count is 0 where it is not known, and where configurations are in worlds that differ in it.
sfnec_status sfnec_curve_optimum(const sfnec_results *results, sfnec_span span, sfnec_arena *arena, sfnec_curve *out);

// Were episodes recorded? NULL if so, else why not, as the end of the sentence "... does not apply: ".
const char *sfnec_episodes_missing(const sfnec_results *results);
// A span to smooth over: a 25th of the longest run's episodes, at least 1. 0 where tasks end by steps alone: the same
// episode comes early in one run and late in another then, and sfnec_curve_steps draws them over steps.
size_t sfnec_episodes_window(const sfnec_results *results);
// The return of an episode against episodes, each the mean of the last `window` (of those there are, at the start). The
// curve ends with the shortest run: an unfinished one, or one with the shortest episodes where steps are limited.
sfnec_status sfnec_curve_episodes(const sfnec_results *results, size_t configuration, size_t window, uint32_t resamples,
                                  sfnec_arena *arena, sfnec_curve *out);

// Were curves over steps recorded? NULL if so, else why not, likewise.
const char *sfnec_bins_missing(const sfnec_results *results);
// A number of the bins (a field that is a level, or over another one) against environment steps, or (field NULL) the
// return of recorded episodes; `most` points or, with a bin of each task, a few more. Where tasks end by episodes the
// curve ends with the shortest run.
sfnec_status sfnec_curve_steps(const sfnec_results *results, size_t configuration, const sfnec_record_field *field,
                               size_t most, uint32_t resamples, sfnec_arena *arena, sfnec_curve *out);

// Was there any evaluation on the side? NULL if so, else why not, likewise.
const char *sfnec_evaluations_missing(const sfnec_results *results);
// The return of an episode of each evaluation, the mean over its weights, against environment steps.
sfnec_status sfnec_curve_evaluations(const sfnec_results *results, size_t configuration, uint32_t resamples,
                                     sfnec_arena *arena, sfnec_curve *out);

// That of the last evaluation of each run, against the weight vectors of its list, from 1.
sfnec_status sfnec_curve_weights(const sfnec_results *results, size_t configuration, sfnec_arena *arena,
                                 sfnec_curve *out);

// What all of them are made of: room for a curve of so many points and runs, all values unknown; then, over the runs
// that have a number there, the statistics of each point, whose x counts from 1. Fail with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_curve_begin(sfnec_arena *arena, size_t configuration, size_t runs, size_t count, sfnec_curve *out);
sfnec_status sfnec_curve_judge(sfnec_arena *arena, uint32_t resamples, sfnec_curve *curve);

// ---- boxes ----

// Tukey's box: quartiles, and whiskers to the furthest values within 1.5 times their distance.
typedef struct sfnec_box {
  size_t count; // 0: all else is NaN
  double low, lower, median, upper, high;
  double mean, error;
} sfnec_box;

// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_box_make(const double *values, size_t count, sfnec_box *out);

// ---- what belongs to a configuration ----

// The one key that all points of all sweeps set; NULL without a sweep or with several keys.
const char *sfnec_sweep_key(const sfnec_results *results);
// A short name in a figure of the study: "4" where the key is the only difference, else the whole name.
const char *sfnec_short_name(const sfnec_results *results, size_t configuration);

#endif
