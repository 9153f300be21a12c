// plot_panels.c: a frame per configuration, all with the same axes: the return of each task alone, every run as a dot.
//
// Returns of single tasks differ more between tasks and seeds than between agents: in one frame the curves would be a
// tangle.
#include <math.h>

#include "base/error.h"
#include "show/plot/plot_parts.h"

enum { MOST_PANELS = 12, COLUMNS = 2 };

// of a frame, in inches
#define WIDTH 1.35
#define HEIGHT 0.95

typedef struct panels {
  sfnec_curve items[MOST_PANELS];
  size_t count;
  double last, low, high; // task, and the range of all values
} panels;

const char *sfnec_plot_panels_missing(const plotting *p, const figure *figure) {
  (void)figure;
  if (p->results->tasks < 2) return "the experiment has one task only; 'boxes' shows its returns";
  if (p->results->configuration_count > MOST_PANELS) return "it has room for 12 configurations";
  return NULL;
}

static void add(panels *panels, const sfnec_curve *curve) {
  if (!curve->count) return;
  panels->items[panels->count++] = *curve;
  panels->last = fmax(panels->last, (double)curve->count);
  for (size_t i = 0; i < curve->run_count * curve->count; i++) {
    if (!isfinite(curve->values[i])) continue;
    panels->low = fmin(panels->low, curve->values[i]);
    panels->high = fmax(panels->high, curve->values[i]);
  }
}

// two blocks per panel: the mean, then the runs
static void write_data(const plotting *p, const sfnec_curve *curve) {
  const char *name = p->results->configurations[curve->configuration].name;
  fprintf(p->data, "\n\n# %s\n", name);
  for (size_t i = 0; i < curve->count; i++) {
    const sfnec_curve_point *point = &curve->points[i];
    const double error = isnan(point->error) ? 0 : point->error;
    fprintf(p->data, "%.0f %zu", point->x, point->runs);
    sfnec_plot_number(p->data, point->mean);
    sfnec_plot_number(p->data, point->error);
    sfnec_plot_number(p->data, point->mean - error);
    sfnec_plot_number(p->data, point->mean + error);
    fputc('\n', p->data);
  }
  fprintf(p->data, "\n\n# %s: task seed return\n", name);
  for (size_t run = 0; run < curve->run_count; run++)
    for (size_t i = 0; i < curve->count; i++) {
      const double value = curve->values[run * curve->count + i];
      if (!isfinite(value)) continue;
      fprintf(p->data, "%zu %llu", i + 1, (unsigned long long)curve->seeds[run]);
      sfnec_plot_number(p->data, value);
      fputc('\n', p->data);
    }
}

// the distance of round numbers, at least four of which lie in a range: small frames have no room for many
static double round_step(double range) {
  const double power = pow(10, floor(log10(range / 4))), step = range / 4 / power;
  return power * (step >= 5 ? 5 : step >= 2 ? 2 : 1);
}

// numbers stand only at the outer frames
static void plot_panel(const plotting *p, const panels *panels, const plot_layout *at, size_t i) {
  const sfnec_curve *curve = &panels->items[i];
  const bool left = i % COLUMNS == 0, bottom = i + COLUMNS >= panels->count;
  const double x = at->left + (double)(i % COLUMNS) * (WIDTH + 0.1);
  const double y = at->height - at->top - HEIGHT - (double)(i / COLUMNS) * (HEIGHT + 0.28);
  const plot_layout frame = {at->width, at->height, x, at->width - x - WIDTH, at->height - y - HEIGHT, y};
  fprintf(p->script, "set format y '%s'\nset format x '%s'\n", left ? "%g" : "", bottom ? "%g" : "");
  sfnec_plot_margins(p, &frame);
  sfnec_plot_label(p, at, p->results->configurations[curve->configuration].name, x + WIDTH / 2, y + HEIGHT + 0.09,
                   false);
  if (bottom) sfnec_plot_label(p, at, "task", x + WIDTH / 2, y - 0.33, false);
  const char *color = sfnec_plot_style(curve->configuration).mark.color;
  fprintf(p->script,
          "plot '%s.dat' index %zu using 1:3 with points pointtype 7 pointsize 0.15 linecolor '#AAAAAA' notitle, \\\n"
          "  '' index %zu using 1:5:6 with filledcurves linecolor '%s' fillstyle transparent solid 0.35 notitle, \\\n"
          "  '' index %zu using 1:3 with lines linecolor '%s' linewidth 1.3 notitle\n"
          "unset label\n",
          p->stem, 2 * i + 1, 2 * i, color, 2 * i, color);
}

sfnec_status sfnec_plot_panels(const plotting *p, const figure *figure) {
  panels panels = {0};
  for (size_t i = 0; i < p->results->configuration_count; i++) {
    sfnec_curve curve;
    const sfnec_status status = sfnec_curve_tasks(p->results, i, figure->metric(), figure->span, 0, p->arena, &curve);
    if (status) return status;
    add(&panels, &curve);
  }
  sfnec_plot_data_head(p, figure->help, "task runs mean standard_error low high; then the runs");
  for (size_t i = 0; i < panels.count; i++) write_data(p, &panels.items[i]);

  const double rows = (double)((panels.count + COLUMNS - 1) / COLUMNS);
  plot_layout layout = {PLOT_COLUMN, 0.22 + 0.45 + rows * HEIGHT + (rows - 1) * 0.28, 0.62, 0.08, 0.22, 0.45};
  const double room = fmax(0.5, 0.02 * panels.last), range = panels.high - panels.low;
  const double air = range > 0 ? 0.03 * range : 1;
  sfnec_plot_begin(p, &layout, NULL, NULL, 0);
  fputs("set multiplot\n", p->script);
  sfnec_plot_axes(p, &layout, "", 0, figure->y_label);
  const double step = panels.last > 12 ? round_step(panels.last) : 2;
  fprintf(p->script, "set xrange [%g:%g]\nset yrange [%g:%g]\nset xtics %g,%g\nset ytics %g\n", 1 - room,
          panels.last + room, panels.low - air, panels.high + air, step, step, round_step(range + 2 * air));
  for (size_t i = 0; i < panels.count; i++) plot_panel(p, &panels, &layout, i);
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}
