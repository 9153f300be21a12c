// move.c: giving an entry another key.
//
// Ties between equally near keys go by insertion order, in which a moved key is the newest. Files keep that order.
#include "memory/parts.h"

sfnec_status sfnec_memory_move(sfnec_memory *memory, uint32_t slot, const float *key) {
  const size_t key_size = memory->shape.key_size;
  const uint32_t hash = sfnec_keymap_hash(key, key_size);
  // also if the key is its own
  if (sfnec_keymap_find(&memory->keymap, memory->index, key, hash) != SFNEC_NO_SLOT) return SFNEC_OK;

  const uint32_t old_hash = sfnec_keymap_hash(sfnec_memory_key(memory, slot), key_size);
  const sfnec_status status = memory->index->ops->replace(memory->index, slot, key);
  if (status) return status;
  sfnec_keymap_remove(&memory->keymap, old_hash, slot);
  sfnec_keymap_add(&memory->keymap, hash, slot);
  sfnec_recency_remove(&memory->inserted, slot);
  sfnec_recency_add(&memory->inserted, slot);
  sfnec_memory_rescore(memory, slot);
  memory->keys_version++;
  memory->values_version++;
  return SFNEC_OK;
}
