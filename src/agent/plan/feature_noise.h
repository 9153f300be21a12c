// feature_noise.h: noise on reward features that are nearly always the same: removed by hard thresholding.
//
// Rewards are mostly sparse: a feature has its usual value, and now and then another. Noise on every step hides that,
// and what the model would average over many visits makes any state seem worth a little. So what is no further from
// the median than noise goes counts as the median: its standard deviation is estimated by the median absolute
// deviation, and the threshold is the universal one, sqrt(2 ln n) of it (Donoho and Johnstone 1994), beyond which
// hardly one of n normal deviations lies. What is further away stays as it is, and is averaged by samples.
//
// Deviations are noise only if they follow from nothing: neither from those of the steps before nor from the action.
#ifndef SFNEC_AGENT_PLAN_FEATURE_NOISE_H
#define SFNEC_AGENT_PLAN_FEATURE_NOISE_H

#include "agent/plan/transition_log.h"

typedef struct sfnec_feature_noise {
  size_t size;
  float *usual, *reach; // (size each): the usual value, and how far noise goes from it; 0: there is none
} sfnec_feature_noise;

// No noise. Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_feature_noise_init(sfnec_feature_noise *noise, size_t size);
void sfnec_feature_noise_clear(sfnec_feature_noise *noise);
// Whether any feature has noise.
bool sfnec_feature_noise_any(const sfnec_feature_noise *noise);
// Forgets it: features are others now.
void sfnec_feature_noise_forget(sfnec_feature_noise *noise);
// Looks for noise in the last transitions of a log, `most` at most; *found: in a feature that had none, or in one no
// more. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_feature_noise_fit(sfnec_feature_noise *noise, const sfnec_transition_log *log, uint64_t most,
                                     bool *found);
// A feature without its noise.
double sfnec_feature_noise_remove(const sfnec_feature_noise *noise, size_t feature, double value);

void sfnec_feature_noise_save(const sfnec_feature_noise *noise, sfnec_writer *writer);
// Into one that was initialised. Everything is checked. Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_feature_noise_load(sfnec_feature_noise *noise, sfnec_reader *reader);

#endif
