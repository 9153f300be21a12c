// test_fast.c: the fast index against the flat scan: the same lists, to the bit, whatever the keys.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/fast_code.h"
#include "index/index.h"
#include "sfnec/agent.h"
#include "sfnec/env.h"
#include "sfnec/random.h"

// ---- kinds of keys ----

enum { UNIFORM, LOW_RANK, CLUSTERS, GRID, DENORMAL, HUGE_NOW_AND_THEN, OFF_CENTRE, MIXED_SCALES, SMALL_SQUARES, KINDS };

static float unit(sfnec_random *random) {
  return (float)sfnec_random_below(random, 1 << 24) / (float)(1 << 24) - 0.5f;
}

static void draw(sfnec_random *random, int kind, size_t size, float *key) {
  static const float grid[] = {0.0f, 1.0f, -1.0f, 0.5f};
  const float a = unit(random), b = unit(random), c = unit(random);
  const uint32_t cluster = sfnec_random_below(random, 7), rare = sfnec_random_below(random, 600);
  for (size_t i = 0; i < size; i++) {
    const float x = unit(random), place = (float)i;
    switch (kind) {
    case LOW_RANK:
      key[i] = a * sinf(place) + b * cosf(2 * place) + c * sinf(3 * place + 1) + 0.001f * x;
      break;
    case CLUSTERS:
      key[i] = 3 * sinf(place * (float)(cluster + 1)) + 0.05f * x;
      break;
    case GRID:
      key[i] = i < 3 ? grid[sfnec_random_below(random, 4)] : 0.25f;
      break;
    case DENORMAL:
      key[i] = x * 1e-40f;
      break;
    case HUGE_NOW_AND_THEN:
      key[i] = rare == 0 && i % 5 == 0 ? (x > 0 ? FLT_MAX : -FLT_MAX) : a * place + x;
      break;
    case OFF_CENTRE:
      key[i] = 1000.0f + a * cosf(place) + 0.01f * x;
      break;
    case MIXED_SCALES:
      key[i] = x * powf(10.0f, (float)cluster * 4 - 12);
      break;
    case SMALL_SQUARES:
      key[i] = x * 1e-21f;
      break;
    default:
      key[i] = x;
    }
  }
}

// ---- both kinds of index side by side ----

typedef struct pair {
  sfnec_index *flat, *fast;
  uint32_t *slots; // in use
  uint32_t count, most;
  sfnec_neighbour *from_flat, *from_fast; // (most + 10)
} pair;

static pair pair_create(const sfnec_kernel *kernel, size_t size, uint32_t most) {
  pair p = {.most = most};
  assert_int_equal(sfnec_index_create(SFNEC_INDEX_FLAT, kernel, size, &p.flat), SFNEC_OK);
  assert_int_equal(sfnec_index_create(SFNEC_INDEX_FAST, kernel, size, &p.fast), SFNEC_OK);
  p.slots = calloc(most, sizeof *p.slots);
  p.from_flat = calloc(most + 10, sizeof *p.from_flat);
  p.from_fast = calloc(most + 10, sizeof *p.from_fast);
  assert_true(p.slots && p.from_flat && p.from_fast);
  return p;
}

static void pair_destroy(pair *p) {
  sfnec_index_destroy(p->flat);
  sfnec_index_destroy(p->fast);
  free(p->slots);
  free(p->from_flat);
  free(p->from_fast);
}

static void pair_insert(pair *p, const float *key) {
  uint32_t expected, slot;
  assert_int_equal(p->flat->ops->insert(p->flat, key, &expected), SFNEC_OK);
  assert_int_equal(p->fast->ops->insert(p->fast, key, &slot), SFNEC_OK);
  assert_int_equal(slot, expected);
  p->slots[p->count++] = slot;
}

static void pair_remove(pair *p, uint32_t i) {
  p->flat->ops->remove(p->flat, p->slots[i]);
  p->fast->ops->remove(p->fast, p->slots[i]);
  p->slots[i] = p->slots[--p->count];
}

static void pair_compare(pair *p, const float *query, uint32_t k) {
  const uint32_t expected = p->flat->ops->search(p->flat, query, k, p->from_flat);
  const uint32_t found = p->fast->ops->search(p->fast, query, k, p->from_fast);
  assert_int_equal(p->fast->count, p->count);
  assert_int_equal(found, expected);
  assert_memory_equal(p->from_fast, p->from_flat, found * sizeof *p->from_flat);
  for (uint32_t i = 0; i < found; i++) {
    const uint32_t slot = p->from_fast[i].slot;
    assert_memory_equal(p->fast->ops->key(p->fast, slot), p->flat->ops->key(p->flat, slot),
                        p->flat->key_size * sizeof(float));
    assert_int_equal(p->fast->ops->order(p->fast, slot), p->flat->ops->order(p->flat, slot));
  }
}

// ---- tests ----

static const sfnec_kernel *best_kernel(void) {
  const sfnec_kernel *best = NULL;
  for (size_t l = 0; sfnec_kernel_at(l); l++) best = sfnec_kernel_at(l);
  return best;
}

// grows, shrinks and turns over; asks near keys that are there, at them, and elsewhere
static void run_random(const sfnec_kernel *kernel, uint64_t seed, int kind, size_t size, uint32_t most,
                       uint32_t steps) {
  sfnec_random random = sfnec_random_start(seed, 1000);
  float *key = calloc(size, sizeof *key);
  assert_non_null(key);
  pair p = pair_create(kernel, size, most);
  bool growing = true;
  for (uint32_t step = 0; step < steps; step++) {
    if (p.count == most) growing = false;
    if (p.count < most / 4) growing = true;
    draw(&random, kind, size, key);
    const bool in = sfnec_random_below(&random, 8) < (growing ? 7 : 3);
    if (in && p.count < most) pair_insert(&p, key);
    else if (p.count > 0) pair_remove(&p, sfnec_random_below(&random, p.count));
    if (step % 32 == 0) {
      draw(&random, kind, size, key);
      if (p.count > 0 && step % 64 == 0)
        memcpy(key, p.flat->ops->key(p.flat, p.slots[sfnec_random_below(&random, p.count)]), size * sizeof *key);
      if (step % 256 == 0) draw(&random, (int)sfnec_random_below(&random, KINDS), size, key);
      if (step % 128 == 0) key[0] += 0.01f;
      pair_compare(&p, key, step % 480 == 0 ? sfnec_random_below(&random, most + 10) : 1 + step / 32 % 20);
    }
  }
  pair_destroy(&p);
  free(key);
}

static void every_kind_of_key(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 113, 128, 600};
  for (size_t l = 0; sfnec_kernel_at(l); l++)
    for (int kind = 0; kind < KINDS; kind++)
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        run_random(sfnec_kernel_at(l), (uint64_t)kind * 100 + s, kind, sizes[s], 900, sizes[s] > 200 ? 2000 : 4000);
}

// large enough for several levels of the tree and several fits
static void large(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) run_random(best_kernel(), 7, kind, 40, 12000, 40000);
}

// all keys equal: nothing can be split by value, and insertion order decides everything
static void equal_keys(void **state) {
  (void)state;
  pair p = pair_create(&sfnec_kernel_scalar, 20, 3000);
  float key[20];
  for (int i = 0; i < 20; i++) key[i] = (float)i;
  for (int i = 0; i < 3000; i++) pair_insert(&p, key);
  pair_compare(&p, key, 20);
  for (uint32_t i = 0; i < 2000; i++) pair_remove(&p, (i * 7919) % p.count);
  pair_compare(&p, key, 50);
  key[3] += 1.0f;
  pair_compare(&p, key, 20);
  while (p.count > 0) pair_remove(&p, p.count / 2);
  pair_compare(&p, key, 5);
  for (int i = 0; i < 500; i++) pair_insert(&p, key);
  pair_compare(&p, key, 20);
  pair_destroy(&p);
}

// many keys at exactly the k-th distance: the ones inserted first must be found, wherever the tree put them
static void ties_at_the_limit(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(5, 1000);
  pair p = pair_create(&sfnec_kernel_scalar, 30, 2000);
  float key[30], zero[30] = {0};
  for (int i = 0; i < 2000; i++) {
    // corners of a cross: all at distance 1 or 2
    memset(key, 0, sizeof key);
    key[sfnec_random_below(&random, 30)] = sfnec_random_below(&random, 2) ? 1.0f : -1.0f;
    if (i % 3 == 0) key[sfnec_random_below(&random, 30)] = 1.0f;
    pair_insert(&p, key);
    if (i % 50 == 49) {
      pair_compare(&p, zero, 20);
      pair_compare(&p, key, 20);
      pair_remove(&p, sfnec_random_below(&random, p.count));
    }
  }
  pair_destroy(&p);
}

// what an agent does: one memory per action, asked at every step; what is new goes in, at capacity the oldest goes out
static void four_rooms_walk(void **state) {
  (void)state;
  enum { ACTIONS = 4, CAPACITY = 1500, STEPS = 24000 };
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 3, &env), SFNEC_OK);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  assert_int_equal(shape.action_count, ACTIONS);
  float *seen = calloc((size_t)shape.observation_size, sizeof *seen);
  double *features = calloc((size_t)shape.feature_count, sizeof *features);
  assert_true(seen && features);
  pair memories[ACTIONS];
  for (int a = 0; a < ACTIONS; a++)
    memories[a] = pair_create(best_kernel(), (size_t)shape.observation_size, CAPACITY + 1);

  sfnec_random random = sfnec_random_start(3, 1000);
  int32_t heading = 0;
  assert_int_equal(sfnec_env_reset(env, seen), SFNEC_OK);
  for (int step = 0; step < STEPS; step++) {
    if (step % 4 == 0)
      for (int a = 0; a < ACTIONS; a++) pair_compare(&memories[a], seen, 20);
    if (sfnec_random_below(&random, 6) == 0) heading = (int32_t)sfnec_random_below(&random, ACTIONS);
    pair *p = &memories[heading];
    pair_insert(p, seen);
    if (p->count > CAPACITY) pair_remove(p, sfnec_random_below(&random, 200));
    sfnec_env_outcome outcome;
    assert_int_equal(sfnec_env_step(env, heading, seen, features, &outcome), SFNEC_OK);
    if (outcome.terminated || outcome.truncated) assert_int_equal(sfnec_env_reset(env, seen), SFNEC_OK);
  }

  for (int a = 0; a < ACTIONS; a++) pair_destroy(&memories[a]);
  free(seen);
  free(features);
  sfnec_env_destroy(env);
}

// the proof's inequality itself, checked on the numbers: no code is farther away than its key allows
static void codes_never_exaggerate(void **state) {
  (void)state;
  enum { COUNT = 200, SIZE = 113, PADDED = 128 };
  for (int kind = 0; kind < KINDS; kind++) {
    sfnec_random random = sfnec_random_start(11, (uint32_t)kind);
    float(*keys)[PADDED] = calloc(COUNT, sizeof *keys), *sample = calloc(COUNT * PADDED, sizeof *sample);
    float(*codes)[SFNEC_CODE_SIZE] = calloc(COUNT, sizeof *codes);
    assert_true(keys && sample && codes);
    for (int i = 0; i < COUNT; i++) {
      do draw(&random, kind, SIZE, keys[i]);
      while (fabsf(keys[i][0]) > 1e30f);
    }
    memcpy(sample, keys, COUNT * sizeof *keys);
    sfnec_coder coder;
    assert_true(sfnec_coder_init(&coder, &sfnec_kernel_scalar, SIZE));
    assert_true(sfnec_coder_fit(&coder, sample, COUNT, NULL));
    for (int i = 0; i < COUNT; i++) assert_true(sfnec_coder_encode(&coder, keys[i], codes[i]));
    for (int i = 0; i < COUNT; i++) {
      for (int j = 0; j < i; j++) {
        float exact, short_one = 0.0f;
        sfnec_kernel_scalar.squared_distances(keys[i], keys[j], SIZE, 1, SIZE, &exact);
        for (int d = 0; d < SFNEC_CODE_SIZE; d++)
          short_one = fmaf(codes[j][d] - codes[i][d], codes[j][d] - codes[i][d], short_one);
        const double reach = sfnec_code_reach(codes[i]) + sfnec_code_reach(codes[j]);
        assert_true(short_one <= sfnec_coder_limit(&coder, exact, reach));
      }
    }
    sfnec_coder_free(&coder);
    free(keys);
    free(sample);
    free(codes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_never_exaggerate), cmocka_unit_test(equal_keys), cmocka_unit_test(ties_at_the_limit),
      cmocka_unit_test(every_kind_of_key),      cmocka_unit_test(large),      cmocka_unit_test(four_rooms_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
