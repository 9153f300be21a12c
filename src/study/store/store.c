// store.c: opening and closing the store, and its sessions.
#include "study/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "study/store/machine.h"
#include "study/store/schema.h"
#include "study/store/store_parts.h"

// milliseconds: somebody's query may hold the database for a moment
enum { PATIENCE = 20000 };

const char *const sfnec_job_states[] = {"waiting", "running", "done", "failed"};

// ---- the folder ----

static sfnec_status make_folder(const char *folder) {
  char *path = strdup(folder);
  if (!path) return sfnec_fail_memory("the name of a folder");
  int error = 0;
  for (char *slash = path; slash && !error;) {
    slash = strchr(slash + 1, '/');
    if (slash) *slash = '\0';
    struct stat facts;
    if (mkdir(path, 0777) != 0) error = errno;
    // a folder that is there is fine, however mkdir feels about its parent
    if (error && stat(path, &facts) == 0) error = S_ISDIR(facts.st_mode) ? 0 : ENOTDIR;
    if (slash) *slash = '/';
  }
  free(path);
  if (!error) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot make the folder %s: %s; choose another one", folder, strerror(error));
}

// what may be in the folder of an experiment whose database is gone; hidden files are nobody's business
static bool is_remains(const char *name) {
  return name[0] == '.' || strncmp(name, "experiment.db", strlen("experiment.db")) == 0 || strcmp(name, "jobs") == 0 ||
         strcmp(name, "agents") == 0 || strcmp(name, "lock") == 0;
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
  const sfnec_status status = make_folder(store->folder);
  struct stat facts;
  if (status || stat(store->path, &facts) == 0) return status;
  return refuse_foreign(store->folder);
}

// ---- opening ----

static sfnec_status check_whole(const sfnec_sql *sql) {
  sqlite3_stmt *statement;
  bool row = false;
  sfnec_status status = sfnec_sql_query(sql, &statement, "PRAGMA quick_check(1)", "");
  if (!status) status = sfnec_sql_next(sql, &statement, &row);
  if (status || !row) return status;
  const char *verdict = (const char *)sqlite3_column_text(statement, 0);
  if (!verdict || strcmp(verdict, "ok") != 0) status = sfnec_sql_fail_damaged(sql, "its pages do not fit together");
  sqlite3_finalize(statement);
  return status;
}

static sfnec_status open_database(sfnec_store *store) {
  sfnec_sql *sql = &store->sql;
  int code = sqlite3_open_v2(store->path, &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  if (!code) code = sqlite3_extended_result_codes(sql->db, 1);
  if (!code) code = sqlite3_busy_timeout(sql->db, PATIENCE);
  // SQLite is content to open a file that it cannot write
  if (!code && sqlite3_db_readonly(sql->db, "main") == 1) code = SQLITE_READONLY;
  if (code) return sfnec_sql_fail(sql, code);

  // a foreign or newer database is refused before anything in it is changed
  int64_t version;
  sfnec_status status = sfnec_schema_version(sql, sfnec_schema_steps, &version);
  if (!status && version) status = check_whole(sql);
  // the log's index is shared memory, which machines do not share: there the older journal is slower and right
  if (!status)
    status = sfnec_sql_exec(sql, sfnec_machine_shares(store->folder) ? "PRAGMA journal_mode = DELETE"
                                                                     : "PRAGMA journal_mode = WAL");
  if (!status) status = sfnec_sql_exec(sql, "PRAGMA foreign_keys = ON");
  if (!status) status = sfnec_schema_upgrade(sql, sfnec_schema_steps);
  return status;
}

sfnec_status sfnec_store_read_spec(sfnec_store *store) {
  sqlite3_stmt *statement;
  bool row = false;
  sfnec_status status = sfnec_sql_query(&store->sql, &statement, "SELECT spec FROM experiment", "");
  if (!status) status = sfnec_sql_next(&store->sql, &statement, &row);
  if (status) return status;
  free(store->spec);
  store->spec = NULL;
  if (!row) return SFNEC_OK;
  const char *text = (const char *)sqlite3_column_text(statement, 0);
  if (text) store->spec = strdup(text);
  sqlite3_finalize(statement);
  return store->spec ? SFNEC_OK : sfnec_fail_memory("the spec of an experiment");
}

sfnec_status sfnec_store_open(const char *folder, sfnec_store **out) {
  sfnec_store *store = calloc(1, sizeof *store);
  if (!store) return sfnec_fail_memory("the store of an experiment");
  store->folder = strdup(folder);
  store->path = malloc(strlen(folder) + sizeof "/experiment.db");
  sfnec_status status = SFNEC_OK;
  if (!store->folder || !store->path) status = sfnec_fail_memory("the store of an experiment");
  else sprintf(store->path, "%s/experiment.db", folder);
  store->sql.folder = store->folder;
  store->sql.path = store->path;

  if (!status) status = check_folder(store);
  if (!status) status = sfnec_lock_take(folder, &store->lock);
  if (!status) status = open_database(store);
  if (!status) status = sfnec_store_read_spec(store);
  if (status) sfnec_store_close(store);
  else *out = store;
  return status;
}

void sfnec_store_close(sfnec_store *store) {
  if (!store) return;
  sqlite3_close(store->sql.db);
  // after the database: the next process finds it closed
  sfnec_lock_release(store->lock);
  free(store->spec);
  free(store->path);
  free(store->folder);
  free(store);
}

const char *sfnec_store_spec(const sfnec_store *store) {
  return store->spec;
}

// ---- sessions ----

sfnec_status sfnec_store_begin_session(sfnec_store *store, uint32_t workers, uint32_t ranks) {
  const sfnec_sql *sql = &store->sql;
  sfnec_machine machine;
  sfnec_machine_describe(&machine);
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  sfnec_status status = sfnec_sql_begin(sql, true);
  if (status) return status;
  status = sfnec_sql_exec(sql, "UPDATE session SET how = 'killed' WHERE ended IS NULL AND how IS NULL");
  if (!status)
    status = sfnec_sql_do(sql,
                          "INSERT INTO session (version, host, machine, cores, system, simd, workers, ranks, started)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          "tttittiit", sfnec_version(), machine.host, machine.model, (int64_t)machine.cores,
                          machine.system, machine.simd, (int64_t)workers, (int64_t)ranks, now);
  const int64_t session = sqlite3_last_insert_rowid(sql->db);
  status = sfnec_sql_end(sql, status);
  if (!status) store->session = session;
  return status;
}

sfnec_status sfnec_store_end_session(sfnec_store *store, const char *how) {
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  const sfnec_status status = sfnec_sql_begin(&store->sql, true);
  if (status) return status;
  return sfnec_sql_end(&store->sql, sfnec_sql_do(&store->sql, "UPDATE session SET ended = ?, how = ? WHERE session = ?",
                                                 "tti", now, how, store->session));
}

sfnec_status sfnec_store_set_command(sfnec_store *store, const char *command) {
  return sfnec_sql_do(&store->sql, "UPDATE session SET command = ? WHERE session = ?", "ti", command, store->session);
}
