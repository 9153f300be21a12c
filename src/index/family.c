// family.c: what the indexes of one owner share.
#include "index/family.h"

#include <stdlib.h>
#include <string.h>

sfnec_index_family *sfnec_index_family_create(void) {
  return calloc(1, sizeof(sfnec_index_family));
}

void sfnec_index_family_destroy(sfnec_index_family *family) {
  if (!family) return;
  sfnec_coder_release(family->coder);
  free(family->keys);
  free(family->slots);
  free(family->distances);
  free(family->uppers);
  free(family->scores);
  free(family->found);
  free(family);
}

void sfnec_family_show(sfnec_index_family *family, const float *key, size_t key_size) {
  if (!family->keys) {
    family->keys = calloc(SFNEC_FAMILY_KEYS * key_size, sizeof *family->keys);
    family->key_size = key_size;
  }
  if (!family->keys) return;
  memcpy(family->keys + family->next * key_size, key, key_size * sizeof *key);
  family->next = (family->next + 1) % SFNEC_FAMILY_KEYS;
  if (family->count < SFNEC_FAMILY_KEYS) family->count++;
}

void sfnec_family_publish(sfnec_index_family *family, sfnec_coder *coder) {
  sfnec_coder_hold(coder);
  sfnec_coder_release(family->coder);
  family->coder = coder;
}

bool sfnec_family_reserve(sfnec_index_family *family, uint32_t room) {
  if (room <= family->room) return true;
  uint32_t *slots = realloc(family->slots, room * sizeof *slots);
  if (!slots) return false;
  family->slots = slots;
  uint32_t *distances = realloc(family->distances, room * sizeof *distances);
  if (!distances) return false;
  family->distances = distances;
  float *uppers = realloc(family->uppers, room * sizeof *uppers);
  if (!uppers) return false;
  family->uppers = uppers;
  float *scores = realloc(family->scores, room * sizeof *scores);
  if (!scores) return false;
  family->scores = scores;
  sfnec_neighbour *found = realloc(family->found, ((size_t)room + room / 8 + SFNEC_FAMILY_SPARE) * sizeof *found);
  if (!found) return false;
  family->found = found;
  family->room = room;
  return true;
}

size_t sfnec_family_bytes(const sfnec_index_family *family) {
  const size_t keys = family->keys ? SFNEC_FAMILY_KEYS * family->key_size * sizeof *family->keys : 0;
  return sizeof *family + keys + family->room * (4 * sizeof(uint32_t) + sizeof *family->found);
}
