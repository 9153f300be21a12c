// curves.c: figures of curves: which there are, how they are told apart, and their data; frames.c draws them.
//
// A curve is the mean of a configuration with a band of one standard error. The data have one block per curve, then one
// per curve with published values, then the optimum if it is known, two empty lines between blocks, as gnuplot's
// `index` counts them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "run/record.h"
#include "show/plot/curves.h"

// points of a long curve, and of one over steps; curves in one frame; panels
enum { LONG = 100, POINTS = 100, ONE_FRAME = 8, PANELS = 12 };

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
sfnec_status sfnec_plot_gather(const plotting *p, const figure *figure, size_t window, plot_curves *curves) {
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

void sfnec_plot_widen(plot_curves *curves, double value, double error) {
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
    if (frame == PLOT_FRAMES) swept = false;
    if (frame == PLOT_FRAMES) break;
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

const char *sfnec_plot_curves_note(const plotting *p, const plot_curves *curves) {
  size_t least = SIZE_MAX, most = 0;
  for (size_t i = 0; i < curves->count; i++) {
    const sfnec_curve *curve = &curves->items[i].curve;
    for (size_t k = 0; k < curve->count; k++) {
      const size_t runs = curve->points[k].runs;
      if (runs && runs < least) least = runs;
      if (runs > most) most = runs;
    }
  }
  return sfnec_plot_note(p, "mean and standard error", least, most);
}

// ---- data ----

static void write_points(const plotting *p, const char *name, const sfnec_curve *curve) {
  fprintf(p->data, "\n\n# %s\n", name);
  for (size_t i = 0; i < curve->count; i++) {
    fprintf(p->data, "%.0f %zu", curve->points[i].x, curve->points[i].runs);
    sfnec_plot_point(p->data, curve->points[i].mean, curve->points[i].error);
  }
}

void sfnec_plot_write_curve(const plotting *p, const sfnec_curve *curve) {
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
    sfnec_plot_widen(curves, at->mean, at->se);
  }
}

// the seeds of a point say how much luck there is in the tasks; the line is their mean
sfnec_status sfnec_plot_write_optimum(const plotting *p, const figure *figure, plot_curves *curves) {
  const sfnec_status status =
      figure->optimum ? sfnec_curve_optimum(p->results, figure->span, p->arena, &curves->optimum) : SFNEC_OK;
  if (status || !curves->optimum.count) return status;
  curves->optimum_block = curves->blocks++;
  write_points(p, "the optimum", &curves->optimum);
  for (size_t i = 0; i < curves->optimum.count; i++) sfnec_plot_widen(curves, curves->optimum.points[i].mean, 0);
  return SFNEC_OK;
}

// ---- the figures ----

static sfnec_status plot(const plotting *p, const figure *figure, plot_curves *curves, const char *x_label) {
  split(p, curves);
  dress(p, curves);
  for (size_t i = 0; i < curves->count; i++) {
    const sfnec_curve *curve = &curves->items[i].curve;
    sfnec_plot_write_curve(p, curve);
    for (size_t k = 0; k < curve->count; k++) sfnec_plot_widen(curves, curve->points[k].mean, curve->points[k].error);
  }
  curves->blocks = curves->count;
  for (size_t i = 0; figure->published && i < curves->count; i++) write_published(p, curves, &curves->items[i]);
  if (curves->blocks > curves->count) {
    const char *title = sfnec_plot_published_title(p);
    if (!title) return no_memory();
    curves->entries[curves->entry_count++] =
        (plot_entry){title, {0, sfnec_plot_diamond(sfnec_plot_color(SFNEC_ROLE_TEXT), true)}};
  }
  const sfnec_status status = sfnec_plot_write_optimum(p, figure, curves);
  if (status) return status;
  if (curves->optimum.count) curves->entries[curves->entry_count++] = (plot_entry){"optimum", sfnec_plot_optimum()};
  return sfnec_plot_frames(p, figure, curves, x_label);
}

sfnec_status sfnec_plot_curves(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  const sfnec_status status = sfnec_plot_gather(p, figure, 0, &curves);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high");
  return plot(p, figure, &curves, "task");
}

static sfnec_status plot_over_steps(const plotting *p, const figure *figure, bool evaluations) {
  plot_curves curves = {.over_steps = true, .evaluations = evaluations};
  const sfnec_status status = sfnec_plot_gather(p, figure, 0, &curves);
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
  const sfnec_status status = sfnec_plot_gather(p, figure, 0, &curves);
  if (status) return status;
  sfnec_plot_data_head(p, figure->help, "weights runs mean standard_error low high");
  return plot(p, figure, &curves, "weight vector of the list");
}

sfnec_status sfnec_plot_episodes(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  const size_t window = sfnec_episodes_window(p->results);
  if (!window) return sfnec_plot_steps(p, figure);
  const sfnec_status status = sfnec_plot_gather(p, figure, window, &curves);
  if (status) return status;
  const char *x_label = window > 1 ? sfnec_arena_print(p->arena, "episode (mean of the last %zu)", window) : "episode";
  if (!x_label) return no_memory();
  sfnec_plot_data_head(p, figure->help, "episode runs mean standard_error low high");
  return plot(p, figure, &curves, x_label);
}
