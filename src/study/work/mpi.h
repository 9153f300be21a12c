// mpi.h: one study on many machines: ranks of MPI instead of threads.
//
// Rank 0 schedules: it owns the store, hands out jobs and hears the messages of all ranks. Every rank, rank 0 included,
// has a pool of threads that does the work (one thread unless more are asked for); only the main thread of a rank talks
// to MPI. All ranks see the study's folder (a shared file system), because checkpoints are written where a job runs.
#ifndef SFNEC_STUDY_WORK_MPI_H
#define SFNEC_STUDY_WORK_MPI_H

#include "study/work/workers.h"

typedef struct sfnec_mpi {
  // Joins the other ranks. Fails with SFNEC_ERROR_STATE.
  sfnec_status (*begin)(uint32_t *rank, uint32_t *ranks);
  // Leaves them. When a rank was lost, the others are ended too, as MPI wants it: then it does not return.
  void (*end)(void);
  // Gives a text of rank 0 to all ranks (there `text` is ignored); NULL stands for a failure that rank 0 has reported.
  // A new string; NULL likewise, or without memory.
  char *(*share)(const char *text);
  // The workers of rank 0: its own pool, which it takes over, and the pools of all other ranks. All ranks call this or
  // serve. Messages that do not fit the plan end their rank.
  sfnec_workers *(*gather)(sfnec_workers *pool, const sfnec_plan *plan);
  // What the other ranks do: jobs of rank 0 for the own pool, until rank 0 ends it or `stop` says so (a signal reached
  // this rank): then running jobs are saved first.
  void (*serve)(sfnec_workers *pool, bool (*stop)(void *context), void *context);
} sfnec_mpi;

// NULL unless a launcher (mpirun, srun) started this program as one of several ranks, and MPI was built in.
const sfnec_mpi *sfnec_mpi_find(void);

#endif
