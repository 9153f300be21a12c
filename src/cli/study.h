// study.h: what run, compare and train share: the words that describe a study, and its way from a spec to its results.
//
// A study is a spec with all its jobs and the folder of their results. `run` reads the spec from a file and always
// keeps the results; `compare` and `train` make theirs of words, and keep the results if they are given a folder.
#ifndef SFNEC_CLI_STUDY_H
#define SFNEC_CLI_STUDY_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "study/store/results.h"
#include "study/work/mpi.h"
#include "study/work/python.h"

typedef struct study_args {
  const char *out, *env, *seeds;
  int64_t tasks, steps, episodes, jobs;
  text_list sets, rewards;
  bool force_new, quiet;
} study_args;

// The rows of a struct whose field `study` is a study_args, with what holds if they are not given (NULL: what the spec
// says). Steps have no default here: a task that is measured in episodes has no limit on its steps.
// clang-format off
#define STUDY_ARGS(type, folder, env_initial, seeds_initial, tasks_initial, steps_default, quiet_help)              \
  {"env", ARG_TEXT, offsetof(type, study.env), "NAME", env_initial, 0, 0,                                 \
   "one of sfnec list envs, FILE.so: a plugin, or gym:ID: Gymnasium"},                                                      \
  {"set", ARG_LIST, offsetof(type, study.sets), "KEY=VALUE", NULL, 0, 0,                                            \
   "an option of all agents or of the environment"},                                                                \
  {"tasks", ARG_INT, offsetof(type, study.tasks), "N", tasks_initial, 1, 1000000, "tasks, one after the other"},    \
  {"steps", ARG_INT, offsetof(type, study.steps), "N", NULL, 1, 1000000000000,                                      \
   "transitions per task" steps_default},                                                                           \
  {"episodes", ARG_INT, offsetof(type, study.episodes), "N", NULL, 1, 1000000000,                                   \
   "episodes per task; with --steps, what comes first ends it"},                                                    \
  {"seeds", ARG_TEXT, offsetof(type, study.seeds), "LIST", seeds_initial, 0, 0, "seeds and ranges: 1-4,7"},         \
  {"jobs", ARG_INT, offsetof(type, study.jobs), "N", NULL, 1, 4096,                                                 \
   "jobs at the same time (default: one per core)"},                                                                \
  {"out", ARG_TEXT, offsetof(type, study.out), "DIR", NULL, 0, 0, folder},                                          \
  {"force-new", ARG_FLAG, offsetof(type, study.force_new), NULL, NULL, 0, 0,                                        \
   "start again; an experiment that is there is moved to DIR.1"},                                                    \
  {"quiet", ARG_FLAG, offsetof(type, study.quiet), NULL, NULL, 0, 0, quiet_help}
// clang-format on

enum { STUDY_CHECKPOINT = 30 }; // seconds between two checkpoints of a job, unless the user says otherwise

// What the words change in a spec, and who makes its world if that is one of Gymnasium.
sfnec_overrides study_overrides(const study_args *args, sfnec_python *python);

// Everything that one study holds. All zero but for what the command sets: `args`, `ranks`, `python`, and what follows
// them.
typedef struct study {
  const study_args *args;
  const sfnec_mpi *mpi;              // NULL without ranks
  uint32_t rank, ranks;              // 0 of 1 without MPI
  text_list words;                   // the beginning of the command that resumes this: run SPEC, compare --agents A,B
  const char *flag;                  // a word that ends it; NULL: none
  bool print_jobs;                   // a line before the first job, and one for each that ends
  char *folder;                      // where it is kept; NULL: nowhere
  double checkpoint;                 // seconds between two checkpoints of a job
  const char *agent_path, *log_path; // as in job.h
  // called when a task is finished and when a job is done, with the job's number; other codes than EXIT_OK end the
  // study
  int (*on_task)(struct study *study, uint32_t job, const sfnec_task_record *record);
  int (*on_done)(struct study *study, uint32_t job);

  sfnec_python *python; // the processes of a world of Gymnasium
  sfnec_spec *spec;
  sfnec_plan *plan;
  sfnec_store *store; // NULL without a folder
  bool part;          // the folder holds a plan that asks for more than this one
  sfnec_job_options options;
  sfnec_workers *workers;
  progress progress;
  sfnec_study_outcome outcome;
  int code;     // of the command's functions above
  bool unsaved; // a job that was stopped could not be saved, which was printed
} study;

// Is a job that is stopped half-way saved? Not in a world that lives elsewhere.
bool study_saves(const study *study);
// Plans the spec that was read or made with this status; reports errors.
int study_plan(study *study, sfnec_status status);
// Opens the study in its folder, if it has one: moves an old experiment away, or refuses a spec that does not extend
// it.
int study_open(study *study);
// The results so far: those in the folder, or none yet.
int study_results(const study *study, sfnec_results **out);
// Runs what is missing, until it is done or the user stops it (study->outcome says which).
int study_run(study *study);
// What the ranks of MPI other than 0 do: jobs of rank 0, until it is done or the user stops it.
int study_serve(study *study);
void study_close(study *study);

// The words of `run`, which `slurm` reads too.
typedef struct run_args {
  study_args study;
  const char *checkpoint;
  bool quick, keep_states;
} run_args;

// A spec file as these words change it, and the folder of its results (a new string).
sfnec_status run_load(const run_args *args, sfnec_python *python, const char *path, sfnec_spec **spec);
// For a new study; ends the program without memory.
sfnec_python *must_python(void);
char *run_folder(const run_args *args, const sfnec_spec *spec);

// What a kill cost: of `cut` jobs that it cut off, `unsaved` had no checkpoint yet. Prints nothing without such jobs.
void print_unsaved(FILE *stream, size_t cut, size_t unsaved);
// "20000 steps", "500 episodes", or both.
void print_limits(FILE *stream, int64_t steps, int64_t episodes);

#endif
