// store.h: the results of an experiment in one SQLite database, experiment.db in its folder.
//
// The schema is documented in docs/store.md; users query it by SQL. One process at a time writes (a lock in the folder
// that a crash releases); readers are welcome at any time (WAL). All functions are called from one thread.
#ifndef SFNEC_STUDY_STORE_STORE_H
#define SFNEC_STUDY_STORE_STORE_H

#include "study/plan/plan.h"
#include "study/store/task_record.h"

typedef enum sfnec_job_state {
  SFNEC_JOB_WAITING,
  SFNEC_JOB_RUNNING, // by the running process, or by one that was killed
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

// The resolved spec text that is stored, or NULL in a new experiment; valid until the store is closed or planned anew.
const char *sfnec_store_spec(const sfnec_store *store);

// Whether every stored job is in the plan with at least as many tasks: then the plan may take its place.
sfnec_status sfnec_store_fits(sfnec_store *store, const sfnec_plan *plan, bool *fits);
// Stores the plan: spec text, configurations, jobs and published values, in one transaction. Jobs that are there keep
// their state; one that was done with fewer tasks than now wanted becomes waiting again, with no attempts. If the plan
// does not fit, stored jobs that are not in it and tasks beyond those wanted are removed.
sfnec_status sfnec_store_set_plan(sfnec_store *store, const sfnec_plan *plan, const char *spec_text);

// What is known of the jobs of the plan, in its order: state, attempts, tasks done and their returns.
typedef struct sfnec_job_status {
  sfnec_job_state state;
  uint32_t attempts;
  uint32_t tasks_done; // tasks with a stored result
  double total;        // the sum of their returns
} sfnec_job_status;
sfnec_status sfnec_store_get_jobs(sfnec_store *store, const sfnec_plan *plan, sfnec_job_status *jobs);

// One start of the program: version, machine, how it ended. Earlier sessions without an end were killed, and are
// marked so.
sfnec_status sfnec_store_begin_session(sfnec_store *store, uint32_t workers, uint32_t ranks);
sfnec_status sfnec_store_end_session(sfnec_store *store, const char *how); // "done", "interrupted", "failed"
// The command line of this session, which `sfnec status` shows as the way to go on.
sfnec_status sfnec_store_set_command(sfnec_store *store, const char *command);

// News of a job; each call is one transaction, on disk when it returns if the state is DONE or FAILED. `error` is for
// FAILED, else NULL. STARTING counts an attempt: pass RUNNING.
sfnec_status sfnec_store_set_state(sfnec_store *store, const sfnec_job *job, sfnec_job_state state, const char *error);
// The result of one task; replaces what an earlier attempt stored (the same numbers but for the seconds).
sfnec_status sfnec_store_put_task(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *record);
// All tasks of a finished job and its state DONE in one transaction, on disk when it returns: for a job whose result
// file is read back, or whose tasks come all at once.
sfnec_status sfnec_store_put_job(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *records,
                                 uint32_t count);

#endif
