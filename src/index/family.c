// family.c: what the indexes of one owner share.
#include "index/family.h"

#include <stdlib.h>
#include <string.h>

#include "index/room.h"

// neighbours that a search may find, by the slots that there are
static size_t found_room(uint32_t room) {
  return (size_t)room + room / 8 + SFNEC_FAMILY_SPARE;
}

static void free_lists(sfnec_index_family *family) {
  const size_t room = family->room;
  sfnec_room_free(family->slots, room * sizeof *family->slots);
  sfnec_room_free(family->distances, room * sizeof *family->distances);
  sfnec_room_free(family->uppers, room * sizeof *family->uppers);
  sfnec_room_free(family->scores, room * sizeof *family->scores);
  sfnec_room_free(family->found, found_room(family->room) * sizeof *family->found);
}

sfnec_index_family *sfnec_index_family_create(void) {
  return calloc(1, sizeof(sfnec_index_family));
}

void sfnec_index_family_destroy(sfnec_index_family *family) {
  if (!family) return;
  sfnec_coder_release(family->coder);
  free(family->keys);
  free_lists(family);
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
  // what the lists hold is of one search only: nothing is copied
  sfnec_index_family next = {.room = room};
  next.slots = sfnec_room_resize(NULL, 0, room * sizeof *next.slots);
  next.distances = sfnec_room_resize(NULL, 0, room * sizeof *next.distances);
  next.uppers = sfnec_room_resize(NULL, 0, room * sizeof *next.uppers);
  next.scores = sfnec_room_resize(NULL, 0, room * sizeof *next.scores);
  next.found = sfnec_room_resize(NULL, 0, found_room(room) * sizeof *next.found);
  if (!next.slots || !next.distances || !next.uppers || !next.scores || !next.found) {
    free_lists(&next);
    return false;
  }
  free_lists(family);
  family->room = room;
  family->slots = next.slots;
  family->distances = next.distances;
  family->uppers = next.uppers;
  family->scores = next.scores;
  family->found = next.found;
  return true;
}

size_t sfnec_family_bytes(const sfnec_index_family *family) {
  const size_t keys = family->keys ? SFNEC_FAMILY_KEYS * family->key_size * sizeof *family->keys : 0;
  return sizeof *family + keys + family->room * (4 * sizeof(uint32_t) + sizeof *family->found);
}
