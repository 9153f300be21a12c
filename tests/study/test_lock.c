// test_lock.c: one process at a time: taken, refused, released by a death, and safe from its own readers.
#include "support/check.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/store/lock.h"

// in another process: 0 if the lock can be taken there, 1 if it is refused with our number in the sentence
static int try_elsewhere(const char *folder) {
  const long parent = (long)getpid();
  const pid_t child = fork();
  if (child == 0) {
    sfnec_lock *lock;
    char mine[64];
    snprintf(mine, sizeof mine, "process %ld)", parent);
    const sfnec_status status = sfnec_lock_take(folder, &lock);
    _exit(status == SFNEC_OK ? 0 : status == SFNEC_ERROR_STATE && strstr(sfnec_last_error(), mine) ? 1 : 2);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void test_two_processes(void **unused) {
  (void)unused;
  mkdir("two", 0777);
  sfnec_lock *lock;
  assert_int_equal(try_elsewhere("two"), 0);
  OK(sfnec_lock_take("two", &lock));
  assert_int_equal(try_elsewhere("two"), 1);
  sfnec_lock_release(lock);
  assert_int_equal(try_elsewhere("two"), 0);
  sfnec_lock_release(NULL);
}

// record locks belong to the process: neither a second taker nor a reader in the same one may lose them
static void test_same_process(void **unused) {
  (void)unused;
  mkdir("same", 0777);
  symlink("same", "alias");
  sfnec_lock *lock, *second;
  char holder[SFNEC_LOCK_HOLDER];
  OK(sfnec_lock_take("same", &lock));
  REFUSED(sfnec_lock_take("same", &second), SFNEC_ERROR_STATE, "another process is running");
  REFUSED(sfnec_lock_take("./alias/", &second), SFNEC_ERROR_STATE, "another process is running");
  assert_true(sfnec_lock_held("alias", holder));
  assert_non_null(strstr(holder, "process "));
  assert_int_equal(try_elsewhere("same"), 1);
  sfnec_lock_release(lock);
  assert_false(sfnec_lock_held("same", holder));
  assert_string_equal(holder, "");
  OK(sfnec_lock_take("same", &lock));
  sfnec_lock_release(lock);
}

static void test_death_releases(void **unused) {
  (void)unused;
  mkdir("death", 0777);
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    sfnec_lock *lock;
    const char ok = sfnec_lock_take("death", &lock) == SFNEC_OK;
    (void)!write(ready[1], &ok, 1);
    pause();
    _exit(0);
  }
  char ok = 0;
  assert_int_equal(read(ready[0], &ok, 1), 1);
  assert_true(ok);
  sfnec_lock *lock;
  char holder[SFNEC_LOCK_HOLDER], number[32];
  snprintf(number, sizeof number, "process %ld", (long)child);
  assert_true(sfnec_lock_held("death", holder));
  assert_non_null(strstr(holder, number));
  REFUSED(sfnec_lock_take("death", &lock), SFNEC_ERROR_STATE, number);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert_false(sfnec_lock_held("death", holder));
  OK(sfnec_lock_take("death", &lock));
  sfnec_lock_release(lock);
  close(ready[0]);
  close(ready[1]);
}

// a removed file lets another process in: its owner notices
static void test_removed(void **unused) {
  (void)unused;
  mkdir("removed", 0777);
  sfnec_lock *lock, *other;
  OK(sfnec_lock_take("removed", &lock));
  OK(sfnec_lock_check(lock, "removed"));
  assert_int_equal(unlink("removed/lock"), 0);
  REFUSED(sfnec_lock_check(lock, "removed"), SFNEC_ERROR_STATE, "the file lock in removed was removed");
  OK(sfnec_lock_take("removed", &other));
  REFUSED(sfnec_lock_check(lock, "removed"), SFNEC_ERROR_STATE, "another process may be running it too");
  OK(sfnec_lock_check(other, "removed"));
  sfnec_lock_release(lock);
  OK(sfnec_lock_check(other, "removed"));
  sfnec_lock_release(other);
}

static void test_no_folder(void **unused) {
  (void)unused;
  sfnec_lock *lock;
  char holder[SFNEC_LOCK_HOLDER];
  REFUSED(sfnec_lock_take("nowhere", &lock), SFNEC_ERROR_IO, "nowhere/lock");
  assert_false(sfnec_lock_held("nowhere", holder));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_processes), cmocka_unit_test(test_same_process), cmocka_unit_test(test_death_releases),
      cmocka_unit_test(test_removed),       cmocka_unit_test(test_no_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
