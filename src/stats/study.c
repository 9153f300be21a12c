// study.c: all statistics of an experiment; the contract is in stats_study.h.
#include "stats/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

void sfnec_study_options_default(sfnec_study_options *options) {
  *options = (sfnec_study_options){.resamples = SFNEC_STATS_RESAMPLES};
}

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the statistics");
}

// ---- one configuration ----

static sfnec_status set_sample(sfnec_study *study, sfnec_study_row *row) {
  const bool by_task = study->options.by_task;
  const size_t strata = by_task ? study->coverage.task : 1;
  size_t *sizes = sfnec_arena_alloc(study->arena, strata, sizeof *sizes);
  if (!sizes) return no_memory();
  for (size_t i = 0; i < strata; i++) sizes[i] = row->scores.count;
  row->sample = (sfnec_sample){by_task ? row->scores.by_task : row->scores.values, sizes, strata};
  return SFNEC_OK;
}

static sfnec_status fill_row(sfnec_study *study, size_t i) {
  sfnec_study_row *row = &study->rows[i];
  row->configuration = &study->results->configurations[i];
  row->configuration_index = i;
  row->sweep = SIZE_MAX;
  sfnec_status status = sfnec_scores_take(study->results, i, study->metric, study->coverage.task,
                                          study->options.by_task, study->arena, &row->scores);
  if (status || !row->scores.count) return status;
  row->mean = sfnec_stats_mean(row->scores.values, row->scores.count);
  row->error = sfnec_stats_error(row->scores.values, row->scores.count);
  status = set_sample(study, row);
  return status ? status : sfnec_stats_summarise(&row->sample, study->options.resamples, &row->summary);
}

// ---- published values ----

// published values are returns
static void find_published(const sfnec_study *study, sfnec_study_row *row) {
  if (study->metric != sfnec_metric_at(0) || !row->scores.count) return;
  const size_t configuration = (size_t)(row->configuration - study->results->configurations);
  for (const sfnec_published *at = NULL; (at = sfnec_published_next(study->results, configuration, at));)
    if (!row->published && sfnec_published_task(study->results, at) == study->coverage.task) row->published = at;
  if (!row->published) return;
  const double theirs = isnan(row->published->se) ? 0 : row->published->se;
  row->published_errors = (row->mean - row->published->mean) / sqrt(row->error * row->error + theirs * theirs);
}

// ---- against the reference ----

static sfnec_status find_reference(sfnec_study *study) {
  const char *wanted = study->options.against, *near = NULL;
  size_t named = SIZE_MAX, labelled = SIZE_MAX, labels = 0;
  for (size_t i = study->row_count; i-- > 0;) {
    const sfnec_result_configuration *at = study->rows[i].configuration;
    // the first that has runs, if none is asked for
    if (wanted ? strcmp(at->name, wanted) == 0 : study->rows[i].scores.count > 0) named = i;
    if (wanted && strcmp(at->label, wanted) == 0) {
      labelled = i;
      labels++;
    }
    if (wanted) near = sfnec_text_nearer(wanted, near, at->name);
  }
  study->reference = named != SIZE_MAX ? named : labels == 1 ? labelled : SIZE_MAX;
  if (study->reference != SIZE_MAX) {
    if (study->rows[study->reference].scores.count) return SFNEC_OK;
    return sfnec_fail(SFNEC_ERROR_STATE, "%s: '%s' has no run that is far enough to compare with; choose another",
                      study->results->folder, study->rows[study->reference].configuration->name);
  }
  if (!wanted) return sfnec_fail(SFNEC_ERROR_STATE, "%s: no run has a score of this kind", study->results->folder);
  if (labels > 1)
    return sfnec_fail(SFNEC_ERROR_OPTION, "'%s' has %zu sweep points; name one of them, as in '%s'", wanted, labels,
                      study->rows[labelled].configuration->name);
  if (near) return sfnec_fail(SFNEC_ERROR_OPTION, "there is no configuration '%s'; did you mean '%s'?", wanted, near);
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no configuration '%s'; the first of %zu is '%s'", wanted,
                    study->row_count, study->rows[0].configuration->name);
}

// the place of a seed; the number of scores if it is not there
static size_t find_seed(const sfnec_scores *scores, uint64_t seed) {
  size_t i = 0;
  while (i < scores->count && scores->seeds[i] != seed) i++;
  return i;
}

static sfnec_status compare(sfnec_study *study, sfnec_study_row *row) {
  const sfnec_study_row *reference = &study->rows[study->reference];
  if (row == reference || !row->scores.count) return SFNEC_OK;
  const bool less = study->metric->less_is_better;
  sfnec_status status =
      sfnec_stats_improvement(less ? &reference->sample : &row->sample, less ? &row->sample : &reference->sample,
                              study->options.resamples, &row->improvement);
  if (status) return status;

  double *differences = sfnec_arena_alloc(study->arena, row->scores.count, sizeof *differences);
  if (!differences) return no_memory();
  size_t count = 0;
  for (size_t i = 0; i < row->scores.count; i++) {
    const size_t j = find_seed(&reference->scores, row->scores.seeds[i]);
    if (j < reference->scores.count) differences[count++] = row->scores.values[i] - reference->scores.values[j];
  }
  if (count) status = sfnec_stats_paired(differences, count, study->options.resamples, &row->paired);
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

// round numbers between the lowest and the highest score; none if all scores are the same
static sfnec_status choose_taus(sfnec_study *study) {
  enum { MOST = 6 };
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t i = 0; i < study->row_count; i++)
    for (size_t j = 0, n = study->rows[i].scores.count ? sfnec_sample_count(&study->rows[i].sample) : 0; j < n; j++) {
      low = fmin(low, study->rows[i].sample.values[j]);
      high = fmax(high, study->rows[i].sample.values[j]);
    }
  // a range that is nothing beside the values themselves has no round numbers in it
  const double range = high - low, least = fmax(1e-300, 1e-9 * fmax(fabs(low), fabs(high)));
  if (!(range > least) || !isfinite(range)) return SFNEC_OK;
  study->taus = sfnec_arena_alloc(study->arena, MOST + 1, sizeof *study->taus);
  if (!study->taus) return no_memory();
  const double step = round_step(range, MOST);
  for (int64_t k = (int64_t)ceil(low / step); (double)k * step < high && study->tau_count <= MOST; k++)
    study->taus[study->tau_count++] = (double)k * step;
  return SFNEC_OK;
}

static sfnec_status profile(sfnec_study *study, sfnec_study_row *row) {
  if (!row->scores.count || !study->tau_count) return SFNEC_OK;
  row->profile = sfnec_arena_alloc(study->arena, study->tau_count, sizeof *row->profile);
  if (!row->profile) return no_memory();
  return sfnec_stats_profile(&row->sample, study->taus, study->tau_count, study->options.resamples, row->profile);
}

// ---- what is solved ----

static sfnec_status find_solved(sfnec_study *study) {
  const sfnec_goal goal = study->options.goal;
  if (!goal.window) return SFNEC_OK;
  size_t runs = 0;
  for (size_t i = 0; i < study->row_count; i++) {
    const sfnec_status status =
        sfnec_solved_find(study->results, i, goal, study->coverage.task, study->arena, &study->rows[i].solved);
    if (status) return status;
    runs += study->rows[i].solved.runs;
  }
  if (runs) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "%s: no run has %" PRIu32 " recorded episodes in task %" PRIu32
                    "; set 'record: {episodes: yes}' in the spec of a new experiment, or judge fewer at a time",
                    study->results->folder, goal.window, study->coverage.task);
}

// ---- sweeps ----

// the rows of one agent's sweep, and their scores over the seeds that all of them have
typedef struct field {
  size_t *rows;
  size_t count, seeds;
  double *scores; // (count, seeds); less is better: negated
} field;

static void fill_field(const sfnec_study *study, field *field) {
  const sfnec_scores *first = &study->rows[field->rows[0]].scores;
  const double sign = study->metric->less_is_better ? -1 : 1;
  // (seeds, count) while the seeds are being found out
  for (size_t s = 0; s < first->count; s++) {
    size_t have = 0;
    for (; have < field->count; have++) {
      const sfnec_scores *scores = &study->rows[field->rows[have]].scores;
      const size_t at = find_seed(scores, first->seeds[s]);
      if (at == scores->count) break;
      field->scores[have * first->count + field->seeds] = sign * scores->values[at];
    }
    field->seeds += have == field->count;
  }
  for (size_t i = 1; i < field->count; i++)
    memmove(field->scores + i * field->seeds, field->scores + i * first->count, field->seeds * sizeof *field->scores);
}

static sfnec_status judge_field(sfnec_study *study, const field *field, sfnec_study_sweep *sweep) {
  sfnec_contender *contenders = sfnec_arena_alloc(study->arena, field->count, sizeof *contenders);
  if (!contenders) return no_memory();
  sfnec_status status = SFNEC_OK;
  if (field->seeds)
    status = sfnec_stats_best(field->scores, field->count, field->seeds, study->options.resamples, contenders);
  if (status) return status;
  sweep->points = field->count;
  sweep->seeds = field->seeds;
  size_t best = 0;
  for (size_t i = 0; i < field->count; i++) {
    if (contenders[i].mean > contenders[best].mean) best = i;
    sweep->possible += contenders[i].possible;
  }
  sweep->best = field->rows[best];
  for (size_t i = 0; i < field->count; i++) {
    if (study->metric->less_is_better) contenders[i].mean = -contenders[i].mean;
    study->rows[field->rows[i]].sweep = study->sweep_count;
    study->rows[field->rows[i]].contender = contenders[i];
  }
  study->sweep_count++;
  return SFNEC_OK;
}

// gathers the rows of the same label as row `first`; a label that was seen before, or has one row only, is no sweep
static sfnec_status judge_sweep(sfnec_study *study, size_t first) {
  const char *label = study->rows[first].configuration->label;
  field field = {.rows = sfnec_arena_alloc(study->arena, study->row_count, sizeof *field.rows)};
  if (!field.rows) return no_memory();
  for (size_t i = 0; i < study->row_count; i++) {
    if (strcmp(study->rows[i].configuration->label, label) != 0 || !study->rows[i].scores.count) continue;
    if (i < first) return SFNEC_OK;
    field.rows[field.count++] = i;
  }
  if (field.count < 2) return SFNEC_OK;
  const size_t room = field.count * study->rows[field.rows[0]].scores.count;
  field.scores = sfnec_arena_alloc(study->arena, room, sizeof *field.scores);
  if (!field.scores) return no_memory();
  fill_field(study, &field);
  sfnec_study_sweep *sweep = &study->sweeps[study->sweep_count];
  sweep->label = label;
  return judge_field(study, &field, sweep);
}

// ---- all ----

static sfnec_status fill(sfnec_study *study) {
  sfnec_status status = sfnec_metric_find(study->options.metric, &study->metric);
  if (!status) status = sfnec_coverage_find(study->results, study->options.task, &study->coverage);
  if (status) return status;
  study->row_count = study->results->configuration_count;
  study->rows = sfnec_arena_alloc(study->arena, study->row_count, sizeof *study->rows);
  study->sweeps = sfnec_arena_alloc(study->arena, study->row_count, sizeof *study->sweeps);
  if (!study->rows || !study->sweeps) return no_memory();

  for (size_t i = 0; !status && i < study->row_count; i++) status = fill_row(study, i);
  if (!status) status = find_reference(study);
  if (!status) status = choose_taus(study);
  for (size_t i = 0; !status && i < study->row_count; i++) {
    find_published(study, &study->rows[i]);
    status = compare(study, &study->rows[i]);
    if (!status) status = profile(study, &study->rows[i]);
    if (!status && study->rows[i].scores.count) status = judge_sweep(study, i);
  }
  return status ? status : find_solved(study);
}

sfnec_status sfnec_study_make(const sfnec_results *results, const sfnec_study_options *options, sfnec_study **out) {
  *out = NULL;
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_study *study = arena ? sfnec_arena_alloc(arena, 1, sizeof *study) : NULL;
  if (!study) {
    sfnec_arena_destroy(arena);
    return no_memory();
  }
  *study = (sfnec_study){.arena = arena, .results = results, .options = *options};
  const sfnec_status status = fill(study);
  if (status) sfnec_study_destroy(study);
  else *out = study;
  return status;
}

void sfnec_study_destroy(sfnec_study *study) {
  // the study itself lives in its arena
  if (study) sfnec_arena_destroy(study->arena);
}
