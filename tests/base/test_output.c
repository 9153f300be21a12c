// test_output.c: files that are whole under their names, or not there.
#include "support/check.h"

#include <unistd.h>

#include "base/output.h"

static void test_kept(void **unused) {
  (void)unused;
  sfnec_output output;
  OK(sfnec_output_open(&output, "kept"));
  fputs("all of it", output.file);
  // it gets its name at the end
  assert_int_not_equal(access("kept", F_OK), 0);
  OK(sfnec_output_close(&output, true));
  size_t size;
  unsigned char *bytes = file_bytes("kept", &size);
  assert_int_equal(size, 9);
  assert_memory_equal(bytes, "all of it", size);
  free(bytes);
}

static void test_dropped(void **unused) {
  (void)unused;
  sfnec_output output;
  OK(sfnec_output_open(&output, "dropped"));
  char *temporary = strdup(output.temporary);
  assert_int_equal(access(temporary, F_OK), 0);
  OK(sfnec_output_close(&output, false));
  assert_int_not_equal(access("dropped", F_OK), 0);
  assert_int_not_equal(access(temporary, F_OK), 0);
  free(temporary);
}

static void test_refused(void **unused) {
  (void)unused;
  sfnec_output output, none = {0};
  REFUSED(sfnec_output_open(&output, "nowhere/file"), SFNEC_ERROR_IO, "cannot write nowhere/file");
  OK(sfnec_output_close(&none, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kept),
      cmocka_unit_test(test_dropped),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
