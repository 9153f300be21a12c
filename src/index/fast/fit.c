// fit.c: learning a coder: principal directions by subspace iteration on the sample's moments; and the codebook,
// through which indexes share what was learned.
//
// The bounds hold for any directions, so nothing here has to be exact: good directions make good bounds. The work comes
// in pieces of some ten thousand multiplications, so that it can be spread over many insertions.
#include "index/fast/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
  DIRECTIONS = SFNEC_CODE_DIRECTIONS,
  CODE = SFNEC_CODE_SIZE,
  LANES = SFNEC_SIMD_LANES,
  ROUNDS = 5,
};

enum { MOMENTS, ITERATE, RANGES, DONE };

#define LARGEST 1e15f

// ---- life ----

static void free_fit(sfnec_fit *fit) {
  free(fit->sample);
  free(fit->moments);
  free(fit->rows);
  free(fit->residual);
  free(fit);
}

// begins again with the arrays that a fit has
static void reset(sfnec_fit *fit) {
  const size_t n = fit->coder->padded;
  const sfnec_fit old = *fit;
  memset(old.sample, 0, old.capacity * n * sizeof *old.sample);
  memset(old.moments, 0, n * n * sizeof *old.moments);
  memset(old.residual, 0, n * sizeof *old.residual);
  *fit = (sfnec_fit){.codebook = old.codebook,
                     .coder = old.coder,
                     .sample = old.sample,
                     .moments = old.moments,
                     .rows = old.rows,
                     .residual = old.residual,
                     .capacity = old.capacity};
}

sfnec_fit *sfnec_fit_create(sfnec_codebook *codebook, const sfnec_simd *simd, size_t key_size, size_t capacity) {
  sfnec_coder *coder = sfnec_coder_create(codebook, simd, key_size);
  if (!coder) return NULL;
  sfnec_fit *fit = codebook ? codebook->spare_fit : NULL;
  if (fit && fit->capacity == capacity) {
    codebook->spare_fit = NULL;
    fit->coder = coder;
    reset(fit);
    return fit;
  }
  const size_t n = coder->padded;
  fit = calloc(1, sizeof *fit);
  if (fit) {
    *fit = (sfnec_fit){.codebook = codebook, .coder = coder, .capacity = capacity};
    fit->sample = calloc(capacity * n, sizeof *fit->sample);
    fit->moments = calloc(n * n, sizeof *fit->moments);
    fit->rows = calloc(DIRECTIONS * n, sizeof *fit->rows);
    fit->residual = calloc(n, sizeof *fit->residual);
    if (fit->sample && fit->moments && fit->rows && fit->residual) return fit;
    free_fit(fit);
  }
  sfnec_coder_release(coder);
  return NULL;
}

void sfnec_fit_destroy(sfnec_fit *fit) {
  if (!fit) return;
  sfnec_coder_release(fit->coder);
  fit->coder = NULL;
  if (fit->codebook && !fit->codebook->spare_fit) fit->codebook->spare_fit = fit;
  else free_fit(fit);
}

void sfnec_fit_add(sfnec_fit *fit, const float *key) {
  const size_t size = fit->coder->key_size;
  bool moderate = fit->count < fit->capacity;
  for (size_t c = 0; moderate && c < size; c++) moderate = fabsf(key[c]) <= LARGEST;
  if (moderate) memcpy(fit->sample + fit->count++ * fit->coder->padded, key, size * sizeof *key);
}

// ---- the pieces ----

static void find_mean(sfnec_fit *fit) {
  const size_t n = fit->coder->padded;
  float *mean = fit->coder->mean;
  for (size_t i = 0; i < fit->count; i++)
    for (size_t c = 0; c < n; c++) mean[c] += fit->sample[i * n + c] / (float)fit->count;
}

// the products of one key's coordinates
static void add_moments(sfnec_fit *fit, size_t i) {
  const size_t n = fit->coder->padded;
  float *x = fit->residual;
  for (size_t c = 0; c < n; c++) x[c] = fit->sample[i * n + c] - fit->coder->mean[c];
  for (size_t r = 0; r < n; r++) {
    const float factor = x[r];
    if (factor == 0.0f) continue;
    float *row = fit->moments + r * n;
    // the part left of the diagonal is filled in at the end
    for (size_t c = r / LANES * LANES; c < n; c++) row[c] += factor * x[c];
  }
}

static void mirror_moments(sfnec_fit *fit) {
  const size_t n = fit->coder->padded;
  for (size_t r = 0; r < n; r++)
    for (size_t c = 0; c < r / LANES * LANES; c++) fit->moments[r * n + c] = fit->moments[c * n + r];
}

// the first guess: members of the sample
static void guess(sfnec_fit *fit) {
  const size_t n = fit->coder->padded;
  for (size_t j = 0; j < DIRECTIONS; j++) {
    const float *from = fit->sample + j * fit->count / DIRECTIONS * n;
    for (size_t c = 0; c < n; c++) fit->coder->basis[j * n + c] = from[c] - fit->coder->mean[c];
  }
}

// takes the share of the rows before it away from a row, and makes its length 1, or 0 if they span it
static void orthonormalise(const sfnec_simd *simd, float *rows, size_t j, size_t n) {
  float *row = rows + j * n;
  // a number so that nothing overflows or underflows in the products
  float largest = 0.0f;
  for (size_t c = 0; c < n; c++) largest = fabsf(row[c]) > largest ? fabsf(row[c]) : largest;
  const float inverse = largest > 1e-37f ? 1.0f / largest : 0.0f;
  for (size_t c = 0; c < n; c++) row[c] *= inverse;
  const float before = sqrtf(simd->dot(row, row, n));
  // the second pass takes away what rounding left of the first
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < j; i++) {
      const float share = simd->dot(rows + i * n, row, n);
      for (size_t c = 0; c < n; c++) row[c] -= share * rows[i * n + c];
    }
  }
  const float length = sqrtf(simd->dot(row, row, n));
  const float scale = length > 1e-5f * before ? 1.0f / length : 0.0f;
  for (size_t c = 0; c < n; c++) row[c] *= scale;
}

// one direction of one round: moments times the last round's
static void improve(sfnec_fit *fit, size_t j) {
  const size_t n = fit->coder->padded;
  const sfnec_simd *simd = fit->coder->simd;
  for (size_t c = 0; c < n; c++) fit->rows[j * n + c] = simd->dot(fit->moments + c * n, fit->coder->basis + j * n, n);
  orthonormalise(simd, fit->rows, j, n);
}

static double dot_double(const float *a, const float *b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
  return sum;
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

static void add_range(sfnec_fit *fit, size_t i) {
  float coordinates[CODE];
  if (!sfnec_coder_project(fit->coder, fit->sample + i * fit->coder->padded, fit->residual, coordinates)) return;
  for (size_t d = 0; d < CODE; d++) {
    const double x = (double)coordinates[d];
    fit->lows[d] = x < fit->lows[d] ? x : fit->lows[d];
    fit->highs[d] = x > fit->highs[d] ? x : fit->highs[d];
    fit->variance += x * x;
    if (d == DIRECTIONS) fit->lost += x * x;
  }
}

// One step for all coordinates, so that the widest one fits with some margin on both sides. Each range lies in the
// middle of the 256 steps; that of the residual, which is never negative, begins at 0.
static void choose_step(sfnec_fit *fit) {
  sfnec_coder *coder = fit->coder;
  double widest = fit->highs[DIRECTIONS], farthest = 0.0;
  for (size_t d = 0; d < DIRECTIONS; d++) {
    widest = fmax(widest, fit->highs[d] - fit->lows[d]);
    farthest = fmax(farthest, fmax(fabs(fit->highs[d]), fabs(fit->lows[d])));
  }
  coder->step = fmax(fmax(1.2 * widest / 255, 1e-7 * farthest), 1e-30);
  for (size_t d = 0; d < DIRECTIONS; d++) coder->lows[d] = (fit->lows[d] + fit->highs[d]) / 2 - 127.5 * coder->step;
  coder->lows[DIRECTIONS] = 0.0;
  coder->loss = fit->variance > 0.0 ? fit->lost / fit->variance : 0.0;
}

// ---- one after another ----

// does the next piece; returns about how many multiplications it was
static size_t piece(sfnec_fit *fit) {
  const size_t n = fit->coder->padded;
  switch (fit->stage) {
  // the mean and the second moments of the sample, one key at a time, then a first guess of the directions
  case MOMENTS:
    if (fit->at == 0) find_mean(fit);
    if (fit->at < fit->count) {
      add_moments(fit, fit->at++);
      return n * n / 2;
    }
    mirror_moments(fit);
    guess(fit);
    fit->stage = ITERATE;
    fit->at = 0;
    return n * n;
  // orthogonal iteration towards the leading directions, one direction at a time
  case ITERATE:
    improve(fit, fit->at);
    if (++fit->at < DIRECTIONS) return n * n + 4 * n * fit->at;
    memcpy(fit->coder->basis, fit->rows, DIRECTIONS * n * sizeof *fit->rows);
    fit->at = 0;
    if (++fit->round < ROUNDS) return n * n;
    fit->coder->skew = measure_skew(fit->coder->basis, n);
    for (size_t d = 0; d < CODE; d++) {
      fit->lows[d] = INFINITY;
      fit->highs[d] = -INFINITY;
    }
    fit->stage = RANGES;
    return n * DIRECTIONS * DIRECTIONS;
  // the range of each coordinate, one key at a time, then the step of the codes
  case RANGES:
    add_range(fit, fit->at);
    if (++fit->at < fit->count) return 2 * n * DIRECTIONS;
    choose_step(fit);
    fit->stage = DONE;
    return 0;
  default:
    return 0;
  }
}

bool sfnec_fit_work(sfnec_fit *fit, size_t work) {
  if (fit->count == 0) fit->stage = DONE;
  for (size_t done = 0; done < work && fit->stage != DONE;) done += piece(fit);
  return fit->stage == DONE;
}

// a digest of all that decides a code, so that a coded query is known again without a reference to its coder
static uint64_t identify(const sfnec_coder *coder) {
  uint64_t id = XXH3_64bits_withSeed(coder->lows, sizeof coder->lows, coder->key_size);
  id = XXH3_64bits_withSeed(&coder->step, sizeof coder->step, id);
  id = XXH3_64bits_withSeed(coder->mean, (DIRECTIONS + 1) * coder->padded * sizeof *coder->mean, id);
  return id ? id : 1;
}

sfnec_coder *sfnec_fit_take(sfnec_fit *fit) {
  if (fit->count == 0 || !(fit->coder->skew < 1e-3) || !isfinite(fit->coder->step)) return NULL;
  sfnec_coder *coder = fit->coder;
  coder->id = identify(coder);
  fit->coder = NULL;
  return coder;
}

// ---- the codebook ----

sfnec_codebook *sfnec_codebook_create(void) {
  return calloc(1, sizeof(sfnec_codebook));
}

void sfnec_codebook_destroy(sfnec_codebook *codebook) {
  if (!codebook) return;
  sfnec_coder_release(codebook->coder);
  for (uint32_t i = 0; i < codebook->spare_count; i++) {
    free(codebook->spares[i]->mean);
    free(codebook->spares[i]);
  }
  if (codebook->spare_fit) free_fit(codebook->spare_fit);
  free(codebook->keys);
  free(codebook);
}

void sfnec_codebook_show(sfnec_codebook *codebook, const float *key, size_t key_size) {
  if (!codebook->keys) {
    codebook->keys = calloc(SFNEC_CODEBOOK_KEYS * key_size, sizeof *codebook->keys);
    codebook->key_size = key_size;
  }
  if (!codebook->keys) return;
  memcpy(codebook->keys + codebook->next * key_size, key, key_size * sizeof *key);
  codebook->next = (codebook->next + 1) % SFNEC_CODEBOOK_KEYS;
  if (codebook->count < SFNEC_CODEBOOK_KEYS) codebook->count++;
}

void sfnec_codebook_publish(sfnec_codebook *codebook, sfnec_coder *coder) {
  sfnec_coder_hold(coder);
  sfnec_coder_release(codebook->coder);
  codebook->coder = coder;
}

size_t sfnec_codebook_bytes(const sfnec_codebook *codebook) {
  return sizeof *codebook + (codebook->keys ? SFNEC_CODEBOOK_KEYS * codebook->key_size * sizeof *codebook->keys : 0);
}
