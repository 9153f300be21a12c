// log.h: transitions on disk, to learn from without an environment: an archive of NumPy (base/npz.h) with D4RL's names,
// a row per transition.
//
//   observations, next_observations   (n, ...)
//   actions                           (n): numbers of discrete actions, from 0
//   rewards                           (n), or (n, k): a vector, which is then phi
//   terminals, timeouts               (n): the return ends here; the episode ends here and the return continues
//   features                          (n, k): phi
//   tasks, weights, note              (n), (tasks, k), (bytes): which task each row belongs to, the reward weights of
//                                     the tasks, and where it was recorded (study/work/note.h); only this program's
//                                     logs have them
//
// Without next_observations the next row's observation counts; a transition that was cut off there is left out, as
// nobody knows where it led. Gymnasium's names (terminations, truncations, obs, ...) are read too.
#ifndef SFNEC_RUN_LOG_H
#define SFNEC_RUN_LOG_H

#include "base/npz.h"
#include "sfnec/agent.h"
#include "sfnec/run.h"

// ---- writing ----

typedef struct sfnec_log_writer sfnec_log_writer;

// A log in memory, of transitions of this shape. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_log_writer_create(sfnec_env_shape shape, sfnec_log_writer **out);
void sfnec_log_writer_destroy(sfnec_log_writer *writer); // NULL is fine
// What follows belongs to a new task with these weights (feature_count). Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_log_writer_begin_task(sfnec_log_writer *writer, const double *w);
// Adds a transition from this observation. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_log_writer_add(sfnec_log_writer *writer, const float *observation,
                                  const sfnec_transition *transition);
// Writes the file. Fails with SFNEC_ERROR_IO, or _ARGUMENT: it would be too large.
sfnec_status sfnec_log_writer_save(const sfnec_log_writer *writer, const char *note, const char *path);

// From now on the run records its transitions, and the tasks that it begins. The log is the caller's, and is used until
// the run is destroyed; a run that stands in a task records the rest of it under that task's weights.
sfnec_status sfnec_run_set_log(sfnec_run *run, sfnec_log_writer *writer);

// ---- reading ----

typedef struct sfnec_log {
  sfnec_npz *npz;
  uint64_t count;        // rows
  sfnec_env_shape shape; // action_count: one more than the greatest action
  uint32_t task_count;   // with weights; 0: the log does not say
  char *note;            // "" if there is none
  // the arrays; NULL: the log has none
  const sfnec_npz_array *observations, *next_observations, *actions, *rewards, *terminated, *truncated, *features,
      *tasks, *weights;
} sfnec_log;

// One row; the arrays are the caller's.
typedef struct sfnec_logged_row {
  float *observation, *next_observation; // (observation_size)
  double *features;                      // (feature_count)
  sfnec_transition transition;           // points to the arrays above
  uint32_t task;
  bool known; // it is known where it led
} sfnec_logged_row;

// Reads a log and checks names, shapes and actions. Fails with SFNEC_ERROR_IO, _MEMORY or _FORMAT.
sfnec_status sfnec_log_open(const char *path, sfnec_log *log);
// The same of bytes in memory, which are borrowed.
sfnec_status sfnec_log_open_memory(const void *bytes, size_t size, const char *path, sfnec_log *log);
void sfnec_log_close(sfnec_log *log);

// Room for a row. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_logged_row_create(const sfnec_log *log, sfnec_logged_row *row);
void sfnec_logged_row_free(sfnec_logged_row *row);
// Row i. Numbers that are too great for a float become infinite, which agents refuse. A log with vector rewards alone
// has reward 0 here: it depends on the weights.
void sfnec_log_get(const sfnec_log *log, uint64_t i, sfnec_logged_row *row);
// The weights of a task (feature_count).
void sfnec_log_get_weights(const sfnec_log *log, uint32_t task, double *w);

// ---- learning ----

typedef struct sfnec_log_lesson {
  uint64_t learned, left_out; // rows
  uint64_t episodes;          // that ended, or were cut off
} sfnec_log_lesson;

// Learns all rows. `w` (feature_count): all of it as one task with these weights, whatever rewards were logged; NULL:
// with the tasks, weights and rewards of the log, or as one task whose weights the agent learns, or are 1 where the
// reward is the only feature. Fails as sfnec_agent_learn_transition does, with the number of the row, and with
// SFNEC_ERROR_ARGUMENT for another shape or weights that are missing.
sfnec_status sfnec_log_learn(const sfnec_log *log, sfnec_agent *agent, const double *w, sfnec_log_lesson *lesson);

#endif
