// fuzz_database.c: an experiment's database in which somebody has changed values, removed rows or changed bytes. What
// is accepted is analysed and exported, or opened for writing.
//
// An input is a flag and a list of changes. A small good database is made once and held in memory by a connection that
// believes in no constraint, so that every value can be put everywhere. An input's changes are made in a transaction,
// taken out as the bytes of a file, and rolled back: a database is neither opened nor parsed for that.
#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

#include "fuzz.h"
#include "show/export/export.h"
#include "study/analysis/analysis.h"
#include "study/store/store.h"

enum { MOST_TABLES = 16, MOST_COLUMNS = 32, LONGEST = 24, MOST_CHANGES = 12 };

typedef struct table {
  char name[32], *schema;
  char columns[MOST_COLUMNS][32];
  uint32_t column_count;
  char key[100]; // its primary key, "job, task"
} table;

static struct {
  char folder[280], path[300];
  sfnec_spec *spec;
  sfnec_plan *plan;
  table tables[MOST_TABLES];
  uint32_t table_count;
  sqlite3 *db; // the database in memory
} base;

// ---- memory for SQLite ----

// SQLite is not what is tried here, and half of the time went to the sanitizer's malloc for it: its memory comes in
// pieces of powers of two that are used again.
enum { LEAST_SHIFT = 5, SHIFTS = 31 };

typedef union piece {
  struct {
    union piece *next; // while it is free
    int shift;
  };
  max_align_t aligned[1];
} piece;

static piece *free_pieces[SHIFTS];

static int shift_of(int size) {
  int shift = LEAST_SHIFT;
  while (shift < SHIFTS - 1 && ((size_t)1 << shift) < (size_t)size) shift++;
  return shift;
}

static void *piece_take(int size) {
  const int shift = shift_of(size);
  piece *taken = free_pieces[shift];
  if (taken) free_pieces[shift] = taken->next;
  else if (!(taken = malloc(sizeof *taken + ((size_t)1 << shift)))) return NULL;
  taken->shift = shift;
  return taken + 1;
}

static void piece_give(void *memory) {
  if (!memory) return;
  piece *given = (piece *)memory - 1;
  given->next = free_pieces[given->shift];
  free_pieces[given->shift] = given;
}

static int piece_size(void *memory) {
  return memory ? 1 << ((piece *)memory - 1)->shift : 0;
}

static void *piece_resize(void *memory, int size) {
  const int held = piece_size(memory);
  if (size <= held) return memory;
  void *larger = piece_take(size);
  if (larger && held) memcpy(larger, memory, (size_t)held);
  if (larger) piece_give(memory);
  return larger;
}

static int piece_room(int size) {
  return 1 << shift_of(size);
}

static int memory_open(void *unused) {
  (void)unused;
  return SQLITE_OK;
}

static void memory_close(void *unused) {
  (void)unused;
}

// ---- the good database ----

static const char spec_text[] = "name: fuzz\n"
                                "env: {name: one_room}\n"
                                "tasks: 2\n"
                                "steps: 10\n"
                                "seeds: 1-2\n"
                                "record: {episodes: yes}\n"
                                "agents:\n"
                                "  - {label: a, preset: sfnec, sweep: {neighbours: [1, 4]}}\n"
                                "  - ql\n"
                                "published:\n"
                                "  - {agent: ql, task: 2, mean: 5, se: 1, source: somebody}\n";

static void fill(sfnec_store *store) {
  HOLDS(!sfnec_store_set_plan(store, base.plan, sfnec_spec_text(base.spec)));
  HOLDS(!sfnec_store_begin_session(store, 1, 1));
  for (size_t i = 0; i < base.plan->job_count; i++) {
    const sfnec_job *job = &base.plan->jobs[i];
    HOLDS(!sfnec_store_set_state(store, job, SFNEC_JOB_RUNNING, NULL));
    for (uint32_t task = 0; task < 2; task++) {
      const int64_t uses[] = {10 - task, task};
      const sfnec_episode_result episodes[] = {{task, 4, 1.5, true}, {task, 6, -0.5 * (double)i, false}};
      const sfnec_task_record record = {
          .task = task,
          .result = {.total = (double)i, .steps = 10, .episodes = 2, .goals = 1, .entries = 20, .seconds = 0.5},
          .uses = uses,
          .use_count = task + 1,
          .episodes = episodes,
          .episode_count = 2};
      HOLDS(!sfnec_store_put_task(store, job, &record));
    }
    const bool failed = i + 1 == base.plan->job_count;
    HOLDS(!sfnec_store_set_state(store, job, failed ? SFNEC_JOB_FAILED : SFNEC_JOB_DONE, failed ? "a sentence" : NULL));
  }
  HOLDS(!sfnec_store_end_session(store, "done"));
}

static void must(sqlite3 *db, const char *text) {
  HOLDS(sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK);
}

// The file of the good database as one in memory, whose bytes are taken over.
static sqlite3 *open_copy(void) {
  FILE *file = fopen(base.path, "rb");
  HOLDS(file && fseek(file, 0, SEEK_END) == 0);
  const size_t size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = sqlite3_malloc64(size);
  HOLDS(bytes && fread(bytes, 1, size, file) == size);
  fclose(file);
  // the journal's kind stands in two bytes of the header, and a database in memory can have no log
  bytes[18] = bytes[19] = 1;
  sqlite3 *db = NULL;
  HOLDS(sqlite3_open(":memory:", &db) == SQLITE_OK);
  const unsigned flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  HOLDS(sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)size, (sqlite3_int64)size, flags) == SQLITE_OK);
  must(db, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"
           "PRAGMA writable_schema = ON");
  return db;
}

static void learn_columns(sqlite3 *db, table *t) {
  sqlite3_stmt *statement;
  HOLDS(sqlite3_prepare_v2(db, "SELECT name, pk FROM pragma_table_info(?)", -1, &statement, NULL) == SQLITE_OK);
  sqlite3_bind_text(statement, 1, t->name, -1, SQLITE_STATIC);
  while (sqlite3_step(statement) == SQLITE_ROW && t->column_count < MOST_COLUMNS) {
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    snprintf(t->columns[t->column_count++], sizeof t->columns[0], "%s", name);
    if (sqlite3_column_int(statement, 1) == 0) continue;
    const size_t used = strlen(t->key);
    snprintf(t->key + used, sizeof t->key - used, "%s%s", used ? ", " : "", name);
  }
  sqlite3_finalize(statement);
}

static void learn_tables(sqlite3 *db) {
  sqlite3_stmt *statement;
  const char *query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name";
  HOLDS(sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW && base.table_count < MOST_TABLES) {
    table *t = &base.tables[base.table_count++];
    snprintf(t->name, sizeof t->name, "%s", (const char *)sqlite3_column_text(statement, 0));
    t->schema = strdup((const char *)sqlite3_column_text(statement, 1));
    learn_columns(db, t);
  }
  sqlite3_finalize(statement);
}

static void restore_schema(sqlite3 *db) {
  sqlite3_stmt *statement;
  const char *query = "UPDATE sqlite_master SET sql = ?1 WHERE type = 'table' AND name = ?2";
  HOLDS(sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK);
  for (uint32_t i = 0; i < base.table_count; i++) {
    sqlite3_bind_text(statement, 1, base.tables[i].schema, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, base.tables[i].name, -1, SQLITE_STATIC);
    HOLDS(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

// Makes the connection forget NOT NULL: it parses a schema without it, and does not notice that the database then gets
// its own schema back.
static void loosen(sqlite3 *db) {
  must(db, "UPDATE sqlite_master SET sql = replace(replace(replace(sql, 'IS NOT NULL', 'IS @'), 'NOT NULL', ''),"
           " 'IS @', 'IS NOT NULL') WHERE type = 'table'");
  must(db, "PRAGMA schema_version = 100"); // another one than before, so that it is parsed again
  must(db, "SELECT count(*) FROM job");
  restore_schema(db);
}

static void make_base(void) {
  // without what only many threads and statistics of memory need: most of an execution is SQLite's
  static const sqlite3_mem_methods own_memory = {piece_take, piece_give,  piece_resize, piece_size,
                                                 piece_room, memory_open, memory_close, NULL};
  HOLDS(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
        sqlite3_config(SQLITE_CONFIG_MALLOC, &own_memory) == SQLITE_OK);
  snprintf(base.folder, sizeof base.folder, "%s/study", fuzz_folder());
  snprintf(base.path, sizeof base.path, "%s/experiment.db", base.folder);
  sfnec_store *store = NULL;
  HOLDS(!sfnec_spec_parse("fuzz.yaml", spec_text, strlen(spec_text), NULL, &base.spec));
  HOLDS(!sfnec_plan_create(base.spec, &base.plan));
  HOLDS(!sfnec_store_open(base.folder, &store));
  fill(store);
  sfnec_store_close(store);
  base.db = open_copy();
  learn_tables(base.db);
  loosen(base.db);
}

// ---- changes ----

static void bind_value(input *in, sqlite3_stmt *statement) {
  char text[LONGEST + 1];
  switch (take_below(in, 5)) {
  case 0:
    sqlite3_bind_int64(statement, 1, take_i64(in));
    break;
  case 1:
    sqlite3_bind_double(statement, 1, take_f64(in));
    break;
  case 2:
    take_text(in, text, LONGEST);
    sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
    break;
  case 3:
    take_text(in, text, LONGEST);
    sqlite3_bind_blob(statement, 1, text, (int)strlen(text), SQLITE_TRANSIENT);
    break;
  default:
    sqlite3_bind_null(statement, 1);
  }
}

// One value, or one row that goes. What SQLite itself refuses (equal primary keys) is no change.
static void change(sqlite3 *db, input *in) {
  const table *t = &base.tables[take_below(in, base.table_count)];
  const char *column = t->columns[take_below(in, t->column_count)];
  const uint32_t row = take_below(in, 16);
  const bool remove = take_below(in, 16) == 0;
  char what[80] = "DELETE FROM ", text[400];
  if (!remove) snprintf(what, sizeof what, " SET %s = ?1", column);
  snprintf(text, sizeof text, "%s%s%s WHERE (%s) = (SELECT %s FROM %s LIMIT 1 OFFSET %" PRIu32 ")",
           remove ? what : "UPDATE ", t->name, remove ? "" : what, t->key, t->key, t->name, row);
  sqlite3_stmt *statement;
  HOLDS(sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK);
  if (!remove) bind_value(in, statement);
  (void)sqlite3_step(statement);
  sqlite3_finalize(statement);
}

static void change_bytes(input *in, unsigned char *bytes, size_t size) {
  for (int i = 0; i < MOST_CHANGES && in->left > 3; i++) {
    uint8_t at[3];
    take(in, at, sizeof at);
    bytes[(size_t)(at[0] | at[1] << 8 | at[2] << 16) % size] = take_byte(in);
  }
}

// The changed database as a file.
static void write_changed(input *in, uint8_t flags) {
  must(base.db, "BEGIN");
  for (int i = 0; i < (flags & 3) + 1 && in->left > 0; i++) change(base.db, in);
  sqlite3_int64 size;
  unsigned char *bytes = sqlite3_serialize(base.db, "main", &size, 0);
  HOLDS(bytes);
  must(base.db, "ROLLBACK");
  if (flags & 64) change_bytes(in, bytes, (size_t)size);
  fuzz_write_file(base.path, bytes, (size_t)size);
  sqlite3_free(bytes);
}

// ---- what is done with it ----

static void read_it(void) {
  sfnec_results *results = NULL;
  if (sfnec_results_load(base.folder, &results)) {
    HOLDS(!results);
    return;
  }
  const sfnec_analysis_options options = {.resamples = 5, .criterion = {.mean = 1, .window = 2}};
  sfnec_analysis *analysis = NULL;
  if (!sfnec_analysis_make(results, &options, &analysis)) HOLDS(analysis->row_count == results->configuration_count);
  sfnec_analysis_destroy(analysis);
  static FILE *nowhere;
  if (!nowhere) nowhere = fopen("/dev/null", "w");
  HOLDS(nowhere);
  for (int i = SFNEC_EXPORT_TASKS; i <= SFNEC_EXPORT_USES; i++) {
    (void)sfnec_export_csv(nowhere, results, (sfnec_export_table)i, true);
  }
  sfnec_export_json(nowhere, results, true);
  sfnec_results_destroy(results);
}

static void write_it(void) {
  sfnec_store *store = NULL;
  if (sfnec_store_open(base.folder, &store)) return;
  sfnec_plan_match fit;
  sfnec_job_status *jobs = calloc(base.plan->job_count, sizeof *jobs);
  HOLDS(jobs);
  (void)sfnec_store_spec(store);
  (void)sfnec_store_match(store, base.plan, &fit);
  (void)sfnec_store_get_jobs(store, base.plan, jobs);
  (void)sfnec_store_set_plan(store, base.plan, sfnec_spec_text(base.spec));
  free(jobs);
  sfnec_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!base.db) make_base();
  input in = {data, size};
  const uint8_t flags = take_byte(&in);
  write_changed(&in, flags);
  if ((flags & 0xb0) == 0xb0) write_it();
  else read_it();
  return 0;
}
