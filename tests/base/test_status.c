// test_status.c: the last error belongs to its thread, is one bounded sentence, and every status has a name.
#include "support/check.h"

#include <pthread.h>

#include "base/error.h"

static void test_names(void **state) {
  (void)state;
  const char *const names[] = {"ok", "argument", "option", "state", "memory", "io", "format"};
  for (int i = 0; i < 7; i++) assert_string_equal(sfnec_status_name((sfnec_status)i), names[i]);
  assert_string_equal(sfnec_status_name((sfnec_status)99), "unknown");
  assert_true(strlen(sfnec_version()) >= 5);
}

static void test_sentence(void **state) {
  (void)state;
  assert_int_equal(sfnec_fail(SFNEC_ERROR_STATE, "task %d of %s", 3, "x"), SFNEC_ERROR_STATE);
  assert_string_equal(sfnec_last_error(), "task 3 of x");
  assert_int_equal(sfnec_fail_memory("a thing"), SFNEC_ERROR_MEMORY);
  assert_non_null(strstr(sfnec_last_error(), "out of memory for a thing"));

  // far too long: cut, not overrun
  char text[5000];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  assert_int_equal(sfnec_fail(SFNEC_ERROR_IO, "%s", text), SFNEC_ERROR_IO);
  assert_true(strlen(sfnec_last_error()) < sizeof text && strlen(sfnec_last_error()) > 100);
}

static void *other_thread(void *data) {
  *(bool *)data = sfnec_last_error()[0] == '\0';
  sfnec_fail(SFNEC_ERROR_IO, "theirs");
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  sfnec_fail(SFNEC_ERROR_IO, "mine");
  bool empty_at_first = false;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, other_thread, &empty_at_first), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(empty_at_first);
  assert_string_equal(sfnec_last_error(), "mine");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_sentence),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
