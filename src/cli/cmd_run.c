// cmd_run.c: `sfnec run`: a study from its spec to its stored results, on threads or on the ranks of MPI.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/disk.h"
#include "cli/study.h"
#include "cli/tables.h"

static int run_run(const void *values, const text_list *operands);

static const arg table[] = {
    STUDY_ARGS(run_args, "the experiment's folder (default: runs/NAME)", NULL, NULL, NULL, "", "print errors only"),
    {"quick", ARG_FLAG, offsetof(run_args, quick), NULL, NULL, 0, 0,
     "a small version: 2 tasks of 1000 steps, 2 seeds, the ends of each sweep; in runs/NAME-quick"},
    {"keep-states", ARG_FLAG, offsetof(run_args, keep_states), NULL, NULL, 0, 0,
     "keep the states of finished jobs, so that more tasks resume them instead of starting again"},
    {"checkpoint", ARG_TEXT, offsetof(run_args, checkpoint), "SECONDS", "30", 0, 0,
     "save running jobs this often; longer if it took over 2 % of the time; 0: as often as possible"},
    {0},
};

const command command_run = {
    .name = "run",
    .summary = "run a study from its spec, or resume it",
    .operands = "SPEC",
    .about = "Runs every agent of the spec at every point of its sweep with every seed, and stores the results\n"
             "in DIR/experiment.db. The same command resumes where it stopped; only jobs that are not done are\n"
             "run. A spec with more seeds, tasks or sweep points extends the experiment. Under mpirun the jobs\n"
             "are spread over the ranks, one at a time on each unless --jobs says more. The results do not\n"
             "depend on how they were run. What --env, --set, --tasks, --steps, --episodes and --seeds give\n"
             "replaces what the spec says.",
    .args = table,
    .values_size = sizeof(run_args),
    .run = run_run,
};

// ---- the spec and the folder ----

sfnec_status run_load(const run_args *args, sfnec_python *python, const char *path, sfnec_spec **spec) {
  sfnec_overrides overrides = study_overrides(&args->study, python);
  overrides.quick = args->quick;
  overrides.keep_states = args->keep_states;
  return sfnec_spec_load(path, &overrides, spec);
}

char *run_folder(const run_args *args, const sfnec_spec *spec) {
  if (args->study.out) return must_copy(args->study.out);
  return text_print("runs/%s%s", spec->name, args->quick ? "-quick" : "");
}

// rank 0: the spec, the folder, the store
static int open_study(study *study, const run_args *args, const char *path) {
  const int code = study_plan(study, run_load(args, study->python, path, &study->spec));
  if (code) return code;
  study->folder = run_folder(args, study->spec);
  return study_open(study);
}

// ---- ranks ----

// gives the other ranks what they need to plan the same jobs: the folder and the resolved spec
static int share_study(study *study, int code) {
  if (!study->mpi || study->ranks == 1) return code;
  char *folder = study->mpi->share(code ? NULL : study->folder);
  char *text = folder ? study->mpi->share(study->rank == 0 ? sfnec_spec_text(study->spec) : NULL) : NULL;
  if (study->rank > 0) study->folder = folder;
  else free(folder);
  // rank 0 has said why
  if (!text) return study->rank == 0 ? code : EXIT_FAILED;
  if (study->rank > 0) {
    const sfnec_overrides own = {.gym_host = sfnec_python_host(study->python)};
    sfnec_status status = sfnec_spec_parse("the spec of rank 0", text, strlen(text), &own, &study->spec);
    if (!status) status = sfnec_plan_create(study->spec, &study->plan);
    code = code_of(status);
  }
  free(text);
  return code;
}

// ---- from the first line to the last ----

// what it takes on disk; on a terminal also the means: nobody needs to ask for them
static int show_results(const study *study) {
  enum { MOST = 20 }; // configurations
  sfnec_results *results = NULL;
  int code = study_results(study, &results);
  if (code) return code;
  const disk_use disk = disk_measure(study->folder, results);
  char all[TEXT_NUMBER], states[TEXT_NUMBER];
  if (disk.states)
    fprintf(stderr, "%s takes %s, %s of it only to extend the study by tasks (sfnec clean %s drops that)\n",
            study->folder, disk_text(disk.all, all), disk_text(disk.states, states), study->folder);
  if (isatty(STDOUT_FILENO) && study->plan->configuration_count <= MOST) code = comparison_print(results);
  sfnec_results_destroy(results);
  return code ? code : flush_output();
}

static int conclude(const study *study) {
  const sfnec_study_outcome *outcome = &study->outcome;
  const size_t all = study->plan->job_count;
  if (outcome->interrupted) {
    complain("interrupted: %zu of %zu jobs are done and the running ones %s; the same command resumes", outcome->done,
             all, study_saves(study) ? "are saved" : "start from their beginning");
    return EXIT_INTERRUPTED;
  }
  if (outcome->failed)
    return fail("%zu of %zu jobs failed; sfnec status %s says why, and the same command tries them again",
                outcome->failed, all, study->folder);
  if (study->args->quiet) return EXIT_OK;
  fprintf(stderr, "all %zu jobs are done%s; see sfnec stats %s\n", all, outcome->steps ? "" : " and were before",
          study->folder);
  return show_results(study);
}

static int run_study(study *study, const run_args *args, const char *path) {
  int code = study->rank == 0 ? open_study(study, args, path) : EXIT_OK;
  code = share_study(study, code);
  if (code) return code;
  if (study->rank > 0) return study_serve(study);
  code = study_run(study);
  return code ? code : conclude(study);
}

static int run_run(const void *values, const text_list *operands) {
  const run_args *args = values;
  study study = {.args = &args->study, .ranks = 1, .flag = args->quick ? "--quick" : NULL, .print_jobs = true};
  if (!sfnec_text_to_real(args->checkpoint, &study.checkpoint) || study.checkpoint < 0)
    return misuse("run --checkpoint is '%s' but must be a number of seconds, 0 or more", args->checkpoint);
  study.python = must_python();
  text_push(&study.words, "run");
  text_push(&study.words, operands->items[0]);
  study.mpi = sfnec_mpi_find();
  const sfnec_status status = study.mpi ? study.mpi->begin(&study.rank, &study.ranks) : SFNEC_OK;
  const int code = status ? code_of(status) : run_study(&study, args, operands->items[0]);
  study_close(&study);
  if (study.mpi && !status) study.mpi->end();
  return code;
}
