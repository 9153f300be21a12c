// cmd_clean.c: `sfnec clean`: deletes the saved states that are only needed to extend an experiment.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/disk.h"
#include "study/work/state_file.h"

typedef struct clean_args {
  bool unfinished;
} clean_args;

static int run_clean(const void *values, const text_list *operands);

static const arg table[] = {
    {"unfinished", ARG_FLAG, offsetof(clean_args, unfinished), NULL, NULL, 0, 0,
     "also the checkpoints of jobs that are not done: they would start from their beginning"},
    {0},
};

const command command_clean = {
    .name = "clean",
    .summary = "delete the saved states that are only needed to extend an experiment",
    .operands = "DIR",
    .about = "Removes the states of the jobs that are done. Results, kept agents, figures and the page stay.\n"
             "More seeds or sweep points extend the experiment as before; with more tasks its jobs start from\n"
             "their beginning.",
    .args = table,
    .values_size = sizeof(clean_args),
    .run = run_clean,
};

static int clean(const sfnec_results *results, bool unfinished) {
  const disk_use before = disk_measure(results->folder, results);
  int code = EXIT_OK;
  for (size_t i = 0; i < results->run_count && !code; i++) {
    if (results->runs[i].state != SFNEC_JOB_DONE && !unfinished) continue;
    char *folder = text_print("%s/jobs/%s", results->folder, results->runs[i].id);
    code = code_of(sfnec_state_discard(folder));
    free(folder);
  }
  const disk_use after = disk_measure(results->folder, results);
  char gone[TEXT_NUMBER], left[TEXT_NUMBER], kept[TEXT_NUMBER];
  printf("%s removed, %s left in %s\n", disk_text(before.all - after.all, gone), disk_text(after.all, left),
         results->folder);
  if (after.going)
    printf("%s of that are checkpoints of jobs that are not done (--unfinished drops them too)\n",
           disk_text(after.going, kept));
  return code;
}

static int run_clean(const void *values, const text_list *operands) {
  const clean_args *args = values;
  const char *folder = operands->items[0];
  sfnec_results *results = NULL;
  sfnec_store *store = NULL;
  // first: a folder that holds no experiment is not made one
  int code = code_of(sfnec_results_load(folder, &results));
  // nobody may be working there
  if (!code) code = code_of(sfnec_store_open(folder, &store));
  if (!code) code = clean(results, args->unfinished);
  sfnec_store_close(store);
  sfnec_results_destroy(results);
  return code;
}
