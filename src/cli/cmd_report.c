// cmd_report.c: `sfnec report`: an experiment as one page for the browser.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "show/report/report.h"

typedef struct report_args {
  const char *out, *env;
  int64_t resamples, replays;
} report_args;

static int run_report(const void *values, const text_list *operands);

static const arg table[] = {
    {"out", ARG_TEXT, offsetof(report_args, out), "FILE", NULL, 0, 0,
     "the page; - is the standard output (default: DIR/report.html)"},
    {"resamples", ARG_INT, offsetof(report_args, resamples), "N", "10000", 1, 10000000, "of the bootstrap"},
    {"replays", ARG_INT, offsetof(report_args, replays), "N", "8", 0, 100,
     "so many configurations get a replay, if their agents were kept"},
    {"env", ARG_TEXT, offsetof(report_args, env), "NAME", NULL, 0, 0, "of the replays: " ENV_PLAYED},
    {0},
};

const command command_report = {
    .name = "report",
    .summary = "write an experiment as one page for the browser",
    .operands = "DIR",
    .about = "Writes one HTML file that works offline and can be mailed: what was run, ours against published\n"
             "values, curves with bands, box plots and tables of sweeps, the use of old policies, the growth of\n"
             "the memory, statistics, the data for download, and replays of the agents (for a spec with\n"
             "'record: {agents: yes}'). An experiment may be unfinished: what is there is shown.\n"
             "docs/report.md is the guide.",
    .args = table,
    .values_size = sizeof(report_args),
    .run = run_report,
};

static int write_report(const report_args *args, const sfnec_results *results, const char *path) {
  const sfnec_report_options options = {
      .resamples = (uint32_t)args->resamples, .replays = (uint32_t)args->replays, .env = args->env};
  sfnec_coverage coverage = {0};
  output output;
  int code = output_open(&output, args->out ? "out" : NULL, path);
  if (code) return code;
  code = output_close(&output, code_of(sfnec_report_write(results, &options, output.file, &coverage)));
  if (code || is_stdout(path)) return code;
  printf("wrote %s: open it in a browser\n", path);
  if (coverage.done < coverage.wanted)
    printf("%zu of %zu runs are finished; the page shows what is there\n", coverage.done, coverage.wanted);
  return EXIT_OK;
}

static int run_report(const void *values, const text_list *operands) {
  const report_args *args = values;
  const char *folder = operands->items[0];
  const size_t length = strlen(folder);
  sfnec_results *results = NULL;
  // before the minute that a large experiment may take
  int code = code_of(sfnec_report_check());
  if (!code) code = code_of(sfnec_results_load(folder, &results));
  if (code) return code;
  char *path = text_print("%s%sreport.html", folder, length && folder[length - 1] == '/' ? "" : "/");
  code = write_report(args, results, args->out ? args->out : path);
  free(path);
  sfnec_results_destroy(results);
  return code;
}
