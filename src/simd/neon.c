// neon.c: the kernels in NEON (64-bit ARM): the 16 lanes of the specification are four registers of four.
//
// Rows are taken two at a time: eight independent sums hide the latency of the fused multiply-add. The last, partial
// block is copied into one filled up with zeros. (32-bit ARM is left to the scalar level: its NEON flushes denormals.)
#include "simd/simd.h"

#include <arm_neon.h>
#include <math.h>
#include <string.h>

// The 16 lanes of one sum.
typedef struct lanes {
  float32x4_t a, b, c, d;
} lanes;

static inline lanes zero(void) {
  float32x4_t none = vdupq_n_f32(0.0f);
  return (lanes){none, none, none, none};
}

static inline lanes load(const float *from) {
  return (lanes){vld1q_f32(from), vld1q_f32(from + 4), vld1q_f32(from + 8), vld1q_f32(from + 12)};
}

// a last block of n < 16 elements
static inline lanes load_first(const float *from, size_t n) {
  float block[SFNEC_SIMD_LANES] = {0};
  memcpy(block, from, n * sizeof *from);
  return load(block);
}

static inline lanes add_product(lanes sum, lanes x, lanes y) {
  return (lanes){vfmaq_f32(sum.a, x.a, y.a), vfmaq_f32(sum.b, x.b, y.b), vfmaq_f32(sum.c, x.c, y.c),
                 vfmaq_f32(sum.d, x.d, y.d)};
}

static inline lanes add_square(lanes sum, lanes x, lanes y) {
  lanes difference = {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b), vsubq_f32(x.c, y.c), vsubq_f32(x.d, y.d)};
  return add_product(sum, difference, difference);
}

// the tree: l with l + 8, then + 4, + 2, + 1
static inline float sum_lanes(lanes sum) {
  float32x4_t four = vaddq_f32(vaddq_f32(sum.a, sum.c), vaddq_f32(sum.b, sum.d));
  float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(vpadd_f32(two, two), 0);
}

static inline float distance(const float *query, const float *row, size_t size) {
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_square(sum, load(query + i), load(row + i));
  if (i < size) sum = add_square(sum, load_first(query + i, size - i), load_first(row + i, size - i));
  return sum_lanes(sum);
}

static inline void distances_2(const float *query, const float *row, size_t stride, size_t size, float *out) {
  lanes first = zero(), second = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    lanes q = load(query + i);
    first = add_square(first, q, load(row + i));
    second = add_square(second, q, load(row + stride + i));
  }
  if (i < size) {
    lanes q = load_first(query + i, size - i);
    first = add_square(first, q, load_first(row + i, size - i));
    second = add_square(second, q, load_first(row + stride + i, size - i));
  }
  out[0] = sum_lanes(first);
  out[1] = sum_lanes(second);
}

static void squared_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                              float *out) {
  size_t i = 0;
  for (; i + 2 <= count; i += 2) distances_2(query, rows + i * stride, stride, size, out + i);
  if (i < count) out[i] = distance(query, rows + i * stride, size);
}

static void scattered_distances(const float *query, const float *rows, size_t stride, const uint32_t *places,
                                size_t count, size_t size, float *out) {
  for (size_t i = 0; i < count; i++) out[i] = distance(query, rows + places[i] * stride, size);
}

static float dot(const float *a, const float *b, size_t size) {
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_product(sum, load(a + i), load(b + i));
  if (i < size) sum = add_product(sum, load_first(a + i, size - i), load_first(b + i, size - i));
  return sum_lanes(sum);
}

static void project(const float *rows, size_t count, size_t size, float *vector, float *shares) {
  for (size_t j = 0; j < count; j++) shares[j] = dot(rows + j * size, vector, size);
  for (size_t i = 0; i < size; i += SFNEC_SIMD_LANES) {
    lanes residual = load(vector + i);
    for (size_t j = 0; j < count; j++) {
      const float32x4_t share = vdupq_n_f32(shares[j]);
      const lanes row = load(rows + j * size + i);
      residual = (lanes){vfmsq_f32(residual.a, share, row.a), vfmsq_f32(residual.b, share, row.b),
                         vfmsq_f32(residual.c, share, row.c), vfmsq_f32(residual.d, share, row.d)};
    }
    vst1q_f32(vector + i, residual.a);
    vst1q_f32(vector + i + 4, residual.b);
    vst1q_f32(vector + i + 8, residual.c);
    vst1q_f32(vector + i + 12, residual.d);
  }
}

// ---- matrices: six rows by four registers leave room for a row of B and one number of A ----

enum { TILE_ROWS = 6, TILE_COLUMNS = 16 };

// `width` registers of columns, a constant where it is called: then the sums stay in registers.
static inline void tile(size_t depth, const float *a, const float *b, const int width, float *c, size_t stride) {
  float32x4_t sums[TILE_ROWS][4];
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) sums[i][j] = vld1q_f32(c + (size_t)i * stride + 4 * j);
  for (size_t p = 0; p < depth; p++, a += TILE_ROWS, b += 4 * width) {
    float32x4_t row[4];
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) row[j] = vld1q_f32(b + 4 * j);
#pragma GCC unroll 12
    for (int i = 0; i < TILE_ROWS; i++) {
      const float32x4_t each = vdupq_n_f32(a[i]);
#pragma GCC unroll 12
      for (int j = 0; j < width; j++) sums[i][j] = vfmaq_f32(sums[i][j], each, row[j]);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 12
    for (int j = 0; j < width; j++) vst1q_f32(c + (size_t)i * stride + 4 * j, sums[i][j]);
}

static void multiply_tile(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride) {
  if (columns == TILE_COLUMNS) tile(depth, a, b, 4, c, stride);
  else tile(depth, a, b, 2, c, stride);
}

static void multiply_row(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c) {
  size_t j = 0;
  for (; j + 32 <= columns; j += 32) { // eight independent chains hide the latency
    float32x4_t sums[8];
    for (int r = 0; r < 8; r++) sums[r] = vld1q_f32(c + j + 4 * r);
    for (size_t p = 0; p < depth; p++) {
      const float32x4_t each = vdupq_n_f32(a[p]);
      for (int r = 0; r < 8; r++) sums[r] = vfmaq_f32(sums[r], each, vld1q_f32(b + p * stride + j + 4 * r));
    }
    for (int r = 0; r < 8; r++) vst1q_f32(c + j + 4 * r, sums[r]);
  }
  for (; j < columns; j++) // one at a time
    for (size_t p = 0; p < depth; p++) c[j] = fmaf(a[p], b[p * stride + j], c[j]);
}

// the squares of 8 differences, added in pairs, to four sums
static inline uint32x4_t add_pairs(uint32x4_t sum, int16x8_t x) {
  const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(x)), high = vmull_high_s16(x, x);
  return vaddq_u32(sum, vreinterpretq_u32_s32(vpaddq_s32(low, high)));
}

// a bit for each of four numbers that is not greater than the limit
static inline uint32_t mark(uint32x4_t numbers, uint32_t limit) {
  static const uint32_t weights[4] = {1, 2, 4, 8};
  return vaddvq_u32(vandq_u32(vcleq_u32(numbers, vdupq_n_u32(limit)), vld1q_u32(weights)));
}

static uint32_t code_distances(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out) {
  uint32x4_t sums[SFNEC_SIMD_POINTS / 4];
  for (size_t i = 0; i < SFNEC_SIMD_POINTS / 4; i++) sums[i] = vdupq_n_u32(0);
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2, codes += 2 * SFNEC_SIMD_POINTS) {
    int32_t pair;
    memcpy(&pair, query + d, sizeof pair);
    const int16x8_t q = vreinterpretq_s16_s32(vdupq_n_s32(pair));
    for (size_t i = 0; i < SFNEC_SIMD_POINTS / 4; i++)
      sums[i] = add_pairs(sums[i], vsubq_s16(q, vld1q_s16(codes + 8 * i)));
  }
  uint32_t bits = 0;
  for (size_t i = 0; i < SFNEC_SIMD_POINTS / 4; i++) {
    vst1q_u32(out + 4 * i, sums[i]);
    bits |= mark(sums[i], limit) << (4 * i);
  }
  return bits;
}

// two bytes of a query, repeated: the numbers that belong to a pair of rows
static inline uint8x8_t repeat_pair(const uint8_t *from) {
  uint16_t pair;
  memcpy(&pair, from, sizeof pair);
  return vreinterpret_u8_u16(vdup_n_u16(pair));
}

static uint32_t box_distances(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                              uint32_t limit, uint32_t *out) {
  uint32x4_t sums[SFNEC_SIMD_BOXES / 4];
  for (size_t i = 0; i < SFNEC_SIMD_BOXES / 4; i++) sums[i] = vdupq_n_u32(0);
  for (size_t d = 0; d < SFNEC_SIMD_CODE; d += 2) {
    const uint8x8_t floor = repeat_pair(floors + d), ceil = repeat_pair(ceils + d);
    for (size_t i = 0; i < SFNEC_SIMD_BOXES / 4; i++) {
      const size_t at = d * SFNEC_SIMD_BOXES + 8 * i;
      // at most one of the two differences is not zero
      const uint8x8_t gap = vorr_u8(vqsub_u8(vld1_u8(lows + at), ceil), vqsub_u8(floor, vld1_u8(highs + at)));
      sums[i] = add_pairs(sums[i], vreinterpretq_s16_u16(vmovl_u8(gap)));
    }
  }
  uint32_t bits = 0;
  for (size_t i = 0; i < SFNEC_SIMD_BOXES / 4; i++) {
    sums[i] = vshlq_n_u32(sums[i], 8);
    vst1q_u32(out + 4 * i, sums[i]);
    bits |= mark(sums[i], limit) << (4 * i);
  }
  return bits;
}

const sfnec_simd sfnec_simd_neon = {
    .name = "neon",
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
