// args.h: the arguments of a subcommand, parsed by a table that also makes its help.
#ifndef SFNEC_CLI_ARGS_H
#define SFNEC_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/text.h"
#include "sfnec/agent.h"

typedef enum arg_type {
  ARG_FLAG, // bool
  ARG_TEXT, // const char *, points into argv
  ARG_LIST, // text_list: may be given several times
  ARG_INT,  // int64_t in [least, most]
  ARG_SEED, // arg_seed
} arg_type;

typedef struct arg_seed {
  uint64_t value;
  bool given;
} arg_seed;

typedef struct arg {
  const char *name; // without the two dashes
  arg_type type;
  size_t offset;       // of the field in the struct that the table fills
  const char *value;   // how the value is called in the help; NULL for flags
  const char *initial; // the default as text; NULL: the field stays zero
  int64_t least, most; // of ARG_INT
  const char *help;    // one line, no full stop
} arg;

// The help of --env where a saved agent plays.
#define ENV_PLAYED "where it plays, NAME or FILE.so (default: where it was trained, unless that was a plugin)"

struct command;

// Fills `values` (zeroed by the caller) from the defaults and argv, and collects the operands. `helped`: --help was
// asked for and printed, and nothing is left to do.
// With --env NAME before it the help ends with the options of that environment.
int args_parse(const struct command *command, int argc, char **argv, void *values, text_list *operands, bool *helped);
// Frees the lists in `values`.
void args_clear(const struct command *command, void *values);
// Prints `sfnec CMD --help`.
void args_help(const struct command *command);

// The value of --w: weights "A,B,...", one per feature of the environment; anything else is refused with its names.
int weights_parse(const char *text, const sfnec_env *env, double *w);
// The same, one per feature of an agent.
int weights_parse_of(const char *text, const sfnec_agent *agent, double *w);

#endif
