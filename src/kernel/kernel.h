// kernel.h: distances between float vectors, per instruction set.
//
// The scalar file is the specification: 16 lanes, element i goes to lane i mod 16 by one fused multiply-add (the last
// block of 16 is filled up with zeros), then the lanes are added as a fixed tree (l with l + 8, + 4, + 2, + 1). Every
// level computes exactly that, so all levels give the same bits. A level is one constant table; nothing here is
// mutable.
#ifndef SFNEC_KERNEL_KERNEL_H
#define SFNEC_KERNEL_KERNEL_H

#include <stddef.h>

#include "sfnec/status.h"

enum {
  SFNEC_KERNEL_LANES = 16,
  SFNEC_KERNEL_POINTS = 32, // points of one block
  SFNEC_KERNEL_BOXES = 16,  // boxes of one block
};

typedef struct sfnec_kernel {
  const char *name; // "scalar", "avx2", "avx512", "neon"
  // Squared Euclidean distances of one query (size) to `count` rows that lie `stride` floats apart: out (count).
  void (*squared_distances)(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                            float *out);
  // The inner product of two vectors (size).
  float (*dot)(const float *a, const float *b, size_t size);
  // Squared distances of one query (size) to a block of 32 points that lies dimension by dimension (size, 32): out
  // (32). Each is a chain of one fused multiply-add per dimension, in order.
  void (*block_distances)(const float *query, const float *points, size_t size, float *out);
  // The same to a block of 16 boxes, lows and highs (size, 16), whose nearest point counts: out (16).
  void (*box_distances)(const float *query, const float *lows, const float *highs, size_t size, float *out);
} sfnec_kernel;

extern const sfnec_kernel sfnec_kernel_scalar;

// The levels that this CPU has, slowest first; NULL past the last. Level 0 is always scalar.
const sfnec_kernel *sfnec_kernel_at(size_t i);

// The level to use: the fastest one, or the one that the environment variable SFNEC_SIMD names. Fails with
// SFNEC_ERROR_OPTION when SFNEC_SIMD names a level that does not exist or that this CPU lacks.
sfnec_status sfnec_kernel_select(const sfnec_kernel **out);

#endif
