// own_malloc.h: can this program put its own malloc before the C library's? Not with another C library than glibc, nor
// under a sanitizer that has its own.
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

#endif
