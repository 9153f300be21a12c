// forest.c: differences to the reference, paired by seed: a row per configuration with the mean difference, its
// interval, and on how many seeds it did better.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "show/plot/figure.h"

enum { MOST_ROWS = 40, RESAMPLES = 10000 };

const char *sfnec_plot_forest_missing(const plotting *p, const figure *figure) {
  (void)figure;
  if (p->results->configuration_count < 2) return "there is only one configuration";
  return p->results->configuration_count > MOST_ROWS
             ? "it has room for 40 configurations; 'sfnec stats' compares the points of a large sweep"
             : NULL;
}

typedef struct forest {
  const sfnec_analysis_row *rows[MOST_ROWS];
  size_t count, names; // letters of the longest name
  size_t least, most;  // pairs
  bool intervals;      // else standard errors: so few pairs have none
} forest;

static bool has_interval(const sfnec_analysis_row *row) {
  return isfinite(row->paired.mean.interval.low) && isfinite(row->paired.mean.interval.high);
}

static void gather(const sfnec_analysis *analysis, forest *forest) {
  *forest = (struct forest){.least = SIZE_MAX, .intervals = true};
  for (size_t i = 0; i < analysis->row_count && forest->count < MOST_ROWS; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    if (i == analysis->reference || !row->runs.count || !row->paired.count) continue;
    forest->rows[forest->count++] = row;
    const size_t letters = (size_t)sfnec_text_columns(row->configuration->name);
    if (letters > forest->names) forest->names = letters;
    if (row->paired.count < forest->least) forest->least = row->paired.count;
    if (row->paired.count > forest->most) forest->most = row->paired.count;
    forest->intervals = forest->intervals && has_interval(row);
  }
}

// the ends of a row's bar
static void bar(const forest *forest, const sfnec_analysis_row *row, double *low, double *high) {
  const double mean = row->paired.mean.value, se = isnan(row->paired.error) ? 0 : row->paired.error;
  *low = forest->intervals ? row->paired.mean.interval.low : mean - se;
  *high = forest->intervals ? row->paired.mean.interval.high : mean + se;
}

// the first row is the uppermost
static void write_data(const plotting *p, const forest *forest) {
  fputs("\n\n", p->data);
  for (size_t i = 0; i < forest->count; i++) {
    const sfnec_analysis_row *row = forest->rows[i];
    double low, high;
    bar(forest, row, &low, &high);
    const double numbers[] = {row->paired.mean.value, row->paired.error, low, high};
    fprintf(p->data, "%zu", forest->count - i);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sfnec_plot_number(p->data, numbers[k]);
    fprintf(p->data, " %zu %zu # %s\n", row->better, row->paired.count, row->configuration->name);
  }
}

static void write_axes(const plotting *p, const forest *forest) {
  double low = 0, high = 0;
  for (size_t i = 0; i < forest->count; i++) {
    double from, to;
    bar(forest, forest->rows[i], &from, &to);
    low = fmin(low, from);
    high = fmax(high, to);
  }
  const double range = high > low ? high - low : 1;
  fprintf(p->script, "set xrange [%g:%g]\nset xtics %g\n", low - 0.04 * range, high + 0.04 * range,
          sfnec_plot_round_step(range, 4));
  fprintf(p->script, "set yrange [0.4:%g]\nset ytics scale 0 (", (double)forest->count + 0.6);
  for (size_t i = 0; i < forest->count; i++) {
    if (i) fputs(", ", p->script);
    sfnec_plot_text(p->script, forest->rows[i]->configuration->name, PLOT_TIC);
    fprintf(p->script, " %zu", forest->count - i);
  }
  fprintf(p->script,
          ")\nunset grid\nset grid xtics linetype 1 dashtype 1 linecolor '%s' linewidth 0.5\n"
          "set border 1\nset arrow from first 0, graph 0 to first 0, graph 1 nohead linecolor '%s' linewidth 0.8\n",
          sfnec_plot_color(SFNEC_ROLE_GRID), sfnec_plot_color(SFNEC_ROLE_TEXT));
  for (size_t i = 0; i < forest->count; i++)
    fprintf(p->script, "set label '%zu of %zu' at graph 1.03, first %zu left font small\n", forest->rows[i]->better,
            forest->rows[i]->paired.count, forest->count - i);
  fputs("set label 'better on' at graph 1.03, graph 1 left font small offset 0,0.4\n", p->script);
}

static void plot_rows(const plotting *p, const forest *forest) {
  fprintf(p->script, "plot '%s.dat'", p->stem);
  for (size_t i = 0; i < forest->count; i++) {
    const plot_mark mark = sfnec_plot_style(p->styles.configurations[forest->rows[i]->configuration_index]).mark;
    char what[80];
    snprintf(what, sizeof what, "index 0 every ::%zu::%zu using 2:1", i, i);
    fprintf(p->script, "%s %s:4:5 with xerrorbars pointtype 0 linewidth 1.2 linecolor '%s' notitle, \\\n",
            i ? "  ''" : "", what, mark.color);
    sfnec_plot_marks(p, what, &mark);
  }
  fputs("  NaN notitle\n", p->script);
}

static sfnec_status draw(const plotting *p, const figure *figure, const sfnec_analysis *analysis) {
  forest forest;
  gather(analysis, &forest);
  const char *reference = analysis->rows[analysis->reference].configuration->name;
  if (!forest.count)
    return sfnec_fail(SFNEC_ERROR_STATE, "%s: no configuration has a seed in common with %s yet", p->results->folder,
                      reference);
  sfnec_plot_data_head(p, figure->help, "place difference standard_error low high better pairs");
  write_data(p, &forest);
  const char *note = sfnec_plot_note(
      p, forest.intervals ? "paired by seed; bar: 95 % interval" : "paired by seed; bar: standard error", forest.least,
      forest.most);
  const char *label = sfnec_arena_print(p->arena, "%s: difference to %s", analysis->metric.help, reference);
  if (!note || !label) return sfnec_fail_memory("the texts of a figure");
  const double left = 0.15 + 0.068 * (double)forest.names, right = 0.72, names = 0.05 * (double)strlen(label);
  plot_layout layout = {fmax(fmax(PLOT_COLUMN, left + right + 1.9), names + 0.2),
                        0.7 + 0.2 * (double)forest.count,
                        left,
                        right,
                        0.25,
                        0.45};
  sfnec_plot_begin(p, &layout, NULL, NULL, 0, note);
  sfnec_plot_label(p, &layout, label, layout.width / 2, layout.bottom - 0.33, false);
  write_axes(p, &forest);
  plot_rows(p, &forest);
  return SFNEC_OK;
}

sfnec_status sfnec_plot_forest(const plotting *p, const figure *figure) {
  const sfnec_analysis_options options = {.resamples = RESAMPLES, .task = p->coverage.task};
  sfnec_analysis *analysis = NULL;
  sfnec_status status = sfnec_analysis_make(p->results, &options, &analysis);
  if (!status) status = draw(p, figure, analysis);
  sfnec_analysis_destroy(analysis);
  return status;
}
