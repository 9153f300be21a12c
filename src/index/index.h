// index.h: exact k nearest neighbours of float keys under squared Euclidean distance.
//
// Every kind of index gives the same answers to the bit: the k keys with the least (distance, insertion order), where a
// distance is what the SIMD level computes. The flat scan is the specification; the other kind is tested against it.
//
// A search changes nothing but the scratch that it is given, so several threads may search one index at once, each with
// a scratch of its own, while nobody changes it.
#ifndef SFNEC_INDEX_INDEX_H
#define SFNEC_INDEX_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "index/weight.h"
#include "sfnec/status.h"
#include "simd/simd.h"

typedef struct sfnec_index sfnec_index;

// How keys are coded (fast/code.h), shared by the indexes of one owner, so that a query is coded once for all of them.
// It outlives the indexes; one thread at a time changes them.
typedef struct sfnec_codebook sfnec_codebook;

// What a search changes: the lists that it works with, the queries coded last, and how the filters of the indexes have
// proved. One serves any indexes, one search at a time.
typedef struct sfnec_index_scratch sfnec_index_scratch;

typedef struct sfnec_neighbour {
  float squared; // squared distance to the query
  uint32_t slot; // where the key lives, until it is removed
} sfnec_neighbour;

// When a search may stop early: if the mean of the neighbours' values, weighted by distance, less the penalty times
// min(1, distance to the nearest), certainly stays below a floor.
typedef struct sfnec_pruning {
  float floor;
  double penalty; // 0 or more
  sfnec_weighting weighting;
  const float
      *value_bounds; // (positions): numbers that the values of the keys at these positions do not exceed; no NaN
} sfnec_pruning;

// Instead of the number of neighbours: the search was pruned.
#define SFNEC_PRUNED UINT32_MAX
// No position, no leaf, no node.
#define SFNEC_NOWHERE UINT32_MAX

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
  uint32_t (*search)(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                     sfnec_neighbour *out);
  // The key in a slot; valid until the next insert, remove or replace.
  const float *(*key)(const sfnec_index *index, uint32_t slot);
  // A number that grows with each insertion: the insertion order of the key in a slot.
  uint64_t (*order)(const sfnec_index *index, uint32_t slot);
  size_t (*bytes)(const sfnec_index *index);

  // The others are NULL in an index that cannot do it.

  // Makes room for so many keys at once, so that inserting them allocates nothing. Fails with SFNEC_ERROR_MEMORY.
  sfnec_status (*reserve)(sfnec_index *index, uint32_t keys);
  // Packs the index: its keys will not change for a long time. They still may.
  void (*freeze)(sfnec_index *index);
  // Makes an index that holds no key yet code its keys by this codebook.
  void (*join)(sfnec_index *index, sfnec_codebook *codebook);
  // Like search, or SFNEC_PRUNED: then the mean stays below the floor by 1e-9 of its parts or more.
  uint32_t (*search_pruned)(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                            const sfnec_pruning *pruning, sfnec_neighbour *out);
  // The position of a slot in use, for value_bounds, or SFNEC_NOWHERE. Keys that a search meets together lie at
  // positions close together. Positions are below `positions`, and stay as they are while index->layout does.
  uint32_t (*position)(const sfnec_index *index, uint32_t slot);
  uint32_t (*positions)(const sfnec_index *index);
} sfnec_index_ops;

struct sfnec_index {
  const sfnec_index_ops *ops;
  const sfnec_simd *simd;
  size_t key_size;
  uint32_t count;  // keys held
  uint64_t layout; // changes whenever a position does
};

enum { SFNEC_INDEX_KIND_FLAT, SFNEC_INDEX_KIND_FAST };

// An index of one of these kinds.
sfnec_status sfnec_index_create(int kind, const sfnec_simd *simd, size_t key_size, sfnec_index **out);

// The flat scan: compares the query with every key. It needs no scratch.
sfnec_status sfnec_index_flat_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out);
// Frees what no key of a flat index needs now.
void sfnec_index_flat_trim(sfnec_index *index);

// The fast index: a tree over short codes of the keys rules most of them out before it looks at them.
sfnec_status sfnec_index_fast_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out);

static inline void sfnec_index_destroy(sfnec_index *index) {
  if (index) index->ops->destroy(index);
}

// NULL if out of memory; destroying NULL is fine.
sfnec_codebook *sfnec_codebook_create(void);
void sfnec_codebook_destroy(sfnec_codebook *codebook);

// NULL if out of memory; destroying NULL is fine. A scratch grows with the indexes that it is used for; if there is no
// memory for that, the flat scan answers, with the same result.
sfnec_index_scratch *sfnec_index_scratch_create(void);
void sfnec_index_scratch_destroy(sfnec_index_scratch *scratch);
size_t sfnec_index_scratch_bytes(const sfnec_index_scratch *scratch);

#endif
