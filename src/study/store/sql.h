// sql.h: the few lines of SQLite that the store needs, with our sentences for its errors, and records as columns.
#ifndef SFNEC_STUDY_STORE_SQL_H
#define SFNEC_STUDY_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "sfnec/run.h"

// Statements that stay compiled, for an owner that makes the same changes again and again: compiling is most of the
// cost of a small one. Empty at first; cleared before the database is closed.
enum { SFNEC_STATEMENTS = 32 };
typedef struct sfnec_statements {
  struct {
    char *text;
    sqlite3_stmt *statement;
  } items[SFNEC_STATEMENTS];
  int count;
} sfnec_statements;
void sfnec_statements_clear(sfnec_statements *kept);

// An open database; the texts are for messages and belong to the owner.
typedef struct sfnec_sql {
  sqlite3 *db;
  const char *folder;           // of the experiment
  const char *path;             // of the database in it
  sfnec_statements *statements; // of do, find and insert; NULL: none are kept
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

// A query that gives one whole number: that of its first row, if there is one.
sfnec_status sfnec_sql_find(const sfnec_sql *sql, int64_t *number, bool *found, const char *text, const char *types,
                            ...);
// The same without values; 0 if there is no row.
sfnec_status sfnec_sql_number(const sfnec_sql *sql, const char *text, int64_t *out);

// ---- the columns of a row ----

// A row of a query. A database is a file that anybody may have changed: a value that is of another type than its column
// or out of its range is remembered, and read as 0, NaN or "".
typedef struct sfnec_row {
  sqlite3_stmt *statement;
  sfnec_arena *arena; // for texts
  const char *wrong;  // what the first such value is not; NULL: there was none
  int column;         // where it was
  bool starved;       // there was no memory for a text
} sfnec_row;

int64_t sfnec_row_int(sfnec_row *row, int column, int64_t least, int64_t most);
// NaN for NULL, which SQLite makes of it.
double sfnec_row_real(sfnec_row *row, int column);
// The number or text that type n wrote.
uint64_t sfnec_row_seed(sfnec_row *row, int column);
// A copy in the arena that is safe to print (base/text.h); NULL only if it is optional.
const char *sfnec_row_text(sfnec_row *row, int column, bool optional);
// One as it stands, with its lines: a spec.
const char *sfnec_row_lines(sfnec_row *row, int column);
// Whether all values so far were good: else SFNEC_ERROR_FORMAT, which names the database and the column, or _MEMORY.
sfnec_status sfnec_row_check(const sfnec_sql *sql, const sfnec_row *row);

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

// Reads a record of that edition from the columns of a row, its own beginning at `column`. Whole numbers are in the
// ranges of the table; real ones may be any, as runs that diverge have recorded them.
void sfnec_row_record(sfnec_row *row, int column, const sfnec_record_set *set, uint32_t edition, void *record);

// ---- transactions ----

// A transaction that is on disk once it is committed (durable), or that a power cut may undo as a whole.
sfnec_status sfnec_sql_begin(const sfnec_sql *sql, bool durable);
// Commits if `status` is ok, else rolls back; returns the status of the whole.
sfnec_status sfnec_sql_end(const sfnec_sql *sql, sfnec_status status);

#endif
