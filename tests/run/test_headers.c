// test_headers.c: the public headers are the manual: the comment of a field is the help of its row in the table, for
// the options of agents and environments and for what a run records.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "sfnec/run.h"

// The text of a header, by its name in include/sfnec; to be freed.
static char *read_header(const char *name) {
  enum { MOST = 1 << 20 };
  const char *source = getenv("SFNEC_SOURCE");
  assert_non_null(source); // CTest sets it
  char path[4096];
  snprintf(path, sizeof path, "%s/include/sfnec/%s", source, name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, MOST);
  assert_true(file && text);
  assert_in_range(fread(text, 1, MOST - 1, file), 1, MOST - 2);
  fclose(file);
  return text;
}

// Fails unless a field of a struct has this comment on its line.
static void check_comment(const char *header, const char *structure, const char *field, const char *help) {
  char opening[128], closing[128], declared[128];
  snprintf(opening, sizeof opening, "typedef struct %s {\n", structure);
  snprintf(closing, sizeof closing, "\n} %s;\n", structure);
  snprintf(declared, sizeof declared, " %s; ", field);
  const char *begin = strstr(header, opening), *end = strstr(header, closing);
  assert_true(begin && end);
  const char *at = strstr(begin, declared);
  if (!at || at > end) fail_msg("%s has no field %s with a comment", structure, field);
  at += strlen(declared);
  at += strspn(at, " ");
  char expected[256];
  snprintf(expected, sizeof expected, "// %s\n", help);
  if (strncmp(at, expected, strlen(expected)) != 0) {
    fail_msg("the comment of %s.%s is '%.*s', the help of its row '%s'", structure, field, (int)strcspn(at, "\n"), at,
             help);
  }
}

static void check_option_comments(const char *header, const char *structure, const sfnec_option_set *set) {
  for (const sfnec_option *row = set->rows; row->name; row++) check_comment(header, structure, row->name, row->help);
}

// Fails unless the header has one enum with the constants SFNEC_<FIELD>_<CHOICE>, in the order of the table.
static void check_constants(const char *header, const sfnec_option *row) {
  const char *at = header;
  for (size_t i = 0; row->choices[i]; i++) {
    char constant[128];
    snprintf(constant, sizeof constant, "SFNEC_%s_%s", row->name, row->choices[i]);
    for (char *c = constant; *c; c++) *c = (char)toupper((unsigned char)*c);
    at = i == 0 ? strstr(at, constant) : at + strspn(at, ", \n");
    if (!at || strncmp(at, constant, strlen(constant)) != 0) fail_msg("no constant %s at its place", constant);
    at += strlen(constant);
  }
  at += strspn(at, " \n");
  assert_int_equal(*at, '}');
}

static void test_agent_options(void **state) {
  (void)state;
  char *header = read_header("agent.h");
  check_option_comments(header, "sfnec_agent_options", sfnec_agent_option_set());
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; row->name; row++) {
    if (row->type == SFNEC_OPTION_CHOICE) check_constants(header, row);
  }
  free(header);
}

static void test_env_options(void **state) {
  (void)state;
  static const sfnec_env_kind plain = {.name = "plain"};
  char *header = read_header("env.h");
  check_option_comments(header, "sfnec_env_common", sfnec_env_kind_option_set(&plain));
  free(header);
}

static void test_records(void **state) {
  (void)state;
  char *header = read_header("run.h");
  for (const sfnec_record_field *field = sfnec_task_record_set()->fields; field->name; field++) {
    check_comment(header, "sfnec_task_result", field->name, field->help);
  }
  for (const sfnec_record_field *field = sfnec_episode_record_set()->fields; field->name; field++) {
    check_comment(header, "sfnec_episode_result", field->name, field->help);
  }
  for (const sfnec_record_field *field = sfnec_bin_record_set()->fields; field->name; field++) {
    check_comment(header, "sfnec_bin_result", field->name, field->help);
  }
  for (const sfnec_record_field *field = sfnec_evaluation_record_set()->fields; field->name; field++) {
    check_comment(header, "sfnec_evaluation_result", field->name, field->help);
  }
  free(header);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agent_options),
      cmocka_unit_test(test_env_options),
      cmocka_unit_test(test_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
