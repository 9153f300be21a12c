// avx2.c: the kernels in AVX2 and FMA: the 16 lanes of the specification are two registers of eight.
//
// Rows are taken four at a time: eight independent sums hide the latency of the fused multiply-add, and the four trees
// share their last additions. Software prefetch was tried (4 to 32 rows ahead) and gained nothing: the scan is one
// stream that the hardware follows. Rows need no alignment; the last, partial block is read under a mask, never past
// its end.
#include "kernel/levels.h"

#include <immintrin.h>
#include <stdint.h>

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

static inline __m128 distances_4(const float *query, const float *row, size_t stride, size_t size) {
  lanes a = zero(), b = zero(), c = zero(), d = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    lanes q = load(query + i);
    a = add_square(a, q, load(row + i));
    b = add_square(b, q, load(row + stride + i));
    c = add_square(c, q, load(row + 2 * stride + i));
    d = add_square(d, q, load(row + 3 * stride + i));
  }
  if (i < size) {
    mask m = mask_first(size - i);
    lanes q = load_masked(query + i, m);
    a = add_square(a, q, load_masked(row + i, m));
    b = add_square(b, q, load_masked(row + stride + i, m));
    c = add_square(c, q, load_masked(row + 2 * stride + i, m));
    d = add_square(d, q, load_masked(row + 3 * stride + i, m));
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
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_product(sum, load(a + i), load(b + i));
  if (i < size) {
    mask m = mask_first(size - i);
    sum = add_product(sum, load_masked(a + i, m), load_masked(b + i, m));
  }
  return finish(fold(sum));
}

static void block_distances(const float *query, const float *points, size_t size, float *out) {
  lanes left = zero(), right = zero();
  for (size_t d = 0; d < size; d++) {
    const float *row = points + d * SFNEC_KERNEL_POINTS;
    const __m256 q = _mm256_broadcast_ss(query + d);
    const lanes same = {q, q};
    left = add_square(left, load(row), same);
    right = add_square(right, load(row + 16), same);
  }
  _mm256_storeu_ps(out, left.low);
  _mm256_storeu_ps(out + 8, left.high);
  _mm256_storeu_ps(out + 16, right.low);
  _mm256_storeu_ps(out + 24, right.high);
}

static inline __m256 gap(__m256 query, const float *low, const float *high) {
  __m256 below = _mm256_sub_ps(_mm256_loadu_ps(low), query), above = _mm256_sub_ps(query, _mm256_loadu_ps(high));
  return _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
}

static void box_distances(const float *query, const float *lows, const float *highs, size_t size, float *out) {
  lanes sum = zero();
  for (size_t d = 0; d < size; d++) {
    const float *low = lows + d * SFNEC_KERNEL_BOXES, *high = highs + d * SFNEC_KERNEL_BOXES;
    const __m256 q = _mm256_broadcast_ss(query + d);
    const lanes gaps = {gap(q, low, high), gap(q, low + 8, high + 8)};
    sum = add_product(sum, gaps, gaps);
  }
  _mm256_storeu_ps(out, sum.low);
  _mm256_storeu_ps(out + 8, sum.high);
}

const sfnec_kernel sfnec_kernel_avx2 = {
    .name = "avx2",
    .squared_distances = squared_distances,
    .dot = dot,
    .block_distances = block_distances,
    .box_distances = box_distances,
};
