// output.h: the files of a command: one that is written in one go, whole under its name or not there, and the table of
// results to which rows are added while a study runs.
#ifndef SFNEC_CLI_OUTPUT_H
#define SFNEC_CLI_OUTPUT_H

#include "base/output.h"
#include "study/store/task_record.h"

// ---- in one go ----

typedef struct output {
  const char *option; // for messages
  FILE *file;
  sfnec_output whole; // unused on the standard output
} output;

// Begins a file for an option ("csv"); "-" is the standard output. Option NULL: the name is ours, in a folder that
// may be a stranger's. Refuses a path that cannot be written.
int output_open(output *output, const char *option, const char *path);
// Puts the file in its place if all of it could be written and `code` is EXIT_OK; returns the code of the whole.
int output_close(output *output, int code);

// Whether a path is "-", the standard output; NULL is none.
bool is_stdout(const char *path);

// Refuses a path under which a file cannot be created, before hours of work depend on it.
int check_writable(const char *path, const char *option);

// ---- row by row: agent,seed,task,return,episodes,entries,seconds ----

// All zero: no file was asked for, and every call does nothing.
typedef struct csv {
  const char *path;
  FILE *file;
  bool stream;  // a pipe, a device or a link: rows cannot be written again in another order
  output final; // what csv_begin_final writes
} csv;

// Creates the file with its header; refuses a path that cannot be written. NULL: no file; "-": the standard output,
// where rows then stand alone.
int csv_open(csv *csv, const char *path);
// One row per task, numbered from 1, written through to the system at once.
int csv_rows(csv *csv, const char *agent, uint64_t seed, const sfnec_task_record *tasks, uint32_t count);
// Starts over beside the file; csv_close then puts the new rows in the place of the old ones in one go. A stream goes
// on as it is.
int csv_begin_final(csv *csv);
int csv_close(csv *csv);

#endif
