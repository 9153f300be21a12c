// cmd_compare.c: `sfnec compare`: several agents on the same tasks, over several seeds, in parallel.

#include "cli/output.h"
#include "cli/study.h"
#include "cli/tables.h"

typedef struct compare_args {
  study_args study;
  const char *agents, *csv;
} compare_args;

typedef struct comparison {
  study study;
  const compare_args *args;
  sfnec_results *results;
  csv csv;
} comparison;

static int run_compare(const void *values, const text_list *operands);

static const arg table[] = {
    {"agents", ARG_TEXT, offsetof(compare_args, agents), "A,B,...", "sfnec,sfnec-nogpi,nec,sfql", 0, 0,
     "presets, or presets with changes: sfnec,sfnec:neighbours=1"},
    STUDY_ARGS(compare_args, "keep the experiment in this folder, or resume it", "four_rooms", "1-4", "10",
               " (default 20000)", "print neither table nor progress"),
    {"csv", ARG_TEXT, offsetof(compare_args, csv), "FILE", NULL, 0, 0,
     "write one row per agent, seed and task; - is standard output, instead of the table"},
    {0},
};

const command command_compare = {
    .name = "compare",
    .summary = "compare agents over several seeds, in parallel",
    .operands = "",
    .about = "Trains every agent with every seed and prints the average returns side by side. Agents of\n"
             "one seed see the same tasks. The results do not depend on the number of jobs. With -o DIR the\n"
             "same command resumes where it stopped, and sfnec stats, plot and report know the folder.",
    .args = table,
    .values_size = sizeof(compare_args),
    .run = run_compare,
};

// ---- before the first job ----

static sfnec_status make_spec(comparison *c) {
  text_list agents = {0};
  text_split(&agents, c->args->agents, ',');
  const sfnec_overrides overrides = study_overrides(&c->args->study, c->study.python);
  const sfnec_status status = sfnec_spec_make("compare", (const char *const *)agents.items, &overrides, &c->study.spec);
  text_clear(&agents);
  return status;
}

static int prepare(comparison *c) {
  int code = study_plan(&c->study, make_spec(c));
  if (!code && c->args->study.out) c->study.folder = must_copy(c->args->study.out);
  if (!code) code = study_open(&c->study);
  if (!code) code = study_results(&c->study, &c->results);
  // last: a refused option must not have emptied yesterday's table
  if (!code) code = csv_open(&c->csv, c->args->csv);
  return code;
}

// ---- while it runs ----

static int write_rows(comparison *c, size_t job) {
  const sfnec_result_run *run = &c->results->runs[job];
  return csv_rows(&c->csv, c->results->configurations[run->configuration].name, run->seed, run->tasks, run->task_count);
}

static int on_task(study *study, uint32_t job, const sfnec_task_record *record) {
  return code_of(sfnec_results_put(((comparison *)study)->results, job, record));
}

static int on_done(study *study, uint32_t job) {
  comparison *c = (comparison *)study;
  c->results->runs[job].state = SFNEC_JOB_DONE;
  // a stream cannot be sorted later, so it gets its rows at the end
  return c->csv.stream ? EXIT_OK : write_rows(c, job);
}

// ---- at the end ----

// the finished runs in the order agent, seed, task; the others are forgotten
static int write_final(comparison *c) {
  int code = csv_begin_final(&c->csv);
  for (size_t i = 0; i < c->results->run_count; i++) {
    if (c->results->runs[i].state != SFNEC_JOB_DONE) c->results->runs[i].task_count = 0;
    else if (!code) code = write_rows(c, i);
  }
  const int closed = csv_close(&c->csv);
  return code ? code : closed;
}

static int conclude(const comparison *c) {
  const sfnec_study_outcome *outcome = &c->study.outcome;
  const size_t all = c->study.plan->job_count;
  if (outcome->interrupted) {
    complain("interrupted: %zu of %zu runs were finished%s%s%s", outcome->done, all,
             c->args->csv ? "; their rows are in " : "", c->args->csv ? c->args->csv : "",
             c->study.folder ? "; the same command resumes" : "");
    return EXIT_INTERRUPTED;
  }
  return outcome->failed ? fail("%zu of %zu runs failed", outcome->failed, all) : EXIT_OK;
}

static int compare(comparison *c) {
  const int code = study_run(&c->study), written = write_final(c);
  if (code || written) return code ? code : written;
  const int concluded = conclude(c);
  const bool shown = !c->args->study.quiet && !is_stdout(c->args->csv) && c->study.outcome.done;
  const int printed = shown ? comparison_print(c->results) : EXIT_OK;
  return concluded ? concluded : printed;
}

static int run_compare(const void *values, const text_list *operands) {
  (void)operands;
  const compare_args *args = values;
  comparison c = {.study = {.args = &args->study,
                            .python = must_python(),
                            .ranks = 1,
                            .print_jobs = true,
                            .checkpoint = STUDY_CHECKPOINT,
                            .on_task = on_task,
                            .on_done = on_done},
                  .args = args};
  text_push(&c.study.words, "compare");
  text_push(&c.study.words, "--agents");
  text_push(&c.study.words, args->agents);
  int code = prepare(&c);
  if (!code) code = compare(&c);
  sfnec_results_destroy(c.results);
  study_close(&c.study);
  return code;
}
