// clock.h: seconds of a clock that never jumps.
#ifndef SFNEC_BASE_CLOCK_H
#define SFNEC_BASE_CLOCK_H

#include <time.h>

static inline double sfnec_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
