// matrix.c: products of matrices block by block; the levels do the tiles. See matrix.h.
//
// The order of the loops is the usual one (Goto and van de Geijn, 2008): a block of B stays in the second-level cache
// while blocks of A pass by, and tiles read both in sequence. What a tile lacks at an edge is filled up with zeros,
// whose products go to numbers that are not copied back.
#include "simd/matrix.h"

#include <string.h>

enum { MOST_TILE = 16 * 64 }; // floats of the largest tile of any level

static inline size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// Copies `count` lines of `depth` terms each, term after term, filled up to `tile` lines with zeros: to (depth, tile).
// Line i begins at from[i * line], and its terms lie `term` apart.
static void pack_tile(const float *from, size_t line, size_t term, size_t count, size_t depth, size_t tile, float *to) {
  if (count < tile) memset(to, 0, depth * tile * sizeof *to);
  if (line == 1) {
    for (size_t p = 0; p < depth; p++) memcpy(to + p * tile, from + p * term, count * sizeof *to);
    return;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t p = 0; p < depth; p++) to[p * tile + i] = from[i * line + p * term];
}

// Packs lines in tiles, one after another.
static void pack(const float *from, size_t line, size_t term, size_t count, size_t depth, size_t tile, float *to) {
  for (size_t i = 0; i < count; i += tile)
    pack_tile(from + i * line, line, term, least(tile, count - i), depth, tile, to + i * depth);
}

// A tile at the edge of C, by way of a whole one.
static void multiply_edge(const sfnec_simd *simd, size_t depth, const float *a, const float *b, size_t columns,
                          float *c, size_t stride, size_t m, size_t n) {
  float whole[MOST_TILE] = {0};
  for (size_t i = 0; i < m; i++) memcpy(whole + i * columns, c + i * stride, n * sizeof *c);
  simd->multiply_tile(depth, a, b, columns, whole, columns);
  for (size_t i = 0; i < m; i++) memcpy(c + i * stride, whole + i * columns, n * sizeof *c);
}

// A block of C (m, n) by packed blocks of A and B.
static void multiply_block(const sfnec_simd *simd, size_t m, size_t n, size_t depth, const float *a, const float *b,
                           size_t columns, float *c, size_t stride) {
  const size_t rows = simd->tile_rows;
  for (size_t j = 0; j < n; j += columns) {
    const size_t wide = least(columns, n - j);
    for (size_t i = 0; i < m; i += rows) {
      const size_t high = least(rows, m - i);
      float *to = c + i * stride + j;
      if (high == rows && wide == columns) {
        simd->multiply_tile(depth, a + i * depth, b + j * depth, columns, to, stride);
      } else {
        multiply_edge(simd, depth, a + i * depth, b + j * depth, columns, to, stride, high, wide);
      }
    }
  }
}

void sfnec_matrix_multiply(const sfnec_simd *simd, size_t m, size_t n, size_t k, sfnec_matrix a, sfnec_matrix b,
                           float *c, size_t stride, float *scratch) {
  // a single row meets each number of B once, so that packing would cost as much as the product
  if (m == 1 && a.column == 1 && b.column == 1) {
    simd->multiply_row(k, a.at, b.at, b.row, n, c);
    return;
  }
  const size_t columns = n <= simd->tile_columns / 2 ? simd->tile_columns / 2 : simd->tile_columns;
  float *packed_a = scratch, *packed_b = scratch + SFNEC_MATRIX_ROWS * SFNEC_MATRIX_DEPTH;
  for (size_t j = 0; j < n; j += SFNEC_MATRIX_COLUMNS) {
    const size_t wide = least(SFNEC_MATRIX_COLUMNS, n - j);
    for (size_t p = 0; p < k; p += SFNEC_MATRIX_DEPTH) {
      const size_t depth = least(SFNEC_MATRIX_DEPTH, k - p);
      pack(b.at + p * b.row + j * b.column, b.column, b.row, wide, depth, columns, packed_b);
      for (size_t i = 0; i < m; i += SFNEC_MATRIX_ROWS) {
        const size_t high = least(SFNEC_MATRIX_ROWS, m - i);
        pack(a.at + i * a.row + p * a.column, a.row, a.column, high, depth, simd->tile_rows, packed_a);
        multiply_block(simd, high, wide, depth, packed_a, packed_b, columns, c + i * stride + j, stride);
      }
    }
  }
}
