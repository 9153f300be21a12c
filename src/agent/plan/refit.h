// refit.h: a model made again beside the present one, in slices: other scales, or states as others read them.
//
// A refit first takes all that is known as plain transitions (history.h); those that come while it works are added to
// them. From these it makes scales, states and samples, a polynomial and predictions, so many operations at each step,
// and then takes what has come meanwhile. The planner acts by its present model until the next one is whole. What the
// work comes to depends on the transitions and on how much of it is done, not on when: so a file says both, and loading
// does the work again.
#ifndef SFNEC_AGENT_PLAN_REFIT_H
#define SFNEC_AGENT_PLAN_REFIT_H

#include "agent/plan/feature_noise.h"
#include "agent/plan/filter.h"
#include "agent/plan/history.h"
#include "agent/plan/model.h"

typedef struct sfnec_refit sfnec_refit;

// What a model is made again of: the samples of the present one, or, if it has none yet, what is added.
typedef struct sfnec_refit_origin {
  const sfnec_relevance *relevance; // components are read by these verdicts from now on, and what was seen of them is
                                    // taken from the log; NULL: as they were
  const sfnec_filter *filter;       // of the noise in the log
  const sfnec_feature_noise *feature_noise;
  bool from_log; // the log is taken instead of the samples
} sfnec_refit_origin;

// Begins to make a model as `present` would be from other transitions. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_refit_begin(const sfnec_model *present, const sfnec_refit_origin *origin, sfnec_refit **out);
void sfnec_refit_destroy(sfnec_refit *refit); // NULL is fine
size_t sfnec_refit_bytes(const sfnec_refit *refit);
// Whether it makes the first model, or reads components by other verdicts.
// The model that it makes; whole when it is done.
const sfnec_model *sfnec_refit_next(const sfnec_refit *refit);
bool sfnec_refit_rereads(const sfnec_refit *refit);

// A transition that came meanwhile, which the present model has kept in a sample (SFNEC_NONE: there is none yet).
sfnec_status sfnec_refit_add(sfnec_refit *refit, const sfnec_model_transition *transition, uint32_t sample);
// Works on it for what takes as long as so many backups. Fails with SFNEC_ERROR_MEMORY; then it is of no use any more.
sfnec_status sfnec_refit_work(sfnec_refit *refit, const sfnec_model *present, int64_t backups);
bool sfnec_refit_is_done(const sfnec_refit *refit);
// Replaces the present model by the one that is done.
void sfnec_refit_finish(sfnec_refit *refit, sfnec_model *present);

void sfnec_refit_save(const sfnec_refit *refit, sfnec_writer *writer);
// Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_refit_load(const sfnec_model *present, sfnec_reader *reader, sfnec_refit **out);

// ---- what a model measures by (fit.c); all fail with SFNEC_ERROR_MEMORY ----

// Whether most of the moves end where another one did, to the bit: in a tabular environment, or in a tree that begins
// again and again.
sfnec_status sfnec_fit_compare(const sfnec_model *model, const sfnec_history *all, bool *alike);
// Makes scales. `alike`: states come again to the bit, and are states of their own, however near they are to others.
sfnec_status sfnec_fit_scales(sfnec_model *model, const sfnec_history *all, bool alike);
// Makes the projection that keys are under this noise, or by the options, if they are one.
sfnec_status sfnec_fit_projection(sfnec_model *model, const sfnec_history *all, const sfnec_key_noise *noise);
// Makes the length of a step, the radius, and an empty model of them.
sfnec_status sfnec_fit_step(sfnec_model *model, const sfnec_history *all);

#endif
