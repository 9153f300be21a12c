// test_kill.c: a save that is killed, or fails, at any of its system calls leaves a folder to resume from.
//
// The calls that change files are replaced by ones that count, and that end the process, or fail, at a chosen number.
#include "run/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { DIED = 9 };

static int calls, ends_at, fails_at; // 0: never
static int fails_with;

// Whether this call is to fail; does not return if the process is to end.
static bool fails(void) {
  calls++;
  if (calls == ends_at) _exit(DIED);
  if (calls != fails_at) return false;
  errno = fails_with;
  return true;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = flags & O_CREAT ? va_arg(rest, int) : 0;
  va_end(rest);
  return fails() ? -1 : openat(AT_FDCWD, path, flags, (mode_t)mode);
}

// In two halves, so that the process can end between them.
ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (fails()) return -1;
  const size_t half = size > 1 ? size / 2 : size;
  const struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = half};
  return writev(descriptor, &part, 1);
}

// What is in the kernel outlives the process: there is no need to wait for the disk here.
int fsync(int descriptor) {
  (void)descriptor;
  return fails() ? -1 : 0;
}

int rename(const char *from, const char *to) {
  return fails() ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlink(const char *path) {
  return fails() ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode) {
  return fails() ? -1 : mkdirat(AT_FDCWD, path, mode);
}

static const char *const small[] = {"capacity=25", "neighbours=5", NULL};
static const plan the_plan = {"sfnec", small, {.tasks = 4, .steps = 150, .keep_episodes = true}};
static const char folder[] = "killed";

static int wipe(void **state) {
  (void)state;
  return system("rm -rf killed template");
}

// The run goes on from what it was before or after the save, and ends as the unbroken one.
static void check_folder(const job *whole, int64_t before, int64_t after) {
  job resumed = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  OK(sfnec_run_resume(folder, label, resumed.env, &the_plan.options, &resumed.agent, &resumed.run, warning));
  assert_string_equal(warning, "");
  if (!resumed.run) {
    assert_int_equal(before, -1); // there was no checkpoint before
    sfnec_env_destroy(resumed.env);
    return;
  }
  const int64_t steps = sfnec_run_get_steps_done(resumed.run);
  if (steps != before && steps != after) fail_msg("resumed at %d", (int)steps);
  // the next save works, and leaves nothing behind that nobody needs
  OK(sfnec_run_advance(resumed.run, 10));
  OK(sfnec_run_save(resumed.run, folder, label));
  assert_int_equal(files_like(folder, "state-"), 2);
  OK(sfnec_run_save(resumed.run, folder, label));
  assert_int_equal(files_like(folder, "keys-"), (steps + 9) / 150);
  close_job(&resumed);
  resumed = resume_job(&the_plan, folder);
  OK(sfnec_run_advance(resumed.run, INT64_MAX));
  check_same(whole, &resumed);
  close_job(&resumed);
}

// Saves in a child that ends at call n. Returns whether it came to its end.
static bool save_killed(job *j, int n) {
  const pid_t child = fork();
  if (child == 0) {
    calls = 0;
    ends_at = n;
    _exit(sfnec_run_save(j->run, folder, label) == SFNEC_OK ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == DIED);
  return WEXITSTATUS(status) == 0;
}

// A checkpoint at `before` steps (-1: none); then, at `after` steps, one that is killed at each of its calls in turn.
static void check_kills(const job *whole, int64_t before, int64_t after, int least_calls) {
  wipe(NULL);
  job j = open_job(&the_plan);
  if (before >= 0) {
    OK(sfnec_run_advance(j.run, before));
    OK(sfnec_run_save(j.run, folder, label));
  } else {
    mkdir(folder, 0777);
  }
  OK(sfnec_run_advance(j.run, after - (before > 0 ? before : 0)));
  shell("cp -r killed template");
  int n = 1;
  for (bool done = false; !done; n++) {
    shell("rm -rf killed && cp -r template killed");
    done = save_killed(&j, n);
    check_folder(whole, before, after);
  }
  assert_true(n > least_calls);
  close_job(&j);
}

static void test_kills(void **state) {
  (void)state;
  job whole = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  check_kills(&whole, -1, 20, 8);
  check_kills(&whole, 20, 70, 8);
  check_kills(&whole, 100, 160, 14); // new keys
  check_kills(&whole, 160, 460, 20); // two files of them
  close_job(&whole);
}

// The same with calls that fail: the save says so or was not hurt, and the next one succeeds.
static void test_failures(void **state) {
  (void)state;
  job whole = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  const int errors[] = {ENOSPC, EIO};
  int refused = 0;
  for (int e = 0; e < 2; e++) {
    for (int n = 1; n == 1 || calls >= n - 1; n++) {
      wipe(NULL);
      job j = open_job(&the_plan);
      OK(sfnec_run_advance(j.run, 100));
      OK(sfnec_run_save(j.run, folder, label));
      OK(sfnec_run_advance(j.run, 60));
      calls = 0;
      fails_at = n;
      fails_with = errors[e];
      const sfnec_status status = sfnec_run_save(j.run, folder, label);
      const int made = calls;
      fails_at = 0;
      if (status != SFNEC_OK) {
        assert_int_equal(status, SFNEC_ERROR_IO);
        assert_non_null(strstr(sfnec_last_error(), "killed"));
        refused++;
        // the run itself is not hurt: it can save again, and ends well
        if (n % 2) OK(sfnec_run_save(j.run, folder, label));
      }
      check_folder(&whole, 100, 160);
      OK(sfnec_run_advance(j.run, INT64_MAX));
      check_same(&whole, &j);
      close_job(&j);
      calls = made;
    }
  }
  assert_true(refused > 15);
  close_job(&whole);
}

// A disk that is full: the file size is limited, for the whole process.
static void test_full_disk(void **state) {
  (void)state;
  job whole = open_job(&the_plan), j = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  OK(sfnec_run_advance(j.run, 100));
  OK(sfnec_run_save(j.run, folder, label));
  OK(sfnec_run_advance(j.run, 60));
  int failed = 0;
  for (bool saved = false; !saved; failed++) {
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      const rlim_t size = (rlim_t)failed * 5000;
      const struct rlimit limit = {size, size};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
      const sfnec_status status = sfnec_run_save(j.run, folder, label);
      _exit(status == SFNEC_OK ? 0 : status == SFNEC_ERROR_IO ? 1 : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    saved = WEXITSTATUS(status) == 0;
    assert_int_equal(files_like(folder, "state-"), saved ? 2 : 1); // and no temporary file
    job resumed = resume_job(&the_plan, folder);
    assert_int_equal(sfnec_run_get_steps_done(resumed.run), saved ? 160 : 100);
    close_job(&resumed);
  }
  assert_true(failed > 8);
  check_folder(&whole, 100, 160);
  close_job(&whole);
  close_job(&j);
}

// kill -9 from outside, at random moments of a run that saves all the time.
static void test_random_kills(void **state) {
  (void)state;
  job whole = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  sfnec_random random = sfnec_random_start(5, 1000);
  wipe(NULL);
  int64_t last = 0;
  for (int i = 0; i < 40; i++) {
    const pid_t child = fork();
    if (child == 0) {
      job j = {.env = open_world()};
      char warning[SFNEC_RUN_WARNING];
      if (sfnec_run_resume(folder, label, j.env, &the_plan.options, &j.agent, &j.run, warning) != SFNEC_OK) _exit(1);
      if (!j.run) j = open_job(&the_plan);
      while (!sfnec_run_is_done(j.run)) {
        if (sfnec_run_advance(j.run, 1) != SFNEC_OK || sfnec_run_save(j.run, folder, label) != SFNEC_OK) _exit(2);
      }
      _exit(0);
    }
    const struct timespec moment = {0, 1000 * (long)(5000 + sfnec_random_below(&random, 60000))};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    if (files_like(folder, "state-0") + files_like(folder, "state-1") == 0) continue;
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    OK(sfnec_run_resume(folder, label, j.env, &the_plan.options, &j.agent, &j.run, warning));
    assert_string_equal(warning, "");
    if (!j.run) {
      sfnec_env_destroy(j.env);
      continue;
    }
    assert_true(sfnec_run_get_steps_done(j.run) >= last); // nothing is lost
    last = sfnec_run_get_steps_done(j.run);
    close_job(&j);
  }
  assert_true(last > 0);
  job j = resume_job(&the_plan, folder);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  check_same(&whole, &j);
  close_job(&j);
  close_job(&whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_kills, wipe),
      cmocka_unit_test_teardown(test_failures, wipe),
      cmocka_unit_test_teardown(test_full_disk, wipe),
      cmocka_unit_test_teardown(test_random_kills, wipe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
