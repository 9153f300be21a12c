// test_faults.c: every system call of saving and resuming a run fails in turn. A save that fails leaves the newest
// checkpoint, and the next one works. A checkpoint that cannot be read is never passed over for an older one.
#include "support/faults.h"

#include "run/job.h"
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static const char *const small[] = {"capacity=25", "neighbours=5", NULL};
static const plan the_plan = {"sfnec", small, {.tasks = 4, .steps = 150, .keep_episodes = true}};
static const char folder[] = "saved";
enum { OLDER = 160, NEWER = 310, NEXT = 460 };

// Two checkpoints, and a third task's keys to write at the next one.
static int make_template(void **state) {
  (void)state;
  job j = open_job(&the_plan);
  OK(sfnec_run_advance(j.run, OLDER));
  OK(sfnec_run_save(j.run, "template", label));
  OK(sfnec_run_advance(j.run, NEWER - OLDER));
  OK(sfnec_run_save(j.run, "template", label));
  OK(sfnec_run_advance(j.run, NEXT - NEWER));
  OK(sfnec_run_save(j.run, "reference", label));
  close_job(&j);
  return 0;
}

static void restore(void) {
  shell("rm -rf saved && cp -r template saved");
}

static void check_holds(int64_t steps) {
  job j = resume_job(&the_plan, folder);
  assert_int_equal(sfnec_run_get_steps_done(j.run), steps);
  close_job(&j);
}

// What is in the folder goes on as the undisturbed run does.
static void check_same_end(void) {
  job j = resume_job(&the_plan, folder), whole = resume_job(&the_plan, "reference");
  OK(sfnec_run_advance(j.run, 50));
  OK(sfnec_run_advance(whole.run, 50));
  check_same(&j, &whole);
  close_job(&j);
  close_job(&whole);
}

static bool is_write(void) {
  return faults_hit("write") || faults_hit("fsync") || faults_hit("rename") || faults_hit("fclose");
}

static void test_save(void **state) {
  (void)state;
  if (!FAULTS) skip();
  int failed = 0, at = 0;
  const int descriptors = open_descriptors(), held = live;
  for (bool reached = true; reached; at++) {
    restore();
    job j = resume_job(&the_plan, folder);
    OK(sfnec_run_advance(j.run, NEXT - NEWER));
    faults_begin(at);
    sfnec_status status = sfnec_run_save(j.run, folder, label);
    reached = faults_end();
    if (reached && is_write() && !status) fail_msg("%s failed unnoticed", faults.name);
    if (status) {
      failed++;
      assert_int_equal(status, SFNEC_ERROR_IO);
      check_sentence(sfnec_last_error());
      check_holds(NEWER);
      OK(sfnec_run_save(j.run, folder, label));
    }
    close_job(&j);
    assert_int_equal(files_like(folder, "state-"), 2); // and no unfinished one
    check_same_end();
  }
  if (failed < 10) fail_msg("only %d calls failed", failed);
  assert_int_equal(open_descriptors(), descriptors);
  if (OWN_MALLOC) assert_int_equal(live, held);
}

// A run that did not come from the folder saves there: its state is the newest, or it is told why not.
static void test_save_over(void **state) {
  (void)state;
  if (!FAULTS) skip();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    restore();
    job j = open_job(&the_plan);
    OK(sfnec_run_advance(j.run, 20));
    faults_begin(at);
    const sfnec_status status = sfnec_run_save(j.run, folder, label);
    reached = faults_end();
    failed += status != SFNEC_OK;
    check_holds(status ? NEWER : 20);
    if (status) OK(sfnec_run_save(j.run, folder, label));
    check_holds(20);
    close_job(&j);
  }
  if (failed < 10) fail_msg("only %d calls failed", failed);
}

static void test_resume(void **state) {
  (void)state;
  if (!FAULTS) skip();
  restore();
  int failed = 0, at = 0;
  const int descriptors = open_descriptors(), files = files_in(folder), held = live;
  for (bool reached = true; reached; at++) {
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    faults_begin(at);
    const sfnec_status status = sfnec_run_resume(folder, label, j.env, &the_plan.options, &j.agent, &j.run, warning);
    reached = faults_end();
    assert_string_equal(warning, "");
    if (status) {
      failed++;
      assert_int_equal(status, SFNEC_ERROR_IO);
      check_sentence(sfnec_last_error());
      assert_true(!j.run && !j.agent);
    } else {
      assert_true(j.run && sfnec_run_get_steps_done(j.run) == NEWER);
    }
    close_job(&j);
    assert_int_equal(files_in(folder), files);
    check_holds(NEWER);
  }
  // two states and two files of keys, each opened and read
  if (failed < 8) fail_msg("only %d calls failed", failed);
  assert_int_equal(open_descriptors(), descriptors);
  if (OWN_MALLOC) assert_int_equal(live, held);
}

// The same by what the system itself refuses: a state that is no file.
static void test_unreadable(void **state) {
  (void)state;
  restore();
  shell("mv saved/state-0 saved/kept && mkdir saved/state-0");
  job j = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  REFUSED(sfnec_run_resume(folder, label, j.env, &the_plan.options, &j.agent, &j.run, warning), SFNEC_ERROR_IO,
          "cannot read saved/state-0: it is not a regular file");
  assert_true(!j.run && !j.agent);
  close_job(&j);
  job other = open_job(&the_plan);
  REFUSED(sfnec_run_save(other.run, folder, label), SFNEC_ERROR_IO, "cannot read saved/state-0");
  close_job(&other);
  shell("rmdir saved/state-0 && mv saved/kept saved/state-0");
  check_holds(NEWER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_save),
      cmocka_unit_test(test_save_over),
      cmocka_unit_test(test_resume),
      cmocka_unit_test(test_unreadable),
  };
  return cmocka_run_group_tests(tests, make_template, NULL);
}
