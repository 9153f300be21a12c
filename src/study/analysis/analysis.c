// analysis.c: all statistics of an experiment; the contract is in analysis.h.
#include "study/analysis/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the statistics");
}

// ---- one configuration ----

static sfnec_status set_sample(sfnec_analysis *analysis, sfnec_analysis_row *row) {
  const bool by_task = analysis->options.by_task;
  const size_t strata = by_task ? analysis->coverage.task : 1;
  size_t *sizes = sfnec_arena_alloc(analysis->arena, strata, sizeof *sizes);
  if (!sizes) return no_memory();
  for (size_t i = 0; i < strata; i++) sizes[i] = row->runs.count;
  row->sample = (sfnec_strata){by_task ? row->runs.by_task : row->runs.values, sizes, strata};
  return SFNEC_OK;
}

static sfnec_status fill_row(sfnec_analysis *analysis, size_t i) {
  sfnec_analysis_row *row = &analysis->rows[i];
  row->configuration = &analysis->results->configurations[i];
  row->configuration_index = i;
  row->sweep = SIZE_MAX;
  sfnec_status status = sfnec_run_values_take(analysis->results, i, &analysis->metric, analysis->coverage.task,
                                              analysis->options.by_task, analysis->arena, &row->runs);
  if (status || !row->runs.count) return status;
  row->mean = sfnec_stats_mean(row->runs.values, row->runs.count);
  row->error = sfnec_stats_error(row->runs.values, row->runs.count);
  status = set_sample(analysis, row);
  return status ? status : sfnec_stats_summarise(&row->sample, analysis->options.resamples, &row->summary);
}

// ---- published values ----

// published values are returns
static void find_published(const sfnec_analysis *analysis, sfnec_analysis_row *row) {
  if (!sfnec_metric_is_return(&analysis->metric) || !row->runs.count) return;
  row->published = sfnec_published_after(analysis->results, row->configuration_index, analysis->coverage.task);
  if (!row->published) return;
  const double theirs = isnan(row->published->se) ? 0 : row->published->se;
  row->published_errors = (row->mean - row->published->mean) / sqrt(row->error * row->error + theirs * theirs);
}

// ---- against the reference ----

// "'a', 'b' and 7 more" in the arena
static const char *list_names(const sfnec_analysis *analysis) {
  enum { MOST = 20 };
  const size_t count = analysis->row_count, shown = count > MOST ? MOST : count;
  FILE *stream = sfnec_arena_open_text(analysis->arena);
  if (!stream) return "others";
  for (size_t i = 0; i < shown; i++) {
    const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
    fprintf(stream, "%s'%s'", before, analysis->rows[i].configuration->name);
  }
  if (shown < count) fprintf(stream, " and %zu more", count - shown);
  const char *text = sfnec_arena_close_text(analysis->arena);
  return text ? text : "others";
}

static sfnec_status find_reference(sfnec_analysis *analysis) {
  const char *wanted = analysis->options.against, *near = NULL;
  size_t named = SIZE_MAX, labelled = SIZE_MAX, labels = 0;
  for (size_t i = analysis->row_count; i-- > 0;) {
    const sfnec_result_configuration *at = analysis->rows[i].configuration;
    // the first that has runs, if none is asked for
    if (wanted ? strcmp(at->name, wanted) == 0 : analysis->rows[i].runs.count > 0) named = i;
    if (wanted && strcmp(at->label, wanted) == 0) {
      labelled = i;
      labels++;
    }
    if (wanted) near = sfnec_text_nearer(wanted, near, at->name);
  }
  analysis->reference = named != SIZE_MAX ? named : labels == 1 ? labelled : SIZE_MAX;
  if (analysis->reference != SIZE_MAX) {
    if (analysis->rows[analysis->reference].runs.count) return SFNEC_OK;
    return sfnec_fail(SFNEC_ERROR_STATE, "%s: '%s' has no run that is far enough to compare with; choose another",
                      analysis->results->folder, analysis->rows[analysis->reference].configuration->name);
  }
  if (!wanted) return sfnec_fail(SFNEC_ERROR_STATE, "%s: no run has a value of this metric", analysis->results->folder);
  if (labels > 1)
    return sfnec_fail(SFNEC_ERROR_OPTION, "'%s' has %zu sweep points; name one of them, as in '%s'", wanted, labels,
                      analysis->rows[labelled].configuration->name);
  if (near) return sfnec_fail(SFNEC_ERROR_OPTION, "there is no configuration '%s'; did you mean '%s'?", wanted, near);
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no configuration '%s'; there are %s", wanted, list_names(analysis));
}

// the place of a seed; the number of runs if it is not there
static size_t find_seed(const sfnec_run_values *runs, uint64_t seed) {
  size_t i = 0;
  while (i < runs->count && runs->seeds[i] != seed) i++;
  return i;
}

static sfnec_status compare(sfnec_analysis *analysis, sfnec_analysis_row *row) {
  const sfnec_analysis_row *reference = &analysis->rows[analysis->reference];
  if (row == reference || !row->runs.count) return SFNEC_OK;
  const bool less = analysis->metric.less_is_better;
  sfnec_status status =
      sfnec_stats_improvement(less ? &reference->sample : &row->sample, less ? &row->sample : &reference->sample,
                              analysis->options.resamples, &row->improvement);
  if (status) return status;

  double *differences = sfnec_arena_alloc(analysis->arena, row->runs.count, sizeof *differences);
  if (!differences) return no_memory();
  size_t count = 0;
  for (size_t i = 0; i < row->runs.count; i++) {
    const size_t j = find_seed(&reference->runs, row->runs.seeds[i]);
    if (j < reference->runs.count) differences[count++] = row->runs.values[i] - reference->runs.values[j];
  }
  if (count) status = sfnec_stats_paired(differences, count, analysis->options.resamples, &row->paired);
  row->better = less ? row->paired.lower : row->paired.higher;
  row->worse = less ? row->paired.higher : row->paired.lower;
  return status;
}

// ---- profiles ----

// the distance of round numbers (1, 2 or 5 times a power of ten) of which at most `most` lie in a range
static double round_step(double range, int most) {
  double step = 1;
  while (step * most > range) step /= 10;
  while (step * 10 * most <= range) step *= 10;
  for (const double *factor = (const double[]){2, 5, 10, 0}; step * most<range && * factor> 0; factor++)
    if (step * *factor * most >= range) return step * *factor;
  return step;
}

// round numbers between the lowest and the highest value; none if all values are the same
static sfnec_status choose_taus(sfnec_analysis *analysis) {
  enum { MOST = 6 };
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t i = 0; i < analysis->row_count; i++)
    for (size_t j = 0, n = analysis->rows[i].runs.count ? sfnec_strata_count(&analysis->rows[i].sample) : 0; j < n;
         j++) {
      low = fmin(low, analysis->rows[i].sample.values[j]);
      high = fmax(high, analysis->rows[i].sample.values[j]);
    }
  // a range that is nothing beside the values themselves has no round numbers in it
  const double range = high - low, least = fmax(1e-300, 1e-9 * fmax(fabs(low), fabs(high)));
  if (!(range > least) || !isfinite(range)) return SFNEC_OK;
  analysis->taus = sfnec_arena_alloc(analysis->arena, MOST + 1, sizeof *analysis->taus);
  if (!analysis->taus) return no_memory();
  const double step = round_step(range, MOST);
  for (int64_t k = (int64_t)ceil(low / step); (double)k * step < high && analysis->tau_count <= MOST; k++)
    analysis->taus[analysis->tau_count++] = (double)k * step;
  return SFNEC_OK;
}

static sfnec_status profile(sfnec_analysis *analysis, sfnec_analysis_row *row) {
  if (!row->runs.count || !analysis->tau_count) return SFNEC_OK;
  row->profile = sfnec_arena_alloc(analysis->arena, analysis->tau_count, sizeof *row->profile);
  if (!row->profile) return no_memory();
  return sfnec_stats_profile(&row->sample, analysis->taus, analysis->tau_count, analysis->options.resamples,
                             row->profile);
}

// ---- what is solved ----

static sfnec_status find_solved(sfnec_analysis *analysis) {
  const sfnec_criterion criterion = analysis->options.criterion;
  if (!criterion.window) return SFNEC_OK;
  size_t runs = 0;
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_status status = sfnec_solved_find(analysis->results, i, criterion, analysis->coverage.task,
                                                  analysis->arena, &analysis->rows[i].solved);
    if (status) return status;
    runs += analysis->rows[i].solved.runs;
  }
  if (runs) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "%s: no run has %" PRIu32 " recorded episodes in task %" PRIu32
                    "; set 'record: {episodes: yes}' in the spec of a new experiment, or judge fewer at a time",
                    analysis->results->folder, criterion.window, analysis->coverage.task);
}

// ---- sweeps ----

// the rows of one agent's sweep, and their values over the seeds that all of them have
typedef struct field {
  size_t *rows;
  size_t count, seeds;
  double *values; // (count, seeds); less is better: negated
} field;

static void fill_field(const sfnec_analysis *analysis, field *field) {
  const sfnec_run_values *first = &analysis->rows[field->rows[0]].runs;
  const double sign = analysis->metric.less_is_better ? -1 : 1;
  // (seeds, count) while the seeds are being found out
  for (size_t s = 0; s < first->count; s++) {
    size_t have = 0;
    for (; have < field->count; have++) {
      const sfnec_run_values *runs = &analysis->rows[field->rows[have]].runs;
      const size_t at = find_seed(runs, first->seeds[s]);
      if (at == runs->count) break;
      field->values[have * first->count + field->seeds] = sign * runs->values[at];
    }
    field->seeds += have == field->count;
  }
  for (size_t i = 1; i < field->count; i++)
    memmove(field->values + i * field->seeds, field->values + i * first->count, field->seeds * sizeof *field->values);
}

// Few seeds judge nothing; and a point that was best in none of the resamples is not one that may be, though its lead
// is within what chance gives.
static void judge_contender(size_t seeds, sfnec_contender *contender) {
  static const double least_chance = 0.005; // what is shown as 0 %
  if (seeds >= SFNEC_ANALYSIS_FEW) {
    contender->possible = contender->possible && contender->chance >= least_chance;
    return;
  }
  contender->possible = true;
  contender->chance = (double)NAN;
}

static sfnec_status judge_field(sfnec_analysis *analysis, const field *field, sfnec_analysis_sweep *sweep) {
  sfnec_contender *contenders = sfnec_arena_alloc(analysis->arena, field->count, sizeof *contenders);
  if (!contenders) return no_memory();
  sfnec_status status = SFNEC_OK;
  if (field->seeds)
    status = sfnec_stats_best(field->values, field->count, field->seeds, analysis->options.resamples, contenders);
  if (status) return status;
  sweep->points = field->count;
  sweep->seeds = field->seeds;
  size_t best = 0;
  for (size_t i = 0; i < field->count; i++) {
    judge_contender(field->seeds, &contenders[i]);
    if (contenders[i].mean > contenders[best].mean) best = i;
    sweep->possible += contenders[i].possible;
  }
  sweep->best = field->rows[best];
  for (size_t i = 0; i < field->count; i++) {
    if (analysis->metric.less_is_better) contenders[i].mean = -contenders[i].mean;
    analysis->rows[field->rows[i]].sweep = analysis->sweep_count;
    analysis->rows[field->rows[i]].contender = contenders[i];
  }
  analysis->sweep_count++;
  return SFNEC_OK;
}

// gathers the rows of the same label as row `first`; a label that was seen before, or has one row only, is no sweep
static sfnec_status judge_sweep(sfnec_analysis *analysis, size_t first) {
  const char *label = analysis->rows[first].configuration->label;
  field field = {.rows = sfnec_arena_alloc(analysis->arena, analysis->row_count, sizeof *field.rows)};
  if (!field.rows) return no_memory();
  for (size_t i = 0; i < analysis->row_count; i++) {
    if (strcmp(analysis->rows[i].configuration->label, label) != 0 || !analysis->rows[i].runs.count) continue;
    if (i < first) return SFNEC_OK;
    field.rows[field.count++] = i;
  }
  if (field.count < 2) return SFNEC_OK;
  const size_t room = field.count * analysis->rows[field.rows[0]].runs.count;
  field.values = sfnec_arena_alloc(analysis->arena, room, sizeof *field.values);
  if (!field.values) return no_memory();
  fill_field(analysis, &field);
  sfnec_analysis_sweep *sweep = &analysis->sweeps[analysis->sweep_count];
  sweep->label = label;
  return judge_field(analysis, &field, sweep);
}

// ---- few runs ----

static const sfnec_interval no_interval = {(double)NAN, (double)NAN};

static void forget_intervals(sfnec_analysis *analysis, sfnec_analysis_row *row) {
  const bool few = row->runs.count < SFNEC_ANALYSIS_FEW;
  if (few) row->summary.mean.interval = row->summary.median.interval = row->summary.iqm.interval = no_interval;
  if (row->paired.count < SFNEC_ANALYSIS_FEW) row->paired.mean.interval = no_interval;
  if (few || analysis->rows[analysis->reference].runs.count < SFNEC_ANALYSIS_FEW)
    row->improvement.interval = no_interval;
  for (size_t k = 0; few && row->profile && k < analysis->tau_count; k++) row->profile[k].interval = no_interval;
}

// ---- all ----

static sfnec_status fill(sfnec_analysis *analysis) {
  analysis->metric = sfnec_metric_of_results(analysis->results);
  sfnec_status status =
      analysis->options.metric ? sfnec_metric_find(analysis->options.metric, &analysis->metric) : SFNEC_OK;
  if (!status) status = sfnec_coverage_find(analysis->results, analysis->options.task, &analysis->coverage);
  if (status) return status;
  analysis->row_count = analysis->results->configuration_count;
  analysis->rows = sfnec_arena_alloc(analysis->arena, analysis->row_count, sizeof *analysis->rows);
  analysis->sweeps = sfnec_arena_alloc(analysis->arena, analysis->row_count, sizeof *analysis->sweeps);
  if (!analysis->rows || !analysis->sweeps) return no_memory();

  for (size_t i = 0; !status && i < analysis->row_count; i++) status = fill_row(analysis, i);
  if (!status) status = find_reference(analysis);
  if (!status) status = choose_taus(analysis);
  for (size_t i = 0; !status && i < analysis->row_count; i++) {
    find_published(analysis, &analysis->rows[i]);
    status = compare(analysis, &analysis->rows[i]);
    if (!status) status = profile(analysis, &analysis->rows[i]);
    if (!status && analysis->rows[i].runs.count) status = judge_sweep(analysis, i);
  }
  for (size_t i = 0; !status && i < analysis->row_count; i++) forget_intervals(analysis, &analysis->rows[i]);
  return status ? status : find_solved(analysis);
}

sfnec_status sfnec_analysis_make(const sfnec_results *results, const sfnec_analysis_options *options,
                                 sfnec_analysis **out) {
  *out = NULL;
  sfnec_arena *arena;
  sfnec_analysis *analysis = sfnec_arena_create_for(sizeof *analysis, &arena);
  if (!analysis) return no_memory();
  *analysis = (sfnec_analysis){.arena = arena, .results = results, .options = *options};
  const sfnec_status status = fill(analysis);
  if (status) sfnec_analysis_destroy(analysis);
  else *out = analysis;
  return status;
}

void sfnec_analysis_destroy(sfnec_analysis *analysis) {
  // the analysis itself lives in its arena
  if (analysis) sfnec_arena_destroy(analysis->arena);
}
