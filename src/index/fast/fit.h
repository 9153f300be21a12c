// fit.h: learning the directions of a coder from a sample of keys, in many small pieces.
#ifndef SFNEC_INDEX_FAST_FIT_H
#define SFNEC_INDEX_FAST_FIT_H

#include "index/fast/code.h"

typedef struct sfnec_fit {
  sfnec_coder *coder; // in the making
  float *sample;      // (room, padded)
  float *moments;     // (padded, padded): sums of products
  float *rows;        // (directions, padded): the directions of this round
  double lows[SFNEC_CODE_SIZE], highs[SFNEC_CODE_SIZE];
  double lost, variance;
  size_t count, room;      // keys in the sample
  size_t stage, round, at; // how far it is
} sfnec_fit;

// Starts with an empty sample; NULL if out of memory.
sfnec_fit *sfnec_fit_create(const sfnec_simd *simd, size_t key_size, size_t room);
void sfnec_fit_destroy(sfnec_fit *fit); // NULL is fine

// Adds a key (key_size) to the sample while there is room; keys too large to work with are left out. Before the first
// piece of work.
void sfnec_fit_add(sfnec_fit *fit, const float *key);

// Does a few pieces, about `work` multiplications; true when all is done.
bool sfnec_fit_work(sfnec_fit *fit, size_t work);

// The finished coder, whose user is now the caller; NULL if the sample was no good. Once, when all is done.
sfnec_coder *sfnec_fit_take(sfnec_fit *fit);

#endif
