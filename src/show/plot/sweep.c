// sweep.c: what each option of a sweep does on average: a frame per key, a line per agent through the means over all
// points with that value, and every point as a dot.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/figure.h"

enum { KEYS = 8, VALUES = 24, AGENTS = 8 };

typedef struct sweep_axis {
  const char *key;
  const char *values[VALUES]; // in the order of the plan
  size_t count;
} sweep_axis;

typedef struct sweep_point {
  size_t agent;
  double value;    // the mean of its runs
  size_t at[KEYS]; // its value on each axis, from 1; 0: it does not have that key
} sweep_point;

// The points of all sweeps of a study.
typedef struct sweep {
  sfnec_metric metric;
  sweep_axis axes[KEYS];
  size_t axis_count;
  const char *agents[AGENTS]; // labels
  size_t agent_styles[AGENTS];
  size_t agent_count;
  sweep_point *points;
  size_t count;
  double low, high;   // of the values
  size_t least, most; // runs of a point
} sweep;

// ---- the points ----

// the number of a text in a list, which it is added to if it is new; `most` if there is no room
static size_t find_text(const char **list, size_t *count, size_t most, const char *text) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp(list[i], text) == 0) return i;
  if (*count == most) return most;
  list[*count] = text;
  return (*count)++;
}

static size_t find_axis(sweep *sweep, const char *key) {
  for (size_t i = 0; i < sweep->axis_count; i++)
    if (strcmp(sweep->axes[i].key, key) == 0) return i;
  if (sweep->axis_count == KEYS) return KEYS;
  sweep->axes[sweep->axis_count] = (sweep_axis){.key = key};
  return sweep->axis_count++;
}

// where a configuration lies; false if the sweep is too large for a figure
static bool locate(sweep *sweep, const sfnec_result_configuration *configuration, sweep_point *point) {
  point->agent = find_text(sweep->agents, &sweep->agent_count, AGENTS, configuration->label);
  if (point->agent == AGENTS) return false;
  for (size_t k = 0; k < configuration->settings.count; k++) {
    const size_t axis = find_axis(sweep, configuration->settings.items[k].key);
    if (axis == KEYS) return false;
    sweep_axis *at = &sweep->axes[axis];
    const size_t value = find_text(at->values, &at->count, VALUES, configuration->settings.items[k].value);
    if (value == VALUES) return false;
    point->at[axis] = value + 1;
  }
  return true;
}

const char *sfnec_plot_sweep_missing(const plotting *p, const figure *figure) {
  (void)figure;
  sweep sweep = {0};
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sweep_point point = {0};
    if (!p->results->configurations[i].settings.count) continue;
    if (!locate(&sweep, &p->results->configurations[i], &point))
      return "it has room for 8 agents, 8 keys and 24 values of each";
  }
  return sweep.axis_count ? NULL : "the experiment has no sweep";
}

static sfnec_status gather(const plotting *p, sweep *out) {
  *out = (sweep){.metric = sfnec_metric_of_results(p->results), .low = HUGE_VAL, .high = -HUGE_VAL, .least = SIZE_MAX};
  out->points = sfnec_arena_alloc(p->arena, p->results->configuration_count, sizeof *out->points);
  if (!out->points) return sfnec_fail_memory("the points of a figure");
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_run_values runs;
    if (!p->results->configurations[i].settings.count) continue;
    const sfnec_status status =
        sfnec_run_values_take(p->results, i, &out->metric, p->coverage.task, false, p->arena, &runs);
    if (status) return status;
    sweep_point *point = &out->points[out->count];
    *point = (sweep_point){0};
    (void)locate(out, &p->results->configurations[i], point);
    out->agent_styles[point->agent] = p->styles.agents[i];
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

// the mean over the points of an agent that have this value of a key; NaN without any
static double mean_at(const sweep *sweep, size_t agent, size_t key, size_t value) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < sweep->count; i++) {
    const sweep_point *point = &sweep->points[i];
    if (point->agent != agent || point->at[key] != value + 1) continue;
    sum += point->value;
    count++;
  }
  return count > 0 ? sum / count : (double)NAN;
}

// ---- the figure ----

// a block of the points, then one of the means for each agent
static void write_data(const plotting *p, const sweep *sweep, size_t key) {
  fprintf(p->data, "\n\n# %s: value_number value_of_each_point\n", sweep->axes[key].key);
  for (size_t i = 0; i < sweep->count; i++) {
    const sweep_point *point = &sweep->points[i];
    if (!point->at[key]) continue;
    // dots of several agents stand side by side
    const double aside = 0.12 * ((double)point->agent - 0.5 * (double)(sweep->agent_count - 1));
    fprintf(p->data, "%.3f", (double)point->at[key] + aside);
    sfnec_plot_number(p->data, point->value);
    fputc('\n', p->data);
  }
  for (size_t agent = 0; agent < sweep->agent_count; agent++) {
    fprintf(p->data, "\n\n# the mean of %s over the points of %s\n", sweep->axes[key].key, sweep->agents[agent]);
    for (size_t value = 0; value < sweep->axes[key].count; value++) {
      fprintf(p->data, "%zu", value + 1);
      sfnec_plot_number(p->data, mean_at(sweep, agent, key, value));
      fputc('\n', p->data);
    }
  }
}

static void plot_frame(const plotting *p, const sweep *sweep, size_t key) {
  const sweep_axis *axis = &sweep->axes[key];
  const size_t block = key * (1 + sweep->agent_count);
  sfnec_plot_tics(p, "x", axis->values, axis->count, axis->count > 8 ? 2 : 1);
  fprintf(p->script,
          "plot '%s.dat' index %zu using 1:2 with points pointtype 7 pointsize 0.2 linecolor '%s' notitle, \\\n",
          p->stem, block, sfnec_plot_color(SFNEC_ROLE_CALM));
  for (size_t agent = 0; agent < sweep->agent_count; agent++) {
    const plot_style style = sfnec_plot_style(sweep->agent_styles[agent]);
    char what[64];
    snprintf(what, sizeof what, "index %zu using 1:2", block + 1 + agent);
    fprintf(p->script, "  '' %s with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n", what,
            style.mark.color, style.dash);
    sfnec_plot_marks(p, what, &style.mark);
  }
  // what stands around the frames is drawn once
  fputs("  NaN notitle\nunset label\nunset arrow\n", p->script);
}

sfnec_status sfnec_plot_sweep(const plotting *p, const figure *figure) {
  sweep sweep;
  const sfnec_status status = gather(p, &sweep);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "named before each block");
  for (size_t key = 0; key < sweep.axis_count; key++) write_data(p, &sweep, key);
  plot_entry entries[AGENTS];
  for (size_t i = 0; i < sweep.agent_count; i++)
    entries[i] = (plot_entry){sweep.agents[i], sfnec_plot_style(sweep.agent_styles[i])};
  const char *label = sweep.metric.help;
  if (sfnec_metric_is_return(&sweep.metric) && p->coverage.task > 1)
    label = sfnec_arena_print(p->arena, "%s after %u tasks", label, (unsigned)p->coverage.task);
  const char *note = sfnec_plot_note(p, "dots: points of the sweep; lines: their means", sweep.least, sweep.most);
  if (!label || !note) return sfnec_fail_memory("the texts of a figure");
  const plot_frame_size size = {1.35, 1.0, 0.1, 0.48};
  plot_layout layout = sfnec_plot_frames(&size, sweep.axis_count, PLOT_COLUMN, 0.22, 0.25);
  sfnec_plot_begin(p, &layout, NULL, entries, sweep.agent_count, note);
  fputs("set multiplot\n", p->script);
  sfnec_plot_axes(p, &layout, "", 0, label);
  // equal values may be so great that one more is the same
  const double range = sweep.high > sweep.low ? sweep.high - sweep.low : fmax(1, fabs(sweep.low));
  fprintf(p->script, "set yrange [%g:%g]\nset ytics %g\n", sweep.low - 0.05 * range, sweep.high + 0.05 * range,
          sfnec_plot_round_step(range, 3));
  for (size_t key = 0; key < sweep.axis_count; key++) {
    sfnec_plot_place_frame(p, &layout, &size, key, sweep.axes[key].key);
    plot_frame(p, &sweep, key);
  }
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
