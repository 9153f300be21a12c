// avx2.c: the kernels in AVX2 and FMA: the 16 lanes of the specification are two registers of eight.
//
// Rows are taken four at a time: eight independent sums hide the latency of the fused multiply-add, and the four trees
// share their last additions. Software prefetch was tried (4 to 32 rows ahead) and gained nothing: the scan is one
// stream that the hardware follows. Rows need no alignment; the last, partial block is read under a mask, never past
// its end.
#include "simd/simd.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

// The 16 lanes of one sum.
typedef struct lanes {
  __m256 low, high;
} lanes;

// Which elements of a last block of n < 16 are there.
typedef struct mask {
  __m256i low, high;
} mask;

static inline mask mask_first(size_t n) {
  static const int32_t edge[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const int32_t *from = edge + 16 - n;
  return (mask){_mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)(from + 8))};
}

static inline lanes zero(void) {
  return (lanes){_mm256_setzero_ps(), _mm256_setzero_ps()};
}

static inline lanes load(const float *from) {
  return (lanes){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)};
}

static inline lanes load_masked(const float *from, mask m) {
  return (lanes){_mm256_maskload_ps(from, m.low), _mm256_maskload_ps(from + 8, m.high)};
}

static inline lanes add_product(lanes sum, lanes a, lanes b) {
  return (lanes){_mm256_fmadd_ps(a.low, b.low, sum.low), _mm256_fmadd_ps(a.high, b.high, sum.high)};
}

static inline lanes add_square(lanes sum, lanes a, lanes b) {
  lanes difference = {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
  return add_product(sum, difference, difference);
}

// the first two levels of the tree: 16 lanes to 4
static inline __m128 fold(lanes sum) {
  __m256 eight = _mm256_add_ps(sum.low, sum.high);
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
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_square(sum, load(query + i), load(row + i));
  if (i < size) {
    mask m = mask_first(size - i);
    sum = add_square(sum, load_masked(query + i, m), load_masked(row + i, m));
  }
  return finish(fold(sum));
}

static inline __m128 distances_4(const float *query, const float *const rows[4], size_t size) {
  lanes a = zero(), b = zero(), c = zero(), d = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    lanes q = load(query + i);
    a = add_square(a, q, load(rows[0] + i));
    b = add_square(b, q, load(rows[1] + i));
    c = add_square(c, q, load(rows[2] + i));
    d = add_square(d, q, load(rows[3] + i));
  }
  if (i < size) {
    mask m = mask_first(size - i);
    lanes q = load_masked(query + i, m);
    a = add_square(a, q, load_masked(rows[0] + i, m));
    b = add_square(b, q, load_masked(rows[1] + i, m));
    c = add_square(c, q, load_masked(rows[2] + i, m));
    d = add_square(d, q, load_masked(rows[3] + i, m));
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
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_product(sum, load(a + i), load(b + i));
  if (i < size) {
    mask m = mask_first(size - i);
    sum = add_product(sum, load_masked(a + i, m), load_masked(b + i, m));
  }
  return finish(fold(sum));
}

// two bytes of a query, repeated: the numbers that belong to a pair of rows
static inline __m256i repeat_pair(const uint8_t *from) {
  uint16_t pair;
  memcpy(&pair, from, sizeof pair);
  return _mm256_set1_epi16((int16_t)pair);
}

static inline __m128 dots_4(const float *rows, const float *vector, size_t size) {
  lanes a = zero(), b = zero(), c = zero(), d = zero();
  for (size_t i = 0; i < size; i += 16) {
    lanes v = load(vector + i);
    a = add_product(a, v, load(rows + i));
    b = add_product(b, v, load(rows + size + i));
    c = add_product(c, v, load(rows + 2 * size + i));
    d = add_product(d, v, load(rows + 3 * size + i));
  }
  return finish_4(fold(a), fold(b), fold(c), fold(d));
}

static void project(const float *rows, size_t count, size_t size, float *vector, float *shares) {
  size_t j = 0;
  for (; j + 4 <= count; j += 4) _mm_storeu_ps(shares + j, dots_4(rows + j * size, vector, size));
  for (; j < count; j++) shares[j] = dot(rows + j * size, vector, size);
  // two blocks at a time: four independent chains
  for (size_t i = 0; i < size; i += 32) {
    const size_t next = i + 16 < size ? 16 : 0;
    lanes a = load(vector + i), b = load(vector + i + next);
    for (j = 0; j < count; j++) {
      const __m256 share = _mm256_broadcast_ss(shares + j);
      const lanes x = load(rows + j * size + i), y = load(rows + j * size + i + next);
      a = (lanes){_mm256_fnmadd_ps(share, x.low, a.low), _mm256_fnmadd_ps(share, x.high, a.high)};
      b = (lanes){_mm256_fnmadd_ps(share, y.low, b.low), _mm256_fnmadd_ps(share, y.high, b.high)};
    }
    _mm256_storeu_ps(vector + i, a.low);
    _mm256_storeu_ps(vector + i + 8, a.high);
    _mm256_storeu_ps(vector + i + next, b.low);
    _mm256_storeu_ps(vector + i + next + 8, b.high);
  }
}

// ---- matrices: six rows by two registers leave room for a row of B and one number of A ----

enum { TILE_ROWS = 6, TILE_COLUMNS = 16 };

// `width` registers of columns, a constant where it is called: then the sums stay in registers.
static inline void tile(size_t depth, const float *a, const float *b, const int width, float *c, size_t stride) {
  __m256 sums[TILE_ROWS][2];
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) sums[i][j] = _mm256_loadu_ps(c + (size_t)i * stride + 8 * j);
  for (size_t p = 0; p < depth; p++, a += TILE_ROWS, b += 8 * width) {
    const __m256 first = _mm256_loadu_ps(b), second = width > 1 ? _mm256_loadu_ps(b + 8) : first;
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++) {
      const __m256 each = _mm256_broadcast_ss(a + i);
      sums[i][0] = _mm256_fmadd_ps(each, first, sums[i][0]);
      if (width > 1) sums[i][1] = _mm256_fmadd_ps(each, second, sums[i][1]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) _mm256_storeu_ps(c + (size_t)i * stride + 8 * j, sums[i][j]);
}

static void multiply_tile(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride) {
  if (columns == TILE_COLUMNS) tile(depth, a, b, 2, c, stride);
  else tile(depth, a, b, 1, c, stride);
}

static void multiply_row(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c) {
  size_t j = 0;
  for (; j + 64 <= columns; j += 64) { // eight independent chains hide the latency
    __m256 sums[8];
    for (int r = 0; r < 8; r++) sums[r] = _mm256_loadu_ps(c + j + 8 * r);
    for (size_t p = 0; p < depth; p++) {
      const __m256 each = _mm256_broadcast_ss(a + p);
      for (int r = 0; r < 8; r++) sums[r] = _mm256_fmadd_ps(each, _mm256_loadu_ps(b + p * stride + j + 8 * r), sums[r]);
    }
    for (int r = 0; r < 8; r++) _mm256_storeu_ps(c + j + 8 * r, sums[r]);
  }
  for (; j < columns; j += 8) { // the last columns, of which a mask leaves out what is not there
    const mask m = mask_first(columns - j < 8 ? columns - j : 8);
    __m256 sum = _mm256_maskload_ps(c + j, m.low);
    for (size_t p = 0; p < depth; p++)
      sum = _mm256_fmadd_ps(_mm256_broadcast_ss(a + p), _mm256_maskload_ps(b + p * stride + j, m.low), sum);
    _mm256_maskstore_ps(c + j, m.low, sum);
  }
}

// a bit for each of eight numbers that is not greater than the limit
static inline uint32_t mark(__m256i numbers, uint32_t limit) {
  const __m256i greater = _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32((int32_t)limit));
  return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(greater)) ^ 0xff;
}

static uint32_t code_distances(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out) {
  __m256i sums[4] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2, codes += 2 * SFNEC_SIMD_POINTS) {
    int32_t pair;
    memcpy(&pair, query + d, sizeof pair);
    const __m256i q = _mm256_set1_epi32(pair);
    for (int i = 0; i < 4; i++) {
      const __m256i difference = _mm256_sub_epi16(q, _mm256_loadu_si256((const __m256i *)(codes + 16 * i)));
      sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(difference, difference));
    }
  }
  uint32_t bits = 0;
  for (int i = 0; i < 4; i++) {
    _mm256_storeu_si256((__m256i *)(out + 8 * i), sums[i]);
    bits |= mark(sums[i], limit) << (8 * i);
  }
  return bits;
}

static uint32_t box_distances(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                              uint32_t limit, uint32_t *out) {
  const __m256i none = _mm256_setzero_si256();
  __m256i even = none, odd = none; // boxes 0-3 and 8-11, boxes 4-7 and 12-15
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2) {
    const __m256i low = _mm256_loadu_si256((const __m256i *)(lows + d * SFNEC_SIMD_BOXES));
    const __m256i high = _mm256_loadu_si256((const __m256i *)(highs + d * SFNEC_SIMD_BOXES));
    // at most one of the two differences is not zero
    const __m256i gap =
        _mm256_or_si256(_mm256_subs_epu8(low, repeat_pair(ceils + d)), _mm256_subs_epu8(repeat_pair(floors + d), high));
    const __m256i left = _mm256_unpacklo_epi8(gap, none), right = _mm256_unpackhi_epi8(gap, none);
    even = _mm256_add_epi32(even, _mm256_madd_epi16(left, left));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(right, right));
  }
  even = _mm256_slli_epi32(even, 8);
  odd = _mm256_slli_epi32(odd, 8);
  const __m256i first = _mm256_permute2x128_si256(even, odd, 0x20), second = _mm256_permute2x128_si256(even, odd, 0x31);
  _mm256_storeu_si256((__m256i *)out, first);
  _mm256_storeu_si256((__m256i *)(out + 8), second);
  return mark(first, limit) | mark(second, limit) << 8;
}

const sfnec_simd sfnec_simd_avx2 = {
    .name = "avx2",
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
