// neon.c: the kernels in NEON (64-bit ARM): the 16 lanes of the specification are four registers of four.
//
// Rows are taken two at a time: eight independent sums hide the latency of the fused multiply-add. The last, partial
// block is copied into one filled up with zeros. (32-bit ARM is left to the scalar level: its NEON flushes denormals.)
#include "kernel/levels.h"

#include <arm_neon.h>
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
  float block[SFNEC_KERNEL_LANES] = {0};
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

static float dot(const float *a, const float *b, size_t size) {
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_product(sum, load(a + i), load(b + i));
  if (i < size) sum = add_product(sum, load_first(a + i, size - i), load_first(b + i, size - i));
  return sum_lanes(sum);
}

static void block_distances(const float *query, const float *points, size_t size, float *out) {
  for (size_t half = 0; half < SFNEC_KERNEL_POINTS; half += 16) {
    lanes sum = zero();
    for (size_t d = 0; d < size; d++) {
      const float32x4_t q = vdupq_n_f32(query[d]);
      sum = add_square(sum, load(points + d * SFNEC_KERNEL_POINTS + half), (lanes){q, q, q, q});
    }
    vst1q_f32(out + half, sum.a);
    vst1q_f32(out + half + 4, sum.b);
    vst1q_f32(out + half + 8, sum.c);
    vst1q_f32(out + half + 12, sum.d);
  }
}

static inline float32x4_t gap(float32x4_t query, float32x4_t low, float32x4_t high) {
  return vmaxq_f32(vmaxq_f32(vsubq_f32(low, query), vsubq_f32(query, high)), vdupq_n_f32(0.0f));
}

static void box_distances(const float *query, const float *lows, const float *highs, size_t size, float *out) {
  lanes sum = zero();
  for (size_t d = 0; d < size; d++) {
    const float32x4_t q = vdupq_n_f32(query[d]);
    const lanes low = load(lows + d * SFNEC_KERNEL_BOXES), high = load(highs + d * SFNEC_KERNEL_BOXES);
    const lanes gaps = {gap(q, low.a, high.a), gap(q, low.b, high.b), gap(q, low.c, high.c), gap(q, low.d, high.d)};
    sum = add_product(sum, gaps, gaps);
  }
  vst1q_f32(out, sum.a);
  vst1q_f32(out + 4, sum.b);
  vst1q_f32(out + 8, sum.c);
  vst1q_f32(out + 12, sum.d);
}

const sfnec_kernel sfnec_kernel_neon = {
    .name = "neon",
    .squared_distances = squared_distances,
    .dot = dot,
    .block_distances = block_distances,
    .box_distances = box_distances,
};
