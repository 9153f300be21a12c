// draw.h: where the bootstrap's random draws come from.
#ifndef SFNEC_STATS_DRAW_H
#define SFNEC_STATS_DRAW_H

#include "sfnec/random.h"

// The same stream for every statistic, always from its beginning: intervals depend on the data alone.
static inline sfnec_random sfnec_stats_stream(void) {
  return sfnec_random_start(0, SFNEC_PURPOSE_STUDY);
}

#endif
