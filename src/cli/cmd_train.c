// cmd_train.c: `sfnec train`: one agent learns one task after another in one environment.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/drive.h"
#include "cli/progress.h"
#include "cli/setup.h"
#include "study/work/note.h"

typedef struct train_args {
  const char *agent, *env, *csv, *save;
  int64_t tasks, steps;
  arg_seed seed;
  text_list sets;
  bool quiet;
} train_args;

// everything that one training holds
typedef struct training {
  const train_args *args;
  agent_spec spec;
  world world;
  sfnec_env *env;
  sfnec_agent *agent;
  sfnec_run *run;
  sfnec_run_options options;
  csv csv;
  progress progress;
  uint32_t reported; // tasks told so far
  double sum;        // of their returns
  int code;          // of an output that failed
} training;

static int run_train(const void *values, const text_list *operands);

static const arg table[] = {
    {"agent", ARG_TEXT, offsetof(train_args, agent), "NAME", "sfnec", 0, 0,
     "a preset of sfnec list agents, or one with changes: sfnec:neighbours=4"},
    {"env", ARG_TEXT, offsetof(train_args, env), "NAME", "four_rooms", 0, 0, "an environment of sfnec list envs"},
    {"tasks", ARG_INT, offsetof(train_args, tasks), "N", "10", 1, 1000000, "tasks, one after the other"},
    {"steps", ARG_INT, offsetof(train_args, steps), "N", "20000", 1, 1000000000000, "transitions per task"},
    {"seed", ARG_SEED, offsetof(train_args, seed), "N", "1", 0, 0, "the same seed gives the same run"},
    {"set", ARG_LIST, offsetof(train_args, sets), "KEY=VALUE", NULL, 0, 0, "an option of the agent or the environment"},
    {"csv", ARG_TEXT, offsetof(train_args, csv), "FILE", NULL, 0, 0, "write one row per task"},
    {"save", ARG_TEXT, offsetof(train_args, save), "FILE", NULL, 0, 0, "save the agent at the end"},
    {"quiet", ARG_FLAG, offsetof(train_args, quiet), NULL, NULL, 0, 0, "print neither table nor progress"},
    {0},
};

const command command_train = {
    .name = "train",
    .summary = "train one agent on a sequence of tasks",
    .operands = "",
    .about = "Trains an agent on one task after another and prints a row per task. The tasks depend only\n"
             "on the environment and the seed, so that agents are comparable. Ctrl-C stops early and\n"
             "still saves.",
    .args = table,
    .values_size = sizeof(train_args),
    .run = run_train,
};

// ---- before the first step ----

static int prepare(training *t) {
  const train_args *args = t->args;
  if (args->csv && args->save && strcmp(args->csv, args->save) == 0)
    return misuse("--csv and --save are both %s; give them different names", args->csv);
  t->world.kind = world_kind(args->env);
  if (!t->world.kind) return EXIT_USAGE;
  int code = world_set(&t->world, &args->sets, true);
  if (!code) code = agent_spec_parse(&t->spec, args->agent, &args->sets);
  if (!code) code = world_create(&t->world, args->seed.value, &t->env);
  if (code) return code;

  const sfnec_env_shape shape = sfnec_env_get_shape(t->env);
  t->options = (sfnec_run_options){.tasks = (uint32_t)args->tasks, .steps = args->steps};
  sfnec_status status = sfnec_agent_create(&shape, &t->spec.options, args->seed.value, &t->agent);
  if (!status) status = sfnec_run_create(t->agent, t->env, &t->options, &t->run);
  if (status) return fail_library(status);

  // outputs last: a refused option must not have emptied yesterday's table
  if (args->save) code = check_writable(args->save, "--save");
  if (!code) code = csv_open(&t->csv, args->csv);
  return code;
}

static void release(training *t) {
  sfnec_run_destroy(t->run);
  sfnec_agent_destroy(t->agent);
  sfnec_env_destroy(t->env);
  world_clear(&t->world);
}

// ---- while it runs ----

static double speed(double steps, double seconds) {
  return seconds > 0 ? steps / seconds : 0;
}

static void print_head(const training *t) {
  printf("%s in %s, seed %" PRIu64 ", %" PRIu32 " tasks of %" PRId64 " steps\n", t->spec.label,
         sfnec_env_get_kind(t->env)->name, t->args->seed.value, t->options.tasks, t->options.steps);
  printf("%5s %12s %12s %9s %7s %9s %10s\n", "task", "return", "average", "episodes", "goals", "entries", "steps/s");
}

static void print_row(const training *t, uint32_t task, const sfnec_task_result *result) {
  printf("%5" PRIu32 " %12.2f %12.2f %9" PRId64 " %7" PRId64 " %9" PRId64 " %10.0f\n", task, result->total,
         t->sum / task, result->episodes, result->goals, result->entries,
         speed((double)t->options.steps, result->seconds));
}

// tells the tasks that ended since the last time
static int report_tasks(training *t) {
  uint32_t count;
  const sfnec_task_result *results = sfnec_run_get_results(t->run, &count);
  if (count == t->reported) return EXIT_OK;
  int code = csv_rows(&t->csv, t->spec.label, t->args->seed.value, results, t->reported, count);
  progress_clear(&t->progress);
  for (; t->reported < count; t->reported++) {
    t->sum += results[t->reported].total;
    if (!t->args->quiet) print_row(t, t->reported + 1, &results[t->reported]);
  }
  return code ? code : flush_output();
}

static bool between(void *context) {
  training *t = context;
  const int64_t done = sfnec_run_get_steps_done(t->run), all = (int64_t)t->options.tasks * t->options.steps;
  progress_draw(&t->progress, work_share(&t->spec.options, &t->options, sfnec_run_get_tasks_done(t->run)),
                "task %" PRIu32 "/%" PRIu32 "  step %" PRId64 "/%" PRId64 "  %.0f steps/s", t->reported + 1,
                t->options.tasks, done, all, speed((double)done, now() - t->progress.start));
  t->code = report_tasks(t);
  return t->code == EXIT_OK;
}

// ---- after the last step ----

static int save(training *t) {
  if (!t->args->save) return EXIT_OK;
  char *note = sfnec_note_make(t->spec.label, t->env);
  sfnec_status status = sfnec_agent_set_note(t->agent, note ? note : "");
  free(note);
  if (!status) status = sfnec_agent_save(t->agent, t->args->save);
  return status ? fail_library(status) : EXIT_OK;
}

static void print_end(const training *t) {
  char time[TEXT_NUMBER];
  const double seconds = now() - t->progress.start;
  if (t->reported)
    printf("average return per task %.2f over %" PRIu32 " task%s in %s\n", t->sum / t->reported, t->reported,
           t->reported == 1 ? "" : "s", text_duration(seconds, time));
  if (t->args->save) printf("agent saved in %s\n", t->args->save);
}

static int train(training *t) {
  if (!t->args->quiet) print_head(t);
  int code = flush_output();
  if (code) return code;

  interrupt_catch();
  progress_start(&t->progress, t->args->quiet);
  const sfnec_status status = drive(t->run, between, t);
  progress_clear(&t->progress);
  if (status) t->code = fail_library(status);

  // an output that failed is no reason to lose what was learned; an agent that failed must not replace an older one
  const int saved = status ? EXIT_OK : save(t);
  code = t->code ? t->code : saved;
  const int closed = csv_close(&t->csv);
  if (!code) code = closed;
  if (code) return code;
  if (!sfnec_run_is_done(t->run)) {
    complain("interrupted after %" PRId64 " of %" PRId64 " steps; %s%s", sfnec_run_get_steps_done(t->run),
             (int64_t)t->options.tasks * t->options.steps,
             t->args->save ? "the agent is saved in " : "nothing was saved", t->args->save ? t->args->save : "");
    return EXIT_INTERRUPTED;
  }
  if (!t->args->quiet) print_end(t);
  return flush_output();
}

static int run_train(const void *values, const text_list *operands) {
  (void)operands;
  training t = {.args = values};
  int code = prepare(&t);
  if (!code) code = train(&t);
  release(&t);
  return code;
}
