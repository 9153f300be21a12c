// test_expression.c: arithmetic from a text: values, precedence, refusals, and bounds that no text gets past.
#include "support/check.h"

#include <math.h>

#include "base/expression.h"
#include "sfnec/random.h"

// Variables: x, y, and v[0] to v[2].
static const double values[] = {2, -3, 10, 20, 30};

static sfnec_status resolve(void *context, const char *name, size_t length, int64_t index, uint32_t *variable) {
  (void)context;
  if (length == 1 && *name == 'v' && index >= 0 && index < 3) *variable = 2 + (uint32_t)index;
  else if (length == 1 && index < 0 && (*name == 'x' || *name == 'y')) *variable = *name == 'y';
  else return sfnec_set_error(SFNEC_ERROR_OPTION, "there are x, y and v[0] to v[2]");
  return SFNEC_OK;
}

static double read(const void *context, uint32_t variable) {
  return ((const double *)context)[variable];
}

static double value_of(const char *text) {
  sfnec_expression *expression = NULL;
  OK(sfnec_expression_parse(text, resolve, NULL, &expression));
  const double value = sfnec_expression_evaluate(expression, read, values);
  sfnec_expression_destroy(expression);
  return value;
}

static void test_values(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1", 1},
      {" 1e3 ", 1000},
      {".5", 0.5},
      {"2.5e-1", 0.25},
      {"x", 2},
      {"v[1]", 20},
      {"v [ 2 ]", 30},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"8 / 4 / 2", 1},
      {"8 - 4 - 2", 2},
      {"2 ** 3 ** 2", 512},
      {"-2 ** 2", -4},
      {"2 ** -1", 0.5},
      {"--x", 2},
      {"+x - -y", -1},
      {"1 < 2", 1},
      {"2 <= 2", 1},
      {"1 > 2", 0},
      {"2 >= 3", 0},
      {"x == 2", 1},
      {"x != 2", 0},
      {"not 0", 1},
      {"not x == 2", 0},
      {"1 and 0 or 1", 1},
      {"1 or 0 and 0", 1},
      {"5 and 7", 1},
      {"1 if x > 0 else 2", 1},
      {"1 if y > 0 else 2", 2},
      {"1 if 0 else 2 if 0 else 3", 3},
      {"(1 if 1 else 2) + 1", 2},
      {"1 / 0 if 0 else 4", 4}, // both branches are computed, one counts
      {"min(3, 1, 2)", 1},
      {"max(x, y)", 2},
      {"abs(y)", 3},
      {"sqrt(9) + floor(1.7)", 4},
      {"exp(0) + log(1)", 1},
      {"-0.1 - 0.5 * (x < 3)", -0.6},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double value = value_of(cases[i].text);
    if (!(fabs(value - cases[i].value) < 1e-12)) fail_msg("%s is %g, not %g", cases[i].text, value, cases[i].value);
  }
  assert_true(isinf(value_of("1 / 0")) && isnan(value_of("log(-1)")));
}

static void refused(const char *text, const char *sentence) {
  sfnec_expression *expression = NULL;
  const sfnec_status status = sfnec_expression_parse(text, resolve, NULL, &expression);
  if (status != SFNEC_ERROR_OPTION || expression || !strstr(sfnec_last_error(), sentence))
    fail_msg("%s: status %d, '%s' instead of '%s'", text, (int)status, sfnec_last_error(), sentence);
}

static void test_refusals(void **state) {
  (void)state;
  refused("", "its end");
  refused("1 +", "its end");
  refused("(1", "no ')'");
  refused("1)", "does not belong");
  refused("1 2", "does not belong");
  refused("z", "there are x, y");
  refused("v[3]", "there are x, y");
  refused("v[-1]", "no whole number");
  refused("v[1", "no ']'");
  refused("0 < x < 1", "a chain of comparisons");
  refused("1 if x", "without an 'else'");
  refused("abs(1, 2)", "one argument");
  refused("min(1)", "two arguments");
  refused("system(1)", "unknown function");
  refused("1..2", "no valid number");
  refused("x = 1", "does not belong");
  refused("x; y", "does not belong");
  refused("__import__('os')", "unknown function");
  refused("x.y", "there are x, y");
  refused("1 + $", "at character 5");
  char number[64];
  memset(number, '1', sizeof number);
  number[sizeof number - 1] = '\0';
  refused(number, "too long a number");
}

// Neither a long text nor a deep one takes more than its bound.
static void test_bounds(void **state) {
  (void)state;
  static char text[SFNEC_EXPRESSION_TEXT + 2];
  memset(text, '(', sizeof text);
  text[SFNEC_EXPRESSION_TEXT] = '\0';
  refused(text, "too many nested parts");
  memset(text, '-', SFNEC_EXPRESSION_TEXT);
  refused(text, "too many nested parts");
  memset(text, '1', sizeof text);
  text[SFNEC_EXPRESSION_TEXT + 1] = '\0';
  refused(text, "longer than");
  // 1+(1+(1+( ... keeps a number for each bracket
  size_t length = 0;
  for (int i = 0; i < 60; i++) length += (size_t)snprintf(text + length, sizeof text - length, "1+(");
  text[length++] = '1';
  for (int i = 0; i < 60; i++) text[length++] = ')';
  text[length] = '\0';
  NEAR(value_of(text), 61, 0);
  // a long flat one is fine
  for (length = 0; length + 2 < SFNEC_EXPRESSION_TEXT; length += 2) memcpy(text + length, "1+", 2);
  text[length++] = '1';
  text[length] = '\0';
  NEAR(value_of(text), (double)((length + 1) / 2), 0);
}

// Texts made of the grammar's own tokens in any order: accepted or refused, never worse (the sanitizers watch).
static void test_any_text(void **state) {
  (void)state;
  static const char *const tokens[] = {"1",      ".5",   "x", "v[1]", "(",     ")",    "+",     "-",
                                       "*",      "**",   "<", "==",   " and ", " or ", " not ", " if ",
                                       " else ", "min(", ",", "abs(", "[",     "]",    "$",     " "};
  sfnec_random random = sfnec_random_start(7, 1);
  int accepted = 0;
  for (int i = 0; i < 20000; i++) {
    char text[256] = "";
    const uint32_t count = 1 + (uint32_t)sfnec_random_below(&random, 12);
    for (uint32_t t = 0; t < count; t++)
      strcat(text, tokens[sfnec_random_below(&random, sizeof tokens / sizeof *tokens)]);
    sfnec_expression *expression = NULL;
    if (sfnec_expression_parse(text, resolve, NULL, &expression)) continue;
    (void)sfnec_expression_evaluate(expression, read, values);
    sfnec_expression_destroy(expression);
    accepted++;
  }
  assert_true(accepted > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_bounds), cmocka_unit_test(test_any_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
