// test_matrix.c: matrix products of every level against chains of fmaf written out, bit for bit: odd shapes, all four
// ways in which A and B may lie, and shapes that span several blocks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sfnec/random.h"
#include "simd/matrix.h"

enum { PADDING = 3 }; // floats between two rows of C, which nobody may touch

static float *draw(sfnec_random *random, size_t count) {
  float *numbers = malloc((count + 1) * sizeof *numbers);
  assert_non_null(numbers);
  for (size_t i = 0; i < count; i++) numbers[i] = (float)sfnec_random_normal(random);
  return numbers;
}

// C += A B as matrix.h defines it
static void by_chains(size_t m, size_t n, size_t k, sfnec_matrix a, sfnec_matrix b, float *c, size_t stride) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      for (size_t p = 0; p < k; p++) {
        float *sum = c + i * stride + j;
        *sum = fmaf(a.at[i * a.row + p * a.column], b.at[p * b.row + j * b.column], *sum);
      }
}

// every level, with A and B as they are and transposed
static void compare(sfnec_random *random, size_t m, size_t n, size_t k) {
  const size_t stride = n + PADDING, bytes = m * stride * sizeof(float);
  float *a = draw(random, m * k), *b = draw(random, k * n), *start = draw(random, m * stride);
  float *expected = malloc(bytes), *got = malloc(bytes), *scratch = malloc(SFNEC_MATRIX_SCRATCH * sizeof *scratch);
  assert_true(expected && got && scratch);
  for (int way = 0; way < 4; way++) {
    const sfnec_matrix left = way & 1 ? (sfnec_matrix){a, 1, m} : (sfnec_matrix){a, k, 1};
    const sfnec_matrix right = way & 2 ? (sfnec_matrix){b, 1, k} : (sfnec_matrix){b, n, 1};
    memcpy(expected, start, bytes);
    by_chains(m, n, k, left, right, expected, stride);
    for (size_t l = 0; sfnec_simd_at(l); l++) {
      memcpy(got, start, bytes);
      sfnec_matrix_multiply(sfnec_simd_at(l), m, n, k, left, right, got, stride, scratch);
      assert_memory_equal(got, expected, bytes);
    }
  }
  free(a);
  free(b);
  free(start);
  free(expected);
  free(got);
  free(scratch);
}

static void odd_shapes(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(3, 1000);
  static const size_t sizes[] = {1, 2, 5, 6, 7, 12, 13, 16, 17, 33};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (size_t i = 0; i < SIZES; i++)
    for (size_t j = 0; j < SIZES; j++)
      for (size_t p = 0; p < SIZES; p += 3) compare(&random, sizes[i], sizes[j], sizes[p]);
}

static void several_blocks(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(4, 1000);
  compare(&random, SFNEC_MATRIX_ROWS + 5, 19, SFNEC_MATRIX_DEPTH + 7);
  compare(&random, 14, SFNEC_MATRIX_COLUMNS + 37, 2 * SFNEC_MATRIX_DEPTH);
  compare(&random, 1, 3 * 128 + 77, SFNEC_MATRIX_DEPTH + 1); // a single row, which has a way of its own
}

// nothing is added where there are no terms, and an empty matrix is no matter
static void nothing(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(5, 1000);
  compare(&random, 4, 4, 0);
  compare(&random, 1, 4, 0);
}

// blocks hold whole tiles of every level
static void tiles_fit(void **state) {
  (void)state;
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    const sfnec_simd *simd = sfnec_simd_at(l);
    assert_int_equal(SFNEC_MATRIX_ROWS % simd->tile_rows, 0);
    assert_int_equal(SFNEC_MATRIX_COLUMNS % simd->tile_columns, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_shapes),
      cmocka_unit_test(several_blocks),
      cmocka_unit_test(nothing),
      cmocka_unit_test(tiles_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
