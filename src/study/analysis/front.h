// front.h: what an episode of the last evaluation under each weight vector collects of each feature, and which of these
// points are on the Pareto front. The report page draws it.
#ifndef SFNEC_STUDY_ANALYSIS_FRONT_H
#define SFNEC_STUDY_ANALYSIS_FRONT_H

#include "study/analysis/series.h"

typedef struct sfnec_front {
  double *means; // (count, n) of an episode, over the runs
  bool *front;   // (count)
  size_t count, n;
} sfnec_front;

// NULL if results have evaluations under several weight vectors, else why not, as the end of a sentence.
const char *sfnec_front_missing(const sfnec_results *results);
// The points of a configuration, in the arena; a vector that no run was evaluated under is left out. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_front_take(const sfnec_results *results, size_t configuration, sfnec_arena *arena, sfnec_front *out);

#endif
