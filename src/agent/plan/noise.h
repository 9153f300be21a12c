// noise.h: noise on observations: how large it is, and in which directions keys are more than noise.
//
// Many components: white noise has the same variance in every direction, and what one observation has of it the next
// one does not. So the principal directions of the scaled observations are signal as long as they stand out of an even
// spectrum (probabilistic PCA, Tipping and Bishop 1999), and the rest is noise
// if it is uncorrelated with the next observation. Keys are then projections on the signal.
//
// Below SFNEC_NOISE_COMPONENTS_LEAST components there are too few directions to compare, and no noise is looked for.
#ifndef SFNEC_AGENT_PLAN_NOISE_H
#define SFNEC_AGENT_PLAN_NOISE_H

#include "agent/plan/scaling.h"
#include "agent/plan/transition_log.h"

typedef struct sfnec_key_noise {
  uint32_t rank; // directions that are signal; 0: all
  float squared; // expected squared length of the noise of one key; 0: none was found
} sfnec_key_noise;

// Finds white noise among the components that make the key, if there are many. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_noise_find(const sfnec_scaling *scaling, const sfnec_transition_log *log, sfnec_key_noise *noise);

#endif
