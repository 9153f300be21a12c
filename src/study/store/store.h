// store.h: the results of an experiment in one SQLite database, experiment.db in its folder.
//
// The schema is documented in docs/store.md; users query it by SQL. One process at a time writes: it holds a lock in
// the folder, which the system releases if the process dies. Others may read at any time (SQLite's write-ahead log).
// All functions are called from one thread. Those that return a status fail with SFNEC_ERROR_IO if the database cannot
// be read or written and with SFNEC_ERROR_FORMAT if it is damaged.
#ifndef SFNEC_STUDY_STORE_STORE_H
#define SFNEC_STUDY_STORE_STORE_H

#include "study/plan/plan.h"
#include "study/store/task_record.h"

typedef enum sfnec_job_state {
  SFNEC_JOB_WAITING, // not begun, stopped before its end, or to be tried again
  SFNEC_JOB_RUNNING, // by the process that holds the lock, or by one that was killed
  SFNEC_JOB_DONE,
  SFNEC_JOB_FAILED,
} sfnec_job_state;

// Their names, by number: "waiting", "running", "done", "failed".
extern const char *const sfnec_job_states[];
// The state of a name; waiting for anything else.
sfnec_job_state sfnec_job_state_read(const char *text);

typedef struct sfnec_store sfnec_store;

// Opens the experiment in a folder for writing; the folder and the database are created if missing. Takes the lock
// (SFNEC_ERROR_STATE with the other process' host and number if it is taken) and brings an older schema up to date.
// A folder without a database must be empty, or hold what an experiment leaves when its database is lost. Fails with
// SFNEC_ERROR_IO (cannot write there), _FORMAT (no database of ours, damaged, or made by a newer program: says what to
// do).
sfnec_status sfnec_store_open(const char *folder, sfnec_store **out);
void sfnec_store_close(sfnec_store *store); // NULL is fine; releases the lock

// The resolved text of the spec that the stored plan was made from, or NULL in a new experiment. Valid until the next
// sfnec_store_set_plan, or until the store is closed.
const char *sfnec_store_spec(const sfnec_store *store);

// How a plan stands to what is stored.
typedef enum sfnec_plan_match {
  SFNEC_MATCH_OTHER,   // jobs are missing on both sides, or have more tasks here and fewer there
  SFNEC_MATCH_EXTENDS, // every stored job is in it, with at least as many tasks
  SFNEC_MATCH_PART,    // every job of it is stored, with at least as many tasks, and there is more
} sfnec_plan_match;
sfnec_status sfnec_store_match(sfnec_store *store, const sfnec_plan *plan, sfnec_plan_match *fit);
// Stores the plan: spec text, configurations, jobs and published values, in one transaction. Jobs that are stored
// already keep their state; but one that is done, with fewer tasks than the plan wants, is waiting again, with no
// attempts. If the plan does not fit, stored jobs that are not in it are removed, and so are results of tasks that it
// does not want.
sfnec_status sfnec_store_set_plan(sfnec_store *store, const sfnec_plan *plan, const char *spec_text);

// What is stored of one job.
typedef struct sfnec_job_status {
  sfnec_job_state state;
  uint32_t attempts;   // how often it was begun
  uint32_t tasks;      // wanted by the stored plan; more than by this one if this is a part of it
  uint32_t tasks_done; // tasks with a stored result; 0 if one before another is missing
  double total;        // the sum of their returns
} sfnec_job_status;
// The status of each job of the plan, in its order (job_count of them).
sfnec_status sfnec_store_get_jobs(sfnec_store *store, const sfnec_plan *plan, sfnec_job_status *jobs);

// A session is one start of the program: its version and machine, when it began and how it ended. Beginning one marks
// earlier sessions that have no end as killed.
sfnec_status sfnec_store_begin_session(sfnec_store *store, uint32_t workers, uint32_t ranks);
sfnec_status sfnec_store_end_session(sfnec_store *store, const char *how); // "done", "interrupted", "failed"
// The command line of this session, which `sfnec status` shows as the way to resume.
sfnec_status sfnec_store_set_command(sfnec_store *store, const char *command);

// What comes of jobs gathers in a transaction, which ends with sfnec_store_commit, or with any other change: thousands
// of small jobs a second are a few transactions. A change that fails is undone; when the disk fails, all that was
// gathered since the last commit may be.

// Sets the state of a job; DONE and FAILED are on disk once they are committed. Setting RUNNING counts one more
// attempt. A job that is DONE with fewer tasks than the stored plan wants is WAITING there. `error` says why it is
// FAILED, and is NULL for all other states.
sfnec_status sfnec_store_set_state(sfnec_store *store, const sfnec_job *job, sfnec_job_state state, const char *error);
// The result of one task; replaces what an earlier attempt stored (the same numbers but for the seconds).
sfnec_status sfnec_store_put_task(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *record);
sfnec_status sfnec_store_commit(sfnec_store *store);

#endif
