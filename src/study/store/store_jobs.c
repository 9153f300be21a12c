// store_jobs.c: the jobs in the store: how far they are, and the results of their tasks.
#include "base/error.h"
#include "study/store/machine.h"
#include "study/store/store_parts.h"

#include <string.h>

// ---- states ----

sfnec_job_state sfnec_job_state_read(const char *text) {
  for (int state = SFNEC_JOB_WAITING; state <= SFNEC_JOB_FAILED; state++)
    if (text && strcmp(text, sfnec_job_states[state]) == 0) return (sfnec_job_state)state;
  return SFNEC_JOB_WAITING;
}

sfnec_status sfnec_store_get_jobs(sfnec_store *store, const sfnec_plan *plan, sfnec_job_status *jobs) {
  const sfnec_sql *sql = &store->sql;
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < plan->job_count && !status; i++) {
    sqlite3_stmt *statement;
    bool row = false;
    jobs[i] = (sfnec_job_status){SFNEC_JOB_WAITING, 0, 0, 0};
    status = sfnec_sql_query(sql, &statement,
                             "SELECT state, attempts, (SELECT count(*) FROM task WHERE task.job = job.job),"
                             " (SELECT total(total) FROM task WHERE task.job = job.job) FROM job"
                             " WHERE id = ?",
                             "t", plan->jobs[i].id);
    if (!status) status = sfnec_sql_next(sql, &statement, &row);
    if (status || !row) continue;
    jobs[i].state = sfnec_job_state_read((const char *)sqlite3_column_text(statement, 0));
    jobs[i].attempts = (uint32_t)sqlite3_column_int64(statement, 1);
    jobs[i].tasks_done = (uint32_t)sqlite3_column_int64(statement, 2);
    jobs[i].total = sqlite3_column_double(statement, 3);
    sqlite3_finalize(statement);
  }
  return status;
}

static sfnec_status put_state(const sfnec_sql *sql, const sfnec_job *job, sfnec_job_state state, const char *error) {
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  const bool starts = state == SFNEC_JOB_RUNNING, ends = state == SFNEC_JOB_DONE || state == SFNEC_JOB_FAILED;
  return sfnec_sql_do(sql,
                      "UPDATE job SET state = ?, error = ?, attempts = attempts + ?, started = coalesce(?, started),"
                      " ended = ? WHERE id = ?",
                      "ttittt", sfnec_job_states[state],
                      state != SFNEC_JOB_FAILED ? NULL
                      : error                   ? error
                                                : "unknown error",
                      (int64_t)starts, starts ? now : NULL, ends ? now : NULL, job->id);
}

sfnec_status sfnec_store_set_state(sfnec_store *store, const sfnec_job *job, sfnec_job_state state, const char *error) {
  const bool ends = state == SFNEC_JOB_DONE || state == SFNEC_JOB_FAILED;
  const sfnec_status status = sfnec_sql_begin(&store->sql, ends);
  return status ? status : sfnec_sql_end(&store->sql, put_state(&store->sql, job, state, error));
}

// ---- results ----

// the number of a job in the database
static sfnec_status find_number(const sfnec_sql *sql, const sfnec_job *job, int64_t *number) {
  sqlite3_stmt *statement;
  bool row = false;
  sfnec_status status = sfnec_sql_query(sql, &statement, "SELECT job FROM job WHERE id = ?", "t", job->id);
  if (!status) status = sfnec_sql_next(sql, &statement, &row);
  if (status) return status;
  if (!row) return sfnec_fail(SFNEC_ERROR_STATE, "job %s is not in the plan that is stored in %s", job->id, sql->path);
  *number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return SFNEC_OK;
}

// thousands of rows per task: one statement, bound again and again
static sfnec_status put_episodes(const sfnec_sql *sql, int64_t number, const sfnec_task_record *record) {
  if (!record->episode_count) return SFNEC_OK;
  sqlite3_stmt *statement;
  sfnec_status status = sfnec_sql_query(sql, &statement,
                                        "INSERT INTO episode (job, task, episode, steps, total, terminated)"
                                        " VALUES (?, ?, ?, ?, ?, ?)",
                                        "ii", number, (int64_t)record->task + 1);
  if (status) return status;
  int code = SQLITE_OK;
  for (uint32_t i = 0; i < record->episode_count && !code; i++) {
    const sfnec_episode_result *episode = &record->episodes[i];
    sqlite3_bind_int64(statement, 3, (int64_t)i + 1);
    sqlite3_bind_int64(statement, 4, episode->steps);
    sqlite3_bind_double(statement, 5, episode->total);
    sqlite3_bind_int(statement, 6, episode->terminated);
    sqlite3_step(statement);
    code = sqlite3_reset(statement);
  }
  if (code) status = sfnec_sql_fail(sql, code);
  sqlite3_finalize(statement);
  return status;
}

static sfnec_status put_record(const sfnec_sql *sql, int64_t number, const sfnec_task_record *record) {
  const sfnec_task_result *result = &record->result;
  const int64_t task = (int64_t)record->task + 1;
  // takes the uses and episodes of an earlier attempt with it
  sfnec_status status = sfnec_sql_do(sql, "DELETE FROM task WHERE job = ? AND task = ?", "ii", number, task);
  if (!status)
    status = sfnec_sql_do(sql,
                          "INSERT INTO task (job, task, total, steps, episodes, goals, entries, w_error, seconds)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          "iiriiiirr", number, task, result->total, result->steps, result->episodes, result->goals,
                          result->entries, result->w_error, result->seconds);
  for (uint32_t i = 0; i < record->use_count && !status; i++)
    status = sfnec_sql_do(sql, "INSERT INTO policy_use (job, task, policy, steps) VALUES (?, ?, ?, ?)", "iiii", number,
                          task, (int64_t)i + 1, record->uses[i]);
  return status ? status : put_episodes(sql, number, record);
}

static sfnec_status put_records(const sfnec_sql *sql, const sfnec_job *job, const sfnec_task_record *records,
                                uint32_t count) {
  int64_t number = 0;
  sfnec_status status = find_number(sql, job, &number);
  for (uint32_t i = 0; i < count && !status; i++) status = put_record(sql, number, &records[i]);
  return status;
}

sfnec_status sfnec_store_put_task(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *record) {
  const sfnec_status status = sfnec_sql_begin(&store->sql, false);
  return status ? status : sfnec_sql_end(&store->sql, put_records(&store->sql, job, record, 1));
}

static sfnec_status put_done(const sfnec_sql *sql, const sfnec_job *job, const sfnec_task_record *records,
                             uint32_t count) {
  const sfnec_status status = put_records(sql, job, records, count);
  return status ? status : put_state(sql, job, SFNEC_JOB_DONE, NULL);
}

sfnec_status sfnec_store_put_job(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *records,
                                 uint32_t count) {
  const sfnec_status status = sfnec_sql_begin(&store->sql, true);
  return status ? status : sfnec_sql_end(&store->sql, put_done(&store->sql, job, records, count));
}
