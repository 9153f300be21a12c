// own_malloc.h: can this program put its own malloc before the C library's? Not with another C library than glibc, nor
// under a sanitizer that has its own. Where it can, a test that defines COUNT_ALLOCATIONS before it includes this file
// gets one that counts and can refuse.
#ifndef SFNEC_TESTS_SUPPORT_OWN_MALLOC_H
#define SFNEC_TESTS_SUPPORT_OWN_MALLOC_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#ifndef OWN_MALLOC
#ifdef __GLIBC__
#define OWN_MALLOC 1
#else
#define OWN_MALLOC 0
#endif
#endif

#ifdef COUNT_ALLOCATIONS

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// a program that cannot have its own malloc needs not all of this
#define MAYBE_UNUSED __attribute__((unused))
MAYBE_UNUSED static int allocations;                  // since it was last set to 0
MAYBE_UNUSED static int live;                         // blocks that were not freed yet
MAYBE_UNUSED static size_t requested;                 // bytes that were asked for, since it was last set to 0
static int refused_first = INT_MAX, refused_last = 0; // the allocations to refuse, counted as above

static inline void refuse_none(void) {
  refused_first = INT_MAX;
}

// only this one, or this one and all later ones
static inline void refuse_only(int number) {
  refused_first = refused_last = number;
}

static inline void refuse_from(int number) {
  refused_first = number;
  refused_last = INT_MAX;
}

#if OWN_MALLOC

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

// seen by the C library too, whose strdup and others allocate for their callers
#define SEEN __attribute__((visibility("default")))

void __libc_free(void *block);

static bool granted(void) {
  const int number = allocations++;
  if (number < refused_first || number > refused_last) return true;
  errno = ENOMEM;
  return false;
}

static void *counted(void *block) {
  live += block != NULL;
  return block;
}

static size_t noted(size_t size) {
  requested += size;
  return size;
}

SEEN void *malloc(size_t size) {
  return counted(granted() ? __libc_malloc(noted(size)) : NULL);
}

SEEN void *calloc(size_t count, size_t size) {
  noted(count * size);
  return counted(granted() ? __libc_calloc(count, size) : NULL);
}

SEEN void *realloc(void *block, size_t size) {
  if (!granted()) return NULL;
  noted(size);
  return block ? __libc_realloc(block, size) : counted(__libc_malloc(size));
}

SEEN void *aligned_alloc(size_t alignment, size_t size) {
  return counted(granted() ? __libc_memalign(alignment, noted(size)) : NULL);
}

SEEN void free(void *block) {
  live -= block != NULL;
  __libc_free(block);
}

#endif
#endif

#endif
