// move.c: giving an entry another key.
//
// A moved key is inserted anew and its old one removed, so every kind of index can do it, and ties between equally near
// keys stay well defined: they go by insertion order, in which a moved key is the newest. Files keep that order.
#include <string.h>

#include "memory/parts.h"

// Puts one slot in the place of another in a list.
static void put_in_place(sfnec_recency *list, uint32_t slot, uint32_t old) {
  const sfnec_recency_link link = list->links[old];
  list->links[slot] = link;
  if (link.older != SFNEC_NO_SLOT) list->links[link.older].newer = slot;
  else list->oldest = slot;
  if (link.newer != SFNEC_NO_SLOT) list->links[link.newer].older = slot;
  else list->newest = slot;
}

sfnec_status sfnec_memory_move(sfnec_memory *memory, uint32_t slot, const float *key) {
  const size_t key_size = memory->shape.key_size, value_size = memory->shape.value_size;
  const uint32_t hash = sfnec_keymap_hash(key, key_size);
  // also if the key is its own
  if (sfnec_keymap_find(&memory->keymap, memory->index, key, hash) != SFNEC_NO_SLOT) return SFNEC_OK;

  // in before out: should memory run out, nothing is lost
  uint32_t next;
  sfnec_status status = sfnec_memory_reserve(memory, sfnec_memory_count(memory) + 1);
  if (!status) status = memory->index->ops->insert(memory->index, key, &next);
  if (status) return status;
  const uint32_t old_hash = sfnec_keymap_hash(sfnec_memory_key(memory, slot), key_size);
  sfnec_keymap_remove(&memory->keymap, old_hash, slot);
  sfnec_keymap_add(&memory->keymap, hash, next);
  put_in_place(&memory->used, next, slot);
  sfnec_recency_remove(&memory->inserted, slot);
  sfnec_recency_add(&memory->inserted, next);
  memcpy(memory->values + next * value_size, sfnec_memory_value(memory, slot), value_size * sizeof *memory->values);
  memory->index->ops->remove(memory->index, slot);
  sfnec_memory_rescore(memory, next);
  memory->keys_version++;
  memory->values_version++;
  return SFNEC_OK;
}
