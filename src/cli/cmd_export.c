// cmd_export.c: `sfnec export`: the stored results for other programs.
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "show/export/export.h"

typedef struct export_args {
  const char *csv, *json, *tensorboard, *table;
  bool seconds;
} export_args;

static int run_export(const void *values, const text_list *operands);

static const arg table[] = {
    {"csv", ARG_TEXT, offsetof(export_args, csv), "FILE", NULL, 0, 0, "comma-separated values; - is standard output"},
    {"json", ARG_TEXT, offsetof(export_args, json), "FILE", NULL, 0, 0, "one JSON document; - is standard output"},
    {"tensorboard", ARG_TEXT, offsetof(export_args, tensorboard), "FOLDER", NULL, 0, 0,
     "event files: then tensorboard --logdir FOLDER"},
    {"table", ARG_TEXT, offsetof(export_args, table), "NAME", NULL, 0, 0,
     "rows of the CSV: tasks (default), episodes, bins, evaluations or uses"},
    {"seconds", ARG_FLAG, offsetof(export_args, seconds), NULL, NULL, 0, 0,
     "also what depends on the machine: seconds, speed, sessions"},
    {0},
};

const command command_export = {
    .name = "export",
    .summary = "write the results of an experiment as CSV, JSON or for TensorBoard",
    .operands = "DIR",
    .about = "Writes what is stored in DIR/experiment.db, also while the experiment is running. The order is\n"
             "that of the spec; without --seconds equal results are equal bytes, however they were made.",
    .args = table,
    .values_size = sizeof(export_args),
    .run = run_export,
};

static int choose_table(const export_args *args, sfnec_export_table *choice) {
  static const char *const names[] = {"tasks", "episodes", "bins", "evaluations", "uses"};
  *choice = SFNEC_EXPORT_TASKS;
  if (!args->table) return EXIT_OK;
  if (!args->csv) return misuse("export --table goes with --csv FILE");
  const char *nearest = NULL;
  for (int i = SFNEC_EXPORT_TASKS; i <= SFNEC_EXPORT_USES; i++) {
    *choice = (sfnec_export_table)i;
    if (strcmp(names[i], args->table) == 0) return EXIT_OK;
    nearest = sfnec_text_nearer(args->table, nearest, names[i]);
  }
  char hint[TEXT_HINT];
  return misuse("export --table is '%s' but must be tasks, episodes, bins, evaluations or uses%s", args->table,
                text_hint("", nearest, hint));
}

static bool has_episodes(const sfnec_results *results) {
  for (size_t i = 0; i < results->run_count; i++)
    if (results->runs[i].task_count && results->runs[i].tasks[0].episode_count) return true;
  return false;
}

static bool has_bins(const sfnec_results *results) {
  for (size_t i = 0; i < results->run_count; i++)
    for (uint32_t task = 0; task < results->runs[i].task_count; task++)
      if (results->runs[i].tasks[task].bin_count) return true;
  return false;
}

static int write_csv(const export_args *args, const sfnec_results *results, sfnec_export_table choice) {
  if (choice == SFNEC_EXPORT_EPISODES && !has_episodes(results))
    return fail("the experiment in %s has no episodes; set 'record: {episodes: yes}' in the spec of a new one",
                results->folder);
  if (choice == SFNEC_EXPORT_BINS && !has_bins(results))
    return fail(
        "the experiment in %s has no curves over steps: it was made by an older program, or 'record: {bins: 0}' "
        "is in its spec; run a new one",
        results->folder);
  output output;
  const int code = output_open(&output, "csv", args->csv);
  if (code) return code;
  return output_close(&output, code_of(sfnec_export_csv(output.file, results, choice, args->seconds)));
}

static int write_json(const export_args *args, const sfnec_results *results) {
  output output;
  const int code = output_open(&output, "json", args->json);
  if (code) return code;
  sfnec_export_json(output.file, results, args->seconds);
  return output_close(&output, EXIT_OK);
}

static int run_export(const void *values, const text_list *operands) {
  const export_args *args = values;
  if (!args->csv && !args->json && !args->tensorboard)
    return misuse("export needs --csv FILE, --json FILE or --tensorboard FOLDER (see sfnec export --help)");
  if (is_stdout(args->csv) && is_stdout(args->json))
    return misuse("export cannot write both --csv and --json to standard output; give one of them a file");
  sfnec_export_table choice;
  sfnec_results *results = NULL;
  int code = choose_table(args, &choice);
  if (!code) code = code_of(sfnec_results_load(operands->items[0], &results));
  if (!code && args->csv) code = write_csv(args, results, choice);
  if (!code && args->json) code = write_json(args, results);
  if (!code && args->tensorboard) code = code_of(sfnec_export_tensorboard(args->tensorboard, results, args->seconds));
  sfnec_results_destroy(results);
  return code;
}
