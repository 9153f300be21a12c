// test_simd.c: the scalar level against numbers worked out by hand and in double; every other level against scalar.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sfnec/random.h"
#include "simd/simd.h"

enum { MOST = 600, ROWS = 9 };

static float squared_distance(const sfnec_simd *simd, const float *a, const float *b, size_t size) {
  float out = -1.0f;
  simd->squared_distances(a, b, size, 1, size, &out);
  return out;
}

static void by_hand(void **state) {
  (void)state;
  const float a[3] = {1, 2, 3}, b[3] = {2, 4, 6};
  assert_true(squared_distance(&sfnec_simd_scalar, a, b, 3) == 14.0f);
  assert_true(sfnec_simd_scalar.dot(a, b, 3) == 28.0f);
  assert_true(sfnec_simd_scalar.dot(a, b, 0) == 0.0f);
}

// each multiply-add rounds once: -(1 + 2^-11) + (1 + 2^-12)^2 is 2^-24; a product rounded by itself would leave 0
static void fused(void **state) {
  (void)state;
  float a[17] = {0}, b[17] = {0};
  a[0] = -(1.0f + 0x1p-11f);
  b[0] = 1.0f;
  a[16] = b[16] = 1.0f + 0x1p-12f;
  for (size_t l = 0; sfnec_simd_at(l); l++) assert_true(sfnec_simd_at(l)->dot(a, b, 17) == 0x1p-24f);
}

// A hair beside the middle between two floats, ordinary or denormal: a sum that is rounded to double first lands in the
// middle, and then on the wrong side.
static void rounded_once(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(7, 1000);
  for (int turn = 0; turn < 4000; turn++) {
    const bool denormal = turn % 3 == 0;
    float a[32] = {0}, b[32] = {0};
    const size_t lane = sfnec_random_below(&random, 16);
    const float sign = turn & 1 ? -1.0f : 1.0f;
    // z, and half of the step from z to the float beside it
    const uint32_t whole = (denormal ? 0u : 1u << 23) + sfnec_random_below(&random, 1u << 22);
    const float half = denormal ? 0x1p-75f : 0x1p-12f;
    a[lane] = sign * (float)whole * (denormal ? 0x1p-149f : 0x1p-23f);
    b[lane] = 1.0f;
    a[16 + lane] = sign * half * (1.0f + 0x1p-23f);
    b[16 + lane] = half * (turn & 2 ? 1.0f - 0x1p-23f : 1.0f - 0x1p-24f); // a hair less than the middle, or more
    const uint32_t expected = turn & 2 ? whole : whole + 1;
    for (size_t l = 0; sfnec_simd_at(l); l++) {
      const float got = sfnec_simd_at(l)->dot(a, b, 32);
      assert_true(got == sign * (float)expected * (denormal ? 0x1p-149f : 0x1p-23f));
    }
  }
}

// 2^24 swallows a single 1 (lane 8 meets it first) but not the 2 that lanes 4 and 12 are by then
static void fixed_tree(void **state) {
  (void)state;
  float a[16] = {0}, b[16];
  for (int i = 0; i < 16; i++) b[i] = 1.0f;
  a[0] = 0x1p24f;
  a[4] = a[8] = a[12] = 1.0f;
  for (size_t l = 0; sfnec_simd_at(l); l++) assert_true(sfnec_simd_at(l)->dot(a, b, 16) == 16777218.0f);
}

static void close_to_double(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(1, 1000);
  float a[MOST], b[MOST];
  for (size_t size = 1; size <= MOST; size += 7) {
    double squared = 0, product = 0, magnitude = 0;
    for (size_t i = 0; i < size; i++) {
      a[i] = (float)sfnec_random_normal(&random);
      b[i] = (float)sfnec_random_normal(&random);
      squared += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
      product += (double)a[i] * (double)b[i];
      magnitude += fabs((double)a[i] * (double)b[i]);
    }
    assert_true(fabs((double)squared_distance(&sfnec_simd_scalar, a, b, size) - squared) <= 1e-5 * squared);
    assert_true(fabs((double)sfnec_simd_scalar.dot(a, b, size) - product) <= 1e-5 * magnitude);
  }
}

// numbers of one kind: ordinary, denormal, huge, or of every magnitude
static float draw(sfnec_random *random, int kind) {
  const float x = (float)sfnec_random_normal(random);
  switch (kind) {
  case 0:
    return x;
  case 1:
    return x * 1e-39f;
  case 2:
    return x * 1e19f;
  default:
    return ldexpf(x, (int)sfnec_random_below(random, 250) - 140);
  }
}

static void assert_same_bits(const float *a, const float *b, size_t count) {
  // overflow to NaN (inf - inf) is the one result whose bits are nobody's promise
  for (size_t i = 0; i < count; i++)
    if (!isnan(a[i]) || !isnan(b[i])) assert_memory_equal(&a[i], &b[i], sizeof a[i]);
}

static void every_level_is_scalar(void **state) {
  (void)state;
  static float rows[ROWS * (MOST + 16) + 16];
  float query[MOST + 1], expected[ROWS], got[ROWS], scattered[ROWS];
  static const uint32_t places[ROWS] = {3, 0, 8, 8, 1, 5, 2, 7, 4};
  sfnec_random random = sfnec_random_start(2, 1000);
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) rows[i] = draw(&random, kind);
    for (size_t i = 0; i <= MOST; i++) query[i] = draw(&random, kind);
    for (size_t size = 1; size <= MOST; size++) {
      // any alignment of query and rows, packed rows and wider ones, every remainder of the row loop
      const size_t stride = size + size % 5, count = 1 + size % ROWS;
      const float *q = query + size % 2 * (MOST - size > 0), *r = rows + size % 13;
      sfnec_simd_scalar.squared_distances(q, r, stride, count, size, expected);
      const float expected_dot = sfnec_simd_scalar.dot(q, r, size);
      for (size_t i = 0; i < ROWS; i++)
        sfnec_simd_scalar.squared_distances(q, r + places[i] * stride, stride, 1, size, &scattered[i]);
      for (size_t l = 1; sfnec_simd_at(l); l++) {
        sfnec_simd_at(l)->squared_distances(q, r, stride, count, size, got);
        assert_same_bits(expected, got, count);
        sfnec_simd_at(l)->scattered_distances(q, r, stride, places, ROWS, size, got);
        assert_same_bits(scattered, got, ROWS);
        const float got_dot = sfnec_simd_at(l)->dot(q, r, size);
        assert_same_bits(&expected_dot, &got_dot, 1);
      }
    }
  }
}

// what is left of a vector after its shares of two orthonormal rows are gone, and every level against scalar
static void projections(void **state) {
  (void)state;
  float rows[2 * 16] = {0}, vector[16] = {3, 5, 7}, shares[2];
  rows[0] = 1;
  rows[16 + 1] = 1;
  sfnec_simd_scalar.project(rows, 2, 16, vector, shares);
  assert_true(shares[0] == 3 && shares[1] == 5 && vector[0] == 0 && vector[1] == 0 && vector[2] == 7);

  sfnec_random random = sfnec_random_start(4, 1000);
  static float many[33 * 608];
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = draw(&random, kind);
    for (size_t size = 16; size <= 592; size += 16) {
      const size_t count = size / 16 % 33;
      float start[608], expected[608], got[608], a[33], b[33];
      for (size_t i = 0; i < size; i++) start[i] = expected[i] = draw(&random, kind);
      sfnec_simd_scalar.project(many + 3, count, size, expected, a);
      for (size_t l = 1; sfnec_simd_at(l); l++) {
        memcpy(got, start, sizeof got);
        sfnec_simd_at(l)->project(many + 3, count, size, got, b);
        assert_same_bits(a, b, count);
        assert_same_bits(expected, got, size);
      }
    }
  }
}

// a lane that underflowed to -0 becomes +0 in a last block that does not reach it, on every level alike
static void signed_zero(void **state) {
  (void)state;
  float a[17] = {0}, b[17] = {0};
  for (int i = 0; i < 16; i++) {
    a[i] = -1e-30f;
    b[i] = 1e-30f;
  }
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    assert_true(signbit(sfnec_simd_at(l)->dot(a, b, 16)));
    assert_false(signbit(sfnec_simd_at(l)->dot(a, b, 17)));
  }
}

// rows that end where readable memory ends
static void reads_nothing_beyond(void **state) {
  (void)state;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *block;
  assert_int_equal(posix_memalign(&block, page, 2 * page), 0);
  memset(block, 0, page);
  assert_int_equal(mprotect((char *)block + page, page, PROT_NONE), 0);
  const float *end = (const float *)((char *)block + page);
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    for (size_t size = 1; size <= 40; size++) {
      for (size_t count = 1; count <= 5; count++) {
        float out[5];
        sfnec_simd_at(l)->squared_distances(end - size, end - size * count, size, count, size, out);
        assert_true(out[count - 1] == 0.0f);
        assert_true(sfnec_simd_at(l)->dot(end - size, end - size, size) == 0.0f);
      }
    }
  }
  assert_int_equal(mprotect((char *)block + page, page, PROT_READ | PROT_WRITE), 0);
  free(block);
}

// one code that differs by 32 in number 5 and a query off by 1 in number 8; boxes of 90 to 110 sixteens around it
static void codes_by_hand(void **state) {
  (void)state;
  uint8_t lows[16][16][2], highs[16][16][2], floors[32], ceils[32];
  int16_t codes[16][32][2], query[32];
  for (int i = 0; i < 16 * 32 * 2; i++) (&codes[0][0][0])[i] = 1600;
  memset(lows, 90, sizeof lows);
  memset(highs, 110, sizeof highs);
  for (int d = 0; d < 32; d++) {
    query[d] = 1600;
    floors[d] = ceils[d] = 100;
  }
  codes[2][7][1] = 1632;
  query[8] = 1601;
  ceils[8] = 101;
  lows[4][3][0] = 104;  // 3 above what the query is rounded up to
  highs[15][3][1] = 99; // 1 below the query
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    uint32_t out[32];
    assert_int_equal(sfnec_simd_at(l)->code_distances(query, &codes[0][0][0], 1024, out), ~(1u << 7));
    assert_int_equal(out[7], 1025);
    assert_int_equal(out[6], 1);
    assert_int_equal(sfnec_simd_at(l)->code_distances(query, &codes[0][0][0], 1025, out), ~0u);
    assert_int_equal(sfnec_simd_at(l)->box_distances(floors, ceils, &lows[0][0][0], &highs[0][0][0], 0, out), 0xfff7);
    assert_int_equal(out[3], 256 * 10);
    assert_int_equal(out[2], 0);
    assert_int_equal(sfnec_simd_at(l)->box_distances(floors, ceils, &lows[0][0][0], &highs[0][0][0], 2560, out),
                     0xffff);
  }
}

static void every_level_is_scalar_for_codes(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(3, 1000);
  enum { NUMBERS = 16 * 32 * 2 + 1 };
  static int16_t codes[NUMBERS];
  static uint8_t lows[16 * 16 * 2 + 1], highs[16 * 16 * 2 + 1];
  for (int round = 0; round < 2000; round++) {
    int16_t query[32];
    uint8_t floors[32], ceils[32];
    uint32_t expected[32], got[32];
    // the farthest corners, and narrow and wide ranges of everything
    const bool corners = round % 3 == 0;
    for (size_t i = 0; i < NUMBERS; i++)
      codes[i] = (int16_t)(corners ? 4080 * sfnec_random_below(&random, 2) : sfnec_random_below(&random, 4081));
    for (size_t i = 0; i < sizeof lows; i++) {
      lows[i] = (uint8_t)sfnec_random_below(&random, 256);
      highs[i] = (uint8_t)(lows[i] + sfnec_random_below(&random, 256u - lows[i]));
    }
    for (int d = 0; d < 32; d++) {
      query[d] = (int16_t)(corners ? (round % 2 ? 8160 : -4080) : (int)sfnec_random_below(&random, 12241) - 4080);
      floors[d] = (uint8_t)sfnec_random_below(&random, 256);
      ceils[d] = (uint8_t)(floors[d] + (floors[d] < 255));
    }
    const size_t shift = (size_t)round % 2;
    const uint32_t limit = sfnec_random_below(&random, INT32_MAX);
    const uint32_t near = sfnec_simd_scalar.code_distances(query, codes + shift, limit, expected);
    for (size_t l = 1; sfnec_simd_at(l); l++) {
      assert_int_equal(sfnec_simd_at(l)->code_distances(query, codes + shift, limit, got), near);
      assert_memory_equal(got, expected, sizeof got);
    }
    const uint32_t inside =
        sfnec_simd_scalar.box_distances(floors, ceils, lows + shift, highs + shift, limit / 16, expected);
    for (size_t l = 1; sfnec_simd_at(l); l++) {
      assert_int_equal(sfnec_simd_at(l)->box_distances(floors, ceils, lows + shift, highs + shift, limit / 16, got),
                       inside);
      assert_memory_equal(got, expected, 16 * sizeof *got);
    }
  }
}

static void select_a_level(void **state) {
  (void)state;
  const sfnec_simd *chosen = NULL, *fastest = NULL;
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    fastest = sfnec_simd_at(l);
    assert_int_equal(setenv("SFNEC_SIMD", fastest->name, 1), 0);
    assert_int_equal(sfnec_simd_select(&chosen), SFNEC_OK);
    assert_ptr_equal(chosen, fastest);
  }
  assert_ptr_equal(sfnec_simd_at(0), &sfnec_simd_scalar);

  const char *const refused[] = {"mmx", "AVX2", "scalar "};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    setenv("SFNEC_SIMD", refused[i], 1);
    assert_int_equal(sfnec_simd_select(&chosen), SFNEC_ERROR_OPTION);
    assert_non_null(strstr(sfnec_last_error(), refused[i]));
    assert_non_null(strstr(sfnec_last_error(), "scalar"));
  }

  // unset or empty: the fastest
  setenv("SFNEC_SIMD", "", 1);
  assert_int_equal(sfnec_simd_select(&chosen), SFNEC_OK);
  assert_ptr_equal(chosen, fastest);
  unsetenv("SFNEC_SIMD");
  assert_int_equal(sfnec_simd_select(&chosen), SFNEC_OK);
  assert_ptr_equal(chosen, fastest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(fused),
      cmocka_unit_test(rounded_once),
      cmocka_unit_test(fixed_tree),
      cmocka_unit_test(close_to_double),
      cmocka_unit_test(every_level_is_scalar),
      cmocka_unit_test(projections),
      cmocka_unit_test(codes_by_hand),
      cmocka_unit_test(every_level_is_scalar_for_codes),
      cmocka_unit_test(signed_zero),
      cmocka_unit_test(reads_nothing_beyond),
      cmocka_unit_test(select_a_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
