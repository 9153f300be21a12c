// front.c: the figure of several objectives: what an episode of the last evaluation under each weight vector collects
// of two features, and which of these points are on the Pareto front of all features.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/figure.h"
#include "show/plot/front.h"
#include "stats/pareto.h"

// the features of the last evaluation of a run under the weights of that number; NULL if there is none
static const double *last_under(const sfnec_result_run *run, int64_t weights, size_t *n, double *episodes) {
  for (uint32_t t = run->task_count; t-- > 0;) {
    const sfnec_task_record *record = &run->tasks[t];
    for (uint32_t i = record->evaluation_count; i-- > 0;) {
      if (record->evaluations[i].weights != weights || !record->feature_count) continue;
      *n = record->feature_count;
      *episodes = (double)record->evaluations[i].episodes;
      return record->features + (size_t)i * record->feature_count;
    }
  }
  return NULL;
}

static int64_t most_weights(const sfnec_results *results) {
  int64_t most = 0;
  for (size_t r = 0; r < results->run_count; r++)
    for (uint32_t t = 0; t < results->runs[r].task_count; t++)
      for (uint32_t i = 0; i < results->runs[r].tasks[t].evaluation_count; i++)
        if (results->runs[r].tasks[t].evaluations[i].weights > most)
          most = results->runs[r].tasks[t].evaluations[i].weights;
  return most;
}

const char *sfnec_front_missing(const sfnec_results *results) {
  const char *missing = sfnec_evaluations_missing(results);
  if (missing) return missing;
  const int64_t most = most_weights(results);
  return most < 2 || most > 10000 ? "it needs evaluations under at least two weight vectors" : NULL;
}

const char *sfnec_plot_front_missing(const plotting *p, const figure *figure) {
  (void)figure;
  const char *missing = sfnec_front_missing(p->results);
  if (missing) return missing;
  return p->results->configuration_count > PLOT_STYLES ? "more than 16 fronts cannot be told apart" : NULL;
}

// means over the runs of a configuration; a vector that no run was evaluated under is left out
sfnec_status sfnec_front_take(const sfnec_results *results, size_t configuration, sfnec_arena *arena,
                              sfnec_front *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  const int64_t most = most_weights(results);
  *out = (sfnec_front){0};
  for (int64_t w = 1; w <= most; w++) {
    double *mean = NULL, runs = 0;
    for (size_t r = 0; r < of->run_count; r++) {
      size_t n = 0;
      double episodes = 1;
      const double *features = last_under(&results->runs[of->first_run + r], w, &n, &episodes);
      if (!features || (out->n && n != out->n)) continue;
      if (!out->means) out->means = sfnec_arena_alloc(arena, (size_t)most * n, sizeof *out->means);
      if (!out->means) return sfnec_fail_memory("the points of a figure");
      out->n = n;
      mean = out->means + out->count * n;
      for (size_t k = 0; k < n; k++) mean[k] += features[k] / episodes;
      runs++;
    }
    for (size_t k = 0; mean && k < out->n; k++) mean[k] /= runs;
    out->count += mean != NULL;
  }
  out->front = sfnec_arena_alloc(arena, out->count, sizeof *out->front);
  if (!out->front) return sfnec_fail_memory("the points of a figure");
  sfnec_pareto_front(out->means, out->count, out->n, out->front);
  return SFNEC_OK;
}

// a block of all points, then one of the front from left to right
static void write_points(const plotting *p, const char *name, const sfnec_front *points, size_t y) {
  fprintf(p->data, "\n\n# %s\n", name);
  for (size_t i = 0; i < points->count; i++) {
    sfnec_plot_number(p->data, points->means[i * points->n]);
    sfnec_plot_number(p->data, points->means[i * points->n + y]);
    fputc('\n', p->data);
  }
  fprintf(p->data, "\n\n# the front of %s\n", name);
  double left = -HUGE_VAL;
  for (;;) {
    const double *next = NULL;
    for (size_t i = 0; i < points->count; i++) {
      const double *at = points->means + i * points->n;
      if (points->front[i] && at[0] > left && (!next || at[0] < next[0])) next = at;
    }
    if (!next) break;
    left = next[0];
    for (size_t i = 0; i < points->count; i++) {
      const double *at = points->means + i * points->n;
      if (!points->front[i] || at[0] < left || at[0] > left) continue;
      sfnec_plot_number(p->data, at[0]);
      sfnec_plot_number(p->data, at[y]);
      fputc('\n', p->data);
    }
  }
}

static const char *feature_name(const plotting *p, size_t k) {
  const sfnec_env_kind *kind = sfnec_env_kind_find(p->results->env);
  if (kind && kind->feature_names) return sfnec_arena_print(p->arena, "%s per episode", kind->feature_names[k]);
  return sfnec_arena_print(p->arena, "feature %zu per episode", k + 1);
}

sfnec_status sfnec_plot_front(const plotting *p, const figure *figure) {
  plot_entry entries[PLOT_STYLES];
  size_t drawn = 0, n = 2, least = SIZE_MAX, most = 0;
  sfnec_plot_data_head(p, figure->help, "first_feature second_feature; then those of the front");
  for (size_t i = 0; i < p->results->configuration_count && drawn < PLOT_STYLES; i++) {
    sfnec_front points;
    const sfnec_status status = sfnec_front_take(p->results, i, p->arena, &points);
    if (status) return status;
    if (!points.count) continue;
    n = points.n;
    const size_t runs = p->results->configurations[i].run_count;
    if (runs < least) least = runs;
    if (runs > most) most = runs;
    const char *name = p->results->configurations[i].name;
    write_points(p, name, &points, n > 1 ? 1 : 0);
    entries[drawn] = (plot_entry){name, sfnec_plot_style(drawn)};
    entries[drawn++].style.dash = 1;
  }
  const char *x_label = feature_name(p, 0), *y_label = feature_name(p, n > 1 ? 1 : 0);
  if (!x_label || !y_label) return sfnec_fail_memory("the texts of a figure");
  const char *note = sfnec_plot_note(p, "filled: on the Pareto front; means", least, most);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  plot_layout layout = {PLOT_COLUMN, 2.6, 0.62, 0.1, 0.1, 0.45};
  sfnec_plot_begin(p, &layout, NULL, entries, drawn, note);
  sfnec_plot_axes(p, &layout, x_label, 0.33, y_label);
  fputs("set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05\n", p->script);
  for (size_t i = 0; i < drawn; i++)
    fprintf(p->script, "%s index %zu using 1:2 with lines linecolor '%s' linewidth 1 notitle, \\\n",
            i ? "  ''" : sfnec_arena_print(p->arena, "plot '%s.dat'", p->stem), 2 * i + 1, entries[i].style.mark.color);
  for (size_t i = 0; i < drawn; i++) {
    char what[64];
    plot_mark mark = entries[i].style.mark;
    mark.open = true;
    snprintf(what, sizeof what, "index %zu using 1:2", 2 * i);
    sfnec_plot_marks(p, what, &mark);
    mark.open = false;
    snprintf(what, sizeof what, "index %zu using 1:2", 2 * i + 1);
    sfnec_plot_marks(p, what, &mark);
  }
  fputs("  NaN notitle\n", p->script);
  return SFNEC_OK;
}
