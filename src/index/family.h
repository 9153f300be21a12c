// family.h: what the indexes of one owner share: the newest coder, keys to learn the next one from, and the lists that
// searches work with.
#ifndef SFNEC_INDEX_FAMILY_H
#define SFNEC_INDEX_FAMILY_H

#include "index/fast/fit.h"
#include "index/index.h"

enum { SFNEC_FAMILY_KEYS = 512, SFNEC_FAMILY_SPARE = 64 };

struct sfnec_index_family {
  sfnec_coder *coder;   // the newest, or NULL
  float *keys;          // (SFNEC_FAMILY_KEYS, key_size): some of all members' keys
  size_t key_size;      // of the members
  uint32_t count, next; // keys held; where the next one goes

  uint32_t room;          // slots that the lists are made for
  uint32_t *slots;        // (room): candidates of a search
  uint32_t *distances;    // (room): those of their codes
  float *uppers;          // (room): those from above
  float *scores;          // (room)
  sfnec_neighbour *found; // (room + SFNEC_FAMILY_SPARE)
};

// Adds a key of a member to those that the next coder is learned from; does nothing if out of memory.
void sfnec_family_show(sfnec_index_family *family, const float *key, size_t key_size);
// Makes a coder the newest.
void sfnec_family_publish(sfnec_index_family *family, sfnec_coder *coder);

// Makes the lists long enough for so many slots; false if out of memory.
bool sfnec_family_reserve(sfnec_index_family *family, uint32_t room);
size_t sfnec_family_bytes(const sfnec_index_family *family);

#endif
