// plot_frames.c: the script of a figure of curves: one frame, or a frame per agent, all with the same axes.
#include <math.h>

#include "base/error.h"
#include "show/plot/plot_parts.h"

enum { SHORT = 12, COLUMNS = 2 }; // points of a curve; frames side by side

static const double frame_height = 1.75, gap = 0.15, above = 0.22, below = 0.45; // inches

// ---- one frame ----

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
    const size_t step = item->curve.count > SHORT ? (item->curve.count + 7) / 8 : 1;
    const size_t first = step > 1 ? (2 * i + 1) * step / (2 * curves->count) : 0;
    char what[96];
    snprintf(what, sizeof what, "index %zu every %zu::%zu using 1:($3/unit)", i, step, first);
    sfnec_plot_marks(p, what, &item->style.mark);
  }
}

// published values of several agents are often near each other: they stand side by side
static void plot_published(const plotting *p, const plot_curves *curves, size_t frame) {
  size_t count = 0, place = 0;
  for (size_t i = 0; i < curves->count; i++) count += curves->items[i].frame == frame && curves->items[i].published;
  for (size_t i = 0; i < curves->count; i++) {
    const plot_curve *item = &curves->items[i];
    if (item->frame != frame || !item->published) continue;
    const double aside = 0.012 * (curves->most - 1) * ((double)place++ - 0.5 * (double)(count - 1));
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
  plot_lines(p, curves, frame);
  plot_symbols(p, curves, frame);
  plot_published(p, curves, frame);
  // the list of a plot command ends with something that is not followed by a comma
  fputs("  NaN notitle\n", p->script);
}

// ---- axes ----

static void write_ranges(const plotting *p, const figure *figure, const plot_curves *curves, double unit) {
  // a little room on both sides, so that marks at the ends are whole
  const double room = fmax(0.3, 0.04 * curves->most);
  fprintf(p->script, "unit = %g\nset xrange [%g:%g]\n", unit, 1 - room, curves->most + room);
  if (curves->most <= SHORT) fputs("set xtics 1\n", p->script);
  if (figure->log_scale) {
    fputs("set logscale y\n", p->script);
    return;
  }
  // the same range in all frames
  const double low = fmin(0, curves->low) / unit, high = fmax(0, curves->high) / unit;
  const double air = high > low ? 0.03 * (high - low) : 1;
  fprintf(p->script, "set yrange [%g:%g]\n", low - air, high + air);
}

// a frame among others: its margins and what stands around it
static void place_frame(const plotting *p, const plot_curves *curves, const plot_layout *at, size_t frame,
                        const char *x_label) {
  const double width = (at->width - at->left - at->right - gap) / COLUMNS;
  const double x = at->left + (double)(frame % COLUMNS) * (width + gap);
  const double y = at->height - at->top - frame_height - (double)(frame / COLUMNS) * (frame_height + above + 0.2);
  const bool bottom = frame + COLUMNS >= curves->frame_count;
  const plot_layout own = {at->width, at->height, x, at->width - x - width, at->height - y - frame_height, y};
  fprintf(p->script, "set format y '%s'\nset format x '%s'\n", frame % COLUMNS ? "" : "%g", bottom ? "%g" : "");
  sfnec_plot_margins(p, &own);
  sfnec_plot_label(p, at, curves->frames[frame], x + width / 2, y + frame_height + 0.09, false);
  if (bottom) sfnec_plot_label(p, at, x_label, x + width / 2, y - 0.33, false);
}

sfnec_status sfnec_plot_frames(const plotting *p, const figure *figure, const plot_curves *curves,
                               const char *x_label) {
  const double unit = curves->high >= 20000 && !figure->log_scale ? 1000 : 1;
  const char *y_label = figure->y_label;
  if (unit > 1) y_label = sfnec_arena_print(p->arena, "%s (thousands)", y_label);
  if (!y_label) return sfnec_fail_memory("the texts of a figure");
  const bool single = curves->frame_count == 1;
  const double rows = (double)((curves->frame_count + COLUMNS - 1) / COLUMNS);
  plot_layout layout = {PLOT_COLUMN, 0.1 + frame_height + below, 0.62, 0.1, 0.1, below};
  if (!single)
    layout = (plot_layout){
        PLOT_PAGE, above + below + rows * frame_height + (rows - 1) * (above + 0.2), 0.62, 0.1, above, below};
  sfnec_plot_begin(p, &layout, curves->title, curves->entries, curves->entry_count);
  sfnec_plot_axes(p, &layout, single ? x_label : "", 0.33, y_label);
  write_ranges(p, figure, curves, unit);
  if (!single) fputs("set multiplot\n", p->script);
  for (size_t i = 0; i < curves->frame_count; i++) {
    if (!single) place_frame(p, curves, &layout, i, x_label);
    plot_frame(p, curves, i);
    // what stands around the frames is drawn once
    if (!single) fputs("unset label\nunset arrow\n", p->script);
  }
  if (!single) fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
