// test_options.c: option tables: defaults, setting by text, every refusal's sentence, ranges, and the way back to text.
#include "support/check.h"

#include "sfnec/options.h"

typedef struct sample {
  double ratio;
  int64_t count;
  int mode;
  double below;
  sfnec_option_text word;
  int64_t guard; // not in the table: must never change
} sample;

static const char *const modes[] = {"slow", "fast", NULL}, *const words[] = {"auto", "a word of your own", NULL};

static const sfnec_option rows[] = {
    {.name = "ratio",
     .type = SFNEC_OPTION_REAL,
     .offset = offsetof(sample, ratio),
     .initial = 0.25,
     .least = -1,
     .most = 1,
     .help = "a closed range"},
    {.name = "count",
     .type = SFNEC_OPTION_INT,
     .offset = offsetof(sample, count),
     .initial = 20,
     .least = 1,
     .most = 100,
     .help = "whole"},
    {.name = "mode",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sample, mode),
     .initial = 1,
     .choices = modes,
     .help = "one of two"},
    {.name = "below",
     .type = SFNEC_OPTION_REAL,
     .offset = offsetof(sample, below),
     .initial = 0.95,
     .least = 0,
     .most = 1,
     .below_most = 1,
     .help = "half open",
     .former = "under"},
    {.name = "word", .type = SFNEC_OPTION_TEXT, .offset = offsetof(sample, word), .choices = words, .help = "a text"},
    {.name = NULL},
};
static const sfnec_option_set set = {"sample", rows};

static sample defaults(void) {
  sample s;
  memset(&s, 0x5a, sizeof s);
  s.guard = 77;
  sfnec_options_default(&set, &s);
  return s;
}

static void test_former_name(void **state) {
  (void)state;
  sample s = defaults();
  OK(sfnec_options_set(&set, &s, "under", "0.5"));
  assert_true(s.below == 0.5);
  assert_ptr_equal(sfnec_options_find(&set, "under"), sfnec_options_find(&set, "below"));
  assert_null(sfnec_options_find(&set, "over"));
}

static void test_defaults(void **state) {
  (void)state;
  const sample s = defaults();
  assert_true(s.ratio == 0.25 && s.count == 20 && s.mode == 1 && s.below == 0.95 && s.guard == 77);
  OK(sfnec_options_check(&set, &s));
}

static void test_find(void **state) {
  (void)state;
  assert_ptr_equal(sfnec_options_find(&set, "count"), &rows[1]);
  assert_null(sfnec_options_find(&set, "coun"));
  assert_null(sfnec_options_find(&set, ""));
}

static void test_set(void **state) {
  (void)state;
  sample s = defaults();
  OK(sfnec_options_set(&set, &s, "ratio", "-1"));
  OK(sfnec_options_set(&set, &s, "count", "100"));
  OK(sfnec_options_set(&set, &s, "mode", "slow"));
  OK(sfnec_options_set(&set, &s, "below", "0"));
  assert_true(s.ratio == -1 && s.count == 100 && s.mode == 0 && s.below == 0 && s.guard == 77);
  // the other ends
  OK(sfnec_options_assign(&set, &s, "ratio=1"));
  OK(sfnec_options_assign(&set, &s, "count=1"));
  OK(sfnec_options_assign(&set, &s, "below=0.9999999999999999"));
  OK(sfnec_options_assign(&set, &s, "mode=fast"));
  assert_true(s.ratio == 1 && s.count == 1 && s.mode == 1 && s.below < 1 && s.guard == 77);
}

static void check_refused(const char *name, const char *value, const char *sentence) {
  sample s = defaults();
  const sample before = s;
  REFUSED(sfnec_options_set(&set, &s, name, value), SFNEC_ERROR_OPTION, sentence);
  assert_memory_equal(&s, &before, sizeof s);
}

static void test_refused_values(void **state) {
  (void)state;
  const char *const numbers[] = {"", " ", "abc", "0.5abc", "0.5 ", "nan", "inf", "-inf", "1e999", "0,5", "fast"};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    check_refused("ratio", numbers[i], "is refused: it takes a number from -1 to 1");
    check_refused("count", numbers[i], "is refused: it takes a whole number from 1 to 100");
    check_refused("below", numbers[i], "is refused: it takes a number from 0 to below 1");
  }
  check_refused("ratio", "1.0000000000000002", "sample option ratio=1.0000000000000002 is refused");
  check_refused("ratio", "-1.0000000000000002", "sample option ratio=-1.0000000000000002 is refused");
  check_refused("count", "0", "sample option count=0 is refused: it takes a whole number from 1 to 100");
  check_refused("count", "101", "a whole number from 1 to 100");
  check_refused("count", "2.5", "a whole number from 1 to 100");
  check_refused("count", "99999999999999999999", "a whole number from 1 to 100");
  check_refused("below", "1", "sample option below=1 is refused: it takes a number from 0 to below 1");
  check_refused("below", "-0.1", "a number from 0 to below 1");
  check_refused("mode", "quick", "sample option mode=quick is refused: it takes slow|fast");
  check_refused("mode", "", "it takes slow|fast");
  check_refused("mode", "Fast", "it takes slow|fast");
  check_refused("mode", "1", "it takes slow|fast");
}

static void test_refused_names(void **state) {
  (void)state;
  check_refused("cuont", "3", "there is no sample option 'cuont': did you mean 'count'?");
  check_refused("zzzzzzzzzz", "3", "there is no sample option 'zzzzzzzzzz': 'sfnec list options' names them all");
  check_refused("", "3", "there is no sample option ''");
  check_refused("Count", "3", "did you mean 'count'?");
}

static void test_assign(void **state) {
  (void)state;
  sample s = defaults();
  const sample before = s;
  REFUSED(sfnec_options_assign(&set, &s, "count"), SFNEC_ERROR_OPTION, "'count' does not set an option");
  REFUSED(sfnec_options_assign(&set, &s, ""), SFNEC_ERROR_OPTION, "write it as key=value");
  REFUSED(sfnec_options_assign(&set, &s, "=3"), SFNEC_ERROR_OPTION, "write it as key=value");
  REFUSED(sfnec_options_assign(&set, &s, "count="), SFNEC_ERROR_OPTION, "a whole number from 1 to 100");
  REFUSED(sfnec_options_assign(&set, &s, "count =3"), SFNEC_ERROR_OPTION, "there is no sample option 'count '");
  REFUSED(sfnec_options_assign(&set, &s, "count=3=4"), SFNEC_ERROR_OPTION, "count=3=4 is refused");
  char text[200];
  memset(text, 'a', sizeof text);
  memcpy(text + sizeof text - 3, "=3", 3);
  REFUSED(sfnec_options_assign(&set, &s, text), SFNEC_ERROR_OPTION, "does not set an option");
  assert_memory_equal(&s, &before, sizeof s);
}

// A struct that a program filled by hand is checked field by field.
static void test_check(void **state) {
  (void)state;
  sample s = defaults();
  s.ratio = (double)NAN;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option ratio=");
  s = defaults();
  s.ratio = (double)INFINITY;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option ratio=inf");
  s = defaults();
  s.count = 0;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option count=0");
  s = defaults();
  s.count = INT64_MAX;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option count=9223372036854775807");
  s = defaults();
  s.mode = 2;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option mode=2 is refused: it takes slow|fast");
  s.mode = -1;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option mode=-1");
  s = defaults();
  s.below = 1;
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option below=1");
}

// Texts are printable, without spaces, and end.
static void test_words(void **state) {
  (void)state;
  sample s = defaults();
  assert_string_equal(s.word, "auto");
  OK(sfnec_options_assign(&set, &s, "word=conv:8x3/1;dense:4"));
  assert_string_equal(s.word, "conv:8x3/1;dense:4");
  char longest[SFNEC_OPTION_TEXT_SIZE + 1];
  memset(longest, 'x', sizeof longest);
  longest[SFNEC_OPTION_TEXT_SIZE] = '\0';
  const char *const bad[] = {"", "two words", "tab\t", "\x80", longest};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    REFUSED(sfnec_options_set(&set, &s, "word", bad[i]), SFNEC_ERROR_OPTION, "it takes a word of your own");
    assert_string_equal(s.word, "conv:8x3/1;dense:4");
  }
  OK(sfnec_options_set(&set, &s, "word", longest + 1));
  OK(sfnec_options_check(&set, &s));
  memset(s.word, 'x', sizeof s.word); // it has no end
  REFUSED(sfnec_options_check(&set, &s), SFNEC_ERROR_OPTION, "sample option word=xxx");
  assert_int_equal(s.guard, 77);
}

static void test_text(void **state) {
  (void)state;
  sample s = defaults();
  s.ratio = 1.0 / 3;
  s.count = 99;
  s.mode = 0;
  s.below = 0.1 + 0.2;
  sample back = defaults();
  for (const sfnec_option *row = rows; row->name; row++) {
    char text[SFNEC_OPTION_TEXT_SIZE];
    sfnec_options_get_text(row, &s, text, sizeof text);
    OK(sfnec_options_set(&set, &back, row->name, text));
  }
  assert_memory_equal(&back, &s, sizeof s);
  char text[32];
  sfnec_options_get_text(&rows[2], &s, text, sizeof text);
  assert_string_equal(text, "slow");
  // the default needs no struct
  const sample fresh = defaults();
  for (const sfnec_option *row = rows; row->name; row++) {
    char initial[32];
    sfnec_options_get_text(row, &fresh, text, sizeof text);
    sfnec_options_get_default_text(row, initial, sizeof initial);
    assert_string_equal(initial, text);
  }

  // a small buffer is filled and closed, not overrun
  char small[4] = "...";
  sfnec_options_get_range_text(&rows[2], small, sizeof small);
  assert_string_equal(small, "slo");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_former_name),    cmocka_unit_test(test_find),
      cmocka_unit_test(test_set),      cmocka_unit_test(test_refused_values), cmocka_unit_test(test_refused_names),
      cmocka_unit_test(test_assign),   cmocka_unit_test(test_check),          cmocka_unit_test(test_text),
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
