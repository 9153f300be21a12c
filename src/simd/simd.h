// simd.h: distances between vectors and the inner part of matrix products, one table of functions per instruction set
// (a level).
//
// The scalar file is the specification: 16 lanes, element i goes to lane i mod 16 by one fused multiply-add (the last
// block of 16 is filled up with zeros), then the lanes are added as a fixed tree (l with l + 8, + 4, + 2, + 1). Every
// level computes exactly that, so all levels give the same bits. The tables are constant; nothing here is mutable.
#ifndef SFNEC_SIMD_SIMD_H
#define SFNEC_SIMD_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

enum {
  SFNEC_SIMD_LANES = 16,
  SFNEC_SIMD_CODE = 32,   // components of a code
  SFNEC_SIMD_POINTS = 32, // codes of one block
  SFNEC_SIMD_BOXES = 16,  // boxes of one block
};

typedef struct sfnec_simd {
  const char *name; // "scalar", "avx2", "avx512", "neon", "wasm"

  // ---- floats: keys and directions ----

  // Squared Euclidean distances of one query (size) to `count` rows that lie `stride` floats apart: out (count).
  void (*squared_distances)(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                            float *out);
  // The same to the rows number places[0], places[1], ...: out (count).
  void (*scattered_distances)(const float *query, const float *rows, size_t stride, const uint32_t *places,
                              size_t count, size_t size, float *out);
  // The inner product of two vectors (size).
  float (*dot)(const float *a, const float *b, size_t size);
  // Projects a vector (size, a multiple of 16) onto some rows (count, size), one after the other: shares[r] is the
  // inner product of row r with the vector as it was given, and vector -= shares[r] * row r, one fused multiply-add for
  // each element. So the vector ends as the residual that the rows leave over.
  void (*project)(const float *rows, size_t count, size_t size, float *vector, float *shares);

  // ---- floats: matrices (simd/matrix.h has the product of whole matrices) ----
  //
  // Every number of C is one chain over the terms of its inner product, in their order: one fused multiply-add after
  // the other, from the value that it has. Registers run across the columns, so the chains are the same at every level.

  // The largest tile of C that the level keeps in registers; a tile of half the columns is allowed too.
  size_t tile_rows, tile_columns;
  // A tile of C, whose rows lie `stride` floats apart: C += A B, for A (tile_rows, depth) and B (depth, columns), where
  // columns is tile_columns or half of it. Both are packed term after term: a (depth, tile_rows), b (depth, columns).
  void (*multiply_tile)(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride);
  // One row: c (columns) += a (depth) B, for B (depth, columns) with its rows `stride` floats apart.
  void (*multiply_row)(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c);

  // ---- whole numbers: codes of keys, and boxes around codes ----
  //
  // A code has 32 components from 0 to 4080. A block interleaves pairs of components, so that one multiply-add of pairs
  // serves all its codes: component d of code i lies at [d / 2][i][d % 2]. The distances are squared Euclidean ones,
  // computed exactly, and below 2^31. Both functions also return a mask: bit i is set if out[i] <= limit (below 2^31).

  // Distances of a query code, whose components are from -4080 to 8160, to a block of codes (16, 32, 2): out (32).
  uint32_t (*code_distances)(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out);
  // Lower bounds of those distances for all codes inside of a box, for a block of boxes given by their lowest and
  // highest corners (16, 16, 2): out (16). Corners and query are in units of 16 (components / 16, kept in 0 to 255):
  // lows and `floors`, the query, rounded down, highs and `ceils`, the query again, rounded up.
  uint32_t (*box_distances)(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                            uint32_t limit, uint32_t *out);
} sfnec_simd;

extern const sfnec_simd sfnec_simd_scalar;
// The others exist only if the build compiled their files (SFNEC_HAVE_AVX2, ...).
extern const sfnec_simd sfnec_simd_avx2, sfnec_simd_avx512, sfnec_simd_neon, sfnec_simd_wasm;

// The levels that this CPU has, slowest first; NULL past the last. Level 0 is always scalar.
const sfnec_simd *sfnec_simd_at(size_t i);

// The level to use: the fastest one, or the one that the environment variable SFNEC_SIMD names. Fails with
// SFNEC_ERROR_OPTION when SFNEC_SIMD names a level that does not exist or that this CPU lacks.
sfnec_status sfnec_simd_select(const sfnec_simd **out);

#endif
