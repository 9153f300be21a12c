// sql.h: the few lines of SQLite that the store needs, with our sentences for its errors, and records as columns.
#ifndef SFNEC_STUDY_STORE_SQL_H
#define SFNEC_STUDY_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "sfnec/run.h"

// An open database; the texts are for messages and belong to the owner.
typedef struct sfnec_sql {
  sqlite3 *db;
  const char *folder; // of the experiment
  const char *path;   // of the database in it
} sfnec_sql;

// The status and sentence for an SQLite result code: a damaged file, a full disk, a folder without permission, ...
sfnec_status sfnec_sql_fail(const sfnec_sql *sql, int code);
// The same for damage that was found by looking.
sfnec_status sfnec_sql_fail_damaged(const sfnec_sql *sql, const char *why);

// Any number of statements without values.
sfnec_status sfnec_sql_exec(const sfnec_sql *sql, const char *text);

// One statement with values in place of its question marks, one letter of `types` each: t text (const char *, may be
// NULL), i int64_t, r double, n uint64_t (a number, or a text if it is too great for one).
sfnec_status sfnec_sql_do(const sfnec_sql *sql, const char *text, const char *types, ...);

// The same for a query: each sfnec_sql_next is one row until *row is false; then, or on failure, the statement is gone.
// A reader that stops earlier finalizes it itself.
sfnec_status sfnec_sql_query(const sfnec_sql *sql, sqlite3_stmt **out, const char *text, const char *types, ...);
sfnec_status sfnec_sql_next(const sfnec_sql *sql, sqlite3_stmt **statement, bool *row);

// A query that gives one whole number.
sfnec_status sfnec_sql_number(const sfnec_sql *sql, const char *text, int64_t *out);

// What is in a column: the number or text that type n wrote; a real number, NaN for NULL, as SQLite keeps it; a text in
// the arena, "" for NULL and without memory, or NULL if it is optional.
uint64_t sfnec_sql_seed(sqlite3_stmt *statement, int column);
double sfnec_sql_real(sqlite3_stmt *statement, int column);
const char *sfnec_sql_text(sqlite3_stmt *statement, int column, bool optional, sfnec_arena *arena);

// ---- records ----

// What is recorded, by its table (sfnec/run.h), whose title is also the name of the database's table: the columns of
// the editions from `first` to `last`, separated by commas, as names, as question marks, or as CREATE TABLE wants them.
typedef enum sfnec_sql_columns { SFNEC_SQL_NAMES, SFNEC_SQL_MARKS, SFNEC_SQL_DEFINITIONS } sfnec_sql_columns;
void sfnec_sql_print_columns(FILE *text, const sfnec_record_set *set, uint32_t first, uint32_t last,
                             sfnec_sql_columns what);

// Columns that say whose a record is. Of several records the last key counts up from its value.
typedef struct sfnec_sql_keys {
  const char *names; // "job, task"
  int64_t values[3];
  int count;
} sfnec_sql_keys;

// Inserts `count` records that lie `size` bytes apart.
sfnec_status sfnec_sql_insert(const sfnec_sql *sql, const sfnec_record_set *set, const sfnec_sql_keys *keys,
                              const void *records, size_t count, size_t size);

// Reads a record of that edition from the columns of a row, its own beginning at `column`; texts are copied into the
// arena. Real numbers that are NULL are NaN, texts that must be there are "".
void sfnec_sql_read_record(sqlite3_stmt *statement, int column, const sfnec_record_set *set, uint32_t edition,
                           sfnec_arena *arena, void *record);

// ---- transactions ----

// A transaction that is on disk once it is committed (durable), or that a power cut may undo as a whole.
sfnec_status sfnec_sql_begin(const sfnec_sql *sql, bool durable);
// Commits if `status` is ok, else rolls back; returns the status of the whole.
sfnec_status sfnec_sql_end(const sfnec_sql *sql, sfnec_status status);

#endif
