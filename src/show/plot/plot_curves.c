// plot_curves.c: figures of curves: which there are, how they are told apart, and their data.
//
// A curve is the mean of a configuration with a band of one standard error. The data have one block per curve, then one
// per curve with published values, two empty lines between blocks, as gnuplot's `index` counts them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/plot_parts.h"

enum { LONG = 100, ONE_FRAME = 8 }; // points of a curve; curves

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the curves of a figure");
}

// ---- whether there are any ----

static bool any_number(const plotting *p, const figure *figure) {
  const sfnec_metric *metric = figure->metric();
  for (size_t i = 0; i < p->results->run_count; i++) {
    const sfnec_result_run *run = &p->results->runs[i];
    for (uint32_t t = 0; t < run->task_count; t++)
      if (fabs(metric->value(run->tasks, t, t + 1)) > 0) return true;
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

// ---- which curves ----

static bool is_zero(const sfnec_curve *curve) {
  for (size_t i = 0; i < curve->run_count * curve->count; i++)
    if (fabs(curve->values[i]) > 0) return false;
  return true;
}

static void widen(plot_curves *curves, double value, double error) {
  if (!isfinite(value)) return;
  const double around = isnan(error) ? 0 : error;
  curves->low = fmin(curves->low, value - around);
  curves->high = fmax(curves->high, value + around);
}

static void add(const figure *figure, plot_curves *curves, const sfnec_curve *curve) {
  if (!curve->count || (figure->skip_zeros && is_zero(curve))) return;
  curves->items[curves->count++] = (plot_curve){.curve = *curve};
  curves->most = fmax(curves->most, curve->points[curve->count - 1].x);
  for (size_t i = 0; i < curve->count; i++) widen(curves, curve->points[i].mean, curve->points[i].error);
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
    if (curves->items[i].curve.count > LONG) style.dash = 1;
    curves->items[i].style = style;
    if (at == curves->entry_count) curves->entries[curves->entry_count++] = (plot_entry){name, style};
  }
  // the names are values of the sweep's key if they are not whole names
  const bool values = curves->count && name_of(p, curves, 0) != of(p, curves, 0)->name;
  curves->title = values ? sfnec_sweep_key(p->results) : NULL;
}

// ---- data ----

static void write_point(FILE *data, double mean, double error) {
  const double around = isnan(error) ? 0 : error;
  sfnec_plot_number(data, mean);
  sfnec_plot_number(data, error);
  sfnec_plot_number(data, mean - around);
  sfnec_plot_number(data, mean + around);
  fputc('\n', data);
}

static void write_curve(const plotting *p, const sfnec_curve *curve) {
  fprintf(p->data, "\n\n# %s\n", p->results->configurations[curve->configuration].name);
  for (size_t i = 0; i < curve->count; i++) {
    fprintf(p->data, "%.0f %zu", curve->points[i].x, curve->points[i].runs);
    write_point(p->data, curve->points[i].mean, curve->points[i].error);
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
    write_point(p->data, at->mean, at->se);
    widen(curves, at->mean, at->se);
  }
}

static sfnec_status plot(const plotting *p, const figure *figure, plot_curves *curves, const char *x_label) {
  split(p, curves);
  dress(p, curves);
  for (size_t i = 0; i < curves->count; i++) write_curve(p, &curves->items[i].curve);
  curves->blocks = curves->count;
  for (size_t i = 0; figure->published && i < curves->count; i++) write_published(p, curves, &curves->items[i]);
  if (curves->blocks > curves->count) {
    const char *title = sfnec_plot_published_title(p);
    if (!title) return no_memory();
    curves->entries[curves->entry_count++] = (plot_entry){title, {0, sfnec_plot_diamond("#000000", true)}};
  }
  return sfnec_plot_frames(p, figure, curves, x_label);
}

// ---- the figures ----

sfnec_status sfnec_plot_curves(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_curve curve;
    const sfnec_status status = sfnec_curve_tasks(p->results, i, figure->metric(), figure->span, 0, p->arena, &curve);
    if (status) return status;
    add(figure, &curves, &curve);
  }
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high");
  return plot(p, figure, &curves, "task");
}

sfnec_status sfnec_plot_episodes(const plotting *p, const figure *figure) {
  plot_curves curves = {0};
  const size_t window = sfnec_episodes_window(p->results);
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_curve curve;
    const sfnec_status status = sfnec_curve_episodes(p->results, i, window, 0, p->arena, &curve);
    if (status) return status;
    add(figure, &curves, &curve);
  }
  const char *x_label = window > 1 ? sfnec_arena_print(p->arena, "episode (mean of the last %zu)", window) : "episode";
  if (!x_label) return no_memory();
  sfnec_plot_data_head(p, figure->help, "episode runs mean standard_error low high");
  return plot(p, figure, &curves, x_label);
}
