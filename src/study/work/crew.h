// crew.h: the workers of an experiment, wherever they are.
//
// A crew takes jobs and tells news. The pool is a crew of threads; under MPI the crew of rank 0 is its own pool and
// those of all other ranks. Only the thread that made a crew talks to it.
#ifndef SFNEC_STUDY_WORK_CREW_H
#define SFNEC_STUDY_WORK_CREW_H

#include "study/work/work.h"

typedef struct sfnec_crew sfnec_crew;

typedef struct sfnec_crew_ops {
  // How many workers there are, and one that is free: UINT32_MAX if there is none.
  uint32_t (*size)(const sfnec_crew *crew);
  uint32_t (*idle)(const sfnec_crew *crew);
  // Gives a job to a free worker; `tasks_told` as in work.h.
  void (*assign)(sfnec_crew *crew, uint32_t worker, uint32_t job, uint32_t tasks_told);
  // The oldest news, which the caller destroys; NULL if none came within so many seconds.
  sfnec_message *(*next)(sfnec_crew *crew, double seconds);
  // Asks every worker to save its job and to end: each busy one tells STOPPED (or what came first).
  void (*stop)(sfnec_crew *crew);
  // Waits for the workers to end.
  void (*destroy)(sfnec_crew *crew);
} sfnec_crew_ops;

struct sfnec_crew {
  const sfnec_crew_ops *ops;
};

// A pool of threads; fewer than asked for if the machine has no more, at least one. The site outlives the pool. Fails
// with SFNEC_ERROR_MEMORY or _STATE (not one thread).
sfnec_status sfnec_pool_create(const sfnec_site *site, uint32_t threads, sfnec_crew **out);

#endif
