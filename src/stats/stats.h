// stats.h: statistics of runs: plain functions on arrays; docs/statistics.md explains them to users.
//
// The robust ones follow rliable (Agarwal et al. 2021, "Deep reinforcement learning at the edge of the statistical
// precipice"). A value is one number of one run. Runs may fall into strata (tasks), within which they are exchangeable;
// the bootstrap draws runs with replacement within each stratum, each stratum on its own. Its draws come from a fixed
// Philox stream that starts again in every call, so the same data give the same intervals on every machine.
#ifndef SFNEC_STATS_STATS_H
#define SFNEC_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

enum { SFNEC_STATS_RESAMPLES = 10000 }; // enough that the ends of a 95 % interval are good to about 2 % of its width

// ---- without resampling; what too few values leave undefined is NaN ----

double sfnec_stats_mean(const double *values, size_t count);
// The standard error of the mean: the sample's standard deviation (n - 1) over the root of n; NaN below two values.
double sfnec_stats_error(const double *values, size_t count);

void sfnec_stats_sort(double *values, size_t count);
// Interpolates linearly between the two nearest values, as numpy.quantile does; share in [0, 1].
double sfnec_stats_quantile(const double *sorted, size_t count, double share);
// The same of values in any order, which it changes: three times faster than sorting 10,000 values first.
double sfnec_stats_select(double *values, size_t count, double share);
// The mean without the `cut` lowest and the `cut` highest values.
double sfnec_stats_trimmed_mean(const double *sorted, size_t count, size_t cut);
// How many values to cut at each end: of the interquartile mean (a quarter, rounded down) and of the median.
static inline size_t sfnec_stats_iqm_cut(size_t count) {
  return count / 4;
}
static inline size_t sfnec_stats_median_cut(size_t count) {
  return count ? (count - 1) / 2 : 0;
}

// ---- by resampling ----

// The central 95 % of the resampled values; both NaN where there is no interval (a stratum of fewer than two runs).
typedef struct sfnec_interval {
  double low, high;
} sfnec_interval;

typedef struct sfnec_estimate {
  double value;
  sfnec_interval interval;
} sfnec_estimate;

bool sfnec_interval_known(sfnec_interval interval);

// Values by stratum: those of the first, then those of the second, and so on. Borrowed.
typedef struct sfnec_strata {
  const double *values;
  const size_t *sizes; // (strata) runs in each; none is 0
  size_t strata;
} sfnec_strata;

size_t sfnec_strata_count(const sfnec_strata *sample);

typedef struct sfnec_summary {
  size_t count;
  sfnec_estimate mean, median, iqm; // over all values, as if there were no strata
} sfnec_summary;

// All of these fail with SFNEC_ERROR_ARGUMENT (no values, no resamples, strata that do not match) or _MEMORY.
sfnec_status sfnec_stats_summarise(const sfnec_strata *sample, uint32_t resamples, sfnec_summary *out);

// The probability that a run of x is higher than one of y, ties counted half, averaged over the strata: in each the
// Mann-Whitney U over the number of pairs. x and y have the same strata, of any sizes, and are resampled independently.
sfnec_status sfnec_stats_improvement(const sfnec_strata *x, const sfnec_strata *y, uint32_t resamples,
                                     sfnec_estimate *out);

// The performance profile: the share of values above each tau, averaged over the strata, with pointwise intervals.
sfnec_status sfnec_stats_profile(const sfnec_strata *sample, const double *taus, size_t tau_count, uint32_t resamples,
                                 sfnec_estimate *out);

// ---- paired by seed ----

typedef struct sfnec_paired {
  size_t count, higher, lower; // pairs; those whose difference is above and below 0
  sfnec_estimate mean;         // of the differences; pairs are resampled together
  double error;                // its standard error
  double p;                    // of the exact two-sided Wilcoxon signed-rank test
} sfnec_paired;

sfnec_status sfnec_stats_paired(const double *differences, size_t count, uint32_t resamples, sfnec_paired *out);

// The two-sided p-value of the Wilcoxon signed-rank test: differences of 0 are dropped, ties share their mean rank.
// Exact (also with ties) up to 500 differences, then the normal approximation; 1 without any. Fails with _MEMORY.
sfnec_status sfnec_stats_wilcoxon(const double *differences, size_t count, double *p);

// ---- the best of several configurations ----

typedef struct sfnec_contender {
  double mean;
  double chance; // the share of resamples in which its mean is the highest (ties share); NaN below two seeds
  bool possible; // in the set that holds the truly best one with 95 % confidence
} sfnec_contender;

// Which of `count` configurations has the highest expected value, from the same seeds for all: values (count, seeds).
// Seeds are resampled together for all configurations. `possible` is the bootstrap form of multiple comparisons with
// the best (Hsu 1981): i is out if the lead of another over it is more than the largest deviation that any lead over it
// has by chance in 95 % of the resamples. So being the winner among many by luck is allowed for.
sfnec_status sfnec_stats_best(const double *values, size_t count, size_t seeds, uint32_t resamples,
                              sfnec_contender *out);

#endif
