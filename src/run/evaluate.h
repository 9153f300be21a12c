// evaluate.h: zero-shot evaluation (sfnec/run.h), and what it met on the way.
#ifndef SFNEC_RUN_EVALUATE_H
#define SFNEC_RUN_EVALUATE_H

#include "sfnec/run.h"

// How long an evaluation is, and what it keeps.
typedef struct sfnec_evaluation_plan {
  int64_t steps;         // transitions, at most
  int64_t episodes;      // episodes, at most; 0: as many as the steps hold
  int64_t episode_steps; // an episode is cut off after so many; 0: never
  double *features;      // (feature_count): phi of every transition is added; NULL: to nothing
  double *returns;  // undiscounted reward of each episode, and its transitions: room for `episodes`, or for `steps`;
  int64_t *lengths; // NULL: not kept
} sfnec_evaluation_plan;

// As sfnec_run_evaluate, by a plan.
sfnec_status sfnec_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                            const sfnec_evaluation_plan *plan, sfnec_evaluation *out);

#endif
