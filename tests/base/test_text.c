// test_text.c: numbers as text in every locale, and the nearest of some names.
#include "support/check.h"

#include <float.h>
#include <locale.h>

#include "base/text.h"
#include "sfnec/random.h"

static void test_int(void **state) {
  (void)state;
  const struct {
    const char *text;
    int64_t value;
  } good[] = {{"0", 0},
              {"-0", 0},
              {"20", 20},
              {"-17", -17},
              {"9223372036854775807", INT64_MAX},
              {"-9223372036854775808", INT64_MIN},
              {"1e3", 1000},
              {"1E+4", 10000},
              {"2.5e3", 2500},
              {"-2.5e1", -25},
              {"-0.5k", -500},
              {"10k", 10000},
              {"1.5M", 1500000},
              {"2G", 2000000000},
              {"1.50e1", 15},
              {"0e99", 0},
              {"9223372036854775.807k", INT64_MAX},
              {"-9223372036854775.808k", INT64_MIN}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    int64_t value = 99;
    assert_true(sfnec_text_to_int(good[i].text, &value));
    assert_true(value == good[i].value);
  }
  const char *const bad[] = {"",
                             " ",
                             "x",
                             "1x",
                             "1 ",
                             "1.0",
                             "1e",
                             "1e-3",
                             "1.e3",
                             ".5k",
                             "-.5k",
                             "1.55e1",
                             "1kk",
                             "1m",
                             "k",
                             "-k",
                             "1ek",
                             "1e3 ",
                             "1e19",
                             "1e999999999999",
                             "9223372036854775.808k",
                             "0x1",
                             "--1",
                             "nan",
                             "inf",
                             "1,000",
                             "9223372036854775808",
                             "-9223372036854775809"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    int64_t value = 99;
    assert_false(sfnec_text_to_int(bad[i], &value));
    assert_true(value == 99);
  }
}

static void test_seed(void **state) {
  (void)state;
  uint64_t seed = 0;
  assert_true(sfnec_text_to_seed("18446744073709551615", &seed) && seed == UINT64_MAX);
  assert_true(sfnec_text_to_seed("007", &seed) && seed == 7);
  const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "-0", "1.5", "1e3", "0x1", "18446744073709551616"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_false(sfnec_text_to_seed(bad[i], &seed));
    assert_true(seed == 7);
  }
}

static void test_columns(void **state) {
  (void)state;
  assert_int_equal(sfnec_text_columns(""), 0);
  assert_int_equal(sfnec_text_columns("mean"), 4);
  assert_int_equal(sfnec_text_columns("1 \xc2\xb1 2"), 5);
}

static void test_real(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } good[] = {{"0.5", 0.5}, {"-1", -1}, {"1e-3", 1e-3}, {".25", 0.25}, {"1e308", 1e308}, {"3.", 3}};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    double value = 99;
    assert_true(sfnec_text_to_real(good[i].text, &value));
    assert_true(value == good[i].value);
  }
  const char *const bad[] = {"", " ", "x", "0.5x", "0.5 ", "0,5", "1e400", "-1e400", "nan", "NAN", "inf", "-infinity"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double value = 99;
    assert_false(sfnec_text_to_real(bad[i], &value));
    assert_true(value == 99);
  }
}

static void check_round_trip(double value) {
  char text[32];
  double back;
  sfnec_real_to_text(value, text, sizeof text);
  assert_true(sfnec_text_to_real(text, &back));
  assert_true(memcmp(&back, &value, sizeof value) == 0);
}

static void test_round_trip(void **state) {
  (void)state;
  const double special[] = {0.0, -0.0, 0.1, 1.0 / 3, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 1e22, 1e23, 0.1 + 0.2};
  for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) check_round_trip(special[i]);
  sfnec_random random = sfnec_random_start(1, 1000);
  for (int i = 0; i < 20000; i++) {
    const uint64_t bits = sfnec_random_bits(&random);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) check_round_trip(value);
  }
}

// Few digits where few are enough.
static void test_short(void **state) {
  (void)state;
  const struct {
    double value;
    const char *text;
  } all[] = {{0.1, "0.1"}, {0.15, "0.15"}, {20, "20"}, {0.001, "0.001"}, {1e12, "1000000000000"}, {-0.5, "-0.5"}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    char text[32];
    sfnec_real_to_text(all[i].value, text, sizeof text);
    assert_string_equal(text, all[i].text);
  }
}

// A host program whose locale writes 0,5: nothing changes, and its locale stays as it was.
static void test_comma_locale(void **state) {
  (void)state;
  const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "es_ES.UTF-8"};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) found = setlocale(LC_ALL, names[i]);
  if (!found) skip();
  char text[32];
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_string_equal(text, "0,5");

  test_real(state);
  test_round_trip(state);
  test_short(state);
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_string_equal(text, "0,5");
  setlocale(LC_ALL, "C");
}

static void test_distance(void **state) {
  (void)state;
  assert_int_equal(sfnec_text_distance("", ""), 0);
  assert_int_equal(sfnec_text_distance("", "abc"), 3);
  assert_int_equal(sfnec_text_distance("abc", ""), 3);
  assert_int_equal(sfnec_text_distance("kitten", "sitting"), 3);
  assert_int_equal(sfnec_text_distance("gamma", "gama"), 1);
  assert_int_equal(sfnec_text_distance("flaw", "lawn"), 2);
  char text[200];
  memset(text, 'g', sizeof text);
  text[199] = '\0';
  assert_int_equal(sfnec_text_distance(text, "g"), 199);
}

static void test_nearer(void **state) {
  (void)state;
  assert_null(sfnec_text_nearer("x", NULL, "gamma"));
  assert_string_equal(sfnec_text_nearer("gama", NULL, "gamma"), "gamma");
  assert_string_equal(sfnec_text_nearer("gama", "gamma", "alpha"), "gamma");
  assert_string_equal(sfnec_text_nearer("alpah", "gamma", "alpha"), "alpha");
  // the first of two that are equally near stays
  assert_string_equal(sfnec_text_nearer("cat", "bat", "hat"), "bat");
  // exactly half may differ, more may not
  assert_string_equal(sfnec_text_nearer("abxx", NULL, "abcd"), "abcd");
  assert_null(sfnec_text_nearer("axxx", NULL, "abcd"));
}

static void check_clean(const char *text, const char *wanted) {
  char *copy = strdup(text);
  sfnec_text_clean(copy);
  assert_string_equal(copy, wanted);
  free(copy);
}

static void test_clean(void **state) {
  (void)state;
  check_clean("", "");
  check_clean("plain, \xc3\xa4 and \xe2\x80\xa6 \xf0\x9f\x98\x80", "plain, \xc3\xa4 and \xe2\x80\xa6 \xf0\x9f\x98\x80");
  check_clean("\x1b[31mred\x1b[0m", "?[31mred?[0m");
  check_clean("one\nsfnec: forged\r\t\b\x7f", "one?sfnec: forged????");
  check_clean("\xc2\x9b"
              "31m",
              "??31m"); // the one-character form of an escape
  check_clean("\xe2\x80\xae"
              "dlrow\xe2\x81\xa6",
              "???dlrow???"); // from right to left
  check_clean("\xff\xc3", "??");
  check_clean("\xc0\xaf\xed\xa0\x80", "?????");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_int),          cmocka_unit_test(test_seed),       cmocka_unit_test(test_columns),
      cmocka_unit_test(test_real),         cmocka_unit_test(test_round_trip), cmocka_unit_test(test_short),
      cmocka_unit_test(test_comma_locale), cmocka_unit_test(test_distance),   cmocka_unit_test(test_nearer),
      cmocka_unit_test(test_clean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
