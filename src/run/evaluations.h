// evaluations.h: evaluation on the side of a run: what was found in a task, and by what it is played (sfnec/run.h).
//
// An evaluation plays in a world of its own, which begins again each time, and asks the agent by a scratch of its own.
// So it depends on nothing but the agent and the weights, changes nothing of the run, and needs no place in a
// checkpoint.
#ifndef SFNEC_RUN_EVALUATIONS_H
#define SFNEC_RUN_EVALUATIONS_H

#include "base/file.h"
#include "run/play.h"
#include "sfnec/run.h"

// Those of one task.
typedef struct sfnec_evaluations {
  sfnec_evaluation_result *items; // (count)
  double *features;               // (count, n) phi, added up over the transitions of each
  uint32_t count, room;
} sfnec_evaluations;

void sfnec_evaluations_free(sfnec_evaluations *evaluations);
// One more, all zeros, with its features; NULL without memory.
sfnec_evaluation_result *sfnec_evaluations_add(sfnec_evaluations *evaluations, size_t n, double **features);
// As bytes, and back from a file of that edition. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
void sfnec_evaluations_write(const sfnec_evaluations *evaluations, size_t n, sfnec_writer *writer);
sfnec_status sfnec_evaluations_read(sfnec_evaluations *evaluations, size_t n, uint32_t edition, sfnec_reader *reader);

// How a run evaluates; all zeros: it does not.
typedef struct sfnec_evaluator {
  sfnec_evaluate_options options; // its pointers are copies
  sfnec_env *env;
  int64_t next; // the transition of the run after which it evaluates next
  double best;  // the highest mean return so far
} sfnec_evaluator;

void sfnec_evaluator_free(sfnec_evaluator *evaluator);
// Plays all episodes of an evaluation of the task that is played, by its agent, and puts them into `out`. On failure
// `out` is as it was. Fails as sfnec_run_evaluate does.
sfnec_status sfnec_evaluator_play(const sfnec_evaluator *evaluator, const sfnec_play *task, int64_t step,
                                  sfnec_evaluations *out);
// The mean return of an episode over the last `count` evaluations, each weighing the same.
double sfnec_evaluations_mean(const sfnec_evaluations *evaluations, uint32_t count);

#endif
