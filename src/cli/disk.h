// disk.h: what an experiment takes on disk.
#ifndef SFNEC_CLI_DISK_H
#define SFNEC_CLI_DISK_H

#include "cli/text.h"
#include "study/store/results.h"

typedef struct disk_use {
  int64_t all;    // bytes of all files in the folder
  int64_t states; // of these, states of jobs that are done: they serve only to go on with more tasks
  int64_t going;  // and checkpoints of jobs that are not
} disk_use;

// Of the experiment in a folder, whose jobs are those of the results.
disk_use disk_measure(const char *folder, const sfnec_results *results);
// A size as "12.3 MB".
const char *disk_text(int64_t bytes, char text[TEXT_NUMBER]);

#endif
