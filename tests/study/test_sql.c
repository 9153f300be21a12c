// test_sql.c: records as columns: what goes in comes out, and a column that is added later has its default in the rows
// that are there, and in databases that lack it.
#include "study/store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

typedef struct sample {
  const char *name, *remark;
  int64_t whole, share;
  double real;
  bool flag;
  double newer, unknown;
  int64_t count;
} sample;

#define FIELD(field) .name = #field, .offset = offsetof(sample, field)

static const sfnec_record_field fields[] = {
    {FIELD(name), .type = SFNEC_RECORD_TEXT},
    {FIELD(remark), .type = SFNEC_RECORD_TEXT, .optional = true},
    {FIELD(whole), .type = SFNEC_RECORD_INT, .least = 1},
    {FIELD(share), .type = SFNEC_RECORD_INT, .most = "whole"},
    {FIELD(real), .type = SFNEC_RECORD_REAL, .least = -HUGE_VAL},
    {FIELD(flag), .type = SFNEC_RECORD_FLAG},
    {FIELD(newer), .type = SFNEC_RECORD_REAL, .since = 1, .missing = -0.1},
    {FIELD(unknown), .type = SFNEC_RECORD_REAL, .since = 1, .missing = (double)NAN},
    {FIELD(count), .type = SFNEC_RECORD_INT, .since = 1, .missing = 7},
    {0},
};
static const sfnec_record_set set = {"sample", fields, 0};

static sfnec_sql sql = {.folder = ".", .path = "sample.db"};

// "before", the columns of the editions, "after"
static char *text_of(const char *before, uint32_t first, uint32_t last, sfnec_sql_columns what, const char *after) {
  char *text;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  fputs(before, stream);
  sfnec_sql_print_columns(stream, &set, first, last, what);
  fputs(after, stream);
  fclose(stream);
  return text;
}

static void run(char *text) {
  OK(sfnec_sql_exec(&sql, text));
  free(text);
}

static sample read_row(uint32_t edition, int64_t number, sfnec_arena *arena) {
  char *query = text_of("SELECT number, ", 0, edition, SFNEC_SQL_NAMES, " FROM sample WHERE number = ?");
  sqlite3_stmt *statement;
  bool row;
  OK(sfnec_sql_query(&sql, &statement, query, "i", number));
  OK(sfnec_sql_next(&sql, &statement, &row));
  assert_true(row);
  sample found;
  memset(&found, 0x55, sizeof found);
  sfnec_row columns = {.statement = statement, .arena = arena};
  sfnec_row_record(&columns, 1, &set, edition, &found);
  OK(sfnec_row_check(&sql, &columns));
  sqlite3_finalize(statement);
  free(query);
  return found;
}

static void test_definitions(void **state) {
  (void)state;
  char *text = text_of("", 0, 0, SFNEC_SQL_DEFINITIONS, "");
  assert_string_equal(text, "name TEXT NOT NULL, remark TEXT, whole INTEGER NOT NULL CHECK (whole > 0), "
                            "share INTEGER NOT NULL CHECK (share BETWEEN 0 AND whole), "
                            "real CHECK (typeof(real) IN ('real', 'null')), "
                            "flag INTEGER NOT NULL CHECK (flag IN (0, 1))");
  free(text);
  text = text_of("", 0, 9, SFNEC_SQL_MARKS, "");
  assert_string_equal(text, "?, ?, ?, ?, ?, ?, ?, ?, ?");
  free(text);
}

static void test_editions(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  assert_int_equal(sqlite3_open(":memory:", &sql.db), SQLITE_OK);
  run(text_of("CREATE TABLE sample (number INTEGER, ", 0, 0, SFNEC_SQL_DEFINITIONS, ");"));
  OK(sfnec_sql_exec(&sql, "INSERT INTO sample VALUES (1, 'a', NULL, 3, 2, NULL, 1)"));
  sample found = read_row(0, 1, arena);
  assert_string_equal(found.name, "a");
  assert_null(found.remark);
  assert_true(found.whole == 3 && found.share == 2 && isnan(found.real) && found.flag);
  assert_true(found.newer == -0.1 && isnan(found.unknown) && found.count == 7);

  // the columns of the next edition, one by one as SQLite wants it
  for (const sfnec_record_field *field = fields; field->name; field++) {
    if (field->since != 1) continue;
    const sfnec_record_field alone[] = {*field, {0}};
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fputs("ALTER TABLE sample ADD COLUMN ", stream);
    sfnec_sql_print_columns(stream, &(sfnec_record_set){"sample", alone, 0}, 1, 1, SFNEC_SQL_DEFINITIONS);
    fclose(stream);
    run(text);
  }
  found = read_row(1, 1, arena);
  assert_true(found.newer == -0.1 && isnan(found.unknown) && found.count == 7);

  // several records: the last key counts up
  const sample rows[] = {{"x", "y", 1, 0, -0.0, false, 1.5, 2.5, 9}, {"", NULL, 2, 2, 1e300, true, -1, 0, 0}};
  const sfnec_sql_keys keys = {"number", {5}, 1};
  OK(sfnec_sql_insert(&sql, &set, &keys, rows, 2, sizeof *rows));
  for (int i = 0; i < 2; i++) {
    found = read_row(1, 5 + i, arena);
    assert_string_equal(found.name, rows[i].name);
    assert_int_equal(found.remark != NULL, rows[i].remark != NULL);
    assert_int_equal(found.whole, rows[i].whole);
    assert_int_equal(found.share, rows[i].share);
    assert_memory_equal(&found.real, &rows[i].real, sizeof found.real);
    assert_int_equal(found.flag, rows[i].flag);
    assert_true(found.newer == rows[i].newer && found.unknown == rows[i].unknown);
    assert_int_equal(found.count, rows[i].count);
  }
  const sample wrong = {.name = "z", .whole = 1, .share = 2};
  REFUSED(sfnec_sql_insert(&sql, &set, &keys, &wrong, 1, sizeof wrong), SFNEC_ERROR_FORMAT, "constraint");
  sqlite3_close(sql.db);
  sfnec_arena_destroy(arena);
}

// what a stranger may have put into a row is refused: by its column, and read as nothing that could do harm
static void test_refusals(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"'a', NULL, 0, 0, 1.0, 1", "'whole' is no whole number in its range"},
      {"'a', NULL, -9223372036854775808, 0, 1.0, 1", "'whole' is no whole number in its range"},
      {"'a', NULL, 1e300, 0, 1.0, 1", "'whole' is no whole number in its range"},
      {"'a', NULL, 'x', 0, 1.0, 1", "'whole' is no whole number in its range"},
      {"'a', NULL, 3, 4, 1.0, 1", "'share' is no whole number in its range"},
      {"'a', NULL, 3, 1, 'x', 1", "'real' is no real number"},
      {"'a', NULL, 3, 1, 1.0, 2", "'flag' is no whole number in its range"},
      {"NULL, NULL, 3, 1, 1.0, 1", "'name' is no text"},
      {"x'6100', NULL, 3, 1, 1.0, 1", "'name' is no text"},
      {"CAST(x'610062' AS TEXT), NULL, 3, 1, 1.0, 1", "'name' is no text"},
      {"'a', 5, 3, 1, 1.0, 1", "'remark' is no text"},
  };
  sfnec_arena *arena = sfnec_arena_create();
  assert_int_equal(sqlite3_open(":memory:", &sql.db), SQLITE_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char query[256];
    snprintf(
        query, sizeof query,
        "SELECT column1 AS name, column2 AS remark, column3 AS whole, column4 AS share, column5 AS real, column6 AS"
        " flag FROM (VALUES (%s))",
        rows[i][0]);
    sqlite3_stmt *statement;
    bool row;
    sample found;
    OK(sfnec_sql_query(&sql, &statement, query, ""));
    OK(sfnec_sql_next(&sql, &statement, &row));
    sfnec_row columns = {.statement = statement, .arena = arena};
    sfnec_row_record(&columns, 0, &set, 0, &found);
    REFUSED(sfnec_row_check(&sql, &columns), SFNEC_ERROR_FORMAT, rows[i][1]);
    assert_non_null(strstr(sfnec_last_error(), "sample.db is damaged"));
    assert_non_null(found.name);
    sqlite3_finalize(statement);
  }
  sqlite3_close(sql.db);
  sfnec_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_definitions),
      cmocka_unit_test(test_editions),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
