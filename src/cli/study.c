// study.c: what run, compare and train share; see study.h.
#include "cli/study.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/crash.h"
#include "cli/disk.h"
#include "study/analysis/analysis.h"

// ---- signals ----

// seconds in which further signals wait for the saving; then they end the program: the way out when saving hangs
enum { SAVING = 30 };

// when the first signal came, by the monotonic clock and never 0; the only thing that the handler can reach. Lock-free,
// and read by the scheduler
static atomic_llong asked_at;

static void ask_stop(int number) {
  const int error = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long first = 0;
  if (!atomic_compare_exchange_strong(&asked_at, &first, (long long)now.tv_sec + 1) && now.tv_sec >= first + SAVING) {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

// Ctrl-C, SIGTERM and SIGHUP stop the work at the next slice, and it is saved
static void catch_interrupts(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = ask_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    sigaction(signals[i], NULL, &before);
    // under nohup the end of the terminal is no reason to stop
    if (signals[i] != SIGHUP || before.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
  }
}

// ---- the plan ----

sfnec_python *must_python(void) {
  sfnec_python *python = sfnec_python_create();
  if (python) return python;
  crash_done();
  exit(fail("out of memory"));
}

sfnec_overrides study_overrides(const study_args *args, sfnec_python *python) {
  return (sfnec_overrides){.gym_host = sfnec_python_host(python),
                           .env = args->env,
                           .seeds = args->seeds,
                           .tasks = args->tasks,
                           .steps = args->steps,
                           .episodes = args->episodes,
                           .rewards = (const char *const *)args->rewards.items,
                           .sets = (const char *const *)args->sets.items};
}

bool study_saves(const study *study) {
  return !study->spec->world.kind->destroy;
}

int study_plan(study *study, sfnec_status status) {
  sfnec_metric metric;
  if (!status) status = sfnec_metric_find(study->spec->metric, &metric);
  if (!status) status = sfnec_plan_create(study->spec, &study->plan);
  // a bad spec is a wrong use of the command, wherever it is wrong
  if (status == SFNEC_ERROR_FORMAT || status == SFNEC_ERROR_OPTION) return misuse("%s", sfnec_last_error());
  return code_of(status);
}

// ---- the folder ----

// moves an experiment out of the way, to the first free of DIR.1, DIR.2, ...
static int move_away(const study *study) {
  struct stat there;
  if (lstat(study->folder, &there)) return EXIT_OK;
  // whoever works there holds the lock
  sfnec_store *store = NULL;
  const sfnec_status status = sfnec_store_open(study->folder, &store);
  sfnec_store_close(store);
  if (status == SFNEC_ERROR_STATE) return code_of(status);

  int code = EXIT_OK;
  char *other = NULL;
  for (int i = 1; !other || lstat(other, &there) == 0; i++) {
    free(other);
    other = text_print("%s.%d", study->folder, i);
  }
  if (rename(study->folder, other)) code = fail("cannot move %s to %s: %s", study->folder, other, strerror(errno));
  else if (!study->args->quiet) fprintf(stderr, "the earlier experiment is now in %s\n", other);
  free(other);
  return code;
}

// ---- the plan against what is stored ----

// whether all that changed is the version of the plugin, and its path: both stand in the specs that are stored
static bool only_version(const char *diff) {
  for (const char *line = diff; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (*line != '+' && *line != '-') continue;
    const char *key = line + 1 + strspn(line + 1, " ");
    if (strncmp(key, "version:", strlen("version:")) != 0 && strncmp(key, "plugin:", strlen("plugin:")) != 0)
      return false;
  }
  return diff && *diff;
}

static int refuse_changes(const study *study, const char *before, const char *after) {
  const char *diff = sfnec_spec_diff(study->spec->arena, before, after);
  if (study->spec->world.plugin && only_version(diff))
    return fail("%s holds an experiment with another version of the plugin %s: the plugin was changed or compiled "
                "again; use -o for another folder, --force-new to start again, or the file of then",
                study->folder, study->spec->world.plugin);
  complain("%s holds an experiment with another spec; use -o for another folder, --force-new to start again, or undo "
           "these changes:",
           study->folder);
  fputs(diff ? diff : "", stderr);
  return EXIT_FAILED;
}

// a plan that asks for less than is stored changes nothing there
static void print_part(const study *study, const char *before, const char *after) {
  if (study->args->quiet) return;
  const char *diff = sfnec_spec_diff(study->spec->arena, before, after);
  fprintf(stderr, "%s holds more than is asked for, and keeps it:\n%s", study->folder, diff ? diff : "");
}

static int set_plan(study *study) {
  const char *before = sfnec_store_spec(study->store), *after = sfnec_spec_text(study->spec);
  if (!after) return fail("out of memory");
  sfnec_plan_match fit = SFNEC_MATCH_EXTENDS;
  sfnec_status status = SFNEC_OK;
  if (before && strcmp(before, after) != 0) status = sfnec_store_match(study->store, study->plan, &fit);
  if (!status && fit == SFNEC_MATCH_OTHER) return refuse_changes(study, before, after);
  study->part = !status && fit == SFNEC_MATCH_PART;
  if (study->part) print_part(study, before, after);
  // what is asked for is stored, and the rest with it stays
  else if (!status) status = sfnec_store_set_plan(study->store, study->plan, after);
  return code_of(status);
}

int study_open(study *study) {
  if (!study->folder) return EXIT_OK;
  int code = study->args->force_new ? move_away(study) : EXIT_OK;
  if (!code) code = code_of(sfnec_store_open(study->folder, &study->store));
  if (!code) code = set_plan(study);
  return code ? code : code_of(sfnec_job_make_folders(study->plan->arena, study->folder));
}

// The stored run of a job; `at` is where the last one was found. They mostly stand in the same order, with others
// between them if this is a part of what is stored.
static const sfnec_result_run *find_run(const sfnec_results *stored, const char *id, size_t *at) {
  for (size_t i = 0; i < stored->run_count; i++, *at = (*at + 1) % stored->run_count)
    if (strcmp(stored->runs[*at].id, id) == 0) return &stored->runs[*at];
  return NULL;
}

// what an earlier session stored, put where the rest will come
static sfnec_status add_stored(const study *study, sfnec_results *results) {
  sfnec_results *stored;
  sfnec_status status = sfnec_results_load(study->folder, &stored);
  if (status) return status;
  for (size_t i = 0, at = 0; i < results->run_count; i++) {
    sfnec_result_run *run = &results->runs[i];
    const sfnec_result_run *from = find_run(stored, run->id, &at);
    if (!from) continue;
    // of a job that is stored with more tasks, those that are asked for
    const uint32_t count = from->task_count < run->tasks_wanted ? from->task_count : run->tasks_wanted;
    run->state = from->tasks_wanted > run->tasks_wanted && count == run->tasks_wanted ? SFNEC_JOB_DONE : from->state;
    for (uint32_t t = 0; t < count && !status; t++) status = sfnec_results_put(results, i, &from->tasks[t]);
  }
  sfnec_results_destroy(stored);
  return status;
}

int study_results(const study *study, sfnec_results **out) {
  sfnec_status status = sfnec_results_make(study->plan, out);
  if (!status && study->store) status = add_stored(study, *out);
  return code_of(status);
}

// ---- the session ----

// the command that resumes this, for `sfnec status`; NULL without memory
static const char *going_on(const study *study) {
  const study_args *args = study->args;
  FILE *stream = sfnec_arena_open_text(study->plan->arena);
  if (!stream) return NULL;
  fprintf(stream, "sfnec");
  for (size_t i = 0; i < study->words.count; i++) text_print_quoted(stream, " ", study->words.items[i]);
  text_print_quoted(stream, " -o ", study->folder);
  if (study->flag) fprintf(stream, " %s", study->flag);
  if (args->env) text_print_quoted(stream, " --env ", args->env);
  if (args->seeds) text_print_quoted(stream, " --seeds ", args->seeds);
  if (args->tasks) fprintf(stream, " --tasks %" PRId64, args->tasks);
  if (args->steps) fprintf(stream, " --steps %" PRId64, args->steps);
  if (args->episodes) fprintf(stream, " --episodes %" PRId64, args->episodes);
  for (size_t i = 0; i < args->sets.count; i++) text_print_quoted(stream, " --set ", args->sets.items[i]);
  return sfnec_arena_close_text(study->plan->arena);
}

static sfnec_status begin_session(const study *study) {
  if (!study->store) return SFNEC_OK;
  const sfnec_status status =
      sfnec_store_begin_session(study->store, study->workers->ops->size(study->workers), study->ranks);
  // the command of a part does not resume the rest
  const char *command = status || study->part ? NULL : going_on(study);
  return command ? sfnec_store_set_command(study->store, command) : status;
}

static sfnec_status end_session(const study *study) {
  if (!study->store) return SFNEC_OK;
  const sfnec_study_outcome *outcome = &study->outcome;
  const char *how = outcome->interrupted ? "interrupted" : outcome->failed ? "failed" : "done";
  return sfnec_store_end_session(study->store, how);
}

// ---- while it runs ----

// Begins to show the progress: of a study that is not judged by the return with the metric that it is judged by, which
// takes all results of its jobs, those that are stored included.
static int judge_jobs(study *study) {
  progress_start(&study->progress, study->args->quiet);
  if (!study->print_jobs || study->args->quiet) return EXIT_OK;
  sfnec_results *results = NULL;
  int code = code_of(sfnec_results_make(study->plan, &results));
  if (code) return code;
  const sfnec_metric metric = sfnec_metric_of_results(results);
  if (!sfnec_metric_is_return(&metric)) {
    study->progress.metric = metric;
    study->progress.judged = results;
    return study->store ? code_of(add_stored(study, results)) : EXIT_OK;
  }
  sfnec_results_destroy(results);
  return EXIT_OK;
}

static bool on_stop(void *context) {
  return atomic_load(&asked_at) != 0 || ((const study *)context)->code;
}

static void on_tick(void *context, const sfnec_progress *progress) {
  progress_draw(&((study *)context)->progress, progress);
}

static void on_task(void *context, const sfnec_progress *progress, const sfnec_message *message) {
  (void)progress;
  study *study = context;
  sfnec_results *judged = study->progress.judged;
  if (judged && !study->code) study->code = code_of(sfnec_results_put(judged, message->job, &message->record));
  if (study->on_task && !study->code) study->code = study->on_task(study, message->job, &message->record);
}

static void on_ended(void *context, const sfnec_progress *progress, const sfnec_message *message) {
  study *study = context;
  const bool done = message->kind == SFNEC_MESSAGE_DONE;
  if (study->print_jobs || !done) progress_ended(&study->progress, progress, message);
  if (done && study->on_done && !study->code) study->code = study->on_done(study, message->job);
}

static void on_warning(void *context, const sfnec_progress *progress, const sfnec_message *message) {
  study *study = context;
  study->unsaved = study->unsaved || message->kind == SFNEC_MESSAGE_STOPPED;
  progress_warning(&study->progress, progress, message);
}

void print_limits(FILE *stream, int64_t steps, int64_t episodes) {
  if (steps) fprintf(stream, "%" PRId64 " steps", steps);
  if (steps && episodes) fprintf(stream, " or ");
  if (episodes) fprintf(stream, "%" PRId64 " episodes", episodes);
}

void print_unsaved(FILE *stream, size_t cut, size_t unsaved) {
  if (!unsaved) return;
  fprintf(stream,
          "%zu of %zu job%s that a kill cut off had no checkpoint yet and start%s from the beginning "
          "(run --checkpoint SECONDS saves more often)\n",
          unsaved, cut, plural(cut), unsaved == 1 ? "s" : "");
}

// jobs that the store has as running were cut off by a kill, as this process holds the lock now
static sfnec_status print_cut_off(const study *study) {
  if (!study->store || study->args->quiet || !study_saves(study)) return SFNEC_OK;
  const sfnec_plan *plan = study->plan;
  sfnec_job_status *jobs = must_alloc(plan->job_count, sizeof *jobs);
  const sfnec_status status = sfnec_store_get_jobs(study->store, plan, jobs);
  size_t cut = 0, unsaved = 0;
  for (size_t i = 0; i < plan->job_count && !status; i++) {
    if (jobs[i].state != SFNEC_JOB_RUNNING) continue;
    cut++;
    unsaved += !disk_has_state(study->folder, plan->jobs[i].id);
  }
  print_unsaved(stderr, cut, unsaved);
  free(jobs);
  return status;
}

static void print_head(const study *study) {
  if (study->args->quiet || !study->print_jobs) return;
  const sfnec_plan *plan = study->plan;
  const sfnec_run_options *run = &plan->jobs[0].run;
  const size_t configurations = plan->configuration_count, seeds = study->spec->seed_count;
  const uint32_t workers = study->workers->ops->size(study->workers);
  fprintf(stderr, "%s: %zu jobs (%zu configuration%s, %zu seed%s), %" PRIu32 " task%s of ", study->spec->name,
          plan->job_count, configurations, plural(configurations), seeds, plural(seeds), run->tasks,
          plural(run->tasks));
  print_limits(stderr, run->steps, run->episodes);
  fprintf(stderr, ", %" PRIu32 " worker%s%s%s\n", workers, plural(workers), study->folder ? ", in " : "",
          study->folder ? study->folder : "");
  if (study->folder && !study_saves(study))
    fprintf(stderr, "%s cannot be saved: a job that is stopped starts from its beginning\n", study->spec->env);
}

// A study that may need more than a gigabyte says so before it starts, and what of it can be left out.
static sfnec_status print_size(const study *study) {
  const double most = 1e9;
  disk_forecast forecast;
  if (!study->folder || study->args->quiet || !study->print_jobs) return SFNEC_OK;
  const sfnec_status status = disk_expect(study->plan, study->workers->ops->size(study->workers), &forecast);
  const double kept = forecast.agents + forecast.states;
  if (status || kept + forecast.checkpoints <= most) return status;
  char all[TEXT_NUMBER], agents[TEXT_NUMBER], states[TEXT_NUMBER], checkpoints[TEXT_NUMBER];
  fprintf(stderr, "%s may take up to %s while it runs: %s of checkpoints that are gone at the end", study->folder,
          disk_text((int64_t)(kept + forecast.checkpoints), all),
          disk_text((int64_t)forecast.checkpoints, checkpoints));
  if (forecast.agents > 0)
    fprintf(stderr, ", %s of agents (record: agents)", disk_text((int64_t)forecast.agents, agents));
  if (forecast.states > 0)
    fprintf(stderr, ", %s of states to extend it (--keep-states)", disk_text((int64_t)forecast.states, states));
  fputc('\n', stderr);
  return SFNEC_OK;
}

// ---- from the first job to the last ----

static uint32_t worker_count(const study *study) {
  if (study->args->jobs) return (uint32_t)study->args->jobs;
  if (study->ranks > 1) return 1;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const uint32_t most = cores > 0 ? (uint32_t)cores : 1;
  return study->plan->job_count < most ? (uint32_t)study->plan->job_count : most;
}

static int make_workers(study *study) {
  study->options = (sfnec_job_options){.plan = study->plan,
                                       .folder = study->folder,
                                       .checkpoint_seconds = study->checkpoint,
                                       .agent_path = study->agent_path,
                                       .log_path = study->log_path};
  sfnec_workers *pool = NULL;
  const uint32_t count = worker_count(study);
  sfnec_status status = study->spec->gym.id ? sfnec_python_workers(study->python, &study->options, count, &pool)
                                            : sfnec_pool_create(&study->options, count, &pool);
  study->workers = pool;
  if (!status && study->ranks > 1 && study->rank == 0) study->workers = study->mpi->gather(pool, study->plan);
  return code_of(status);
}

int study_run(study *study) {
  int code = make_workers(study);
  if (code) return code;
  catch_interrupts();
  print_head(study);
  code = code_of(print_size(study));
  if (!code) code = code_of(print_cut_off(study));
  if (!code) code = code_of(begin_session(study));
  if (!code) code = judge_jobs(study);
  if (code) return code;
  const sfnec_schedule_hooks hooks = {
      .stop = on_stop, .tick = on_tick, .task = on_task, .ended = on_ended, .warning = on_warning, .context = study};
  sfnec_status status = sfnec_schedule(&study->options, study->store, study->workers, &hooks, &study->outcome);
  progress_clear(&study->progress);
  if (!status) status = end_session(study);
  return status ? code_of(status) : study->code;
}

int study_serve(study *study) {
  const int code = make_workers(study);
  if (code) return code;
  catch_interrupts();
  study->mpi->serve(study->workers, on_stop, study);
  return atomic_load(&asked_at) != 0 ? EXIT_INTERRUPTED : EXIT_OK;
}

void study_close(study *study) {
  if (study->workers) study->workers->ops->destroy(study->workers);
  sfnec_results_destroy(study->progress.judged);
  sfnec_python_destroy(study->python);
  sfnec_store_close(study->store);
  sfnec_plan_destroy(study->plan);
  sfnec_spec_destroy(study->spec);
  text_clear(&study->words);
  free(study->folder);
}
