// index.h: exact k nearest neighbours of float keys under squared Euclidean distance.
//
// Every kind of index gives the same answers to the bit: the k keys with the least (distance, insertion order), where
// the distance is the kernel's. The flat scan is the specification, every other kind is tested against it.
#ifndef SFNEC_INDEX_INDEX_H
#define SFNEC_INDEX_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "index/weight.h"
#include "sfnec/status.h"
#include "simd/simd.h"

typedef struct sfnec_index sfnec_index;

// What the indexes of one owner share: the way they code keys, so that a query is coded once for all of them. It
// outlives its members; one thread at a time uses it and them.
typedef struct sfnec_index_family sfnec_index_family;

typedef struct sfnec_neighbour {
  float squared; // squared distance to the query
  uint32_t slot; // where the key lives, until it is removed
} sfnec_neighbour;

// When neighbours are worth finding: if the mean of their scores, weighted by distance, less the penalty times
// min(1, distance to the nearest), may reach a floor.
typedef struct sfnec_worth {
  float floor;
  double penalty; // 0 or more
  sfnec_weighting weighting;
} sfnec_worth;

// Instead of the number of neighbours: they are not worth finding.
#define SFNEC_WORTHLESS UINT32_MAX

// What a kind of index can do. A kind embeds struct sfnec_index as its first member.
typedef struct sfnec_index_ops {
  const char *name;
  void (*destroy)(sfnec_index *index);
  // Copies a key (key_size) in and says which slot it got: the least free one, so slots stay below the greatest number
  // of keys held at once. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
  sfnec_status (*insert)(sfnec_index *index, const float *key, uint32_t *slot);
  // Frees a slot in use.
  void (*remove)(sfnec_index *index, uint32_t slot);
  // Puts another key into a slot in use. It counts as inserted just now. Fails with SFNEC_ERROR_MEMORY, and then
  // nothing has changed.
  sfnec_status (*replace)(sfnec_index *index, uint32_t slot, const float *key);
  // The k nearest keys, nearest first, ties by insertion order; returns how many (fewer than k if there are fewer).
  uint32_t (*search)(const sfnec_index *index, const float *query, uint32_t k, sfnec_neighbour *out);
  // The key in a slot; valid until the next insert, remove or replace.
  const float *(*key)(const sfnec_index *index, uint32_t slot);
  // A number that grows with each insertion: the insertion order of the key in a slot.
  uint64_t (*order)(const sfnec_index *index, uint32_t slot);
  size_t (*bytes)(const sfnec_index *index);

  // The rest is NULL in an index that cannot do it.

  // Packs the index: its keys will not change for a long time. They still may.
  void (*freeze)(sfnec_index *index);
  // Gives a key a score; a new key has +INFINITY.
  void (*set_score)(sfnec_index *index, uint32_t slot, float score);
  // Like search, or SFNEC_WORTHLESS if they are certainly not worth finding, by 1e-9 of the parts of the mean or more.
  uint32_t (*search_worth)(const sfnec_index *index, const float *query, uint32_t k, const sfnec_worth *worth,
                           sfnec_neighbour *out);
  // Makes an index that holds no key yet a member of a family.
  void (*join)(sfnec_index *index, sfnec_index_family *family);
} sfnec_index_ops;

struct sfnec_index {
  const sfnec_index_ops *ops;
  const sfnec_simd *simd;
  size_t key_size;
  uint32_t count; // keys held
};

// The flat scan: compares the query with every key.
sfnec_status sfnec_index_flat_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out);

// The fast index: a tree over short codes of the keys rules most of them out before it looks at them.
sfnec_status sfnec_index_fast_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out);

enum { SFNEC_INDEX_KIND_FLAT, SFNEC_INDEX_KIND_FAST };

// An index of one of these kinds.
sfnec_status sfnec_index_create(int kind, const sfnec_simd *simd, size_t key_size, sfnec_index **out);

static inline void sfnec_index_destroy(sfnec_index *index) {
  if (index) index->ops->destroy(index);
}

// NULL if out of memory.
sfnec_index_family *sfnec_index_family_create(void);
void sfnec_index_family_destroy(sfnec_index_family *family); // NULL is fine

// Frees the room of a flat index that no key needs now.
void sfnec_index_flat_trim(sfnec_index *index);

#endif
