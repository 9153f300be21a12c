// bins.h: the curve of a task: its transitions cut into bins, and what is recorded of each (sfnec_bin_result).
//
// A task of so many steps has bins that end at even shares of them. One that ends by episodes has bins of a width that
// doubles, two becoming one, whenever there would be too many of them; so widths of several runs are multiples of each
// other.
#ifndef SFNEC_RUN_BINS_H
#define SFNEC_RUN_BINS_H

#include "base/file.h"
#include "sfnec/run.h"

enum { SFNEC_BINS_MOST = 10000 };

typedef struct sfnec_bins {
  sfnec_bin_result *items; // (count) the last one may be open
  uint32_t count;          // there is room for `most`, unless they were read and not reserved
  uint32_t most;           // how many there may be; 0: none are recorded
  int64_t task_steps;      // of the task; 0: it ends by episodes
  int64_t width;           // of a bin then
  int64_t steps;           // transitions so far
  int64_t end;             // where the last bin ends
} sfnec_bins;

// Makes room for all bins that there may be, as a task that is resumed needs it. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_bins_reserve(sfnec_bins *bins);
// Begins the bins of a task, with the memory for all of them. Whatever was there must have been freed. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_bins_begin(sfnec_bins *bins, const sfnec_run_options *options);
void sfnec_bins_free(sfnec_bins *bins);
// Is the last bin full, or is there none yet? Inline, because every step calls it.
static inline bool sfnec_bins_full(const sfnec_bins *bins) {
  return bins->steps == bins->end;
}
// Opens the next bin when the last one is full.
void sfnec_bins_open(sfnec_bins *bins);

// The bins of a task as bytes, and back from a file of that edition: `task_steps` is the limit of a task, `steps` are
// those of this one so far. Only what the file holds has room. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
void sfnec_bins_write(const sfnec_bins *bins, sfnec_writer *writer);
sfnec_status sfnec_bins_read(sfnec_bins *bins, uint32_t edition, int64_t task_steps, int64_t steps,
                             sfnec_reader *reader);

#endif
