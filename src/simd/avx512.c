// avx512.c: the kernels in AVX-512: the 16 lanes of the specification are one register.
//
// Rows are taken four at a time, which hides the latency of the fused multiply-add and lets the four trees share their
// last additions. The last, partial block is read under a mask that fills it up with zeros.
#include "simd/simd.h"

#include <immintrin.h>
#include <string.h>

static inline __mmask16 mask_first(size_t n) {
  return (__mmask16)((1u << n) - 1);
}

static inline __m512 add_square(__m512 sum, __m512 a, __m512 b) {
  __m512 difference = _mm512_sub_ps(a, b);
  return _mm512_fmadd_ps(difference, difference, sum);
}

// the first two levels of the tree: 16 lanes to 4
static inline __m128 fold(__m512 sum) {
  __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1));
  return _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
}

// the last two levels for one sum
static inline float finish(__m128 four) {
  __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// the last two levels for four sums at once: the same additions, transposed
static inline __m128 finish_4(__m128 a, __m128 b, __m128 c, __m128 d) {
  __m128 ab = _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
  __m128 cd = _mm_add_ps(_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
  return _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
}

static inline float distance(const float *query, const float *row, size_t size) {
  __m512 sum = _mm512_setzero_ps();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_square(sum, _mm512_loadu_ps(query + i), _mm512_loadu_ps(row + i));
  if (i < size) {
    __mmask16 m = mask_first(size - i);
    sum = add_square(sum, _mm512_maskz_loadu_ps(m, query + i), _mm512_maskz_loadu_ps(m, row + i));
  }
  return finish(fold(sum));
}

static inline __m128 distances_4(const float *query, const float *const rows[4], size_t size) {
  __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    __m512 q = _mm512_loadu_ps(query + i);
    a = add_square(a, q, _mm512_loadu_ps(rows[0] + i));
    b = add_square(b, q, _mm512_loadu_ps(rows[1] + i));
    c = add_square(c, q, _mm512_loadu_ps(rows[2] + i));
    d = add_square(d, q, _mm512_loadu_ps(rows[3] + i));
  }
  if (i < size) {
    __mmask16 m = mask_first(size - i);
    __m512 q = _mm512_maskz_loadu_ps(m, query + i);
    a = add_square(a, q, _mm512_maskz_loadu_ps(m, rows[0] + i));
    b = add_square(b, q, _mm512_maskz_loadu_ps(m, rows[1] + i));
    c = add_square(c, q, _mm512_maskz_loadu_ps(m, rows[2] + i));
    d = add_square(d, q, _mm512_maskz_loadu_ps(m, rows[3] + i));
  }
  return finish_4(fold(a), fold(b), fold(c), fold(d));
}

static void squared_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                              float *out) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const float *first = rows + i * stride;
    const float *const four[4] = {first, first + stride, first + 2 * stride, first + 3 * stride};
    _mm_storeu_ps(out + i, distances_4(query, four, size));
  }
  for (; i < count; i++) out[i] = distance(query, rows + i * stride, size);
}

static void scattered_distances(const float *query, const float *rows, size_t stride, const uint32_t *places,
                                size_t count, size_t size, float *out) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const float *const four[4] = {rows + places[i] * stride, rows + places[i + 1] * stride,
                                  rows + places[i + 2] * stride, rows + places[i + 3] * stride};
    _mm_storeu_ps(out + i, distances_4(query, four, size));
  }
  for (; i < count; i++) out[i] = distance(query, rows + places[i] * stride, size);
}

static float dot(const float *a, const float *b, size_t size) {
  __m512 sum = _mm512_setzero_ps();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), sum);
  if (i < size) {
    __mmask16 m = mask_first(size - i);
    sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, a + i), _mm512_maskz_loadu_ps(m, b + i), sum);
  }
  return finish(fold(sum));
}

static void project(const float *rows, size_t count, size_t size, float *vector, float *shares) {
  for (size_t j = 0; j < count; j++) shares[j] = dot(rows + j * size, vector, size);
  for (size_t i = 0; i < size; i += 16) {
    __m512 residual = _mm512_loadu_ps(vector + i);
    for (size_t j = 0; j < count; j++)
      residual = _mm512_fnmadd_ps(_mm512_set1_ps(shares[j]), _mm512_loadu_ps(rows + j * size + i), residual);
    _mm512_storeu_ps(vector + i, residual);
  }
}

// ---- matrices: twelve rows by two registers leave room for a row of B and one number of A ----

enum { TILE_ROWS = 12, TILE_COLUMNS = 32 };

// `width` registers of columns, a constant where it is called: then the sums stay in registers.
static inline void tile(size_t depth, const float *a, const float *b, const int width, float *c, size_t stride) {
  __m512 sums[TILE_ROWS][2];
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) sums[i][j] = _mm512_loadu_ps(c + (size_t)i * stride + 16 * j);
  for (size_t p = 0; p < depth; p++, a += TILE_ROWS, b += 16 * width) {
    const __m512 first = _mm512_loadu_ps(b), second = width > 1 ? _mm512_loadu_ps(b + 16) : first;
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++) {
      const __m512 each = _mm512_set1_ps(a[i]);
      sums[i][0] = _mm512_fmadd_ps(each, first, sums[i][0]);
      if (width > 1) sums[i][1] = _mm512_fmadd_ps(each, second, sums[i][1]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) _mm512_storeu_ps(c + (size_t)i * stride + 16 * j, sums[i][j]);
}

static void multiply_tile(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride) {
  if (columns == TILE_COLUMNS) tile(depth, a, b, 2, c, stride);
  else tile(depth, a, b, 1, c, stride);
}

static void multiply_row(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c) {
  size_t j = 0;
  for (; j + 128 <= columns; j += 128) { // eight independent chains hide the latency
    __m512 sums[8];
    for (int r = 0; r < 8; r++) sums[r] = _mm512_loadu_ps(c + j + 16 * r);
    for (size_t p = 0; p < depth; p++) {
      const __m512 each = _mm512_set1_ps(a[p]);
      for (int r = 0; r < 8; r++)
        sums[r] = _mm512_fmadd_ps(each, _mm512_loadu_ps(b + p * stride + j + 16 * r), sums[r]);
    }
    for (int r = 0; r < 8; r++) _mm512_storeu_ps(c + j + 16 * r, sums[r]);
  }
  for (; j < columns; j += 16) { // the last columns, of which a mask leaves out what is not there
    const __mmask16 m = mask_first(columns - j < 16 ? columns - j : 16);
    __m512 sum = _mm512_maskz_loadu_ps(m, c + j);
    for (size_t p = 0; p < depth; p++)
      sum = _mm512_fmadd_ps(_mm512_set1_ps(a[p]), _mm512_maskz_loadu_ps(m, b + p * stride + j), sum);
    _mm512_mask_storeu_ps(c + j, m, sum);
  }
}

static uint32_t code_distances(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out) {
  __m512i left = _mm512_setzero_si512(), right = left;
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2, codes += 2 * SFNEC_SIMD_POINTS) {
    int32_t pair;
    memcpy(&pair, query + d, sizeof pair);
    const __m512i q = _mm512_set1_epi32(pair);
    const __m512i a = _mm512_sub_epi16(q, _mm512_loadu_si512(codes));
    const __m512i b = _mm512_sub_epi16(q, _mm512_loadu_si512(codes + 32));
    left = _mm512_add_epi32(left, _mm512_madd_epi16(a, a));
    right = _mm512_add_epi32(right, _mm512_madd_epi16(b, b));
  }
  _mm512_storeu_si512(out, left);
  _mm512_storeu_si512(out + 16, right);
  const __m512i most = _mm512_set1_epi32((int32_t)limit);
  return (uint32_t)_mm512_cmple_epu32_mask(left, most) | (uint32_t)_mm512_cmple_epu32_mask(right, most) << 16;
}

// two bytes of a query, repeated: the numbers that belong to a pair of rows
static inline __m256i repeat_pair(const uint8_t *from) {
  uint16_t pair;
  memcpy(&pair, from, sizeof pair);
  return _mm256_set1_epi16((int16_t)pair);
}

static uint32_t box_distances(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                              uint32_t limit, uint32_t *out) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(lows + d * SFNEC_SIMD_BOXES));
    const __m256i high = _mm256_loadu_si256((const __m256i *)(highs + d * SFNEC_SIMD_BOXES));
    // at most one of the two differences is not zero
    const __m256i gap =
        _mm256_or_si256(_mm256_subs_epu8(low, repeat_pair(ceils + d)), _mm256_subs_epu8(repeat_pair(floors + d), high));
    const __m512i wide = _mm512_cvtepu8_epi16(gap);
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(wide, wide));
  }
  sum = _mm512_slli_epi32(sum, 8);
  _mm512_storeu_si512(out, sum);
  return _mm512_cmple_epu32_mask(sum, _mm512_set1_epi32((int32_t)limit));
}

const sfnec_simd sfnec_simd_avx512 = {
    .name = "avx512",
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
