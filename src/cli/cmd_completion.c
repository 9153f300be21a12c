// cmd_completion.c: `sfnec completion`: what a shell needs to complete the command, made from the tables of arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int run_completion(const void *values, const text_list *operands);

static const arg table[] = {{0}};

const command command_completion = {
    .name = "completion",
    .summary = "print the completion of this command for bash, zsh or fish",
    .operands = "bash|zsh|fish",
    .about = "Prints a script by which the shell completes commands, options and names. make install puts them\n"
             "where the shells look for them; by hand: source <(sfnec completion bash), or\n"
             "sfnec completion fish > ~/.config/fish/completions/sfnec.fish.",
    .args = table,
    .values_size = 1,
    .run = run_completion,
};

// ---- what an option takes ----

static void print_env_names(void) {
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) printf("%s%s", i ? " " : "", kind->name);
}

static void print_agent_names(void) {
  const sfnec_agent_preset *preset;
  for (size_t i = 0; (preset = sfnec_agent_preset_at(i)); i++) printf("%s%s", i ? " " : "", preset->name);
}

// the keys of --set: those of the agent, and those of worlds that are not among them yet
static void print_keys(void) {
  const sfnec_option_set *agent = sfnec_agent_option_set();
  for (const sfnec_option *row = agent->rows; row->name; row++)
    printf("%s%s=", row == agent->rows ? "" : " ", row->name);
  text_list seen = {0};
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    for (const sfnec_option *row = sfnec_env_kind_option_set(kind)->rows; row->name; row++) {
      bool known = false;
      for (size_t j = 0; j < seen.count; j++) known = known || strcmp(seen.items[j], row->name) == 0;
      if (!known) printf(" %s=", row->name);
      if (!known) text_push(&seen, row->name);
    }
  }
  text_clear(&seen);
}

typedef void (*printer)(void);

// What prints the words that an option can take; NULL: any text, or the name of a file.
static printer words_of(const arg *row) {
  if (strcmp(row->name, "env") == 0) return print_env_names;
  if (strcmp(row->name, "agent") == 0 || strcmp(row->name, "agents") == 0) return print_agent_names;
  return strcmp(row->name, "set") == 0 ? print_keys : NULL;
}

// "envs|agents|options": the words that a command takes as its operand
static bool is_choice(const char *operands) {
  return strchr(operands, '|') != NULL;
}

static void print_choice(const char *operands) {
  for (; *operands; operands++) putchar(*operands == '|' ? ' ' : *operands);
}

// ---- bash ----

static void print_bash_command(const command *command) {
  printf("    %s) words='--help", command->name);
  for (const arg *row = command->args; row->name; row++) printf(" --%s", row->name);
  printf("'");
  if (is_choice(command->operands)) {
    printf("; operands='");
    print_choice(command->operands);
    printf("'");
  }
  printf(" ;;\n");
}

static void print_bash(void) {
  printf("# bash completion of sfnec; made by `sfnec completion bash`\n"
         "_sfnec() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words='' operands=''\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W 'help --help --version");
  for (size_t i = 0; commands[i]; i++) printf(" %s", commands[i]->name);
  printf("' -- \"$current\"))\n    return\n  fi\n  case $previous in\n    --env) words='");
  print_env_names();
  printf("' ;;\n    --agent|--agents) words='");
  print_agent_names();
  printf("' ;;\n    --set) compopt -o nospace; words='");
  print_keys();
  printf("' ;;\n  esac\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n"
         "    help) operands='");
  for (size_t i = 0; commands[i]; i++) printf("%s%s", i ? " " : "", commands[i]->name);
  printf("' ;;\n");
  for (size_t i = 0; commands[i]; i++) print_bash_command(commands[i]);
  // without words of ours the shell completes names of files
  printf("  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) [ -z \"$operands\" ] || COMPREPLY=($(compgen -W \"$operands\" -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -F _sfnec sfnec\n");
}

// ---- zsh ----

// a text between single quotes, in which _arguments and _describe read colons and brackets
static void print_zsh_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\'') printf("'\\''");
    else if (strchr(":[]\\", *text)) printf("\\%c", *text);
    else putchar(*text);
  }
}

static void print_zsh_option(const arg *row) {
  printf(" \\\n        '%s--%s%s[", row->type == ARG_LIST ? "*" : "", row->name, row->type == ARG_FLAG ? "" : "=");
  print_zsh_text(row->help);
  printf("]");
  if (row->type != ARG_FLAG) {
    printf(":");
    print_zsh_text(row->value);
    const printer words = words_of(row);
    printf(words ? ":(" : ":_files");
    if (words) words();
    if (words) printf(")");
  }
  printf("'");
}

static void print_zsh(void) {
  printf("#compdef sfnec\n# zsh completion of sfnec; made by `sfnec completion zsh`\n"
         "_sfnec() {\n  local -a commands\n  commands=(\n    'help:show the help of a command'\n");
  for (size_t i = 0; commands[i]; i++) {
    printf("    '%s:", commands[i]->name);
    print_zsh_text(commands[i]->summary);
    printf("'\n");
  }
  printf("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n    help) _describe command commands ;;\n");
  for (size_t i = 0; commands[i]; i++) {
    printf("    %s)\n      _arguments '--help[show the help]'", commands[i]->name);
    for (const arg *row = commands[i]->args; row->name; row++) print_zsh_option(row);
    if (is_choice(commands[i]->operands)) {
      printf(" \\\n        '1:what:(");
      print_choice(commands[i]->operands);
      printf(")'");
    } else {
      printf(" \\\n        '*:file:_files'");
    }
    printf(" ;;\n");
  }
  printf("  esac\n}\n_sfnec \"$@\"\n");
}

// ---- fish ----

static void print_fish_text(const char *text) {
  putchar('\'');
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('\'');
}

static void print_fish_option(const command *command, const arg *row) {
  printf("complete -c sfnec -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
  const printer words = words_of(row);
  if (words) {
    printf(" -x -a '");
    words();
    printf("'");
  } else if (row->type != ARG_FLAG) {
    printf(" -r");
  }
  printf(" -d ");
  print_fish_text(row->help);
  printf("\n");
}

static void print_fish(void) {
  printf("# fish completion of sfnec; made by `sfnec completion fish`\n");
  for (size_t i = 0; commands[i]; i++) {
    const command *command = commands[i];
    printf("complete -c sfnec -f -n __fish_use_subcommand -a %s -d ", command->name);
    print_fish_text(command->summary);
    printf("\n");
    if (is_choice(command->operands)) {
      printf("complete -c sfnec -f -n '__fish_seen_subcommand_from %s' -a '", command->name);
      print_choice(command->operands);
      printf("'\n");
    }
    for (const arg *row = command->args; row->name; row++) print_fish_option(command, row);
  }
}

static int run_completion(const void *values, const text_list *operands) {
  (void)values;
  const char *shell = operands->items[0];
  if (strcmp(shell, "bash") == 0) print_bash();
  else if (strcmp(shell, "zsh") == 0) print_zsh();
  else if (strcmp(shell, "fish") == 0) print_fish();
  else return misuse("there is no completion for '%s'; say bash, zsh or fish", shell);
  return EXIT_OK;
}
