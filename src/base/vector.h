// vector.h: small questions about vectors of numbers.
#ifndef SFNEC_BASE_VECTOR_H
#define SFNEC_BASE_VECTOR_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Is every number finite?
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

// Is every number at most this far from 0? Not if one is no number.
static inline bool sfnec_all_within_f64(const double *numbers, size_t size, double most) {
  bool within = true;
  for (size_t i = 0; i < size; i++) within &= fabs(numbers[i]) <= most;
  return within;
}

// The greatest count that a file may claim, far from where adding to it would overflow.
#define SFNEC_COUNT_MOST (INT64_MAX / 2)

// Counts on, up to that: what was accepted from a file is accepted again after any number of steps.
static inline int64_t sfnec_count_up(int64_t count) {
  return count < SFNEC_COUNT_MOST ? count + 1 : count;
}

// Features, rewards and reward weights are kept within this, so that no product of them overflows: a linear psi stays
// below 1e165 (psi_linear.c), an inner product of a million such numbers with weights below 1e271.
#define SFNEC_NUMBER_MOST 1e100

// Rounds to float; saturates, so that a run that diverges stays finite and can still be saved and loaded.
static inline float sfnec_to_float(double x) {
  if (x > (double)FLT_MAX) return FLT_MAX;
  if (x < -(double)FLT_MAX) return -FLT_MAX;
  return (float)x;
}

// The inner product, added up in order: the same bits everywhere.
static inline double sfnec_dot(const double *a, const double *b, size_t size) {
  double sum = 0.0;
  for (size_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

#endif
