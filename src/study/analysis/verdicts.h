// verdicts.h: the published values of a study beside ours.
#ifndef SFNEC_STUDY_ANALYSIS_VERDICTS_H
#define SFNEC_STUDY_ANALYSIS_VERDICTS_H

#include <stdbool.h>

#include "study/store/results.h"

// One published value, which is after a task of its own.
typedef struct sfnec_published_verdict {
  const sfnec_published *published;
  uint32_t task;
  size_t configuration; // that it is of; the rest is unknown without runs
  size_t runs;          // of it that are that far
  double mean, se;      // of their returns, averaged over the tasks so far; NaN without runs, se with one alone
  double errors;        // how many standard errors ours is above it: of both, or of ours alone; may be NaN
} sfnec_published_verdict;

// One for each published value, in their order: *verdicts (results->published_count), to be freed by the caller; they
// point into the results. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_verdicts_make(const sfnec_results *results, sfnec_published_verdict **verdicts);

// Whether the distance is known, and whether it is small enough to speak of the same value: two standard errors.
bool sfnec_verdict_known(const sfnec_published_verdict *verdict);
bool sfnec_verdict_agrees(const sfnec_published_verdict *verdict);

#endif
