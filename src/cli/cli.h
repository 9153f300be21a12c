// cli.h: what every file of the sfnec command shares: exit codes, the form of a command, and how errors are reported.
#ifndef SFNEC_CLI_CLI_H
#define SFNEC_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/args.h"
#include "sfnec/sfnec.h"

// Functions of the command that can fail return one of these, and have reported the error by then.
// EXIT_PIPE: nobody reads on, as in `sfnec export DIR --csv - | head`; what a shell says of a program that SIGPIPE
// ended.
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130, EXIT_PIPE = 141 };

// A subcommand: its description feeds `sfnec --help`, `sfnec CMD --help` and the parsing.
typedef struct command {
  const char *name;
  const char *summary;  // one line, no full stop
  const char *operands; // as shown in the usage line: "" for none, else it takes one...
  bool more_operands;   // ...or more
  const char *about;    // a paragraph for the help
  const arg *args;      // the last row has name NULL
  size_t values_size;   // of the struct that the rows fill
  int (*run)(const void *values, const text_list *operands);
} command;

extern const command command_run, command_status, command_stats, command_plot, command_report, command_export,
    command_export_c, command_slurm, command_train, command_compare, command_learn, command_cover, command_eval,
    command_watch, command_film, command_inspect, command_list, command_new_env, command_clean, command_completion;
// All of them, in the order of the help; the last is NULL.
extern const command *const commands[];

// Tells one error: "sfnec: " and the sentence, on stderr.
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
// The same, with the exit code, so that a failing function is one line.
#define fail(...) (complain(__VA_ARGS__), EXIT_FAILED)
#define misuse(...) (complain(__VA_ARGS__), EXIT_USAGE)
// The exit code for a status of the library. Reports an error: a refused option is a wrong use of the command, the rest
// are failures.
int code_of(sfnec_status status);

// Prints the options of an environment, by name or file; reports errors.
int list_env_options(const char *name);

// Writes out what was printed on stdout so far, and notices a full disk (reported once) or a closed pipe (not
// reported).
int flush_output(void);

// Zeroed memory; ends the program with a sentence if there is none.
void *must_alloc(size_t count, size_t size);
void *must_realloc(void *block, size_t count, size_t size);
char *must_copy(const char *text);

#endif
