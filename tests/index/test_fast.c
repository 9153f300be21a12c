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

#include "index/fast/fast.h"
#include "index/index.h"
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
    const float x = unit(random), position = (float)i;
    switch (kind) {
    case LOW_RANK:
      key[i] = a * sinf(position) + b * cosf(2 * position) + c * sinf(3 * position + 1) + 0.001f * x;
      break;
    case CLUSTERS:
      key[i] = 3 * sinf(position * (float)(cluster + 1)) + 0.05f * x;
      break;
    case GRID:
      key[i] = i < 3 ? grid[sfnec_random_below(random, 4)] : 0.25f;
      break;
    case DENORMAL:
      key[i] = x * 1e-40f;
      break;
    case HUGE_NOW_AND_THEN:
      key[i] = rare == 0 && i % 5 == 0 ? (x > 0 ? FLT_MAX : -FLT_MAX) : a * position + x;
      break;
    case OFF_CENTRE:
      key[i] = 1000.0f + a * cosf(position) + 0.01f * x;
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
  float *values;   // (most), by slot
  float *bounds;   // by position
  uint32_t count, most;
  sfnec_neighbour *from_flat, *from_fast; // (most + 10)
  uint32_t asked, pruned;                 // lists that had to reach a floor
} pair;

// of all searches here
static sfnec_index_scratch *scratch;

static pair pair_create(const sfnec_simd *simd, size_t size, uint32_t most, sfnec_codebook *codebook) {
  pair p = {.most = most};
  if (!scratch) scratch = sfnec_index_scratch_create();
  assert_non_null(scratch);
  assert_int_equal(sfnec_index_create(SFNEC_INDEX_KIND_FLAT, simd, size, &p.flat), SFNEC_OK);
  assert_int_equal(sfnec_index_create(SFNEC_INDEX_KIND_FAST, simd, size, &p.fast), SFNEC_OK);
  if (codebook) p.fast->ops->join(p.fast, codebook);
  p.slots = calloc(most, sizeof *p.slots);
  p.values = calloc(most, sizeof *p.values);
  p.from_flat = calloc(most + 10, sizeof *p.from_flat);
  p.from_fast = calloc(most + 10, sizeof *p.from_fast);
  assert_true(p.slots && p.values && p.from_flat && p.from_fast);
  return p;
}

static void pair_destroy(pair *p) {
  sfnec_index_destroy(p->flat);
  sfnec_index_destroy(p->fast);
  free(p->slots);
  free(p->values);
  free(p->bounds);
  free(p->from_flat);
  free(p->from_fast);
}

static void pair_insert(pair *p, const float *key) {
  uint32_t expected, slot;
  assert_int_equal(p->flat->ops->insert(p->flat, key, &expected), SFNEC_OK);
  assert_int_equal(p->fast->ops->insert(p->fast, key, &slot), SFNEC_OK);
  assert_int_equal(slot, expected);
  p->slots[p->count++] = slot;
  p->values[slot] = INFINITY;
}

static void pair_remove(pair *p, uint32_t i) {
  p->flat->ops->remove(p->flat, p->slots[i]);
  p->fast->ops->remove(p->fast, p->slots[i]);
  p->slots[i] = p->slots[--p->count];
}

static void pair_replace(pair *p, uint32_t i, const float *key) {
  assert_int_equal(p->flat->ops->replace(p->flat, p->slots[i], key), SFNEC_OK);
  assert_int_equal(p->fast->ops->replace(p->fast, p->slots[i], key), SFNEC_OK);
  p->values[p->slots[i]] = INFINITY;
}

static void pair_value(pair *p, uint32_t i, float value) {
  p->values[p->slots[i]] = value;
}

// The bounds of the values, at the positions of the keys; no two keys share one.
static void pair_bounds(pair *p) {
  const uint32_t positions = p->fast->ops->positions(p->fast);
  float *bounds = realloc(p->bounds, (positions + 1) * sizeof *bounds);
  assert_non_null(bounds);
  p->bounds = bounds;
  for (uint32_t i = 0; i < positions; i++) bounds[i] = NAN;
  for (uint32_t i = 0; i < p->count; i++) {
    const uint32_t position = p->fast->ops->position(p->fast, p->slots[i]);
    if (position == SFNEC_NOWHERE) continue;
    assert_true(position < positions && isnan(bounds[position]));
    bounds[position] = p->values[p->slots[i]];
  }
}

// a list is pruned only if the weighted mean of its values is below the floor; otherwise it is the right one
static void pair_prune(pair *p, const float *query, uint32_t k) {
  const uint32_t expected = p->flat->ops->search(p->flat, NULL, query, k, p->from_flat);
  static const double deltas[] = {1e-3, 10.0}, gaps[] = {-0.1, -1e-6, 0.0, 1e-6, 0.01, 0.2};
  const sfnec_weighting weighting = {SFNEC_WEIGHT_INVERSE_SQUARED, deltas[p->asked % 2]};
  double sum = 0.0, weights = 0.0;
  for (uint32_t i = 0; i < expected; i++) {
    const double share = sfnec_weight(weighting, p->from_flat[i].squared);
    weights += share;
    sum += share * (double)p->values[p->from_flat[i].slot];
  }
  const double nearest = expected ? fmin(1.0, sqrt((double)p->from_flat[0].squared)) : 1.0;
  pair_bounds(p);
  for (int i = 0; i < 3; i++) {
    const double penalty = p->asked % 5 ? 0.0 : 0.3, mean = sum / weights - penalty * nearest;
    const sfnec_pruning pruning = {(float)(mean + gaps[p->asked++ % 6]), penalty, weighting, p->bounds};
    const uint32_t found = p->fast->ops->search_pruned(p->fast, scratch, query, k, &pruning, p->from_fast);
    if (found == SFNEC_PRUNED) {
      p->pruned++;
      assert_true(mean < (double)pruning.floor);
    } else {
      assert_int_equal(found, expected);
      assert_memory_equal(p->from_fast, p->from_flat, found * sizeof *p->from_flat);
    }
  }
}

static void pair_compare(pair *p, const float *query, uint32_t k) {
  if (k > 0) pair_prune(p, query, k);
  const uint32_t expected = p->flat->ops->search(p->flat, NULL, query, k, p->from_flat);
  const uint32_t found = p->fast->ops->search(p->fast, scratch, query, k, p->from_fast);
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

static const sfnec_simd *best_level(void) {
  const sfnec_simd *best = NULL;
  for (size_t l = 0; sfnec_simd_at(l); l++) best = sfnec_simd_at(l);
  return best;
}

// Replaces a key by one nearby, which stays in its leaf or not, by itself, or by one from anywhere.
static void replace_one(pair *p, sfnec_random *random, int kind, float *key) {
  const uint32_t i = sfnec_random_below(random, p->count), how = sfnec_random_below(random, 8);
  const size_t size = p->flat->key_size;
  draw(random, kind, size, key);
  const float *old = p->flat->ops->key(p->flat, p->slots[i]);
  const float step = how == 0 ? 0.0f : how < 4 ? 1e-3f : 0.1f;
  for (size_t j = 0; how < 7 && j < size; j++) key[j] = old[j] + step * (key[j] - old[j]);
  pair_replace(p, i, key);
}

// grows, shrinks and turns over; asks near keys that are there, at them, and elsewhere
static void run_random(const sfnec_simd *simd, uint64_t seed, int kind, size_t size, uint32_t most, uint32_t steps,
                       sfnec_codebook *codebook) {
  sfnec_random random = sfnec_random_start(seed, 1000);
  float *key = calloc(size, sizeof *key);
  assert_non_null(key);
  pair p = pair_create(simd, size, most, codebook);
  bool growing = true;
  for (uint32_t step = 0; step < steps; step++) {
    if (p.count == most) growing = false;
    if (p.count < most / 4) growing = true;
    draw(&random, kind, size, key);
    const bool in = sfnec_random_below(&random, 8) < (growing ? 7 : 3);
    if (in && p.count < most) pair_insert(&p, key);
    else if (p.count > 0) pair_remove(&p, sfnec_random_below(&random, p.count));
    if (p.count > 0 && step % 3 == 0) replace_one(&p, &random, kind, key);
    // values that change here and there, and now and then all of them
    if (p.count > 0) pair_value(&p, sfnec_random_below(&random, p.count), unit(&random));
    for (uint32_t i = 0; step % 1000 == 500 && i < p.count; i++) pair_value(&p, i, unit(&random));
    if (sfnec_random_below(&random, 900) == 0) p.fast->ops->freeze(p.fast);
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
  static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 32, 113, 128, 600};
  for (size_t l = 0; sfnec_simd_at(l); l++)
    for (int kind = 0; kind < KINDS; kind++)
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        run_random(sfnec_simd_at(l), (uint64_t)kind * 100 + s, kind, sizes[s], 900, sizes[s] > 200 ? 1500 : 2500, NULL);
}

// large enough for several levels of the tree and several fits
static void large(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++) run_random(best_level(), 7, kind, 40, 12000, 25000, NULL);
}

// indexes that share their coders, for keys of one kind and of many
static void shared_codebook(void **state) {
  (void)state;
  sfnec_codebook *codebook = sfnec_codebook_create();
  assert_non_null(codebook);
  for (int member = 0; member < 6; member++)
    run_random(best_level(), (uint64_t)member, LOW_RANK, 50, 1500, 6000, codebook);
  for (int kind = 0; kind < KINDS; kind++) run_random(best_level(), 9, kind, 50, 1500, 6000, codebook);
  sfnec_codebook_destroy(codebook);
}

// all keys equal: nothing can be split by value, and insertion order decides everything
static void equal_keys(void **state) {
  (void)state;
  pair p = pair_create(&sfnec_simd_scalar, 20, 3000, NULL);
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
  pair p = pair_create(&sfnec_simd_scalar, 30, 2000, NULL);
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

// a box is never farther away than a code inside: with the least distance as limit, a walk still finds that code
static void boxes_hold_their_codes(void **state) {
  (void)state;
  enum { COUNT = 3000, QUERIES = 500, VARIED = 3 };
  sfnec_random random = sfnec_random_start(17, 1000);
  sfnec_forest forest;
  static int16_t codes[COUNT][SFNEC_CODE_SIZE];
  sfnec_forest_init(&forest, &sfnec_simd_scalar);
  for (uint32_t i = 0; i < COUNT; i++) {
    for (int d = 0; d < VARIED; d++) codes[i][d] = (int16_t)sfnec_random_below(&random, 4081);
    assert_true(sfnec_forest_reserve(&forest, i + 1));
    sfnec_forest_insert(&forest, 0, codes[i], i);
  }
  sfnec_queue queue = {.items = calloc(forest.leaf_capacity + forest.node_capacity, sizeof *queue.items)};
  assert_non_null(queue.items);
  for (int queries = 0; queries < QUERIES; queries++) {
    sfnec_coded_query query = {.usable = true};
    for (int d = 0; d < VARIED; d++) {
      query.code[d] = (int16_t)sfnec_random_below(&random, 4081);
      query.floors[d] = (uint8_t)(query.code[d] / 16);
      query.ceils[d] = (uint8_t)((query.code[d] + 15) / 16);
    }
    uint32_t nearest = UINT32_MAX, found = UINT32_MAX;
    for (int i = 0; i < COUNT; i++) {
      uint32_t distance = 0;
      for (int d = 0; d < VARIED; d++)
        distance += (uint32_t)((query.code[d] - codes[i][d]) * (query.code[d] - codes[i][d]));
      nearest = distance < nearest ? distance : nearest;
    }
    sfnec_queue_start(&queue, &forest, 0);
    for (const sfnec_tree_leaf *leaf; (leaf = sfnec_queue_next(&queue, &forest, &query, nearest));) {
      uint32_t distances[SFNEC_SIMD_POINTS];
      sfnec_simd_scalar.code_distances(query.code, &leaf->codes[0][0][0], nearest, distances);
      for (uint32_t i = 0; i < leaf->count; i++) found = distances[i] < found ? distances[i] : found;
    }
    assert_int_equal(found, nearest);
  }
  free(queue.items);
  sfnec_forest_free(&forest);
}

// keys so near to each other that what the directions leave over decides: the walk has to look at keys on the way
static void near_keys(void **state) {
  (void)state;
  enum { SIZE = 60, COUNT = 8000 };
  sfnec_random random = sfnec_random_start(13, 1000);
  pair p = pair_create(best_level(), SIZE, COUNT, NULL);
  float key[SIZE];
  for (int i = 0; i < COUNT + 200; i++) {
    for (int j = 0; j < SIZE; j++) key[j] = (j < 2 ? 1.0f : 0.01f) * unit(&random);
    if (i < COUNT) pair_insert(&p, key);
    else pair_compare(&p, key, 20);
    if (i == COUNT + 100) p.fast->ops->freeze(p.fast);
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
  sfnec_codebook *codebook = sfnec_codebook_create();
  assert_non_null(codebook);
  pair memories[ACTIONS];
  for (int a = 0; a < ACTIONS; a++)
    memories[a] = pair_create(best_level(), (size_t)shape.observation_size, CAPACITY + 1, codebook);

  sfnec_random random = sfnec_random_start(3, 1000);
  int32_t heading = 0;
  assert_int_equal(sfnec_env_reset(env, seen), SFNEC_OK);
  for (int step = 0; step < STEPS; step++) {
    if (step % 4 == 0)
      for (int a = 0; a < ACTIONS; a++) pair_compare(&memories[a], seen, 20);
    if (sfnec_random_below(&random, 6) == 0) heading = (int32_t)sfnec_random_below(&random, ACTIONS);
    pair *p = &memories[heading];
    pair_insert(p, seen);
    pair_value(p, p->count - 1, unit(&random));
    if (p->count > CAPACITY) pair_remove(p, sfnec_random_below(&random, 200));
    if (step % 9000 == 8999) memories[step / 9000].fast->ops->freeze(memories[step / 9000].fast);
    sfnec_env_outcome outcome;
    assert_int_equal(sfnec_env_step(env, heading, seen, features, &outcome), SFNEC_OK);
    if (outcome.terminated || outcome.truncated) assert_int_equal(sfnec_env_reset(env, seen), SFNEC_OK);
  }

  // the bounds are of use: many of the floors above the mean prune the list once values are set
  uint32_t asked = 0, pruned = 0;
  for (int a = 0; a < ACTIONS; a++) {
    asked += memories[a].asked;
    pruned += memories[a].pruned;
    pair_destroy(&memories[a]);
  }
  assert_true(pruned > asked / 20);
  free(seen);
  free(features);
  sfnec_codebook_destroy(codebook);
  sfnec_env_destroy(env);
}

// the proof's inequalities themselves, checked on the numbers: no code is farther away than its key allows, nor nearer
static void codes_tell_the_truth(void **state) {
  (void)state;
  enum { COUNT = 200, SIZE = 113 };
  for (int kind = 0; kind < KINDS; kind++) {
    sfnec_random random = sfnec_random_start(11, (uint32_t)kind);
    float(*keys)[SIZE] = calloc(COUNT, sizeof *keys);
    sfnec_fit *fit = sfnec_fit_create(NULL, &sfnec_simd_scalar, SIZE, COUNT);
    assert_true(keys && fit);
    for (int i = 0; i < COUNT; i++) {
      do draw(&random, kind, SIZE, keys[i]);
      while (fabsf(keys[i][0]) > 1e30f);
      sfnec_fit_add(fit, keys[i]);
    }
    while (!sfnec_fit_work(fit, 1)) {
    }
    sfnec_coder *coder = sfnec_fit_take(fit);
    sfnec_fit_destroy(fit);
    assert_non_null(coder);
    int told = 0;
    float residual[128] = {0};
    for (int i = 0; i < COUNT; i++) {
      sfnec_coded_query query;
      sfnec_coder_encode_query(coder, keys[i], residual, &query);
      assert_true(query.usable);
      for (int j = 0; j < COUNT; j++) {
        float exact;
        double error;
        int16_t code[SFNEC_CODE_SIZE];
        // numbers so small that their squares vanish are not worth a code
        if (!sfnec_coder_encode(coder, keys[j], residual, code, &error)) continue;
        told++;
        sfnec_simd_scalar.squared_distances(keys[i], keys[j], SIZE, 1, SIZE, &exact);
        uint32_t distance = 0;
        for (int d = 0; d < SFNEC_CODE_SIZE; d++)
          distance += (uint32_t)((query.code[d] - code[d]) * (query.code[d] - code[d]));
        const float surplus = sfnec_residual_surplus(&query, code[SFNEC_CODE_DIRECTIONS], (float)(error * (1 + 1e-6)));
        error += query.error;
        assert_true(distance <= sfnec_coder_limit(coder, exact, error));
        assert_true(exact <= sfnec_coder_upper(coder, (float)distance + surplus, error));
        assert_true(exact >= sfnec_coder_lower(coder, distance, error));
      }
    }
    assert_true(told == COUNT * COUNT || kind == DENORMAL || kind == SMALL_SQUARES);
    sfnec_coder_release(coder);
    free(keys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_tell_the_truth), cmocka_unit_test(equal_keys), cmocka_unit_test(ties_at_the_limit),
      cmocka_unit_test(every_kind_of_key),    cmocka_unit_test(large),      cmocka_unit_test(shared_codebook),
      cmocka_unit_test(four_rooms_walk),      cmocka_unit_test(near_keys),  cmocka_unit_test(boxes_hold_their_codes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
