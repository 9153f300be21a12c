// simd.h: distances between float vectors, per instruction set.
//
// The scalar file is the specification: 16 lanes, element i goes to lane i mod 16 by one fused multiply-add (the last
// block of 16 is filled up with zeros), then the lanes are added as a fixed tree (l with l + 8, + 4, + 2, + 1). Every
// level computes exactly that, so all levels give the same bits. A level is one constant table; nothing here is
// mutable.
#ifndef SFNEC_SIMD_SIMD_H
#define SFNEC_SIMD_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

enum {
  SFNEC_SIMD_LANES = 16,
  SFNEC_SIMD_CODE = 32,   // numbers of a code
  SFNEC_SIMD_POINTS = 32, // codes of one block
  SFNEC_SIMD_BOXES = 16,  // boxes of one block
};

typedef struct sfnec_simd {
  const char *name; // "scalar", "avx2", "avx512", "neon"
  // Squared Euclidean distances of one query (size) to `count` rows that lie `stride` floats apart: out (count).
  void (*squared_distances)(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                            float *out);
  // The same to the rows at `count` places.
  void (*scattered_distances)(const float *query, const float *rows, size_t stride, const uint32_t *places,
                              size_t count, size_t size, float *out);
  // The inner product of two vectors (size).
  float (*dot)(const float *a, const float *b, size_t size);
  // The inner products of a vector (size, a multiple of 16) with each of some rows (count, size): shares (count); then
  // takes the rows times their shares away from the vector, one fused multiply-add each, in order.
  void (*project)(const float *rows, size_t count, size_t size, float *vector, float *shares);

  // Codes are whole numbers from 0 to 4080, in blocks of pairs: number d of point i is at [d / 2][i][d % 2]. Distances
  // of codes are exact, and below 2^31. Both functions return a bit for each distance that is not greater than `limit`
  // (below 2^31).
  //
  // Squared distances of a query, whose numbers are from -4080 to 8160, to a block of codes (16, 32, 2): out (32).
  uint32_t (*code_distances)(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out);
  // At most the same to any code inside of a box, for a block of boxes, lows and highs (16, 16, 2): out (16). Boxes and
  // query are in sixteens, the lows and one query rounded down, the highs and the other up, all kept in 0 to 255.
  uint32_t (*box_distances)(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                            uint32_t limit, uint32_t *out);
} sfnec_simd;

extern const sfnec_simd sfnec_simd_scalar;

// The levels that this CPU has, slowest first; NULL past the last. Level 0 is always scalar.
const sfnec_simd *sfnec_simd_at(size_t i);

// The level to use: the fastest one, or the one that the environment variable SFNEC_SIMD names. Fails with
// SFNEC_ERROR_OPTION when SFNEC_SIMD names a level that does not exist or that this CPU lacks.
sfnec_status sfnec_simd_select(const sfnec_simd **out);

#endif
