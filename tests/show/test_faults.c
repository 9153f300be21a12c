// test_faults.c: exports to TensorBoard and to files by way of base/output.h, with every system call failing in turn
// and with files that may not grow: a sentence, and what was there before stays whole.
#include "support/faults.h"

#include "base/output.h"
#include "show/export/export.h"
#include "support/experiment.h"

static sfnec_results *results;

static int make_results(void **state) {
  (void)state;
  static study s;
  study_make(&s, 2, 2, 1, 6);
  sfnec_store *store;
  OK(sfnec_store_open("study", &store));
  OK(sfnec_store_set_plan(store, &s.plan, "spec text"));
  for (size_t i = 0; i < s.plan.job_count; i++) OK(study_run_job(store, &s.jobs[i], true));
  sfnec_store_close(store);
  OK(sfnec_results_load("study", &results));
  return 0;
}

static int free_results(void **state) {
  (void)state;
  sfnec_results_destroy(results);
  return 0;
}

typedef enum format { CSV, JSON, FORMATS } format;

static sfnec_status write_format(format format, const char *path) {
  sfnec_output output;
  sfnec_status status = sfnec_output_open(&output, path);
  if (status) return status;
  if (format == CSV) status = sfnec_export_csv(output.file, results, SFNEC_EXPORT_EPISODES, true);
  else sfnec_export_json(output.file, results, true);
  const sfnec_status closed = sfnec_output_close(&output, !status);
  return status ? status : closed;
}

static void check_failed(sfnec_status status, const char *path) {
  assert_int_equal(status, SFNEC_ERROR_IO);
  check_sentence(sfnec_last_error());
  if (!strstr(sfnec_last_error(), path)) fail_msg("the file is not named: %s", sfnec_last_error());
  assert_true(same_files(path, "before"));
}

static void test_files(void **state) {
  (void)state;
  if (!FAULTS) skip();
  write_file("before", "what was there", 14);
  assert_int_equal(mkdir("out", 0777), 0);
  for (format format = CSV; format < FORMATS; format++) {
    OK(write_format(format, "whole"));
    int failed = 0, at = 0;
    for (bool reached = true; reached; at++) {
      write_file("out/file", "what was there", 14);
      faults_begin(at);
      const sfnec_status status = write_format(format, "out/file");
      reached = faults_end();
      assert_int_equal(files_in("out"), 1);
      failed += status != SFNEC_OK;
      if (status) check_failed(status, "out/file");
      else assert_true(same_files("out/file", "whole"));
    }
    if (failed < 5) fail_msg("only %d calls failed", failed);
  }
}

static void test_room(void **state) {
  (void)state;
  for (format format = CSV; format < FORMATS; format++) {
    OK(write_format(format, "whole"));
    struct stat facts;
    assert_int_equal(stat("whole", &facts), 0);
    for (long room = 0; room < facts.st_size; room += 1 + facts.st_size / 40) {
      write_file("out/file", "what was there", 14);
      file_room(room);
      const sfnec_status status = write_format(format, "out/file");
      file_room(-1);
      check_failed(status, "out/file");
      assert_int_equal(files_in("out"), 1);
    }
  }
}

static void test_tensorboard(void **state) {
  (void)state;
  if (!FAULTS) skip();
  OK(sfnec_export_tensorboard("whole-board", results, false));
  int failed = 0, at = 0;
  for (bool reached = true; reached; at += at < 20 ? 1 : 3) { // the files are like each other
    assert_int_equal(system("rm -rf board"), 0);
    faults_begin(at);
    const sfnec_status status = sfnec_export_tensorboard("board", results, false);
    reached = faults_end();
    if (status) {
      failed++;
      assert_int_equal(status, SFNEC_ERROR_IO);
      check_sentence(sfnec_last_error());
      assert_int_equal(system("test -z \"$(find board -name '*.tmp.*' 2>/dev/null)\""), 0);
    }
    OK(sfnec_export_tensorboard("board", results, false));
    assert_int_equal(system("diff -r board whole-board"), 0);
  }
  if (failed < 15) fail_msg("only %d calls failed", failed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_room),
      cmocka_unit_test(test_tensorboard),
  };
  return cmocka_run_group_tests(tests, make_results, free_results);
}
