// room.c: arrays that grow without a pause; see room.h.
#ifdef __linux__
#define _GNU_SOURCE // mremap NOLINT(bugprone-reserved-identifier)
#endif
#include "index/room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALIGNMENT = 64,
  LARGE = 1 << 17, // bytes from which on an array has pages of its own
};

// ---- by copying ----

static void *take(size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT) return NULL;
  return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

#ifdef __linux__

#include <sys/mman.h>

// ---- by pages ----

static void *take_pages(size_t bytes) {
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *sfnec_room_resize(void *room, size_t old, size_t wanted) {
  if (old >= LARGE && wanted >= LARGE) {
    void *moved = mremap(room, old, wanted, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
  }
  void *resized = wanted >= LARGE ? take_pages(wanted) : take(wanted);
  if (!resized) return NULL;
  if (room) memcpy(resized, room, old < wanted ? old : wanted);
  sfnec_room_free(room, old);
  return resized;
}

void sfnec_room_free(void *room, size_t bytes) {
  if (room && bytes >= LARGE) munmap(room, bytes);
  else free(room);
}

#else

void *sfnec_room_resize(void *room, size_t old, size_t wanted) {
  void *resized = take(wanted);
  if (!resized) return NULL;
  if (room) memcpy(resized, room, old < wanted ? old : wanted);
  free(room);
  return resized;
}

void sfnec_room_free(void *room, size_t bytes) {
  (void)bytes;
  free(room);
}

#endif
