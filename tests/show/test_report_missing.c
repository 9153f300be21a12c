// test_report_missing.c: a program that was built without the page says so and writes nothing.
#include "support/experiment.h"

#include "show/report/report.h"

// take the place of those that the build made
const unsigned char sfnec_report_page[] = {0};
const size_t sfnec_report_page_size = 0;
const char sfnec_report_page_missing[] = "npm was not found. Install it";

static void test_check(void **state) {
  (void)state;
  assert_int_equal(sfnec_report_check(), SFNEC_ERROR_STATE);
  assert_string_equal(sfnec_last_error(),
                      "this sfnec was built without the page of the report: npm was not found. Install it");
}

static void test_write(void **state) {
  (void)state;
  const sfnec_results results = {.folder = "nowhere"};
  const sfnec_report_options options = {.resamples = 100};
  sfnec_coverage coverage;
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_int_equal(sfnec_report_write(&(const sfnec_results *){&results}, 1, &options, file, &coverage),
                   SFNEC_ERROR_STATE);
  assert_int_equal(ftell(file), 0);
  fclose(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_check), cmocka_unit_test(test_write)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
