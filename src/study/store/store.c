// store.c: the results of an experiment being written: the folder, its sessions, the plan, the jobs and their results.
#include "study/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/folder.h"
#include "study/store/database.h"
#include "study/store/lock.h"
#include "study/store/session.h"

struct sfnec_store {
  sfnec_arena *arena; // in which it lives
  sfnec_sql sql;
  sfnec_statements statements;
  sfnec_lock *lock;
  const char *spec; // NULL in a new experiment
  int64_t session;  // 0: none was begun
  bool gathering;   // a transaction is open, for what comes of jobs
  bool durable;     // it will be on disk once it is committed
};

const char *const sfnec_job_states[] = {"waiting", "running", "done", "failed"};

// ---- the folder ----

// what may be in the folder of an experiment whose database is gone; hidden files are nobody's business
static bool is_remains(const char *name) {
  static const char *const ours[] = {"jobs", "agents", "lock", "report.html", "figures"};
  bool remains = name[0] == '.' || strncmp(name, "experiment.db", strlen("experiment.db")) == 0;
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) remains = remains || strcmp(name, ours[i]) == 0;
  return remains;
}

static sfnec_status refuse_foreign(const char *folder) {
  DIR *stream = opendir(folder);
  if (!stream) return sfnec_fail(SFNEC_ERROR_IO, "cannot read the folder %s: %s", folder, strerror(errno));
  sfnec_status status = SFNEC_OK;
  for (const struct dirent *entry; !status && (entry = readdir(stream));) {
    if (!is_remains(entry->d_name))
      status = sfnec_fail(SFNEC_ERROR_FORMAT,
                          "the folder %s holds something else than an experiment (%s); choose an empty or a new one",
                          folder, entry->d_name);
  }
  closedir(stream);
  return status;
}

static sfnec_status check_folder(const sfnec_store *store) {
  const sfnec_status status = sfnec_folder_make(store->sql.folder);
  struct stat facts;
  if (status || stat(store->sql.path, &facts) == 0) return status;
  return refuse_foreign(store->sql.folder);
}

// ---- opening ----

// reads the stored spec text again
static sfnec_status read_spec(sfnec_store *store) {
  sqlite3_stmt *statement;
  bool row = false;
  sfnec_status status = sfnec_sql_query(&store->sql, &statement, "SELECT spec FROM experiment", "");
  if (!status) status = sfnec_sql_next(&store->sql, &statement, &row);
  if (status) return status;
  store->spec = NULL;
  if (!row) return SFNEC_OK;
  sfnec_row columns = {.statement = statement, .arena = store->arena};
  const char *spec = sfnec_row_lines(&columns, 0);
  status = sfnec_row_check(&store->sql, &columns);
  if (!status) store->spec = spec;
  sqlite3_finalize(statement);
  return status;
}

sfnec_status sfnec_store_open(const char *folder, sfnec_store **out) {
  sfnec_arena *arena;
  sfnec_store *store = sfnec_arena_create_for(sizeof *store, &arena);
  if (!store) return sfnec_fail_memory("the store of an experiment");
  store->arena = arena;
  store->sql.statements = &store->statements;
  store->sql.folder = sfnec_arena_copy(arena, folder);
  store->sql.path = sfnec_arena_print(arena, "%s/experiment.db", folder);
  const bool named = store->sql.folder && store->sql.path;
  sfnec_status status = named ? check_folder(store) : sfnec_fail_memory("the store of an experiment");
  if (!status) status = sfnec_lock_take(folder, &store->lock);
  if (!status) status = sfnec_database_open(&store->sql);
  if (!status) status = read_spec(store);
  if (status) sfnec_store_close(store);
  else *out = store;
  return status;
}

void sfnec_store_close(sfnec_store *store) {
  if (!store) return;
  (void)sfnec_store_commit(store);
  sfnec_statements_clear(&store->statements);
  sqlite3_close(store->sql.db);
  // after the database: the next process finds it closed
  sfnec_lock_release(store->lock);
  sfnec_arena_destroy(store->arena);
}

const char *sfnec_store_spec(const sfnec_store *store) {
  return store->spec;
}

// ---- transactions ----

sfnec_status sfnec_store_commit(sfnec_store *store) {
  if (!store->gathering) return SFNEC_OK;
  store->gathering = false;
  // whoever removes the lock lets another one in
  return sfnec_sql_end(&store->sql, sfnec_lock_check(store->lock, store->sql.folder));
}

// a transaction of the one process that may write
static sfnec_status begin(sfnec_store *store, bool durable) {
  sfnec_status status = sfnec_store_commit(store);
  if (!status) status = sfnec_lock_check(store->lock, store->sql.folder);
  return status ? status : sfnec_sql_begin(&store->sql, durable);
}

// Joins the open transaction, or begins one. A durable change does not join one that a power cut may undo; that one is
// cheap to commit.
static sfnec_status gather(sfnec_store *store, bool durable) {
  if (!store->gathering || (durable && !store->durable)) {
    const sfnec_status status = begin(store, durable);
    store->gathering = !status;
    store->durable = durable;
    if (status) return status;
  }
  return sfnec_sql_do(&store->sql, "SAVEPOINT change", "");
}

// a change that failed is undone alone, unless the failure has undone the whole transaction
static sfnec_status gathered(sfnec_store *store, sfnec_status status) {
  if (!status) return sfnec_sql_do(&store->sql, "RELEASE change", "");
  store->gathering = !sqlite3_get_autocommit(store->sql.db);
  if (store->gathering) sqlite3_exec(store->sql.db, "ROLLBACK TO change; RELEASE change", NULL, NULL, NULL);
  return status;
}

// ---- sessions ----

sfnec_status sfnec_store_begin_session(sfnec_store *store, uint32_t workers, uint32_t ranks) {
  const sfnec_sql *sql = &store->sql;
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  sfnec_session session = {.workers = workers, .ranks = ranks, .started = now};
  sfnec_session_describe(&session, store->arena);
  sfnec_status status = begin(store, true);
  if (status) return status;
  status = sfnec_sql_exec(sql, "UPDATE session SET how = 'killed' WHERE ended IS NULL AND how IS NULL");
  const sfnec_sql_keys keys = {.names = ""};
  if (!status) status = sfnec_sql_insert(sql, sfnec_session_record_set(), &keys, &session, 1, sizeof session);
  const int64_t number = sqlite3_last_insert_rowid(sql->db);
  status = sfnec_sql_end(sql, status);
  if (!status) store->session = number;
  return status;
}

sfnec_status sfnec_store_end_session(sfnec_store *store, const char *how) {
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  const sfnec_status status = begin(store, true);
  if (status) return status;
  return sfnec_sql_end(&store->sql, sfnec_sql_do(&store->sql, "UPDATE session SET ended = ?, how = ? WHERE session = ?",
                                                 "tti", now, how, store->session));
}

sfnec_status sfnec_store_set_command(sfnec_store *store, const char *command) {
  return sfnec_sql_do(&store->sql, "UPDATE session SET command = ? WHERE session = ?", "ti", command, store->session);
}

// ---- the plan: does it fit? ----

static int by_id(const void *a, const void *b) {
  return strcmp((*(const sfnec_job *const *)a)->id, (*(const sfnec_job *const *)b)->id);
}

static int compare_id(const void *id, const void *job) {
  return strcmp(id, (*(const sfnec_job *const *)job)->id);
}

// NULL without memory
static const sfnec_job **sort_jobs(sfnec_arena *arena, const sfnec_plan *plan) {
  const sfnec_job **jobs = sfnec_arena_alloc(arena, plan->job_count, sizeof *jobs);
  for (size_t i = 0; jobs && i < plan->job_count; i++) jobs[i] = &plan->jobs[i];
  if (jobs) qsort(jobs, plan->job_count, sizeof *jobs, by_id);
  return jobs;
}

// the job whose id is in column 0; NULL if it is not in the plan
static const sfnec_job *find_job(const sfnec_plan *plan, const sfnec_job *const *sorted, sqlite3_stmt *statement) {
  const void *id = sqlite3_column_text(statement, 0);
  const sfnec_job *const *found = id ? bsearch(id, sorted, plan->job_count, sizeof *sorted, compare_id) : NULL;
  return found ? *found : NULL;
}

sfnec_status sfnec_store_match(sfnec_store *store, const sfnec_plan *plan, sfnec_plan_match *fit) {
  const sfnec_job **jobs = sort_jobs(store->arena, plan);
  if (!jobs) return sfnec_fail_memory("a plan");
  sqlite3_stmt *statement;
  sfnec_status status = sfnec_sql_query(&store->sql, &statement, "SELECT id, tasks FROM job", "");
  bool extends = true, part = true;
  size_t found = 0;
  for (bool row = !status; row && !status;) {
    status = sfnec_sql_next(&store->sql, &statement, &row);
    if (status || !row) break;
    const sfnec_job *job = find_job(plan, jobs, statement);
    const int64_t tasks = sqlite3_column_int64(statement, 1);
    extends = extends && job && job->run.tasks >= tasks;
    part = part && (!job || job->run.tasks <= tasks);
    found += job != NULL;
  }
  part = part && found == plan->job_count;
  *fit = extends ? SFNEC_MATCH_EXTENDS : part ? SFNEC_MATCH_PART : SFNEC_MATCH_OTHER;
  return status;
}

// ---- storing it ----

static sfnec_status put_experiment(const sfnec_sql *sql, const sfnec_plan *plan, const char *spec_text) {
  const sfnec_spec *spec = plan->spec;
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  return sfnec_sql_do(sql,
                      "INSERT INTO experiment (one, name, title, spec, spec_path, env, tasks, steps, episodes, version,"
                      " created) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                      " ON CONFLICT (one) DO UPDATE SET name = excluded.name, title = excluded.title,"
                      " spec = excluded.spec, spec_path = excluded.spec_path, env = excluded.env,"
                      " tasks = excluded.tasks, steps = excluded.steps, episodes = excluded.episodes,"
                      " version = excluded.version",
                      "tttttiiitt", spec->name, spec->title ? spec->title : "", spec_text, spec->path ? spec->path : "",
                      spec->env, (int64_t)spec->tasks, spec->steps, spec->episodes, sfnec_version(), now);
}

static sfnec_status put_setting(const sfnec_sql *sql, int64_t configuration, const char *kind, size_t position,
                                const char *key, const char *value) {
  return sfnec_sql_do(sql, "INSERT INTO setting (configuration, kind, position, key, value) VALUES (?, ?, ?, ?, ?)",
                      "ititt", configuration, kind, (int64_t)position, key, value);
}

static sfnec_status put_agent_options(const sfnec_sql *sql, int64_t number, const sfnec_agent_options *options) {
  sfnec_status status = SFNEC_OK;
  const sfnec_option *first = sfnec_agent_option_set()->rows;
  for (const sfnec_option *row = first; row->name && !status; row++) {
    char value[256];
    sfnec_options_get_text(row, options, value, sizeof value);
    status = put_setting(sql, number, "agent", (size_t)(row - first) + 1, row->name, value);
  }
  return status;
}

static sfnec_status put_env_options(const sfnec_sql *sql, int64_t number, const char *const *settings) {
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; settings && settings[i] && !status; i++) {
    const char *equals = strchr(settings[i], '=');
    if (!equals) continue;
    char *key = strndup(settings[i], (size_t)(equals - settings[i]));
    if (!key) return sfnec_fail_memory("the options of an environment");
    // the last one counts when a key was set twice
    status = sfnec_sql_do(sql, "DELETE FROM setting WHERE configuration = ? AND kind = 'env' AND key = ?", "it", number,
                          key);
    if (!status) status = put_setting(sql, number, "env", i + 1, key, equals + 1);
    free(key);
  }
  return status;
}

static sfnec_status put_configuration(const sfnec_sql *sql, const sfnec_configuration *c, int64_t number) {
  sfnec_status status =
      sfnec_sql_do(sql, "INSERT INTO configuration (configuration, label, preset, point, name) VALUES (?, ?, ?, ?, ?)",
                   "itttt", number, c->label, c->preset, c->point, c->name);
  for (size_t i = 0; i < c->settings.count && !status; i++)
    status = put_setting(sql, number, "sweep", i + 1, c->settings.items[i].key, c->settings.items[i].value);
  if (!status) status = put_agent_options(sql, number, &c->options);
  if (!status) status = put_env_options(sql, number, c->env_settings);
  return status;
}

// results of a job that is there stay; one that lacks tasks now has not failed at them yet
static sfnec_status put_job(const sfnec_sql *sql, const sfnec_job *job, int64_t position) {
  return sfnec_sql_do(
      sql,
      "INSERT INTO job (id, identity, configuration, position, seed, tasks) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, configuration = excluded.configuration,"
      " position = excluded.position, seed = excluded.seed, tasks = excluded.tasks,"
      " (state, attempts) = (SELECT CASE WHEN short THEN 'waiting' ELSE state END, CASE WHEN short THEN 0 ELSE attempts"
      " END FROM (SELECT state = 'done' AND count(*) < excluded.tasks AS short FROM task WHERE task.job = job.job))",
      "ttiini", job->id, job->identity, (int64_t)job->configuration + 1, position, job->seed, (int64_t)job->run.tasks);
}

static sfnec_status put_published(const sfnec_sql *sql, const sfnec_published *p, int64_t number) {
  sfnec_status status =
      sfnec_sql_do(sql, "INSERT INTO published (published, label, task, mean, se, source) VALUES (?, ?, ?, ?, ?, ?)",
                   "itirrt", number, p->agent, (int64_t)p->task, p->mean, p->se, p->source);
  for (size_t i = 0; i < p->options.count && !status; i++)
    status = sfnec_sql_do(sql, "INSERT INTO published_setting (published, position, key, value) VALUES (?, ?, ?, ?)",
                          "iitt", number, (int64_t)i + 1, p->options.items[i].key, p->options.items[i].value);
  return status;
}

static sfnec_status put_plan(const sfnec_sql *sql, const sfnec_plan *plan, const char *spec_text) {
  // jobs refer to configurations, which are checked at the end; position 0 is left to the jobs that are not planned
  sfnec_status status = sfnec_sql_exec(sql, "DELETE FROM configuration; DELETE FROM published;"
                                            "UPDATE job SET position = 0");
  if (!status) status = put_experiment(sql, plan, spec_text);
  for (size_t i = 0; i < plan->configuration_count && !status; i++)
    status = put_configuration(sql, &plan->configurations[i], (int64_t)i + 1);
  for (size_t i = 0; i < plan->job_count && !status; i++) status = put_job(sql, &plan->jobs[i], (int64_t)i + 1);
  for (size_t i = 0; i < plan->spec->published_count && !status; i++)
    status = put_published(sql, &plan->spec->published[i], (int64_t)i + 1);
  if (!status)
    status = sfnec_sql_exec(sql, "DELETE FROM job WHERE position = 0;"
                                 "DELETE FROM task WHERE task > (SELECT tasks FROM job WHERE job.job = task.job)");
  return status;
}

sfnec_status sfnec_store_set_plan(sfnec_store *store, const sfnec_plan *plan, const char *spec_text) {
  sfnec_status status = begin(store, true);
  if (!status) status = sfnec_sql_end(&store->sql, put_plan(&store->sql, plan, spec_text));
  return status ? status : read_spec(store);
}

// ---- the states of jobs ----

sfnec_job_state sfnec_job_state_read(const char *text) {
  for (int state = SFNEC_JOB_WAITING; state <= SFNEC_JOB_FAILED; state++)
    if (text && strcmp(text, sfnec_job_states[state]) == 0) return (sfnec_job_state)state;
  return SFNEC_JOB_WAITING;
}

static sfnec_status take_job(sfnec_row *columns, const sfnec_sql *sql, sfnec_job_status *job) {
  job->state = sfnec_job_state_read((const char *)sqlite3_column_text(columns->statement, 1));
  job->attempts = (uint32_t)sfnec_row_int(columns, 2, 0, UINT32_MAX);
  job->tasks_done = (uint32_t)sfnec_row_int(columns, 3, 0, UINT32_MAX);
  job->total = sfnec_row_real(columns, 4);
  job->tasks = (uint32_t)sfnec_row_int(columns, 5, 0, UINT32_MAX);
  return sfnec_row_check(sql, columns);
}

// tasks after a gap do not count: the job reports them again
sfnec_status sfnec_store_get_jobs(sfnec_store *store, const sfnec_plan *plan, sfnec_job_status *jobs) {
  const sfnec_sql *sql = &store->sql;
  const sfnec_job **sorted = sort_jobs(store->arena, plan);
  if (!sorted) return sfnec_fail_memory("a plan");
  for (size_t i = 0; i < plan->job_count; i++) jobs[i] = (sfnec_job_status){.state = SFNEC_JOB_WAITING};
  sqlite3_stmt *statement;
  sfnec_status status = sfnec_sql_query(sql, &statement,
                                        "SELECT id, state, attempts,"
                                        " (SELECT CASE max(task) WHEN count(*) THEN count(*) ELSE 0 END FROM task"
                                        "   WHERE task.job = job.job),"
                                        " (SELECT total(total) FROM task WHERE task.job = job.job), tasks FROM job",
                                        "");
  for (bool row = !status; row && !status;) {
    status = sfnec_sql_next(sql, &statement, &row);
    if (status || !row) break;
    const sfnec_job *job = find_job(plan, sorted, statement);
    sfnec_row columns = {.statement = statement};
    if (job) status = take_job(&columns, sql, &jobs[job - plan->jobs]);
    if (status) sqlite3_finalize(statement);
  }
  return status;
}

static sfnec_status put_state(const sfnec_sql *sql, const sfnec_job *job, sfnec_job_state state, const char *error) {
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  const bool starts = state == SFNEC_JOB_RUNNING, ends = state == SFNEC_JOB_DONE || state == SFNEC_JOB_FAILED;
  return sfnec_sql_do(sql,
                      "UPDATE job SET state = CASE WHEN tasks > ? THEN 'waiting' ELSE ? END, error = ?,"
                      " attempts = attempts + ?, started = coalesce(?, started), ended = ? WHERE id = ?",
                      "ittittt", state == SFNEC_JOB_DONE ? (int64_t)job->run.tasks : INT64_MAX, sfnec_job_states[state],
                      state != SFNEC_JOB_FAILED ? NULL
                      : error                   ? error
                                                : "unknown error",
                      (int64_t)starts, starts ? now : NULL, ends ? now : NULL, job->id);
}

sfnec_status sfnec_store_set_state(sfnec_store *store, const sfnec_job *job, sfnec_job_state state, const char *error) {
  const bool ends = state == SFNEC_JOB_DONE || state == SFNEC_JOB_FAILED;
  const sfnec_status status = gather(store, ends);
  return status ? status : gathered(store, put_state(&store->sql, job, state, error));
}

// ---- the results of tasks ----

// the number of a job in the database
static sfnec_status find_number(const sfnec_sql *sql, const sfnec_job *job, int64_t *number) {
  bool found;
  const sfnec_status status = sfnec_sql_find(sql, number, &found, "SELECT job FROM job WHERE id = ?", "t", job->id);
  if (status || found) return status;
  return sfnec_fail(SFNEC_ERROR_STATE, "job %s is not in the plan that is stored in %s", job->id, sql->path);
}

static sfnec_status put_evaluations(const sfnec_sql *sql, int64_t job, int64_t task, const sfnec_task_record *record) {
  const sfnec_sql_keys keys = {"job, task, evaluation", {job, task, 1}, 3};
  const size_t n = record->feature_count;
  sfnec_status status = sfnec_sql_insert(sql, sfnec_evaluation_record_set(), &keys, record->evaluations,
                                         record->evaluation_count, sizeof *record->evaluations);
  for (size_t i = 0; i < record->evaluation_count * n && !status; i++)
    status = sfnec_sql_do(
        sql, "INSERT INTO evaluation_feature (job, task, evaluation, feature, total) VALUES (?, ?, ?, ?, ?)", "iiiir",
        job, task, (int64_t)(i / n) + 1, (int64_t)(i % n) + 1, record->features[i]);
  return status;
}

static sfnec_status put_record(const sfnec_sql *sql, const sfnec_job *job, const sfnec_task_record *record) {
  int64_t number = 0;
  sfnec_status status = find_number(sql, job, &number);
  if (status) return status;
  const int64_t task = (int64_t)record->task + 1;
  const sfnec_sql_keys keys = {"job, task", {number, task}, 2}, episodes = {"job, task, episode", {number, task, 1}, 3},
                       bins = {"job, task, bin", {number, task, 1}, 3};
  // takes the uses, episodes, bins and evaluations of an earlier attempt with it
  status = sfnec_sql_do(sql, "DELETE FROM task WHERE job = ? AND task = ?", "ii", number, task);
  if (!status)
    status = sfnec_sql_insert(sql, sfnec_task_record_set(), &keys, &record->result, 1, sizeof record->result);
  for (uint32_t i = 0; i < record->use_count && !status; i++)
    status = sfnec_sql_do(sql, "INSERT INTO policy_use (job, task, policy, steps) VALUES (?, ?, ?, ?)", "iiii", number,
                          task, (int64_t)i + 1, record->uses[i]);
  if (!status)
    status = sfnec_sql_insert(sql, sfnec_episode_record_set(), &episodes, record->episodes, record->episode_count,
                              sizeof *record->episodes);
  if (!status)
    status =
        sfnec_sql_insert(sql, sfnec_bin_record_set(), &bins, record->bins, record->bin_count, sizeof *record->bins);
  if (!status) status = put_evaluations(sql, number, task, record);
  return status;
}

sfnec_status sfnec_store_put_task(sfnec_store *store, const sfnec_job *job, const sfnec_task_record *record) {
  const sfnec_status status = gather(store, false);
  return status ? status : gathered(store, put_record(&store->sql, job, record));
}
