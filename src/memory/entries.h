// entries.h: the inside of a memory, shared by memory.c (what it does), entries.c (how its entries are found and
// ordered) and memory_file.c (how it is saved).
#ifndef SFNEC_MEMORY_ENTRIES_H
#define SFNEC_MEMORY_ENTRIES_H

#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "memory/memory.h"
#include "sfnec/status.h"

// No slot: the end of a list, an empty position of a table.
#define SFNEC_NO_SLOT UINT32_MAX

// ---- from the bytes of a key to its slot ----
//
// An open-addressing hash table with linear probing and backward-shift deletion, so there are no tombstones and a
// memory that has run for a year is as quick as a new one. It keeps hashes and slots only; keys are compared with the
// bytes in the index. Bytes decide, so 0.0f and -0.0f are different keys. The caller hashes once and passes the hash
// along.

typedef struct sfnec_keymap_entry {
  uint32_t hash;
  uint32_t slot; // SFNEC_NO_SLOT if the entry is empty
} sfnec_keymap_entry;

typedef struct sfnec_keymap {
  sfnec_keymap_entry *entries; // (mask + 1), a power of two; NULL before the first reserve
  uint32_t mask;
} sfnec_keymap;

void sfnec_keymap_init(sfnec_keymap *map);
void sfnec_keymap_free(sfnec_keymap *map);

// Room for so many keys with the table at most half full. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_keymap_reserve(sfnec_keymap *map, uint32_t keys);
size_t sfnec_keymap_bytes(const sfnec_keymap *map);

uint32_t sfnec_keymap_hash(const float *key, size_t key_size);
// The slot of the equal key in the index, or SFNEC_NO_SLOT.
uint32_t sfnec_keymap_find(const sfnec_keymap *map, const sfnec_index *index, const float *key, uint32_t hash);
// The slot with this tag, of those of all slots, or SFNEC_NO_SLOT.
uint32_t sfnec_keymap_find_tag(const sfnec_keymap *map, const uint64_t *tags, uint64_t tag);
// Adds a key that is not there; space was reserved.
void sfnec_keymap_add(sfnec_keymap *map, uint32_t hash, uint32_t slot);
// Removes the key of a slot that is there.
void sfnec_keymap_remove(sfnec_keymap *map, uint32_t hash, uint32_t slot);

// ---- slots in order ----
//
// A doubly linked list through an array; every change takes constant time. A memory keeps two: one in the order of last
// use (which entry goes next) and one in the order of insertion (how entries are saved).

typedef struct sfnec_recency_link {
  uint32_t older, newer;
} sfnec_recency_link;

typedef struct sfnec_recency {
  sfnec_recency_link *links; // (slots reserved)
  uint32_t oldest, newest;   // SFNEC_NO_SLOT if the list is empty
} sfnec_recency;

void sfnec_recency_init(sfnec_recency *list);
void sfnec_recency_free(sfnec_recency *list);

// Room for the slots 0 .. slots - 1. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_recency_reserve(sfnec_recency *list, uint32_t slots);

// Adds a slot that is not in the list, as the newest.
void sfnec_recency_add(sfnec_recency *list, uint32_t slot);
// Takes a slot out of the list.
void sfnec_recency_remove(sfnec_recency *list, uint32_t slot);
// Makes a slot of the list the newest.
void sfnec_recency_touch(sfnec_recency *list, uint32_t slot);

// ---- the memory ----

enum { SFNEC_MEMORY_CHANGES = 256 };

struct sfnec_memory {
  sfnec_memory_config config;
  sfnec_index *index;     // the keys
  sfnec_keymap keymap;    // key bytes, or the tag -> slot
  sfnec_recency used;     // slots by last use
  sfnec_recency inserted; // slots by insertion
  float *values;          // (reserved, value_size)
  uint64_t *tags;         // (reserved); NULL: entries have none
  uint32_t *ranks;        // (reserved): scratch of saving and loading, so that saving cannot run out of memory
  uint32_t reserved;      // slots that all of these have room for
  uint64_t keys_version;
  uint64_t values_version;
  uint64_t digest, digest_version; // of the keys, and of which version of them; 0: none

  // the slots whose values changed last, so that bounds of values can follow (sfnec_value_bounds)
  uint64_t changes; // number n went to n % SFNEC_MEMORY_CHANGES
  uint32_t changed[SFNEC_MEMORY_CHANGES];
};

// Makes room for so many entries. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_reserve(sfnec_memory *memory, uint32_t entries);

// Inserts a key that is not there, as the most recently used one; its value is the caller's to fill in. Room for one
// more entry was reserved. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_memory_insert(sfnec_memory *memory, uint64_t tag, const float *key, uint32_t hash, uint32_t *slot);

// The hash by which the keymap has an entry, and the slot of the equal one, or SFNEC_NO_SLOT.
uint32_t sfnec_memory_hash(const sfnec_memory *memory, uint64_t tag, const float *key);
uint32_t sfnec_memory_find(const sfnec_memory *memory, uint64_t tag, const float *key, uint32_t hash);

#endif
