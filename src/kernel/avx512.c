// avx512.c: the kernels in AVX-512: the 16 lanes of the specification are one register.
//
// Rows are taken four at a time, which hides the latency of the fused multiply-add and lets the four trees share their
// last additions. The last, partial block is read under a mask that fills it up with zeros.
#include "kernel/levels.h"

#include <immintrin.h>

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

static inline __m128 distances_4(const float *query, const float *row, size_t stride, size_t size) {
  __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    __m512 q = _mm512_loadu_ps(query + i);
    a = add_square(a, q, _mm512_loadu_ps(row + i));
    b = add_square(b, q, _mm512_loadu_ps(row + stride + i));
    c = add_square(c, q, _mm512_loadu_ps(row + 2 * stride + i));
    d = add_square(d, q, _mm512_loadu_ps(row + 3 * stride + i));
  }
  if (i < size) {
    __mmask16 m = mask_first(size - i);
    __m512 q = _mm512_maskz_loadu_ps(m, query + i);
    a = add_square(a, q, _mm512_maskz_loadu_ps(m, row + i));
    b = add_square(b, q, _mm512_maskz_loadu_ps(m, row + stride + i));
    c = add_square(c, q, _mm512_maskz_loadu_ps(m, row + 2 * stride + i));
    d = add_square(d, q, _mm512_maskz_loadu_ps(m, row + 3 * stride + i));
  }
  return finish_4(fold(a), fold(b), fold(c), fold(d));
}

static void squared_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                              float *out) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) _mm_storeu_ps(out + i, distances_4(query, rows + i * stride, stride, size));
  for (; i < count; i++) out[i] = distance(query, rows + i * stride, size);
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

static void block_distances(const float *query, const float *points, size_t size, float *out) {
  __m512 left = _mm512_setzero_ps(), right = left;
  for (size_t d = 0; d < size; d++) {
    const float *row = points + d * SFNEC_KERNEL_POINTS;
    const __m512 q = _mm512_set1_ps(query[d]);
    left = add_square(left, _mm512_loadu_ps(row), q);
    right = add_square(right, _mm512_loadu_ps(row + 16), q);
  }
  _mm512_storeu_ps(out, left);
  _mm512_storeu_ps(out + 16, right);
}

static void box_distances(const float *query, const float *lows, const float *highs, size_t size, float *out) {
  __m512 sum = _mm512_setzero_ps();
  for (size_t d = 0; d < size; d++) {
    const __m512 q = _mm512_set1_ps(query[d]);
    const __m512 below = _mm512_sub_ps(_mm512_loadu_ps(lows + d * SFNEC_KERNEL_BOXES), q);
    const __m512 above = _mm512_sub_ps(q, _mm512_loadu_ps(highs + d * SFNEC_KERNEL_BOXES));
    const __m512 gap = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
    sum = _mm512_fmadd_ps(gap, gap, sum);
  }
  _mm512_storeu_ps(out, sum);
}

const sfnec_kernel sfnec_kernel_avx512 = {
    .name = "avx512",
    .squared_distances = squared_distances,
    .dot = dot,
    .block_distances = block_distances,
    .box_distances = box_distances,
};
