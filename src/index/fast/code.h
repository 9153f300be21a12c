// code.h: short codes of long keys, what they prove about distances, and how the codes are learned.
//
// A code is the key's coordinates along 31 orthonormal directions (the principal ones of a sample of the keys) and, as
// last component, the length of the residual that those directions leave over; each rounded to a sixteenth of a step,
// of which there are 255. But for a known quantisation error, two codes are never farther apart than their keys, so a
// code that is too far away rules its key out.
#ifndef SFNEC_INDEX_FAST_CODE_H
#define SFNEC_INDEX_FAST_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/index.h"
#include "simd/simd.h"

enum {
  SFNEC_CODE_SIZE = SFNEC_SIMD_CODE,
  SFNEC_CODE_DIRECTIONS = SFNEC_CODE_SIZE - 1,
  SFNEC_CODE_STEP = 16, // parts of a step: the unit of a code
};

// ---- coding ----

// How keys are coded. Constant once it is learned; `users` belongs to those who change indexes.
typedef struct sfnec_coder {
  const sfnec_simd *simd;
  size_t key_size, padded;      // padded: key_size up to the next multiple of 16; the padding is zero
  float *mean;                  // (padded)
  float *basis;                 // (directions, padded): orthonormal rows; a row may be zero
  double skew;                  // bound on the norm of basis basis' - 1, zero rows left out
  double lows[SFNEC_CODE_SIZE]; // the coordinates that 0 stands for
  double step;                  // the length of one step, in each of them
  double loss;                  // share of the sample's variance that the directions leave over
  uint64_t id;                  // made of all that decides a code; never 0
  sfnec_codebook *codebook;     // that it goes back to, or NULL
  uint32_t users;               // holders of this coder
} sfnec_coder;

// A coded query, ready for the SIMD level: a code, and its components in whole steps.
typedef struct sfnec_coded_query {
  int16_t code[SFNEC_CODE_SIZE];
  uint8_t floors[SFNEC_CODE_SIZE], ceils[SFNEC_CODE_SIZE]; // in steps, rounded down and up
  float residual; // at least the length of what the directions leave over, in steps
  double error;   // of the code: how far it may be from the exact one, in steps
  bool usable;    // false if the query is too far from the sample for a code
} sfnec_coded_query;

// Makes a coder with one user and without directions, of the codebook's spares if it has any (NULL: no codebook); NULL
// if out of memory.
sfnec_coder *sfnec_coder_create(sfnec_codebook *codebook, const sfnec_simd *simd, size_t key_size);
// One user more or less; after the last one it goes to its codebook's spares, or is freed. NULL is fine.
sfnec_coder *sfnec_coder_hold(sfnec_coder *coder);
void sfnec_coder_release(sfnec_coder *coder);
size_t sfnec_coder_bytes(const sfnec_coder *coder);

// In the following, `residual` (padded) is scratch; its padding is zero.

// The coordinates of a key (key_size). False if the key is too large (or not a number) to work with.
bool sfnec_coder_project(const sfnec_coder *coder, const float *key, float *residual,
                         float coordinates[SFNEC_CODE_SIZE]);
// The code of a key, and its error in steps. False if it cannot be coded.
bool sfnec_coder_encode(const sfnec_coder *coder, const float *key, float *residual, int16_t code[SFNEC_CODE_SIZE],
                        double *error);
// The code of a query.
void sfnec_coder_encode_query(const sfnec_coder *coder, const float *query, float *residual, sfnec_coded_query *out);

// ---- what codes prove ----
//
// The SIMD level computes both distances of which these speak, of codes and of keys, and both are squared. `error` is
// the sum of the errors of both codes.

// The limit for codes that belongs to a limit for keys: if the distance of query and key as coded is greater than the
// result, then the distance of query and key is greater than `squared`.
uint32_t sfnec_coder_limit(const sfnec_coder *coder, float squared, double error);
// The distance of query and key is not less than the result, if the distance of their codes is not less than this one.
float sfnec_coder_lower(const sfnec_coder *coder, uint32_t distance, double error);
// The distance of query and key is not greater than the result. `distance`: of their codes, plus what the residuals may
// add (sfnec_residual_surplus).
float sfnec_coder_upper(const sfnec_coder *coder, double distance, double error);
// Codes know the lengths of the residuals, not their directions: what that may add to the distance of the codes.
// `residual`: the last component of the key's code; `error`: of that code.
static inline float sfnec_residual_surplus(const sfnec_coded_query *query, int16_t residual, float error) {
  return 4 * SFNEC_CODE_STEP * query->residual * ((float)residual + SFNEC_CODE_STEP * error);
}

// ---- learning a coder from a sample of keys, in many small pieces (fit.c) ----

typedef struct sfnec_fit {
  sfnec_codebook *codebook; // that it goes back to, or NULL
  sfnec_coder *coder;       // in the making
  float *sample;            // (capacity, padded)
  float *moments;           // (padded, padded): sums of products
  float *rows;              // (directions, padded): the directions of this round
  float *residual;          // (padded): scratch
  double lows[SFNEC_CODE_SIZE], highs[SFNEC_CODE_SIZE];
  double lost, variance;
  size_t count, capacity;  // keys in the sample
  size_t stage, round, at; // how far it is
} sfnec_fit;

// Starts with an empty sample; NULL if out of memory. Takes the codebook's spares, and gives them back (NULL: none).
sfnec_fit *sfnec_fit_create(sfnec_codebook *codebook, const sfnec_simd *simd, size_t key_size, size_t capacity);
void sfnec_fit_destroy(sfnec_fit *fit); // NULL is fine

// Adds a key (key_size) to the sample while it has capacity; keys too large to work with are left out. Before the first
// piece of work.
void sfnec_fit_add(sfnec_fit *fit, const float *key);
// Does a few pieces, about `work` multiplications; true when all is done.
bool sfnec_fit_work(sfnec_fit *fit, size_t work);
// The finished coder, whose user is now the caller; NULL if the sample was no good. Once, when all is done.
sfnec_coder *sfnec_fit_take(sfnec_fit *fit);

// ---- what the indexes of one owner share ----

enum { SFNEC_CODEBOOK_KEYS = 512, SFNEC_CODEBOOK_SPARES = 16 };

struct sfnec_codebook {
  sfnec_coder *coder;   // the newest, or NULL
  float *keys;          // (SFNEC_CODEBOOK_KEYS, key_size): some of all indexes' keys, to learn the next coder from
  size_t key_size;      // of the indexes
  uint32_t count, next; // keys held; where the next one goes

  // what was used before and will be again: once they are warm, indexes whose keys come and go allocate nothing
  sfnec_coder *spares[SFNEC_CODEBOOK_SPARES];
  uint32_t spare_count;
  sfnec_fit *spare_fit; // or NULL
};

// Adds a key to those that the next coder is learned from; does nothing if out of memory.
void sfnec_codebook_show(sfnec_codebook *codebook, const float *key, size_t key_size);
// Makes a coder the newest.
void sfnec_codebook_publish(sfnec_codebook *codebook, sfnec_coder *coder);
size_t sfnec_codebook_bytes(const sfnec_codebook *codebook);

#endif
