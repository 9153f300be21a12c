// parts.h: the inside of a memory, shared by memory.c (what it does) and memory_file.c (how it is saved).
#ifndef SFNEC_MEMORY_PARTS_H
#define SFNEC_MEMORY_PARTS_H

#include "memory/keymap.h"
#include "memory/memory.h"
#include "memory/recency.h"

struct sfnec_memory {
  sfnec_memory_shape shape;
  sfnec_index *index;     // the keys
  sfnec_keymap keymap;    // key bytes -> slot
  sfnec_recency used;     // slots by last use
  sfnec_recency inserted; // slots by insertion
  float *values;          // (reserved, value_size)
  uint32_t *ranks;        // (reserved): room that saving and loading need, so that saving cannot run out of memory
  uint32_t reserved;      // slots that all of these have room for
  uint64_t keys_version;
  uint64_t values_version;
  uint64_t digest, digest_version; // of the keys, and of which version of them; 0: none

  // scores of the entries, for ruling the memory out; the index holds them
  uint64_t stamp;   // of the weights below; 0: entries have no scores
  double *w;        // (value_size)
  double magnitude; // the greatest sum of |value_j w_j| that any entry had since
};

// Scores an entry anew after its value changed; does nothing if entries have no scores.
void sfnec_memory_rescore(sfnec_memory *memory, uint32_t slot);

// Makes room for so many entries. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_reserve(sfnec_memory *memory, uint32_t entries);

// Inserts a key that is not there, as the most recently used one; its value is the caller's to fill in. Room for one
// more entry was reserved. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_insert(sfnec_memory *memory, const float *key, uint32_t hash, uint32_t *slot);

// The weight of a neighbour before the weights are made to add up to 1; falls with the distance.
double sfnec_memory_weight(const void *shape, float squared);
// Fills in the weights of the neighbours that a look-up found.
void sfnec_memory_weigh(const sfnec_memory *memory, sfnec_lookup *lookup);

#endif
