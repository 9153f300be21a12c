// keymap.h: from the bytes of a key to its slot: an open-addressing hash table beside an index.
//
// The table keeps hashes and slots only; keys are compared with the bytes in the index. Bytes decide, so 0.0f and -0.0f
// are different keys. The caller hashes once and passes the hash along.
#ifndef SFNEC_MEMORY_KEYMAP_H
#define SFNEC_MEMORY_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "sfnec/status.h"

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
// Adds a key that is not there; room was reserved.
void sfnec_keymap_add(sfnec_keymap *map, uint32_t hash, uint32_t slot);
// Removes the key of a slot that is there.
void sfnec_keymap_remove(sfnec_keymap *map, uint32_t hash, uint32_t slot);

#endif
