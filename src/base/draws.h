// draws.h: very many whole numbers from a random stream, several times as fast as one by one.
#ifndef SFNEC_BASE_DRAWS_H
#define SFNEC_BASE_DRAWS_H

#include <stddef.h>

#include "sfnec/random.h"

enum { SFNEC_DRAWS = 128 };

// A stream that is read ahead. A plain value.
typedef struct sfnec_draws {
  sfnec_random random;         // the stream behind what was read
  uint32_t words[SFNEC_DRAWS]; // the upper halves of its next draws
  uint32_t left;               // of them, at the end
} sfnec_draws;

// Begins where the stream is.
sfnec_draws sfnec_draws_start(const sfnec_random *random);

// Fills `out` with what `count` calls of sfnec_random_below would give. n > 0.
void sfnec_draws_below(sfnec_draws *draws, uint32_t n, uint32_t *out, size_t count);

#endif
