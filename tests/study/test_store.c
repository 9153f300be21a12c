// test_store.c: the database of an experiment: the plan, states, refusals, migrations.
#include "support/experiment.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/store/database.h"

static study one, other;

static sfnec_store *open_study(const char *folder, study *s) {
  sfnec_store *store;
  OK(sfnec_store_open(folder, &store));
  OK(sfnec_store_set_plan(store, &s->plan, "spec text"));
  return store;
}

// one number from the database, by a connection of its own
static double ask(const char *folder, const char *query) {
  char path[256];
  snprintf(path, sizeof path, "%s/experiment.db", folder);
  sqlite3 *db;
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_prepare_v2(db, query, -1, &statement, NULL)) fail_msg("%s: %s", query, sqlite3_errmsg(db));
  const int code = sqlite3_step(statement);
  const double value = code == SQLITE_ROW ? sqlite3_column_double(statement, 0) : NAN;
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return value;
}

static void edit(const char *folder, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/experiment.db", folder);
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  if (sqlite3_exec(db, text, NULL, NULL, NULL)) fail_msg("%s: %s", text, sqlite3_errmsg(db));
  sqlite3_close(db);
}

static void check_job(sfnec_store *store, const study *s, size_t i, sfnec_job_state state, uint32_t attempts,
                      uint32_t tasks) {
  sfnec_job_status jobs[STUDY_CONFIGURATIONS * STUDY_SEEDS];
  OK(sfnec_store_get_jobs(store, &s->plan, jobs));
  assert_int_equal(jobs[i].state, state);
  assert_int_equal(jobs[i].attempts, attempts);
  assert_int_equal(jobs[i].tasks_done, tasks);
}

// ---- what a job goes through ----

static void test_states(void **unused) {
  (void)unused;
  study_make(&one, 3, 2, 1, 3);
  sfnec_store *store;
  OK(sfnec_store_open("states/deep/down", &store));
  assert_null(sfnec_store_spec(store));
  OK(sfnec_store_set_plan(store, &one.plan, "the: spec\n"));
  assert_string_equal(sfnec_store_spec(store), "the: spec\n");

  check_job(store, &one, 0, SFNEC_JOB_WAITING, 0, 0);
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_RUNNING, NULL));
  check_job(store, &one, 0, SFNEC_JOB_RUNNING, 1, 0);
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_FAILED, "no luck"));
  check_job(store, &one, 0, SFNEC_JOB_FAILED, 1, 0);
  OK(sfnec_store_commit(store));
  assert_int_equal(ask("states/deep/down", "SELECT count(*) FROM jobs WHERE error = 'no luck' AND ended > started || ''"
                                           " OR error = 'no luck' AND ended = started"),
                   1);
  OK(study_run_job(store, &one.jobs[0], false));
  check_job(store, &one, 0, SFNEC_JOB_DONE, 2, 3);
  check_job(store, &one, 1, SFNEC_JOB_WAITING, 0, 0);
  assert_int_equal(ask("states/deep/down", "SELECT count(*) FROM jobs WHERE error IS NULL"), 6);
  sfnec_store_close(store);

  OK(sfnec_store_open("states/deep/down", &store));
  assert_string_equal(sfnec_store_spec(store), "the: spec\n");
  check_job(store, &one, 0, SFNEC_JOB_DONE, 2, 3);
  sfnec_store_close(store);
}

// a second attempt takes the place of the first, whole
static void test_again(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 4);
  sfnec_store *store = open_study("again", &one);
  study_result result;
  study_result_make(&result, &one.jobs[0], 3, true);
  OK(sfnec_store_put_task(store, &one.jobs[0], &result.record));
  OK(sfnec_store_commit(store));
  assert_int_equal(ask("again", "SELECT count(*) FROM episode"), STUDY_EPISODES);
  assert_int_equal(ask("again", "SELECT count(*) FROM bin"), STUDY_BINS);
  assert_int_equal(ask("again", "SELECT count(*) FROM policy_use"), 4);
  result.record.episode_count = 1;
  result.record.use_count = 2;
  result.record.bin_count = 1;
  result.record.result.total = -0.1;
  OK(sfnec_store_put_task(store, &one.jobs[0], &result.record));
  OK(sfnec_store_commit(store));
  assert_int_equal(ask("again", "SELECT count(*) FROM task"), 1);
  assert_int_equal(ask("again", "SELECT count(*) FROM episode"), 1);
  assert_int_equal(ask("again", "SELECT count(*) FROM bin"), 1);
  assert_int_equal(ask("again", "SELECT count(*) FROM policy_use"), 2);
  assert_true(ask("again", "SELECT total FROM task WHERE task = 4") == -0.1);

  // nothing of a record is there unless all of it is
  study_result two[2];
  study_result_make(&two[0], &one.jobs[0], 0, true);
  study_result_make(&two[1], &one.jobs[0], 1, true);
  OK(sfnec_store_put_task(store, &one.jobs[0], &two[0].record));
  sfnec_task_record broken_record = two[1].record;
  broken_record.result.goals = broken_record.result.episodes + 1;
  REFUSED(sfnec_store_put_task(store, &one.jobs[0], &broken_record), SFNEC_ERROR_FORMAT, "constraint");
  OK(sfnec_store_commit(store));
  assert_int_equal(ask("again", "SELECT count(*) FROM task"), 2);
  // tasks with a gap between them are told again from the first one on
  check_job(store, &one, 0, SFNEC_JOB_WAITING, 0, 0);
  OK(sfnec_store_put_task(store, &one.jobs[0], &two[1].record));
  study_result_make(&two[0], &one.jobs[0], 2, true);
  OK(sfnec_store_put_task(store, &one.jobs[0], &two[0].record));
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_DONE, NULL));
  check_job(store, &one, 0, SFNEC_JOB_DONE, 0, 4);

  sfnec_job stranger = one.jobs[0];
  strcpy(stranger.id, "ffff");
  REFUSED(sfnec_store_put_task(store, &stranger, &two[0].record), SFNEC_ERROR_STATE, "ffff");
  sfnec_store_close(store);
}

// what comes of jobs is seen by others once it is committed, or another change is made, or the store is closed; a
// change that fails does not take the others with it
static void test_gathering(void **unused) {
  (void)unused;
  study_make(&one, 1, 2, 1, 3);
  sfnec_store *store = open_study("gathering", &one);
  study_result results[3];
  for (uint32_t task = 0; task < 3; task++) study_result_make(&results[task], &one.jobs[0], task, true);
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_RUNNING, NULL));
  OK(sfnec_store_put_task(store, &one.jobs[0], &results[0].record));
  assert_int_equal(ask("gathering", "SELECT count(*) FROM task"), 0);
  OK(sfnec_store_commit(store));
  assert_int_equal(ask("gathering", "SELECT count(*) FROM task"), 1);
  OK(sfnec_store_commit(store)); // of nothing

  OK(sfnec_store_put_task(store, &one.jobs[0], &results[1].record));
  sfnec_task_record broken_record = results[2].record;
  broken_record.result.goals = broken_record.result.episodes + 1;
  REFUSED(sfnec_store_put_task(store, &one.jobs[0], &broken_record), SFNEC_ERROR_FORMAT, "constraint");
  OK(sfnec_store_begin_session(store, 1, 1));
  assert_int_equal(ask("gathering", "SELECT count(*) FROM task"), 2);

  // a change that must be on disk does not wait for one that need not be, and takes it along
  OK(sfnec_store_put_task(store, &one.jobs[0], &results[2].record));
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_DONE, NULL));
  assert_int_equal(ask("gathering", "SELECT count(*) FROM task"), 3);
  assert_int_equal(ask("gathering", "SELECT count(*) FROM job WHERE state = 'done'"), 0);
  sfnec_store_close(store);
  assert_int_equal(ask("gathering", "SELECT count(*) FROM job WHERE state = 'done'"), 1);

  // what was gathered when the lock was removed is not written
  store = open_study("gathered", &one);
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_DONE, NULL));
  assert_int_equal(remove("gathered/lock"), 0);
  REFUSED(sfnec_store_commit(store), SFNEC_ERROR_STATE, "the file lock in gathered was removed");
  sfnec_store_close(store);
  assert_int_equal(ask("gathered", "SELECT count(*) FROM job WHERE state = 'done'"), 0);
}

// the greatest seeds are greater than SQLite's numbers, and must not look negative to those who ask
static void test_seeds(void **unused) {
  (void)unused;
  study_make(&one, 1, 2, UINT64_MAX - 1, 1);
  one.jobs[0].seed = INT64_MAX;
  sfnec_store_close(open_study("seeds", &one));
  assert_int_equal(ask("seeds", "SELECT count(*) FROM jobs WHERE seed = 9223372036854775807"), 1);
  assert_int_equal(ask("seeds", "SELECT count(*) FROM jobs WHERE seed = '18446744073709551615'"), 1);
}

// ---- plans ----

static void test_extend(void **unused) {
  (void)unused;
  sfnec_plan_match fit;
  study_make(&one, 2, 2, 1, 2);
  sfnec_store *store = open_study("extend", &one);
  OK(sfnec_store_match(store, &one.plan, &fit));
  assert_int_equal(fit, SFNEC_MATCH_EXTENDS);
  for (size_t i = 0; i < 3; i++) OK(study_run_job(store, &one.jobs[i], true));
  OK(sfnec_store_set_state(store, &one.jobs[3], SFNEC_JOB_RUNNING, NULL));
  OK(sfnec_store_set_state(store, &one.jobs[3], SFNEC_JOB_FAILED, "no luck"));

  // more seeds: what is there stays, and the order is the new plan's
  study_make(&other, 2, 3, 1, 2);
  OK(sfnec_store_match(store, &other.plan, &fit));
  assert_int_equal(fit, SFNEC_MATCH_EXTENDS);
  OK(sfnec_store_set_plan(store, &other.plan, "more seeds"));
  assert_string_equal(sfnec_store_spec(store), "more seeds");
  check_job(store, &other, 0, SFNEC_JOB_DONE, 1, 2);
  check_job(store, &other, 2, SFNEC_JOB_WAITING, 0, 0);
  check_job(store, &other, 3, SFNEC_JOB_DONE, 1, 2);
  check_job(store, &other, 4, SFNEC_JOB_FAILED, 1, 0);
  assert_int_equal(ask("extend", "SELECT group_concat(seed, '') FROM (SELECT seed FROM jobs)"), 123123);

  // more tasks: jobs that were done wait again, with their results
  study_make(&other, 2, 3, 1, 5);
  OK(sfnec_store_match(store, &other.plan, &fit));
  assert_int_equal(fit, SFNEC_MATCH_EXTENDS);
  OK(sfnec_store_set_plan(store, &other.plan, "more tasks"));
  check_job(store, &other, 0, SFNEC_JOB_WAITING, 0, 2);
  check_job(store, &other, 4, SFNEC_JOB_FAILED, 1, 0);

  // fewer tasks or jobs do not fit; stored all the same, the rest goes
  study_make(&one, 2, 3, 1, 4);
  OK(sfnec_store_match(store, &one.plan, &fit));
  assert_int_equal(fit, SFNEC_MATCH_PART);
  study_make(&one, 1, 3, 1, 5);
  OK(sfnec_store_match(store, &one.plan, &fit));
  assert_int_equal(fit, SFNEC_MATCH_PART);
  study_make(&one, 1, 2, 1, 1);
  OK(sfnec_store_set_plan(store, &one.plan, "less"));
  assert_int_equal(ask("extend", "SELECT count(*) FROM job"), 2);
  assert_int_equal(ask("extend", "SELECT count(*) FROM task"), 2);
  assert_int_equal(ask("extend", "SELECT count(*) FROM episode"), 2 * STUDY_EPISODES);
  assert_int_equal(ask("extend", "SELECT count(*) FROM pragma_foreign_key_check"), 0);
  sfnec_store_close(store);
}

static void test_views(void **unused) {
  (void)unused;
  study_make(&one, 2, 3, 1, 3);
  sfnec_store *store = open_study("views", &one);
  for (size_t i = 0; i < 6; i++) OK(study_run_job(store, &one.jobs[i], true));
  // totals are 100 c + 10 s + t / 3
  NEAR(ask("views", "SELECT average FROM returns WHERE point = 'neighbours=2' AND seed = 3 AND task = 3"),
       100 + 30 + 1 / 3.0, 1e-14);
  assert_int_equal(ask("views", "SELECT count(*) FROM returns"), 18);
  NEAR(ask("views", "SELECT mean FROM curves WHERE point = 'neighbours=2' AND task = 2"), 120 + 1 / 6.0, 1e-14);
  NEAR(ask("views", "SELECT variance FROM curves WHERE point = 'neighbours=2' AND task = 2"), 100, 1e-12);
  NEAR(ask("views", "SELECT seeds FROM curves"), 3, 0);
  NEAR(ask("views", "SELECT sum(share) FROM uses WHERE seed = 1 AND point = 'neighbours=1' AND task = 3"), 1, 1e-14);
  // the second bin of the third task ends where the task does
  NEAR(ask("views", "SELECT step FROM bins WHERE seed = 1 AND point = 'neighbours=1' AND task = 3 AND bin = 2"), 300,
       0);
  NEAR(ask("views", "SELECT reward FROM bins WHERE point = 'neighbours=2' AND seed = 3 AND task = 3 AND bin = 1"),
       (130 + 2 / 3.0) / 3 / 60, 1e-14);
  assert_int_equal(ask("views", "SELECT count(*) FROM setting WHERE kind = 'sweep'"), 2);
  assert_int_equal(ask("views", "SELECT value FROM setting WHERE kind = 'agent' AND key = 'neighbours'"
                                " AND configuration = 1"),
                   one.configurations[0].options.neighbours);
  assert_int_equal(ask("views", "SELECT count(*) FROM setting WHERE kind = 'env' AND value = 'calibrated'"), 2);
  sfnec_store_close(store);
}

static void test_sessions(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 1);
  sfnec_store *store = open_study("sessions", &one);
  OK(sfnec_store_begin_session(store, 4, 1));
  OK(sfnec_store_set_command(store, "sfnec run study.yaml"));
  sfnec_store_close(store);
  OK(sfnec_store_open("sessions", &store));
  OK(sfnec_store_begin_session(store, 2, 8));
  OK(sfnec_store_end_session(store, "done"));
  assert_int_equal(ask("sessions", "SELECT count(*) FROM session WHERE how = 'killed' AND ended IS NULL"
                                   " AND workers = 4 AND command = 'sfnec run study.yaml'"),
                   1);
  assert_int_equal(ask("sessions", "SELECT count(*) FROM session WHERE how = 'done' AND ended >= started"
                                   " AND ranks = 8 AND simd <> 'unknown' AND host <> 'unknown'"),
                   1);
  sfnec_store_close(store);
}

static void test_settings(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 1);
  sfnec_store *store = open_study("wal", &one);
  assert_int_equal(ask("wal", "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
  assert_int_equal(ask("wal", "PRAGMA application_id"), 0x53464e43); // docs/store.md says so
  assert_int_equal(ask("wal", "PRAGMA user_version"), 5);
  sfnec_store_close(store);
  // closing tidies up: one file, which can be copied
  assert_int_not_equal(access("wal/experiment.db-wal", F_OK), 0);
}

// ---- refusals ----

static void test_damaged(void **unused) {
  (void)unused;
  sfnec_store *store;
  mkdir("noise", 0777);
  write_file("noise/experiment.db", "this is no database at all, whatever its name may say", 50);
  REFUSED(sfnec_store_open("noise", &store), SFNEC_ERROR_FORMAT, "noise/experiment.db is damaged");
  REFUSED(sfnec_store_open("noise", &store), SFNEC_ERROR_FORMAT, "read back from noise/jobs");

  study_make(&one, 2, 8, 1, 20);
  store = open_study("torn", &one);
  for (size_t i = 0; i < 16; i++) OK(study_run_job(store, &one.jobs[i], true));
  sfnec_store_close(store);
  size_t size;
  unsigned char *bytes = file_bytes("torn/experiment.db", &size);
  // whole pages are missing, then one of them is noise
  write_file("torn/experiment.db", bytes, size / 2 / 4096 * 4096);
  REFUSED(sfnec_store_open("torn", &store), SFNEC_ERROR_FORMAT, "torn/experiment.db is damaged");
  memset(bytes + size / 2, 0x5a, 4096);
  write_file("torn/experiment.db", bytes, size);
  REFUSED(sfnec_store_open("torn", &store), SFNEC_ERROR_FORMAT, "torn/experiment.db is damaged");
  free(bytes);

  // what the sentence advises works: the folder is taken for that of a lost database
  mkdir("torn/jobs", 0777);
  assert_int_equal(rename("torn/experiment.db", "torn/experiment.db.damaged"), 0);
  OK(sfnec_store_open("torn", &store));
  assert_null(sfnec_store_spec(store));
  sfnec_store_close(store);

  // a table is missing: seen at once
  store = open_study("dropped", &one);
  sfnec_store_close(store);
  edit("dropped", "DROP VIEW uses; DROP VIEW returns; DROP VIEW curves; DROP TABLE policy_use");
  REFUSED(sfnec_store_open("dropped", &store), SFNEC_ERROR_FORMAT, "its tables, views or triggers");
}

// whoever removes the lock lets another process in; then nothing more is written
static void test_lock_removed(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 2);
  sfnec_store *store = open_study("unlocked", &one);
  OK(sfnec_store_set_state(store, &one.jobs[0], SFNEC_JOB_RUNNING, NULL));
  OK(sfnec_store_commit(store));
  assert_int_equal(remove("unlocked/lock"), 0);
  REFUSED(study_run_job(store, &one.jobs[0], true), SFNEC_ERROR_STATE, "the file lock in unlocked was removed");
  sfnec_store_close(store);
}

// a kill leaves the log beside the database; the log of a database that is gone must not get into the new one
static void test_lost(void **unused) {
  (void)unused;
  study_make(&one, 2, 2, 1, 3);
  const pid_t child = fork();
  if (child == 0) {
    sfnec_store *store = open_study("lost", &one);
    for (size_t i = 0; i < 4; i++) study_run_job(store, &one.jobs[i], true);
    _exit(0);
  }
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(access("lost/experiment.db-wal", F_OK), 0);
  assert_int_equal(unlink("lost/experiment.db"), 0);
  sfnec_store *store;
  OK(sfnec_store_open("lost", &store));
  assert_null(sfnec_store_spec(store));
  OK(sfnec_store_set_plan(store, &one.plan, "again"));
  check_job(store, &one, 0, SFNEC_JOB_WAITING, 0, 0);
  OK(study_run_job(store, &one.jobs[0], true));
  sfnec_store_close(store);
  assert_int_equal(ask("lost", "SELECT count(*) FROM task"), 3);
  assert_int_equal(ask("lost", "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
}

static void test_strangers(void **unused) {
  (void)unused;
  sfnec_store *store;
  mkdir("home", 0777);
  write_file("home/letter.txt", "dear", 4);
  REFUSED(sfnec_store_open("home", &store), SFNEC_ERROR_FORMAT, "home holds something else than an experiment (letter");
  assert_int_not_equal(access("home/lock", F_OK), 0);
  REFUSED(sfnec_store_open("home/letter.txt", &store), SFNEC_ERROR_IO, "home/letter.txt");
  REFUSED(sfnec_store_open("home/letter.txt/deeper", &store), SFNEC_ERROR_IO, "choose another");

  mkdir("bank", 0777);
  edit("bank", "CREATE TABLE account (owner)");
  REFUSED(sfnec_store_open("bank", &store), SFNEC_ERROR_FORMAT, "another program");
  assert_int_equal(ask("bank", "SELECT count(*) FROM sqlite_master"), 1);

  study_make(&one, 1, 1, 1, 1);
  store = open_study("newer", &one);
  sfnec_store_close(store);
  edit("newer", "PRAGMA user_version = 99");
  REFUSED(sfnec_store_open("newer", &store), SFNEC_ERROR_FORMAT, "made by a newer program: its format is 99");
}

// ---- a full disk ----

// SQLite's own limit stands for that of the disk
static void test_full(void **unused) {
  (void)unused;
  sfnec_sql sql = {.folder = "f", .path = "full.db"};
  assert_int_equal(sqlite3_open("full.db", &sql.db), SQLITE_OK);
  OK(sfnec_sql_exec(&sql, "PRAGMA max_page_count = 3; CREATE TABLE a (x)"));
  REFUSED(sfnec_sql_exec(&sql, "INSERT INTO a VALUES (zeroblob(100000))"), SFNEC_ERROR_IO,
          "cannot write full.db: the disk is full; make room");
  sqlite3_close(sql.db);
}

// a child that may not write more than `bytes` of any file; 0 if that ended as a sentence about the file
static int write_until_refused(const char *folder, rlim_t bytes) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes});
    sfnec_store *store = NULL;
    sfnec_status status = sfnec_store_open(folder, &store);
    for (size_t i = 0; i < one.plan.job_count && !status; i++) status = study_run_job(store, &one.jobs[i], true);
    const bool told = status == SFNEC_ERROR_IO && strstr(sfnec_last_error(), "experiment.db");
    // what was rolled back must not be in the way of what comes next
    if (told && store)
      sfnec_store_get_jobs(store, &one.plan, (sfnec_job_status[STUDY_CONFIGURATIONS * STUDY_SEEDS]){0});
    sfnec_store_close(store);
    _exit(told ? 0 : status ? 1 : 2);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void test_refused_writes(void **unused) {
  (void)unused;
  study_make(&one, 2, 8, 1, 20);
  sfnec_store *store = open_study("limited", &one);
  sfnec_store_close(store);
  struct stat facts;
  assert_int_equal(stat("limited/experiment.db", &facts), 0);
  for (int i = 0; i < 6; i++) {
    assert_int_equal(write_until_refused("limited", (rlim_t)facts.st_size / 2 + 50000 * (rlim_t)i), 0);
    assert_int_equal(ask("limited", "SELECT quick_check = 'ok' FROM pragma_quick_check"), 1);
    assert_int_equal(ask("limited", "SELECT count(*) FROM job"), 16);
    // tasks are whole: three episodes each, and as many policies as their number
    assert_int_equal(ask("limited", "SELECT 3 * (SELECT count(*) FROM task) = (SELECT count(*) FROM episode)"), 1);
    assert_int_equal(ask("limited", "SELECT (SELECT total(task) FROM task) = (SELECT count(*) FROM policy_use)"), 1);
  }
  // with room again the same calls succeed
  OK(sfnec_store_open("limited", &store));
  for (size_t i = 0; i < one.plan.job_count; i++) OK(study_run_job(store, &one.jobs[i], true));
  sfnec_store_close(store);
  assert_int_equal(ask("limited", "SELECT count(*) FROM task"), 16 * 20);
}

// ---- migrations ----

static const char oldest[] = "CREATE TABLE a (x); INSERT INTO a VALUES (1), (2)";
static const char middle[] = "ALTER TABLE a ADD COLUMN y DEFAULT 5";
static const char newest[] = "UPDATE a SET y = x * 10";
static const char broken[] = "UPDATE a SET x = 0; UPDATE absent SET x = 0";
static const char orphans[] = "CREATE TABLE b (x INTEGER PRIMARY KEY); CREATE TABLE c (x REFERENCES b);"
                              "INSERT INTO c VALUES (7)";

static void test_migrations(void **unused) {
  (void)unused;
  sfnec_sql sql = {.folder = "f", .path = "f/experiment.db"};
  assert_int_equal(sqlite3_open(":memory:", &sql.db), SQLITE_OK);
  int64_t value;
  const char *const first_release[] = {oldest, NULL}, *const third_release[] = {oldest, middle, newest, NULL};
  OK(sfnec_schema_upgrade(&sql, first_release));
  OK(sfnec_sql_number(&sql, "PRAGMA user_version", &value));
  assert_int_equal(value, 1);

  // a failed step undoes those before it, and its sentence stays
  const char *const bad_release[] = {oldest, middle, broken, NULL};
  REFUSED(sfnec_schema_upgrade(&sql, bad_release), SFNEC_ERROR_FORMAT, "no such table: absent");
  OK(sfnec_sql_number(&sql, "SELECT sum(x) FROM a", &value));
  assert_int_equal(value, 3);
  OK(sfnec_sql_number(&sql, "SELECT count(*) FROM pragma_table_info('a')", &value));
  assert_int_equal(value, 1);
  const char *const orphan_release[] = {oldest, orphans, NULL};
  REFUSED(sfnec_schema_upgrade(&sql, orphan_release), SFNEC_ERROR_FORMAT, "refer to rows that are not there");
  OK(sfnec_sql_number(&sql, "PRAGMA user_version", &value));
  assert_int_equal(value, 1);

  OK(sfnec_schema_upgrade(&sql, third_release));
  OK(sfnec_sql_number(&sql, "SELECT sum(y) FROM a", &value));
  assert_int_equal(value, 30);
  OK(sfnec_schema_upgrade(&sql, third_release));
  OK(sfnec_sql_number(&sql, "SELECT count(*) FROM a", &value));
  assert_int_equal(value, 2);
  OK(sfnec_sql_number(&sql, "PRAGMA foreign_keys", &value));
  assert_int_equal(value, 1);
  REFUSED(sfnec_schema_upgrade(&sql, first_release), SFNEC_ERROR_FORMAT, "newer program");
  sqlite3_close(sql.db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_states),         cmocka_unit_test(test_again),      cmocka_unit_test(test_gathering),
      cmocka_unit_test(test_seeds),          cmocka_unit_test(test_extend),     cmocka_unit_test(test_views),
      cmocka_unit_test(test_sessions),       cmocka_unit_test(test_settings),   cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_lost),           cmocka_unit_test(test_strangers),  cmocka_unit_test(test_full),
      cmocka_unit_test(test_refused_writes), cmocka_unit_test(test_migrations), cmocka_unit_test(test_lock_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
