// workers.h: the workers of a study, wherever they are.
//
// They take jobs and send messages. A pool is threads; under MPI the workers of rank 0 are its own pool and those of
// all other ranks. Only the thread that made them talks to them.
#ifndef SFNEC_STUDY_WORK_WORKERS_H
#define SFNEC_STUDY_WORK_WORKERS_H

#include "study/work/job.h"

typedef struct sfnec_workers sfnec_workers;

typedef struct sfnec_workers_ops {
  // How many workers there are, and one that is free: UINT32_MAX if there is none.
  uint32_t (*size)(const sfnec_workers *workers);
  uint32_t (*idle)(const sfnec_workers *workers);
  // Gives a job to a free worker; `tasks_sent` as in job.h.
  void (*assign)(sfnec_workers *workers, uint32_t worker, uint32_t job, uint32_t tasks_sent);
  // The oldest message, which the caller destroys; NULL if none came within so many seconds.
  sfnec_message *(*next)(sfnec_workers *workers, double seconds);
  // Asks every worker to save its job and to end: each busy one sends STOPPED (or an earlier message).
  void (*stop)(sfnec_workers *workers);
  // Waits for the workers to end.
  void (*destroy)(sfnec_workers *workers);
} sfnec_workers_ops;

struct sfnec_workers {
  const sfnec_workers_ops *ops;
};

// A pool of threads; fewer than asked for if the machine has no more, at least one. The options outlive the pool. Fails
// with SFNEC_ERROR_MEMORY or _STATE (not one thread).
sfnec_status sfnec_pool_create(const sfnec_job_options *options, uint32_t threads, sfnec_workers **out);

#endif
