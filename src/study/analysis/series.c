// series.c: curves, boxes and published values from stored results; the contract is in series.h.
#include "study/analysis/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the curves of an experiment");
}

static double step_time(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  double seconds = 0, steps = 0;
  for (uint32_t i = first; i < last; i++) {
    seconds += tasks[i].result.seconds;
    steps += (double)tasks[i].result.steps;
  }
  return 1e6 * seconds / steps;
}

sfnec_metric sfnec_series_metric(const char *name) {
  sfnec_metric metric = {"step-time", "microseconds per step", true, NULL, step_time};
  if (strcmp(name, metric.name) != 0) (void)sfnec_metric_find(name, &metric);
  return metric;
}

// ---- curves ----

sfnec_status sfnec_curve_begin(sfnec_arena *arena, size_t configuration, size_t runs, size_t count, sfnec_curve *out) {
  *out = (sfnec_curve){
      .configuration = configuration,
      .points = sfnec_arena_alloc(arena, count, sizeof *out->points),
      .count = count,
      .seeds = sfnec_arena_alloc(arena, runs, sizeof *out->seeds),
      .values = sfnec_arena_alloc(arena, runs * count, sizeof *out->values),
      .run_count = runs,
  };
  if (!out->points || !out->seeds || !out->values) return no_memory();
  for (size_t i = 0; i < runs * count; i++) out->values[i] = (double)NAN;
  return SFNEC_OK;
}

static sfnec_status judge_point(const double *values, size_t count, uint32_t resamples, double *sorted,
                                sfnec_curve_point *out) {
  const double nan = (double)NAN;
  out->runs = count;
  out->mean = sfnec_stats_mean(values, count);
  out->error = sfnec_stats_error(values, count);
  out->iqm = (sfnec_estimate){nan, {nan, nan}};
  if (!count) return SFNEC_OK;
  if (resamples) {
    sfnec_summary summary;
    const sfnec_strata sample = {values, &count, 1};
    const sfnec_status status = sfnec_stats_summarise(&sample, resamples, &summary);
    out->iqm = summary.iqm;
    return status;
  }
  memcpy(sorted, values, count * sizeof *sorted);
  sfnec_stats_sort(sorted, count);
  out->iqm.value = sfnec_stats_trimmed_mean(sorted, count, sfnec_stats_iqm_cut(count));
  return SFNEC_OK;
}

sfnec_status sfnec_curve_judge(sfnec_arena *arena, uint32_t resamples, sfnec_curve *curve) {
  double *values = sfnec_arena_alloc(arena, 2 * curve->run_count, sizeof *values);
  if (!values) return no_memory();
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < curve->count && !status; i++) {
    size_t count = 0;
    for (size_t run = 0; run < curve->run_count; run++) {
      const double value = curve->values[run * curve->count + i];
      if (isfinite(value)) values[count++] = value;
    }
    curve->points[i].x = (double)(i + 1);
    status = judge_point(values, count, resamples, values + curve->run_count, &curve->points[i]);
  }
  return status;
}

sfnec_status sfnec_curve_tasks(const sfnec_results *results, size_t configuration, const sfnec_metric *metric,
                               sfnec_span span, uint32_t resamples, sfnec_arena *arena, sfnec_curve *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  const sfnec_result_run *runs = &results->runs[of->first_run];
  size_t begun = 0;
  uint32_t longest = 0;
  for (size_t i = 0; i < of->run_count; i++) {
    begun += runs[i].task_count > 0;
    if (runs[i].task_count > longest) longest = runs[i].task_count;
  }
  const sfnec_status status = sfnec_curve_begin(arena, configuration, begun, longest, out);
  if (status) return status;
  for (size_t i = 0, row = 0; i < of->run_count; i++) {
    if (!runs[i].task_count) continue;
    out->seeds[row] = runs[i].seed;
    double *values = out->values + row++ * longest;
    for (uint32_t t = 0; t < runs[i].task_count; t++)
      values[t] = sfnec_metric_value(metric, runs[i].tasks, span == SFNEC_SPAN_ALONE ? t : 0, t + 1);
  }
  return sfnec_curve_judge(arena, resamples, out);
}

// ---- the optimum ----

// whether two runs of a seed differ in a task that both have
static bool differ(const sfnec_result_run *a, const sfnec_result_run *b) {
  for (uint32_t t = 0; a->seed == b->seed && t < a->task_count && t < b->task_count; t++)
    if (fabs(a->tasks[t].result.optimum - b->tasks[t].result.optimum) > 0) return true;
  return false;
}

static bool any_differ(const sfnec_results *results, const sfnec_result_configuration *of) {
  for (size_t i = 0; i < of->run_count; i++)
    for (size_t j = 0; j < results->run_count; j++)
      if (differ(&results->runs[of->first_run + i], &results->runs[j])) return true;
  return false;
}

static size_t furthest(const sfnec_results *results) {
  size_t best = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < results->configuration_count; i++) {
    const sfnec_result_configuration *of = &results->configurations[i];
    uint64_t tasks = 0;
    for (size_t r = 0; r < of->run_count; r++) tasks += results->runs[of->first_run + r].task_count;
    if (tasks > most) best = i;
    if (tasks > most) most = tasks;
  }
  return best;
}

sfnec_status sfnec_curve_optimum(const sfnec_results *results, sfnec_span span, sfnec_arena *arena, sfnec_curve *out) {
  const size_t configuration = furthest(results);
  const sfnec_metric metric = sfnec_series_metric("optimum");
  *out = (sfnec_curve){0};
  if (any_differ(results, &results->configurations[configuration])) return SFNEC_OK;
  const sfnec_status status = sfnec_curve_tasks(results, configuration, &metric, span, 0, arena, out);
  size_t known = 0;
  for (size_t i = 0; !status && i < out->count; i++) known += out->points[i].runs;
  if (!known) out->count = 0;
  return status;
}

// ---- curves over episodes ----

static size_t episodes_of(const sfnec_result_run *run) {
  size_t count = 0;
  for (uint32_t t = 0; t < run->task_count; t++) count += run->tasks[t].episode_count;
  return count;
}

static size_t most_episodes(const sfnec_results *results) {
  size_t most = 0;
  for (size_t i = 0; i < results->run_count; i++) {
    const size_t count = episodes_of(&results->runs[i]);
    if (count > most) most = count;
  }
  return most;
}

const char *sfnec_episodes_missing(const sfnec_results *results) {
  if (!most_episodes(results))
    return "no episodes were recorded; set 'record: {episodes: yes}' in the spec of a new experiment";
  return NULL;
}

size_t sfnec_episodes_window(const sfnec_results *results) {
  if (!results->episodes) return 0;
  const size_t window = most_episodes(results) / 25;
  return window ? window : 1;
}

// the means of the last `window` returns
static void smooth(const sfnec_result_run *run, size_t window, double *totals, double *values, size_t count) {
  size_t at = 0;
  for (uint32_t t = 0; t < run->task_count; t++)
    for (uint32_t i = 0; i < run->tasks[t].episode_count && at < count; i++)
      totals[at++] = run->tasks[t].episodes[i].total;
  for (size_t i = 0; i < count; i++) {
    const size_t first = i + 1 > window ? i + 1 - window : 0;
    values[i] = sfnec_stats_mean(totals + first, i + 1 - first);
  }
}

sfnec_status sfnec_curve_episodes(const sfnec_results *results, size_t configuration, size_t window, uint32_t resamples,
                                  sfnec_arena *arena, sfnec_curve *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  const sfnec_result_run *runs = &results->runs[of->first_run];
  size_t begun = 0, shortest = 0;
  for (size_t i = 0; i < of->run_count; i++) {
    const size_t count = episodes_of(&runs[i]);
    if (!count) continue;
    if (!begun++ || count < shortest) shortest = count;
  }
  sfnec_status status = sfnec_curve_begin(arena, configuration, begun, shortest, out);
  double *totals = sfnec_arena_alloc(arena, shortest, sizeof *totals);
  if (!status && !totals) status = no_memory();
  for (size_t i = 0, row = 0; i < of->run_count && !status; i++) {
    if (!episodes_of(&runs[i])) continue;
    out->seeds[row] = runs[i].seed;
    smooth(&runs[i], window, totals, out->values + row++ * shortest, shortest);
  }
  return status ? status : sfnec_curve_judge(arena, resamples, out);
}

// ---- boxes ----

sfnec_status sfnec_box_make(const double *values, size_t count, sfnec_box *out) {
  const double nan = (double)NAN;
  *out = (sfnec_box){count, nan, nan, nan, nan, nan, nan, nan};
  if (!count) return SFNEC_OK;
  double *sorted = malloc(count * sizeof *sorted);
  if (!sorted) return no_memory();
  memcpy(sorted, values, count * sizeof *sorted);
  sfnec_stats_sort(sorted, count);
  out->lower = sfnec_stats_quantile(sorted, count, 0.25);
  out->median = sfnec_stats_quantile(sorted, count, 0.5);
  out->upper = sfnec_stats_quantile(sorted, count, 0.75);
  const double reach = 1.5 * (out->upper - out->lower);
  out->low = out->lower;
  out->high = out->upper;
  for (size_t i = count; i-- > 0;)
    if (sorted[i] >= out->lower - reach) out->low = fmin(out->low, sorted[i]);
  for (size_t i = 0; i < count; i++)
    if (sorted[i] <= out->upper + reach) out->high = fmax(out->high, sorted[i]);
  out->mean = sfnec_stats_mean(values, count);
  out->error = sfnec_stats_error(values, count);
  free(sorted);
  return SFNEC_OK;
}

const char *sfnec_sweep_key(const sfnec_results *results) {
  const char *key = NULL;
  for (size_t i = 0; i < results->configuration_count; i++) {
    const sfnec_settings *settings = &results->configurations[i].settings;
    if (!settings->count) continue;
    if (settings->count > 1 || (key && strcmp(key, settings->items[0].key) != 0)) return NULL;
    key = settings->items[0].key;
  }
  return key;
}

const char *sfnec_short_name(const sfnec_results *results, size_t configuration) {
  const sfnec_result_configuration *at = &results->configurations[configuration];
  bool same_agent = true;
  for (size_t i = 0; i < results->configuration_count; i++)
    same_agent = same_agent && strcmp(results->configurations[i].label, at->label) == 0;
  if (!same_agent || !at->settings.count) return at->name;
  return sfnec_sweep_key(results) ? at->settings.items[0].value : at->point;
}
