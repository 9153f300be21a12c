// panels.c: the figure of each task alone: a frame per configuration, with every run as a dot, as the curves in one
// frame would be a tangle.
#include <math.h>

#include "base/error.h"
#include "show/plot/curves.h"

static void write_runs(const plotting *p, const sfnec_curve *curve) {
  fprintf(p->data, "\n\n# %s: task seed return\n", p->results->configurations[curve->configuration].name);
  for (size_t run = 0; run < curve->run_count; run++)
    for (size_t i = 0; i < curve->count; i++) {
      const double value = curve->values[run * curve->count + i];
      if (!isfinite(value)) continue;
      fprintf(p->data, "%zu %llu", i + 1, (unsigned long long)curve->seeds[run]);
      sfnec_plot_number(p->data, value);
      fputc('\n', p->data);
    }
}

// above the runs, whose dots are many
static void plot_panel(const plotting *p, const plot_curves *curves, size_t i) {
  const char *color = sfnec_plot_style(curves->items[i].curve.configuration).mark.color;
  fprintf(p->script,
          "plot '%s.dat' index %zu using 1:3 with points pointtype 7 pointsize 0.15 linecolor '%s' notitle, \\\n"
          "  '' index %zu using 1:5:6 with filledcurves linecolor '%s' fillstyle transparent solid 0.35 notitle, \\\n"
          "  '' index %zu using 1:3 with lines linecolor '%s' linewidth 1.3 notitle, \\\n",
          p->stem, 2 * i + 1, sfnec_plot_color(SFNEC_ROLE_CALM), 2 * i, color, 2 * i, color);
  sfnec_plot_optimum_line(p, curves, "");
  fputs("  NaN notitle\nunset label\n", p->script);
}

static void write_panel_ranges(const plotting *p, const plot_curves *curves) {
  const double range = curves->high - curves->low;
  const double air = range > 0 ? 0.03 * range : 1;
  // frames are small: few numbers
  const double step = curves->most > 4 ? sfnec_plot_round_step(curves->most, 4) : 1;
  fprintf(p->script, "set xrange [%g:%g]\nset xtics (1", 0.5, curves->most + 0.5);
  for (int i = step > 1 ? 1 : 2; i * step <= curves->most; i++) fprintf(p->script, ", %g", i * step);
  fprintf(p->script, ")\nset yrange [%g:%g]\nset ytics %g\n", curves->low - air, curves->high + air,
          sfnec_plot_round_step(range > 0 ? range : 1, 3));
}

sfnec_status sfnec_plot_panels(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  sfnec_status status = sfnec_plot_gather(p, figure, 0, &curves);
  if (status) return status;
  // two blocks per panel: the mean, then the runs
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high; then the runs");
  for (size_t i = 0; i < curves.count; i++) {
    const sfnec_curve *curve = &curves.items[i].curve;
    sfnec_plot_write_curve(p, curve);
    write_runs(p, curve);
    for (size_t k = 0; k < curve->run_count * curve->count; k++) sfnec_plot_widen(&curves, curve->values[k], 0);
  }
  curves.blocks = 2 * curves.count;
  status = sfnec_plot_write_optimum(p, figure, &curves);
  if (status) return status;
  const plot_grid grid = {curves.count, 1.35, 0.95, 0.1, 0.28};
  const plot_entry entry = {"optimum", sfnec_plot_optimum()};
  plot_layout layout = sfnec_plot_grid_layout(&grid, PLOT_COLUMN, 0.08);
  const char *note = sfnec_plot_curves_note(p, &curves);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  note = sfnec_arena_print(p->arena, "dots: runs; line and band: %s", note);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  sfnec_plot_begin(p, &layout, NULL, &entry, curves.optimum.count ? 1 : 0, note);
  fputs("set multiplot\n", p->script);
  sfnec_plot_axes(p, &layout, "task", 0.33, figure->y_label);
  write_panel_ranges(p, &curves);
  for (size_t i = 0; i < curves.count; i++) {
    sfnec_plot_place_frame(p, &grid, &layout, i, p->results->configurations[curves.items[i].curve.configuration].name);
    plot_panel(p, &curves, i);
  }
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
