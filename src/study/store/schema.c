// schema.c: the tables of an experiment's database, and how an older database gets the newest ones.
//
// The version is SQLite's user_version: the number of steps that a database has had. Tables and views are described in
// docs/store.md. Tasks, policies, episodes and positions are numbered from 1, for people read them. Constraints repeat
// what the program promises, so that a mistake ends as an error and not as a wrong figure.
#include "study/store/schema.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

// Seeds have no type, because the greatest ones do not fit into SQLite's integers and are kept as text. Real numbers
// have none either, as a column of type REAL turns -0.0 into 0.0; they may be NULL, which is what SQLite makes of NaN.
static const char tables[] =
    "CREATE TABLE experiment ("
    " one INTEGER PRIMARY KEY CHECK (one = 1),"
    " name TEXT NOT NULL, title TEXT NOT NULL, spec TEXT NOT NULL, spec_path TEXT NOT NULL, env TEXT NOT NULL,"
    " tasks INTEGER NOT NULL CHECK (tasks > 0), steps INTEGER NOT NULL CHECK (steps >= 0),"
    " episodes INTEGER NOT NULL CHECK (episodes >= 0), version TEXT NOT NULL, created TEXT NOT NULL);"

    "CREATE TABLE session ("
    " session INTEGER PRIMARY KEY, version TEXT NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL,"
    " cores INTEGER NOT NULL CHECK (cores > 0), system TEXT NOT NULL, simd TEXT NOT NULL,"
    " workers INTEGER NOT NULL CHECK (workers > 0), ranks INTEGER NOT NULL CHECK (ranks > 0),"
    " command TEXT, started TEXT NOT NULL, ended TEXT, how TEXT);"

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
    " total CHECK (typeof(total) IN ('real', 'null')), steps INTEGER NOT NULL CHECK (steps >= 0),"
    " episodes INTEGER NOT NULL CHECK (episodes >= 0), goals INTEGER NOT NULL CHECK (goals BETWEEN 0 AND episodes),"
    " entries INTEGER NOT NULL CHECK (entries >= 0), w_error CHECK (typeof(w_error) IN ('real', 'null')),"
    " seconds CHECK (typeof(seconds) IN ('real', 'null')),"
    " PRIMARY KEY (job, task)) WITHOUT ROWID;"

    "CREATE TABLE policy_use ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, policy INTEGER NOT NULL CHECK (policy > 0),"
    " steps INTEGER NOT NULL CHECK (steps >= 0),"
    " PRIMARY KEY (job, task, policy),"
    " FOREIGN KEY (job, task) REFERENCES task ON DELETE CASCADE) WITHOUT ROWID;"

    "CREATE TABLE episode ("
    " job INTEGER NOT NULL, task INTEGER NOT NULL, episode INTEGER NOT NULL CHECK (episode > 0),"
    " steps INTEGER NOT NULL CHECK (steps >= 0), total CHECK (typeof(total) IN ('real', 'null')),"
    " terminated INTEGER NOT NULL CHECK (terminated IN (0, 1)),"
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

// For people who ask by SQL: names and seeds beside the numbers.
static const char views[] =
    "CREATE VIEW returns AS"
    " SELECT configuration, name, label, point, seed, task, total,"
    " avg(total) OVER (PARTITION BY job ORDER BY task) AS average, steps, episodes, goals, entries, w_error, seconds"
    " FROM task JOIN (SELECT job, position, configuration, seed FROM job) USING (job)"
    " JOIN configuration USING (configuration) ORDER BY position, task;"

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

static const char *const first[] = {tables, views, NULL};

const sfnec_schema_step sfnec_schema_steps[] = {first, NULL};

static sfnec_status refuse_stranger(const sfnec_sql *sql) {
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s is a database of another program; choose another folder", sql->path);
}

sfnec_status sfnec_schema_version(const sfnec_sql *sql, const sfnec_schema_step *steps, int64_t *version) {
  int64_t application, tables_there, newest = 0;
  sfnec_status status = sfnec_sql_number(sql, "PRAGMA application_id", &application);
  if (!status) status = sfnec_sql_number(sql, "PRAGMA user_version", version);
  if (!status) status = sfnec_sql_number(sql, "SELECT count(*) FROM sqlite_master", &tables_there);
  if (status) return status;
  while (steps[newest]) newest++;
  // an empty file is a database that was killed before its first step
  if (!application && !*version && !tables_there) return SFNEC_OK;
  if (application != SFNEC_SCHEMA_APPLICATION || *version < 1) return refuse_stranger(sql);
  if (*version > newest)
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "%s was made by a newer program: its format is %" PRId64 " and this program (sfnec %s) knows "
                      "those up to %" PRId64 "; use the newer program",
                      sql->path, *version, sfnec_version(), newest);
  return SFNEC_OK;
}

static sfnec_status take_steps(const sfnec_sql *sql, const sfnec_schema_step *steps, int64_t version) {
  sfnec_status status = SFNEC_OK;
  for (; steps[version] && !status; version++)
    for (const char *const *text = steps[version]; *text && !status; text++) status = sfnec_sql_exec(sql, *text);
  char mark[128];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %" PRId64, SFNEC_SCHEMA_APPLICATION,
           version);
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

sfnec_status sfnec_schema_upgrade(const sfnec_sql *sql, const sfnec_schema_step *steps) {
  int64_t version;
  sfnec_status status = sfnec_schema_version(sql, steps, &version);
  if (status || !steps[version]) return status;
  // a step may rebuild a table that others refer to; SQLite takes this setting outside of transactions only
  status = sfnec_sql_exec(sql, "PRAGMA foreign_keys = OFF");
  if (!status) status = sfnec_sql_begin(sql, true);
  if (!status) status = sfnec_sql_end(sql, take_steps(sql, steps, version));
  // not by sfnec_sql_exec: the sentence of a failed step stays
  const int code = sqlite3_exec(sql->db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
  return code && !status ? sfnec_sql_fail(sql, code) : status;
}
