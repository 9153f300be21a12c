// keysets.c: the kinds of keys; see keysets.h.
#include "keysets.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sfnec/random.h"
#include "walker.h"

enum { STREAM = 2000 };

// The states of one walk in four_rooms, however long: what one memory of a larger capacity would hold.
static void draw_four_rooms(uint64_t seed, size_t count, float *keys) {
  walker w;
  int32_t action;
  double features[WALKER_FEATURES];
  walker_start(&w, seed, 0);
  walker_reset(&w, keys);
  for (size_t i = 1; i < count; i++) {
    if (walker_step(&w, &action, keys + i * WALKER_KEY, features)) walker_reset(&w, keys + i * WALKER_KEY);
  }
}

// 32 clusters in 128 dimensions; each spreads along 10 directions of its own, and a little along all.
static void draw_mixture(uint64_t seed, size_t count, float *keys) {
  enum { SIZE = 128, CLUSTERS = 32, INTRINSIC = 10 };
  sfnec_random random = sfnec_random_start(seed, STREAM);
  float(*centres)[SIZE] = bench_alloc(CLUSTERS, sizeof *centres);
  float(*directions)[INTRINSIC][SIZE] = bench_alloc(CLUSTERS, sizeof *directions);
  for (size_t c = 0; c < CLUSTERS; c++) {
    for (size_t i = 0; i < SIZE; i++) {
      centres[c][i] = (float)sfnec_random_normal(&random);
      for (size_t j = 0; j < INTRINSIC; j++) directions[c][j][i] = 0.1f * (float)sfnec_random_normal(&random);
    }
  }
  for (size_t n = 0; n < count; n++) {
    const size_t c = sfnec_random_below(&random, CLUSTERS);
    float *key = keys + n * SIZE;
    memcpy(key, centres[c], sizeof centres[c]);
    for (size_t j = 0; j < INTRINSIC; j++) {
      const float along = (float)sfnec_random_normal(&random);
      for (size_t i = 0; i < SIZE; i++) key[i] += along * directions[c][j][i];
    }
    for (size_t i = 0; i < SIZE; i++) key[i] += 0.01f * ((float)sfnec_random_uniform(&random) - 0.5f);
  }
  free(centres);
  free(directions);
}

// No structure at all: every coordinate uniform and independent.
static void draw_uniform(uint64_t seed, size_t count, float *keys) {
  sfnec_random random = sfnec_random_start(seed, STREAM + 1);
  for (size_t i = 0; i < count * 32; i++) keys[i] = (float)sfnec_random_uniform(&random);
}

// Every key about a hundred times, so that the order of insertion decides most places in a list.
static void draw_duplicates(uint64_t seed, size_t count, float *keys) {
  enum { SIZE = 32, INTRINSIC = 4 };
  sfnec_random random = sfnec_random_start(seed, STREAM + 2);
  const size_t distinct = count / 100 + 1;
  float directions[INTRINSIC][SIZE];
  for (size_t j = 0; j < INTRINSIC; j++) {
    for (size_t i = 0; i < SIZE; i++) directions[j][i] = (float)sfnec_random_normal(&random);
  }
  float *originals = bench_alloc(distinct, SIZE * sizeof *originals);
  for (size_t n = 0; n < distinct; n++) {
    for (size_t j = 0; j < INTRINSIC; j++) {
      const float along = (float)sfnec_random_normal(&random);
      for (size_t i = 0; i < SIZE; i++) originals[n * SIZE + i] += along * directions[j][i];
    }
  }
  for (size_t n = 0; n < count; n++) {
    const size_t original = sfnec_random_below(&random, (uint32_t)distinct);
    memcpy(keys + n * SIZE, originals + original * SIZE, SIZE * sizeof *keys);
  }
  free(originals);
}

static const keyset keysets[] = {
    {"four_rooms", "the states of one walk, 113-d", WALKER_KEY, draw_four_rooms},
    {"mixture", "32 clusters of 10 intrinsic dimensions, 128-d", 128, draw_mixture},
    {"uniform", "no structure, 32-d", 32, draw_uniform},
    {"duplicates", "every key about a hundred times, 32-d", 32, draw_duplicates},
};

const keyset *keyset_at(size_t i) {
  return i < sizeof keysets / sizeof keysets[0] ? &keysets[i] : NULL;
}
