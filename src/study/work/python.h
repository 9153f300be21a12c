// python.h: workers that are Python processes: jobs in worlds of Gymnasium.
//
// Such a process has the code of jobs in it (python/src/worker.c) and steps a world that Python holds (_worker.py). It
// is started here, gets the study and then one job at a time, and answers by the messages of any worker. One process
// per worker, because Python steps one world at a time. Under MPI each rank has processes of its own.
//
// Which Python: $SFNEC_PYTHON, or the one beside this program, or python3.
#ifndef SFNEC_STUDY_WORK_PYTHON_H
#define SFNEC_STUDY_WORK_PYTHON_H

#include "study/work/frame.h"
#include "study/work/workers.h"

// The Python processes of one study; none is started before it is needed.
typedef struct sfnec_python sfnec_python;

sfnec_python *sfnec_python_create(void);         // NULL without memory
void sfnec_python_destroy(sfnec_python *python); // NULL is fine

// Who describes the worlds that a spec names, by the first of the processes.
const sfnec_gym_host *sfnec_python_host(sfnec_python *python);

// Workers for a plan in a world that was described; so many processes. They stay the owner's: they end with `python`.
// Fails with SFNEC_ERROR_MEMORY or _STATE (no process).
sfnec_status sfnec_python_workers(sfnec_python *python, const sfnec_job_options *options, uint32_t count,
                                  sfnec_workers **out);

// What a process says of the world that it was asked to describe: a frame with a NUL after it, whose text may be made
// safe to print. Fails with SFNEC_ERROR_OPTION: it was refused, is of another version, or is no answer.
sfnec_status sfnec_python_read_answer(sfnec_frame_tag tag, unsigned char *bytes, size_t size, sfnec_env_shape *shape);

// What a process needs to plan the same jobs: the options of all jobs, with the resolved spec in the place of the plan.
typedef struct sfnec_python_study {
  const char *folder, *agent_path, *log_path; // "" for NULL
  const char *spec;
  double checkpoint_seconds;
} sfnec_python_study;

// As new bytes, and back. Fails with SFNEC_ERROR_MEMORY, or _FORMAT; what was unpacked is the caller's to free.
sfnec_status sfnec_python_study_pack(const sfnec_python_study *study, unsigned char **bytes, size_t *size);
sfnec_status sfnec_python_study_unpack(const unsigned char *bytes, size_t size, sfnec_python_study *study);
void sfnec_python_study_clear(sfnec_python_study *study);

#endif
