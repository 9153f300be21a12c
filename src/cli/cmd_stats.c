// cmd_stats.c: `sfnec stats`: the statistics of a study, finished or not, as tables, JSON and CSV. The files have the
// same numbers per configuration, from one list; what is not known is null in JSON and empty in CSV.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "show/export/export.h"

typedef struct stats_args {
  int64_t task, resamples, over;
  bool by_task, all, published;
  const char *against, *metric, *solved, *json, *csv;
} stats_args;

static int run_stats(const void *values, const text_list *operands);

static const arg table[] = {
    {"task", ARG_INT, offsetof(stats_args, task), "N", NULL, 1, UINT32_MAX,
     "judge after so many tasks, not after the last that all finished runs have"},
    {"by-task", ARG_FLAG, offsetof(stats_args, by_task), NULL, NULL, 0, 0,
     "robust statistics over runs x tasks, each task a stratum, not over runs"},
    {"metric", ARG_TEXT, offsetof(stats_args, metric), "NAME", NULL, 0, 0,
     "the metric (default: that of the spec or the environment): return, episode-return, success, steps-to-goal, "
     "evaluation, auc, episodes, goals, steps, w-error, entries, states, "
     "seconds, speed, "
     "optimum, regret"},
    {"against", ARG_TEXT, offsetof(stats_args, against), "NAME", NULL, 0, 0,
     "the reference configuration, instead of the first"},
    {"solved", ARG_TEXT, offsetof(stats_args, solved), "RETURN", NULL, 0, 0,
     "show how many runs reach this mean return over --over consecutive episodes, and when"},
    {"over", ARG_INT, offsetof(stats_args, over), "N", "100", 1, UINT32_MAX, "consecutive episodes for --solved"},
    {"resamples", ARG_INT, offsetof(stats_args, resamples), "N", "10000", 1, 10000000, "of the bootstrap"},
    {"all", ARG_FLAG, offsetof(stats_args, all), NULL, NULL, 0, 0,
     "compare all points of a large sweep, not the best only"},
    {"published", ARG_FLAG, offsetof(stats_args, published), NULL, NULL, 0, 0,
     "show every published value beside ours, with both errors, and nothing else"},
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
    .about = "Shows, for each configuration of an experiment, the mean and its standard error, the median and\n"
             "the interquartile mean with a 95 % bootstrap interval, beside the published value if there is one;\n"
             "then the differences to one configuration paired by seed, the probability of improvement, the\n"
             "performance profile, and the best point of each sweep with how sure that is. An experiment may\n"
             "be unfinished. docs/statistics.md defines the numbers.",
    .args = table,
    .values_size = sizeof(stats_args),
    .run = run_stats,
};

// ---- the numbers of a configuration ----

enum { NUMBERS = 40 };

typedef struct number {
  const char *name;
  double value; // NaN: not known
} number;

// All numbers of a configuration by name, in the order of the columns; returns how many.
static size_t list_numbers(const sfnec_analysis *analysis, const sfnec_analysis_row *row, number out[NUMBERS]) {
  const sfnec_summary *summary = &row->summary;
  const bool any = row->runs.count > 0, published = row->published;
  const bool compared = any && row != &analysis->rows[analysis->reference], paired = compared && row->paired.count;
  const bool swept = any && row->sweep != SIZE_MAX && analysis->sweeps[row->sweep].seeds;
  const bool judged = analysis->options.criterion.window > 0;
#define GIVEN(condition, value) ((condition) ? (double)(value) : (double)NAN)
  const number list[] = {
      // of its runs alone
      {"runs", (double)row->runs.count},
      {"mean", GIVEN(any, row->mean)},
      {"se", GIVEN(any, row->error)},
      {"mean_low", GIVEN(any, summary->mean.interval.low)},
      {"mean_high", GIVEN(any, summary->mean.interval.high)},
      {"median", GIVEN(any, summary->median.value)},
      {"median_low", GIVEN(any, summary->median.interval.low)},
      {"median_high", GIVEN(any, summary->median.interval.high)},
      {"iqm", GIVEN(any, summary->iqm.value)},
      {"iqm_low", GIVEN(any, summary->iqm.interval.low)},
      {"iqm_high", GIVEN(any, summary->iqm.interval.high)},
      // with the published value
      {"published", GIVEN(published, row->published->mean)},
      {"published_se", GIVEN(published, row->published->se)},
      {"published_distance", GIVEN(published, row->published_errors)},
      // with the reference, paired by seed
      {"pairs", GIVEN(compared, row->paired.count)},
      {"difference", GIVEN(paired, row->paired.mean.value)},
      {"difference_se", GIVEN(paired, row->paired.error)},
      {"difference_low", GIVEN(paired, row->paired.mean.interval.low)},
      {"difference_high", GIVEN(paired, row->paired.mean.interval.high)},
      {"better", GIVEN(paired, row->better)},
      {"worse", GIVEN(paired, row->worse)},
      {"p", GIVEN(paired, row->paired.p)},
      {"improvement", GIVEN(compared, row->improvement.value)},
      {"improvement_low", GIVEN(compared, row->improvement.interval.low)},
      {"improvement_high", GIVEN(compared, row->improvement.interval.high)},
      // in its sweep, and by the criterion of a solved environment
      {"best_chance", GIVEN(swept, row->contender.chance)},
      {"best_possible", GIVEN(swept, row->contender.possible)},
      {"solved_runs", GIVEN(judged, row->solved.runs)},
      {"solved", GIVEN(judged, row->solved.solved)},
      {"solved_after", GIVEN(judged, row->solved.after)},
      {"solved_after_se", GIVEN(judged, row->solved.after_error)},
      {"best_window", GIVEN(judged, row->solved.best)},
      {"best_window_se", GIVEN(judged, row->solved.best_error)},
  };
#undef GIVEN
  _Static_assert(sizeof list / sizeof list[0] <= NUMBERS, "NUMBERS holds the list");
  memcpy(out, list, sizeof list);
  return sizeof list / sizeof list[0];
}

// ---- JSON ----

static void put_runs(sfnec_json *json, const sfnec_run_values *runs) {
  sfnec_json_begin_flat(json, "seeds", '[');
  for (size_t i = 0; i < runs->count; i++) sfnec_json_seed(json, NULL, runs->seeds[i]);
  sfnec_json_end(json, ']');
  sfnec_json_begin_flat(json, "scores", '[');
  for (size_t i = 0; i < runs->count; i++) sfnec_json_real(json, NULL, runs->values[i]);
  sfnec_json_end(json, ']');
}

static void put_profile(sfnec_json *json, const sfnec_analysis *analysis, const sfnec_analysis_row *row) {
  sfnec_json_begin(json, "profile", '[');
  for (size_t k = 0; row->profile && k < analysis->tau_count; k++) {
    sfnec_json_begin_flat(json, NULL, '{');
    sfnec_json_real(json, "tau", analysis->taus[k]);
    sfnec_json_real(json, "share", row->profile[k].value);
    sfnec_json_real(json, "low", row->profile[k].interval.low);
    sfnec_json_real(json, "high", row->profile[k].interval.high);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

static void put_row(sfnec_json *json, const sfnec_analysis *analysis, const sfnec_analysis_row *row) {
  number numbers[NUMBERS];
  const size_t count = list_numbers(analysis, row, numbers);
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "configuration", row->configuration->name);
  sfnec_json_text(json, "label", row->configuration->label);
  sfnec_json_text(json, "point", row->configuration->point);
  for (size_t i = 0; i < count; i++) sfnec_json_real(json, numbers[i].name, numbers[i].value);
  put_runs(json, &row->runs);
  put_profile(json, analysis, row);
  sfnec_json_end(json, '}');
}

static void put_sweep(sfnec_json *json, const sfnec_analysis *analysis, const sfnec_analysis_sweep *sweep) {
  sfnec_json_begin_flat(json, NULL, '{');
  sfnec_json_text(json, "label", sweep->label);
  sfnec_json_int(json, "points", (int64_t)sweep->points);
  sfnec_json_int(json, "seeds", (int64_t)sweep->seeds);
  sfnec_json_int(json, "possible", (int64_t)sweep->possible);
  sfnec_json_text(json, "best", sweep->seeds ? analysis->rows[sweep->best].configuration->name : NULL);
  sfnec_json_end(json, '}');
}

static void write_json(const sfnec_analysis *analysis, FILE *file) {
  sfnec_json json = {.file = file};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_text(&json, "experiment", analysis->results->name);
  sfnec_json_text(&json, "env", analysis->results->env);
  sfnec_json_text(&json, "metric", analysis->metric.name);
  sfnec_json_bool(&json, "less_is_better", analysis->metric.less_is_better);
  sfnec_json_int(&json, "task", analysis->coverage.task);
  sfnec_json_bool(&json, "by_task", analysis->options.by_task);
  sfnec_json_int(&json, "resamples", analysis->options.resamples);
  sfnec_json_begin_flat(&json, "runs", '{');
  sfnec_json_coverage(&json, &analysis->coverage);
  sfnec_json_end(&json, '}');
  sfnec_json_text(&json, "against", analysis->rows[analysis->reference].configuration->name);
  sfnec_json_begin(&json, "configurations", '[');
  for (size_t i = 0; i < analysis->row_count; i++) put_row(&json, analysis, &analysis->rows[i]);
  sfnec_json_end(&json, ']');
  sfnec_json_begin(&json, "sweeps", '[');
  for (size_t i = 0; i < analysis->sweep_count; i++) put_sweep(&json, analysis, &analysis->sweeps[i]);
  sfnec_json_end(&json, ']');
  sfnec_json_end(&json, '}');
}

// ---- CSV ----

static void write_csv(const sfnec_analysis *analysis, FILE *file) {
  number numbers[NUMBERS];
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    const size_t count = list_numbers(analysis, row, numbers);
    if (i == 0) fputs("configuration,label,point,metric,task", file);
    for (size_t j = 0; i == 0 && j < count; j++) fprintf(file, ",%s", numbers[j].name);
    if (i == 0) fputs("\n", file);
    sfnec_csv_text(file, row->configuration->name);
    fputs(",", file);
    sfnec_csv_text(file, row->configuration->label);
    fputs(",", file);
    sfnec_csv_text(file, row->configuration->point);
    fprintf(file, ",%s,%" PRIu32, analysis->metric.name, analysis->coverage.task);
    for (size_t j = 0; j < count; j++) {
      fputc(',', file);
      if (isfinite(numbers[j].value)) sfnec_csv_real(file, numbers[j].value);
    }
    fputs("\n", file);
  }
}

// ---- the command ----

static int write_file(const sfnec_analysis *analysis, const char *option, const char *path,
                      void (*write)(const sfnec_analysis *analysis, FILE *file)) {
  output output;
  const int code = output_open(&output, option, path);
  if (code) return code;
  write(analysis, output.file);
  return output_close(&output, EXIT_OK);
}

static int show(const stats_args *args, const sfnec_analysis *analysis) {
  // a file on the standard output is alone there
  if (!is_stdout(args->json) && !is_stdout(args->csv)) stats_print(analysis, args->all);
  int code = args->json ? write_file(analysis, "json", args->json, write_json) : EXIT_OK;
  if (!code && args->csv) code = write_file(analysis, "csv", args->csv, write_csv);
  return code;
}

static int run_stats(const void *values, const text_list *operands) {
  const stats_args *args = values;
  if (args->json && args->csv && strcmp(args->json, args->csv) == 0)
    return misuse("stats --json and --csv need different names, not '%s' twice", args->json);
  if (args->published && (args->json || args->csv || args->metric || args->task || args->by_task || args->against))
    return misuse("stats --published goes with no other option: it shows returns after the tasks that were published");
  sfnec_criterion criterion = {.window = args->solved ? (uint32_t)args->over : 0};
  if (args->solved && !sfnec_text_to_real(args->solved, &criterion.mean))
    return misuse("stats --solved must be a finite number, not '%s'", args->solved);
  const sfnec_analysis_options options = {
      .metric = args->metric,
      .against = args->against,
      .task = (uint32_t)args->task,
      .by_task = args->by_task,
      .resamples = (uint32_t)args->resamples,
      .criterion = criterion,
  };
  sfnec_results *results = NULL;
  sfnec_analysis *analysis = NULL;
  int code = code_of(sfnec_results_load(operands->items[0], &results));
  if (!code && args->published) {
    code = published_print(results);
    sfnec_results_destroy(results);
    return code;
  }
  if (!code) code = code_of(sfnec_analysis_make(results, &options, &analysis));
  if (!code) code = show(args, analysis);
  sfnec_analysis_destroy(analysis);
  sfnec_results_destroy(results);
  return code;
}
