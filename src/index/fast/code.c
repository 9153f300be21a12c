// code.c: short codes of long keys: coding, and the arithmetic of what codes prove.
//
// Why a code rules out a key. Let x and y be two keys seen from the mean, z = x - y, V the basis as stored (rows V_j,
// V V' = 1 + E with |E| <= skew), p = V z, and s = z - V' p the residual. Then |z|^2 = |p|^2 + |s|^2 - p'E p, and
// s = s_x - s_y, so |s| >= | |s_x| - |s_y| |. Hence |z|^2 >= (1 - skew) * C^2, where C is the distance of the two exact
// codes. (A zero row of V adds a zero to both codes and takes no part in E.)
//
// In the same way |z|^2 <= (1 + skew) (C^2 + 4 |s_x| |s_y|). A key's residual s is longer than its code says by at most
// the error of the code.
//
// What rounding adds to the coordinates (u = 2^-24, b = key_size / 16 blocks, |x| the key's length seen from the mean,
// which is exact but for a factor 1 + u per coordinate):
//   a coordinate p_j      (b + 6) u |x|                          16 lanes of fused multiply-adds and their tree
//   all 31 of them        sqrt(31) (b + 6) u |x|
//   the residual s        that, and 32 u (|x| + sqrt(31) |x|)     31 fused multiply-adds
//   its length            (b / 2 + 4) u |x|
// together less than (16 (b + 8) + 600) u |x|, which is `roughness`; underflow adds less than sqrt(key_size 2^-149) in
// the length and nothing to speak of elsewhere. To this comes what was lost by rounding to sixteenths, the quantisation
// error proper, which the coder measures. The sum is the error of a code: its distance from the exact one. Distances of
// codes are whole numbers and exact. So the distance of two codes is at most C + the two errors, and at least C - the
// two errors.
//
// The squared distance of the keys, as the SIMD level computes it, is within (1 -+ (b + 10) u) |z|^2 -+ key_size
// 2^-149. The functions at the end put these together, in double.
//
// Keys beyond 1e15 are refused, so nothing in the chain overflows.
#include "index/fast/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CODE = SFNEC_CODE_SIZE,
  DIRECTIONS = SFNEC_CODE_DIRECTIONS,
  LANES = SFNEC_SIMD_LANES,
  FINE = SFNEC_CODE_STEP,
};

#define LARGEST 1e15f
#define UNIT 0x1p-24
#define TINY 0x1p-149

// ---- life ----

sfnec_coder *sfnec_coder_create(sfnec_codebook *codebook, const sfnec_simd *simd, size_t key_size) {
  const size_t padded = (key_size + LANES - 1) / LANES * LANES;
  if (padded > SIZE_MAX / sizeof(float) / CODE / 2) return NULL;
  // all coders of a codebook are for keys of the same size
  sfnec_coder *coder = codebook && codebook->spare_count > 0 ? codebook->spares[--codebook->spare_count] : NULL;
  float *mean = coder ? coder->mean : calloc((DIRECTIONS + 1) * padded, sizeof *mean);
  if (coder) memset(mean, 0, (DIRECTIONS + 1) * padded * sizeof *mean);
  else coder = malloc(sizeof *coder);
  if (!coder || !mean) {
    free(coder);
    free(mean);
    return NULL;
  }
  *coder = (sfnec_coder){.simd = simd,
                         .key_size = key_size,
                         .padded = padded,
                         .mean = mean,
                         .basis = mean + padded,
                         .codebook = codebook,
                         .users = 1};
  return coder;
}

sfnec_coder *sfnec_coder_hold(sfnec_coder *coder) {
  if (coder) coder->users++;
  return coder;
}

void sfnec_coder_release(sfnec_coder *coder) {
  if (!coder || --coder->users > 0) return;
  sfnec_codebook *codebook = coder->codebook;
  if (codebook && codebook->spare_count < SFNEC_CODEBOOK_SPARES) {
    codebook->spares[codebook->spare_count++] = coder;
    return;
  }
  free(coder->mean);
  free(coder);
}

size_t sfnec_coder_bytes(const sfnec_coder *coder) {
  return sizeof *coder + (DIRECTIONS + 1) * coder->padded * sizeof(float);
}

// ---- coding ----

bool sfnec_coder_project(const sfnec_coder *coder, const float *key, float *residual,
                         float coordinates[SFNEC_CODE_SIZE]) {
  const size_t n = coder->padded;
  for (size_t c = 0; c < coder->key_size; c++) residual[c] = key[c] - coder->mean[c];
  coder->simd->project(coder->basis, DIRECTIONS, n, residual, coordinates);
  coordinates[DIRECTIONS] = sqrtf(coder->simd->dot(residual, residual, n));

  bool fits = true;
  for (size_t j = 0; j < CODE; j++) fits &= fabsf(coordinates[j]) <= LARGEST; // false for NaN
  return fits;
}

// how far computed coordinates may be from the exact ones, in steps
static double roughness(const sfnec_coder *coder, const float coordinates[SFNEC_CODE_SIZE]) {
  double sum = 0.0;
  for (size_t j = 0; j < CODE; j++) sum += (double)coordinates[j] * (double)coordinates[j];
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  // the coordinates are as long as their key, but for the roughness and the skew, which are below a hundredth together
  const double length = 1.02 * sqrt(sum);
  return ((16 * (blocks + 8) + 600) * UNIT * length + 1e-22 * sqrt(size)) / coder->step;
}

bool sfnec_coder_encode(const sfnec_coder *coder, const float *key, float *residual, int16_t code[SFNEC_CODE_SIZE],
                        double *error) {
  float coordinates[CODE];
  if (!sfnec_coder_project(coder, key, residual, coordinates)) return false;
  const double scale = 1.0 / coder->step;
  double lost = 0.0;
  bool fits = true;
  for (size_t j = 0; j < CODE; j++) {
    const double exact = ((double)coordinates[j] - coder->lows[j]) * scale;
    const double bounded = exact < 0.0 ? 0.0 : exact > 255.0 ? 255.0 : exact;
    fits &= bounded == exact;
    code[j] = (int16_t)(bounded * FINE + 0.5);
    const double off = bounded - code[j] / (double)FINE;
    lost += off * off;
  }
  const double rough = roughness(coder, coordinates);
  *error = sqrt(lost) * (1 + 1e-9) + 1e-9 + rough;
  return fits && rough < 0.9;
}

void sfnec_coder_encode_query(const sfnec_coder *coder, const float *query, float *residual, sfnec_coded_query *out) {
  float coordinates[CODE];
  out->usable = sfnec_coder_project(coder, query, residual, coordinates);
  if (!out->usable) return;
  const double scale = 1.0 / coder->step;
  double lost = 0.0;
  for (size_t j = 0; j < CODE; j++) {
    const double exact = ((double)coordinates[j] - coder->lows[j]) * scale;
    const double bounded = exact < -255.0 ? -255.0 : exact > 510.0 ? 510.0 : exact;
    out->usable &= bounded == exact;
    const double shifted = bounded * FINE + 8192.5;
    out->code[j] = (int16_t)((int)shifted - 8192);
    lost += (bounded - out->code[j] / (double)FINE) * (bounded - out->code[j] / (double)FINE);
    // a box is compared with the number that the points are compared with, rounded away from it
    const int down = (out->code[j] + 8192) / FINE - 512, up = (out->code[j] + 8192 + FINE - 1) / FINE - 512;
    out->floors[j] = (uint8_t)(down < 0 ? 0 : down > 255 ? 255 : down);
    out->ceils[j] = (uint8_t)(up < 0 ? 0 : up > 255 ? 255 : up);
  }
  const double rough = roughness(coder, coordinates);
  out->error = sqrt(lost) * (1 + 1e-9) + 1e-9 + rough;
  out->residual = (float)(((double)coordinates[DIRECTIONS] * scale + rough) * (1 + 1e-6));
}

// ---- what codes prove ----

uint32_t sfnec_coder_limit(const sfnec_coder *coder, float squared, double error) {
  if (!(squared <= 1e32f)) return INT32_MAX;
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  const double key = sqrt(((double)squared + size * TINY) * (1 + 2 * (blocks + 10) * UNIT));
  const double code = (key * (1 + coder->skew) / coder->step + error) * FINE;
  const double limit = code * code * (1 + 1e-9) + 1;
  return limit < INT32_MAX ? (uint32_t)limit : INT32_MAX;
}

float sfnec_coder_upper(const sfnec_coder *coder, double distance, double error) {
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  // the distance was added up in floats
  const double code = (sqrt(distance * (1 + 16 * UNIT)) / FINE + error) * coder->step;
  const double key = code * code * (1 + coder->skew) * (1 + 2 * (blocks + 10) * UNIT);
  return (float)((key + size * TINY) * (1 + 4 * UNIT) + 4 * TINY);
}

float sfnec_coder_lower(const sfnec_coder *coder, uint32_t distance, double error) {
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  const double code = (sqrt((double)distance) / FINE * (1 - 1e-9) - error) * coder->step;
  if (code <= 0.0) return 0.0f;
  const double key = code * code * (1 - coder->skew) * (1 - 2 * (blocks + 10) * UNIT) - size * TINY;
  return key > 0.0 ? (float)(key * (1 - 4 * UNIT)) : 0.0f;
}
