// disk.h: what an experiment takes on disk.
#ifndef SFNEC_CLI_DISK_H
#define SFNEC_CLI_DISK_H

#include <stdbool.h>

#include "cli/text.h"
#include "study/plan/plan.h"
#include "study/store/results.h"

typedef struct disk_use {
  int64_t all;    // bytes of all files in the folder
  int64_t states; // of these, states of jobs that are done: they serve only to extend the study by tasks
  int64_t going;  // and checkpoints of jobs that are not
  size_t
      unsaved; // jobs that are marked as running and have no checkpoint: if they were killed, nothing of them is left
} disk_use;

// What a study may leave and take on disk, at most: memories are rarely full, and states are compressed.
typedef struct disk_forecast {
  double agents;      // kept agents
  double states;      // kept states of finished jobs
  double checkpoints; // of jobs that run at the same time; they are gone at the end
} disk_forecast;

// Of all jobs of a plan, by so many workers. Fails with what creating an environment returns.
sfnec_status disk_expect(const sfnec_plan *plan, uint32_t workers, disk_forecast *forecast);

// Of the experiment in a folder, whose jobs are those of the results.
disk_use disk_measure(const char *folder, const sfnec_results *results);
// Whether the folder of an experiment holds a checkpoint or the last state of a job.
bool disk_has_state(const char *folder, const char *job);
// A size as "12.3 MB".
const char *disk_text(int64_t bytes, char text[TEXT_NUMBER]);

#endif
