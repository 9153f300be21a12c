// updates.h: what insertions into a fast index, and removals, cost, pauses included.
#ifndef SFNEC_BENCH_UPDATES_H
#define SFNEC_BENCH_UPDATES_H

#include <stddef.h>
#include <stdint.h>

#include "simd/simd.h"

enum { UPDATES_SIZE = 10000 }; // entries of the index that is changed

// Microseconds of processor time, since a pause is what the index does and not what others do on the machine: on
// average, less what the clock itself takes; the 99.99th percentile; the worst.
typedef struct cost {
  double mean_us, rare_us, worst_us;
} cost;

typedef struct updates {
  cost fill, insert, remove; // filling an empty index; then one out, one in, many times
} updates;

// The first UPDATES_SIZE of the keys (count, key_size) fill the index.
updates updates_measure(const sfnec_simd *simd, const float *keys, uint32_t count, size_t key_size);

// Single operations, one after another.
typedef struct stopwatch {
  double start;
  uint32_t count, capacity;
  float *times; // (capacity), microseconds
} stopwatch;

stopwatch stopwatch_create(uint32_t capacity);
void stopwatch_start(stopwatch *s);
void stopwatch_stop(stopwatch *s);
// What it has measured; frees it.
cost stopwatch_finish(stopwatch *s);

#endif
