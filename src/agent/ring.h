// ring.h: a queue of states and what is to be learned of them: observation, action and some numbers each.
//
// It holds the transitions that wait for their N-step targets (collector.h), the replay buffer of training=batch
// (train/trainer.h), and the targets that wait for a fit of pca (psi_episodic.c). Observations that are pictures are
// kept as bytes, and stacks of frames share them (pictures.h).
#ifndef SFNEC_AGENT_RING_H
#define SFNEC_AGENT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/pictures.h"
#include "base/file.h"
#include "sfnec/env.h"
#include "sfnec/status.h"

// Entries are numbered from the oldest. The arrays grow when they must; the first allocation has space for `least`.
typedef struct sfnec_ring {
  size_t observation_size, number_count;
  size_t least, limit; // at the limit each new entry takes the place of the oldest
  size_t capacity, first, count;
  float *observations; // (capacity, observation_size); of pictures (1, observation_size): the one asked for last
  int32_t *actions;    // (capacity)
  double *numbers;     // (capacity, number_count)
  bool has_pictures;
  sfnec_pictures pictures;
  uint64_t *frames; // (capacity, pictures.stack): of each picture; NULL without pictures
} sfnec_ring;

// One entry but for its observation; valid until the next push.
typedef struct sfnec_ring_entry {
  const double *numbers; // (number_count)
  int32_t action;
} sfnec_ring_entry;

// An empty one that holds no memory yet; limit SIZE_MAX: none.
void sfnec_ring_init(sfnec_ring *ring, size_t observation_size, size_t number_count, size_t least, size_t limit);
// Lets an empty one keep observations as pictures of this shape; one that is none changes nothing.
void sfnec_ring_set_picture(sfnec_ring *ring, const sfnec_picture_shape *picture);
// Frees what it holds; it is empty then, and as usable as before.
void sfnec_ring_clear(sfnec_ring *ring);
size_t sfnec_ring_bytes(const sfnec_ring *ring);

// Space for one more entry, so that the next push cannot fail. Fails with SFNEC_ERROR_MEMORY and changes nothing.
sfnec_status sfnec_ring_reserve(sfnec_ring *ring);
// Space for so many in all.
sfnec_status sfnec_ring_reserve_all(sfnec_ring *ring, size_t entries);
// Adds an entry; returns its numbers (number_count), which are the caller's to fill.
double *sfnec_ring_push(sfnec_ring *ring, const float *observation, int32_t action);
sfnec_ring_entry sfnec_ring_at(const sfnec_ring *ring, size_t i);
// The observation of an entry (observation_size); valid until the next call for this ring.
const float *sfnec_ring_observation(const sfnec_ring *ring, size_t i);
// Do two entries have the same observation, to the bit?
bool sfnec_ring_same_observation(const sfnec_ring *ring, size_t i, size_t j);
// Drops the oldest.
void sfnec_ring_pop(sfnec_ring *ring);

void sfnec_ring_save(const sfnec_ring *ring, sfnec_writer *writer);
// Into an empty one. Fails with SFNEC_ERROR_FORMAT, where `what` names an entry, or SFNEC_ERROR_MEMORY.
sfnec_status sfnec_ring_load(sfnec_ring *ring, int32_t action_count, const char *what, sfnec_reader *reader);

#endif
