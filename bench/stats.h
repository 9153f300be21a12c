// stats.h: what measurements are boiled down to: medians, growth exponents, peak memory.
#ifndef SFNEC_BENCH_STATS_H
#define SFNEC_BENCH_STATS_H

#include <stddef.h>

// The middle of some numbers (0 if there are none); puts them in order.
double stats_median(double *numbers, size_t count);

// The b of the line log y = a + b log x by least squares: y grows as x^b. NaN below two points.
double stats_exponent(const double *x, const double *y, size_t count);

// The most memory that this process has held so far, in megabytes.
double stats_peak_mb(void);

// Seconds of processor time of this thread: what others do on the machine does not count.
double stats_cpu_seconds(void);

#endif
