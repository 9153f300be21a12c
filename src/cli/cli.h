// cli.h: what every file of the sfnec command shares: exit codes, the form of a command, and how errors are told.
#ifndef SFNEC_CLI_CLI_H
#define SFNEC_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/args.h"
#include "sfnec/sfnec.h"

// Functions of the command that can fail return one of these, and have told the error by then.
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

// A subcommand: its description feeds `sfnec --help`, `sfnec CMD --help` and the parsing.
typedef struct command {
  const char *name;
  const char *summary;  // one line, no full stop
  const char *operands; // as shown in the usage line; "" if there are none
  size_t least_operands, most_operands;
  const char *about;  // a paragraph for the help
  const arg *args;    // the last row has name NULL
  size_t values_size; // of the struct that the rows fill
  int (*run)(const void *values, const text_list *operands);
} command;

extern const command command_run;
extern const command command_status;
extern const command command_stats;
extern const command command_plot;
extern const command command_report;
extern const command command_export;
extern const command command_slurm;
extern const command command_train;
extern const command command_compare;
extern const command command_eval;
extern const command command_watch;
extern const command command_film;
extern const command command_inspect;
extern const command command_list;

// Tells one error: "sfnec: " and the sentence, on stderr.
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
// The same, and returns EXIT_FAILED or EXIT_USAGE, so that a failing function is one line.
__attribute__((format(printf, 1, 2))) int fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) int misuse(const char *format, ...);
// Tells the library's last error: a refused option is a wrong use of the command, the rest are failures.
int fail_library(sfnec_status status);

// Writes out what was printed on stdout so far, and notices a full disk or a closed pipe (told once).
int flush_output(void);

// Zeroed memory; ends the program with a sentence if there is none.
void *must_alloc(size_t count, size_t size);
void *must_realloc(void *block, size_t count, size_t size);
char *must_copy(const char *text);

#endif
