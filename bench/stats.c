// stats.c: medians, growth exponents, peak memory; see stats.h.
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double stats_median(double *numbers, size_t count) {
  if (count == 0) return 0;
  qsort(numbers, count, sizeof *numbers, compare);
  return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

double stats_exponent(const double *x, const double *y, size_t count) {
  if (count < 2) return (double)NAN;
  double mean_x = 0, mean_y = 0, across = 0, along = 0;
  for (size_t i = 0; i < count; i++) {
    mean_x += log(x[i]) / (double)count;
    mean_y += log(y[i]) / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    const double dx = log(x[i]) - mean_x;
    across += dx * (log(y[i]) - mean_y);
    along += dx * dx;
  }
  return across / along;
}

double stats_peak_mb(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return (double)usage.ru_maxrss / 1024;
}

double stats_cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
