// cmd_run.c: `sfnec run`: a study from its spec to its stored results, on threads or on the ranks of MPI.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/drive.h"
#include "cli/run_screen.h"
#include "study/spec/spec.h"
#include "study/store/store.h"
#include "study/work/conduct.h"
#include "study/work/mpi.h"

typedef struct run_args {
  const char *out, *seeds, *checkpoint;
  int64_t jobs, tasks, steps;
  text_list sets;
  bool quick, force_new, quiet;
} run_args;

// everything that one call holds
typedef struct study {
  const run_args *args;
  uint32_t rank, ranks; // 0 of 1 without MPI
  sfnec_spec *spec;
  sfnec_plan *plan;
  sfnec_store *store; // rank 0 only
  sfnec_crew *crew;
  sfnec_site site;
  char *folder;
  run_screen screen;
} study;

static int run_run(const void *values, const text_list *operands);

static const arg table[] = {
    {"out", ARG_TEXT, offsetof(run_args, out), "DIR", NULL, 0, 0, "the experiment's folder (default: runs/NAME)"},
    {"jobs", ARG_INT, offsetof(run_args, jobs), "N", NULL, 1, 4096,
     "jobs at the same time (default: one per core; under MPI one per rank)"},
    {"seeds", ARG_TEXT, offsetof(run_args, seeds), "LIST", NULL, 0, 0, "other seeds than the spec's: 1-3,7"},
    {"tasks", ARG_INT, offsetof(run_args, tasks), "N", NULL, 1, 1000000, "other tasks per run than the spec's"},
    {"steps", ARG_INT, offsetof(run_args, steps), "N", NULL, 1, 1000000000000, "other steps per task than the spec's"},
    {"set", ARG_LIST, offsetof(run_args, sets), "KEY=VALUE", NULL, 0, 0,
     "an option of all agents or of the environment"},
    {"quick", ARG_FLAG, offsetof(run_args, quick), NULL, NULL, 0, 0,
     "a small version: 2 tasks of 1000 steps, 2 seeds, the ends of each sweep; in runs/NAME-quick"},
    {"checkpoint", ARG_TEXT, offsetof(run_args, checkpoint), "SECONDS", "30", 0, 0,
     "save running jobs this often; longer if it took over 2 % of the time; 0: as often as possible"},
    {"force-new", ARG_FLAG, offsetof(run_args, force_new), NULL, NULL, 0, 0,
     "start anew; an experiment that is there is moved to DIR.1"},
    {"quiet", ARG_FLAG, offsetof(run_args, quiet), NULL, NULL, 0, 0, "print only what went wrong"},
    {0},
};

const command command_run = {
    .name = "run",
    .summary = "run a study from its spec, or go on with it",
    .operands = "SPEC",
    .least_operands = 1,
    .most_operands = 1,
    .about = "Runs every agent of the spec at every point of its sweep with every seed, and stores the results\n"
             "in DIR/experiment.db. The same command goes on where it stopped; only jobs that are not done are\n"
             "run. A spec with more seeds, tasks or sweep points extends the experiment. Under mpirun the jobs\n"
             "are spread over the ranks. The results do not depend on how they were run.",
    .args = table,
    .values_size = sizeof(run_args),
    .run = run_run,
};

// ---- the folder ----

static int find_folder(study *study) {
  const char *name = study->spec->name, *quick = study->args->quick ? "-quick" : "";
  if (study->args->out) {
    study->folder = must_copy(study->args->out);
    return EXIT_OK;
  }
  if (mkdir("runs", 0777) && errno != EEXIST) return fail("cannot make the folder runs: %s", strerror(errno));
  study->folder = must_alloc(strlen(name) + strlen(quick) + sizeof "runs/", 1);
  sprintf(study->folder, "runs/%s%s", name, quick);
  return EXIT_OK;
}

// moves an experiment out of the way, to the first free of DIR.1, DIR.2, ...
static int move_away(study *study) {
  struct stat there;
  if (lstat(study->folder, &there)) return EXIT_OK;
  // whoever works there holds the lock
  int code = EXIT_OK;
  sfnec_store *store = NULL;
  if (sfnec_store_open(study->folder, &store) == SFNEC_ERROR_STATE) code = fail_library(SFNEC_ERROR_STATE);
  sfnec_store_close(store);
  if (code) return code;

  char *other = must_alloc(strlen(study->folder) + 16, 1);
  for (int i = 1; i < 100000; i++) {
    sprintf(other, "%s.%d", study->folder, i);
    if (lstat(other, &there) == 0) continue;
    if (rename(study->folder, other)) code = fail("cannot move %s to %s: %s", study->folder, other, strerror(errno));
    else if (!study->args->quiet) fprintf(stderr, "the earlier experiment is now in %s\n", other);
    break;
  }
  free(other);
  return code;
}

// ---- the plan against what is stored ----

static int refuse_changes(study *study, const char *before, const char *after) {
  const char *diff = sfnec_spec_diff(study->spec->arena, before, after);
  complain("%s holds an experiment with another spec; use -o for another folder, --force-new to start anew, or undo "
           "these changes:",
           study->folder);
  fputs(diff ? diff : "", stderr);
  return EXIT_FAILED;
}

static int set_plan(study *study) {
  const char *before = sfnec_store_spec(study->store), *after = sfnec_spec_text(study->spec);
  if (!after) return fail("out of memory");
  bool fits = true;
  sfnec_status status = SFNEC_OK;
  if (before && strcmp(before, after) != 0) status = sfnec_store_fits(study->store, study->plan, &fits);
  if (!status && !fits) return refuse_changes(study, before, after);
  if (!status) status = sfnec_store_set_plan(study->store, study->plan, after);
  return status ? fail_library(status) : EXIT_OK;
}

static uint32_t worker_count(const study *study) {
  if (study->args->jobs) return (uint32_t)study->args->jobs;
  if (study->ranks > 1) return 1;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const uint32_t most = cores > 0 ? (uint32_t)cores : 1;
  return study->plan->job_count < most ? (uint32_t)study->plan->job_count : most;
}

static int read_spec(study *study, const char *path) {
  const run_args *args = study->args;
  const sfnec_overrides overrides = {.seeds = args->seeds,
                                     .tasks = args->tasks,
                                     .steps = args->steps,
                                     .sets = (const char *const *)args->sets.items,
                                     .quick = args->quick};
  sfnec_status status = sfnec_spec_load(path, &overrides, &study->spec);
  if (!status) status = sfnec_plan_create(study->spec, &study->plan);
  // a bad spec is a wrong use of the command, wherever it is wrong
  if (status == SFNEC_ERROR_FORMAT || status == SFNEC_ERROR_OPTION) return misuse("%s", sfnec_last_error());
  return status ? fail_library(status) : EXIT_OK;
}

// rank 0: the spec, the folder, the store
static int open_study(study *study, const char *path) {
  int code = read_spec(study, path);
  if (!code) code = find_folder(study);
  if (!code && study->args->force_new) code = move_away(study);
  if (code) return code;
  sfnec_status status = sfnec_store_open(study->folder, &study->store);
  if (status) return fail_library(status);
  code = set_plan(study);
  if (code) return code;
  status = sfnec_job_make_folders(study->folder);
  return status ? fail_library(status) : EXIT_OK;
}

// ---- ranks ----

// gives the other ranks what they need to plan the same jobs: the folder and the resolved spec
static int share_study(study *study, int code) {
  if (study->ranks == 1) return code;
  char *folder = sfnec_mpi_share(code ? NULL : study->folder);
  char *text = folder ? sfnec_mpi_share(study->rank == 0 ? sfnec_spec_text(study->spec) : NULL) : NULL;
  if (!text) {
    // rank 0 has said why
    free(folder);
    return study->rank == 0 ? code : EXIT_FAILED;
  }
  if (study->rank > 0) {
    study->folder = folder;
    sfnec_status status = sfnec_spec_parse("the spec of rank 0", text, strlen(text), NULL, &study->spec);
    if (!status) status = sfnec_plan_create(study->spec, &study->plan);
    code = status ? fail_library(status) : EXIT_OK;
  } else {
    free(folder);
  }
  free(text);
  return code;
}

// ---- while it runs ----

static bool on_stop(void *context) {
  (void)context;
  return interrupted();
}

static void on_tick(void *context, const sfnec_score *score) {
  run_screen_draw(context, score);
}

static void on_ended(void *context, const sfnec_score *score, const sfnec_message *news) {
  run_screen_ended(context, score, news);
}

static void on_warning(void *context, const sfnec_score *score, const sfnec_message *news) {
  run_screen_warning(context, score, news);
}

static void print_head(const study *study) {
  if (study->args->quiet) return;
  const sfnec_plan *plan = study->plan;
  const sfnec_run_options *run = &plan->jobs[0].run;
  fprintf(stderr, "%s: %zu jobs (%zu configuration%s, %zu seed%s), %" PRIu32 " task%s of ", study->spec->name,
          plan->job_count, plan->configuration_count, plan->configuration_count == 1 ? "" : "s",
          study->spec->seed_count, study->spec->seed_count == 1 ? "" : "s", run->tasks, run->tasks == 1 ? "" : "s");
  if (run->steps) fprintf(stderr, "%" PRId64 " steps", run->steps);
  if (run->steps && run->episodes) fprintf(stderr, " or ");
  if (run->episodes) fprintf(stderr, "%" PRId64 " episodes", run->episodes);
  fprintf(stderr, ", %" PRIu32 " worker%s, in %s\n", study->crew->ops->size(study->crew),
          study->crew->ops->size(study->crew) == 1 ? "" : "s", study->folder);
}

static int conclude(const study *study, const sfnec_conclusion *end) {
  const size_t all = study->plan->job_count;
  if (end->interrupted) {
    complain("interrupted: %zu of %zu jobs are done and the running ones are saved; the same command goes on",
             end->done, all);
    return EXIT_INTERRUPTED;
  }
  if (end->failed)
    return fail("%zu of %zu jobs failed; sfnec status %s says why, and the same command tries them again", end->failed,
                all, study->folder);
  if (!study->args->quiet) fprintf(stderr, "all %zu jobs are done; see sfnec stats %s\n", all, study->folder);
  return EXIT_OK;
}

// the command that goes on with this, for `sfnec status`: a new string
static char *going_on(const study *study, const char *path) {
  const run_args *args = study->args;
  char *command = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&command, &size);
  if (!stream) return NULL;
  char *spec = text_quoted(path), *folder = text_quoted(study->folder);
  fprintf(stream, "sfnec run %s -o %s", spec, folder);
  free(spec);
  free(folder);
  if (args->quick) fprintf(stream, " --quick");
  if (args->seeds) fprintf(stream, " --seeds %s", args->seeds);
  if (args->tasks) fprintf(stream, " --tasks %" PRId64, args->tasks);
  if (args->steps) fprintf(stream, " --steps %" PRId64, args->steps);
  for (size_t i = 0; i < args->sets.count; i++) {
    char *set = text_quoted(args->sets.items[i]);
    fprintf(stream, " --set %s", set);
    free(set);
  }
  fclose(stream);
  return command;
}

static sfnec_status begin_session(const study *study, const char *path) {
  sfnec_status status = sfnec_store_begin_session(study->store, study->crew->ops->size(study->crew), study->ranks);
  char *command = status ? NULL : going_on(study, path);
  if (command) status = sfnec_store_set_command(study->store, command);
  free(command);
  return status;
}

static int conduct(study *study, const char *path) {
  interrupt_catch();
  print_head(study);
  sfnec_status status = begin_session(study, path);
  if (status) return fail_library(status);
  run_screen_start(&study->screen, study->args->quiet);
  const sfnec_conduct_hooks hooks = {
      .stop = on_stop, .tick = on_tick, .ended = on_ended, .warning = on_warning, .context = &study->screen};
  sfnec_conclusion end = {0};
  status = sfnec_conduct(&study->site, study->store, study->crew, &hooks, &end);
  run_screen_clear(&study->screen);
  if (status) return fail_library(status);
  status = sfnec_store_end_session(study->store, end.interrupted ? "interrupted" : end.failed ? "failed" : "done");
  return status ? fail_library(status) : conclude(study, &end);
}

// ---- from the first line to the last ----

static int make_crew(study *study) {
  sfnec_crew *pool = NULL;
  sfnec_status status = sfnec_pool_create(&study->site, worker_count(study), &pool);
  study->crew = pool;
  if (!status && study->ranks > 1 && study->rank == 0) status = sfnec_mpi_crew_create(pool, &study->crew);
  return status ? fail_library(status) : EXIT_OK;
}

static int run_study(study *study, const char *path) {
  int code = study->rank == 0 ? open_study(study, path) : EXIT_OK;
  code = share_study(study, code);
  if (code) return code;
  study->site.plan = study->plan;
  study->site.folder = study->folder;
  code = make_crew(study);
  if (code) return code;
  if (study->rank == 0) return conduct(study, path);
  interrupt_catch();
  const sfnec_status status = sfnec_mpi_serve(study->crew, on_stop, NULL);
  return status ? fail_library(status) : interrupted() ? EXIT_INTERRUPTED : EXIT_OK;
}

static int run_run(const void *values, const text_list *operands) {
  study study = {.args = values, .ranks = 1};
  if (!sfnec_text_to_real(study.args->checkpoint, &study.site.checkpoint_seconds) || study.site.checkpoint_seconds < 0)
    return misuse("run --checkpoint is '%s' but must be a number of seconds, 0 or more", study.args->checkpoint);
  const bool mpi = sfnec_mpi_launched();
  if (mpi) {
    const sfnec_status status = sfnec_mpi_begin(&study.rank, &study.ranks);
    if (status) return fail_library(status);
  }
  const int code = run_study(&study, operands->items[0]);
  if (study.crew) study.crew->ops->destroy(study.crew);
  sfnec_store_close(study.store);
  sfnec_plan_destroy(study.plan);
  sfnec_spec_destroy(study.spec);
  free(study.folder);
  if (mpi) sfnec_mpi_end();
  return code;
}
