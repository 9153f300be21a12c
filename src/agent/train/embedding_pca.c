// embedding_pca.c: fits the first principal directions of some observations, by orthogonal iteration.
//
// The covariance C is applied to m vectors again and again, and they are made orthonormal after each round; they turn
// into the directions of the greatest variance. The number of rounds is fixed: what has not settled by then are
// directions of nearly equal variance, among which none is better. The start is the same for every agent.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/train/embedding.h"
#include "base/error.h"

enum { ROUNDS = 60 };

// The mean (d) and the covariance (d, d) of observations (count, d).
static void covariance(const float *observations, size_t count, size_t d, double *mean, double *c) {
  memset(mean, 0, d * sizeof *mean);
  memset(c, 0, d * d * sizeof *c);
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < d; i++) mean[i] += (double)observations[k * d + i];
  }
  for (size_t i = 0; i < d; i++) mean[i] /= (double)count;
  for (size_t k = 0; k < count; k++) {
    const float *s = observations + k * d;
    for (size_t i = 0; i < d; i++) {
      const double x = ((double)s[i] - mean[i]) / (double)count;
      for (size_t j = 0; j < d; j++) c[i * d + j] += x * ((double)s[j] - mean[j]);
    }
  }
}

static double dot(const double *a, const double *b, size_t size) {
  double sum = 0.0;
  for (size_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

// Makes rows (count, d) orthonormal, in order. A row that the others span becomes 0: there is no such direction.
static void orthonormalise(double *rows, size_t count, size_t d) {
  for (size_t r = 0; r < count; r++) {
    double *row = rows + r * d;
    const double before = dot(row, row, d);
    // twice is enough: the second pass removes what rounding left of the first
    for (int pass = 0; pass < 2; pass++) {
      for (size_t q = 0; q < r; q++) {
        const double share = dot(rows + q * d, row, d);
        for (size_t i = 0; i < d; i++) row[i] -= share * rows[q * d + i];
      }
    }
    const double left = dot(row, row, d);
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

// E(s) = V (s - mean), as the weights of an affine layer.
static void set_weights(sfnec_embedding *e, const double *rows, const double *mean) {
  const size_t d = e->input, m = e->output;
  for (size_t j = 0; j < m; j++) {
    const double *row = rows + j * d;
    // keys are the same with either sign of a direction up to a reflection; one is chosen so that refits agree
    size_t greatest = 0;
    for (size_t i = 1; i < d; i++) greatest = fabs(row[i]) > fabs(row[greatest]) ? i : greatest;
    const double sign = row[greatest] < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < d; i++) e->weights[i * m + j] = sign * row[i];
    e->weights[d * m + j] = sfnec_embedding_bound(-sign * dot(row, mean, d));
  }
}

sfnec_status sfnec_embedding_fit(sfnec_embedding *e, const float *observations, size_t count) {
  const size_t d = e->input, m = e->output;
  double *mean = calloc(d, sizeof *mean), *c = calloc(d, d * sizeof *c);
  double *rows = calloc(m, d * sizeof *rows), *next = calloc(m, d * sizeof *next);
  sfnec_status status = mean && c && rows && next ? SFNEC_OK : sfnec_fail_memory("the fit of an embedding");
  if (!status) {
    covariance(observations, count, d, mean, c);
    sfnec_random start = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
    for (size_t i = 0; i < m * d; i++) rows[i] = sfnec_random_normal(&start);
    orthonormalise(rows, m, d);
    for (int round = 0; round < ROUNDS; round++) {
      multiply(rows, c, m, d, next);
      orthonormalise(next, m, d);
      double *swapped = rows;
      rows = next;
      next = swapped;
    }
    set_weights(e, rows, mean);
    e->ready = true;
    e->version++;
  }
  free(mean);
  free(c);
  free(rows);
  free(next);
  return status;
}
