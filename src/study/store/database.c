// database.c: an experiment's database: its tables, how an older one gets the newest ones, and opening it.
//
// The version is SQLite's user_version: the number of steps that a database has had. The first step makes the tables;
// each further one adds the tables and columns of an edition of the records (run/record.h). Tables and views are
// described in docs/store.md. Tasks, policies, episodes and positions are numbered from 1, for people read them.
// Constraints repeat the invariants of the program, so that a mistake ends as an error and not as a wrong figure.
#include "study/store/database.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "run/record.h"
#include "study/store/session.h"

enum { APPLICATION = 0x53464e43 }; // "SFNC" marks a database as ours: SQLite's application_id
enum { PATIENCE = 20000 };         // milliseconds: somebody's query may hold the database for a moment

// ---- the tables ----

// Seeds have no type, because the greatest ones do not fit into SQLite's integers and are kept as text; real numbers
// have none either (sql.c). "@task" and its like stand for the columns of a table of records.
static const char tables[] =
    "CREATE TABLE experiment ("
    " one INTEGER PRIMARY KEY CHECK (one = 1),"
    " name TEXT NOT NULL, title TEXT NOT NULL, spec TEXT NOT NULL, spec_path TEXT NOT NULL, env TEXT NOT NULL,"
    " tasks INTEGER NOT NULL CHECK (tasks > 0), steps INTEGER NOT NULL CHECK (steps >= 0),"
    " episodes INTEGER NOT NULL CHECK (episodes >= 0), version TEXT NOT NULL, created TEXT NOT NULL);"

    "CREATE TABLE session ("
    " session INTEGER PRIMARY KEY, @session);"

    "CREATE TABLE configuration ("
    " configuration INTEGER PRIMARY KEY CHECK (configuration > 0),"
    " label TEXT NOT NULL, preset TEXT NOT NULL, point TEXT NOT NULL, name TEXT NOT NULL);"

    "CREATE TABLE setting ("
    " configuration INTEGER NOT NULL REFERENCES configuration ON DELETE CASCADE,"
    " kind TEXT NOT NULL CHECK (kind IN ('sweep', 'agent', 'env')),"
    " position INTEGER NOT NULL CHECK (position > 0), key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (configuration, kind, key)) WITHOUT ROWID;"

    "CREATE TABLE job ("
    " job INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, identity TEXT NOT NULL,"
    " configuration INTEGER NOT NULL REFERENCES configuration DEFERRABLE INITIALLY DEFERRED,"
    " position INTEGER NOT NULL, seed NOT NULL CHECK (typeof(seed) IN ('integer', 'text')),"
    " tasks INTEGER NOT NULL CHECK (tasks > 0),"
    " state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed')),"
    " attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0), error TEXT, started TEXT, ended TEXT,"
    " CHECK ((error IS NOT NULL) = (state = 'failed')));"

    "CREATE TABLE task ("
    " job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE, task INTEGER NOT NULL CHECK (task > 0),"
    " @task,"
    " PRIMARY KEY (job, task)) WITHOUT ROWID;"

    "CREATE TABLE policy_use ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, policy INTEGER NOT NULL CHECK (policy > 0),"
    " steps INTEGER NOT NULL CHECK (steps >= 0),"
    " PRIMARY KEY (job, task, policy),"
    " FOREIGN KEY (job, task) REFERENCES task ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE TABLE episode ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, episode INTEGER NOT NULL CHECK (episode > 0),"
    " @episode,"
    " PRIMARY KEY (job, task, episode),"
    " FOREIGN KEY (job, task) REFERENCES task ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE TABLE published ("
    " published INTEGER PRIMARY KEY CHECK (published > 0), label TEXT NOT NULL,"
    " task INTEGER NOT NULL CHECK (task >= 0), mean CHECK (typeof(mean) IN ('real', 'null')),"
    " se CHECK (typeof(se) IN ('real', 'null')), source TEXT);"

    "CREATE TABLE published_setting ("
    " published INTEGER NOT NULL REFERENCES published ON DELETE CASCADE,"
    " position INTEGER NOT NULL CHECK (position > 0), key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (published, position)) WITHOUT ROWID;";

// Tables of records that came later, each with the edition that has it first. A view has the environment step at the
// end of a bin, and its sums as means.
static const char bin_table[] =
    "CREATE TABLE bin ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, bin INTEGER NOT NULL CHECK (bin > 0),"
    " @bin,"
    " PRIMARY KEY (job, task, bin),"
    " FOREIGN KEY (job, task) REFERENCES task ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE VIEW bins AS"
    " SELECT configuration, name, label, point, seed, task, bin,"
    " sum(bin.steps) OVER (PARTITION BY job ORDER BY task, bin) AS step, bin.steps,"
    " total / bin.steps AS reward, episodes, goals, episode_return / nullif(episodes, 0) AS episode_return,"
    " episode_steps * 1.0 / nullif(episodes, 0) AS episode_steps, exploration * 1.0 / bin.steps AS exploration,"
    " loss / nullif(targets, 0) AS loss, entries, places"
    " FROM bin JOIN (SELECT job, position, configuration, seed FROM job) USING (job)"
    " JOIN configuration USING (configuration) ORDER BY position, task, bin;";

// The view has means over episodes; the spec has the list of weights.
static const char evaluation_table[] =
    "CREATE TABLE evaluation ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, evaluation INTEGER NOT NULL CHECK (evaluation > 0),"
    " @evaluation,"
    " PRIMARY KEY (job, task, evaluation),"
    " FOREIGN KEY (job, task) REFERENCES task ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE TABLE evaluation_feature ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, evaluation INTEGER NOT NULL,"
    " feature INTEGER NOT NULL CHECK (feature > 0), total CHECK (typeof(total) IN ('real', 'null')),"
    " PRIMARY KEY (job, task, evaluation, feature),"
    " FOREIGN KEY (job, task, evaluation) REFERENCES evaluation ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE VIEW evaluations AS"
    " SELECT configuration, name, label, point, seed, task, evaluation, step, weights, episodes,"
    " total / episodes AS return, goals * 1.0 / episodes AS success, steps * 1.0 / episodes AS length"
    " FROM evaluation JOIN (SELECT job, position, configuration, seed FROM job) USING (job)"
    " JOIN configuration USING (configuration) ORDER BY position, task, evaluation;";

// For people who query with SQL: names and seeds with the numbers. This view is made again when a task has a new
// number.
static const char returns_view[] = "CREATE VIEW returns AS"
                                   " SELECT configuration, name, label, point, seed, task, @headline,"
                                   " avg(@headline) OVER (PARTITION BY job ORDER BY task) AS average, @others"
                                   " FROM task JOIN (SELECT job, position, configuration, seed FROM job) USING (job)"
                                   " JOIN configuration USING (configuration) ORDER BY position, task;";

static const char other_views[] =
    // two passes, for the sum of squares less the square of the sum loses digits
    "CREATE VIEW curves AS"
    " SELECT configuration, name, label, point, task, count(*) AS seeds, avg(average) AS mean,"
    " sum((average - middle) * (average - middle)) / nullif(count(*) - 1, 0) AS variance"
    " FROM (SELECT *, avg(average) OVER (PARTITION BY configuration, task) AS middle FROM returns)"
    " GROUP BY configuration, task ORDER BY configuration, task;"

    "CREATE VIEW jobs AS"
    " SELECT id, configuration, name, label, point, seed, state, attempts,"
    " (SELECT count(*) FROM task WHERE task.job = job.job) AS tasks_done, tasks AS tasks_wanted, error, started, ended"
    " FROM job JOIN configuration USING (configuration) ORDER BY position;"

    "CREATE VIEW uses AS"
    " SELECT configuration, name, label, point, seed, task, policy, policy_use.steps,"
    " policy_use.steps * 1.0 / nullif(task.steps, 0) AS share"
    " FROM policy_use JOIN task USING (job, task) JOIN (SELECT job, position, configuration, seed FROM job) USING (job)"
    " JOIN configuration USING (configuration) ORDER BY position, task, policy;";

static const sfnec_record_set *set_of(int i) {
  return i == 0   ? sfnec_task_record_set()
         : i == 1 ? sfnec_episode_record_set()
         : i == 2 ? sfnec_session_record_set()
         : i == 3 ? sfnec_bin_record_set()
         : i == 4 ? sfnec_evaluation_record_set()
                  : NULL;
}

// the text that makes a table which is not of the first edition; NULL: it is
static const char *later_table(const sfnec_record_set *set) {
  return set == sfnec_bin_record_set() ? bin_table : set == sfnec_evaluation_record_set() ? evaluation_table : NULL;
}

static uint32_t newest_edition(void) {
  uint32_t newest = 0;
  for (int i = 0; set_of(i); i++) {
    const uint32_t edition = sfnec_record_set_edition(set_of(i));
    if (edition > newest) newest = edition;
  }
  return newest;
}

// ---- the steps ----

// what stands for a word after an @; the columns of a task without its headline are the others
static void print_word(FILE *text, const char *word, size_t length, uint32_t edition) {
  for (int i = 0; set_of(i); i++)
    if (strncmp(set_of(i)->title, word, length) == 0 && !set_of(i)->title[length])
      sfnec_sql_print_columns(text, set_of(i), 0, (uint32_t)set_of(i)->since, SFNEC_SQL_DEFINITIONS);
  bool any = false;
  for (const sfnec_record_field *field = sfnec_task_record_set()->fields; field->name; field++) {
    if (field->since > (int)edition || strncmp(field->headline ? "headline" : "others", word, length) != 0) continue;
    fprintf(text, "%s%s", any ? ", " : "", field->name);
    any = true;
  }
}

static void print_filled(FILE *text, const char *template, uint32_t edition) {
  for (const char *at = template; *at;) {
    const size_t plain = strcspn(at, "@");
    fwrite(at, 1, plain, text);
    at += plain;
    if (!*at) break;
    const size_t word = strspn(++at, "abcdefghijklmnopqrstuvwxyz");
    print_word(text, at, word, edition);
    at += word;
  }
}

// the tables that an edition adds, and columns, one statement each, as SQLite wants it
static void print_additions(FILE *text, uint32_t edition) {
  for (int i = 0; set_of(i); i++) {
    if (set_of(i)->since == (int)edition) print_filled(text, later_table(set_of(i)), edition);
    if (set_of(i)->since >= (int)edition) continue;
    for (const sfnec_record_field *field = set_of(i)->fields; field->name; field++) {
      if (field->since != (int)edition) continue;
      const sfnec_record_field alone[] = {*field, {0}};
      fprintf(text, "ALTER TABLE %s ADD COLUMN ", set_of(i)->title);
      sfnec_sql_print_columns(text, &(sfnec_record_set){set_of(i)->title, alone, 0}, edition, edition,
                              SFNEC_SQL_DEFINITIONS);
      fputc(';', text);
    }
  }
  fputs("DROP VIEW returns;", text);
  print_filled(text, returns_view, edition);
}

// the text of the step to an edition, in the arena; NULL without memory
static const char *step_text(sfnec_arena *arena, uint32_t edition) {
  FILE *stream = sfnec_arena_open_text(arena);
  if (!stream) return NULL;
  if (edition == 0) {
    print_filled(stream, tables, 0);
    print_filled(stream, returns_view, 0);
    fputs(other_views, stream);
  } else {
    print_additions(stream, edition);
  }
  return sfnec_arena_close_text(arena);
}

// all steps, in the arena; NULL without memory
static const char *const *make_steps(sfnec_arena *arena) {
  const uint32_t count = newest_edition() + 1;
  const char **steps = sfnec_arena_alloc(arena, count + 1, sizeof *steps);
  for (uint32_t edition = 0; steps && edition < count; edition++)
    if (!(steps[edition] = step_text(arena, edition))) return NULL;
  return steps;
}

static sfnec_status refuse_stranger(const sfnec_sql *sql) {
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is a database of another program; choose another folder", sql->path);
}

// Whose database is this? *version: how many steps it has had, 0 for an empty one.
static sfnec_status find_version(const sfnec_sql *sql, int64_t newest, int64_t *version) {
  int64_t application, tables_there;
  sfnec_status status = sfnec_sql_number(sql, "PRAGMA application_id", &application);
  if (!status) status = sfnec_sql_number(sql, "PRAGMA user_version", version);
  if (!status) status = sfnec_sql_number(sql, "SELECT count(*) FROM sqlite_master", &tables_there);
  if (status) return status;
  // an empty file is a database that was killed before its first step
  if (!application && !*version && !tables_there) return SFNEC_OK;
  if (application != APPLICATION || *version < 1) return refuse_stranger(sql);
  if (*version > newest)
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "%s was made by a newer program: its format is %" PRId64 " and this program (sfnec %s) knows "
                      "those up to %" PRId64 "; use the newer program",
                      sql->path, *version, sfnec_version(), newest);
  return SFNEC_OK;
}

static sfnec_status take_steps(const sfnec_sql *sql, const char *const *steps, int64_t version) {
  sfnec_status status = SFNEC_OK;
  for (; steps[version] && !status; version++) status = sfnec_sql_exec(sql, steps[version]);
  char mark[128];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %" PRId64, APPLICATION, version);
  if (!status) status = sfnec_sql_exec(sql, mark);

  // tables may have been rebuilt with the checks off; a row that points nowhere must not come out of that
  int64_t broken = 0;
  if (!status) status = sfnec_sql_number(sql, "SELECT count(*) FROM pragma_foreign_key_check", &broken);
  if (!status && broken)
    status = sfnec_fail(SFNEC_ERROR_FORMAT,
                        "%s cannot be brought to format %" PRId64 ": %" PRId64
                        " rows refer to rows that are not there; use the program that made it",
                        sql->path, version, broken);
  return status;
}

sfnec_status sfnec_schema_upgrade(const sfnec_sql *sql, const char *const *steps) {
  int64_t version, newest = 0;
  while (steps[newest]) newest++;
  sfnec_status status = find_version(sql, newest, &version);
  if (status || !steps[version]) return status;
  // a step may rebuild a table that others refer to; SQLite takes this setting outside of transactions only
  status = sfnec_sql_exec(sql, "PRAGMA foreign_keys = OFF");
  if (!status) status = sfnec_sql_begin(sql, true);
  if (!status) status = sfnec_sql_end(sql, take_steps(sql, steps, version));
  // not by sfnec_sql_exec: the sentence of a failed step stays
  const int code = sqlite3_exec(sql->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
  return code && !status ? sfnec_sql_fail(sql, code) : status;
}

// ---- is it as we made it? ----

// A database may come from a stranger. SQLite is configured to trust none of its contents, and its tables and views
// must be those that its steps make, to the letter: a view in a table's place, another constraint or a trigger could
// make our own queries do what somebody else wants.
static int distrust(sqlite3 *db) {
  int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
  if (!code) code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
  return code ? code : sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

static const char schema_query[] =
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND (type <> 'table'"
    " OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\') ORDER BY type, name";

// what differs first between the tables of a database and those that it should have, or nothing
static sfnec_status compare_schemas(const sfnec_sql *sql, const sfnec_sql *ours) {
  sqlite3_stmt *found = NULL, *wanted = NULL;
  bool more = false, expected = false;
  sfnec_status status = sfnec_sql_query(sql, &found, schema_query, "");
  if (!status) status = sfnec_sql_query(ours, &wanted, schema_query, "");
  do {
    if (!status) status = sfnec_sql_next(sql, &found, &more);
    if (!status) status = sfnec_sql_next(ours, &wanted, &expected);
    bool same = more == expected;
    for (int i = 0; i < 3 && !status && more && same; i++) {
      const char *a = (const char *)sqlite3_column_text(found, i), *b = (const char *)sqlite3_column_text(wanted, i);
      same = a && b && strcmp(a, b) == 0;
    }
    if (!status && !same) status = sfnec_sql_fail_damaged(sql, "its tables, views or triggers are not those of sfnec");
  } while (!status && more);
  sqlite3_finalize(found);
  sqlite3_finalize(wanted);
  return status;
}

// the tables and views of a database that has had so many steps
static sfnec_status check_schema(const sfnec_sql *sql, int64_t version) {
  sfnec_sql ours = {.folder = sql->folder, .path = "the tables of an experiment"};
  sfnec_arena *arena = sfnec_arena_create();
  const char *const *steps = arena ? make_steps(arena) : NULL;
  sfnec_status status = steps ? SFNEC_OK : sfnec_fail_memory("the tables of an experiment");
  const int code = status ? SQLITE_OK : sqlite3_open(":memory:", &ours.db);
  if (code) status = sfnec_sql_fail(&ours, code);
  for (int64_t i = 0; i < version && !status; i++) status = sfnec_sql_exec(&ours, steps[i]);
  if (!status) status = compare_schemas(sql, &ours);
  sqlite3_close(ours.db);
  sfnec_arena_destroy(arena);
  return status;
}

// ---- opening for writing ----

static int open_file(sfnec_sql *sql, const char *name, int flags) {
  int code = sqlite3_open_v2(name, &sql->db, flags, NULL);
  if (!code) code = sqlite3_extended_result_codes(sql->db, 1);
  if (!code) code = sqlite3_busy_timeout(sql->db, PATIENCE);
  return code ? code : distrust(sql->db);
}

static sfnec_status check_whole(const sfnec_sql *sql) {
  int64_t whole;
  const sfnec_status status = sfnec_sql_number(sql, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)", &whole);
  return status || whole ? status : sfnec_sql_fail_damaged(sql, "its pages do not fit together");
}

static sfnec_status upgrade(const sfnec_sql *sql) {
  sfnec_arena *arena = sfnec_arena_create();
  const char *const *steps = arena ? make_steps(arena) : NULL;
  const sfnec_status status =
      steps ? sfnec_schema_upgrade(sql, steps) : sfnec_fail_memory("the tables of an experiment");
  sfnec_arena_destroy(arena);
  return status;
}

sfnec_status sfnec_database_open(sfnec_sql *sql) {
  int code = open_file(sql, sql->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // SQLite is content to open a file that it cannot write
  if (!code && sqlite3_db_readonly(sql->db, "main") == 1) code = SQLITE_READONLY;
  if (code) return sfnec_sql_fail(sql, code);

  // a foreign or newer database is refused before anything in it is changed
  int64_t version;
  sfnec_status status = find_version(sql, newest_edition() + 1, &version);
  if (!status && version) status = check_schema(sql, version);
  if (!status && version) status = check_whole(sql);
  // the log's index is shared memory, which machines do not share: there the older journal is slower and right
  if (!status)
    status = sfnec_sql_exec(sql, sfnec_machine_shares(sql->folder) ? "PRAGMA journal_mode = DELETE"
                                                                   : "PRAGMA journal_mode = WAL");
  if (!status) status = sfnec_sql_exec(sql, "PRAGMA foreign_keys = ON");
  if (!status) status = upgrade(sql);
  return status;
}

// ---- opening for reading ----

// A reader of a database with a log needs the log's index, a file beside it that it would make if it is missing; with
// write permission the last one to close takes it away again. In a folder that cannot be written that fails; then
// nobody else writes there either, and the database is read as a file that does not change ("immutable"). On a file
// system that machines share, a reader keeps its hands off everything.
static int try_open(sfnec_sql *sql, const char *name, int flags) {
  int code = open_file(sql, name, flags);
  // opening does not look at the file yet; the snapshot begins with the first query
  if (!code)
    code = sqlite3_exec(sql->db, "PRAGMA query_only = ON; BEGIN; SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
  return code;
}

// "file:NAME?immutable=1", with what has a meaning in such a name written in hexadecimal
static char *immutable_name(const char *path) {
  char *name = malloc(3 * strlen(path) + sizeof "file:?immutable=1"), *end = name;
  if (!name) return NULL;
  end += sprintf(end, "file:");
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    if (isalnum(*c) || strchr("/._-", *c)) *end++ = (char)*c;
    else end += sprintf(end, "%%%02x", *c);
  }
  strcpy(end, "?immutable=1");
  return name;
}

// results that are only in the log would be missed without it
static bool has_log(const char *path) {
  char *name = malloc(strlen(path) + sizeof "-wal");
  struct stat facts;
  if (name) sprintf(name, "%s-wal", path);
  const bool has = name && stat(name, &facts) == 0 && facts.st_size > 0;
  free(name);
  return has;
}

static sfnec_status open_immutable(sfnec_sql *sql) {
  if (has_log(sql->path))
    return sfnec_fail(SFNEC_ERROR_IO,
                      "%s has results in its log that cannot be read in a folder without write permission; copy the "
                      "folder to where it can be written and look there",
                      sql->path);
  sqlite3_close(sql->db);
  sql->db = NULL;
  char *name = immutable_name(sql->path);
  const int code = name ? try_open(sql, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) : SQLITE_NOMEM;
  free(name);
  return code ? sfnec_sql_fail(sql, code) : SFNEC_OK;
}

sfnec_status sfnec_database_open_read(sfnec_sql *sql, uint32_t *edition) {
  struct stat facts;
  if (stat(sql->path, &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return sfnec_fail(SFNEC_ERROR_IO,
                        "there is no experiment in %s: it has no experiment.db; 'sfnec run SPEC -o %s' makes one",
                        sql->folder, sql->folder);
    return sfnec_fail(SFNEC_ERROR_IO, "cannot read %s: %s", sql->path, strerror(errno));
  }
  const int access = sfnec_machine_shares(sql->folder) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = try_open(sql, sql->path, access), kind = code & 0xff;
  sfnec_status status = SFNEC_OK;
  if (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY) status = open_immutable(sql);
  else if (code) status = sfnec_sql_fail(sql, code);
  int64_t version = 0;
  if (!status) status = find_version(sql, newest_edition() + 1, &version);
  if (!status && version == 0)
    status = sfnec_fail(SFNEC_ERROR_FORMAT,
                        "%s is empty: its first start was cut short; start it again with 'sfnec run SPEC -o %s'",
                        sql->path, sql->folder);
  if (!status) status = check_schema(sql, version);
  if (!status) *edition = (uint32_t)version - 1;
  return status;
}
