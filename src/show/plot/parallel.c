// parallel.c: a sweep as parallel coordinates: an upright axis per key, the last one for what came of it, and a line
// per point in the colour of its value; the best are drawn last, on top.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "show/plot/curves.h"
#include "show/plot/sweep.h"

// where a point crosses an axis, between 0 and 1; a point without the key crosses below
static double height(const plot_axis *axis, size_t at) {
  if (!at) return -0.16;
  return axis->count > 1 ? (double)(at - 1) / (double)(axis->count - 1) : 0.5;
}

static double share(const plot_sweep *sweep, double value) {
  return sweep->high > sweep->low ? (value - sweep->low) / (sweep->high - sweep->low) : 0.5;
}

// the agents are the first axis if there are several
static size_t first_axis(const plot_sweep *sweep) {
  return sweep->agent_count > 1 ? 1 : 0;
}

// lines that cross an axis at the same value lie side by side, the better ones higher
static void write_line(const plotting *p, const plot_sweep *sweep, const plot_point *point, double rank) {
  const double aside = 0.08 * (rank - 0.5);
  const unsigned color = sfnec_plot_sweep_color(sweep, point->value);
  const size_t first = first_axis(sweep);
  fprintf(p->data, "# %s\n", p->results->configurations[point->configuration].name);
  if (first) fprintf(p->data, "0 %.4f %u\n", (double)point->agent / (double)(sweep->agent_count - 1) + aside, color);
  for (size_t k = 0; k < sweep->axis_count; k++)
    fprintf(p->data, "%zu %.4f %u\n", first + k, height(&sweep->axes[k], point->at[k]) + aside, color);
  fprintf(p->data, "%zu %.4f %u", first + sweep->axis_count, share(sweep, point->value), color);
  sfnec_plot_number(p->data, point->value);
  fputs("\n\n", p->data);
}

// the worst first, so that good ones lie on top
static void sort(plot_sweep *sweep) {
  for (size_t i = 1; i < sweep->count; i++) {
    const plot_point point = sweep->points[i];
    size_t k = i;
    for (; k > 0 && sfnec_plot_sweep_better(sweep, sweep->points[k - 1].value, point.value); k--)
      sweep->points[k] = sweep->points[k - 1];
    sweep->points[k] = point;
  }
}

static void write_axis(const plotting *p, size_t x, const char *name, const char *const *values, size_t count) {
  fprintf(p->script,
          "set arrow from first %zu, 0 to first %zu, 1 nohead linecolor '%s' linewidth 0.6 front\nset label ", x, x,
          sfnec_plot_color(SFNEC_ROLE_SOFT));
  sfnec_plot_text(p->script, name, PLOT_LABEL);
  fprintf(p->script, " at first %zu, graph 1.06 center front\n", x);
  for (size_t i = 0; i < count; i++) {
    fputs("set label ", p->script);
    sfnec_plot_text(p->script, values[i], PLOT_LABEL);
    fprintf(p->script, " at first %g, first %g left font small front boxed\n", (double)x + 0.04,
            (count > 1 ? (double)i / (double)(count - 1) : 0.5) + 0.025);
  }
}

static void write_value_axis(const plotting *p, const plot_sweep *sweep, size_t x) {
  const double range = sweep->high > sweep->low ? sweep->high - sweep->low : 1;
  const double step = sfnec_plot_round_step(range, 5);
  write_axis(p, x, "value", NULL, 0);
  const double first = ceil(sweep->low / step);
  for (int i = 0; i <= 10 && (first + i) * step <= sweep->high; i++) { // numbers so great that one more is the same end
    const double value = fabs(first + i) < 0.5 ? 0 : (first + i) * step;
    fprintf(p->script, "set label '%g' at first %g, first %g left font small front\n", value, (double)x + 0.06,
            share(sweep, value));
  }
}

sfnec_status sfnec_plot_parallel(const plotting *p, const figure *figure) {
  plot_sweep sweep;
  const sfnec_status status = sfnec_plot_sweep_take(p, &sweep);
  if (status) return status;
  sort(&sweep);
  sfnec_plot_data_head(p, figure->help, "axis height colour, at the last one the value; a block of lines per point");
  fputs("\n\n", p->data);
  for (size_t i = 0; i < sweep.count; i++)
    write_line(p, &sweep, &sweep.points[i], ((double)i + 0.5) / (double)sweep.count);
  const char *label = sfnec_plot_sweep_label(p, &sweep);
  const char *what = label ? sfnec_arena_print(p->arena, "value: %s; a line per point of the sweep", label) : NULL;
  const char *note = what ? sfnec_plot_note(p, what, sweep.least, sweep.most) : NULL;
  if (!note) return sfnec_fail_memory("the texts of a figure");
  const size_t first = first_axis(&sweep), last = first + sweep.axis_count;
  plot_layout layout = {PLOT_PAGE, 2.6, 0.35, 0.5, 0.32, 0.12};
  sfnec_plot_begin(p, &layout, NULL, NULL, 0, note);
  fprintf(p->script,
          "set style textbox opaque fillcolor '%s' noborder margins 0.4,0.2\nunset border\nunset tics\nunset grid\nset "
          "xrange [0:%zu]\nset yrange [-0.2:1.05]\n",
          sfnec_plot_color(SFNEC_ROLE_BACK), last);
  if (first) write_axis(p, 0, "agent", sweep.agents, sweep.agent_count);
  for (size_t k = 0; k < sweep.axis_count; k++)
    write_axis(p, first + k, sweep.axes[k].key, sweep.axes[k].values, sweep.axes[k].count);
  write_value_axis(p, &sweep, last);
  fprintf(p->script, "plot '%s.dat' index 0 using 1:2:3 with lines linewidth %g linecolor rgb variable notitle\n",
          p->stem, sweep.count > 100 ? 0.6 : 1.2);
  return SFNEC_OK;
}
