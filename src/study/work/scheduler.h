// scheduler.h: runs what is missing of a study with its workers, and stores what comes of it.
#ifndef SFNEC_STUDY_WORK_SCHEDULER_H
#define SFNEC_STUDY_WORK_SCHEDULER_H

#include "study/store/store.h"
#include "study/work/workers.h"

// How far a study is at a moment; arrays follow the plan's jobs and the workers.
typedef struct sfnec_job_progress {
  sfnec_job_state state;
  uint32_t attempts;   // in this session
  uint32_t tasks_done; // known
  double progress;     // tasks done, with the share of the running one
  int64_t steps;       // transitions so far
  int64_t steps_begun; // those of them before this session
  double last_return;  // of the last finished task; NaN if there is none yet
  double sum;          // of the returns of all finished tasks
} sfnec_job_progress;

typedef struct sfnec_progress {
  const sfnec_plan *plan;
  sfnec_job_progress *jobs; // (job_count)
  int64_t *worker_jobs;     // (worker_count); -1: free
  uint32_t worker_count;
  size_t done, failed; // jobs
  double share;        // of all work, 0 to 1
  double begun;        // the share that was done when this session began
  int64_t steps;       // transitions in this session
} sfnec_progress;

// Callbacks of the scheduler's owner, all in the scheduler's thread; any may be NULL.
typedef struct sfnec_schedule_hooks {
  bool (*stop)(void *context);                                                // asked often: save everything and end?
  void (*tick)(void *context, const sfnec_progress *);                        // a few times a second
  void (*task)(void *context, const sfnec_progress *, const sfnec_message *); // a task is finished, and stored
  void (*ended)(void *context, const sfnec_progress *,
                const sfnec_message *); // a job is done, failed, or is tried again
  void (*warning)(void *context, const sfnec_progress *, const sfnec_message *);
  void *context;
} sfnec_schedule_hooks;

typedef struct sfnec_study_outcome {
  size_t done, failed, left; // jobs of the plan
  int64_t steps;             // transitions of the jobs that ran, those before this session included
  bool interrupted;
} sfnec_study_outcome;

// Runs all jobs that are not done (a failed one of an earlier session is tried again), the longest first; a job that
// fails is tried once more. States of finished jobs are kept while they fit in the spec's room, and removed otherwise.
// Fails only when the store does (SFNEC_ERROR_IO): then the workers are stopped with everything saved first. Without a
// store (NULL, and no folder in the options) the hooks are the only ones to hear of the results, and a job that fails
// has failed: nothing of it is there to resume from.
sfnec_status sfnec_schedule(const sfnec_job_options *options, sfnec_store *store, sfnec_workers *workers,
                            const sfnec_schedule_hooks *hooks, sfnec_study_outcome *outcome);

#endif
