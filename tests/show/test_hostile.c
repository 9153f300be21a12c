// test_hostile.c: an experiment's database that somebody has changed: refused in words, or shown; never a crash.
#include "support/experiment.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "show/export/export.h"
#include "show/plot/plot.h"
#include "show/report/report.h"

static study one;
static unsigned char *whole; // the bytes of a good database
static size_t whole_size;
static FILE *nowhere;
static uint64_t state;

static uint64_t draw(uint64_t below) {
  // splitmix64
  uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return (z ^ (z >> 31)) % below;
}

// ---- what is done with it ----

static void write_all(sfnec_store *store) {
  sfnec_job_status jobs[STUDY_CONFIGURATIONS * STUDY_SEEDS];
  sfnec_plan_match fit;
  sfnec_store_match(store, &one.plan, &fit);
  sfnec_store_get_jobs(store, &one.plan, jobs);
  study_run_job(store, &one.jobs[0], true);
  sfnec_store_set_plan(store, &one.plan, "the: spec\n");
  sfnec_store_close(store);
}

static void show_all(const sfnec_results *results, bool files) {
  for (int table = SFNEC_EXPORT_TASKS; table <= SFNEC_EXPORT_USES; table++)
    sfnec_export_csv(nowhere, results, (sfnec_export_table)table, true);
  sfnec_export_json(nowhere, results, true);
  const sfnec_report_options options = {.resamples = 2, .replays = 1};
  sfnec_coverage coverage;
  if (draw(8) == 0) sfnec_report_write(&(const sfnec_results *){results}, 1, &options, nowhere, &coverage);
  static const char *const metrics[] = {"return", "speed", "entries", "episode-return"};
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
    const sfnec_analysis_options how = {
        .metric = metrics[i], .resamples = 2, .by_task = i % 2, .criterion = {.window = 2, .mean = 10}};
    sfnec_analysis *analysis;
    if (!sfnec_analysis_make(results, &how, &analysis)) sfnec_analysis_destroy(analysis);
  }
  if (!files) return;
  sfnec_export_tensorboard("events", results, true);
  sfnec_plot *plot = NULL;
  if (!sfnec_plot_make(results, &(sfnec_plot_options){.folder = "figures"}, &plot)) sfnec_plot_destroy(plot);
}

// everything that commands do with the database in "hostile"; true if it could be read
static bool use(bool files) {
  sfnec_results *results = NULL;
  const sfnec_status status = sfnec_results_load("hostile", &results);
  if (status) assert_true(strlen(sfnec_last_error()) > 0);
  else show_all(results, files);
  sfnec_results_destroy(results);
  sfnec_store *store;
  if (files && !sfnec_store_open("hostile", &store)) write_all(store);
  return !status;
}

// ---- how it is changed ----

static void put(const unsigned char *bytes, size_t size) {
  remove("hostile/experiment.db-wal");
  remove("hostile/experiment.db-shm");
  remove("hostile/experiment.db-journal");
  write_file("hostile/experiment.db", bytes, size);
}

// true now and then: which rows a change meets
static void chance(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  (void)values;
  sqlite3_result_int(context, draw(3) == 0);
}

// SQL on the good database, with the checks of its tables off
static void edit(const char *sql) {
  sqlite3 *db;
  put(whole, whole_size);
  assert_int_equal(sqlite3_open("hostile/experiment.db", &db), SQLITE_OK);
  sqlite3_create_function(db, "chance", 0, SQLITE_UTF8, NULL, chance, NULL, NULL);
  sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL,
               NULL, NULL);
  sqlite3_exec(db, sql, NULL, NULL, NULL);
  sqlite3_close(db);
}

static void edit_value(void) {
  static const char *const columns[][2] = {
      {"experiment", "name"},
      {"experiment", "title"},
      {"experiment", "tasks"},
      {"experiment", "steps"},
      {"session", "workers"},
      {"session", "command"},
      {"configuration", "label"},
      {"configuration", "name"},
      {"configuration", "point"},
      {"setting", "configuration"},
      {"setting", "value"},
      {"setting", "kind"},
      {"job", "id"},
      {"job", "configuration"},
      {"job", "position"},
      {"job", "seed"},
      {"job", "tasks"},
      {"job", "state"},
      {"job", "attempts"},
      {"job", "job"},
      {"task", "task"},
      {"task", "job"},
      {"task", "total"},
      {"task", "steps"},
      {"task", "entries"},
      {"task", "seconds"},
      {"task", "w_error"},
      {"task", "episodes"},
      {"policy_use", "policy"},
      {"policy_use", "steps"},
      {"policy_use", "task"},
      {"episode", "episode"},
      {"episode", "steps"},
      {"episode", "total"},
      {"episode", "terminated"},
      {"published", "task"},
      {"published", "mean"},
      {"published", "label"},
      {"published_setting", "key"},
      {"published", "published"},
  };
  static const char *const values[] = {
      "-1",
      "0",
      "2",
      "4294967296",
      "9223372036854775807",
      "-9223372036854775807 - 1",
      "1e308",
      "-1e308",
      "9e999",
      "-9e999",
      "5e-324",
      "NULL",
      "''",
      "'../../x'",
      "x'00ff'",
      "CAST(x'410042' AS TEXT)",
      "'\x1b[31m`id`'",
      "'\xff'",
      "printf('%.*c', 5000, 'x')",
      "0.5",
  };
  char sql[256];
  const size_t column = draw(sizeof columns / sizeof *columns);
  snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = %s WHERE chance()", columns[column][0], columns[column][1],
           values[draw(sizeof values / sizeof *values)]);
  edit(sql);
}

static void edit_bytes(void) {
  unsigned char *bytes = malloc(whole_size);
  assert_non_null(bytes);
  memcpy(bytes, whole, whole_size);
  for (uint64_t i = draw(8) + 1; i > 0; i--) {
    // the first page is the schema: damage there is seen at once, so it gets less of it
    const size_t at = draw(16) ? 4096 + draw(whole_size - 4096) : 100 + draw(3996);
    bytes[at] = draw(2) ? (unsigned char)draw(256) : bytes[at] ^ (unsigned char)(1U << draw(8));
  }
  put(bytes, draw(32) ? whole_size : draw(whole_size));
  free(bytes);
}

static void test_random(void **unused) {
  (void)unused;
  enum { VARIANTS = 4000, SECONDS = 15 };
  const double begun = sfnec_seconds();
  int variants = 0, read = 0;
  for (; variants < VARIANTS && sfnec_seconds() - begun < SECONDS; variants++) {
    state = (uint64_t)variants;
    if (variants % 2) edit_value();
    else edit_bytes();
    read += use(variants % 128 < 2);
  }
  print_message("%d variants, %d could be read, %.1f s\n", variants, read, sfnec_seconds() - begun);
  // neither is everything refused, nor nothing
  assert_true(read > variants / 10 && read < variants * 9 / 10);
}

// ---- what was found ----

static void refused(const char *sql, const char *sentence) {
  edit(sql);
  sfnec_results *results;
  if (!sfnec_results_load("hostile", &results)) fail_msg("accepted: %s", sql);
  if (!strstr(sfnec_last_error(), "hostile/experiment.db is damaged") || !strstr(sfnec_last_error(), sentence))
    fail_msg("%s: '%s' lacks '%s'", sql, sfnec_last_error(), sentence);
}

static void test_values(void **unused) {
  (void)unused;
  put(whole, whole_size);
  assert_true(use(true));
  refused("UPDATE policy_use SET policy = -9223372036854775807 WHERE policy = 1", "'policy' is no whole number");
  refused("UPDATE episode SET episode = -1 WHERE episode = 1", "'episode' is no whole number");
  refused("UPDATE task SET steps = -1", "'steps' is no whole number");
  refused("UPDATE job SET tasks = 4294967297", "'tasks' is no whole number");
  refused("UPDATE job SET id = '../../../' || id", "its jobs do not fit");
  refused("UPDATE job SET configuration = 99", "'configuration' is no whole number");
  refused("UPDATE OR REPLACE setting SET configuration = -5", "'configuration' is no whole number");
  refused("UPDATE session SET cores = 0", "'cores' is no whole number");
}

// two jobs of the same id: the results of both went to the first, past the end of its array
static void test_equal_ids(void **unused) {
  (void)unused;
  unsigned char *bytes = malloc(whole_size);
  assert_non_null(bytes);
  memcpy(bytes, whole, whole_size);
  for (size_t i = 0; i + 16 <= whole_size; i++)
    for (size_t job = 1; job < one.plan.job_count; job++)
      if (memcmp(bytes + i, one.jobs[job].id, 16) == 0) memcpy(bytes + i, one.jobs[0].id, 16);
  put(bytes, whole_size);
  free(bytes);
  sfnec_results *results;
  OK(sfnec_results_load("hostile", &results));
  assert_int_equal(results->runs[0].task_count, 2);
  assert_int_equal(results->runs[1].task_count, 4);
  sfnec_results_destroy(results);
  use(true);
}

// what is printed is one line of plain characters, whatever was stored
static void test_texts(void **unused) {
  (void)unused;
  edit(
      "UPDATE experiment SET title = 'a' || char(27) || '[31m' || char(10) || 'b', spec = 'two' || char(10) || 'lines';"
      "UPDATE session SET command = 'sfnec' || char(13) || 'rm'; UPDATE configuration SET name = char(155) || 'x'");
  sfnec_results *results;
  OK(sfnec_results_load("hostile", &results));
  assert_string_equal(results->title, "a?[31m?b");
  assert_string_equal(results->spec_text, "two\nlines");
  assert_string_equal(results->sessions[0].command, "sfnec?rm");
  assert_string_equal(results->configurations[0].name, "??x");
  sfnec_results_destroy(results);
}

// a plan without a single job
static void test_no_jobs(void **unused) {
  (void)unused;
  edit("DELETE FROM job; DELETE FROM task; DELETE FROM episode; DELETE FROM policy_use");
  assert_true(use(true));
}

static void test_schema(void **unused) {
  (void)unused;
  const char *const words = "its tables, views or triggers are not those of sfnec";
  refused("CREATE TRIGGER t AFTER UPDATE ON job BEGIN DELETE FROM task; END", words);
  refused("CREATE VIEW mine AS SELECT 1", words);
  refused("DROP VIEW jobs", words);
  refused("ALTER TABLE task RENAME COLUMN entries TO entires", words);
  refused("ALTER TABLE published RENAME TO other; CREATE VIEW published AS SELECT * FROM other", words);
  // what SQLite itself keeps there is no stranger's
  edit("ANALYZE");
  assert_true(use(true));
}

int main(void) {
  // figures are written but not drawn
  setenv("PATH", "/nonexistent", 1);
  nowhere = fopen("/dev/null", "w");
  study_make(&one, 3, 3, UINT64_MAX - 2, 4);
  sfnec_store *store;
  OK(sfnec_store_open("hostile", &store));
  OK(sfnec_store_set_plan(store, &one.plan, "the: spec\n"));
  OK(sfnec_store_begin_session(store, 3, 2));
  for (size_t i = 0; i < one.plan.job_count; i++)
    if (i % 4 != 3) OK(study_run_job(store, &one.jobs[i], true));
  sfnec_store_close(store);
  sqlite3 *db;
  static const char last[] = "PRAGMA journal_mode = DELETE; DELETE FROM task WHERE job = 1 AND task > 2";
  if (sqlite3_open("hostile/experiment.db", &db) || sqlite3_exec(db, last, NULL, NULL, NULL)) return 1;
  sqlite3_close(db);
  whole = file_bytes("hostile/experiment.db", &whole_size);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),  cmocka_unit_test(test_equal_ids), cmocka_unit_test(test_texts),
      cmocka_unit_test(test_no_jobs), cmocka_unit_test(test_schema),    cmocka_unit_test(test_random),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(whole);
  fclose(nowhere);
  return failed;
}
