// encoder.h: how the planner learns to read observations: a log of raw transitions, the relevance of components and the
// filter of noise that are fitted to it in slices, noise on features, and when what the model reads has to change.
//
// The encoder decides and the model reads: scaling.h drops components and rounds noisy levels by the verdicts that the
// encoder hands over (sfnec_refit_begin). Until that refit is done nothing changes.
#ifndef SFNEC_AGENT_PLAN_ENCODER_H
#define SFNEC_AGENT_PLAN_ENCODER_H

#include "agent/plan/feature_noise.h"
#include "agent/plan/filter.h"
#include "agent/plan/relevance.h"
#include "agent/plan/transition_log.h"
#include "agent/psi.h"
#include "base/file.h"

typedef struct sfnec_encoder {
  const sfnec_psi_config *config;
  uint64_t seed;
  sfnec_transition_log log;
  sfnec_relevance relevance;    // the verdicts, in force as soon as the model was made again by them
  sfnec_relevance_fit *fit;     // under way; NULL: none
  sfnec_filter filter;          // of noise, in force; none if there is no noise
  sfnec_filter_fit *filter_fit; // under way; NULL: none
  sfnec_feature_noise feature_noise;
  uint64_t features_from; // transitions of the log before this one have features of earlier tasks
  bool changed;           // the model does not read by these verdicts yet
  float *features;        // (n): scratch
  double *denoised;       // (n): features without noise
} sfnec_encoder;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_encoder_init(sfnec_encoder *encoder, const sfnec_psi_config *config, uint64_t seed);
void sfnec_encoder_clear(sfnec_encoder *encoder);
size_t sfnec_encoder_bytes(const sfnec_encoder *encoder);

// Features (n) without noise, until the next call.
const double *sfnec_encoder_denoise(sfnec_encoder *encoder, const double *features);
// Logs a transition from an observation with its features (n), and works on a fit that is due. Sets `changed` when
// verdicts have changed. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_encoder_see(sfnec_encoder *encoder, const float *before, const sfnec_transition *transition,
                               const double *features);
// With predict=reward another task begins: features so far are those of other rewards.
void sfnec_encoder_forget_features(sfnec_encoder *encoder);
// Whether the log has all transitions, with the features of the present task.
bool sfnec_encoder_has_all(const sfnec_encoder *encoder);

void sfnec_encoder_save(const sfnec_encoder *encoder, sfnec_writer *writer);
// Into one that was initialised. Everything is checked. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_encoder_load(sfnec_encoder *encoder, sfnec_reader *reader);

#endif
