// cmd_compare.c: `sfnec compare`: several agents on the same tasks, over several seeds, in parallel.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/csv.h"
#include "cli/drive.h"
#include "cli/progress.h"

typedef struct compare_args {
  const char *agents, *seeds, *env, *csv;
  int64_t tasks, steps, jobs;
  text_list sets;
  bool quiet;
} compare_args;

typedef struct comparison {
  const compare_args *args;
  plan plan;
  csv csv;
  progress progress;
  size_t finished;
} comparison;

static int run_compare(const void *values, const text_list *operands);

static const arg table[] = {
    {"agents", ARG_TEXT, offsetof(compare_args, agents), "A,B,...", "sfnec,sfnec-nogpi,nec,sfql", 0, 0,
     "presets, or presets with changes: sfnec,sfnec:neighbours=1"},
    {"seeds", ARG_TEXT, offsetof(compare_args, seeds), "LIST", "1-4", 0, 0, "seeds and ranges: 1-4,7"},
    {"env", ARG_TEXT, offsetof(compare_args, env), "NAME", "four_rooms", 0, 0, "an environment of sfnec list envs"},
    {"tasks", ARG_INT, offsetof(compare_args, tasks), "N", "10", 1, 1000000, "tasks per run"},
    {"steps", ARG_INT, offsetof(compare_args, steps), "N", "20000", 1, 1000000000000, "transitions per task"},
    {"set", ARG_LIST, offsetof(compare_args, sets), "KEY=VALUE", NULL, 0, 0,
     "an option of all agents or of the environment"},
    {"jobs", ARG_INT, offsetof(compare_args, jobs), "N", NULL, 1, 4096,
     "runs at the same time (default: one per core)"},
    {"csv", ARG_TEXT, offsetof(compare_args, csv), "FILE", NULL, 0, 0, "write one row per agent, seed and task"},
    {"quiet", ARG_FLAG, offsetof(compare_args, quiet), NULL, NULL, 0, 0, "print neither table nor progress"},
    {0},
};

const command command_compare = {
    .name = "compare",
    .summary = "compare agents over several seeds, in parallel",
    .operands = "",
    .about = "Trains every agent with every seed and prints the average returns side by side. Agents of\n"
             "one seed see the same tasks. The results do not depend on the number of jobs.",
    .args = table,
    .values_size = sizeof(compare_args),
    .run = run_compare,
};

static int prepare(comparison *c) {
  const compare_args *args = c->args;
  c->plan.run = (sfnec_run_options){.tasks = (uint32_t)args->tasks, .steps = args->steps};
  c->plan.world.kind = world_kind(args->env);
  if (!c->plan.world.kind) return EXIT_USAGE;
  int code = world_set(&c->plan.world, &args->sets, true);
  if (!code) code = plan_make(&c->plan, args->agents, args->seeds, &args->sets);
  // last: a refused option must not have emptied yesterday's table
  if (!code) code = csv_open(&c->csv, args->csv);
  return code;
}

static size_t thread_count(const compare_args *args) {
  if (args->jobs) return (size_t)args->jobs;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (size_t)cores : 1;
}

// ---- while it runs ----

static int on_finished(void *context, job *job) {
  comparison *c = context;
  const sfnec_run_options *run = &c->plan.run;
  c->finished++;
  // a stream cannot be sorted later, so it gets its rows at the end
  int code = EXIT_OK;
  if (!c->csv.stream) code = csv_rows(&c->csv, job->agent->label, job->seed, job->results, 0, run->tasks);
  if (c->args->quiet || c->progress.terminal) return code;

  double sum = 0, seconds = 0;
  for (uint32_t i = 0; i < run->tasks; i++) {
    sum += job->results[i].total;
    seconds += job->results[i].seconds;
  }
  char time[TEXT_NUMBER];
  fprintf(stderr, "%zu/%zu %s seed %" PRIu64 ": average return %.1f in %s\n", c->finished, plan_job_count(&c->plan),
          job->agent->label, job->seed, sum / run->tasks, text_duration(seconds, time));
  return code;
}

static void on_tick(void *context, double share, int64_t steps) {
  comparison *c = context;
  const double seconds = now() - c->progress.start;
  progress_draw(&c->progress, share, "%zu/%zu runs  %.0f%%  %.0f steps/s", c->finished, plan_job_count(&c->plan),
                100 * share, seconds > 0 ? (double)steps / seconds : 0);
}

// ---- at the end ----

// the finished runs in the order agent, seed, task
static int write_final(comparison *c) {
  int code = csv_begin_final(&c->csv);
  for (size_t i = 0; i < plan_job_count(&c->plan) && !code; i++) {
    const job *job = &c->plan.jobs[i];
    if (job->finished) code = csv_rows(&c->csv, job->agent->label, job->seed, job->results, 0, c->plan.run.tasks);
  }
  const int closed = csv_close(&c->csv);
  return code ? code : closed;
}

static int compare(comparison *c) {
  interrupt_catch();
  progress_start(&c->progress, c->args->quiet);
  const pool_events events = {on_finished, on_tick, c};
  int code = pool_run(&c->plan, thread_count(c->args), &events);
  progress_clear(&c->progress);
  const int written = write_final(c);
  if (!code || (code == EXIT_INTERRUPTED && written)) code = written;

  if (code == EXIT_INTERRUPTED)
    complain("interrupted: %zu of %zu runs were finished%s%s", c->finished, plan_job_count(&c->plan),
             c->args->csv ? "; their rows are in " : "", c->args->csv ? c->args->csv : "");
  if (!c->args->quiet && c->finished && (!code || code == EXIT_INTERRUPTED)) compare_print(&c->plan);
  return code;
}

static int run_compare(const void *values, const text_list *operands) {
  (void)operands;
  comparison c = {.args = values};
  int code = prepare(&c);
  if (!code) code = compare(&c);
  plan_clear(&c.plan);
  return code;
}
