// test_faults.c: every system call of the database and of a result file fails in turn: one sentence, what was stored
// before stays, and the same calls again give what they give without faults. A database that cannot be read is not
// called damaged.
#include "support/faults.h"

#include "run/job.h"
#include "study/store/results.h"
#include "support/experiment.h"

static study one;
enum { TASKS = 3 };

// ---- the result file ----

static const char result_path[] = "job/result", identity[] = "a job";

static void check_read(uint32_t tasks) {
  sfnec_task_record *records;
  uint32_t count;
  OK(sfnec_result_read(result_path, identity, &records, &count));
  assert_int_equal(count, tasks);
  sfnec_result_free(records, count);
}

static void test_result(void **unused) {
  (void)unused;
  if (!FAULTS) skip();
  const plan small = {"ql", NULL, {.tasks = 2, .steps = 40}};
  job j = open_job(&small);
  OK(sfnec_run_advance(j.run, 40));
  assert_int_equal(mkdir("job", 0777), 0);
  OK(sfnec_result_write(result_path, identity, j.run));
  OK(sfnec_run_advance(j.run, 40));
  const int descriptors = open_descriptors();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    shell("rm -f older && cp job/result older");
    faults_begin(at);
    const sfnec_status status = sfnec_result_write(result_path, identity, j.run);
    reached = faults_end();
    assert_int_equal(files_in("job"), 1);
    if (status) {
      failed++;
      assert_int_equal(status, SFNEC_ERROR_IO);
      check_sentence(sfnec_last_error());
      assert_true(same_files("older", result_path));
      check_read(1);
    } else if (reached && !faults_hit("open")) {
      fail_msg("%s failed unnoticed", faults.name);
    }
  }
  check_read(2);
  if (failed < 5) fail_msg("only %d calls failed", failed);
  assert_int_equal(open_descriptors(), descriptors);
  close_job(&j);
}

// A result that cannot be read is no bad one: a job is neither run again nor is its file put aside.
static void test_result_read(void **unused) {
  (void)unused;
  if (!FAULTS) skip();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    sfnec_task_record *records;
    uint32_t count;
    faults_begin(at);
    const sfnec_status status = sfnec_result_read(result_path, identity, &records, &count);
    reached = faults_end();
    if (status) assert_int_equal(status, SFNEC_ERROR_IO);
    failed += status != SFNEC_OK;
    sfnec_result_free(records, count);
  }
  assert_true(failed >= 2);
  check_read(2);
}

// ---- the database ----

// What one session does with a job; *done: it was told that the job is stored.
static sfnec_status session(const char *folder, bool *done) {
  sfnec_store *store = NULL;
  *done = false;
  sfnec_status status = sfnec_store_open(folder, &store);
  if (!status) status = sfnec_store_set_plan(store, &one.plan, "spec text");
  if (!status) status = sfnec_store_begin_session(store, 1, 1);
  if (!status) status = study_run_job(store, &one.jobs[0], true);
  if (!status) status = sfnec_store_commit(store);
  *done = !status;
  if (!status) status = sfnec_store_end_session(store, "done");
  if (status) {
    check_sentence(sfnec_last_error());
    if (status != SFNEC_ERROR_IO) fail_msg("%s failed: %s", faults.name, sfnec_last_error());
  }
  sfnec_store_close(store);
  return status;
}

static void check_done(const char *folder) {
  sfnec_results *results = NULL;
  OK(sfnec_results_load(folder, &results));
  const sfnec_result_run *run = &results->runs[0];
  assert_int_equal(run->state, SFNEC_JOB_DONE);
  assert_int_equal(run->task_count, TASKS);
  for (uint32_t task = 0; task < TASKS; task++) {
    study_result expected;
    study_result_make(&expected, &one.jobs[0], task, true);
    assert_memory_equal(&run->tasks[task].result, &expected.record.result, sizeof expected.record.result);
    assert_int_equal(run->tasks[task].episode_count, STUDY_EPISODES);
    assert_int_equal(run->tasks[task].use_count, task + 1);
  }
  sfnec_results_destroy(results);
}

static void test_database(void **unused) {
  (void)unused;
  if (!FAULTS) skip();
  study_make(&one, 1, 2, 1, TASKS);
  const int descriptors = open_descriptors();
  int failed = 0, at = 0;
  bool done;
  // the first ones one by one: opening; the rest is one transaction like the other
  for (bool reached = true; reached; at += at < 60 ? 1 : 9) {
    shell("rm -rf study");
    faults_begin(at);
    failed += session("study", &done) != SFNEC_OK;
    reached = faults_end();
    if (done) check_done("study");
    // the same command resumes
    OK(session("study", &done));
    check_done("study");
  }
  if (failed < 30) fail_msg("only %d calls failed", failed);
  assert_int_equal(open_descriptors(), descriptors);
}

static void test_read(void **unused) {
  (void)unused;
  if (!FAULTS) skip();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    sfnec_results *results = NULL;
    faults_begin(at);
    const sfnec_status status = sfnec_results_load("study", &results);
    reached = faults_end();
    if (status && status != SFNEC_ERROR_IO) fail_msg("%s failed: %s", faults.name, sfnec_last_error());
    failed += status != SFNEC_OK;
    if (results) sfnec_results_destroy(results);
  }
  assert_true(failed >= 2);
  check_done("study");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_result),
      cmocka_unit_test(test_result_read),
      cmocka_unit_test(test_database),
      cmocka_unit_test(test_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
