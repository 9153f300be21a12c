// random.h: counter-based random streams.
//
// A stream is a key and a counter, run through Philox4x32-10 (Random123). Two streams with different purposes are
// independent, so drawing more from one never disturbs another; saving a stream is saving two numbers. The draws
// use only exactly rounded arithmetic: the same seed gives the same bits on every machine.
#ifndef SFNEC_RANDOM_H
#define SFNEC_RANDOM_H

#include <stdint.h>

#include "sfnec/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a stream is for. Values are part of the file format and of every published number: never renumber.
typedef enum sfnec_purpose {
  SFNEC_PURPOSE_TASKS = 1,       // the reward weights of the tasks
  SFNEC_PURPOSE_WORLD = 2,       // the environment's own noise
  SFNEC_PURPOSE_EXPLORATION = 3, // epsilon, random actions, ties while learning
  SFNEC_PURPOSE_INIT = 4,        // first weights of linear functions and of learned w
  SFNEC_PURPOSE_REPLAY = 5,      // samples from a replay buffer
  SFNEC_PURPOSE_EVALUATION = 6,  // ties while acting without learning
  SFNEC_PURPOSE_PLANNING = 7,    // what planning draws
  SFNEC_PURPOSE_STUDY = 100,     // outside of runs: points of a random sweep, resamples of statistics
} sfnec_purpose;

// A plain value: copy it to save it, assign it to restore it.
typedef struct sfnec_random {
  uint64_t seed;    // any number
  uint64_t purpose; // an sfnec_purpose, or any number of the user's from 1000 on
  uint64_t counter; // blocks of 64 bits drawn so far
} sfnec_random;

// A stream at its beginning.
SFNEC_API sfnec_random sfnec_random_start(uint64_t seed, uint64_t purpose);

// 64 uniformly random bits.
SFNEC_API uint64_t sfnec_random_bits(sfnec_random *random);

// Uniform in [0, 1), a multiple of 2^-53.
SFNEC_API double sfnec_random_uniform(sfnec_random *random);

// Uniform in {0, ..., n - 1}, without bias; n = 0 gives 0.
SFNEC_API uint32_t sfnec_random_below(sfnec_random *random, uint32_t n);

// Normal with mean 0 and standard deviation 1.
SFNEC_API double sfnec_random_normal(sfnec_random *random);

#ifdef __cplusplus
}
#endif

#endif
