// frames.c: how curves are drawn: in one frame, or in one per agent.
#include <math.h>

#include "base/error.h"
#include "show/plot/curves.h"

void sfnec_plot_optimum_line(const plotting *p, const plot_curves *curves, const char *unit) {
  const plot_style style = sfnec_plot_optimum();
  if (curves->optimum.count)
    fprintf(p->script,
            "  '' index %zu using 1:($3%s) with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n",
            curves->optimum_block, unit, style.mark.color, style.dash);
}

// ---- one frame of a script ----

static void plot_bands(const plotting *p, const plot_curves *curves, size_t frame) {
  const char *file = p->stem;
  for (size_t i = 0; i < curves->count; i++) {
    if (curves->items[i].frame != frame) continue;
    if (file) fprintf(p->script, "plot '%s.dat'", file);
    fprintf(p->script, "%s index %zu using 1:($5/unit):($6/unit) with filledcurves linecolor '%s' notitle, \\\n",
            file ? "" : "  ''", i, curves->items[i].style.mark.color);
    file = NULL;
  }
}

static void plot_lines(const plotting *p, const plot_curves *curves, size_t frame) {
  for (size_t i = 0; i < curves->count; i++)
    if (curves->items[i].frame == frame)
      fprintf(p->script,
              "  '' index %zu using 1:($3/unit) with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n", i,
              curves->items[i].style.mark.color, curves->items[i].style.dash);
}

// a symbol on every point would make a rope of a long curve; they begin at different points, so as not to hide each
// other where curves meet
static void plot_symbols(const plotting *p, const plot_curves *curves, size_t frame) {
  for (size_t i = 0; i < curves->count; i++) {
    const plot_curve *item = &curves->items[i];
    if (item->frame != frame) continue;
    const size_t step = item->curve.count > PLOT_SHORT ? (item->curve.count + 7) / 8 : 1;
    const size_t first = step > 1 ? (2 * i + 1) * step / (2 * curves->count) : 0;
    char what[96];
    snprintf(what, sizeof what, "index %zu every %zu::%zu using 1:($3/unit)", i, step, first);
    sfnec_plot_marks(p, what, &item->style.mark);
  }
}

// published values of several agents are often near each other: they stand side by side, all within their task
static void plot_published(const plotting *p, const plot_curves *curves, size_t frame) {
  size_t count = 0, place = 0;
  for (size_t i = 0; i < curves->count; i++) count += curves->items[i].frame == frame && curves->items[i].published;
  for (size_t i = 0; i < curves->count; i++) {
    const plot_curve *item = &curves->items[i];
    if (item->frame != frame || !item->published) continue;
    const double apart = fmin(0.012 * (curves->most - 1), count > 1 ? 0.7 / (double)(count - 1) : 0);
    const double aside = apart * ((double)place++ - 0.5 * (double)(count - 1));
    const plot_mark mark = sfnec_plot_diamond(item->style.mark.color, true);
    fprintf(p->script,
            "  '' index %zu using ($1+%.4g):($3/unit):($5/unit):($6/unit) with yerrorbars pointtype 0 linecolor '%s' "
            "notitle, \\\n",
            item->published, aside, mark.color);
    char what[96];
    snprintf(what, sizeof what, "index %zu using ($1+%.4g):($3/unit)", item->published, aside);
    sfnec_plot_marks(p, what, &mark);
    // the curve's own symbol inside says whose it is, also in grey
    plot_mark owner = item->style.mark;
    owner.open = false;
    owner.size = 0.3;
    sfnec_plot_marks(p, what, &owner);
  }
}

static void plot_frame(const plotting *p, const plot_curves *curves, size_t frame) {
  plot_bands(p, curves, frame);
  sfnec_plot_optimum_line(p, curves, "/unit");
  plot_lines(p, curves, frame);
  plot_symbols(p, curves, frame);
  plot_published(p, curves, frame);
  // the list of a plot command ends with something that is not followed by a comma
  fputs("  NaN notitle\n", p->script);
}

// steps have many digits: a few round ones, "0, 20k, 40k"
static void write_step_tics(const plotting *p, double most) {
  const double step = sfnec_plot_round_step(most, 5);
  fputs("set xtics (", p->script);
  for (int i = 0; i * step <= most; i++) {
    const double at = i * step;
    char text[32];
    if (at < step / 2) snprintf(text, sizeof text, "0");
    else if (step >= 1e6) snprintf(text, sizeof text, "%gM", at / 1e6);
    else if (step >= 1000) snprintf(text, sizeof text, "%gk", at / 1000);
    else snprintf(text, sizeof text, "%g", at);
    fprintf(p->script, "%s'%s' %.0f", at > 0 ? ", " : "", text, at);
  }
  fputs(")\n", p->script);
}

void sfnec_plot_task_tics(const plotting *p, double most, double room) {
  fprintf(p->script, "set xrange [%g:%g]\nset xtics (1", 1 - room, most + room);
  const double step = most <= PLOT_SHORT ? 1 : sfnec_plot_round_step(most, 6);
  // the first round number may be too near to 1
  for (int i = step > 1 ? 1 : 2; i * step <= most; i++)
    if (step <= 1 || i * step - 1 > step / 2) fprintf(p->script, ", %g", i * step);
  fputs(")\n", p->script);
}

static void write_ranges(const plotting *p, const figure *figure, const plot_curves *curves, double unit) {
  // a little room on both sides, so that marks at the ends are whole
  const double room = fmax(0.3, 0.025 * curves->most);
  fprintf(p->script, "unit = %g\n", unit);
  if (!curves->over_steps) sfnec_plot_task_tics(p, curves->most, room);
  else fprintf(p->script, "set xrange [%g:%g]\n", -room, curves->most + room);
  if (curves->over_steps) write_step_tics(p, curves->most);
  if (figure->log_scale) {
    fputs("set logscale y\n", p->script);
    return;
  }
  // the same range in all frames
  const double low = fmin(0, curves->low) / unit, high = fmax(0, curves->high) / unit;
  const double air = high > low ? 0.03 * (high - low) : 1;
  fprintf(p->script, "set yrange [%g:%g]\n", low - air, high + air);
}

// ---- several frames ----

static const double above = 0.22, below = 0.45; // what stands around the frames, in inches

plot_layout sfnec_plot_grid_layout(const plot_grid *grid, double width, double right) {
  const double rows = (double)((grid->count + PLOT_COLUMNS - 1) / PLOT_COLUMNS);
  return (plot_layout){width, above + below + rows * grid->height + (rows - 1) * grid->between, 0.62, right, above,
                       below};
}

void sfnec_plot_place_frame(const plotting *p, const plot_grid *grid, const plot_layout *at, size_t i,
                            const char *name) {
  const double x = at->left + (double)(i % PLOT_COLUMNS) * (grid->width + grid->gap);
  const double y = at->height - at->top - grid->height - (double)(i / PLOT_COLUMNS) * (grid->height + grid->between);
  const bool bottom = i + PLOT_COLUMNS >= grid->count;
  const plot_layout own = {at->width, at->height, x, at->width - x - grid->width, at->height - y - grid->height, y};
  fprintf(p->script, "set format y '%s'\nset format x '%s'\n", i % PLOT_COLUMNS ? "" : "%g", bottom ? "%g" : "");
  sfnec_plot_margins(p, &own);
  sfnec_plot_label(p, at, name, x + grid->width / 2, y + grid->height + 0.09, false);
}

sfnec_status sfnec_plot_frames(const plotting *p, const figure *figure, const plot_curves *curves,
                               const char *x_label) {
  const double unit = curves->high >= 20000 && !figure->log_scale ? 1000 : 1;
  const char *y_label = figure->y_label;
  if (unit > 1) y_label = sfnec_arena_print(p->arena, "%s (thousands)", y_label);
  if (!y_label) return sfnec_fail_memory("the texts of a figure");
  const bool single = curves->frame_count == 1;
  const double height = 1.75, gap = 0.15;
  plot_layout layout = {PLOT_COLUMN, 0.1 + height + below, 0.62, 0.1, 0.1, below};
  plot_grid grid = {curves->frame_count, 0, height, gap, above + 0.2};
  if (!single) layout = sfnec_plot_grid_layout(&grid, PLOT_PAGE, 0.1);
  grid.width = (layout.width - layout.left - layout.right - gap) / PLOT_COLUMNS;
  const char *note = sfnec_plot_curves_note(p, curves);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  sfnec_plot_begin(p, &layout, curves->title, curves->entries, curves->entry_count, note);
  sfnec_plot_axes(p, &layout, x_label, 0.33, y_label);
  write_ranges(p, figure, curves, unit);
  if (!single) fputs("set multiplot\n", p->script);
  for (size_t i = 0; i < curves->frame_count; i++) {
    if (!single) sfnec_plot_place_frame(p, &grid, &layout, i, curves->frames[i]);
    plot_frame(p, curves, i);
    // what stands around the frames is drawn once
    if (!single) fputs("unset label\nunset arrow\n", p->script);
  }
  if (!single) fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
