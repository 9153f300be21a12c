// cmd_stats.c: `sfnec stats`: the statistics of an experiment, finished or not.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/stats_output.h"

typedef struct stats_args {
  int64_t task, resamples, over;
  bool by_task, all;
  const char *against, *metric, *solved, *json, *csv;
} stats_args;

static int run_stats(const void *values, const text_list *operands);

static const arg table[] = {
    {"task", ARG_INT, offsetof(stats_args, task), "N", NULL, 1, UINT32_MAX,
     "judge after so many tasks, not after the last that all finished runs have"},
    {"by-task", ARG_FLAG, offsetof(stats_args, by_task), NULL, NULL, 0, 0,
     "robust statistics over runs x tasks, each task a stratum, not over runs"},
    {"metric", ARG_TEXT, offsetof(stats_args, metric), "NAME", "return", 0, 0,
     "what to judge: return, episode-return, episodes, goals, steps, w-error, entries, seconds, speed"},
    {"against", ARG_TEXT, offsetof(stats_args, against), "NAME", NULL, 0, 0,
     "the configuration that the others are compared with, not the first"},
    {"solved", ARG_TEXT, offsetof(stats_args, solved), "RETURN", NULL, 0, 0,
     "show how many runs reach this mean return over --over episodes in a row, and when"},
    {"over", ARG_INT, offsetof(stats_args, over), "N", "100", 1, UINT32_MAX, "episodes that --solved judges together"},
    {"resamples", ARG_INT, offsetof(stats_args, resamples), "N", "10000", 1, 10000000, "of the bootstrap"},
    {"all", ARG_FLAG, offsetof(stats_args, all), NULL, NULL, 0, 0,
     "compare all points of a large sweep, not the best only"},
    {"json", ARG_TEXT, offsetof(stats_args, json), "FILE", NULL, 0, 0,
     "write all numbers as JSON; - is the standard output"},
    {"csv", ARG_TEXT, offsetof(stats_args, csv), "FILE", NULL, 0, 0,
     "write a row per configuration; - is the standard output"},
    {0},
};

const command command_stats = {
    .name = "stats",
    .summary = "show the statistics of an experiment",
    .operands = "DIR",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Shows, for each configuration of an experiment, the mean and its standard error, the median and\n"
             "the interquartile mean with a 95 % bootstrap interval, beside the published value if there is one;\n"
             "then the differences to one configuration paired by seed, the probability of improvement, the\n"
             "performance profile, and the best point of each sweep with how sure that is. An experiment may\n"
             "be unfinished: what is there counts. docs/statistics.md explains the numbers.",
    .args = table,
    .values_size = sizeof(stats_args),
    .run = run_stats,
};

static bool is_stdout(const char *path) {
  return path && strcmp(path, "-") == 0;
}

static int show(const stats_args *args, const sfnec_analysis *analysis) {
  // a file on the standard output is alone there
  if (!is_stdout(args->json) && !is_stdout(args->csv)) stats_print(analysis, args->all);
  int code = args->json ? stats_write_json(analysis, args->json) : EXIT_OK;
  if (!code && args->csv) code = stats_write_csv(analysis, args->csv);
  return code;
}

static int stats(const stats_args *args, const char *folder) {
  if (args->json && args->csv && strcmp(args->json, args->csv) == 0)
    return misuse("stats --json and --csv need different names, not '%s' twice", args->json);
  sfnec_goal goal = {.window = args->solved ? (uint32_t)args->over : 0};
  if (args->solved && !sfnec_text_to_real(args->solved, &goal.mean))
    return misuse("stats --solved must be a finite number, not '%s'", args->solved);
  const sfnec_analysis_options options = {
      .metric = args->metric,
      .against = args->against,
      .task = (uint32_t)args->task,
      .by_task = args->by_task,
      .resamples = (uint32_t)args->resamples,
      .goal = goal,
  };
  sfnec_results *results;
  sfnec_status status = sfnec_results_load(folder, &results);
  if (status) return fail_library(status);
  sfnec_analysis *analysis;
  status = sfnec_analysis_make(results, &options, &analysis);
  const int code = status ? fail_library(status) : show(args, analysis);
  sfnec_analysis_destroy(analysis);
  sfnec_results_destroy(results);
  return code;
}

static int run_stats(const void *values, const text_list *operands) {
  return stats(values, operands->items[0]);
}
