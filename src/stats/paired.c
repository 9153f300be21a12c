// paired.c: comparisons over the same seeds: differences of two configurations, and the best of many.
//
// All configurations of a seed see the same tasks. What an easy or a hard set of tasks does to all of them cancels in
// the differences, so these are much sharper than the difference of two means.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stats/draw.h"
#include "stats/stats.h"

sfnec_status sfnec_stats_paired(const double *differences, size_t count, uint32_t resamples, sfnec_paired *out) {
  sfnec_summary summary;
  const sfnec_sample sample = {differences, &count, 1};
  const sfnec_status status = sfnec_stats_summarise(&sample, resamples, &summary);
  if (status) return status;
  *out = (sfnec_paired){.count = count, .mean = summary.mean, .error = sfnec_stats_error(differences, count)};
  for (size_t i = 0; i < count; i++) {
    out->higher += differences[i] > 0;
    out->lower += differences[i] < 0;
  }
  return sfnec_stats_wilcoxon(differences, count, &out->p);
}

// ---- the best of many ----

typedef struct contest {
  const double *scores; // (count, seeds)
  size_t count, seeds;
  uint32_t resamples;
  double *means;  // (count) of the data
  double *drawn;  // (count, resamples) means of the resamples
  double *spread; // (resamples) the largest deviation, of all the others' leads over one of them
} contest;

static void contest_clear(contest *contest) {
  free(contest->means);
  free(contest->drawn);
  free(contest->spread);
}

static sfnec_status contest_make(contest *contest) {
  contest->means = calloc(contest->count, sizeof *contest->means);
  contest->drawn = calloc(contest->count * contest->resamples, sizeof *contest->drawn);
  contest->spread = calloc(contest->resamples, sizeof *contest->spread);
  const bool all = contest->means && contest->drawn && contest->spread;
  return all ? SFNEC_OK : sfnec_fail_memory("the comparison of the sweep's configurations");
}

static sfnec_status draw_means(contest *contest) {
  uint32_t *times = calloc(contest->seeds, sizeof *times);
  if (!times) return sfnec_fail_memory("the comparison of the sweep's configurations");
  sfnec_random random = sfnec_stats_stream();
  for (uint32_t b = 0; b < contest->resamples; b++) {
    for (size_t s = 0; s < contest->seeds; s++) times[s] = 0;
    for (size_t s = 0; s < contest->seeds; s++) times[sfnec_random_below(&random, (uint32_t)contest->seeds)]++;
    const double *score = contest->scores;
    for (size_t i = 0; i < contest->count; i++) {
      double sum = 0;
      for (size_t s = 0; s < contest->seeds; s++) sum += times[s] * *score++;
      contest->drawn[i * contest->resamples + b] = sum / (double)contest->seeds;
    }
  }
  free(times);
  return SFNEC_OK;
}

// how often each one's mean was the highest; equal ones share
static void count_wins(const contest *contest, sfnec_contender *out) {
  for (uint32_t b = 0; b < contest->resamples; b++) {
    const double *means = contest->drawn + b;
    double most = -(double)INFINITY;
    for (size_t i = 0; i < contest->count; i++) most = fmax(most, means[i * contest->resamples]);
    size_t ties = 0;
    for (size_t i = 0; i < contest->count; i++) ties += means[i * contest->resamples] >= most;
    for (size_t i = 0; i < contest->count; i++)
      if (means[i * contest->resamples] >= most) out[i].chance += 1 / (double)ties;
  }
  for (size_t i = 0; i < contest->count; i++) out[i].chance /= contest->resamples;
}

// raises the spread around i to what j's lead deviates by. Runs 270 x 270 times over 10,000 resamples for the paper's
// grid: no branches, and the resamples lie side by side
static void add_spread(contest *contest, size_t i, size_t j, double lead) {
  const double *mine = contest->drawn + i * contest->resamples, *other = contest->drawn + j * contest->resamples;
  double *spread = contest->spread;
  for (uint32_t b = 0; b < contest->resamples; b++) {
    const double deviation = other[b] - mine[b] - lead;
    spread[b] = deviation > spread[b] ? deviation : spread[b];
  }
}

// Leads are not divided by their standard errors: of few seeds some of many errors are far too small by chance, and the
// best of 20 equal configurations would be thrown out of every third study of 5 seeds, instead of every twentieth.
static bool may_be_best(contest *contest, size_t i) {
  double largest = 0;
  for (uint32_t b = 0; b < contest->resamples; b++) contest->spread[b] = 0;
  for (size_t j = 0; j < contest->count; j++) {
    const double lead = contest->means[j] - contest->means[i];
    add_spread(contest, i, j, lead);
    largest = fmax(largest, lead);
  }
  // a resample of n varies (n - 1) / n times as much as n new runs would
  const double n = (double)contest->seeds, widen = sqrt(n / (n - 1));
  return largest <= widen * sfnec_stats_select(contest->spread, contest->resamples, 0.95);
}

sfnec_status sfnec_stats_best(const double *scores, size_t count, size_t seeds, uint32_t resamples,
                              sfnec_contender *out) {
  if (!count || !seeds || !resamples)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the best needs a configuration, a seed and a resample at least");
  contest contest = {.scores = scores, .count = count, .seeds = seeds, .resamples = resamples};
  sfnec_status status = contest_make(&contest);
  if (status) goto done;
  for (size_t i = 0; i < count; i++) {
    contest.means[i] = sfnec_stats_mean(scores + i * seeds, seeds);
    out[i] = (sfnec_contender){.mean = contest.means[i], .chance = seeds < 2 ? (double)NAN : 0, .possible = true};
  }
  if (seeds < 2) goto done;
  status = draw_means(&contest);
  if (status) goto done;
  count_wins(&contest, out);
  for (size_t i = 0; i < count; i++) out[i].possible = may_be_best(&contest, i);
done:
  contest_clear(&contest);
  return status;
}
