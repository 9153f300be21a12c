// state.h: the inside of a run, shared by the files that implement sfnec/run.h.
#ifndef SFNEC_RUN_STATE_H
#define SFNEC_RUN_STATE_H

#include "run/bins.h"
#include "run/evaluations.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/play.h"
#include "sfnec/run.h"

// How many transitions of a task GPI left to each policy.
typedef struct sfnec_uses {
  int64_t *counts; // (count); NULL before the task begins
  uint32_t count;
} sfnec_uses;

// What a run knows of the folder that its checkpoints are in.
typedef struct sfnec_saved {
  char *folder;                               // NULL: none yet
  uint64_t sequence;                          // of the newest state there; its slot is sequence % 2
  sfnec_digests digests[SFNEC_FOLDER_STATES]; // of the keys that each state refers to
  bool known[SFNEC_FOLDER_STATES];            // false: the state was written by someone else
} sfnec_saved;

struct sfnec_run {
  sfnec_run_options options;
  sfnec_play play; // the agent in its world

  // where it stands
  uint32_t task;                     // the task that is running, or the next one: so many are finished
  bool task_begun;                   // it is running
  uint32_t policy;                   // the running task's number in the agent
  sfnec_reward_expression **rewards; // (options.reward_count) what tasks reward, in turn; NULL: weights
  int64_t steps;                     // transitions of the finished tasks
  double *w;                         // (n), of the running task

  // results
  sfnec_task_result *results;     // (tasks + 1): the finished ones, the running one, zeros
  sfnec_uses *uses;               // (tasks + 1)
  sfnec_bins *bins;               // (tasks + 1)
  sfnec_evaluations *evaluations; // (tasks + 1)
  sfnec_episode_result *episodes;
  size_t episode_count, episode_room;
  size_t episodes_finished; // those of finished tasks

  sfnec_evaluator evaluator;
  sfnec_log_writer *log; // where transitions are recorded, the caller's; NULL: nowhere
  sfnec_saved saved;
};

// A run at its beginning, without an agent. Fails with SFNEC_ERROR_ARGUMENT for limits that are none, and _MEMORY.
sfnec_status sfnec_run_allocate(sfnec_env *env, const sfnec_run_options *options, sfnec_run **out);

// Whether the run stands at a transition after which it evaluates, which is asked at every step; and doing so.
static inline bool sfnec_run_evaluation_due(const sfnec_run *run) {
  return run->evaluator.env && sfnec_run_get_steps_done(run) == run->evaluator.next;
}
sfnec_status sfnec_run_evaluate_now(sfnec_run *run);

// The reward of the running task becomes that of its transitions.
void sfnec_run_use_reward(sfnec_run *run);

// Whether a task has reached one of its limits.
bool sfnec_run_at_limit(const sfnec_run *run, const sfnec_task_result *result);

#endif
