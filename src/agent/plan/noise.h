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
#include "agent/psi.h"
#include "base/file.h"

typedef struct sfnec_key_noise {
  uint32_t rank; // directions that are signal; 0: all
  float squared; // expected squared length of the noise of one key; 0: none was found
} sfnec_key_noise;

void sfnec_key_noise_save(const sfnec_key_noise *noise, sfnec_writer *writer);
// Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_key_noise_load(sfnec_key_noise *noise, const sfnec_psi_config *config, sfnec_reader *reader);

// A search in slices. It reads the log when it begins; what it finds does not depend on when the work is done.
typedef struct sfnec_noise_search sfnec_noise_search;

// Begins to look for white noise among the components that make the key; *out = NULL: there are too few or too many of
// them, or too few transitions. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_noise_begin(const sfnec_scaling *scaling, const sfnec_transition_log *log, sfnec_noise_search **out);
void sfnec_noise_destroy(sfnec_noise_search *search); // NULL is fine
size_t sfnec_noise_bytes(const sfnec_noise_search *search);
// Works for what takes as long as so many backups, which it subtracts; true: it is done.
bool sfnec_noise_continue(sfnec_noise_search *search, int64_t *backups);
// Begins again, with the same observations.
void sfnec_noise_restart(sfnec_noise_search *search);
// What was found; it is done.
sfnec_key_noise sfnec_noise_found(const sfnec_noise_search *search);

// Does the rest of the work ahead of its time, and writes what it comes to and how much was done. A loaded search
// finds the same, as late. Loading fails with SFNEC_ERROR_FORMAT or _MEMORY.
void sfnec_noise_save(sfnec_noise_search *search, sfnec_writer *writer);
sfnec_status sfnec_noise_load(sfnec_reader *reader, size_t components, sfnec_noise_search **out);

#endif
