// store_sql.c: the few lines of SQLite that the store needs, with our sentences for its errors.
#include "study/store/store_sql.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---- errors ----

sfnec_status sfnec_sql_fail_damaged(const sfnec_sql *sql, const char *why) {
  return sfnec_fail(SFNEC_ERROR_FORMAT,
                    "%s is damaged (%s); move it away and run the same command again: results of finished jobs are "
                    "read back from %s/jobs",
                    sql->path, why, sql->folder);
}

static sfnec_status fail_full(const sfnec_sql *sql) {
  return sfnec_fail(SFNEC_ERROR_IO, "cannot write %s: the disk is full; make room and run the same command again",
                    sql->path);
}

static sfnec_status fail_access(const sfnec_sql *sql, const char *why) {
  return sfnec_fail(SFNEC_ERROR_IO, "cannot use %s: %s; check the permissions of the folder or choose another one",
                    sql->path, why);
}

sfnec_status sfnec_sql_fail(const sfnec_sql *sql, int code) {
  // without a handle there is no memory for one
  const int error = sql->db ? sqlite3_system_errno(sql->db) : 0;
  const char *why = sql->db ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code);
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return sfnec_fail_memory("the results of an experiment");
  case SQLITE_FULL:
    return fail_full(sql);
  case SQLITE_IOERR:
    if (error == ENOSPC || error == EDQUOT) return fail_full(sql);
    return sfnec_fail(SFNEC_ERROR_IO, "cannot read or write %s: %s; nothing that was stored before is lost", sql->path,
                      error ? strerror(error) : why);
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
  case SQLITE_AUTH:
  case SQLITE_READONLY:
    return fail_access(sql, error ? strerror(error) : why);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return sfnec_fail(SFNEC_ERROR_IO, "%s is kept busy by another program; close it and run the same command again",
                      sql->path);
  default:
    // what remains (no such table, a broken constraint) cannot come from a database that this program made
    return sfnec_sql_fail_damaged(sql, why);
  }
}

// ---- statements ----

sfnec_status sfnec_sql_exec(const sfnec_sql *sql, const char *text) {
  const int code = sqlite3_exec(sql->db, text, NULL, NULL, NULL);
  return code ? sfnec_sql_fail(sql, code) : SFNEC_OK;
}

static int bind_seed(sqlite3_stmt *statement, int place, uint64_t value) {
  if (value <= INT64_MAX) return sqlite3_bind_int64(statement, place, (int64_t)value);
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static int bind(sqlite3_stmt *statement, const char *types, va_list *values) {
  int code = SQLITE_OK;
  for (int place = 1; !code && *types; types++, place++) {
    if (*types == 't') code = sqlite3_bind_text(statement, place, va_arg(*values, const char *), -1, SQLITE_TRANSIENT);
    else if (*types == 'i') code = sqlite3_bind_int64(statement, place, va_arg(*values, int64_t));
    else if (*types == 'r') code = sqlite3_bind_double(statement, place, va_arg(*values, double));
    else code = bind_seed(statement, place, va_arg(*values, uint64_t));
  }
  return code;
}

static sfnec_status prepare(const sfnec_sql *sql, sqlite3_stmt **out, const char *text, const char *types,
                            va_list *values) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(sql->db, text, -1, &statement, NULL);
  if (!code) code = bind(statement, types, values);
  if (code) {
    const sfnec_status status = sfnec_sql_fail(sql, code);
    sqlite3_finalize(statement);
    return status;
  }
  *out = statement;
  return SFNEC_OK;
}

sfnec_status sfnec_sql_next(const sfnec_sql *sql, sqlite3_stmt **statement, bool *row) {
  const int code = sqlite3_step(*statement);
  *row = code == SQLITE_ROW;
  if (*row) return SFNEC_OK;
  const sfnec_status status = code == SQLITE_DONE ? SFNEC_OK : sfnec_sql_fail(sql, code);
  sqlite3_finalize(*statement);
  *statement = NULL;
  return status;
}

sfnec_status sfnec_sql_query(const sfnec_sql *sql, sqlite3_stmt **out, const char *text, const char *types, ...) {
  va_list values;
  va_start(values, types);
  const sfnec_status status = prepare(sql, out, text, types, &values);
  va_end(values);
  return status;
}

sfnec_status sfnec_sql_do(const sfnec_sql *sql, const char *text, const char *types, ...) {
  sqlite3_stmt *statement = NULL;
  va_list values;
  va_start(values, types);
  sfnec_status status = prepare(sql, &statement, text, types, &values);
  va_end(values);
  for (bool row = true; !status && row;) status = sfnec_sql_next(sql, &statement, &row);
  return status;
}

sfnec_status sfnec_sql_number(const sfnec_sql *sql, const char *text, int64_t *out) {
  sqlite3_stmt *statement;
  bool row = false;
  sfnec_status status = sfnec_sql_query(sql, &statement, text, "");
  if (!status) status = sfnec_sql_next(sql, &statement, &row);
  if (status) return status;
  *out = row ? sqlite3_column_int64(statement, 0) : 0;
  if (row) sqlite3_finalize(statement);
  return SFNEC_OK;
}

uint64_t sfnec_sql_seed(sqlite3_stmt *statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_INTEGER)
    return (uint64_t)sqlite3_column_int64(statement, column);
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text ? strtoull(text, NULL, 10) : 0;
}

// ---- transactions ----

sfnec_status sfnec_sql_begin(const sfnec_sql *sql, bool durable) {
  // a commit with FULL syncs the log as a whole, so what was committed without before it is safe then too
  return sfnec_sql_exec(sql, durable ? "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"
                                     : "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
}

sfnec_status sfnec_sql_end(const sfnec_sql *sql, sfnec_status status) {
  if (!status) status = sfnec_sql_exec(sql, "COMMIT");
  // the sentence of the first failure stays; some failures have rolled back already
  if (status && !sqlite3_get_autocommit(sql->db)) sqlite3_exec(sql->db, "ROLLBACK", NULL, NULL, NULL);
  return status;
}
