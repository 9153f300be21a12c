// scalar.c: the specification of every distance and inner product of the library.
//
// Vectors are cut into blocks of 16 elements, the last one filled up with zeros; element l of each block goes to lane l
// by one fused multiply-add, and the lanes are added as a fixed tree. The zeros take part like any other element: that
// keeps the bits equal to those of levels that always work on whole registers (a lane at -0 becomes +0, for example).
// fmaf rounds once on every machine, in hardware or in the C library, so this file is right everywhere and fast
// nowhere.
#include "kernel/kernel.h"

#include <math.h>
#include <stdbool.h>

enum { LANES = SFNEC_KERNEL_LANES };

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

static void block_distances(const float *query, const float *points, size_t size, float *out) {
  for (size_t i = 0; i < SFNEC_KERNEL_POINTS; i++) {
    float sum = 0.0f;
    for (size_t d = 0; d < size; d++) {
      float difference = points[d * SFNEC_KERNEL_POINTS + i] - query[d];
      sum = fmaf(difference, difference, sum);
    }
    out[i] = sum;
  }
}

static void box_distances(const float *query, const float *lows, const float *highs, size_t size, float *out) {
  for (size_t i = 0; i < SFNEC_KERNEL_BOXES; i++) {
    float sum = 0.0f;
    for (size_t d = 0; d < size; d++) {
      float below = lows[d * SFNEC_KERNEL_BOXES + i] - query[d], above = query[d] - highs[d * SFNEC_KERNEL_BOXES + i];
      float gap = below > above ? below : above;
      gap = gap > 0.0f ? gap : 0.0f;
      sum = fmaf(gap, gap, sum);
    }
    out[i] = sum;
  }
}

const sfnec_kernel sfnec_kernel_scalar = {
    .name = "scalar",
    .squared_distances = squared_distances,
    .dot = dot,
    .block_distances = block_distances,
    .box_distances = box_distances,
};
