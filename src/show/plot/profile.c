// profile.c: performance profiles: the share of runs above a value, against the value, with pointwise bands.
#include <math.h>

#include "base/error.h"
#include "show/plot/figure.h"

enum { TAUS = 120, RESAMPLES = 2000 };

const char *sfnec_plot_profile_missing(const plotting *p, const figure *figure) {
  (void)figure;
  if (p->results->configuration_count > PLOT_STYLES) return "more than 16 curves cannot be told apart";
  for (size_t i = 0; i < p->results->configuration_count; i++)
    if (p->results->configurations[i].run_count > 1) return NULL;
  return "a configuration has one run only";
}

static void find_range(const sfnec_analysis *analysis, double *low, double *high, size_t *least, size_t *most) {
  *low = HUGE_VAL, *high = -HUGE_VAL, *least = SIZE_MAX, *most = 0;
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_run_values *runs = &analysis->rows[i].runs;
    for (size_t k = 0; k < runs->count; k++) {
      *low = fmin(*low, runs->values[k]);
      *high = fmax(*high, runs->values[k]);
    }
    if (runs->count && runs->count < *least) *least = runs->count;
    if (runs->count > *most) *most = runs->count;
  }
  if (*low > 0 && *low < 0.3 * *high) *low = 0;
  // all the same: the profile falls there
  if (!(*high > *low)) --*low, ++*high;
}

static sfnec_status write_row(const plotting *p, const sfnec_analysis_row *row, double low, double high) {
  double taus[TAUS];
  sfnec_estimate shares[TAUS];
  // a little beyond both ends: every profile begins at 1 and ends at 0
  for (size_t i = 0; i < TAUS; i++) taus[i] = low + (high - low) * ((double)i / (TAUS - 1) * 1.02 - 0.01);
  const bool few = row->runs.count < SFNEC_ANALYSIS_FEW;
  const sfnec_status status = sfnec_stats_profile(&row->sample, taus, TAUS, few ? 1 : RESAMPLES, shares);
  if (status) return status;
  fprintf(p->data, "\n\n# %s\n", row->configuration->name);
  for (size_t i = 0; i < TAUS; i++) {
    const sfnec_interval band = shares[i].interval;
    const double numbers[] = {taus[i], 100 * shares[i].value, few ? (double)NAN : 100 * band.low,
                              few ? (double)NAN : 100 * band.high};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sfnec_plot_number(p->data, numbers[k]);
    fputc('\n', p->data);
  }
  return SFNEC_OK;
}

static sfnec_status draw(const plotting *p, const figure *figure, const sfnec_analysis *analysis) {
  plot_entry entries[PLOT_STYLES];
  size_t count = 0, least, most;
  double low, high;
  sfnec_status status = SFNEC_OK;
  find_range(analysis, &low, &high, &least, &most);
  sfnec_plot_data_head(p, figure->help, "value percent_of_runs_above low high");
  for (size_t i = 0; i < analysis->row_count && !status; i++) {
    if (!analysis->rows[i].runs.count) continue;
    status = write_row(p, &analysis->rows[i], low, high);
    entries[count++] = (plot_entry){analysis->rows[i].configuration->name, sfnec_plot_style(i)};
    entries[count - 1].style.mark.size = 0;
  }
  if (status) return status;
  const bool few = least < SFNEC_ANALYSIS_FEW;
  const char *note =
      sfnec_plot_note(p, few ? "share of runs above a value" : "share of runs above a value; 95 % band", least, most);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  plot_layout layout = {PLOT_COLUMN, 2.3, 0.62, 0.15, 0.1, 0.45};
  sfnec_plot_begin(p, &layout, NULL, entries, count, note);
  sfnec_plot_axes(p, &layout, analysis->metric.help, 0.33, "runs above (%)");
  fprintf(p->script, "set yrange [0:102]\nset xtics %g\n", sfnec_plot_round_step(high > low ? high - low : 1, 5));
  fprintf(p->script, "set xrange [%g:%g]\n", low - 0.01 * (high - low), high + 0.01 * (high - low));
  for (size_t i = 0; i < count; i++)
    fprintf(p->script,
            "%s index %zu using 1:3:4 with filledcurves linecolor '%s' fillstyle transparent solid 0.12 notitle, \\\n",
            i ? "  ''" : sfnec_arena_print(p->arena, "plot '%s.dat'", p->stem), i, entries[i].style.mark.color);
  for (size_t i = 0; i < count; i++)
    fprintf(p->script, "  '' index %zu using 1:2 with lines linecolor '%s' dashtype %d linewidth 1.2 notitle, \\\n", i,
            entries[i].style.mark.color, entries[i].style.dash);
  fputs("  NaN notitle\n", p->script);
  return SFNEC_OK;
}

sfnec_status sfnec_plot_profile(const plotting *p, const figure *figure) {
  const sfnec_analysis_options options = {.resamples = 1, .task = p->coverage.task};
  sfnec_analysis *analysis = NULL;
  sfnec_status status = sfnec_analysis_make(p->results, &options, &analysis);
  if (!status) status = draw(p, figure, analysis);
  sfnec_analysis_destroy(analysis);
  return status;
}
