// cmd_plot.c: `sfnec plot`: figures of an experiment for print.
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "show/plot/plot.h"

typedef struct plot_args {
  text_list figures;
  const char *format, *out;
} plot_args;

static int run_plot(const void *values, const text_list *operands);

static const arg table[] = {
    {"figure", ARG_LIST, offsetof(plot_args, figures), "NAME", NULL, 0, 0,
     "draw this one only: average, boxes, differences, sweep, regret, episodes, evaluation, step-time, memory, "
     "states, w-error, steps-reward, steps-episode-return, steps-episode-length or steps-loss"},
    {"format", ARG_TEXT, offsetof(plot_args, format), "NAME", "svg", 0, 0, "svg, pdf or png"},
    {"out", ARG_TEXT, offsetof(plot_args, out), "FOLDER", NULL, 0, 0, "where to write, not to DIR/figures"},
    {0},
};

const command command_plot = {
    .name = "plot",
    .summary = "draw the figures of an experiment for print",
    .operands = "DIR",
    .about = "Draws what the results in DIR have, for print: curves with bands of one standard error (the\n"
             "average return over the tasks, regret, returns of episodes and evaluations, time of a step,\n"
             "entries in memory, states of a model, the error of a learned w, and numbers over environment\n"
             "steps), box plots of the agents or of the points of a sweep, differences paired by seed, and what\n"
             "each option of a sweep does. Published values of the spec are drawn as diamonds. Each figure is a\n"
             "picture, a gnuplot script and its data; change the script and draw it again with gnuplot. An\n"
             "experiment may be unfinished. The page of `sfnec report` has more figures: each\n"
             "task and run, performance profiles, parallel coordinates, heat maps and Pareto fronts.",
    .args = table,
    .values_size = sizeof(plot_args),
    .run = run_plot,
};

static void show(const sfnec_plot *plot, const char *folder) {
  const sfnec_coverage *coverage = &plot->coverage;
  for (size_t i = 0; i < plot->figure_count; i++) {
    const sfnec_plot_figure *figure = &plot->figures[i];
    if (figure->missing) printf("left out %s: %s\n", figure->name, figure->missing);
    else printf("%s/%s  %s\n", folder, figure->picture, figure->help);
  }
  if (coverage->done >= coverage->wanted) return;
  printf("not finished: %zu of %zu runs are", coverage->done, coverage->wanted);
  if (coverage->failed) printf(", %zu failed", coverage->failed);
  printf("; the figures show the results so far, late tasks with fewer runs\n");
}

static int plot(const plot_args *args, const sfnec_results *results, const char *folder) {
  const sfnec_plot_options options = {
      .figures = (const char *const *)args->figures.items,
      .figure_count = args->figures.count,
      .format = args->format,
      .folder = folder,
  };
  sfnec_plot *plot;
  const int code = code_of(sfnec_plot_make(results, &options, &plot));
  if (code) return code;
  show(plot, folder);
  sfnec_plot_destroy(plot);
  return flush_output();
}

static int run_plot(const void *values, const text_list *operands) {
  const plot_args *args = values;
  const char *experiment = operands->items[0];
  sfnec_results *results;
  int code = code_of(sfnec_results_load(experiment, &results));
  if (code) return code;
  char *own = text_print("%s/figures", experiment);
  code = plot(args, results, args->out ? args->out : own);
  free(own);
  sfnec_results_destroy(results);
  return code;
}
