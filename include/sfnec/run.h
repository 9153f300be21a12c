// run.h: the paper's protocol: one agent in one environment, a new task every so many transitions.
//
// A run is advanced in slices, so that the caller can report progress or stop between two of them; the slices do not
// change the result. The agent is told of each new task; the episode that a task change cuts off is truncated.
#ifndef SFNEC_RUN_H
#define SFNEC_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/agent.h"
#include "sfnec/env.h"
#include "sfnec/export.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sfnec_run_options {
  uint32_t tasks; // at least 1; 50 in the paper
  int64_t steps;  // transitions per task, at least 1; 20,000 in the paper
} sfnec_run_options;

SFNEC_API void sfnec_run_options_default(sfnec_run_options *options);

typedef struct sfnec_task_result {
  double total;     // undiscounted reward summed over the task's transitions
  int64_t episodes; // episodes that ended in this task, the one cut off by its end included
  int64_t goals;    // those of them that terminated
  int64_t entries;  // episodic entries of the whole agent at the task's end
  double seconds;   // wall time
} sfnec_task_result;

typedef struct sfnec_run sfnec_run;

// Prepares a run; it borrows the agent (which has no episode running) and the environment until it is destroyed.
// Fails with SFNEC_ERROR_ARGUMENT when their shapes differ, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_run_create(sfnec_agent *agent, sfnec_env *env, const sfnec_run_options *options,
                                        sfnec_run **out);
SFNEC_API void sfnec_run_destroy(sfnec_run *run); // NULL is fine

// Runs at most `most` transitions further.
SFNEC_API sfnec_status sfnec_run_advance(sfnec_run *run, int64_t most);
SFNEC_API bool sfnec_run_done(const sfnec_run *run);
SFNEC_API int64_t sfnec_run_steps_done(const sfnec_run *run);
// The results of the tasks that are finished; valid until the run is destroyed.
SFNEC_API const sfnec_task_result *sfnec_run_results(const sfnec_run *run, uint32_t *count);

typedef struct sfnec_evaluation {
  double total;     // undiscounted reward over all steps
  int64_t episodes; // episodes that ended
  int64_t goals;    // those of them that terminated
  double per_episode;
} sfnec_evaluation;

// Zero-shot: acts greedily by all of the agent's policies under the weights w for so many steps, without learning.
// Episodes longer than `episode_steps` are cut off (0 = never), as a greedy policy may never end one.
SFNEC_API sfnec_status sfnec_run_evaluate(sfnec_agent *agent, sfnec_env *env, const double *w, int64_t steps,
                                          int64_t episode_steps, sfnec_evaluation *out);

#ifdef __cplusplus
}
#endif

#endif
