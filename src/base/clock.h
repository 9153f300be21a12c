// clock.h: seconds of a clock that never jumps, and of the processor.
#ifndef SFNEC_BASE_CLOCK_H
#define SFNEC_BASE_CLOCK_H

#include <time.h>

static inline double sfnec_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Of the processor, for this thread; 20 times as slow to read.
static inline double sfnec_thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
