// fast_code.h: short codes of long keys that never exaggerate a distance.
//
// A code is the key's coordinates along 15 orthonormal directions (the principal ones of a sample of the keys) and, as
// sixteenth number, the length of what those directions leave over. Two codes are never farther apart than their keys,
// so a code that is too far away rules its key out.
#ifndef SFNEC_INDEX_FAST_CODE_H
#define SFNEC_INDEX_FAST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

enum {
  SFNEC_CODE_SIZE = 16,
  SFNEC_CODE_DIRECTIONS = SFNEC_CODE_SIZE - 1,
};

typedef struct sfnec_coder {
  const sfnec_kernel *kernel;
  size_t key_size, padded; // padded: key_size up to the next multiple of 16; the padding is zero
  float *mean;             // (padded)
  float *basis;            // (directions, padded): orthonormal rows; a row may be zero
  float *rest;             // (padded): scratch
  double skew;             // bound on the norm of basis basis' - 1, zero rows left out
} sfnec_coder;

// Makes an empty coder; false if out of memory. Free it with sfnec_coder_free in any case.
bool sfnec_coder_init(sfnec_coder *coder, const sfnec_kernel *kernel, size_t key_size);
void sfnec_coder_free(sfnec_coder *coder);
size_t sfnec_coder_bytes(const sfnec_coder *coder);

// Learns mean and basis from a sample of keys (count, padded), which is overwritten; starts from `last` unless NULL.
// False if there is no memory for it or the sample has numbers too large to work with; the coder is then of no use.
bool sfnec_coder_fit(sfnec_coder *coder, float *sample, size_t count, const sfnec_coder *last);

// Writes the code of a key (key_size). False if the key is too large (or not a number) for the bounds to hold.
bool sfnec_coder_encode(const sfnec_coder *coder, const float *key, float code[SFNEC_CODE_SIZE]);

// At least the length of the key behind a code, seen from the mean.
double sfnec_code_reach(const float code[SFNEC_CODE_SIZE]);

// The limit for codes that belongs to a limit for keys: if the computed squared distance of two codes is greater than
// the result, then the kernel's squared distance of their keys is greater than `squared`. `reach`: the sum of the two
// codes' reaches, or more.
float sfnec_coder_limit(const sfnec_coder *coder, float squared, double reach);

// The other way round: the kernel's squared distance of two keys is not greater than the result. `squared`: the
// computed squared distance of their codes, with the sum of the sixteenth numbers in place of the difference.
float sfnec_coder_upper(const sfnec_coder *coder, float squared, double reach);

#endif
