// scalar.c: the specification of every distance and inner product of the library.
//
// Vectors are cut into blocks of 16 elements, the last one filled up with zeros; element l of each block goes to lane l
// by one fused multiply-add, and the lanes are added as a fixed tree. The zeros take part like any other element: that
// keeps the bits equal to those of levels that always work on whole registers (a lane at -0 becomes +0, for example).
// fmaf rounds once on every machine, in hardware or in the C library, so this file is right everywhere and fast
// nowhere.
#include "simd/simd.h"

#include <math.h>
#include <stdbool.h>

enum { LANES = SFNEC_SIMD_LANES };

// adds the lanes: l with l + 8, then + 4, + 2, + 1
static float sum_lanes(float lanes[LANES]) {
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
  return lanes[0];
}

static float squared_distance(const float *a, const float *b, size_t size) {
  float lanes[LANES] = {0};
  for (size_t block = 0; block < size; block += LANES) {
    for (size_t l = 0; l < LANES; l++) {
      float difference = block + l < size ? a[block + l] - b[block + l] : 0.0f;
      lanes[l] = fmaf(difference, difference, lanes[l]);
    }
  }
  return sum_lanes(lanes);
}

static void squared_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                              float *out) {
  for (size_t i = 0; i < count; i++) out[i] = squared_distance(query, rows + i * stride, size);
}

static void scattered_distances(const float *query, const float *rows, size_t stride, const uint32_t *places,
                                size_t count, size_t size, float *out) {
  for (size_t i = 0; i < count; i++) out[i] = squared_distance(query, rows + places[i] * stride, size);
}

static float dot(const float *a, const float *b, size_t size) {
  float lanes[LANES] = {0};
  for (size_t block = 0; block < size; block += LANES) {
    for (size_t l = 0; l < LANES; l++) {
      bool inside = block + l < size;
      lanes[l] = fmaf(inside ? a[block + l] : 0.0f, inside ? b[block + l] : 0.0f, lanes[l]);
    }
  }
  return sum_lanes(lanes);
}

static void project(const float *rows, size_t count, size_t size, float *vector, float *shares) {
  for (size_t j = 0; j < count; j++) shares[j] = dot(rows + j * size, vector, size);
  for (size_t j = 0; j < count; j++)
    for (size_t c = 0; c < size; c++) vector[c] = fmaf(-shares[j], rows[j * size + c], vector[c]);
}

enum { TILE_ROWS = 4, TILE_COLUMNS = 8 };

static void multiply_tile(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride) {
  for (size_t p = 0; p < depth; p++, a += TILE_ROWS, b += columns)
    for (size_t i = 0; i < TILE_ROWS; i++)
      for (size_t j = 0; j < columns; j++) c[i * stride + j] = fmaf(a[i], b[j], c[i * stride + j]);
}

static void multiply_row(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c) {
  for (size_t p = 0; p < depth; p++)
    for (size_t j = 0; j < columns; j++) c[j] = fmaf(a[p], b[p * stride + j], c[j]);
}

// a bit for each number that is not greater than the limit
static uint32_t mark(const uint32_t *numbers, size_t count, uint32_t limit) {
  uint32_t bits = 0;
  for (size_t i = 0; i < count; i++) bits |= (uint32_t)(numbers[i] <= limit) << i;
  return bits;
}

static uint32_t code_distances(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out) {
  for (size_t i = 0; i < SFNEC_SIMD_POINTS; i++) {
    out[i] = 0;
    for (size_t d = 0; d < SFNEC_SIMD_CODE; d++) {
      const int difference = query[d] - codes[d / 2 * 2 * SFNEC_SIMD_POINTS + 2 * i + d % 2];
      out[i] += (uint32_t)(difference * difference);
    }
  }
  return mark(out, SFNEC_SIMD_POINTS, limit);
}

static uint32_t box_distances(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                              uint32_t limit, uint32_t *out) {
  for (size_t i = 0; i < SFNEC_SIMD_BOXES; i++) {
    out[i] = 0;
    for (size_t d = 0; d < SFNEC_SIMD_CODE; d++) {
      const size_t at = d / 2 * 2 * SFNEC_SIMD_BOXES + 2 * i + d % 2;
      const int below = lows[at] - ceils[d], above = floors[d] - highs[at];
      const int gap = below > above ? below : above;
      if (gap > 0) out[i] += (uint32_t)(256 * gap * gap);
    }
  }
  return mark(out, SFNEC_SIMD_BOXES, limit);
}

const sfnec_simd sfnec_simd_scalar = {
    .name = "scalar",
    .squared_distances = squared_distances,
    .scattered_distances = scattered_distances,
    .dot = dot,
    .project = project,
    .tile_rows = TILE_ROWS,
    .tile_columns = TILE_COLUMNS,
    .multiply_tile = multiply_tile,
    .multiply_row = multiply_row,
    .code_distances = code_distances,
    .box_distances = box_distances,
};
