// output.h: a file that a command writes in one go: whole under its name, or not there.
#ifndef SFNEC_CLI_OUTPUT_H
#define SFNEC_CLI_OUTPUT_H

#include "base/output.h"

typedef struct output {
  const char *option; // for messages
  FILE *file;
  sfnec_output whole; // unused on the standard output
} output;

// Begins a file for an option ("csv"); "-" is the standard output. Refuses a path that cannot be written.
int output_open(output *output, const char *option, const char *path);
// Puts the file in its place if all of it could be written and `code` is EXIT_OK; returns the code of the whole.
int output_close(output *output, int code);

// Refuses a path under which a file cannot be created, before hours of work depend on it.
int check_writable(const char *path, const char *option);

#endif
