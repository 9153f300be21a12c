// refit_stages.h: the inside of a refit, shared by refit.c, which has its life, its slices and its file, and
// refit_stages.c, which has its operations.
#ifndef SFNEC_AGENT_PLAN_REFIT_STAGES_H
#define SFNEC_AGENT_PLAN_REFIT_STAGES_H

#include "agent/plan/refit.h"

enum { SFNEC_REFIT_NUMBERS = 16 }; // of a transition, copied or compared in the time of a backup

// What is done next; each stage goes over all of something.
typedef enum sfnec_refit_stage {
  SFNEC_REFIT_GATHER,
  SFNEC_REFIT_COMPARE,
  SFNEC_REFIT_SCALES,
  SFNEC_REFIT_NOISE,
  SFNEC_REFIT_STEP,
  SFNEC_REFIT_TAKE,
  SFNEC_REFIT_POLYNOMIAL,
  SFNEC_REFIT_EXPECT,
  SFNEC_REFIT_PREDICT,
  SFNEC_REFIT_CATCH_UP
} sfnec_refit_stage;

struct sfnec_refit {
  sfnec_model start; // what it begins with: what was seen of components; not fitted
  sfnec_model next;  // what it makes
  bool rereads;      // components are read by other verdicts
  bool compares;     // the transitions are to say whether states come again to the bit; else...
  bool repeats;      // ...they do
  bool alike;        // what came out of it
  bool looked;       // for noise, in the log as it was then; the search, if there is one, knows what it comes to
  sfnec_noise_search *search;
  sfnec_key_noise noise; // that was found
  sfnec_history all;
  uint32_t gathered; // samples of the present model that are among them
  uint32_t first;    // transitions when all was gathered; the others came later
  sfnec_refit_stage stage;
  uint32_t at;     // which transition, action, sample or state is next
  uint64_t worked; // operations done since all was gathered
  sfnec_polynomial polynomial;
  sfnec_polynomial_fitting *fitting; // of an action; NULL: none is under way
  uint32_t *samples;                 // (samples of next): of that action
};

// What a model is to begin with that is made again, into one that was initialised.
sfnec_status sfnec_refit_copy_start(sfnec_model *to, const sfnec_model *from);
// The next operation, and what it cost in backups.
sfnec_status sfnec_refit_operate(sfnec_refit *refit, int64_t *cost);

#endif
