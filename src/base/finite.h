// finite.h: is every number of a vector finite?
#ifndef SFNEC_BASE_FINITE_H
#define SFNEC_BASE_FINITE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static inline bool sfnec_all_finite_f32(const float *numbers, size_t size) {
  bool finite = true;
  for (size_t i = 0; i < size; i++) finite &= isfinite(numbers[i]) != 0;
  return finite;
}

static inline bool sfnec_all_finite_f64(const double *numbers, size_t size) {
  bool finite = true;
  for (size_t i = 0; i < size; i++) finite &= isfinite(numbers[i]) != 0;
  return finite;
}

#endif
