// conduct.h: runs what is missing of an experiment with a crew, and stores what comes of it.
#ifndef SFNEC_STUDY_WORK_CONDUCT_H
#define SFNEC_STUDY_WORK_CONDUCT_H

#include "study/store/store.h"
#include "study/work/crew.h"

// How the conducting looks at a moment; arrays follow the plan's jobs and the crew's workers.
typedef struct sfnec_score_job {
  sfnec_job_state state;
  uint32_t attempts;   // in this session
  uint32_t tasks_done; // stored
  double progress;     // tasks done, with the share of the running one
  int64_t steps;       // transitions so far
  int64_t steps_begun; // those of them before this session
  double last_return;  // of the last finished task; NaN if there is none yet
  double sum;          // of the returns of all finished tasks
} sfnec_score_job;

typedef struct sfnec_score {
  const sfnec_plan *plan;
  sfnec_score_job *jobs; // (job_count)
  int64_t *worker_jobs;  // (worker_count); -1: free
  uint32_t worker_count;
  size_t done, failed; // jobs
  double share;        // of all work, 0 to 1
  double begun;        // the share that was done when this session began
  int64_t steps;       // transitions in this session
} sfnec_score;

// Callbacks of the conductor's owner, all in the conductor's thread; any may be NULL.
typedef struct sfnec_conduct_hooks {
  bool (*stop)(void *context);                                                  // asked often: save everything and end?
  void (*tick)(void *context, const sfnec_score *score);                        // a few times a second
  void (*task)(void *context, const sfnec_score *score, const sfnec_message *); // a task was stored
  void (*ended)(void *context, const sfnec_score *score,
                const sfnec_message *); // a job is done, failed, or is tried again
  void (*warning)(void *context, const sfnec_score *score, const sfnec_message *);
  void *context;
} sfnec_conduct_hooks;

typedef struct sfnec_conclusion {
  size_t done, failed, left; // jobs of the plan
  bool interrupted;
} sfnec_conclusion;

// Runs all jobs that are not done (a failed one of an earlier session is tried again), the longest first; a job that
// fails is tried once more. States of finished jobs are kept while they fit in the spec's room, and removed otherwise.
// Fails only when the store does (SFNEC_ERROR_IO): then the crew is stopped with everything saved first.
sfnec_status sfnec_conduct(const sfnec_site *site, sfnec_store *store, sfnec_crew *crew,
                           const sfnec_conduct_hooks *hooks, sfnec_conclusion *conclusion);

#endif
