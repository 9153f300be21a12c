// sweep.c: the points of sweeps; see sweep.h.
#include "show/plot/sweep.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// the place of a text in a list, which it is added to if it is new; `most` if there is no room
static size_t find_text(const char **list, size_t *count, size_t most, const char *text) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(list[i], text) == 0) return i;
  if (*count == most) return most;
  list[*count] = text;
  return (*count)++;
}

static size_t find_axis(plot_sweep *sweep, const char *key) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    if (strcmp(sweep->axes[i].key, key) == 0) return i;
  if (sweep->axis_count == PLOT_KEYS) return PLOT_KEYS;
  sweep->axes[sweep->axis_count] = (plot_axis){.key = key};
  return sweep->axis_count++;
}

// where a configuration lies; false if the sweep is too large for a figure
static bool place(plot_sweep *sweep, const sfnec_result_configuration *configuration, plot_point *point) {
  point->agent = find_text(sweep->agents, &sweep->agent_count, PLOT_AGENTS, configuration->label);
  bool fits = point->agent < PLOT_AGENTS;
  for (size_t k = 0; k < configuration->settings.count && fits; k++) {
    const size_t axis = find_axis(sweep, configuration->settings.items[k].key);
    fits = axis < PLOT_KEYS;
    if (!fits) break;
    plot_axis *at = &sweep->axes[axis];
    const size_t value = find_text(at->values, &at->count, PLOT_VALUES, configuration->settings.items[k].value);
    fits = value < PLOT_VALUES;
    point->at[axis] = value + 1;
  }
  return fits;
}

const char *sfnec_plot_sweep_missing(const plotting *p, const figure *figure) {
  (void)figure;
  plot_sweep sweep = {0};
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    plot_point point = {0};
    if (!p->results->configurations[i].settings.count) continue;
    if (!place(&sweep, &p->results->configurations[i], &point))
      return "it has room for 8 agents, 8 keys and 24 values of each";
  }
  return sweep.axis_count ? NULL : "the experiment has no sweep";
}

sfnec_status sfnec_plot_sweep_take(const plotting *p, plot_sweep *out) {
  *out = (plot_sweep){
      .metric = sfnec_metric_of_results(p->results), .low = HUGE_VAL, .high = -HUGE_VAL, .least = SIZE_MAX};
  out->points = sfnec_arena_alloc(p->arena, p->results->configuration_count, sizeof *out->points);
  if (!out->points) return sfnec_fail_memory("the points of a figure");
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    const sfnec_result_configuration *configuration = &p->results->configurations[i];
    sfnec_run_values runs;
    if (!configuration->settings.count) continue;
    const sfnec_status status =
        sfnec_run_values_take(p->results, i, &out->metric, p->coverage.task, false, p->arena, &runs);
    if (status) return status;
    plot_point *point = &out->points[out->count];
    *point = (plot_point){.configuration = i};
    (void)place(out, configuration, point);
    if (!runs.count) continue;
    for (size_t k = 0; k < runs.count; k++) point->value += runs.values[k] / (double)runs.count;
    out->low = fmin(out->low, point->value);
    out->high = fmax(out->high, point->value);
    if (runs.count < out->least) out->least = runs.count;
    if (runs.count > out->most) out->most = runs.count;
    out->count++;
  }
  if (out->count) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "%s: no point of a sweep has a finite value yet", p->results->folder);
}

double sfnec_plot_sweep_mean(const plot_sweep *sweep, size_t agent, size_t key, size_t value, size_t other,
                             size_t other_value) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < sweep->count; i++) {
    const plot_point *point = &sweep->points[i];
    if (point->agent != agent || point->at[key] != value + 1) continue;
    if (other < PLOT_KEYS && point->at[other] != other_value + 1) continue;
    sum += point->value;
    count++;
  }
  return count > 0 ? sum / count : (double)NAN;
}

const char *sfnec_plot_sweep_label(const plotting *p, const plot_sweep *sweep) {
  const uint32_t tasks = p->coverage.task;
  if (!sfnec_metric_is_return(&sweep->metric) || tasks == 1) return sweep->metric.help;
  return sfnec_arena_print(p->arena, "%s after %u tasks", sweep->metric.help, (unsigned)tasks);
}

unsigned sfnec_plot_sweep_color(const plot_sweep *sweep, double value) {
  return sfnec_plot_ramp(sweep->high > sweep->low ? (value - sweep->low) / (sweep->high - sweep->low) : 1);
}

bool sfnec_plot_sweep_better(const plot_sweep *sweep, double a, double b) {
  return sweep->metric.less_is_better ? a < b : a > b;
}
