// report_curves.c: the curves of a configuration, with bands, for the page.
#include "base/error.h"
#include "show/report/report_parts.h"
#include "show/series.h"

// what the page draws against tasks
static const struct {
  const char *key, *metric; // metric NULL: the time of a step, which tables do not have
  sfnec_span span;
} kinds[] = {
    {"average", "return", SFNEC_SPAN_SO_FAR}, {"total", "return", SFNEC_SPAN_ALONE},
    {"goals", "goals", SFNEC_SPAN_ALONE},     {"entries", "entries", SFNEC_SPAN_ALONE},
    {"w_error", "w-error", SFNEC_SPAN_ALONE}, {"microseconds", NULL, SFNEC_SPAN_ALONE},
};

typedef double point_number(const sfnec_curve_point *point);

static double get_x(const sfnec_curve_point *point) {
  return point->x;
}
static double get_runs(const sfnec_curve_point *point) {
  return (double)point->runs;
}
static double get_mean(const sfnec_curve_point *point) {
  return point->mean;
}
static double get_error(const sfnec_curve_point *point) {
  return point->error;
}
static double get_iqm(const sfnec_curve_point *point) {
  return point->iqm.value;
}
static double get_low(const sfnec_curve_point *point) {
  return point->iqm.interval.low;
}
static double get_high(const sfnec_curve_point *point) {
  return point->iqm.interval.high;
}

static const struct {
  const char *key;
  point_number *get;
} columns[] = {
    {"x", get_x},     {"runs", get_runs}, {"mean", get_mean}, {"se", get_error},
    {"iqm", get_iqm}, {"low", get_low},   {"high", get_high},
};

// every `stride`th point, the last one always
static void put_points(sfnec_json *json, const sfnec_curve *curve, size_t stride) {
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
    sfnec_json_begin(json, columns[c].key, '[');
    for (size_t i = (curve->count - 1) % stride; i < curve->count; i += stride)
      sfnec_json_real(json, NULL, columns[c].get(&curve->points[i]));
    sfnec_json_end(json, ']');
  }
}

// those of the single runs: the page can work them out for tasks, not for episodes
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

static sfnec_status put_episodes(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  enum { MOST = 125 }; // points: more are not seen, and each costs as much as a task
  sfnec_curve curve;
  const sfnec_status status = sfnec_curve_episodes(in->results, configuration, in->episode_window,
                                                   in->options->curve_resamples, in->arena, &curve);
  if (status || !curve.count) return status;
  const size_t stride = (curve.count + MOST - 1) / MOST;
  sfnec_json_begin(json, "episodes", '{');
  put_points(json, &curve, stride);
  put_values(json, &curve, stride);
  sfnec_json_end(json, '}');
  return SFNEC_OK;
}

static sfnec_status put_tasks(sfnec_json *json, const sfnec_report_input *in, size_t configuration, size_t kind) {
  const sfnec_metric *metric = &sfnec_metric_step_time;
  sfnec_curve curve;
  sfnec_status status = kinds[kind].metric ? sfnec_metric_find(kinds[kind].metric, &metric) : SFNEC_OK;
  if (!status)
    status = sfnec_curve_tasks(in->results, configuration, metric, kinds[kind].span, in->options->curve_resamples,
                               in->arena, &curve);
  if (status || !curve.count) return status;
  sfnec_json_begin(json, kinds[kind].key, '{');
  put_points(json, &curve, 1);
  sfnec_json_end(json, '}');
  return SFNEC_OK;
}

sfnec_status sfnec_report_put_curves(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "curves", '{');
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds && !status; kind++)
    status = put_tasks(json, in, configuration, kind);
  if (!status && in->episode_window) status = put_episodes(json, in, configuration);
  sfnec_json_end(json, '}');
  return status;
}
