// memory.h: the differentiable neural dictionary (DND) of one action: keys, values, recency.
//
// A look-up finds the k nearest keys and averages their values with normalised kernel weights (paper, equation 2). A
// write moves the value of a key that is already there (bitwise equal), or inserts it; at capacity the least recently
// used entry goes. Which look-ups count as use is the caller's choice (sfnec_memory_touch), so that asking an agent
// does not change it.
#ifndef SFNEC_MEMORY_MEMORY_H
#define SFNEC_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "index/index.h"
#include "sfnec/status.h"

typedef struct sfnec_memory_config {
  size_t key_size;           // floats of a key
  size_t value_size;         // floats of a value
  uint32_t capacity;         // most entries
  uint32_t neighbours;       // k
  sfnec_weighting weighting; // how neighbours count by their distance
  int index;                 // SFNEC_INDEX_KIND_...
  sfnec_codebook *codebook;  // shared by several memories, or NULL; outlives the memory
  bool tagged;               // entries are found again by a tag of their own, instead of by the bytes of their key
  bool keeps_greater;        // a target replaces a lesser value of an equal entry, and leaves a greater one (MFEC)
} sfnec_memory_config;

typedef struct sfnec_memory sfnec_memory;

// What a memory said about one key. The arrays belong to the caller, who sizes them by the memory's configuration.
typedef struct sfnec_lookup {
  uint32_t count;              // neighbours found; 0 in an empty memory
  sfnec_neighbour *neighbours; // (k), nearest first
  double *weights;             // (k), they add up to 1
  double *value;               // (value_size): sum of weight * value; zeros in an empty memory
} sfnec_lookup;

sfnec_status sfnec_memory_create(const sfnec_memory_config *config, const sfnec_simd *simd, sfnec_memory **out);
void sfnec_memory_destroy(sfnec_memory *memory); // NULL is fine

uint32_t sfnec_memory_count(const sfnec_memory *memory);
size_t sfnec_memory_bytes(const sfnec_memory *memory);
const float *sfnec_memory_key(const sfnec_memory *memory, uint32_t slot);   // valid until the next write
const float *sfnec_memory_value(const sfnec_memory *memory, uint32_t slot); // valid until the next write

// Numbers that change whenever the keys, or the values, do: a look-up made at an equal number is still true. Never 0.
uint64_t sfnec_memory_keys_version(const sfnec_memory *memory);
uint64_t sfnec_memory_values_version(const sfnec_memory *memory);

// Finds the neighbours of a key and their weights; leaves lookup->value alone. Several threads may look up in one
// memory at once, each with a scratch of its own, while nobody changes it.
void sfnec_memory_search(const sfnec_memory *memory, sfnec_index_scratch *scratch, const float *key,
                         sfnec_lookup *lookup);
// Blends the present values of the neighbours found into lookup->value.
void sfnec_memory_blend(const sfnec_memory *memory, sfnec_lookup *lookup);
// Counts a look-up as use: the neighbours become the most recently used entries, the nearest one last.
void sfnec_memory_touch(sfnec_memory *memory, const sfnec_lookup *lookup);

// Writes a value: moves an equal key's value by alpha towards it, or inserts; either makes the entry the most recently
// used one. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_write(sfnec_memory *memory, const float *key, const double *value, double alpha);
// The same in a tagged memory, for the entry with this tag, which gets this key. Then several entries may have one key.
sfnec_status sfnec_memory_write_tagged(sfnec_memory *memory, uint64_t tag, const float *key, const double *value,
                                       double alpha);

// One gradient step on the neighbours' values: value_i += weight_i * step (value_size).
void sfnec_memory_nudge(sfnec_memory *memory, const sfnec_lookup *lookup, const double *step);

// Merges entries until there are at most so many (1 or more), and packs them: all keys and values may become others.
// Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_reduce(sfnec_memory *memory, uint32_t keep);

// Packs a memory that will not be written to for a long time; it still may be.
void sfnec_memory_freeze(sfnec_memory *memory);

// ---- pruning: look-ups that stop when they cannot matter ----

// Upper bounds of value . w for each entry of one memory, kept by whoever asks for them. All zero to begin with.
typedef struct sfnec_value_bounds {
  uint64_t stamp;   // of w; 0: there are none
  uint64_t layout;  // of the memory's index, when the bounds were made...
  uint64_t changes; // ...and which change of a value they are up to
  uint32_t wait;    // look-ups until entries that came or went get new bounds
  double magnitude; // at least the greatest sum of |value_j w_j| of any entry
  float *upper;     // (capacity), by the entries' positions in the index
  uint32_t capacity;
} sfnec_value_bounds;

void sfnec_value_bounds_clear(sfnec_value_bounds *bounds);

// What a look-up has to reach in order to matter.
typedef struct sfnec_memory_pruning {
  const double *w; // (value_size)
  uint64_t stamp;  // names these weights: it changes whenever they do; not 0
  double penalty;  // times min(1, distance to the nearest key), subtracted
  double floor;
  sfnec_value_bounds *bounds; // brought up to date by the look-up
} sfnec_memory_pruning;

// Like search, unless (what the look-up would give) . w - penalty * min(1, distance to the nearest key) is certainly
// below the floor; then it returns false, early, and the look-up holds nothing.
bool sfnec_memory_search_pruned(const sfnec_memory *memory, sfnec_index_scratch *scratch, const float *key,
                                const sfnec_memory_pruning *pruning, sfnec_lookup *lookup);

// ---- files ----

// The content (entries in insertion order, their recency); the configuration is the caller's to store. A loaded memory
// answers and evicts exactly as the saved one. Without its keys it is of use only together with them
// (sfnec_memory_save_keys).
void sfnec_memory_save(const sfnec_memory *memory, sfnec_writer *writer, bool with_keys);
// Makes room for all entries that it can hold; with index=flat nothing is allocated from then on. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_memory_reserve_all(sfnec_memory *memory);

// Its keys alone, to be kept apart.
void sfnec_memory_save_keys(const sfnec_memory *memory, sfnec_writer *writer);
// A number made of all keys and their order: equal only if they are. It costs a pass over keys that have changed.
uint64_t sfnec_memory_digest(sfnec_memory *memory);
// Into a memory just created; `keys` is the reader itself, or the one that holds the keys saved apart. Fails with
// SFNEC_ERROR_FORMAT for content that no memory of this configuration can have, or with SFNEC_ERROR_MEMORY; then the
// memory is good for nothing but to be destroyed. Slots may differ from the saved ones.
sfnec_status sfnec_memory_load(sfnec_memory *memory, sfnec_reader *reader, sfnec_reader *keys);

// ---- training the keys ----

// How a loss changes with the squared distance of each neighbour: slopes (k), for the loss' gradient in the value that
// the look-up gave: error (value_size). Its values must be those that were averaged. A neighbour's value has the
// gradient weight * error; its key the gradient -2 slope (query - key), and the query the sum of 2 slope (query - key).
void sfnec_memory_slopes(const sfnec_memory *memory, const sfnec_lookup *lookup, const double *error, double *slopes);

// Gives an entry another key (key_size). It then counts as the newest inserted one, for ties and in files; its value,
// its recency and its slot stay. Without tags, an entry keeps its key if another one has that very key already. Fails
// with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_move(sfnec_memory *memory, uint32_t slot, const float *key);

#endif
