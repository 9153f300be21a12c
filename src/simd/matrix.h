// matrix.h: products of float matrices, C += A B, with one fixed order of additions.
//
// Every number of C is one chain over k in ascending order, one fused multiply-add after the other, from the value that
// it has. Blocks of k keep the chain: the partial sum is stored in C and read again. So neither the instruction set nor
// the sizes of blocks and tiles appear in a result.
#ifndef SFNEC_SIMD_MATRIX_H
#define SFNEC_SIMD_MATRIX_H

#include <stddef.h>

#include "simd/simd.h"

// A matrix as it lies in memory: the number (i, j) is at[i * row + j * column]. So a transposed matrix is one with
// `row` and `column` exchanged.
typedef struct sfnec_matrix {
  const float *at;
  size_t row, column;
} sfnec_matrix;

// The product copies blocks of A and B into the order in which tiles read them. A block of B (256 KiB and more) is for
// the second-level cache, one row of tiles of it for the first.
enum {
  SFNEC_MATRIX_DEPTH = 384,   // k of a block: a tile of B is then 24 or 48 KiB
  SFNEC_MATRIX_ROWS = 120,    // of a block of A: a multiple of every level's tile_rows
  SFNEC_MATRIX_COLUMNS = 256, // of a block of B: a multiple of every level's tile_columns
  SFNEC_MATRIX_SCRATCH = (SFNEC_MATRIX_ROWS + SFNEC_MATRIX_COLUMNS) * SFNEC_MATRIX_DEPTH, // floats
};

// C (m, n), whose rows lie `stride` floats apart, += A (m, k) B (k, n). C overlaps neither; `scratch` has
// SFNEC_MATRIX_SCRATCH floats.
void sfnec_matrix_multiply(const sfnec_simd *simd, size_t m, size_t n, size_t k, sfnec_matrix a, sfnec_matrix b,
                           float *c, size_t stride, float *scratch);

#endif
