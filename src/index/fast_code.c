// fast_code.c: short codes of long keys: learning the directions, coding a key, and the proof's arithmetic.
//
// Why a code rules out a key. Let x and y be two keys seen from the mean, z = x - y, V the basis as stored (rows V_j,
// V V' = 1 + E with |E| <= skew), p = V z, and s = z - V' p what is left over. Then |z|^2 = |p|^2 + |s|^2 - p'E p, and
// s = s_x - s_y, so |s| >= | |s_x| - |s_y| |. Hence |z|^2 >= (1 - skew) * C^2, where C is the distance of the two exact
// codes. (A zero row of V adds a zero to both codes and takes no part in E.)
//
// What rounding adds (u = 2^-24, b = key_size / 16 blocks, |x| the key's length seen from the mean, which is exact but
// for a factor 1 + u per coordinate):
//   a coordinate p_j      (b + 6) u |x|                          16 lanes of fused multiply-adds and their tree
//   all 15 of them        sqrt(15) (b + 6) u |x|
//   the rest s            that, and 31 u (|x| + sqrt(15) |x|)     15 steps of one product and one difference each
//   its length            (b / 2 + 4) u |x|
// together less than (10 (b + 8) + 200) u |x|, which is `roughness`; underflow adds less than sqrt(key_size 2^-149) in
// the length and nothing to speak of elsewhere. So the distance of two computed codes is at most C + roughness times
// the sum of the reaches. Its computed square is at most (1 + 18 u) times as large, and the kernel's squared distance
// of the keys is at least (1 - (b + 10) u) |z|^2 - key_size 2^-149. sfnec_coder_limit puts these together, in double.
//
// In the same way |z|^2 <= (1 + skew) U^2, where U is C with |s_x| + |s_y| in place of the difference, and all
// roundings are as large upwards as downwards: sfnec_coder_upper.
//
// Keys beyond 1e15 are refused, so nothing in the chain overflows.
#include "index/fast_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  DIRECTIONS = SFNEC_CODE_DIRECTIONS,
  LANES = SFNEC_KERNEL_LANES,
  ROUNDS = 4, // of subspace iteration; the bounds hold for any basis, more rounds only make it a little better
};

#define LARGEST 1e15f
#define UNIT 0x1p-24
#define TINY 0x1p-149

// ---- life ----

bool sfnec_coder_init(sfnec_coder *coder, const sfnec_kernel *kernel, size_t key_size) {
  const size_t padded = (key_size + LANES - 1) / LANES * LANES;
  *coder = (sfnec_coder){.kernel = kernel, .key_size = key_size, .padded = padded};
  if (padded > SIZE_MAX / sizeof(float) / SFNEC_CODE_SIZE / 2) return false;
  coder->mean = calloc(padded, sizeof *coder->mean);
  coder->basis = calloc(DIRECTIONS * padded, sizeof *coder->basis);
  coder->rest = calloc(padded, sizeof *coder->rest);
  return coder->mean && coder->basis && coder->rest;
}

void sfnec_coder_free(sfnec_coder *coder) {
  free(coder->mean);
  free(coder->basis);
  free(coder->rest);
  *coder = (sfnec_coder){0};
}

size_t sfnec_coder_bytes(const sfnec_coder *coder) {
  return coder->mean ? (DIRECTIONS + 2) * coder->padded * sizeof(float) : 0;
}

// ---- learning the directions ----

static double dot_double(const float *a, const float *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

// makes the rows orthonormal, one after another; a row that the ones before it span becomes zero
static void orthonormalise(float *rows, size_t n) {
  for (size_t j = 0; j < DIRECTIONS; j++) {
    float *row = rows + j * n;
    const double before = sqrt(dot_double(row, row, n));
    // the second pass takes away what rounding left of the first
    for (int pass = 0; pass < 2; pass++) {
      for (size_t i = 0; i < j; i++) {
        const float share = (float)dot_double(rows + i * n, row, n);
        for (size_t c = 0; c < n; c++) row[c] -= share * rows[i * n + c];
      }
    }
    const double length = sqrt(dot_double(row, row, n));
    const bool spanned = !(length > 1e-5 * before) || !(length > 1e-30);
    const double scale = spanned ? 0.0 : 1.0 / length;
    for (size_t c = 0; c < n; c++) row[c] = (float)(row[c] * scale);
  }
}

// a bound on |V V' - 1|: the largest sum of a row's absolute values
static double measure_skew(const float *rows, size_t n) {
  double skew = 0.0;
  for (size_t i = 0; i < DIRECTIONS; i++) {
    double sum = 0.0;
    const double length = dot_double(rows + i * n, rows + i * n, n);
    if (length == 0.0) continue;
    for (size_t j = 0; j < DIRECTIONS; j++)
      sum += i == j ? fabs(length - 1.0) : fabs(dot_double(rows + i * n, rows + j * n, n));
    if (!(sum <= skew)) skew = sum;
  }
  return skew + 1e-12;
}

static void centre(sfnec_coder *coder, float *sample, size_t count) {
  const size_t n = coder->padded;
  for (size_t c = 0; c < n; c++) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += sample[i * n + c];
    coder->mean[c] = (float)(sum / (double)count);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < n; c++) sample[i * n + c] -= coder->mean[c];
}

// the first guess: the last basis, or members of the sample
static void guess(sfnec_coder *coder, const float *sample, size_t count, const sfnec_coder *last) {
  const size_t n = coder->padded;
  for (size_t j = 0; j < DIRECTIONS; j++) {
    const float *from = sample + (j * count / DIRECTIONS) * n;
    if (last && dot_double(last->basis + j * n, last->basis + j * n, n) > 0.0) from = last->basis + j * n;
    memcpy(coder->basis + j * n, from, n * sizeof *from);
  }
}

// one round of subspace iteration: basis = sample' (sample basis'), both products as inner products of whole rows
static void improve(sfnec_coder *coder, const float *sample, const float *columns, size_t count, float *scores) {
  const size_t n = coder->padded;
  const sfnec_kernel *kernel = coder->kernel;
  for (size_t j = 0; j < DIRECTIONS; j++) {
    float *row = coder->basis + j * n;
    for (size_t i = 0; i < count; i++) scores[i] = kernel->dot(sample + i * n, row, n);
    for (size_t c = 0; c < n; c++) row[c] = kernel->dot(columns + c * count, scores, count);
  }
  orthonormalise(coder->basis, n);
}

bool sfnec_coder_fit(sfnec_coder *coder, float *sample, size_t count, const sfnec_coder *last) {
  const size_t n = coder->padded;
  if (count == 0) return false;
  float *columns = malloc((n + 1) * count * sizeof *columns); // (padded, count), and the scores (count)
  if (!columns) return false;

  centre(coder, sample, count);
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < n; c++) columns[c * count + i] = sample[i * n + c];
  guess(coder, sample, count, last);
  orthonormalise(coder->basis, n);
  for (int round = 0; round < ROUNDS; round++) improve(coder, sample, columns, count, columns + n * count);
  free(columns);

  coder->skew = measure_skew(coder->basis, n);
  return coder->skew < 1e-3;
}

// ---- coding ----

bool sfnec_coder_encode(const sfnec_coder *coder, const float *key, float code[SFNEC_CODE_SIZE]) {
  const size_t n = coder->padded;
  float *rest = coder->rest;
  for (size_t c = 0; c < coder->key_size; c++) rest[c] = key[c] - coder->mean[c];
  for (size_t j = 0; j < DIRECTIONS; j++) code[j] = coder->kernel->dot(coder->basis + j * n, rest, n);

  // block by block, so that the rest stays in registers
  for (size_t block = 0; block < n; block += LANES) {
    float left[LANES];
    memcpy(left, rest + block, sizeof left);
    for (size_t j = 0; j < DIRECTIONS; j++)
      for (size_t l = 0; l < LANES; l++) left[l] -= code[j] * coder->basis[j * n + block + l];
    memcpy(rest + block, left, sizeof left);
  }
  code[DIRECTIONS] = sqrtf(coder->kernel->dot(rest, rest, n));

  bool fits = true;
  for (size_t j = 0; j < SFNEC_CODE_SIZE; j++) fits &= fabsf(code[j]) <= LARGEST; // false for NaN
  return fits;
}

double sfnec_code_reach(const float code[SFNEC_CODE_SIZE]) {
  double sum = 0.0;
  for (size_t j = 0; j < SFNEC_CODE_SIZE; j++) sum += (double)code[j] * (double)code[j];
  // a code is as long as its key, but for the roughness and the skew, which are below a hundredth together
  return 1.02 * sqrt(sum);
}

// how far a computed code may be from the exact one, for two codes of that reach together
static double slack(const sfnec_coder *coder, double reach) {
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  return (10 * (blocks + 8) + 200) * UNIT * reach + 1e-22 * sqrt(size);
}

float sfnec_coder_limit(const sfnec_coder *coder, float squared, double reach) {
  if (!(squared <= 1e32f)) return INFINITY;
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  const double key = sqrt(((double)squared + size * TINY) * (1 + 2 * (blocks + 10) * UNIT));
  const double code = key * (1 + coder->skew) + slack(coder, reach);
  return (float)(code * code * (1 + 64 * UNIT) + 64 * TINY);
}

float sfnec_coder_upper(const sfnec_coder *coder, float squared, double reach) {
  const double size = (double)coder->key_size, blocks = size / LANES + 1;
  const double code = sqrt((double)squared * (1 + 64 * UNIT) + 64 * TINY) + slack(coder, reach);
  const double key = code * code * (1 + coder->skew) * (1 + 2 * (blocks + 10) * UNIT);
  return (float)((key + size * TINY) * (1 + 4 * UNIT) + 4 * TINY);
}
