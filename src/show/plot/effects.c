// effects.c: what each option of a sweep does on average: a frame per key, a line per agent through the means over all
// points with that value, and every point as a dot.
#include <math.h>

#include "base/error.h"
#include "show/plot/curves.h"
#include "show/plot/sweep.h"

static void write_data(const plotting *p, const plot_sweep *sweep, size_t key) {
  fprintf(p->data, "\n\n# %s: place value_of_each_point\n", sweep->axes[key].key);
  for (size_t i = 0; i < sweep->count; i++) {
    const plot_point *point = &sweep->points[i];
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
      sfnec_plot_number(p->data, sfnec_plot_sweep_mean(sweep, agent, key, value, PLOT_KEYS, 0));
      fputc('\n', p->data);
    }
  }
}

static void plot_frame(const plotting *p, const plot_sweep *sweep, size_t key) {
  const plot_axis *axis = &sweep->axes[key];
  const size_t block = key * (1 + sweep->agent_count), step = axis->count > 8 ? 2 : 1;
  fprintf(p->script, "set xrange [0.5:%g]\nset xtics scale 0 (", (double)axis->count + 0.5);
  for (size_t i = 0; i < axis->count; i += step) {
    if (i) fputs(", ", p->script);
    sfnec_plot_text(p->script, axis->values[i], PLOT_TIC);
    fprintf(p->script, " %zu", i + 1);
  }
  fprintf(p->script,
          ")\nplot '%s.dat' index %zu using 1:2 with points pointtype 7 pointsize 0.2 linecolor '%s' notitle, \\\n",
          p->stem, block, sfnec_plot_color(SFNEC_ROLE_CALM));
  for (size_t agent = 0; agent < sweep->agent_count; agent++) {
    const plot_style style = sfnec_plot_style(agent);
    char what[64];
    snprintf(what, sizeof what, "index %zu using 1:2", block + 1 + agent);
    fprintf(p->script, "  '' %s with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n", what,
            style.mark.color, style.dash);
    sfnec_plot_marks(p, what, &style.mark);
  }
  fputs("  NaN notitle\nunset label\nunset arrow\n", p->script);
}

sfnec_status sfnec_plot_effects(const plotting *p, const figure *figure) {
  plot_sweep sweep;
  const sfnec_status status = sfnec_plot_sweep_take(p, &sweep);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "named before each block");
  for (size_t key = 0; key < sweep.axis_count; key++) write_data(p, &sweep, key);
  plot_entry entries[PLOT_AGENTS];
  for (size_t i = 0; i < sweep.agent_count; i++) entries[i] = (plot_entry){sweep.agents[i], sfnec_plot_style(i)};
  const char *label = sfnec_plot_sweep_label(p, &sweep);
  const char *note = sfnec_plot_note(p, "dots: points of the sweep; lines: their means", sweep.least, sweep.most);
  if (!label || !note) return sfnec_fail_memory("the texts of a figure");
  const plot_grid grid = {sweep.axis_count, 1.35, 1.0, 0.1, 0.48};
  plot_layout layout = sfnec_plot_grid_layout(&grid, PLOT_COLUMN, 0.08);
  layout.bottom -= 0.2;
  layout.height -= 0.2;
  sfnec_plot_begin(p, &layout, NULL, entries, sweep.agent_count, note);
  fputs("set multiplot\n", p->script);
  sfnec_plot_axes(p, &layout, "", 0, label);
  const double air = sweep.high > sweep.low ? 0.05 * (sweep.high - sweep.low) : 1;
  fprintf(p->script, "set yrange [%g:%g]\nset ytics %g\n", sweep.low - air, sweep.high + air,
          sfnec_plot_round_step(sweep.high > sweep.low ? sweep.high - sweep.low : 1, 3));
  for (size_t key = 0; key < sweep.axis_count; key++) {
    sfnec_plot_place_frame(p, &grid, &layout, key, sweep.axes[key].key);
    plot_frame(p, &sweep, key);
  }
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
