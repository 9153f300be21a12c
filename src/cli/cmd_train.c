// cmd_train.c: `sfnec train`: one agent learns one task after another in one environment: a study of one job.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/output.h"
#include "cli/study.h"
#include "study/analysis/analysis.h"

typedef struct train_args {
  study_args study;
  const char *agent, *csv, *save, *log;
  arg_seed seed;
} train_args;

typedef struct training {
  study study;
  const train_args *args;
  bool table; // is printed
  csv csv;
  uint32_t reported;        // tasks reported so far
  sfnec_task_record *tasks; // (all of the job) their results, without the arrays that they refer to
  sfnec_metric metric;      // what the table leads with
} training;

static int run_train(const void *values, const text_list *operands);

static const arg table[] = {
    {"agent", ARG_TEXT, offsetof(train_args, agent), "NAME", "sfnec", 0, 0,
     "a preset of sfnec list agents, or one with changes: sfnec:neighbours=4"},
    {"seed", ARG_SEED, offsetof(train_args, seed), "N", NULL, 0, 0,
     "the same seed gives the same run; the same as --seeds N (default 1)"},
    STUDY_ARGS(train_args, "keep the experiment in this folder, or resume it", "four_rooms", NULL, "10",
               " (default 20000)", "print neither table nor progress"),
    {"reward", ARG_LIST, offsetof(train_args, study.rewards), "EXPRESSION", NULL, 0, 0,
     "what the tasks reward, in turn, such as '1 if goal else -0.1'; weights: those of the environment"},
    {"csv", ARG_TEXT, offsetof(train_args, csv), "FILE", NULL, 0, 0,
     "write one row per task; - is standard output, instead of the table"},
    {"save", ARG_TEXT, offsetof(train_args, save), "FILE", NULL, 0, 0, "save the agent at the end"},
    {"log", ARG_TEXT, offsetof(train_args, log), "FILE.npz", NULL, 0, 0,
     "write all transitions at the end, for sfnec learn, Python and NumPy"},
    {0},
};

const command command_train = {
    .name = "train",
    .summary = "train one agent on a sequence of tasks",
    .operands = "",
    .about = "Trains an agent on one task after another and prints a row per task. The tasks depend only\n"
             "on the environment and the seed, so that agents are comparable. Ctrl-C stops early and\n"
             "still saves. With -o DIR the same command resumes where it stopped.",
    .args = table,
    .values_size = sizeof(train_args),
    .run = run_train,
};

// ---- before the first step ----

static int make_plan(training *t) {
  const train_args *args = t->args;
  if (args->seed.given && args->study.seeds) return misuse("--seed and --seeds mean the same here; give one of them");
  char seed[TEXT_NUMBER];
  sfnec_overrides overrides = study_overrides(&args->study, t->study.python);
  if (args->seed.given) {
    snprintf(seed, sizeof seed, "%" PRIu64, args->seed.value);
    overrides.seeds = seed;
    text_push(&t->study.words, "--seed");
    text_push(&t->study.words, seed);
  }
  const char *const agents[] = {args->agent, NULL};
  const int code = study_plan(&t->study, sfnec_spec_make("train", agents, &overrides, &t->study.spec));
  if (!code && t->study.plan->job_count > 1)
    return misuse("--seeds %s: train takes one seed; sfnec compare --agents %s takes several", args->study.seeds,
                  args->agent);
  return code;
}

static int prepare(training *t) {
  const train_args *args = t->args;
  if (args->csv && args->save && strcmp(args->csv, args->save) == 0)
    return misuse("--csv and --save are both %s; give them different names", args->csv);
  if (args->log && args->study.rewards.count)
    return misuse("--log has the reward weights of each task; record it without --reward, and learn from it under any");
  if (args->log && args->study.out)
    return misuse("--log has the transitions of one session; leave out -o, or record the log elsewhere");
  int code = make_plan(t);
  if (!code) {
    const sfnec_spec *spec = t->study.spec;
    code = code_of(sfnec_metric_find(spec->world.kind ? spec->world.kind->metric : NULL, &t->metric));
    t->tasks = must_alloc(t->study.plan->jobs[0].run.tasks, sizeof *t->tasks);
  }
  if (!code && args->study.out) {
    t->study.folder = must_copy(args->study.out);
    t->study.spec->kept_agents = SFNEC_KEPT_ALL;
  }
  // outputs last: a refused option must not have emptied yesterday's table
  if (!code && args->save) code = check_writable(args->save, "--save");
  if (!code && args->log) code = check_writable(args->log, "--log");
  if (!code) code = study_open(&t->study);
  if (!code) code = csv_open(&t->csv, args->csv);
  return code;
}

// ---- the table ----

static const char *label_of(const training *t) {
  return t->study.plan->configurations[0].name;
}

static const char *lead_of(const training *t) {
  return sfnec_metric_is_return(&t->metric) ? "return" : t->metric.name;
}

// of the column that leads
static int lead_width(const training *t) {
  const int length = (int)strlen(lead_of(t));
  return length > 12 ? length : 12;
}

static void print_head(const training *t) {
  const sfnec_job *job = &t->study.plan->jobs[0];
  printf("%s in %s, seed %" PRIu64 ", %" PRIu32 " task%s of ", label_of(t), t->study.spec->env, job->seed,
         job->run.tasks, plural(job->run.tasks));
  print_limits(stdout, job->run.steps, job->run.episodes);
  printf("\n%5s %*s %12s %9s %7s %9s %10s\n", "task", lead_width(t), lead_of(t), "average", "episodes", "goals",
         "entries", "steps/s");
}

static void print_row(const training *t, uint32_t task) {
  const sfnec_task_result *result = &t->tasks[task - 1].result;
  printf("%5" PRIu32 " %*.2f %12.2f %9" PRId64 " %7" PRId64 " %9" PRId64 " %10.0f\n", task, lead_width(t),
         sfnec_metric_value(&t->metric, t->tasks, task - 1, task), sfnec_metric_value(&t->metric, t->tasks, 0, task),
         result->episodes, result->goals, result->entries,
         result->seconds > 0 ? (double)result->steps / result->seconds : 0);
}

static int on_task(study *study, uint32_t job, const sfnec_task_record *record) {
  training *t = (training *)study;
  // reported before: the task was run again after its checkpoint was lost
  if (record->task < t->reported) return EXIT_OK;
  const int code = csv_rows(&t->csv, label_of(t), study->plan->jobs[job].seed, record, 1);
  t->tasks[t->reported++] = (sfnec_task_record){.task = record->task, .result = record->result};
  progress_clear(&study->progress);
  if (t->table) print_row(t, t->reported);
  return code ? code : flush_output();
}

// the tasks of earlier sessions
static int report_stored(training *t) {
  sfnec_results *results = NULL;
  int code = study_results(&t->study, &results);
  for (uint32_t i = 0; !code && i < results->runs[0].task_count; i++)
    code = on_task(&t->study, 0, &results->runs[0].tasks[i]);
  sfnec_results_destroy(results);
  return code;
}

// ---- after the last step ----

// a job that is finished keeps its agent in the folder, whichever session it was finished in
static int save_kept(const training *t) {
  const sfnec_plan *plan = t->study.plan;
  const char *path = sfnec_job_agent_path(plan->arena, t->study.folder, &plan->jobs[0]);
  if (!path) return fail("out of memory");
  sfnec_agent *agent = NULL;
  sfnec_status status = sfnec_agent_load(path, &agent);
  if (!status) status = sfnec_agent_save(agent, t->args->save);
  sfnec_agent_destroy(agent);
  return code_of(status);
}

static int print_interrupted(const training *t) {
  const sfnec_run_options *run = &t->study.plan->jobs[0].run;
  char of[64] = "";
  if (!run->episodes) snprintf(of, sizeof of, " of %" PRId64, (int64_t)run->tasks * run->steps);
  const char *saved = t->args->save ? t->args->save : t->study.folder;
  complain("interrupted after %" PRId64 "%s steps; %s%s%s", t->study.outcome.steps, of,
           t->args->save            ? "the agent is saved in "
           : !saved                 ? "nothing was saved"
           : study_saves(&t->study) ? "all is saved in "
                                    : "the finished tasks are in ",
           saved ? saved : "", t->study.folder ? "; the same command resumes" : "");
  return EXIT_INTERRUPTED;
}

static void print_end(const training *t) {
  char time[TEXT_NUMBER];
  const double seconds = sfnec_seconds() - t->study.progress.start;
  printf("%s %.2f over %" PRIu32 " task%s in %s\n", t->metric.help,
         sfnec_metric_value(&t->metric, t->tasks, 0, t->reported), t->reported, plural(t->reported),
         text_duration(seconds, time));
  if (t->args->save) printf("agent saved in %s\n", t->args->save);
  if (t->args->log) printf("transitions written to %s\n", t->args->log);
}

static int train(training *t) {
  if (t->table) print_head(t);
  int code = flush_output();
  if (!code && t->study.store) code = report_stored(t);
  if (code) return code;

  code = study_run(&t->study);
  const int closed = csv_close(&t->csv);
  if (!code) code = closed;
  if (code) return code;
  // the error has been reported
  if (t->study.outcome.failed || t->study.unsaved) return EXIT_FAILED;
  if (t->study.outcome.interrupted) return print_interrupted(t);
  if (t->study.folder && t->args->save) code = save_kept(t);
  if (!code && t->table) print_end(t);
  return code ? code : flush_output();
}

static int run_train(const void *values, const text_list *operands) {
  (void)operands;
  const train_args *args = values;
  training t = {.study = {.args = &args->study,
                          .python = must_python(),
                          .ranks = 1,
                          .checkpoint = STUDY_CHECKPOINT,
                          .agent_path = args->save,
                          .log_path = args->log,
                          .on_task = on_task},
                .args = args,
                .table = !args->study.quiet && !is_stdout(args->csv)};
  text_push(&t.study.words, "train");
  text_push(&t.study.words, "--agent");
  text_push(&t.study.words, args->agent);
  int code = prepare(&t);
  if (!code) code = train(&t);
  free(t.tasks);
  study_close(&t.study);
  return code;
}
