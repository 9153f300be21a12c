// test_results.c: what was stored comes back to the bit, at any time and from any medium.
#include "support/experiment.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "study/store/results.h"

static study one;

static sfnec_store *open_study(const char *folder) {
  sfnec_store *store;
  OK(sfnec_store_open(folder, &store));
  OK(sfnec_store_set_plan(store, &one.plan, "the: spec\n"));
  return store;
}

static void same_record(const sfnec_task_record *found, const sfnec_task_record *put) {
  assert_int_equal(found->task, put->task);
  assert_memory_equal(&found->result, &put->result, sizeof found->result);
  assert_int_equal(found->use_count, put->use_count);
  if (put->use_count) assert_memory_equal(found->uses, put->uses, put->use_count * sizeof *put->uses);
  assert_int_equal(found->episode_count, put->episode_count);
  for (uint32_t i = 0; i < put->episode_count; i++) {
    assert_int_equal(found->episodes[i].task, put->episodes[i].task);
    assert_int_equal(found->episodes[i].steps, put->episodes[i].steps);
    assert_memory_equal(&found->episodes[i].total, &put->episodes[i].total, sizeof(double));
    assert_int_equal(found->episodes[i].terminated, put->episodes[i].terminated);
  }
  assert_int_equal(found->bin_count, put->bin_count);
  if (put->bin_count) assert_memory_equal(found->bins, put->bins, put->bin_count * sizeof *put->bins);
  assert_int_equal(found->evaluation_count, put->evaluation_count);
  assert_int_equal(found->feature_count, put->feature_count);
  const size_t count = put->evaluation_count, numbers = count * put->feature_count;
  if (count) assert_memory_equal(found->evaluations, put->evaluations, count * sizeof *put->evaluations);
  if (numbers) assert_memory_equal(found->features, put->features, numbers * sizeof *put->features);
}

static void test_everything(void **unused) {
  (void)unused;
  // the last of these seeds are greater than SQLite's numbers
  study_make(&one, 3, 3, UINT64_MAX - 2, 4);
  one.jobs[1].seed = INT64_MAX;
  sfnec_store *store = open_study("all");
  OK(sfnec_store_begin_session(store, 3, 2));
  // out of order, as threads do
  for (size_t i = 9; i-- > 0;)
    if (i != 4 && i != 5) OK(study_run_job(store, &one.jobs[i], i != 0));
  OK(sfnec_store_set_state(store, &one.jobs[4], SFNEC_JOB_RUNNING, NULL));
  study_result result;
  study_result_make(&result, &one.jobs[4], 0, true);
  OK(sfnec_store_put_task(store, &one.jobs[4], &result.record));
  OK(sfnec_store_set_state(store, &one.jobs[5], SFNEC_JOB_FAILED, "no luck"));
  OK(sfnec_store_commit(store));

  // while the store is open for writing
  sfnec_results *results;
  OK(sfnec_results_load("all", &results));
  assert_string_equal(results->name, "study");
  assert_string_equal(results->title, "A study");
  assert_string_equal(results->spec_text, "the: spec\n");
  assert_string_equal(results->spec_path, "study.yaml");
  assert_string_equal(results->env, "four_rooms");
  assert_int_equal(results->tasks, 4);
  assert_int_equal(results->steps, 100);
  assert_int_equal(results->configuration_count, 3);
  assert_int_equal(results->run_count, 9);
  assert_int_equal(results->session_count, 1);
  assert_int_equal(results->sessions[0].workers, 3);
  assert_int_equal(results->sessions[0].ranks, 2);
  assert_null(results->sessions[0].ended);
  assert_string_equal(results->sessions[0].version, sfnec_version());

  for (size_t i = 0; i < 3; i++) {
    const sfnec_result_configuration *c = &results->configurations[i];
    assert_string_equal(c->label, one.configurations[i].label);
    assert_string_equal(c->preset, one.configurations[i].preset);
    assert_string_equal(c->point, one.configurations[i].point);
    assert_string_equal(c->name, one.configurations[i].name);
    assert_int_equal(c->settings.count, one.configurations[i].settings.count);
    if (c->settings.count) assert_string_equal(c->settings.items[0].value, one.settings[i].value);
    assert_string_equal(c->env_options.items[0].key, "layout");
    assert_string_equal(c->options.items[0].key, sfnec_agent_option_set()->rows[0].name);
    assert_int_equal(c->first_run, 3 * i);
    assert_int_equal(c->run_count, 3);
  }
  for (size_t i = 0; i < 9; i++) {
    const sfnec_result_run *run = &results->runs[i];
    assert_string_equal(run->id, one.jobs[i].id);
    assert_true(run->seed == one.jobs[i].seed);
    assert_int_equal(run->configuration, i / 3);
    assert_int_equal(run->tasks_wanted, 4);
    assert_int_equal(run->state, i == 4 ? SFNEC_JOB_RUNNING : i == 5 ? SFNEC_JOB_FAILED : SFNEC_JOB_DONE);
    assert_int_equal(run->task_count, i == 4 ? 1 : i == 5 ? 0 : 4);
    for (uint32_t task = 0; task < run->task_count; task++) {
      study_result_make(&result, &one.jobs[i], task, i != 0);
      same_record(&run->tasks[task], &result.record);
    }
  }
  assert_string_equal(results->runs[5].error, "no luck");
  assert_null(results->runs[4].error);

  assert_int_equal(results->published_count, 2);
  assert_true(results->published[0].mean == 112.5 && results->published[0].se == 1.5);
  assert_string_equal(results->published[0].source, "a paper");
  assert_string_equal(results->published[0].options.items[0].key, "neighbours");
  assert_int_equal(results->published[0].task, 2);
  assert_true(isnan(results->published[1].se));
  assert_null(results->published[1].source);
  assert_int_equal(results->published[1].options.count, 0);
  sfnec_results_destroy(results);
  sfnec_store_close(store);

  // a reader leaves no files behind, and nothing else changed
  size_t size, size_after;
  unsigned char *bytes = file_bytes("all/experiment.db", &size);
  OK(sfnec_results_load("all", &results));
  assert_int_equal(results->runs[8].task_count, 4);
  sfnec_results_destroy(results);
  assert_int_not_equal(access("all/experiment.db-shm", F_OK), 0);
  assert_int_not_equal(access("all/experiment.db-wal", F_OK), 0);
  unsigned char *after = file_bytes("all/experiment.db", &size_after);
  assert_int_equal(size, size_after);
  assert_memory_equal(bytes, after, size);
  free(bytes);
  free(after);
}

// numbers that a text or a careless conversion would change
static void test_bits(void **unused) {
  (void)unused;
  const double values[] = {0.1,     1 / 3.0, -1e300, 5e-324,  1e15, 9007199254740993.0, INFINITY, -1.5,
                           1234567, -7,      0,      2.5e-10, 1e22, -INFINITY};
  enum { COUNT = sizeof values / sizeof *values };
  study_make(&one, 1, 1, 1, COUNT);
  sfnec_store *store = open_study("bits");
  study_result put[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    study_result_make(&put[i], &one.jobs[0], i, true);
    put[i].record.result.total = values[i];
    put[i].record.result.w_error = -values[i];
    put[i].record.result.entries = INT64_MAX - i;
    put[i].episodes[1].total = values[i];
    OK(sfnec_store_put_task(store, &one.jobs[0], &put[i].record));
  }
  OK(sfnec_store_commit(store));
  sfnec_results *results;
  OK(sfnec_results_load("bits", &results));
  for (uint32_t i = 0; i < COUNT; i++) same_record(&results->runs[0].tasks[i], &put[i].record);
  sfnec_results_destroy(results);

  // not a number stays none
  put[0].record.result.total = NAN;
  OK(sfnec_store_put_task(store, &one.jobs[0], &put[0].record));
  OK(sfnec_store_commit(store));
  OK(sfnec_results_load("bits", &results));
  assert_true(isnan(results->runs[0].tasks[0].result.total));
  sfnec_results_destroy(results);
  sfnec_store_close(store);
}

// a task that is missing hides those after it
static void test_gap(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 4);
  sfnec_store *store = open_study("gap");
  study_result result;
  for (uint32_t task = 0; task < 4; task++) {
    study_result_make(&result, &one.jobs[0], task, true);
    if (task != 2) OK(sfnec_store_put_task(store, &one.jobs[0], &result.record));
  }
  OK(sfnec_store_commit(store));
  sfnec_results *results;
  OK(sfnec_results_load("gap", &results));
  assert_int_equal(results->runs[0].task_count, 2);
  sfnec_results_destroy(results);
  sfnec_store_close(store);
}

// ---- other processes ----

// a child that writes until it is killed; a reader at any moment sees whole tasks only
static void test_reading_while_writing(void **unused) {
  (void)unused;
  study_make(&one, 2, 2, 1, 32);
  sfnec_store_close(open_study("busy"));
  const pid_t child = fork();
  if (child == 0) {
    sfnec_store *store;
    if (sfnec_store_open("busy", &store)) _exit(1);
    for (;;)
      for (size_t i = 0; i < 4; i++)
        if (study_run_job(store, &one.jobs[i], true)) _exit(1);
  }
  uint32_t most = 0;
  for (int i = 0; i < 200 && (i < 50 || most < 32); i++) {
    sfnec_results *results;
    OK(sfnec_results_load("busy", &results));
    for (size_t j = 0; j < 4; j++) {
      if (results->runs[j].task_count > most) most = results->runs[j].task_count;
      for (uint32_t task = 0; task < results->runs[j].task_count; task++) {
        study_result result;
        study_result_make(&result, &one.jobs[j], task, true);
        same_record(&results->runs[j].tasks[task], &result.record);
      }
    }
    sfnec_results_destroy(results);
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  assert_true(most > 0);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  // the log of a killed writer is read too
  sfnec_results *results;
  OK(sfnec_results_load("busy", &results));
  assert_true(results->runs[0].task_count > 0);
  sfnec_results_destroy(results);
}

// runs `what` as a user who may not write here; returns its exit code, or 77 if there is no such user
static int as_reader(int (*what)(const char *folder), const char *folder) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(77);
    _exit(what(folder));
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static int reads_all(const char *folder) {
  sfnec_results *results;
  if (sfnec_results_load(folder, &results)) {
    fprintf(stderr, "%s\n", sfnec_last_error());
    return 1;
  }
  const bool good = results->run_count == 1 && results->runs[0].task_count == 3;
  sfnec_results_destroy(results);
  return good ? 0 : 2;
}

static int is_refused_writing(const char *folder) {
  sfnec_store *store;
  const sfnec_status status = sfnec_store_open(folder, &store);
  return status == SFNEC_ERROR_IO && strstr(sfnec_last_error(), folder) ? 0 : 1;
}

static void test_read_only(void **unused) {
  (void)unused;
  study_make(&one, 1, 1, 1, 3);
  sfnec_store *store = open_study("no?%20write");
  OK(study_run_job(store, &one.jobs[0], true));
  sfnec_store_close(store);
  chmod(".", 0755);
  chmod("no?%20write", 0555);
  chmod("no?%20write/experiment.db", 0444);
  const int read = as_reader(reads_all, "no?%20write");
  const int written = as_reader(is_refused_writing, "no?%20write");
  chmod("no?%20write", 0755);
  if (read == 77) skip();
  assert_int_equal(read, 0);
  assert_int_equal(written, 0);
  assert_int_equal(as_reader(is_refused_writing, "/proc/no"), 0);
}

static void test_nothing_there(void **unused) {
  (void)unused;
  sfnec_results *results;
  REFUSED(sfnec_results_load("nowhere", &results), SFNEC_ERROR_IO, "there is no experiment in nowhere");
  sfnec_store *store;
  OK(sfnec_store_open("unplanned", &store));
  sfnec_store_close(store);
  REFUSED(sfnec_results_load("unplanned", &results), SFNEC_ERROR_FORMAT, "no plan yet");
  mkdir("blank", 0777);
  write_file("blank/experiment.db", "", 0);
  REFUSED(sfnec_results_load("blank", &results), SFNEC_ERROR_FORMAT, "blank/experiment.db is empty");
  write_file("blank/experiment.db", "not a database", 14);
  REFUSED(sfnec_results_load("blank", &results), SFNEC_ERROR_FORMAT, "blank/experiment.db is damaged");
}

// Results that were loaded take further ones, whatever their number was, and none beyond a gap.
static void test_put(void **unused) {
  (void)unused;
  enum { MOST = 9, FURTHER = 20 };
  for (uint32_t stored = 0; stored <= MOST; stored++) {
    char folder[32];
    snprintf(folder, sizeof folder, "put-%d", (int)stored);
    study_make(&one, 1, 1, 1, STUDY_TASKS);
    sfnec_store *store = open_study(folder);
    study_result result;
    for (uint32_t i = 0; i < stored; i++) {
      study_result_make(&result, &one.jobs[0], i, true);
      OK(sfnec_store_put_task(store, &one.jobs[0], &result.record));
    }
    sfnec_store_close(store);
    sfnec_results *results;
    OK(sfnec_results_load(folder, &results));
    assert_int_equal(results->runs[0].task_count, stored);
    study_result_make(&result, &one.jobs[0], stored + 1, true);
    REFUSED(sfnec_results_put(results, 0, &result.record), SFNEC_ERROR_FORMAT, "its results were changed");
    for (uint32_t i = 0; i < FURTHER; i++) {
      study_result_make(&result, &one.jobs[0], i, true);
      OK(sfnec_results_put(results, 0, &result.record));
    }
    assert_int_equal(results->runs[0].task_count, FURTHER);
    for (uint32_t i = 0; i < FURTHER; i++) {
      study_result_make(&result, &one.jobs[0], i, true);
      assert_memory_equal(&results->runs[0].tasks[i].result, &result.record.result, sizeof result.record.result);
    }
    sfnec_results_destroy(results);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_put),
      cmocka_unit_test(test_everything),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_gap),
      cmocka_unit_test(test_reading_while_writing),
      cmocka_unit_test(test_read_only),
      cmocka_unit_test(test_nothing_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
