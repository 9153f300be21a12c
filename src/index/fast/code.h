// code.h: short codes of long keys, and what they prove about distances.
//
// A code is the key's coordinates along 31 orthonormal directions (the principal ones of a sample of the keys) and, as
// last number, the length of what those directions leave over; each rounded to a sixteenth of a step, of which there
// are 255. But for a known blur, two codes are never farther apart than their keys, so a code that is too far away
// rules its key out.
#ifndef SFNEC_INDEX_FAST_CODE_H
#define SFNEC_INDEX_FAST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simd/simd.h"

enum {
  SFNEC_CODE_SIZE = SFNEC_SIMD_CODE,
  SFNEC_CODE_DIRECTIONS = SFNEC_CODE_SIZE - 1,
};

// A coded query, ready for the kernels: in sixteenths of a step, and rounded to whole steps.
typedef struct sfnec_probe {
  int16_t at[SFNEC_CODE_SIZE];
  uint8_t floors[SFNEC_CODE_SIZE], ceils[SFNEC_CODE_SIZE];
  float rest;  // at least what the directions leave over, in steps
  double blur; // how far the numbers above may be from the truth, in steps
  bool usable; // false if the query is too far from the sample for a code
} sfnec_probe;

typedef struct sfnec_coder {
  const sfnec_simd *simd;
  size_t key_size, padded; // padded: key_size up to the next multiple of 16; the padding is zero
  float *mean;             // (padded)
  float *basis;            // (directions, padded): orthonormal rows; a row may be zero
  float *rest;             // (padded): scratch
  float *asked;            // (padded): the last query, and its code
  sfnec_probe probe;
  double skew;                  // bound on the norm of basis basis' - 1, zero rows left out
  double lows[SFNEC_CODE_SIZE]; // the coordinates that 0 stands for
  double step;                  // what one step is worth, in each of them
  double loss;                  // share of the sample's variance that the directions leave over
  uint32_t users;               // holders of this coder
} sfnec_coder;

// Makes a coder with one user and without directions; NULL if out of memory.
sfnec_coder *sfnec_coder_create(const sfnec_simd *simd, size_t key_size);
// One user more or less; the last one frees it. NULL is fine.
sfnec_coder *sfnec_coder_hold(sfnec_coder *coder);
void sfnec_coder_release(sfnec_coder *coder);
size_t sfnec_coder_bytes(const sfnec_coder *coder);

// The coordinates of a key (key_size). False if the key is too large (or not a number) to work with.
bool sfnec_coder_project(const sfnec_coder *coder, const float *key, float coordinates[SFNEC_CODE_SIZE]);

// The code of a key, and its blur in steps. False if it cannot be coded.
bool sfnec_coder_encode(const sfnec_coder *coder, const float *key, int16_t code[SFNEC_CODE_SIZE], double *blur);

// The code of a query, valid until the next call with this coder; the last one is remembered.
const sfnec_probe *sfnec_coder_ask(sfnec_coder *coder, const float *query);

// The limit for codes that belongs to a limit for keys: if the kernel's distance of a probe and a code is greater than
// the result, then the kernel's squared distance of query and key is greater than `squared`. `blur`: of both codes.
uint32_t sfnec_coder_limit(const sfnec_coder *coder, float squared, double blur);

// The other way round: the kernel's squared distance of query and key is not greater than the result. `distance`: the
// kernel's for probe and code, plus the surplus of both rests (`blur`: at least that of the key's code).
float sfnec_coder_upper(const sfnec_coder *coder, double distance, double blur);
static inline float sfnec_probe_surplus(const sfnec_probe *probe, int16_t rest, float blur) {
  return 4 * 16 * probe->rest * ((float)rest + 16 * blur);
}

// The kernel's squared distance of query and key is not less than the result, if the distance of the codes is not less.
float sfnec_coder_lower(const sfnec_coder *coder, uint32_t distance, double blur);

#endif
