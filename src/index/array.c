// array.c: arrays that grow without a pause; see array.h.
#ifdef __linux__
#define _GNU_SOURCE // mremap NOLINT(bugprone-reserved-identifier)
#endif
#include "index/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALIGNMENT = 64,
  LARGE = 1 << 17, // bytes from which on an array has pages of its own
};

// ---- by copying ----

// what comes after the first `kept` bytes is zero
static void *take(size_t bytes, size_t kept) {
  if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT) return NULL;
  const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *block = aligned_alloc(ALIGNMENT, rounded);
  if (block && kept < rounded) memset(block + kept, 0, rounded - kept);
  return block;
}

#ifdef __linux__

#include <sys/mman.h>

// ---- by pages ----

static void *take_pages(size_t bytes) {
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *sfnec_array_resize(void *array, size_t old, size_t wanted) {
  if (old >= LARGE && wanted >= LARGE) {
    void *moved = mremap(array, old, wanted, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
  }
  void *resized = wanted >= LARGE ? take_pages(wanted) : take(wanted, old);
  if (!resized) return NULL;
  if (array) memcpy(resized, array, old < wanted ? old : wanted);
  sfnec_array_free(array, old);
  return resized;
}

void sfnec_array_free(void *array, size_t bytes) {
  if (array && bytes >= LARGE) munmap(array, bytes);
  else free(array);
}

#else

void *sfnec_array_resize(void *array, size_t old, size_t wanted) {
  void *resized = take(wanted, old);
  if (!resized) return NULL;
  if (array) memcpy(resized, array, old < wanted ? old : wanted);
  free(array);
  return resized;
}

void sfnec_array_free(void *array, size_t bytes) {
  (void)bytes;
  free(array);
}

#endif
