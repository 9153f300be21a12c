// sql.c: the few lines of SQLite that the store needs, with our sentences for its errors, and records as columns.
#include "study/store/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "run/record.h"

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

// ---- statements that are kept ----

void sfnec_statements_clear(sfnec_statements *kept) {
  for (int i = 0; i < kept->count; i++) {
    sqlite3_finalize(kept->items[i].statement);
    free(kept->items[i].text);
  }
  kept->count = 0;
}

// compiles a statement, or finds it compiled
static int obtain(const sfnec_sql *sql, const char *text, sqlite3_stmt **out) {
  sfnec_statements *kept = sql->statements;
  for (int i = 0; kept && i < kept->count; i++) {
    if (strcmp(kept->items[i].text, text) != 0) continue;
    *out = kept->items[i].statement;
    return SQLITE_OK;
  }
  const int code = sqlite3_prepare_v2(sql->db, text, -1, out, NULL);
  if (code || !kept || kept->count == SFNEC_STATEMENTS) return code;
  // one that cannot be kept is only slower
  char *copy = strdup(text);
  if (!copy) return SQLITE_OK;
  kept->items[kept->count].text = copy;
  kept->items[kept->count++].statement = *out;
  return SQLITE_OK;
}

static void release(const sfnec_sql *sql, sqlite3_stmt *statement) {
  const sfnec_statements *kept = sql->statements;
  for (int i = 0; kept && i < kept->count; i++) {
    if (kept->items[i].statement != statement) continue;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return;
  }
  sqlite3_finalize(statement);
}

// runs a statement to its end; `found` and `number`: whether there was a row, and the first one's first column
static sfnec_status run(const sfnec_sql *sql, const char *text, const char *types, va_list *values, int64_t *number,
                        bool *found) {
  sqlite3_stmt *statement = NULL;
  int code = obtain(sql, text, &statement);
  if (!code) code = bind(statement, types, values);
  *found = false;
  while (!code && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (!*found) *number = sqlite3_column_int64(statement, 0);
    *found = true;
    code = SQLITE_OK;
  }
  const sfnec_status status = code == SQLITE_DONE ? SFNEC_OK : sfnec_sql_fail(sql, code);
  release(sql, statement);
  return status;
}

sfnec_status sfnec_sql_do(const sfnec_sql *sql, const char *text, const char *types, ...) {
  int64_t number;
  bool found;
  va_list values;
  va_start(values, types);
  const sfnec_status status = run(sql, text, types, &values, &number, &found);
  va_end(values);
  return status;
}

sfnec_status sfnec_sql_find(const sfnec_sql *sql, int64_t *number, bool *found, const char *text, const char *types,
                            ...) {
  va_list values;
  va_start(values, types);
  const sfnec_status status = run(sql, text, types, &values, number, found);
  va_end(values);
  return status;
}

sfnec_status sfnec_sql_number(const sfnec_sql *sql, const char *text, int64_t *out) {
  bool found;
  const sfnec_status status = sfnec_sql_find(sql, out, &found, text, "");
  if (!status && !found) *out = 0;
  return status;
}

// ---- the columns of a row ----

static void refuse(sfnec_row *row, int column, const char *wrong) {
  if (row->wrong) return;
  row->wrong = wrong;
  row->column = column;
}

int64_t sfnec_row_int(sfnec_row *row, int column, int64_t least, int64_t most) {
  const int64_t value = sqlite3_column_int64(row->statement, column);
  if (sqlite3_column_type(row->statement, column) == SQLITE_INTEGER && value >= least && value <= most) return value;
  refuse(row, column, "whole number in its range");
  return 0;
}

double sfnec_row_real(sfnec_row *row, int column) {
  const int type = sqlite3_column_type(row->statement, column);
  if (type == SQLITE_FLOAT) return sqlite3_column_double(row->statement, column);
  if (type != SQLITE_NULL) refuse(row, column, "real number");
  return (double)NAN;
}

uint64_t sfnec_row_seed(sfnec_row *row, int column) {
  if (sqlite3_column_type(row->statement, column) == SQLITE_INTEGER)
    return (uint64_t)sfnec_row_int(row, column, 0, INT64_MAX);
  const char *text = (const char *)sqlite3_column_text(row->statement, column);
  uint64_t seed = 0;
  if (!text || !sfnec_text_to_seed(text, &seed)) refuse(row, column, "seed");
  return seed;
}

// a copy in the arena; NULL for NULL that is allowed, for what is no text, and without memory
static char *copy_text(sfnec_row *row, int column, bool optional) {
  const int type = sqlite3_column_type(row->statement, column);
  if (type == SQLITE_NULL && optional) return NULL;
  const char *text = (const char *)sqlite3_column_text(row->statement, column);
  const bool good = type == SQLITE_TEXT && text && strlen(text) == (size_t)sqlite3_column_bytes(row->statement, column);
  char *copy = text && good ? sfnec_arena_copy(row->arena, text) : NULL;
  if (type == SQLITE_TEXT && (!text || (good && !copy))) row->starved = true;
  else if (!good) refuse(row, column, "text");
  return copy;
}

const char *sfnec_row_text(sfnec_row *row, int column, bool optional) {
  char *text = copy_text(row, column, optional);
  if (text) sfnec_text_clean(text);
  return text || optional ? text : "";
}

const char *sfnec_row_lines(sfnec_row *row, int column) {
  const char *text = copy_text(row, column, false);
  return text ? text : "";
}

sfnec_status sfnec_row_check(const sfnec_sql *sql, const sfnec_row *row) {
  if (row->starved) return sfnec_fail_memory("the results of an experiment");
  if (!row->wrong) return SFNEC_OK;
  const char *name = sqlite3_column_name(row->statement, row->column);
  char why[128];
  snprintf(why, sizeof why, "a value of its column '%.32s' is no %s", name ? name : "?", row->wrong);
  return sfnec_sql_fail_damaged(sql, why);
}

// ---- records ----

// Real numbers have no type, as a column of type REAL turns -0.0 into 0.0; they may be NULL, which is what SQLite makes
// of NaN. A column that is added to rows that are there needs a default.
static void print_definition(FILE *text, const sfnec_record_field *field) {
  const char *name = field->name;
  if (field->type == SFNEC_RECORD_TEXT) {
    fprintf(text, "%s TEXT%s", name, field->optional ? "" : " NOT NULL");
  } else if (field->type == SFNEC_RECORD_REAL) {
    fprintf(text, "%s", name);
    if (field->since && !isnan(field->missing)) fprintf(text, " DEFAULT %.17e", field->missing);
    fprintf(text, " CHECK (typeof(%s) IN ('real', 'null'))", name);
  } else {
    fprintf(text, "%s INTEGER NOT NULL", name);
    if (field->since) fprintf(text, " DEFAULT %.0f", field->missing);
    if (field->type == SFNEC_RECORD_FLAG) fprintf(text, " CHECK (%s IN (0, 1))", name);
    else if (field->most) fprintf(text, " CHECK (%s BETWEEN %.0f AND %s)", name, field->least, field->most);
    else if (field->least > 0) fprintf(text, " CHECK (%s > %.0f)", name, field->least - 1);
    else fprintf(text, " CHECK (%s >= %.0f)", name, field->least);
  }
}

void sfnec_sql_print_columns(FILE *text, const sfnec_record_set *set, uint32_t first, uint32_t last,
                             sfnec_sql_columns what) {
  bool any = false;
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    if (field->since < (int)first || field->since > (int)last) continue;
    if (any) fputs(", ", text);
    if (what == SFNEC_SQL_NAMES) fputs(field->name, text);
    else if (what == SFNEC_SQL_MARKS) fputc('?', text);
    else print_definition(text, field);
    any = true;
  }
}

// "INSERT INTO episode (job, task, episode, steps, ...) VALUES (?, ?, ?, ?, ...)": a new string, or NULL without memory
static char *insert_text(const sfnec_record_set *set, const sfnec_sql_keys *keys) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  fprintf(stream, "INSERT INTO %s (%s%s", set->title, keys->names, keys->count ? ", " : "");
  sfnec_sql_print_columns(stream, set, 0, UINT16_MAX, SFNEC_SQL_NAMES);
  fputs(") VALUES (", stream);
  for (int i = 0; i < keys->count; i++) fputs("?, ", stream);
  sfnec_sql_print_columns(stream, set, 0, UINT16_MAX, SFNEC_SQL_MARKS);
  fputc(')', stream);
  return sfnec_output_close_text(stream, &text) ? text : NULL;
}

static int bind_record(sqlite3_stmt *statement, int place, const sfnec_record_set *set, const void *record) {
  int code = SQLITE_OK;
  for (const sfnec_record_field *field = set->fields; field->name && !code; field++, place++) {
    const void *at = (const char *)record + field->offset;
    if (field->type == SFNEC_RECORD_INT) code = sqlite3_bind_int64(statement, place, *(const int64_t *)at);
    if (field->type == SFNEC_RECORD_REAL) code = sqlite3_bind_double(statement, place, *(const double *)at);
    if (field->type == SFNEC_RECORD_FLAG) code = sqlite3_bind_int(statement, place, *(const bool *)at);
    if (field->type == SFNEC_RECORD_TEXT)
      code = sqlite3_bind_text(statement, place, *(const char *const *)at, -1, SQLITE_TRANSIENT);
  }
  return code;
}

sfnec_status sfnec_sql_insert(const sfnec_sql *sql, const sfnec_record_set *set, const sfnec_sql_keys *keys,
                              const void *records, size_t count, size_t size) {
  if (!count) return SFNEC_OK;
  char *text = insert_text(set, keys);
  if (!text) return sfnec_fail_memory("the results of an experiment");
  // thousands of episodes per task: one statement, bound again and again
  sqlite3_stmt *statement = NULL;
  int code = obtain(sql, text, &statement);
  free(text);
  for (size_t i = 0; i < count && !code; i++) {
    for (int key = 0; key < keys->count && !code; key++)
      code = sqlite3_bind_int64(statement, key + 1, keys->values[key] + (key + 1 == keys->count ? (int64_t)i : 0));
    if (!code) code = bind_record(statement, keys->count + 1, set, (const char *)records + i * size);
    if (code) break;
    sqlite3_step(statement);
    code = sqlite3_reset(statement);
  }
  const sfnec_status status = code ? sfnec_sql_fail(sql, code) : SFNEC_OK;
  release(sql, statement);
  return status;
}

static int64_t record_int(sfnec_row *row, int column, const sfnec_record_field *field) {
  // 2^63 and more do not fit; a least of minus infinity is that of the type
  return sfnec_row_int(row, column, isinf(field->least) ? INT64_MIN : (int64_t)field->least, INT64_MAX);
}

// numbers that another one bounds
static bool in_order(const sfnec_record_set *set, const sfnec_record_field *field, const void *record) {
  const sfnec_record_field *most = field->most ? sfnec_record_find(set, field->most) : NULL;
  return !most || sfnec_record_number(field, record) <= sfnec_record_number(most, record);
}

void sfnec_row_record(sfnec_row *row, int column, const sfnec_record_set *set, uint32_t edition, void *record) {
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    void *at = (char *)record + field->offset;
    const bool there = field->since <= (int)edition;
    if (field->type == SFNEC_RECORD_INT)
      *(int64_t *)at = there ? record_int(row, column, field) : (int64_t)field->missing;
    if (field->type == SFNEC_RECORD_REAL) *(double *)at = there ? sfnec_row_real(row, column) : field->missing;
    if (field->type == SFNEC_RECORD_FLAG)
      *(bool *)at = there ? sfnec_row_int(row, column, 0, 1) != 0 : field->missing != 0.0;
    if (field->type == SFNEC_RECORD_TEXT)
      *(const char **)at = there ? sfnec_row_text(row, column, field->optional) : field->optional ? NULL : "";
    if (there && !in_order(set, field, record)) refuse(row, column, "whole number in its range");
    column += there;
  }
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
