// solved.h: whether runs solve their environment: so high a mean return over so many episodes in a row.
#ifndef SFNEC_STATS_SOLVED_H
#define SFNEC_STATS_SOLVED_H

#include "study/store/results.h"

typedef struct sfnec_goal {
  double mean;     // the return to reach
  uint32_t window; // on average over so many episodes in a row; 0: no goal
} sfnec_goal;

// The runs of one configuration that have at least a window of recorded episodes in a task.
typedef struct sfnec_solved {
  size_t runs, solved;
  double best, best_error;   // the highest mean of a window, over the runs; NaN without any
  double after, after_error; // episodes until the first window that reaches the goal ends, over the solved runs
} sfnec_solved;

// In the task of that number, from 1. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_solved_find(const sfnec_results *results, size_t configuration, sfnec_goal goal, uint32_t task,
                               sfnec_arena *arena, sfnec_solved *out);

#endif
