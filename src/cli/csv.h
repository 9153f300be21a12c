// csv.h: results as comma-separated values: agent,seed,task,return,episodes,entries,seconds.
#ifndef SFNEC_CLI_CSV_H
#define SFNEC_CLI_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/output.h"
#include "study/store/task_record.h"

// All zero: no file was asked for, and every call does nothing.
typedef struct csv {
  const char *path;
  FILE *file;
  bool stream;  // a pipe, a device or a link: rows cannot be written again in another order
  output final; // what csv_begin_final writes
} csv;

// Creates the file with its header; refuses a path that cannot be written. NULL: no file.
int csv_open(csv *csv, const char *path);
// One row per task, numbered from 1, written through to the system at once.
int csv_rows(csv *csv, const char *agent, uint64_t seed, const sfnec_task_record *tasks, uint32_t count);
// Starts over beside the file; csv_close then puts the new rows in the place of the old ones in one go. A stream goes
// on as it is.
int csv_begin_final(csv *csv);
int csv_close(csv *csv);

#endif
