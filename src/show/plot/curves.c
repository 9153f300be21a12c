// curves.c: figures of curves: which there are, how they are told apart, their data, and their frames: one, one per
// agent, or one per configuration with its runs.
//
// A curve is the mean of a configuration with a band of one standard error. The data have one block per curve, then one
// per curve with published values, then the optimum if it is known, two empty lines between blocks, as gnuplot's
// `index` counts them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "run/record.h"
#include "show/plot/figure.h"

// points of a long and of a short curve, and of one over steps; curves in one frame; frames, and how many stand side by
// side; panels
enum { LONG = 100, SHORT = 12, POINTS = 100, ONE_FRAME = 8, FRAMES = 6, COLUMNS = 2, PANELS = 12 };

typedef struct plot_curve {
  sfnec_curve curve;
  size_t frame;
  plot_style style;
  size_t published; // the block of the data that has its published values; 0: none
} plot_curve;

// Curves in one frame; those of several agents with a sweep each in a frame per agent, where equal points look equal.
typedef struct plot_curves {
  plot_curve items[PLOT_STYLES];
  size_t count, blocks;
  const char *frames[FRAMES]; // the agents; a single frame has no name
  size_t frame_count;
  sfnec_curve optimum;                 // the average over the runs; count 0: it is not known or not drawn
  size_t optimum_block;                // of the data
  plot_entry entries[PLOT_STYLES + 2]; // of the legend
  size_t entry_count;
  const char *title;      // of the legend, or NULL
  double most, low, high; // the last x, and the range of all that is drawn
  bool over_steps;        // x is the environment step, not a number from 1
  bool evaluations;       // of evaluations on the side
  bool weights;           // of the last of them, x is the weight vector
} plot_curves;

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the curves of a figure");
}

// ---- whether there are any ----

static bool any_number(const plotting *p, const figure *figure) {
  const sfnec_metric metric = sfnec_series_metric(figure->metric);
  for (size_t i = 0; i < p->results->run_count; i++) {
    const sfnec_result_run *run = &p->results->runs[i];
    for (uint32_t t = 0; t < run->task_count; t++)
      if (fabs(sfnec_metric_value(&metric, run->tasks, t, t + 1)) > 0) return true;
  }
  return false;
}

static const char *too_many(const plotting *p) {
  return p->results->configuration_count > PLOT_STYLES
             ? "more than 16 curves cannot be told apart; 'sfnec stats' ranks the points of a large sweep"
             : NULL;
}

const char *sfnec_plot_curves_missing(const plotting *p, const figure *figure) {
  if (p->results->tasks < 2) return "the experiment has one task only; 'boxes' shows its returns";
  if (figure->skip_zeros && !any_number(p, figure)) return "all of its numbers are 0";
  return too_many(p);
}

const char *sfnec_plot_episodes_missing(const plotting *p, const figure *figure) {
  (void)figure;
  const char *missing = sfnec_episodes_missing(p->results);
  return missing ? missing : too_many(p);
}

static bool any_in_bins(const sfnec_results *results, const sfnec_record_field *field) {
  for (size_t i = 0; i < results->run_count; i++)
    for (uint32_t t = 0; t < results->runs[i].task_count; t++)
      for (uint32_t b = 0; b < results->runs[i].tasks[t].bin_count; b++)
        if (fabs(sfnec_record_number(field, &results->runs[i].tasks[t].bins[b])) > 0) return true;
  return false;
}

const char *sfnec_plot_steps_missing(const plotting *p, const figure *figure) {
  const char *missing = sfnec_bins_missing(p->results);
  if (missing) return missing;
  return any_in_bins(p->results, figure->field) ? too_many(p) : "all of its numbers are 0";
}

const char *sfnec_plot_evaluations_missing(const plotting *p, const figure *figure) {
  (void)figure;
  const char *missing = sfnec_evaluations_missing(p->results);
  return missing ? missing : too_many(p);
}

const char *sfnec_plot_weights_missing(const plotting *p, const figure *figure) {
  return sfnec_plot_front_missing(p, figure);
}

const char *sfnec_plot_panels_missing(const plotting *p, const figure *figure) {
  (void)figure;
  if (p->results->tasks < 2) return "the experiment has one task only; 'boxes' shows its returns";
  if (p->results->configuration_count > PANELS) return "it has room for 12 configurations";
  return NULL;
}

// ---- which curves ----

static bool is_zero(const sfnec_curve *curve) {
  for (size_t i = 0; i < curve->run_count * curve->count; i++)
    if (fabs(curve->values[i]) > 0) return false;
  return true;
}

// the curve of a configuration: over steps, of the return of an episode (window > 0), or of the figure's metric
static sfnec_status make_curve(const plotting *p, const figure *figure, size_t window, const plot_curves *curves,
                               size_t i, sfnec_curve *out) {
  const sfnec_metric metric = sfnec_series_metric(figure->metric);
  if (curves->weights) return sfnec_curve_weights(p->results, i, p->arena, out);
  if (curves->evaluations) return sfnec_curve_evaluations(p->results, i, 0, p->arena, out);
  if (curves->over_steps) return sfnec_curve_steps(p->results, i, figure->field, POINTS, 0, p->arena, out);
  return window ? sfnec_curve_episodes(p->results, i, window, 0, p->arena, out)
                : sfnec_curve_tasks(p->results, i, &metric, figure->span, 0, p->arena, out);
}

// those of all configurations that have any
static sfnec_status gather(const plotting *p, const figure *figure, size_t window, plot_curves *curves) {
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_curve curve;
    const sfnec_status status = make_curve(p, figure, window, curves, i, &curve);
    if (status) return status;
    if (!curve.count || (figure->skip_zeros && is_zero(&curve))) continue;
    curves->items[curves->count++].curve = curve;
    curves->most = fmax(curves->most, curve.points[curve.count - 1].x);
  }
  return SFNEC_OK;
}

static void widen(plot_curves *curves, double value, double error) {
  if (!isfinite(value)) return;
  const double around = isnan(error) ? 0 : error;
  curves->low = fmin(curves->low, value - around);
  curves->high = fmax(curves->high, value + around);
}

// ---- frames and styles ----

static const sfnec_result_configuration *of(const plotting *p, const plot_curves *curves, size_t i) {
  return &p->results->configurations[curves->items[i].curve.configuration];
}

// several agents with a sweep each get a frame per agent, if one frame would be too full
static void split(const plotting *p, plot_curves *curves) {
  bool swept = false;
  for (size_t i = 0; i < curves->count; i++) {
    swept = swept || of(p, curves, i)->settings.count;
    size_t frame = 0;
    while (frame < curves->frame_count && strcmp(curves->frames[frame], of(p, curves, i)->label) != 0) frame++;
    if (frame == FRAMES) swept = false;
    if (frame == FRAMES) break;
    curves->frames[frame] = of(p, curves, i)->label;
    if (frame == curves->frame_count) curves->frame_count++;
    curves->items[i].frame = frame;
  }
  if (swept && curves->frame_count > 1 && curves->count > ONE_FRAME) return;
  curves->frame_count = 1;
  curves->frames[0] = "";
  for (size_t i = 0; i < curves->count; i++) curves->items[i].frame = 0;
}

// the name of a curve in the legend: in a frame of its agent only the point matters
static const char *name_of(const plotting *p, const plot_curves *curves, size_t i) {
  if (curves->frame_count == 1) return sfnec_short_name(p->results, curves->items[i].curve.configuration);
  const sfnec_result_configuration *at = of(p, curves, i);
  if (!at->settings.count) return "no sweep";
  return sfnec_sweep_key(p->results) ? at->settings.items[0].value : at->point;
}

// curves of the same name in different frames share an entry and its style; in one frame a configuration keeps its
// style in all figures of the study
static void dress(const plotting *p, plot_curves *curves) {
  for (size_t i = 0; i < curves->count; i++) {
    const char *name = name_of(p, curves, i);
    size_t at = 0;
    while (at < curves->entry_count && (curves->frame_count == 1 || strcmp(curves->entries[at].text, name) != 0)) at++;
    plot_style style = sfnec_plot_style(curves->frame_count > 1 ? at : curves->items[i].curve.configuration);
    // dashes break up a curve that goes up and down in every point; its symbols alone then tell it from the others
    if (curves->items[i].curve.count > LONG || curves->over_steps) style.dash = 1;
    curves->items[i].style = style;
    if (at == curves->entry_count) curves->entries[curves->entry_count++] = (plot_entry){name, style};
  }
  // the names are values of the sweep's key if they are not whole names
  const bool values = curves->count && name_of(p, curves, 0) != of(p, curves, 0)->name;
  curves->title = values ? sfnec_sweep_key(p->results) : NULL;
}

// ---- data ----

static void write_points(const plotting *p, const char *name, const sfnec_curve *curve) {
  fprintf(p->data, "\n\n# %s\n", name);
  for (size_t i = 0; i < curve->count; i++) {
    fprintf(p->data, "%.0f %zu", curve->points[i].x, curve->points[i].runs);
    sfnec_plot_point(p->data, curve->points[i].mean, curve->points[i].error);
  }
}

static void write_curve(const plotting *p, const sfnec_curve *curve) {
  write_points(p, p->results->configurations[curve->configuration].name, curve);
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
  return SFNEC_OK;
}

static void plot_optimum(const plotting *p, const plot_curves *curves, const char *unit) {
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
  plot_optimum(p, curves, "/unit");
  plot_lines(p, curves, frame);
  plot_symbols(p, curves, frame);
  plot_published(p, curves, frame);
  // the list of a plot command ends with something that is not followed by a comma
  fputs("  NaN notitle\n", p->script);
}

// the distance of round numbers, at least four of which lie in a range: small frames have no room for many
static double round_step(double range) {
  const double power = pow(10, floor(log10(range / 4))), step = range / 4 / power;
  return power * (step >= 5 ? 5 : step >= 2 ? 2 : 1);
}

// steps have many digits: a few round ones, "0, 20k, 40k"
static void write_step_tics(const plotting *p, double most) {
  const double step = round_step(most);
  fputs("set xtics (", p->script);
  for (double at = 0; at <= most; at += step) {
    char text[32];
    if (at < step / 2) snprintf(text, sizeof text, "0");
    else if (step >= 1e6) snprintf(text, sizeof text, "%gM", at / 1e6);
    else if (step >= 1000) snprintf(text, sizeof text, "%gk", at / 1000);
    else snprintf(text, sizeof text, "%g", at);
    fprintf(p->script, "%s'%s' %.0f", at > 0 ? ", " : "", text, at);
  }
  fputs(")\n", p->script);
}

static void write_ranges(const plotting *p, const figure *figure, const plot_curves *curves, double unit) {
  // a little room on both sides, so that marks at the ends are whole
  const double room = fmax(0.3, 0.04 * curves->most), first = curves->over_steps ? 0 : 1;
  fprintf(p->script, "unit = %g\nset xrange [%g:%g]\n", unit, first - room, curves->most + room);
  if (curves->over_steps) write_step_tics(p, curves->most);
  else if (curves->most <= SHORT) fputs("set xtics 1\n", p->script);
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

// Frames of one size in rows of COLUMNS, in inches.
typedef struct plot_grid {
  size_t count;
  double width, height; // of a frame
  double gap, between;  // from one to the next in a row, and from row to row
} plot_grid;

static const double above = 0.22, below = 0.45; // what stands around the frames, in inches

static plot_layout grid_layout(const plot_grid *grid, double width, double right) {
  const double rows = (double)((grid->count + COLUMNS - 1) / COLUMNS);
  return (plot_layout){width, above + below + rows * grid->height + (rows - 1) * grid->between, 0.62, right, above,
                       below};
}

// a frame among others: its margins and what stands around it; numbers only at the outer frames
static void place_frame(const plotting *p, const plot_grid *grid, const plot_layout *at, size_t i, const char *name,
                        const char *x_label) {
  const double x = at->left + (double)(i % COLUMNS) * (grid->width + grid->gap);
  const double y = at->height - at->top - grid->height - (double)(i / COLUMNS) * (grid->height + grid->between);
  const bool bottom = i + COLUMNS >= grid->count;
  const plot_layout own = {at->width, at->height, x, at->width - x - grid->width, at->height - y - grid->height, y};
  fprintf(p->script, "set format y '%s'\nset format x '%s'\n", i % COLUMNS ? "" : "%g", bottom ? "%g" : "");
  sfnec_plot_margins(p, &own);
  sfnec_plot_label(p, at, name, x + grid->width / 2, y + grid->height + 0.09, false);
  if (bottom) sfnec_plot_label(p, at, x_label, x + grid->width / 2, y - 0.33, false);
}

static sfnec_status plot_frames(const plotting *p, const figure *figure, const plot_curves *curves,
                                const char *x_label) {
  const double unit = curves->high >= 20000 && !figure->log_scale ? 1000 : 1;
  const char *y_label = figure->y_label;
  if (unit > 1) y_label = sfnec_arena_print(p->arena, "%s (thousands)", y_label);
  if (!y_label) return sfnec_fail_memory("the texts of a figure");
  const bool single = curves->frame_count == 1;
  const double height = 1.75, gap = 0.15;
  plot_layout layout = {PLOT_COLUMN, 0.1 + height + below, 0.62, 0.1, 0.1, below};
  plot_grid grid = {curves->frame_count, 0, height, gap, above + 0.2};
  if (!single) layout = grid_layout(&grid, PLOT_PAGE, 0.1);
  grid.width = (layout.width - layout.left - layout.right - gap) / COLUMNS;
  sfnec_plot_begin(p, &layout, curves->title, curves->entries, curves->entry_count);
  sfnec_plot_axes(p, &layout, single ? x_label : "", 0.33, y_label);
  write_ranges(p, figure, curves, unit);
  if (!single) fputs("set multiplot\n", p->script);
  for (size_t i = 0; i < curves->frame_count; i++) {
    if (!single) place_frame(p, &grid, &layout, i, curves->frames[i], x_label);
    plot_frame(p, curves, i);
    // what stands around the frames is drawn once
    if (!single) fputs("unset label\nunset arrow\n", p->script);
  }
  if (!single) fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}

// ---- the figures ----

static sfnec_status plot(const plotting *p, const figure *figure, plot_curves *curves, const char *x_label) {
  split(p, curves);
  dress(p, curves);
  for (size_t i = 0; i < curves->count; i++) {
    const sfnec_curve *curve = &curves->items[i].curve;
    write_curve(p, curve);
    for (size_t k = 0; k < curve->count; k++) widen(curves, curve->points[k].mean, curve->points[k].error);
  }
  curves->blocks = curves->count;
  for (size_t i = 0; figure->published && i < curves->count; i++) write_published(p, curves, &curves->items[i]);
  if (curves->blocks > curves->count) {
    const char *title = sfnec_plot_published_title(p);
    if (!title) return no_memory();
    curves->entries[curves->entry_count++] =
        (plot_entry){title, {0, sfnec_plot_diamond(sfnec_plot_color(SFNEC_ROLE_TEXT), true)}};
  }
  const sfnec_status status = write_optimum(p, figure, curves);
  if (status) return status;
  if (curves->optimum.count) curves->entries[curves->entry_count++] = (plot_entry){"optimum", sfnec_plot_optimum()};
  return plot_frames(p, figure, curves, x_label);
}

sfnec_status sfnec_plot_curves(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  const sfnec_status status = gather(p, figure, 0, &curves);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high");
  return plot(p, figure, &curves, "task");
}

static sfnec_status plot_over_steps(const plotting *p, const figure *figure, bool evaluations) {
  plot_curves curves = {.over_steps = true, .evaluations = evaluations};
  const sfnec_status status = gather(p, figure, 0, &curves);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "step runs mean standard_error low high");
  return plot(p, figure, &curves, "environment step");
}

sfnec_status sfnec_plot_steps(const plotting *p, const figure *figure) {
  return plot_over_steps(p, figure, false);
}

sfnec_status sfnec_plot_evaluations(const plotting *p, const figure *figure) {
  return plot_over_steps(p, figure, true);
}

sfnec_status sfnec_plot_weights(const plotting *p, const figure *figure) {
  plot_curves curves = {.weights = true};
  const sfnec_status status = gather(p, figure, 0, &curves);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "weights runs mean standard_error low high");
  return plot(p, figure, &curves, "weight vector of the list");
}

sfnec_status sfnec_plot_episodes(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  const size_t window = sfnec_episodes_window(p->results);
  if (!window) return sfnec_plot_steps(p, figure);
  const sfnec_status status = gather(p, figure, window, &curves);
  if (status) return status;
  const char *x_label = window > 1 ? sfnec_arena_print(p->arena, "episode (mean of the last %zu)", window) : "episode";
  if (!x_label) return no_memory();
  sfnec_plot_data_head(p, figure->help, "episode runs mean standard_error low high");
  return plot(p, figure, &curves, x_label);
}

// ---- a frame per configuration, with every run as a dot: in one frame the curves would be a tangle ----

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
  plot_optimum(p, curves, "");
  fputs("  NaN notitle\nunset label\n", p->script);
}

static void write_panel_ranges(const plotting *p, const plot_curves *curves) {
  const double room = fmax(0.5, 0.02 * curves->most), range = curves->high - curves->low;
  const double air = range > 0 ? 0.03 * range : 1;
  const double step = curves->most > SHORT ? round_step(curves->most) : 2;
  fprintf(p->script, "set xrange [%g:%g]\nset yrange [%g:%g]\nset xtics %g,%g\nset ytics %g\n", 1 - room,
          curves->most + room, curves->low - air, curves->high + air, step, step, round_step(range + 2 * air));
}

sfnec_status sfnec_plot_panels(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  sfnec_status status = gather(p, figure, 0, &curves);
  if (status) return status;
  // two blocks per panel: the mean, then the runs
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high; then the runs");
  for (size_t i = 0; i < curves.count; i++) {
    const sfnec_curve *curve = &curves.items[i].curve;
    write_curve(p, curve);
    write_runs(p, curve);
    for (size_t k = 0; k < curve->run_count * curve->count; k++) widen(&curves, curve->values[k], 0);
  }
  curves.blocks = 2 * curves.count;
  status = write_optimum(p, figure, &curves);
  if (status) return status;
  const plot_grid grid = {curves.count, 1.35, 0.95, 0.1, 0.28};
  const plot_entry entry = {"optimum", sfnec_plot_optimum()};
  plot_layout layout = grid_layout(&grid, PLOT_COLUMN, 0.08);
  sfnec_plot_begin(p, &layout, NULL, &entry, curves.optimum.count ? 1 : 0);
  fputs("set multiplot\n", p->script);
  sfnec_plot_axes(p, &layout, "", 0, figure->y_label);
  write_panel_ranges(p, &curves);
  for (size_t i = 0; i < curves.count; i++) {
    place_frame(p, &grid, &layout, i, p->results->configurations[curves.items[i].curve.configuration].name, "task");
    plot_panel(p, &curves, i);
  }
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
