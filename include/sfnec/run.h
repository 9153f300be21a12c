// run.h: the paper's protocol: one agent in one environment, a new task every so many transitions.
//
// A run is advanced in slices, so that the caller can report progress or stop between two of them; the slices do not
// change the result. The agent is given each new task; the episode that a task change cuts off is truncated.
//
// One handle belongs to one thread at a time. Pointers are not NULL unless a comment says that they may be. What is
// marked experimental may change with any version (sfnec.h).
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

// A task ends after so many transitions or so many episodes, whichever comes first.
typedef struct sfnec_run_options {
  uint32_t tasks;     // at least 1; 50 in the paper
  int64_t steps;      // transitions per task; 20,000 in the paper; 0: no limit
  int64_t episodes;   // episodes per task; 0: no limit. At least one of the two limits is needed
  bool keep_episodes; // remember each episode: sfnec_run_get_episodes
  // Experimental: what the tasks reward, in turn, as texts (sfnec/reward.h), or "weights": those that the environment
  // draws. (reward_count); read while the run is created or resumed. 0: all have weights. An agent learns such tasks
  // with rewards=any, or predict=reward.
  const char *const *rewards;
  uint32_t reward_count;
  uint32_t bins; // points of the curve of a task (sfnec_run_get_bins), at most 10,000; 0: none is kept
} sfnec_run_options;

// The defaults: 10 tasks of 20,000 transitions, episodes not kept, 50 bins.
SFNEC_API void sfnec_run_options_default(sfnec_run_options *options);

typedef struct sfnec_task_result {
  double total;     // undiscounted reward summed over the task's transitions
  int64_t steps;    // transitions of the task
  int64_t episodes; // episodes that ended in the task, the one cut off by its end included
  int64_t goals;    // episodes that terminated
  int64_t entries;  // episodic entries of the whole agent at the task's end
  double w_error;   // distance of the agent's w from the task's at the task's end; 0 if w is given or not used
  double seconds;   // wall time of the task
  double optimum;   // the most that the task can earn without noise; NaN if that is not known
  int64_t places;   // representative states of the model at the task's end; 0 for an agent that does not plan
} sfnec_task_result;

typedef struct sfnec_episode_result {
  uint32_t task;   // the task that it ended in
  int64_t steps;   // transitions of the episode
  double total;    // undiscounted reward of the episode
  bool terminated; // it reached its end; else it was cut off
} sfnec_episode_result;

// A task is cut into bins of equally many transitions; the numbers of each are sums, so that bins can be added up.
typedef struct sfnec_bin_result {
  double total;          // undiscounted reward summed over the bin's transitions
  int64_t steps;         // transitions of the bin
  int64_t episodes;      // episodes that ended in the bin, the one cut off by the task's end included
  int64_t goals;         // episodes that terminated in the bin
  double episode_return; // undiscounted reward of the whole episodes that ended in the bin
  int64_t episode_steps; // transitions of the whole episodes that ended in the bin
  int64_t exploration;   // transitions of the bin whose action was drawn at random
  double loss;           // mean squared differences of psi from the targets it was trained with in the bin
  int64_t targets;       // targets that psi was trained with in the bin
  int64_t entries;       // episodic entries of the whole agent at the bin's end
  int64_t places;        // representative states of the model at the bin's end; 0 for an agent that does not plan
} sfnec_bin_result;

// An evaluation during a run: episodes played greedily under one weight vector.
typedef struct sfnec_evaluation_result {
  int64_t step;     // transitions of the run before it
  int64_t weights;  // which weights of the list it was played under, from 1; 0: those of the task
  double total;     // undiscounted reward of all its episodes
  int64_t episodes; // episodes played
  int64_t goals;    // episodes that terminated, not cut off
  int64_t steps;    // transitions of all its episodes
} sfnec_evaluation_result;

typedef struct sfnec_run sfnec_run;

// Prepares a run; it uses the agent (which has no episode running) and the environment until it is destroyed.
// Fails with SFNEC_ERROR_ARGUMENT when their shapes differ or a limit is missing, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_run_create(sfnec_agent *agent, sfnec_env *env, const sfnec_run_options *options,
                                        sfnec_run **out);
SFNEC_API void sfnec_run_destroy(sfnec_run *run); // NULL is fine

// Runs at most `most` transitions further. Fails as sfnec_agent_observe and sfnec_env_step do, and with
// SFNEC_ERROR_MEMORY; the run can be advanced again then.
SFNEC_API sfnec_status sfnec_run_advance(sfnec_run *run, int64_t most);
// Whether all tasks are finished.
SFNEC_API bool sfnec_run_is_done(const sfnec_run *run);
// The transitions so far.
SFNEC_API int64_t sfnec_run_get_steps_done(const sfnec_run *run);
// The progress of the run in tasks, by the limit that is nearer: 2.25 is a quarter of the third task.
SFNEC_API double sfnec_run_get_tasks_done(const sfnec_run *run);

// The results of the tasks that are finished, `count` of them; valid until the run is destroyed.
SFNEC_API const sfnec_task_result *sfnec_run_get_results(const sfnec_run *run, uint32_t *count);
// The episodes that ended in finished tasks, in order; none unless keep_episodes is set. Valid until the next advance.
SFNEC_API const sfnec_episode_result *sfnec_run_get_episodes(const sfnec_run *run, size_t *count);

// The bins of a finished task, `count` of them, none unless `bins` is set: its curve over steps. Where tasks end by
// steps, bins are as equal as whole numbers can be, of 10 transitions at least; else they have 10, 20, 40, ... each, as
// few as keep their number within `bins`, and the last one what is left. Valid until the run is destroyed; NULL and 0
// for a task that is not finished, or that was begun by a program that did not record them.
SFNEC_API const sfnec_bin_result *sfnec_run_get_bins(const sfnec_run *run, uint32_t task, uint32_t *count);

// ---- zero-shot evaluation ----

typedef struct sfnec_evaluation {
  double total;       // undiscounted reward over all steps
  int64_t episodes;   // episodes that ended
  int64_t goals;      // those of them that terminated
  double per_episode; // total / episodes
} sfnec_evaluation;

// Zero-shot: acts greedily by all of the agent's policies under the weights w for so many steps, without learning.
// Episodes longer than `episode_steps` are cut off (0 = never), as a greedy policy may never end one. Fails with
// SFNEC_ERROR_ARGUMENT when the shapes differ, w is NULL (but for a scratch with a reward function, sfnec/reward.h,
// whose rewards then count) or not finite, or steps is less than 1, as sfnec_agent_choose
// does, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_run_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env,
                                          const double *w, int64_t steps, int64_t episode_steps, sfnec_evaluation *out);

// ---- experimental: evaluation during a run ----

typedef struct sfnec_evaluate_options {
  int64_t every;         // transitions of the run between two evaluations, at least 1
  int64_t episodes;      // of each evaluation and weight vector, at least 1
  int64_t episode_steps; // an episode is cut off after so many transitions, at least 1
  const double *weights; // (weight_count, feature_count) to play under; NULL: under those of the present task
  uint32_t weight_count;
  const char *best_path; // the agent is saved there when its mean return is the highest so far (of the present task
                         // without weights, of the run with them); NULL: nowhere
  const char *best_note; // the note of that file (sfnec_agent_set_note); NULL: the agent's
} sfnec_evaluate_options;

// Lets a run evaluate its agent while it is advanced. Agent, environment and results stay the same to the byte. `env`
// is another environment of the same shape, used until the run is destroyed; it restarts before each evaluation
// (sfnec_env_restart), so that evaluations can be compared. With weights, agents that predict rewards (predict=reward)
// are not evaluated. Copies the options. Fails with SFNEC_ERROR_ARGUMENT and with _MEMORY.
SFNEC_API sfnec_status sfnec_run_set_evaluation(sfnec_run *run, sfnec_env *env, const sfnec_evaluate_options *options);
// The evaluations in a finished task, `count` of them, and *features (count, feature_count): phi added up over the
// transitions of each. Valid until the run is destroyed; NULL and 0 if there are none.
SFNEC_API const sfnec_evaluation_result *sfnec_run_get_evaluations(const sfnec_run *run, uint32_t task, uint32_t *count,
                                                                   const double **features);

// ---- experimental: which policies were used ----

// For a finished task: how many of its transitions GPI left to each policy that the agent had then (the tasks up to
// this one). They add up to the task's transitions. Valid until the run is destroyed; NULL and 0 for a task that is not
// finished.
SFNEC_API const int64_t *sfnec_run_get_uses(const sfnec_run *run, uint32_t task, uint32_t *count);

// ---- experimental: checkpoints ----

// Saves agent, environment and run in a folder, which is made if it is missing. The keys of finished tasks hardly ever
// change, so each task's are written once, to a file of their own (and again if they did change); the rest goes to one
// of two files in turn. Every file is whole or not there (temporary name, sync, rename) and has a checksum; until the
// new state is safe the older one stays. Keys that neither state refers to are removed, other files are not touched.
// `label` is a text that resuming must repeat (which run is this?). Fails with SFNEC_ERROR_IO, _MEMORY, _VERSION (a
// newer program's checkpoint is there), _ARGUMENT (a folder or a label that is NULL or too long) or _STATE (the world
// cannot be saved: its kind has `destroy`); the last good checkpoint is then untouched.
SFNEC_API sfnec_status sfnec_run_save(sfnec_run *run, const char *folder, const char *label);

enum { SFNEC_RUN_WARNING = 512 }; // bytes of the warning

// Resumes from the newest good checkpoint in a folder: makes the agent and the run, and brings the environment (created
// with the same kind, settings and seed) to its state. The result is that of an unbroken run, to the bit (but for
// `seconds`). `options` may ask for more tasks than the saved run did, or for fewer that it has not begun yet; the
// other limits and keep_episodes must be the same; another number of bins counts from the next task on. No checkpoint
// there: SFNEC_OK and *out NULL. A damaged one is passed over for the one before it; `warning` then says so in one
// sentence ("" otherwise). Fails with SFNEC_ERROR_FORMAT when there are checkpoints and none of them is good or they
// belong to another run (label, environment, limits), with _STATE when one is further than `options` asks for, with _IO
// when one cannot be read (it may be the newest), _MEMORY
// or _ARGUMENT, and with _VERSION when a newer program saved one; *agent and *out are then NULL.
SFNEC_API sfnec_status sfnec_run_resume(const char *folder, const char *label, sfnec_env *env,
                                        const sfnec_run_options *options, sfnec_agent **agent, sfnec_run **out,
                                        char warning[SFNEC_RUN_WARNING]);
// Gives the files of the checkpoints in a folder the ending ".damaged", so that a run there begins again and nothing is
// lost. Fails with SFNEC_ERROR_IO, and with _ARGUMENT for a folder that is NULL or too long.
SFNEC_API sfnec_status sfnec_run_put_aside(const char *folder);
// Removes the files of the checkpoints in a folder, and the folder if nothing else is in it. Fails with SFNEC_ERROR_IO
// or _ARGUMENT.
SFNEC_API sfnec_status sfnec_run_discard(const char *folder);
// Bytes that the checkpoints in a folder take; 0 if there are none.
SFNEC_API int64_t sfnec_run_get_saved_bytes(const char *folder);

// ---- experimental: the tables of records ----

// Every number of sfnec_task_result, sfnec_episode_result, sfnec_bin_result and sfnec_evaluation_result is a row of a
// table. Checkpoints, result files, messages between workers, the database, exports, statistics, figures and the page
// follow from the tables, so that a new number is a field, a row (src/run/record.c) and the line that computes it.
typedef enum sfnec_record_type {
  SFNEC_RECORD_INT,  // stored as int64_t
  SFNEC_RECORD_REAL, // stored as double
  SFNEC_RECORD_FLAG, // stored as bool
  SFNEC_RECORD_TEXT, // stored as const char *
} sfnec_record_type;

typedef struct sfnec_record_field {
  const char *name; // of the database's column
  sfnec_record_type type;
  size_t offset;    // of the field in the struct that the table describes
  double least;     // INT, REAL: the least that it can be; minus infinity: any finite number
  const char *most; // the name of the field that it cannot exceed; NULL: there is none
  bool optional;    // TEXT: may be NULL; REAL: may be NaN, which says that it is not known
  int since;        // the edition of the records that has it first; 0: all have it
  double missing;   // what it is in records of an older edition
  const char *unit; // NULL: none, or that of the reward
  const char *help; // one line, no full stop

  // how it is shown
  const char *over;         // a sum: divided by the field of this name; NULL: it is shown as it is
  const char *heading;      // of its column in exported tables; NULL: its name
  bool headline;            // exported tables begin with it, and have its average over the tasks so far
  bool of_machine;          // depends on the machine's speed: exported only when asked for
  bool level;               // a state at the task's end: over several tasks the last one counts, not the mean
  bool less_is_better;      // as a metric
  const char *metric;       // its name among the metrics of statistics; NULL: it is none
  const char *metric_help;  // one line, no full stop
  const char *tag;          // its curve in TensorBoard; NULL: it has none
  const char *figure;       // its figure against tasks; NULL: it has none
  const char *figure_help;  // one line, no full stop
  const char *figure_label; // of the axis
  const char *title;        // of its curve on the page; NULL: it has none
} sfnec_record_field;

// A table; the last row has name NULL.
typedef struct sfnec_record_set {
  const char *title; // "task", "episode", "bin", "evaluation"
  const sfnec_record_field *fields;
  int since; // the edition of the records that has it first; 0: all have it
} sfnec_record_set;

SFNEC_API const sfnec_record_set *sfnec_task_record_set(void);    // of sfnec_task_result
SFNEC_API const sfnec_record_set *sfnec_episode_record_set(void); // of sfnec_episode_result, but for the task's number
SFNEC_API const sfnec_record_set *sfnec_bin_record_set(void);     // of sfnec_bin_result
SFNEC_API const sfnec_record_set *sfnec_evaluation_record_set(void); // of sfnec_evaluation_result

#ifdef __cplusplus
}
#endif

#endif
