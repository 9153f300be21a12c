// keysets.h: keys of several kinds, from friendly to hostile.
#ifndef SFNEC_BENCH_KEYSETS_H
#define SFNEC_BENCH_KEYSETS_H

#include <stddef.h>
#include <stdint.h>

typedef struct keyset {
  const char *name, *help;
  size_t key_size;
  // Draws keys (count, key_size); any part of them may serve as queries.
  void (*draw)(uint64_t seed, size_t count, float *keys);
} keyset;

// The kinds in a fixed order; NULL past the last.
const keyset *keyset_at(size_t i);

#endif
