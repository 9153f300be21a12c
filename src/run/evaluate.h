// evaluate.h: zero-shot evaluation (sfnec/run.h), and what it met on the way.
#ifndef SFNEC_RUN_EVALUATE_H
#define SFNEC_RUN_EVALUATE_H

#include "sfnec/run.h"

// As sfnec_run_evaluate, and adds phi of every transition to `features` (feature_count); NULL: to nothing.
sfnec_status sfnec_evaluate_features(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                                     int64_t steps, int64_t episode_steps, double *features, sfnec_evaluation *out);

#endif
