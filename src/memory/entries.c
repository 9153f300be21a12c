// entries.c: how the entries of a memory are found by their keys, and kept in order; see entries.h.
#include "memory/entries.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"

// ---- from the bytes of a key to its slot ----

void sfnec_keymap_init(sfnec_keymap *map) {
  *map = (sfnec_keymap){0};
}

void sfnec_keymap_free(sfnec_keymap *map) {
  free(map->entries);
  sfnec_keymap_init(map);
}

sfnec_status sfnec_keymap_reserve(sfnec_keymap *map, uint32_t keys) {
  size_t size = 16;
  while (size < 2 * (size_t)keys) size *= 2;
  if (map->entries && size <= (size_t)map->mask + 1) return SFNEC_OK;

  sfnec_keymap larger = {.entries = malloc(size * sizeof *larger.entries), .mask = (uint32_t)(size - 1)};
  if (!larger.entries) return sfnec_fail_memory("the key table of a memory");
  for (size_t i = 0; i < size; i++) larger.entries[i].slot = SFNEC_NO_SLOT;
  for (size_t i = 0; map->entries && i <= map->mask; i++) {
    const sfnec_keymap_entry entry = map->entries[i];
    if (entry.slot != SFNEC_NO_SLOT) sfnec_keymap_add(&larger, entry.hash, entry.slot);
  }
  sfnec_keymap_free(map);
  *map = larger;
  return SFNEC_OK;
}

size_t sfnec_keymap_bytes(const sfnec_keymap *map) {
  return map->entries ? ((size_t)map->mask + 1) * sizeof *map->entries : 0;
}

uint32_t sfnec_keymap_hash(const float *key, size_t key_size) {
  return (uint32_t)XXH3_64bits(key, key_size * sizeof *key);
}

uint32_t sfnec_keymap_find(const sfnec_keymap *map, const sfnec_index *index, const float *key, uint32_t hash) {
  if (!map->entries) return SFNEC_NO_SLOT;
  const size_t bytes = index->key_size * sizeof *key;
  for (uint32_t i = hash & map->mask; map->entries[i].slot != SFNEC_NO_SLOT; i = (i + 1) & map->mask) {
    const sfnec_keymap_entry entry = map->entries[i];
    if (entry.hash == hash && memcmp(index->ops->key(index, entry.slot), key, bytes) == 0) return entry.slot;
  }
  return SFNEC_NO_SLOT;
}

uint32_t sfnec_keymap_find_tag(const sfnec_keymap *map, const uint64_t *tags, uint64_t tag) {
  if (!map->entries) return SFNEC_NO_SLOT;
  for (uint32_t i = (uint32_t)tag & map->mask; map->entries[i].slot != SFNEC_NO_SLOT; i = (i + 1) & map->mask) {
    if (tags[map->entries[i].slot] == tag) return map->entries[i].slot;
  }
  return SFNEC_NO_SLOT;
}

void sfnec_keymap_add(sfnec_keymap *map, uint32_t hash, uint32_t slot) {
  uint32_t i = hash & map->mask;
  while (map->entries[i].slot != SFNEC_NO_SLOT) i = (i + 1) & map->mask;
  map->entries[i] = (sfnec_keymap_entry){.hash = hash, .slot = slot};
}

void sfnec_keymap_remove(sfnec_keymap *map, uint32_t hash, uint32_t slot) {
  uint32_t hole = hash & map->mask;
  while (map->entries[hole].slot != slot) hole = (hole + 1) & map->mask;

  // moves later entries of the run back into the hole, unless that would put one before its home
  for (uint32_t i = (hole + 1) & map->mask; map->entries[i].slot != SFNEC_NO_SLOT; i = (i + 1) & map->mask) {
    const uint32_t from_home = (i - map->entries[i].hash) & map->mask;
    const uint32_t from_hole = (i - hole) & map->mask;
    if (from_home < from_hole) continue;
    map->entries[hole] = map->entries[i];
    hole = i;
  }
  map->entries[hole].slot = SFNEC_NO_SLOT;
}

// ---- slots in order ----

void sfnec_recency_init(sfnec_recency *list) {
  *list = (sfnec_recency){.links = NULL, .oldest = SFNEC_NO_SLOT, .newest = SFNEC_NO_SLOT};
}

void sfnec_recency_free(sfnec_recency *list) {
  free(list->links);
  sfnec_recency_init(list);
}

sfnec_status sfnec_recency_reserve(sfnec_recency *list, uint32_t slots) {
  sfnec_recency_link *links = realloc(list->links, slots * sizeof *links);
  if (!links) return sfnec_fail_memory("the recency of a memory");
  list->links = links;
  return SFNEC_OK;
}

void sfnec_recency_add(sfnec_recency *list, uint32_t slot) {
  list->links[slot] = (sfnec_recency_link){.older = list->newest, .newer = SFNEC_NO_SLOT};
  if (list->newest != SFNEC_NO_SLOT) list->links[list->newest].newer = slot;
  else list->oldest = slot;
  list->newest = slot;
}

void sfnec_recency_remove(sfnec_recency *list, uint32_t slot) {
  const sfnec_recency_link link = list->links[slot];
  if (link.older != SFNEC_NO_SLOT) list->links[link.older].newer = link.newer;
  else list->oldest = link.newer;
  if (link.newer != SFNEC_NO_SLOT) list->links[link.newer].older = link.older;
  else list->newest = link.older;
}

void sfnec_recency_touch(sfnec_recency *list, uint32_t slot) {
  if (slot == list->newest) return;
  sfnec_recency_remove(list, slot);
  sfnec_recency_add(list, slot);
}
