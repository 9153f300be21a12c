// curves.c: figures of curves: the mean of each configuration with a band of one standard error, in one frame, or in
// one per agent where several agents have a sweep each and one frame would be a tangle.
//
// The data have one block per curve, then one per curve with published values, then the optimum if it is known, two
// empty lines between blocks, as gnuplot's `index` counts them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "run/record.h"
#include "show/plot/figure.h"

// points of a short curve, of a long one, and of one over steps; curves of one frame, and frames
enum { SHORT = 12, LONG = 100, POINTS = 100, ONE_FRAME = 8, FRAMES = 6 };

typedef struct plot_curve {
  sfnec_curve curve;
  size_t frame;
  plot_style style;
  size_t published; // the block of the data that has its published values; 0: none
} plot_curve;

typedef struct plot_curves {
  plot_curve items[PLOT_STYLES];
  size_t count, blocks;
  const char *frames[FRAMES]; // the agents; a single frame has no name
  size_t frame_count;
  sfnec_curve optimum;                 // the average over the runs; count 0: it is not known or not drawn
  size_t optimum_block;                // of the data
  plot_entry entries[PLOT_STYLES + 2]; // of the legend
  size_t entry_count;
  double most, low, high; // the last x, and the range of all that is drawn
  size_t least_runs, most_runs;
} plot_curves;

// ---- whether there are any ----

static bool any_number(const plotting *p, const figure *figure) {
  const sfnec_metric metric = sfnec_series_metric(figure->metric);
  for (size_t i = 0; i < p->results->run_count; i++) {
    const sfnec_result_run *run = &p->results->runs[i];
    for (uint32_t t = 0; t < run->task_count; t++) {
      if (figure->over == PLOT_OVER_TASKS && fabs(sfnec_metric_value(&metric, run->tasks, t, t + 1)) > 0) return true;
      for (uint32_t b = 0; figure->field && b < run->tasks[t].bin_count; b++)
        if (fabs(sfnec_record_number(figure->field, &run->tasks[t].bins[b])) > 0) return true;
    }
  }
  return false;
}

// why the results have no such numbers, whatever their values
static const char *not_recorded(const plotting *p, const figure *figure) {
  switch (figure->over) {
  case PLOT_OVER_EPISODES:
    return sfnec_episodes_missing(p->results);
  case PLOT_OVER_STEPS:
    return sfnec_bins_missing(p->results);
  case PLOT_OVER_EVALUATIONS:
    return sfnec_evaluations_missing(p->results);
  case PLOT_OVER_TASKS:
    break;
  }
  return p->results->tasks < 2 ? "the experiment has one task only; 'boxes' shows its returns" : NULL;
}

const char *sfnec_plot_curves_missing(const plotting *p, const figure *figure) {
  const char *missing = not_recorded(p, figure);
  if (missing) return missing;
  if (figure->skip_zeros && !any_number(p, figure)) return "all of its numbers are 0";
  return p->results->configuration_count > PLOT_STYLES
             ? "more than 16 curves cannot be distinguished; 'sfnec stats' ranks the points of a large sweep"
             : NULL;
}

// ---- which curves ----

static bool is_zero(const sfnec_curve *curve) {
  for (size_t i = 0; i < curve->run_count * curve->count; i++)
    if (fabs(curve->values[i]) > 0) return false;
  return true;
}

static sfnec_status make_curve(const plotting *p, const figure *figure, plot_over over, size_t i, sfnec_curve *out) {
  const sfnec_metric metric = sfnec_series_metric(figure->metric);
  switch (over) {
  case PLOT_OVER_EPISODES:
    return sfnec_curve_episodes(p->results, i, sfnec_episodes_window(p->results), 0, p->arena, out);
  case PLOT_OVER_STEPS:
    return sfnec_curve_steps(p->results, i, figure->field, POINTS, 0, p->arena, out);
  case PLOT_OVER_EVALUATIONS:
    return sfnec_curve_evaluations(p->results, i, 0, p->arena, out);
  case PLOT_OVER_TASKS:
    break;
  }
  return sfnec_curve_tasks(p->results, i, &metric, figure->span, 0, p->arena, out);
}

static void widen(plot_curves *curves, double value, double error) {
  if (!isfinite(value)) return;
  const double around = isnan(error) ? 0 : error;
  curves->low = fmin(curves->low, value - around);
  curves->high = fmax(curves->high, value + around);
}

static void add(plot_curves *curves, const sfnec_curve *curve) {
  curves->items[curves->count++].curve = *curve;
  curves->most = fmax(curves->most, curve->points[curve->count - 1].x);
  for (size_t k = 0; k < curve->count; k++) {
    const size_t runs = curve->points[k].runs;
    widen(curves, curve->points[k].mean, curve->points[k].error);
    if (runs && runs < curves->least_runs) curves->least_runs = runs;
    if (runs > curves->most_runs) curves->most_runs = runs;
  }
}

// those of all configurations that have any
static sfnec_status gather(const plotting *p, const figure *figure, plot_over over, plot_curves *curves) {
  *curves = (plot_curves){.least_runs = SIZE_MAX};
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_curve curve;
    const sfnec_status status = make_curve(p, figure, over, i, &curve);
    if (status) return status;
    if (curve.count && !(figure->skip_zeros && is_zero(&curve))) add(curves, &curve);
  }
  return SFNEC_OK;
}

// ---- frames and styles ----

static const sfnec_result_configuration *of(const plotting *p, const plot_curves *curves, size_t i) {
  return &p->results->configurations[curves->items[i].curve.configuration];
}

// the frame of each agent; one for all if there is no sweep, or room for all curves
static void split(const plotting *p, plot_curves *curves) {
  bool swept = false;
  size_t count = 0;
  for (size_t i = 0; i < curves->count && count <= FRAMES; i++) {
    size_t frame = 0;
    while (frame < count && strcmp(curves->frames[frame], of(p, curves, i)->label) != 0) frame++;
    if (frame == count && count++ < FRAMES) curves->frames[frame] = of(p, curves, i)->label;
    curves->items[i].frame = frame;
    swept = swept || of(p, curves, i)->settings.count;
  }
  curves->frame_count = count;
  if (swept && count > 1 && count <= FRAMES && curves->count > ONE_FRAME) return;
  curves->frame_count = 1;
  for (size_t i = 0; i < curves->count; i++) curves->items[i].frame = 0;
}

// in a frame of its agent only the point matters
static const char *name_of(const plotting *p, const plot_curves *curves, size_t i) {
  const sfnec_result_configuration *at = of(p, curves, i);
  if (curves->frame_count == 1) return sfnec_short_name(p->results, curves->items[i].curve.configuration);
  if (!at->settings.count) return "no sweep";
  return sfnec_sweep_key(p->results) ? at->settings.items[0].value : at->point;
}

// a configuration keeps its style in all figures of the study; equal points in frames of several agents share theirs
static void dress(const plotting *p, plot_curves *curves, bool steps) {
  for (size_t i = 0; i < curves->count; i++) {
    plot_curve *item = &curves->items[i];
    const char *name = name_of(p, curves, i);
    size_t at = curves->frame_count == 1 ? curves->entry_count : 0;
    while (at < curves->entry_count && strcmp(curves->entries[at].text, name) != 0) at++;
    item->style = sfnec_plot_style(curves->frame_count == 1 ? p->styles.configurations[item->curve.configuration] : at);
    // dashes break up a curve that goes up and down in every point; then only its symbols distinguish it from the
    // others
    if (item->curve.count > LONG || steps) item->style.dash = 1;
    if (at == curves->entry_count) curves->entries[curves->entry_count++] = (plot_entry){name, item->style};
  }
}

// ---- data ----

static void write_points(const plotting *p, const char *name, const sfnec_curve *curve) {
  fprintf(p->data, "\n\n# %s\n", name);
  for (size_t i = 0; i < curve->count; i++) {
    fprintf(p->data, "%.0f %zu", curve->points[i].x, curve->points[i].runs);
    sfnec_plot_point(p->data, curve->points[i].mean, curve->points[i].error);
  }
}

static void write_published(const plotting *p, plot_curves *curves, plot_curve *item) {
  const size_t configuration = item->curve.configuration;
  for (const sfnec_published *at = NULL; (at = sfnec_published_next(p->results, configuration, at));) {
    if (!item->published) {
      fprintf(p->data, "\n\n# published: %s\n", p->results->configurations[configuration].name);
      item->published = curves->blocks++;
    }
    fprintf(p->data, "%u NaN", (unsigned)sfnec_published_task(p->results, at));
    sfnec_plot_point(p->data, at->mean, at->se);
    widen(curves, at->mean, at->se);
  }
}

// the seeds of a point say how much luck there is in the tasks; the line is their mean
static sfnec_status write_optimum(const plotting *p, const figure *figure, plot_curves *curves) {
  const sfnec_status status =
      figure->optimum ? sfnec_curve_optimum(p->results, figure->span, p->arena, &curves->optimum) : SFNEC_OK;
  if (status || !curves->optimum.count) return status;
  curves->optimum_block = curves->blocks++;
  write_points(p, "the optimum", &curves->optimum);
  for (size_t i = 0; i < curves->optimum.count; i++) widen(curves, curves->optimum.points[i].mean, 0);
  curves->entries[curves->entry_count++] = (plot_entry){"optimum", sfnec_plot_optimum()};
  return SFNEC_OK;
}

static sfnec_status write_data(const plotting *p, const figure *figure, plot_curves *curves) {
  for (size_t i = 0; i < curves->count; i++)
    write_points(p, p->results->configurations[curves->items[i].curve.configuration].name, &curves->items[i].curve);
  curves->blocks = curves->count;
  for (size_t i = 0; figure->published && i < curves->count; i++) write_published(p, curves, &curves->items[i]);
  if (curves->blocks > curves->count) {
    const char *title = sfnec_plot_published_title(p);
    if (!title) return sfnec_fail_memory("the curves of a figure");
    curves->entries[curves->entry_count++] =
        (plot_entry){title, {0, sfnec_plot_diamond(sfnec_plot_color(SFNEC_ROLE_TEXT), true)}};
  }
  return write_optimum(p, figure, curves);
}

// ---- script ----

static void plot_bands(const plotting *p, const plot_curves *curves, size_t frame) {
  const char *file = p->stem;
  for (size_t i = 0; i < curves->count; i++) {
    if (curves->items[i].frame != frame) continue;
    if (file) fprintf(p->script, "plot '%s.dat'", file);
    else fputs("  ''", p->script);
    file = NULL;
    fprintf(p->script, " index %zu using 1:($5/unit):($6/unit) with filledcurves linecolor '%s' notitle, \\\n", i,
            curves->items[i].style.mark.color);
  }
}

static void plot_line(const plotting *p, size_t block, const plot_style *style) {
  fprintf(p->script,
          "  '' index %zu using 1:($3/unit) with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n", block,
          style->mark.color, style->dash);
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

// steps have many digits: a few round ones, "0, 20k, 40k"
static void write_step_tics(const plotting *p, double most) {
  const double step = sfnec_plot_round_step(most, 5);
  const double unit = step >= 1e6 ? 1e6 : step >= 1000 ? 1000 : 1;
  fputs("set xtics (", p->script);
  for (int i = 0; i * step <= most; i++)
    fprintf(p->script, "%s'%g%s' %.0f", i ? ", " : "", i * step / unit,
            !i || unit < 10 ? ""
            : unit > 1000   ? "M"
                            : "k",
            i * step);
  fputs(")\n", p->script);
}

// tasks and episodes: whole numbers from 1 on
static void write_count_tics(const plotting *p, double most) {
  const double step = most <= SHORT ? 1 : sfnec_plot_round_step(most, 6);
  fputs("set xtics (1", p->script);
  // the first round number may be too near to 1
  for (int i = step > 1 ? 1 : 2; i * step <= most; i++)
    if (step <= 1 || i * step - 1 > step / 2) fprintf(p->script, ", %g", i * step);
  fputs(")\n", p->script);
}

static void write_ranges(const plotting *p, const figure *figure, const plot_curves *curves, bool steps, double unit) {
  // a little room on both sides, so that marks at the ends are whole
  const double room = fmax(0.3, 0.025 * curves->most);
  fprintf(p->script, "unit = %g\nset xrange [%g:%g]\n", unit, (steps ? 0 : 1) - room, curves->most + room);
  (steps ? write_step_tics : write_count_tics)(p, curves->most);
  if (figure->log_scale) {
    fputs("set logscale y\n", p->script);
    return;
  }
  const double low = fmin(0, curves->low) / unit, high = fmax(0, curves->high) / unit;
  const double air = high > low ? 0.03 * (high - low) : 1;
  fprintf(p->script, "set yrange [%g:%g]\n", low - air, high + air);
}

static void plot_frame(const plotting *p, const plot_curves *curves, size_t frame) {
  plot_bands(p, curves, frame);
  if (curves->optimum.count) plot_line(p, curves->optimum_block, &curves->entries[curves->entry_count - 1].style);
  for (size_t i = 0; i < curves->count; i++)
    if (curves->items[i].frame == frame) plot_line(p, i, &curves->items[i].style);
  plot_symbols(p, curves, frame);
  plot_published(p, curves, frame);
  // the list of a plot command ends with something that is not followed by a comma
  fputs("  NaN notitle\n", p->script);
}

static sfnec_status draw(const plotting *p, const figure *figure, const plot_curves *curves, const char *x_label,
                         bool steps) {
  const double unit = curves->high >= 20000 && !figure->log_scale ? 1000 : 1;
  const char *y_label = figure->y_label;
  if (unit > 1) y_label = sfnec_arena_print(p->arena, "%s (thousands)", y_label);
  const char *note = sfnec_plot_note(p, "mean and standard error", curves->least_runs, curves->most_runs);
  if (!x_label || !y_label || !note) return sfnec_fail_memory("the texts of a figure");
  const plot_frame_size size = {3.14, 1.75, 0.15, 0.42};
  plot_layout layout = {PLOT_COLUMN, 2.3, 0.62, 0.1, 0.1, 0.45};
  if (curves->frame_count > 1) layout = sfnec_plot_frames(&size, curves->frame_count, PLOT_PAGE, 0.22, 0.45);
  // the names are values of the sweep's key if they are not whole names
  const size_t first = curves->count ? curves->items[0].curve.configuration : 0;
  const bool values = curves->count && curves->entries[0].text != p->results->configurations[first].name;
  const bool single = curves->frame_count == 1;
  sfnec_plot_begin(p, &layout, values ? sfnec_sweep_key(p->results) : NULL, curves->entries, curves->entry_count, note);
  sfnec_plot_axes(p, &layout, x_label, 0.33, y_label);
  write_ranges(p, figure, curves, steps, unit);
  if (!single) fputs("set multiplot\n", p->script);
  for (size_t i = 0; i < curves->frame_count; i++) {
    if (!single) sfnec_plot_place_frame(p, &layout, &size, i, curves->frames[i]);
    plot_frame(p, curves, i);
    // what stands around the frames is drawn once
    if (!single) fputs("unset label\nunset arrow\n", p->script);
  }
  if (!single) fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}

sfnec_status sfnec_plot_curves(const plotting *p, const figure *figure) {
  plot_curves curves;
  // episodes that steps alone end come at other times in each run, so they are drawn over steps
  const size_t window = figure->over == PLOT_OVER_EPISODES ? sfnec_episodes_window(p->results) : 0;
  const plot_over over = figure->over == PLOT_OVER_EPISODES && !window ? PLOT_OVER_STEPS : figure->over;
  const bool steps = over == PLOT_OVER_STEPS || over == PLOT_OVER_EVALUATIONS;
  const char *x_label = steps ? "environment step" : "task";
  if (over == PLOT_OVER_EPISODES)
    x_label = window > 1 ? sfnec_arena_print(p->arena, "episode (mean of the last %zu)", window) : "episode";
  sfnec_status status = gather(p, figure, over, &curves);
  if (status) return status;
  split(p, &curves);
  dress(p, &curves, steps);
  sfnec_plot_data_head(p, figure->help, "x runs mean standard_error low high; x is a task, an episode or a step");
  status = write_data(p, figure, &curves);
  return status ? status : draw(p, figure, &curves, x_label, steps);
}
