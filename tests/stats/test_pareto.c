// test_pareto.c: the Pareto front, and the hypervolume against a grid of small cells that are counted.
#include "support/check.h"

#include <math.h>

#include "sfnec/random.h"
#include "stats/pareto.h"

static void test_front(void **state) {
  (void)state;
  const double points[] = {1, 3, 2, 2, 3, 1, 1, 1, 2, 2, 0, 3};
  bool front[6];
  sfnec_pareto_front(points, 6, 2, front);
  const bool wanted[] = {true, true, true, false, false, false};
  for (size_t i = 0; i < 6; i++) assert_int_equal(front[i], wanted[i]);
  sfnec_pareto_front((const double[]){5, 4, 5}, 3, 1, front);
  assert_true(front[0] && !front[1] && !front[2]);
}

static void test_volume(void **state) {
  (void)state;
  double volume;
  const double origin[] = {0, 0, 0};
  OK(sfnec_hypervolume((const double[]){1, 3, 2, 2, 3, 1}, 3, 2, origin, &volume));
  NEAR(volume, 6, 1e-15); // 3 + 2 + 1
  OK(sfnec_hypervolume((const double[]){1, 3, 2, -1}, 2, 2, origin, &volume));
  NEAR(volume, 3, 1e-15);
  OK(sfnec_hypervolume((const double[]){2, 2, 2, 1, 1, 1}, 2, 3, origin, &volume));
  NEAR(volume, 8, 1e-15);
  OK(sfnec_hypervolume((const double[]){-1, 5}, 1, 2, (const double[]){-2, 1}, &volume));
  NEAR(volume, 4, 1e-15);
  OK(sfnec_hypervolume(NULL, 0, 2, origin, &volume));
  NEAR(volume, 0, 0);
}

// points on a grid of whole numbers: every cell of side 1 is covered or not
static void test_against_cells(void **state) {
  (void)state;
  enum { SIDE = 6, MOST = 12 };
  sfnec_random random = sfnec_random_start(5, 1000);
  for (int trial = 0; trial < 200; trial++) {
    const size_t n = 2 + sfnec_random_below(&random, 3), count = 1 + sfnec_random_below(&random, MOST);
    double points[MOST * 4], reference[4] = {0};
    for (size_t i = 0; i < count * n; i++) points[i] = sfnec_random_below(&random, SIDE + 1);
    size_t cells = 1, covered = 0;
    for (size_t k = 0; k < n; k++) cells *= SIDE;
    for (size_t cell = 0; cell < cells; cell++) {
      bool any = false;
      for (size_t i = 0; i < count && !any; i++) {
        any = true;
        for (size_t k = 0, rest = cell; k < n; k++, rest /= SIDE)
          any = any && (double)(rest % SIDE) + 1 <= points[i * n + k];
      }
      covered += any;
    }
    double volume;
    OK(sfnec_hypervolume(points, count, n, reference, &volume));
    NEAR(volume, (double)covered, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_front),
      cmocka_unit_test(test_volume),
      cmocka_unit_test(test_against_cells),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
