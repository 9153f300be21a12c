// args.c: the arguments of a subcommand, parsed by a table that also makes its help.
//
// getopt_long is not POSIX and would need the names, types, defaults and help in three places; here they are one row.
#include "cli/args.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

// the one short form, which means the same in every command that has the option
static char letter_of(const arg *row) {
  return strcmp(row->name, "out") == 0 ? 'o' : '\0';
}

static const arg *find(const command *command, const char *name) {
  for (const arg *row = command->args; row->name; row++)
    if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

static int refuse_unknown(const command *command, const char *name) {
  const char *nearest = NULL;
  for (const arg *row = command->args; row->name; row++) nearest = sfnec_text_nearer(name, nearest, row->name);
  nearest = sfnec_text_nearer(name, nearest, "help");
  char hint[TEXT_HINT];
  return misuse("%s has no option --%s%s (see sfnec %s --help)", command->name, name, text_hint("--", nearest, hint),
                command->name);
}

// stores one value, or refuses it
static int store(const command *command, const arg *row, const char *value, void *values) {
  void *field = (char *)values + row->offset;
  int64_t whole;
  switch (row->type) {
  case ARG_FLAG:
    *(bool *)field = true;
    break;
  case ARG_TEXT:
    *(const char **)field = value;
    break;
  case ARG_LIST:
    text_push(field, value);
    break;
  case ARG_INT:
    if (!sfnec_text_to_int(value, &whole) || whole < row->least || whole > row->most)
      return misuse("%s --%s is '%s' but must be a whole number from %" PRId64 " to %" PRId64, command->name, row->name,
                    value, row->least, row->most);
    *(int64_t *)field = whole;
    break;
  case ARG_SEED:
    ((arg_seed *)field)->given = true;
    if (!sfnec_text_to_seed(value, &((arg_seed *)field)->value))
      return misuse("%s --%s is '%s' but must be a whole number from 0 to %" PRIu64, command->name, row->name, value,
                    UINT64_MAX);
    break;
  }
  return EXIT_OK;
}

// the value of a row, given as "=value" or as the next word; moves *at past what it took
static int take_value(const command *command, const arg *row, const char *value, int argc, char **argv, int *at,
                      void *values) {
  (*at)++;
  if (row->type == ARG_FLAG && value)
    return misuse("%s --%s takes no value; leave out '=%s'", command->name, row->name, value);
  if (row->type != ARG_FLAG && !value) {
    // a following option is never meant as the value; --name=--value says it if it is
    if (*at >= argc || strncmp(argv[*at], "--", 2) == 0)
      return misuse("%s --%s needs a value: --%s %s", command->name, row->name, row->name, row->value);
    value = argv[(*at)++];
  }
  return store(command, row, value, values);
}

// one "--name value" or "--name=value" at argv[*at]
static int take_option(const command *command, int argc, char **argv, int *at, void *values) {
  char *name = must_copy(argv[*at] + 2), *equals = strchr(name, '=');
  if (equals) *equals = '\0';
  const arg *row = find(command, name);
  const char *value = equals ? strchr(argv[*at], '=') + 1 : NULL;
  const int code = row ? take_value(command, row, value, argc, argv, at, values) : refuse_unknown(command, name);
  free(name);
  return code;
}

// one "-o value" at argv[*at]
static int take_letter(const command *command, int argc, char **argv, int *at, void *values) {
  const char *word = argv[*at];
  for (const arg *row = command->args; row->name; row++)
    if (letter_of(row) == word[1] && !word[2]) return take_value(command, row, NULL, argc, argv, at, values);
  return misuse("%s has no option %s; options have two dashes (see sfnec %s --help)", command->name, word,
                command->name);
}

static int check_operands(const command *command, const text_list *operands) {
  const size_t wanted = command->operands[0] ? 1 : 0;
  if (operands->count < wanted)
    return misuse("%s needs %s (see sfnec %s --help)", command->name, command->operands, command->name);
  if (operands->count > wanted && !command->more_operands)
    return misuse("%s does not know what to do with '%s' (see sfnec %s --help)", command->name, operands->items[wanted],
                  command->name);
  return EXIT_OK;
}

// the help, and the options of the environment that was named before it was asked for
static int help_with(const command *command, const void *values) {
  args_help(command);
  const arg *env = find(command, "env");
  const char *name = env ? *(const char *const *)((const char *)values + env->offset) : NULL;
  if (!name || name == env->initial) return EXIT_OK;
  printf("\n");
  return list_env_options(name);
}

int args_parse(const command *command, int argc, char **argv, void *values, text_list *operands, bool *helped) {
  int code = EXIT_OK;
  for (const arg *row = command->args; row->name && !code; row++)
    if (row->initial) code = store(command, row, row->initial, values);

  bool options_over = false;
  for (int at = 0; at < argc && !code;) {
    const char *word = argv[at];
    if (options_over || word[0] != '-' || !word[1]) {
      text_push(operands, word);
      at++;
    } else if (strcmp(word, "--") == 0) {
      options_over = true;
      at++;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      *helped = true;
      return help_with(command, values);
    } else {
      code = (word[1] == '-' ? take_option : take_letter)(command, argc, argv, &at, values);
    }
  }
  return code ? code : check_operands(command, operands);
}

void args_clear(const command *command, void *values) {
  for (const arg *row = command->args; row->name; row++)
    if (row->type == ARG_LIST) text_clear((text_list *)((char *)values + row->offset));
}

void args_help(const command *command) {
  enum { HELP_COLUMN = 27 };
  printf("usage: sfnec %s%s%s [options]\n\n%s\n\noptions:\n", command->name, command->operands[0] ? " " : "",
         command->operands, command->about);
  for (const arg *row = command->args; row->name; row++) {
    char left[64];
    const char letter[] = {'-', letter_of(row), ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s %s", letter_of(row) ? letter : "", row->name, row->value ? row->value : "");
    char *help = text_print("%s%s%s%s%s", row->help, row->initial ? " (default " : "", row->initial ? row->initial : "",
                            row->initial ? ")" : "", row->type == ARG_LIST ? "; may be repeated" : "");
    printf("  %-*s ", HELP_COLUMN - 3, left);
    text_print_wrapped(stdout, HELP_COLUMN, help);
    printf("\n");
    free(help);
  }
  printf("  %-*s %s\n", HELP_COLUMN - 3, "--help", "show this text");
}

// ---- reward weights ----

// env NULL: the weights are for an agent, whose features have no names
static int refuse_length(size_t given, const char *text, int32_t wanted, const sfnec_env *env) {
  if (!env) return misuse("--w %s has %zu weights but the agent has %" PRId32 " features", text, given, wanted);
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  char names[256] = "";
  for (int32_t i = 0; kind->feature_names && i < wanted; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : ": ", kind->feature_names[i]);
  }
  return misuse("--w %s has %zu weights but %s has %" PRId32 " features%s", text, given, kind->name, wanted, names);
}

static int parse_weights(const char *text, int32_t wanted, const sfnec_env *env, double *w) {
  text_list parts = {0};
  text_split(&parts, text, ',');
  int code = EXIT_OK;
  if (parts.count != (size_t)wanted) code = refuse_length(parts.count, text, wanted, env);
  for (size_t i = 0; i < parts.count && !code; i++)
    if (!sfnec_text_to_real(parts.items[i], &w[i]))
      code = misuse("--w %s: weight %zu is '%s' but must be a finite number", text, i + 1, parts.items[i]);
  text_clear(&parts);
  return code;
}

int weights_parse(const char *text, const sfnec_env *env, double *w) {
  return parse_weights(text, sfnec_env_get_shape(env).feature_count, env, w);
}

int weights_parse_of(const char *text, const sfnec_agent *agent, double *w) {
  return parse_weights(text, sfnec_agent_get_shape(agent).feature_count, NULL, w);
}
