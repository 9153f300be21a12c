// test_csv.c: texts and numbers as comma-separated values.
#include "support/check.h"

#include <math.h>

#include "base/csv.h"

static void check_text(const char *text, const char *wanted) {
  char *written;
  size_t size;
  FILE *stream = open_memstream(&written, &size);
  sfnec_csv_text(stream, text);
  fclose(stream);
  assert_string_equal(written, wanted);
  free(written);
}

static void check_real(double value, const char *wanted) {
  char *written;
  size_t size;
  FILE *stream = open_memstream(&written, &size);
  sfnec_csv_real(stream, value);
  fclose(stream);
  assert_string_equal(written, wanted);
  free(written);
}

static void test_texts(void **state) {
  (void)state;
  check_text("", "");
  check_text("plain text", "plain text");
  check_text("a,b", "\"a,b\"");
  check_text("say \"so\"", "\"say \"\"so\"\"\"");
  check_text("two\nlines", "\"two\nlines\"");
  check_text("a\r", "\"a\r\"");
  // no spreadsheet runs them
  check_text("=1+1", "\"'=1+1\"");
  check_text("@SUM(A1)", "\"'@SUM(A1)\"");
  check_text("+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\"");
  check_text("-2+3", "\"'-2+3\"");
  check_text("\t=1", "\"'\t=1\"");
  check_text("=\"a\"", "\"'=\"\"a\"\"\"");
  check_text("-0.5", "-0.5");
  check_text("a=b", "a=b");
}

static void test_numbers(void **state) {
  (void)state;
  check_real(0.1, "0.1");
  check_real(-3, "-3");
  check_real(1.0 / 3, "0.3333333333333333");
  check_real((double)NAN, "");
  check_real((double)INFINITY, "inf");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
