// pca.c: principal directions by orthogonal iteration; see pca.h.
//
// The covariance C is applied to m vectors again and again, and they are made orthonormal after each round; they turn
// into the directions of the greatest variance. The number of rounds is fixed: what has not settled by then are
// directions of nearly equal variance, among which none is better. The start is the same for every agent.
#include "agent/train/pca.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "sfnec/random.h"

void sfnec_pca_mean(const float *observations, size_t count, size_t d, double *mean) {
  memset(mean, 0, d * sizeof *mean);
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < d; i++) mean[i] += (double)observations[k * d + i];
  }
  for (size_t i = 0; i < d; i++) mean[i] /= (double)count;
}

void sfnec_pca_add(const float *observation, size_t count, size_t d, const double *mean, double *covariance) {
  for (size_t i = 0; i < d; i++) {
    const double x = ((double)observation[i] - mean[i]) / (double)count;
    for (size_t j = 0; j < d; j++) covariance[i * d + j] += x * ((double)observation[j] - mean[j]);
  }
}

void sfnec_pca_covariance(const float *observations, size_t count, size_t d, double *mean, double *c) {
  sfnec_pca_mean(observations, count, d, mean);
  memset(c, 0, d * d * sizeof *c);
  for (size_t k = 0; k < count; k++) sfnec_pca_add(observations + k * d, count, d, mean, c);
}

// Makes rows (count, d) orthonormal, in order. A row that the others span becomes 0: there is no such direction.
static void orthonormalise(double *rows, size_t count, size_t d) {
  for (size_t r = 0; r < count; r++) {
    double *row = rows + r * d;
    const double before = sfnec_dot(row, row, d);
    // twice is enough: the second pass removes what rounding left of the first
    for (int pass = 0; pass < 2; pass++) {
      for (size_t q = 0; q < r; q++) {
        const double share = sfnec_dot(rows + q * d, row, d);
        for (size_t i = 0; i < d; i++) row[i] -= share * rows[q * d + i];
      }
    }
    const double left = sfnec_dot(row, row, d);
    const double scale = left > 1e-24 * before && left > 0.0 ? 1.0 / sqrt(left) : 0.0;
    for (size_t i = 0; i < d; i++) row[i] *= scale;
  }
}

// next (count, d) = rows C
static void multiply(const double *rows, const double *c, size_t count, size_t d, double *next) {
  for (size_t r = 0; r < count; r++) {
    double *out = next + r * d;
    memset(out, 0, d * sizeof *out);
    for (size_t i = 0; i < d; i++) {
      const double x = rows[r * d + i];
      for (size_t j = 0; j < d; j++) out[j] += x * c[i * d + j];
    }
  }
}

void sfnec_pca_start(size_t d, size_t m, double *rows) {
  sfnec_random start = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  for (size_t i = 0; i < m * d; i++) rows[i] = sfnec_random_normal(&start);
  orthonormalise(rows, m, d);
}

void sfnec_pca_turn(const double *c, size_t d, size_t m, double *rows, double *next) {
  multiply(rows, c, m, d, next);
  orthonormalise(next, m, d);
  memcpy(rows, next, m * d * sizeof *rows);
}

void sfnec_pca_directions(const double *c, size_t d, size_t m, double *rows, double *next) {
  sfnec_pca_start(d, m, rows);
  for (int round = 0; round < SFNEC_PCA_ROUNDS; round++) sfnec_pca_turn(c, d, m, rows, next);
}
