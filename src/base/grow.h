// grow.h: arrays that grow together. Each call may fail and leaves its array as it was, so that several in a row are
//   const bool whole = SFNEC_WIDEN(x->keys, room * n) && SFNEC_WIDEN(x->values, room);
//   if (!whole) return sfnec_fail_memory("a memory"); // whose room stays what it was
#ifndef SFNEC_BASE_GROW_H
#define SFNEC_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Room for `count` elements: the least one, doubled until it is enough.
static inline size_t sfnec_room(size_t count, size_t least) {
  size_t room = least;
  while (room < count) room *= 2;
  return room;
}

// Makes the array at an address longer, to `count` elements of `size` bytes. One of none is there too.
static inline bool sfnec_widen(void *address, size_t count, size_t size) {
  void *array;
  memcpy(&array, address, sizeof array);
  void *moved = realloc(array, count * size + 1);
  if (moved) memcpy(address, &moved, sizeof moved);
  return moved != NULL;
}
#define SFNEC_WIDEN(array, count) sfnec_widen(&(array), count, sizeof *(array))

#endif
