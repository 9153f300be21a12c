// plot.c: which figures an experiment has, and their files; the contract is in plot.h.
#include "show/plot/plot.h"

#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/text.h"
#include "show/plot/figure.h"

// ---- the figures ----

#define CURVES(counts) .missing = sfnec_plot_curves_missing, .write = sfnec_plot_curves, .over = counts
static const figure fixed[] = {
    {.name = "average",
     .help = "average return over the tasks so far",
     CURVES(PLOT_OVER_TASKS),
     .metric = "return",
     .span = SFNEC_SPAN_SO_FAR,
     .y_label = "average return over tasks",
     .published = true,
     .optimum = true},
    {.name = "boxes",
     .help = "returns of the runs as box plots: agents, or the points of a sweep",
     .missing = sfnec_plot_boxes_missing,
     .write = sfnec_plot_boxes},
    {.name = "differences",
     .help = "differences to the first configuration, paired by seed, as a forest plot",
     .missing = sfnec_plot_forest_missing,
     .write = sfnec_plot_forest},
    {.name = "sweep",
     .help = "what each option of a sweep does: the mean over all points with a value",
     .missing = sfnec_plot_sweep_missing,
     .write = sfnec_plot_sweep},
    {.name = "regret",
     .help = "regret of each task: the optimum less the return",
     CURVES(PLOT_OVER_TASKS),
     .metric = "regret",
     .span = SFNEC_SPAN_ALONE,
     .y_label = "optimum less return",
     .skip_zeros = true},
    {.name = "episodes",
     .help = "return of recorded episodes, smoothed, against episodes, or against steps where tasks end by them",
     CURVES(PLOT_OVER_EPISODES),
     .metric = "return",
     .y_label = "return of an episode"},
    {.name = "evaluation",
     .help = "return of an episode played greedily during learning, against environment steps",
     CURVES(PLOT_OVER_EVALUATIONS),
     .metric = "return",
     .y_label = "return of an episode, greedy"},
    {.name = "step-time",
     .help = "time of a step against tasks",
     CURVES(PLOT_OVER_TASKS),
     .metric = "step-time",
     .span = SFNEC_SPAN_ALONE,
     .y_label = "time of a step (microseconds)",
     .log_scale = true,
     .skip_zeros = true},
};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

// Figures of earlier versions, and what has them now: a figure of another name, or a sentence.
static const struct former {
  const char *name, *now, *where;
} formers[] = {
    {"places", "states", NULL},
    {"effects", "sweep", NULL},
    {"tasks", NULL, "the report page has it: Curves, return of each task, and Each alone"},
    {"profile", NULL, "the report page has it under Statistics, and 'sfnec stats' prints it"},
    {"parallel", NULL, "the report page has it under Sweeps"},
    {"heat", NULL, "the report page has it under Sweeps"},
    {"weights", NULL, "the report page has it under Under other rewards; 'sfnec eval --heat' draws one of an agent"},
    {"front", NULL, "the report page has it under Under other rewards; 'sfnec eval --front' prints that of an agent"},
};

static const struct former *find_former(const char *name) {
  for (size_t i = 0; i < sizeof formers / sizeof *formers; i++)
    if (strcmp(formers[i].name, name) == 0) return &formers[i];
  return NULL;
}

// the first shows what the results are judged by
static void lead(figure *average, sfnec_metric metric) {
  if (sfnec_metric_is_return(&metric)) return;
  average->help = "the metric of the results so far";
  average->metric = metric.name;
  average->y_label = metric.help;
  average->published = average->optimum = false;
}

// The figures above, then one for each number of the tables of tasks and bins that asks for one, in the arena; the last
// has the name NULL. NULL without memory.
static const figure *list_figures(sfnec_arena *arena, const sfnec_results *results) {
  size_t count = FIXED;
  const sfnec_record_field *const fields = sfnec_task_record_set()->fields;
  const sfnec_record_field *const bins = sfnec_bin_record_set()->fields;
  for (const sfnec_record_field *field = fields; field->name; field++) count += field->figure != NULL;
  for (const sfnec_record_field *field = bins; field->name; field++) count += field->figure != NULL;
  figure *figures = sfnec_arena_alloc(arena, count + 1, sizeof *figures);
  if (!figures) return NULL;
  memcpy(figures, fixed, sizeof fixed);
  lead(figures, sfnec_metric_of_results(results));
  count = FIXED;
  for (const sfnec_record_field *field = fields; field->name; field++)
    if (field->figure)
      figures[count++] = (figure){.name = field->figure,
                                  .help = field->figure_help,
                                  CURVES(PLOT_OVER_TASKS),
                                  .metric = field->metric,
                                  .span = SFNEC_SPAN_ALONE,
                                  .y_label = field->figure_label,
                                  .skip_zeros = true};
  for (const sfnec_record_field *field = bins; field->name; field++)
    if (field->figure)
      figures[count++] = (figure){.name = field->figure,
                                  .help = field->figure_help,
                                  CURVES(PLOT_OVER_STEPS),
                                  .metric = "return",
                                  .y_label = field->figure_label,
                                  .skip_zeros = true,
                                  .field = field};
  return figures;
}

static sfnec_status check_name(const plotting *p, const char *name) {
  const char *near = NULL;
  char names[512] = "";
  const struct former *former = find_former(name);
  if (former && former->now) return SFNEC_OK;
  if (former) return sfnec_fail(SFNEC_ERROR_OPTION, "plot draws no figure '%s' any more: %s", name, former->where);
  for (const figure *at = p->figures; at->name; at++) {
    if (strcmp(at->name, name) == 0) return SFNEC_OK;
    near = sfnec_text_nearer(name, near, at->name);
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", at->name);
  }
  if (near)
    return sfnec_fail(SFNEC_ERROR_OPTION, "there is no figure '%s'; did you mean '%s'? There are %s", name, near,
                      names);
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no figure '%s'; there are %s", name, names);
}

// ---- files ----

static sfnec_status write_lines(const plotting *p, const void *what) {
  const figure *figure = what;
  return figure->write(p, figure);
}

static sfnec_status write_figure(plotting *p, const figure *figure, sfnec_plot_figure *out) {
  p->stem = sfnec_arena_print(p->arena, "%s-%s", p->results->name, figure->name);
  if (!p->stem) return sfnec_fail_memory("a figure");
  out->picture = sfnec_arena_print(p->arena, "%s.%s", p->stem, p->format);
  out->script = sfnec_arena_print(p->arena, "%s.gp", p->stem);
  out->data = sfnec_arena_print(p->arena, "%s.dat", p->stem);
  if (!out->picture || !out->script || !out->data) return sfnec_fail_memory("a figure");
  return sfnec_plot_files(p, write_lines, figure);
}

// ---- all ----

static bool is_wanted(const sfnec_plot_options *options, const char *name) {
  for (size_t i = 0; i < options->figure_count; i++) {
    const struct former *former = find_former(options->figures[i]);
    if (strcmp(former && former->now ? former->now : options->figures[i], name) == 0) return true;
  }
  return !options->figure_count;
}

// those that were asked for must be known and apply; a wrong name is reported before what the experiment lacks
static sfnec_status check_wanted(plotting *p, const sfnec_plot_options *options) {
  sfnec_status status = sfnec_plot_check_format(p->format);
  for (size_t i = 0; i < options->figure_count && !status; i++) status = check_name(p, options->figures[i]);
  if (!status) status = sfnec_coverage_find(p->results, 0, &p->coverage);
  for (const figure *at = p->figures; at->name && options->figure_count && !status; at++) {
    const char *missing = is_wanted(options, at->name) ? at->missing(p, at) : NULL;
    if (missing)
      status = sfnec_fail(SFNEC_ERROR_STATE, "%s: the figure '%s' does not apply: %s", p->results->folder, at->name,
                          missing);
  }
  return status;
}

// the wanted figures in the order of the list, each once
static sfnec_status fill(plotting *p, const sfnec_plot_options *options, sfnec_plot *plot) {
  sfnec_status status = check_wanted(p, options);
  plot->coverage = p->coverage;
  if (!status) status = sfnec_folder_make(p->folder);
  for (const figure *at = p->figures; at->name && !status; at++) {
    if (!is_wanted(options, at->name)) continue;
    plot->figures = sfnec_arena_grow(p->arena, plot->figures, plot->figure_count, sizeof *plot->figures);
    if (!plot->figures) return sfnec_fail_memory("the figures");
    sfnec_plot_figure *out = &plot->figures[plot->figure_count++];
    *out = (sfnec_plot_figure){.name = at->name, .help = at->help, .missing = at->missing(p, at)};
    if (!out->missing) status = write_figure(p, at, out);
  }
  for (size_t i = 0; i < plot->figure_count && !status; i++)
    if (!plot->figures[i].missing) status = sfnec_plot_draw(p, plot->figures[i].script, plot->figures[i].picture);
  return status;
}

sfnec_status sfnec_plot_make(const sfnec_results *results, const sfnec_plot_options *options, sfnec_plot **out) {
  *out = NULL;
  sfnec_arena *arena;
  sfnec_plot *plot = sfnec_arena_create_for(sizeof *plot, &arena);
  const figure *figures = plot ? list_figures(arena, results) : NULL;
  if (!figures) {
    sfnec_arena_destroy(arena);
    return sfnec_fail_memory("the figures");
  }
  plot->arena = arena;
  plotting p = {.results = results,
                .name = results->name,
                .arena = arena,
                .figures = figures,
                .format = options->format ? options->format : "svg",
                .folder = options->folder};
  sfnec_status status = sfnec_theme_dress(results, arena, &p.styles);
  if (!status) status = fill(&p, options, plot);
  if (status) sfnec_plot_destroy(plot);
  else *out = plot;
  return status;
}

void sfnec_plot_destroy(sfnec_plot *plot) {
  // the list itself lives in its arena
  if (plot) sfnec_arena_destroy(plot->arena);
}
