// noise.c: see noise.h.
#include "agent/plan/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/constants.h"
#include "agent/train/pca.h"
#include "base/error.h"
#include "base/vector.h"

// Scaled observations before and after some transitions of the log.
typedef struct view {
  size_t rows, size;
  float *before, *after; // (rows, size)
} view;

static void read_row(const sfnec_scaling *scaling, const float *observation, float *scaled) {
  size_t at = 0;
  for (size_t i = 0; i < scaling->fast_count; i++) {
    const uint32_t c = scaling->fast[i];
    if (scaling->scale[c] > 0.0f) scaled[at++] = sfnec_scaling_read(scaling, observation, c) * scaling->scale[c];
  }
}

static void fill(const sfnec_scaling *scaling, const sfnec_transition_log *log, view *seen) {
  const size_t every = log->count / SFNEC_NOISE_ROWS_MOST + 1;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    if (t % every != 0) continue;
    read_row(scaling, row.before, seen->before + seen->rows * seen->size);
    read_row(scaling, row.after, seen->after + seen->rows * seen->size);
    seen->rows++;
  }
}

// The correlation of what is left of consecutive observations without the first `rank` directions.
static double correlation(const view *seen, const double *mean, const double *directions, size_t rank) {
  const size_t d = seen->size;
  double both = 0.0, power = 0.0;
  for (size_t t = 0; t < seen->rows; t++) {
    const float *x = seen->before + t * d, *y = seen->after + t * d;
    for (size_t i = 0; i < d; i++) {
      const double a = (double)x[i] - mean[i], b = (double)y[i] - mean[i];
      both += a * b;
      power += 0.5 * (a * a + b * b);
    }
    for (size_t j = 0; j < rank; j++) {
      double a = 0.0, b = 0.0;
      for (size_t i = 0; i < d; i++) {
        a += directions[j * d + i] * ((double)x[i] - mean[i]);
        b += directions[j * d + i] * ((double)y[i] - mean[i]);
      }
      both -= a * b;
      power -= 0.5 * (a * a + b * b);
    }
  }
  return power > 0.0 ? both / power : 1.0;
}

// The first direction that does not stand out of the rest, and the variance in each of those.
static size_t find_rank(const view *seen, const double *covariance, const double *directions, size_t most,
                        double *variance) {
  const size_t d = seen->size;
  const double edge = SFNEC_NOISE_EVEN * (1.0 + sqrt((double)d / (double)seen->rows));
  double rest = 0.0;
  for (size_t i = 0; i < d; i++) rest += covariance[i * d + i];
  for (size_t j = 0; j < most; j++) {
    double along = 0.0;
    for (size_t i = 0; i < d; i++)
      along += directions[j * d + i] * sfnec_dot(covariance + i * d, directions + j * d, d);
    *variance = rest / (double)(d - j);
    if (along <= *variance * edge) return j;
    rest -= along;
  }
  return most;
}

// Whether there is noise, and what it is, in observations that were read.
static void judge(const view *seen, double *mean, double *covariance, double *directions, double *scratch,
                  sfnec_key_noise *noise) {
  const size_t d = seen->size, most = d / 2 < SFNEC_NOISE_RANK_MOST ? d / 2 : SFNEC_NOISE_RANK_MOST;
  double variance = 0.0;
  sfnec_pca_covariance(seen->before, seen->rows, d, mean, covariance);
  sfnec_pca_directions(covariance, d, most, directions, scratch);
  const size_t rank = find_rank(seen, covariance, directions, most, &variance);
  if (rank == 0 || rank == most || fabs(correlation(seen, mean, directions, rank)) > SFNEC_NOISE_WHITE) return;
  noise->rank = (uint32_t)rank;
  noise->squared = (float)((double)rank * variance);
}

sfnec_status sfnec_noise_find(const sfnec_scaling *scaling, const sfnec_transition_log *log, sfnec_key_noise *noise) {
  *noise = (sfnec_key_noise){0};
  view seen = {0};
  for (size_t i = 0; i < scaling->fast_count; i++) seen.size += scaling->scale[scaling->fast[i]] > 0.0f;
  const size_t d = seen.size, rows = log->count < SFNEC_NOISE_ROWS_MOST ? log->count : SFNEC_NOISE_ROWS_MOST;
  if (d < SFNEC_NOISE_COMPONENTS_LEAST || d > SFNEC_NOISE_COMPONENTS_MOST || rows < SFNEC_NOISE_ROWS_EACH * d)
    return SFNEC_OK;
  seen.before = malloc(rows * d * sizeof *seen.before);
  seen.after = malloc(rows * d * sizeof *seen.after);
  double *numbers = calloc(d + d * d + 2 * SFNEC_NOISE_RANK_MOST * d, sizeof *numbers);
  const bool room = seen.before && seen.after && numbers;
  if (room) {
    fill(scaling, log, &seen);
    double *covariance = numbers + d, *directions = covariance + d * d;
    judge(&seen, numbers, covariance, directions, directions + SFNEC_NOISE_RANK_MOST * d, noise);
  }
  free(seen.before), free(seen.after), free(numbers);
  return room ? SFNEC_OK : sfnec_fail_memory("a model");
}
