// bootstrap.c: what needs resampling: intervals of summaries, probabilities of improvement and profiles, and
// comparisons over the same seeds; the contract is in stats.h.
//
// A resample is held as how often each value was drawn, not as a copy of the values. Values are sorted once; then every
// statistic of a resample is one walk over the counts, without sorting again.
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/draws.h"
#include "base/error.h"
#include "sfnec/random.h"
#include "stats/stats.h"

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the bootstrap");
}

// The same stream for every statistic, always from its beginning: intervals depend on the data alone.
static sfnec_draws start_stream(void) {
  const sfnec_random random = sfnec_random_start(0, SFNEC_PURPOSE_STUDY);
  return sfnec_draws_start(&random);
}

bool sfnec_interval_known(sfnec_interval interval) {
  return !isnan(interval.low);
}

size_t sfnec_strata_count(const sfnec_strata *sample) {
  size_t count = 0;
  for (size_t i = 0; i < sample->strata; i++) count += sample->sizes[i];
  return count;
}

// ---- what the three kinds share ----

// Values sorted within a group (all of them, or one stratum); `place` says where each value of the sample went.
typedef struct sorted_sample {
  sfnec_arena *arena; // of all that one call needs
  const sfnec_strata *sample;
  size_t count;
  double *values;
  size_t *place;
  uint32_t *drawn; // of each sorted value, in the present resample
  uint32_t *draws; // space for those of one stratum
} sorted_sample;

typedef struct indexed {
  double value;
  size_t index;
} indexed;

static int compare_indexed(const void *a, const void *b) {
  const indexed *x = a, *y = b;
  if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static sfnec_status sorted_make(sorted_sample *sorted, sfnec_arena *arena, const sfnec_strata *sample,
                                bool within_strata) {
  *sorted = (sorted_sample){.arena = arena, .sample = sample, .count = sfnec_strata_count(sample)};
  if (!sorted->count) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there are no values to take statistics of");
  for (size_t i = 0; i < sample->strata; i++)
    if (!sample->sizes[i]) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "stratum %zu has no values", i + 1);
  sorted->values = sfnec_arena_alloc(arena, sorted->count, sizeof *sorted->values);
  sorted->place = sfnec_arena_alloc(arena, sorted->count, sizeof *sorted->place);
  sorted->drawn = sfnec_arena_alloc(arena, sorted->count, sizeof *sorted->drawn);
  sorted->draws = sfnec_arena_alloc(arena, sorted->count, sizeof *sorted->draws);
  indexed *values = sfnec_arena_alloc(arena, sorted->count, sizeof *values);
  if (!sorted->values || !sorted->place || !sorted->drawn || !sorted->draws || !values) return no_memory();
  for (size_t i = 0; i < sorted->count; i++) values[i] = (indexed){sample->values[i], i};
  if (!within_strata) qsort(values, sorted->count, sizeof *values, compare_indexed);
  for (size_t i = 0, at = 0; within_strata && i < sample->strata; at += sample->sizes[i++])
    qsort(values + at, sample->sizes[i], sizeof *values, compare_indexed);
  for (size_t i = 0; i < sorted->count; i++) {
    sorted->values[i] = values[i].value;
    sorted->place[values[i].index] = i;
    sorted->drawn[i] = 1; // the data as they are
  }
  return SFNEC_OK;
}

static void sorted_draw(sorted_sample *sorted, sfnec_draws *stream) {
  for (size_t i = 0; i < sorted->count; i++) sorted->drawn[i] = 0;
  const size_t *place = sorted->place;
  for (size_t i = 0; i < sorted->sample->strata; i++) {
    const size_t size = sorted->sample->sizes[i];
    sfnec_draws_below(stream, (uint32_t)size, sorted->draws, size);
    for (size_t j = 0; j < size; j++) sorted->drawn[place[sorted->draws[j]]]++;
    place += size;
  }
}

// one run alone says nothing about how runs differ
static bool can_resample(const sfnec_strata *sample) {
  for (size_t i = 0; i < sample->strata; i++)
    if (sample->sizes[i] < 2) return false;
  return true;
}

static sfnec_interval middle(double *resampled, uint32_t resamples) {
  const double low = sfnec_stats_select(resampled, resamples, 0.025);
  return (sfnec_interval){low, sfnec_stats_select(resampled, resamples, 0.975)};
}

// Statistics of one or two samples as they are drawn at the moment; `context` is what they need besides.
typedef void measure(const sorted_sample samples[], const void *context, double statistics[]);

// Measures the samples as they are, then resample by resample, each sample on its own.
static sfnec_status bootstrap(sorted_sample samples[], size_t sample_count, measure *measure, const void *context,
                              uint32_t resamples, size_t count, sfnec_estimate *out) {
  if (!resamples) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the bootstrap needs at least one resample");
  double *table = sfnec_arena_alloc(samples->arena, count * resamples, sizeof *table); // (count, resamples)
  double *statistics = sfnec_arena_alloc(samples->arena, count, sizeof *statistics);
  if (!table || !statistics) return no_memory();
  measure(samples, context, statistics);
  for (size_t k = 0; k < count; k++) out[k] = (sfnec_estimate){statistics[k], {(double)NAN, (double)NAN}};
  for (size_t s = 0; s < sample_count; s++)
    if (!can_resample(samples[s].sample)) return SFNEC_OK;

  sfnec_draws stream = start_stream();
  for (uint32_t b = 0; b < resamples; b++) {
    for (size_t s = 0; s < sample_count; s++) sorted_draw(&samples[s], &stream);
    measure(samples, context, statistics);
    for (size_t k = 0; k < count; k++) table[k * resamples + b] = statistics[k];
  }
  for (size_t k = 0; k < count; k++) out[k].interval = middle(table + k * resamples, resamples);
  return SFNEC_OK;
}

// ---- mean, median, interquartile mean ----

// the mean of the resample without the `cut` lowest and highest values
static double trimmed_mean(const sorted_sample *sorted, size_t cut) {
  const size_t from = cut, to = sorted->count - cut;
  double sum = 0;
  for (size_t i = 0, at = 0; at < to; at += sorted->drawn[i++]) {
    const size_t next = at + sorted->drawn[i];
    const size_t first = at > from ? at : from, last = next < to ? next : to;
    if (first < last) sum += (double)(last - first) * sorted->values[i];
  }
  return sum / (double)(to - from);
}

// all three are trimmed means
static void measure_summary(const sorted_sample samples[], const void *context, double statistics[]) {
  (void)context;
  const size_t count = samples->count, cuts[] = {0, sfnec_stats_median_cut(count), sfnec_stats_iqm_cut(count)};
  for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) statistics[k] = trimmed_mean(samples, cuts[k]);
}

sfnec_status sfnec_stats_summarise(const sfnec_strata *sample, uint32_t resamples, sfnec_summary *out) {
  sfnec_arena *arena;
  sorted_sample *sorted = sfnec_arena_create_for(sizeof *sorted, &arena);
  if (!sorted) return no_memory();
  sfnec_estimate estimates[3];
  sfnec_status status = sorted_make(sorted, arena, sample, false);
  if (!status) status = bootstrap(sorted, 1, measure_summary, NULL, resamples, 3, estimates);
  if (!status) *out = (sfnec_summary){sorted->count, estimates[0], estimates[1], estimates[2]};
  sfnec_arena_destroy(arena);
  return status;
}

// ---- probability of improvement ----

// For each sorted x, how many sorted y of its stratum lie below it, and how many not above it.
typedef struct standing {
  size_t below, not_above;
} standing;

static void find_standings(const sorted_sample *x, const sorted_sample *y, standing *standings) {
  const double *xs = x->values, *ys = y->values;
  for (size_t k = 0; k < x->sample->strata; k++) {
    const size_t n = x->sample->sizes[k], m = y->sample->sizes[k];
    size_t below = 0, not_above = 0;
    for (size_t i = 0; i < n; i++) {
      while (below < m && ys[below] < xs[i]) below++;
      while (not_above < m && ys[not_above] <= xs[i]) not_above++;
      *standings++ = (standing){below, not_above};
    }
    xs += n;
    ys += m;
  }
}

typedef struct wins {
  standing *standings;
  uint64_t *sums; // space for the y of one stratum and one more
} wins;

// the share of pairs that x wins in this resample
static void measure_wins(const sorted_sample samples[], const void *context, double *result) {
  const sorted_sample *x = &samples[0], *y = &samples[1];
  const standing *standings = ((const wins *)context)->standings;
  uint64_t *sums = ((const wins *)context)->sums;
  const uint32_t *drawn_x = x->drawn, *drawn_y = y->drawn;
  double share = 0;
  for (size_t k = 0; k < x->sample->strata; k++) {
    const size_t n = x->sample->sizes[k], m = y->sample->sizes[k];
    sums[0] = 0;
    for (size_t j = 0; j < m; j++) sums[j + 1] = sums[j] + drawn_y[j];
    uint64_t half_wins = 0; // a win is two of them, a tie one
    for (size_t i = 0; i < n; i++) half_wins += drawn_x[i] * (sums[standings[i].below] + sums[standings[i].not_above]);
    share += (double)half_wins / (2.0 * (double)n * (double)m);
    drawn_x += n;
    standings += n;
    drawn_y += m;
  }
  *result = share / (double)x->sample->strata;
}

sfnec_status sfnec_stats_improvement(const sfnec_strata *x, const sfnec_strata *y, uint32_t resamples,
                                     sfnec_estimate *out) {
  if (x->strata != y->strata)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "cannot compare values of %zu strata with values of %zu", x->strata,
                      y->strata);
  sfnec_arena *arena;
  sorted_sample *sorted = sfnec_arena_create_for(2 * sizeof *sorted, &arena);
  if (!sorted) return no_memory();
  sfnec_status status = sorted_make(&sorted[0], arena, x, true);
  if (!status) status = sorted_make(&sorted[1], arena, y, true);
  if (!status) {
    const wins wins = {.standings = sfnec_arena_alloc(arena, sorted[0].count, sizeof *wins.standings),
                       .sums = sfnec_arena_alloc(arena, sorted[1].count + 1, sizeof *wins.sums)};
    const bool enough = wins.standings && wins.sums;
    if (enough) find_standings(&sorted[0], &sorted[1], wins.standings);
    status = enough ? bootstrap(sorted, 2, measure_wins, &wins, resamples, 1, out) : no_memory();
  }
  sfnec_arena_destroy(arena);
  return status;
}

// ---- performance profile ----

static double share_above(const sorted_sample *sorted, double tau) {
  double share = 0;
  for (size_t k = 0, at = 0; k < sorted->sample->strata; k++) {
    const size_t size = sorted->sample->sizes[k];
    size_t above = 0;
    for (size_t i = at; i < at + size; i++) above += sorted->values[i] > tau ? sorted->drawn[i] : 0;
    share += (double)above / (double)size;
    at += size;
  }
  return share / (double)sorted->sample->strata;
}

typedef struct levels {
  const double *taus;
  size_t count;
} levels;

static void measure_profile(const sorted_sample samples[], const void *context, double shares[]) {
  const levels *levels = context;
  for (size_t k = 0; k < levels->count; k++) shares[k] = share_above(samples, levels->taus[k]);
}

sfnec_status sfnec_stats_profile(const sfnec_strata *sample, const double *taus, size_t tau_count, uint32_t resamples,
                                 sfnec_estimate *out) {
  if (!tau_count) return SFNEC_OK;
  sfnec_arena *arena;
  sorted_sample *sorted = sfnec_arena_create_for(sizeof *sorted, &arena);
  if (!sorted) return no_memory();
  const levels levels = {taus, tau_count};
  sfnec_status status = sorted_make(sorted, arena, sample, true);
  if (!status) status = bootstrap(sorted, 1, measure_profile, &levels, resamples, tau_count, out);
  sfnec_arena_destroy(arena);
  return status;
}

// ---- paired by seed ----

// All configurations of a seed see the same tasks. What an easy or a hard set of tasks does to all of them cancels in
// the differences, so these are much sharper than the difference of two means.
sfnec_status sfnec_stats_paired(const double *differences, size_t count, uint32_t resamples, sfnec_paired *out) {
  sfnec_summary summary;
  const sfnec_strata sample = {differences, &count, 1};
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
  const double *values; // (count, seeds)
  size_t count, seeds;
  uint32_t resamples;
  double *means;   // (count) of the data
  uint32_t *draws; // (seeds) of the present resample
  uint32_t *times; // (seeds) how often each was drawn
  double *drawn;   // (count, resamples) means of the resamples
  double *spread;  // (resamples) the largest deviation, of all the others' leads over one of them
} contest;

static void draw_means(contest *contest) {
  uint32_t *times = contest->times;
  sfnec_draws stream = start_stream();
  for (uint32_t b = 0; b < contest->resamples; b++) {
    for (size_t s = 0; s < contest->seeds; s++) times[s] = 0;
    sfnec_draws_below(&stream, (uint32_t)contest->seeds, contest->draws, contest->seeds);
    for (size_t s = 0; s < contest->seeds; s++) times[contest->draws[s]]++;
    const double *value = contest->values;
    for (size_t i = 0; i < contest->count; i++) {
      double sum = 0;
      for (size_t s = 0; s < contest->seeds; s++) sum += times[s] * *value++;
      contest->drawn[i * contest->resamples + b] = sum / (double)contest->seeds;
    }
  }
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

static void judge(contest *contest, sfnec_contender *out) {
  const size_t seeds = contest->seeds;
  for (size_t i = 0; i < contest->count; i++) {
    contest->means[i] = sfnec_stats_mean(contest->values + i * seeds, seeds);
    out[i] = (sfnec_contender){.mean = contest->means[i], .chance = seeds < 2 ? (double)NAN : 0, .possible = true};
  }
  if (seeds < 2) return;
  draw_means(contest);
  count_wins(contest, out);
  for (size_t i = 0; i < contest->count; i++) out[i].possible = may_be_best(contest, i);
}

sfnec_status sfnec_stats_best(const double *values, size_t count, size_t seeds, uint32_t resamples,
                              sfnec_contender *out) {
  if (!count || !seeds || !resamples)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the best needs a configuration, a seed and a resample at least");
  sfnec_arena *arena = sfnec_arena_create();
  if (!arena) return no_memory();
  contest contest = {.values = values,
                     .count = count,
                     .seeds = seeds,
                     .resamples = resamples,
                     .means = sfnec_arena_alloc(arena, count, sizeof *contest.means),
                     .draws = sfnec_arena_alloc(arena, seeds, sizeof *contest.draws),
                     .times = sfnec_arena_alloc(arena, seeds, sizeof *contest.times),
                     .drawn = sfnec_arena_alloc(arena, count * resamples, sizeof *contest.drawn),
                     .spread = sfnec_arena_alloc(arena, resamples, sizeof *contest.spread)};
  const bool enough = contest.means && contest.draws && contest.times && contest.drawn && contest.spread;
  if (enough) judge(&contest, out);
  sfnec_arena_destroy(arena);
  return enough ? SFNEC_OK : sfnec_fail_memory("the comparison of the sweep's configurations");
}
