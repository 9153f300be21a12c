// data.c: the data of the page: what was run, every run, curves with bands, statistics, sweeps, ours against published
// values, and replays; see data.h.
#include "show/report/data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "show/export/export.h"
#include "show/theme/agents.h"
#include "study/analysis/series.h"
#include "study/analysis/verdicts.h"
#include "study/store/session.h"

enum { FORMAT = 1 }; // of the data; the page is in the same binary, so this is for those who take the data out
enum { CURVE_RESAMPLES = 1000 }; // of each point of a curve: only a line's thickness depends on it

// seeds are texts: JavaScript has no whole numbers of 64 bits
static void put_seed(sfnec_json *json, const char *key, uint64_t seed) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  sfnec_json_text(json, key, text);
}

// ---- the study ----

static void put_study(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  sfnec_json_int(json, "format", FORMAT);
  sfnec_json_text(json, "version", sfnec_version());
  sfnec_json_text(json, "made", now);
  sfnec_json_study(json, results);
  sfnec_json_text(json, "spec_path", results->spec_path);
  sfnec_json_int(json, "reload", in->options->reload);
  sfnec_json_begin(json, "coverage", '{');
  sfnec_json_int(json, "task", in->analysis->coverage.task);
  sfnec_json_coverage(json, &in->analysis->coverage);
  sfnec_json_end(json, '}');
  sfnec_json_begin(json, "metric", '{');
  sfnec_json_text(json, "name", in->analysis->metric.name);
  sfnec_json_text(json, "help", in->analysis->metric.help);
  sfnec_json_bool(json, "is_return", sfnec_metric_is_return(&in->analysis->metric));
  sfnec_json_bool(json, "less_is_better", in->analysis->metric.less_is_better);
  sfnec_json_end(json, '}');
  sfnec_json_int(json, "reference", (int64_t)in->analysis->reference);
  sfnec_json_int(json, "resamples", in->options->resamples);
  sfnec_json_int(json, "curve_resamples", CURVE_RESAMPLES);
  sfnec_json_int(json, "episode_window", (int64_t)in->episode_window);
  sfnec_json_sessions(json, "sessions", results);
  sfnec_json_begin(json, "taus", '[');
  for (size_t i = 0; i < in->analysis->tau_count; i++) sfnec_json_real(json, NULL, in->analysis->taus[i]);
  sfnec_json_end(json, ']');
}

// ---- runs ----

static void put_run_uses(sfnec_json *json, const sfnec_result_run *run) {
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t task = 0; task < run->task_count; task++) {
    sfnec_json_begin(json, NULL, '[');
    for (uint32_t i = 0; i < run->tasks[task].use_count; i++) sfnec_json_int(json, NULL, run->tasks[task].uses[i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, ']');
}

static void put_run(sfnec_json *json, const sfnec_report_input *in, const sfnec_result_run *run) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "id", run->id);
  put_seed(json, "seed", run->seed);
  sfnec_json_text(json, "state", sfnec_job_states[run->state]);
  sfnec_json_text(json, "error", run->error);
  sfnec_json_int(json, "tasks_wanted", run->tasks_wanted);
  for (const sfnec_record_field *field = sfnec_task_record_set()->fields; field->name; field++) {
    sfnec_json_begin(json, field->name, '[');
    for (uint32_t task = 0; task < run->task_count; task++)
      sfnec_json_field(json, NULL, sfnec_task_record_set(), field, &run->tasks[task].result);
    sfnec_json_end(json, ']');
  }
  if (in->uses_by_run) put_run_uses(json, run);
  sfnec_json_end(json, '}');
}

// transitions by task and policy, summed over the runs of a configuration
static sfnec_status put_uses(sfnec_json *json, const sfnec_report_input *in, const sfnec_result_configuration *c) {
  const sfnec_result_run *runs = in->results->runs + c->first_run;
  uint32_t tasks = 0, policies = 0;
  for (size_t r = 0; r < c->run_count; r++) {
    if (runs[r].task_count > tasks) tasks = runs[r].task_count;
    for (uint32_t task = 0; task < runs[r].task_count; task++)
      if (runs[r].tasks[task].use_count > policies) policies = runs[r].tasks[task].use_count;
  }
  double *sums = sfnec_arena_alloc(in->analysis->arena, policies ? policies : 1, sizeof *sums);
  if (!sums) return sfnec_fail_memory("the use of policies");
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t task = 0; task < tasks; task++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < policies; i++) sums[i] = 0;
    for (size_t r = 0; r < c->run_count; r++) {
      if (task >= runs[r].task_count) continue;
      const sfnec_task_record *record = &runs[r].tasks[task];
      for (uint32_t i = 0; i < record->use_count; i++) sums[i] += (double)record->uses[i];
      if (record->use_count > count) count = record->use_count;
    }
    sfnec_json_begin(json, NULL, '[');
    for (uint32_t i = 0; i < count; i++) sfnec_json_real(json, NULL, sums[i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, ']');
  return SFNEC_OK;
}

// ---- curves ----

static const char *const point_columns[] = {"x", "runs", "mean", "se", "iqm", "low", "high"};
enum { POINT_COLUMNS = sizeof point_columns / sizeof *point_columns };

static double point_number(const sfnec_curve_point *point, size_t column) {
  const double numbers[POINT_COLUMNS] = {point->x,
                                         (double)point->runs,
                                         point->mean,
                                         point->error,
                                         point->iqm.value,
                                         point->iqm.interval.low,
                                         point->iqm.interval.high};
  return numbers[column];
}

// every `stride`th point, the last one always
static void put_points(sfnec_json *json, const sfnec_curve *curve, size_t stride) {
  for (size_t c = 0; c < POINT_COLUMNS; c++) {
    sfnec_json_begin(json, point_columns[c], '[');
    for (size_t i = (curve->count - 1) % stride; i < curve->count; i += stride)
      sfnec_json_real(json, NULL, point_number(&curve->points[i], c));
    sfnec_json_end(json, ']');
  }
}

// those of the single runs: the page can work them out for tasks, not for episodes and steps
static void put_values(sfnec_json *json, const sfnec_curve *curve, size_t stride) {
  sfnec_json_begin(json, "values", '[');
  for (size_t r = 0; r < curve->run_count; r++) {
    sfnec_json_begin(json, NULL, '[');
    for (size_t i = (curve->count - 1) % stride; i < curve->count; i += stride)
      sfnec_json_real(json, NULL, curve->values[r * curve->count + i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, ']');
}

enum { MOST_POINTS = 125 }; // of a curve: more are not seen, and each costs as much as a task

static sfnec_status put_episodes(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  sfnec_arena *arena = in->analysis->arena;
  sfnec_curve curve;
  const sfnec_status status =
      in->episode_window
          ? sfnec_curve_episodes(in->results, configuration, in->episode_window, CURVE_RESAMPLES, arena, &curve)
          : sfnec_curve_steps(in->results, configuration, NULL, MOST_POINTS, CURVE_RESAMPLES, arena, &curve);
  if (status || !curve.count) return status;
  const size_t stride = (curve.count + MOST_POINTS - 1) / MOST_POINTS;
  sfnec_json_begin(json, "episodes", '{');
  put_points(json, &curve, stride);
  put_values(json, &curve, stride);
  sfnec_json_end(json, '}');
  return SFNEC_OK;
}

// the numbers of the bins that have a title, under the key "step_NAME"
static sfnec_status put_steps(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  for (const sfnec_record_field *field = sfnec_bin_record_set()->fields; field->name; field++) {
    if (!field->title) continue;
    sfnec_arena *arena = in->analysis->arena;
    const char *key = sfnec_arena_print(arena, "step_%s", field->name);
    if (!key) return sfnec_fail_memory("the curves of the report");
    sfnec_curve curve;
    const sfnec_status status =
        sfnec_curve_steps(in->results, configuration, field, MOST_POINTS, CURVE_RESAMPLES, arena, &curve);
    if (status) return status;
    if (!curve.count) continue;
    sfnec_json_begin(json, key, '{');
    put_points(json, &curve, 1);
    if (in->step_values && field->figure) put_values(json, &curve, 1);
    sfnec_json_end(json, '}');
  }
  return SFNEC_OK;
}

static sfnec_status put_evaluations(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  sfnec_curve curve;
  const sfnec_status status =
      sfnec_curve_evaluations(in->results, configuration, CURVE_RESAMPLES, in->analysis->arena, &curve);
  if (status || !curve.count) return status;
  const size_t stride = (curve.count + MOST_POINTS - 1) / MOST_POINTS;
  sfnec_json_begin(json, "evaluation", '{');
  put_points(json, &curve, stride);
  put_values(json, &curve, stride);
  sfnec_json_end(json, '}');
  return SFNEC_OK;
}

static sfnec_status put_tasks(sfnec_json *json, const sfnec_report_input *in, size_t configuration, const char *key,
                              const char *name, sfnec_span span) {
  const sfnec_metric metric = sfnec_series_metric(name);
  sfnec_curve curve;
  const sfnec_status status =
      sfnec_curve_tasks(in->results, configuration, &metric, span, CURVE_RESAMPLES, in->analysis->arena, &curve);
  if (status || !curve.count) return status;
  sfnec_json_begin(json, key, '{');
  put_points(json, &curve, 1);
  // the page works those of single runs out for what is recorded and for the return
  if (span == SFNEC_SPAN_SO_FAR && !sfnec_metric_is_return(&metric)) put_values(json, &curve, 1);
  sfnec_json_end(json, '}');
  return SFNEC_OK;
}

// what the page draws against tasks: what the results are judged by so far, what the table of records says, the regret
// where the optimum is known, and the time of a step
static sfnec_status put_curves(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  sfnec_json_begin(json, "curves", '{');
  sfnec_status status = put_tasks(json, in, configuration, "average", in->analysis->metric.name, SFNEC_SPAN_SO_FAR);
  for (const sfnec_record_field *field = sfnec_task_record_set()->fields; field->name && !status; field++)
    if (field->title) status = put_tasks(json, in, configuration, field->name, field->metric, SFNEC_SPAN_ALONE);
  if (!status) status = put_tasks(json, in, configuration, "regret", "regret", SFNEC_SPAN_ALONE);
  if (!status) status = put_tasks(json, in, configuration, "microseconds", "step-time", SFNEC_SPAN_ALONE);
  if (!status && in->episodes) status = put_episodes(json, in, configuration);
  if (!status && in->steps) status = put_steps(json, in, configuration);
  if (!status && in->evaluations) status = put_evaluations(json, in, configuration);
  sfnec_json_end(json, '}');
  return status;
}

// the most that can be earned, for the figures of the return; without a key where it is not known
static sfnec_status put_optimum(sfnec_json *json, const sfnec_report_input *in) {
  static const struct {
    const char *key;
    sfnec_span span;
  } kinds[] = {{"average", SFNEC_SPAN_SO_FAR}, {"total", SFNEC_SPAN_ALONE}};
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "optimum", '{');
  const bool is_return = sfnec_metric_is_return(&in->analysis->metric);
  for (size_t i = is_return ? 0 : 1; i < sizeof kinds / sizeof *kinds && !status; i++) {
    sfnec_curve curve;
    status = sfnec_curve_optimum(in->results, kinds[i].span, in->analysis->arena, &curve);
    if (status || !curve.count) continue;
    sfnec_json_begin(json, kinds[i].key, '{');
    put_points(json, &curve, 1);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, '}');
  return status;
}

// ---- statistics ----

static void put_estimate(sfnec_json *json, const char *key, sfnec_estimate estimate) {
  sfnec_json_begin(json, key, '{');
  sfnec_json_real(json, "value", estimate.value);
  sfnec_json_real(json, "low", estimate.interval.low);
  sfnec_json_real(json, "high", estimate.interval.high);
  sfnec_json_end(json, '}');
}

static void put_comparison(sfnec_json *json, const sfnec_analysis_row *row) {
  sfnec_json_begin(json, "paired", '{');
  sfnec_json_int(json, "count", (int64_t)row->paired.count);
  sfnec_json_int(json, "better", (int64_t)row->better);
  sfnec_json_int(json, "worse", (int64_t)row->worse);
  put_estimate(json, "mean", row->paired.mean);
  sfnec_json_real(json, "se", row->paired.error);
  sfnec_json_real(json, "p", row->paired.p);
  sfnec_json_end(json, '}');
  put_estimate(json, "improvement", row->improvement);
}

static void put_contender(sfnec_json *json, const sfnec_analysis_row *row) {
  sfnec_json_begin(json, "contender", '{');
  sfnec_json_int(json, "sweep", (int64_t)row->sweep);
  sfnec_json_real(json, "mean", row->contender.mean);
  sfnec_json_real(json, "chance", row->contender.chance);
  sfnec_json_bool(json, "possible", row->contender.possible);
  sfnec_json_end(json, '}');
}

static void put_stats(sfnec_json *json, const sfnec_analysis *analysis, size_t index) {
  const sfnec_analysis_row *row = &analysis->rows[index];
  if (!row->runs.count) {
    sfnec_json_text(json, "stats", NULL);
    return;
  }
  sfnec_json_begin(json, "stats", '{');
  sfnec_json_int(json, "count", (int64_t)row->runs.count);
  sfnec_json_begin(json, "scores", '[');
  for (size_t i = 0; i < row->runs.count; i++) sfnec_json_real(json, NULL, row->runs.values[i]);
  sfnec_json_end(json, ']');
  sfnec_json_real(json, "se", row->error);
  put_estimate(json, "mean", row->summary.mean);
  put_estimate(json, "median", row->summary.median);
  put_estimate(json, "iqm", row->summary.iqm);
  sfnec_json_begin(json, "profile", '[');
  for (size_t i = 0; i < analysis->tau_count; i++) put_estimate(json, NULL, row->profile[i]);
  sfnec_json_end(json, ']');
  if (index != analysis->reference && row->paired.count) put_comparison(json, row);
  if (row->sweep != SIZE_MAX && analysis->sweeps[row->sweep].seeds) put_contender(json, row);
  sfnec_json_end(json, '}');
}

// ---- configurations ----

static sfnec_status put_configurations(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  sfnec_theme_of_study styles;
  sfnec_status status = sfnec_theme_dress(results, in->analysis->arena, &styles);
  sfnec_json_begin(json, "configurations", '[');
  for (size_t i = 0; i < results->configuration_count && !status; i++) {
    const sfnec_result_configuration *c = &results->configurations[i];
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_configuration(json, c);
    sfnec_json_int(json, "style", (int64_t)styles.configurations[i]);
    sfnec_json_int(json, "agent_style", (int64_t)styles.agents[i]);
    sfnec_json_begin(json, "runs", '[');
    for (size_t r = 0; r < c->run_count; r++) put_run(json, in, &results->runs[c->first_run + r]);
    sfnec_json_end(json, ']');
    status = put_uses(json, in, c);
    if (!status) status = put_curves(json, in, i);
    if (!status) status = sfnec_report_put_weights(json, in, i);
    put_stats(json, in->analysis, i);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
  return status;
}

// ---- sweeps ----

static void put_sweeps(sfnec_json *json, const sfnec_analysis *analysis) {
  sfnec_json_begin(json, "sweeps", '[');
  for (size_t i = 0; i < analysis->sweep_count; i++) {
    const sfnec_analysis_sweep *sweep = &analysis->sweeps[i];
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_text(json, "label", sweep->label);
    sfnec_json_int(json, "points", (int64_t)sweep->points);
    sfnec_json_int(json, "seeds", (int64_t)sweep->seeds);
    sfnec_json_int(json, "best", (int64_t)sweep->best);
    sfnec_json_int(json, "possible", (int64_t)sweep->possible);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// ---- ours against published ----

static void put_verdict(sfnec_json *json, const sfnec_published_verdict *verdict) {
  const sfnec_published *published = verdict->published;
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "agent", published->agent);
  sfnec_json_settings(json, "settings", &published->options);
  sfnec_json_int(json, "task", verdict->task);
  sfnec_json_real(json, "published", published->mean);
  sfnec_json_real(json, "published_se", published->se);
  sfnec_json_text(json, "source", published->source);
  if (verdict->runs) {
    sfnec_json_int(json, "configuration", (int64_t)verdict->configuration);
    sfnec_json_int(json, "count", (int64_t)verdict->runs);
    sfnec_json_real(json, "mean", verdict->mean);
    sfnec_json_real(json, "se", verdict->se);
    sfnec_json_real(json, "errors", verdict->errors);
  }
  sfnec_json_end(json, '}');
}

static sfnec_status put_verdicts(sfnec_json *json, const sfnec_report_input *in) {
  sfnec_published_verdict *verdicts;
  const sfnec_status status = sfnec_verdicts_make(in->results, &verdicts);
  if (status) return status;
  sfnec_json_begin(json, "verdicts", '[');
  for (size_t i = 0; i < in->results->published_count; i++) put_verdict(json, &verdicts[i]);
  sfnec_json_end(json, ']');
  free(verdicts);
  return SFNEC_OK;
}

// ---- all ----

sfnec_status sfnec_report_put_data(sfnec_json *json, const sfnec_report_input *in) {
  sfnec_json_begin(json, NULL, '{');
  put_study(json, in);
  sfnec_status status = put_optimum(json, in);
  if (!status) status = sfnec_report_put_features(json, in);
  if (!status) status = put_configurations(json, in);
  if (!status) status = put_verdicts(json, in);
  put_sweeps(json, in->analysis);
  if (!status) status = sfnec_report_put_replays(json, in);
  sfnec_json_end(json, '}');
  return status;
}
