// wasm.c: the kernels in WebAssembly's 128-bit instructions, which have no fused multiply-add.
//
// The product of two floats is exact in double, so that x * y + z is one addition in double, rounded to float. Rounding
// twice is wrong only where the double lies in the middle between two floats (its low 29 bits are 1 and zeros), or
// where the float is subnormal, so that its middles lie elsewhere. Blocks of 16 in which that may be are computed again
// with the sum rounded to odd: cut off, its last bit 1 if anything was lost. Such a sum, of more than two bits more
// than the float has, rounds to float as the exact one does.
#include "simd/simd.h"

#include <math.h>
#include <string.h>
#include <wasm_simd128.h>

// The 16 lanes of one sum.
typedef struct lanes {
  v128_t v[4];
} lanes;

static inline lanes zero(void) {
  const v128_t none = wasm_f32x4_const_splat(0.0f);
  return (lanes){{none, none, none, none}};
}

static inline lanes load(const float *from) {
  return (lanes){{wasm_v128_load(from), wasm_v128_load(from + 4), wasm_v128_load(from + 8), wasm_v128_load(from + 12)}};
}

// a last block of n < 16 elements
static inline lanes load_first(const float *from, size_t n) {
  float block[SFNEC_SIMD_LANES] = {0};
  memcpy(block, from, n * sizeof *from);
  return load(block);
}

// ---- the fused multiply-add ----

static inline v128_t upper(v128_t floats) {
  return wasm_i32x4_shuffle(floats, floats, 2, 3, 2, 3);
}

static inline v128_t to_floats(v128_t low, v128_t high) {
  return wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low), wasm_f32x4_demote_f64x2_zero(high), 0, 1, 4, 5);
}

// Whether rounding a sum to float may go wrong; all bits of a lane, or none.
static inline v128_t doubtful(v128_t sum) {
  const v128_t tail = wasm_v128_and(sum, wasm_i64x2_const_splat(0x1fffffff));
  const v128_t middle = wasm_i64x2_eq(tail, wasm_i64x2_const_splat(0x10000000));
  const v128_t small = wasm_f64x2_lt(wasm_f64x2_abs(sum), wasm_f64x2_const_splat(0x1p-126));
  return wasm_v128_or(middle, wasm_v128_and(small, wasm_f64x2_ne(sum, wasm_f64x2_const_splat(0.0))));
}

// x * y + z of two doubles that are floats, rounded to double.
static inline v128_t add_two(v128_t x, v128_t y, v128_t z) {
  const v128_t product = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(x), wasm_f64x2_promote_low_f32x4(y));
  return wasm_f64x2_add(product, wasm_f64x2_promote_low_f32x4(z));
}

// a + b, rounded to odd.
static inline v128_t add_to_odd(v128_t a, v128_t b) {
  const v128_t sum = wasm_f64x2_add(a, b);
  // what the addition lost, exactly; NaN, which is neither side of 0, for a sum that is not finite
  const v128_t part = wasm_f64x2_sub(sum, a);
  const v128_t lost = wasm_f64x2_add(wasm_f64x2_sub(a, wasm_f64x2_sub(sum, part)), wasm_f64x2_sub(b, part));
  const v128_t none = wasm_f64x2_const_splat(0.0), one = wasm_i64x2_const_splat(1);
  const v128_t above = wasm_f64x2_gt(lost, none), below = wasm_f64x2_lt(lost, none);
  const v128_t even = wasm_i64x2_eq(wasm_v128_and(sum, one), wasm_i64x2_const_splat(0));
  // an even sum goes to its neighbour on the side of what was lost: away from 0 if both have one sign
  const v128_t outwards = wasm_v128_bitselect(above, below, wasm_f64x2_gt(sum, none));
  const v128_t move = wasm_v128_bitselect(one, wasm_i64x2_const_splat(-1), outwards);
  return wasm_i64x2_add(sum, wasm_v128_and(move, wasm_v128_and(even, wasm_v128_or(above, below))));
}

static inline v128_t add_two_to_odd(v128_t x, v128_t y, v128_t z) {
  const v128_t product = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(x), wasm_f64x2_promote_low_f32x4(y));
  return add_to_odd(product, wasm_f64x2_promote_low_f32x4(z));
}

static __attribute__((noinline)) lanes add_product_exactly(const lanes *sum, const lanes *x, const lanes *y) {
  lanes out;
  for (int i = 0; i < 4; i++) {
    out.v[i] = to_floats(add_two_to_odd(x->v[i], y->v[i], sum->v[i]),
                         add_two_to_odd(upper(x->v[i]), upper(y->v[i]), upper(sum->v[i])));
  }
  return out;
}

static inline lanes add_product(lanes sum, lanes x, lanes y) {
  lanes out;
  v128_t doubt = wasm_i64x2_const_splat(0);
  for (int i = 0; i < 4; i++) {
    const v128_t low = add_two(x.v[i], y.v[i], sum.v[i]);
    const v128_t high = add_two(upper(x.v[i]), upper(y.v[i]), upper(sum.v[i]));
    doubt = wasm_v128_or(doubt, wasm_v128_or(doubtful(low), doubtful(high)));
    out.v[i] = to_floats(low, high);
  }
  return wasm_v128_any_true(doubt) ? add_product_exactly(&sum, &x, &y) : out;
}

// The one of emscripten's C library (3.1.6) rounds twice, as it cannot set the direction of rounding; this takes its
// place, for the scalar level.
float fmaf(float x, float y, float z) {
  const v128_t sum = add_two_to_odd(wasm_f32x4_splat(x), wasm_f32x4_splat(y), wasm_f32x4_splat(z));
  return (float)wasm_f64x2_extract_lane(sum, 0);
}

// ---- floats ----

static inline lanes add_square(lanes sum, lanes x, lanes y) {
  lanes difference;
  for (int i = 0; i < 4; i++) difference.v[i] = wasm_f32x4_sub(x.v[i], y.v[i]);
  return add_product(sum, difference, difference);
}

// the tree: l with l + 8, then + 4, + 2, + 1
static inline float sum_lanes(lanes sum) {
  const v128_t four = wasm_f32x4_add(wasm_f32x4_add(sum.v[0], sum.v[2]), wasm_f32x4_add(sum.v[1], sum.v[3]));
  const v128_t two = wasm_f32x4_add(four, upper(four));
  return wasm_f32x4_extract_lane(two, 0) + wasm_f32x4_extract_lane(two, 1);
}

static inline float distance(const float *query, const float *row, size_t size) {
  lanes sum = zero();
  size_t i = 0;
  for (; i + 16 <= size; i += 16) sum = add_square(sum, load(query + i), load(row + i));
  if (i < size) sum = add_square(sum, load_first(query + i, size - i), load_first(row + i, size - i));
  return sum_lanes(sum);
}

static void squared_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                              float *out) {
  for (size_t i = 0; i < count; i++) out[i] = distance(query, rows + i * stride, size);
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
  for (size_t j = 0; j < count; j++) {
    const v128_t share = wasm_f32x4_splat(-shares[j]);
    for (size_t c = 0; c < size; c += 16) {
      const lanes rest =
          add_product(load(vector + c), (lanes){{share, share, share, share}}, load(rows + j * size + c));
      memcpy(vector + c, rest.v, sizeof rest.v);
    }
  }
}

// ---- matrices ----

enum { TILE_ROWS = 4, TILE_COLUMNS = 2 * SFNEC_SIMD_LANES };

static inline lanes splat(float x) {
  const v128_t v = wasm_f32x4_splat(x);
  return (lanes){{v, v, v, v}};
}

static inline void store(float *to, lanes from) {
  for (int i = 0; i < 4; i++) wasm_v128_store(to + 4 * i, from.v[i]);
}

static void multiply_tile(size_t depth, const float *a, const float *b, size_t columns, float *c, size_t stride) {
  for (size_t i = 0; i < TILE_ROWS; i++) {
    for (size_t j = 0; j < columns; j += SFNEC_SIMD_LANES) {
      lanes sum = load(c + i * stride + j);
      for (size_t p = 0; p < depth; p++) sum = add_product(sum, splat(a[p * TILE_ROWS + i]), load(b + p * columns + j));
      store(c + i * stride + j, sum);
    }
  }
}

static void multiply_row(size_t depth, const float *a, const float *b, size_t stride, size_t columns, float *c) {
  size_t j = 0;
  for (; j + SFNEC_SIMD_LANES <= columns; j += SFNEC_SIMD_LANES) {
    lanes sum = load(c + j);
    for (size_t p = 0; p < depth; p++) sum = add_product(sum, splat(a[p]), load(b + p * stride + j));
    store(c + j, sum);
  }
  for (; j < columns; j++)
    for (size_t p = 0; p < depth; p++) c[j] = fmaf(a[p], b[p * stride + j], c[j]);
}

// ---- whole numbers ----

// stores the distances; a bit for each that is not greater than the limit
static inline uint32_t store_and_mark(const v128_t *sums, size_t count, uint32_t limit, uint32_t *out) {
  uint32_t bits = 0;
  const v128_t most = wasm_i32x4_splat((int32_t)limit);
  for (size_t i = 0; i < count; i++) {
    wasm_v128_store(out + 4 * i, sums[i]);
    bits |= (uint32_t)wasm_i32x4_bitmask(wasm_i32x4_le(sums[i], most)) << (4 * i);
  }
  return bits;
}

static uint32_t code_distances(const int16_t *query, const int16_t *codes, uint32_t limit, uint32_t *out) {
  enum { REGISTERS = SFNEC_SIMD_POINTS / 4 };
  v128_t sums[REGISTERS];
  for (size_t i = 0; i < REGISTERS; i++) sums[i] = wasm_i32x4_const_splat(0);
  for (size_t pair = 0; pair < SFNEC_SIMD_CODE / 2; pair++) {
    const v128_t q = wasm_v128_load32_splat(query + 2 * pair);
    const int16_t *row = codes + pair * 2 * SFNEC_SIMD_POINTS;
    for (size_t i = 0; i < REGISTERS; i++) {
      const v128_t difference = wasm_i16x8_sub(q, wasm_v128_load(row + 8 * i));
      sums[i] = wasm_i32x4_add(sums[i], wasm_i32x4_dot_i16x8(difference, difference));
    }
  }
  return store_and_mark(sums, REGISTERS, limit, out);
}

static uint32_t box_distances(const uint8_t *floors, const uint8_t *ceils, const uint8_t *lows, const uint8_t *highs,
                              uint32_t limit, uint32_t *out) {
  enum { REGISTERS = SFNEC_SIMD_BOXES / 4 };
  v128_t sums[REGISTERS];
  for (size_t i = 0; i < REGISTERS; i++) sums[i] = wasm_i32x4_const_splat(0);
  for (size_t pair = 0; pair < SFNEC_SIMD_CODE / 2; pair++) {
    const v128_t floor = wasm_v128_load16_splat(floors + 2 * pair), ceil = wasm_v128_load16_splat(ceils + 2 * pair);
    for (size_t half = 0; half < 2; half++) {
      const size_t at = pair * 2 * SFNEC_SIMD_BOXES + 16 * half;
      // saturated to 0, at most one of the two is more
      const v128_t gap = wasm_u8x16_max(wasm_u8x16_sub_sat(wasm_v128_load(lows + at), ceil),
                                        wasm_u8x16_sub_sat(floor, wasm_v128_load(highs + at)));
      const v128_t low = wasm_u16x8_extend_low_u8x16(gap), high = wasm_u16x8_extend_high_u8x16(gap);
      sums[2 * half] = wasm_i32x4_add(sums[2 * half], wasm_i32x4_dot_i16x8(low, low));
      sums[2 * half + 1] = wasm_i32x4_add(sums[2 * half + 1], wasm_i32x4_dot_i16x8(high, high));
    }
  }
  for (size_t i = 0; i < REGISTERS; i++) sums[i] = wasm_i32x4_shl(sums[i], 8);
  return store_and_mark(sums, REGISTERS, limit, out);
}

const sfnec_simd sfnec_simd_wasm = {
    .name = "wasm",
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
