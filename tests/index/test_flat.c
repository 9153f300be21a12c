// test_flat.c: the flat scan against a list that is sorted again for each question.
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

#include "index/index.h"
#include "sfnec/random.h"

enum { KEY = 3, MOST = 700 };

// ---- the oracle: a list of what is in the index ----

typedef struct entry {
  float key[KEY];
  uint32_t slot;
  uint64_t order;
  float squared;
} entry;

typedef struct oracle {
  entry entries[MOST];
  uint32_t count, peak;
  uint64_t inserted;
} oracle;

static int nearer(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->squared != y->squared) return x->squared < y->squared ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

static void oracle_sort(oracle *o, const float *query) {
  for (uint32_t i = 0; i < o->count; i++)
    sfnec_simd_scalar.squared_distances(query, o->entries[i].key, KEY, 1, KEY, &o->entries[i].squared);
  qsort(o->entries, o->count, sizeof *o->entries, nearer);
}

static uint32_t oracle_least_free_slot(const oracle *o) {
  for (uint32_t slot = 0;; slot++) {
    bool taken = false;
    for (uint32_t i = 0; i < o->count; i++) taken |= o->entries[i].slot == slot;
    if (!taken) return slot;
  }
}

static void insert(sfnec_index *index, oracle *o, const float *key) {
  uint32_t slot;
  const uint32_t expected = oracle_least_free_slot(o);
  assert_int_equal(index->ops->insert(index, key, &slot), SFNEC_OK);
  assert_int_equal(slot, expected);
  entry *e = &o->entries[o->count++];
  *e = (entry){.slot = slot, .order = o->inserted++};
  memcpy(e->key, key, sizeof e->key);
  if (o->count > o->peak) o->peak = o->count;
  assert_true(slot < o->peak);
}

static void remove_one(sfnec_index *index, oracle *o, uint32_t i) {
  index->ops->remove(index, o->entries[i].slot);
  o->entries[i] = o->entries[--o->count];
}

static void replace_one(sfnec_index *index, oracle *o, uint32_t i, const float *key) {
  assert_int_equal(index->ops->replace(index, o->entries[i].slot, key), SFNEC_OK);
  o->entries[i].order = o->inserted++;
  memcpy(o->entries[i].key, key, sizeof o->entries[i].key);
}

static void compare(const sfnec_index *index, oracle *o, const float *query, uint32_t k) {
  sfnec_neighbour found[MOST + 10];
  oracle_sort(o, query);
  const uint32_t count = index->ops->search(index, NULL, query, k, found);
  assert_int_equal(count, k < o->count ? k : o->count);
  assert_int_equal(index->count, o->count);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(found[i].slot, o->entries[i].slot);
    assert_memory_equal(&found[i].squared, &o->entries[i].squared, sizeof(float));
    assert_memory_equal(index->ops->key(index, found[i].slot), o->entries[i].key, sizeof o->entries[i].key);
    // orders may be numbered in any way that grows
    if (i > 0 && found[i].squared == found[i - 1].squared)
      assert_true(index->ops->order(index, found[i].slot) > index->ops->order(index, found[i - 1].slot));
  }
}

// ---- tests ----

// few different coordinates, so that ties and equal keys are the rule; `huge` adds distances that overflow
static void draw(sfnec_random *random, bool huge, float *key) {
  static const float coordinates[] = {0.0f, 1.0f, -1.0f, 0.5f};
  for (int j = 0; j < KEY; j++) key[j] = coordinates[sfnec_random_below(random, 4)];
  if (huge && sfnec_random_below(random, 2)) key[0] = sfnec_random_below(random, 2) ? FLT_MAX : -FLT_MAX;
}

static void run_random(const sfnec_simd *simd, uint64_t seed, uint32_t target, bool huge) {
  sfnec_random random = sfnec_random_start(seed, 1000);
  oracle *o = calloc(1, sizeof *o);
  sfnec_index *index = NULL;
  assert_non_null(o);
  assert_int_equal(sfnec_index_create(SFNEC_INDEX_KIND_FLAT, simd, KEY, &index), SFNEC_OK);
  for (int step = 0; step < 4000; step++) {
    float key[KEY];
    draw(&random, huge, key);
    // wanders around the target size, below and above one block of the scan
    if (o->count < MOST && sfnec_random_below(&random, 2 * target) >= o->count) insert(index, o, key);
    else if (o->count > 0) remove_one(index, o, sfnec_random_below(&random, o->count));
    if (o->count > 0 && step % 5 == 0) {
      draw(&random, huge, key);
      replace_one(index, o, sfnec_random_below(&random, o->count), key);
    }
    if (step % 16 == 0) {
      draw(&random, huge, key);
      compare(index, o, key, sfnec_random_below(&random, 2) ? 20 : sfnec_random_below(&random, MOST + 10));
    }
  }
  sfnec_index_destroy(index);
  free(o);
}

static void random_against_oracle(void **state) {
  (void)state;
  for (size_t l = 0; sfnec_simd_at(l); l++) {
    run_random(sfnec_simd_at(l), 1, 5, false);
    run_random(sfnec_simd_at(l), 2, 40, true);
    run_random(sfnec_simd_at(l), 3, 300, false);
    run_random(sfnec_simd_at(l), 4, 300, true);
  }
}

static void by_hand(void **state) {
  (void)state;
  sfnec_index *index = NULL;
  assert_int_equal(sfnec_index_flat_create(&sfnec_simd_scalar, 1, &index), SFNEC_OK);
  sfnec_neighbour found[4];
  const float zero = 0.0f;
  assert_int_equal(index->ops->search(index, NULL, &zero, 3, found), 0);

  const float keys[] = {3.0f, -1.0f, 1.0f, 2.0f};
  uint32_t slot;
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(index->ops->insert(index, &keys[i], &slot), SFNEC_OK);
    assert_int_equal(slot, i);
  }
  assert_int_equal(index->ops->search(index, NULL, &zero, 0, found), 0);
  assert_int_equal(index->ops->search(index, NULL, &zero, 3, found), 3);
  assert_int_equal(found[0].slot, 1); // as near as slot 2, but inserted first
  assert_int_equal(found[1].slot, 2);
  assert_int_equal(found[2].slot, 3);
  assert_true(found[0].squared == 1.0f && found[1].squared == 1.0f && found[2].squared == 4.0f);

  // -1 again, in its old slot: now it is the younger of the two
  index->ops->remove(index, 1);
  assert_int_equal(index->ops->search(index, NULL, &zero, 4, found), 3);
  assert_int_equal(index->ops->insert(index, &keys[1], &slot), SFNEC_OK);
  assert_int_equal(slot, 1);
  assert_int_equal(index->ops->search(index, NULL, &zero, 1, found), 1);
  assert_int_equal(found[0].slot, 2);
  sfnec_index_destroy(index);
}

// distances that overflow are still neighbours, in the order of insertion, behind the finite ones
static void overflow(void **state) {
  (void)state;
  sfnec_index *index = NULL;
  assert_int_equal(sfnec_index_flat_create(&sfnec_simd_scalar, 1, &index), SFNEC_OK);
  const float keys[] = {FLT_MAX, -FLT_MAX, 5.0f}, zero = 0.0f;
  uint32_t slot;
  for (int i = 0; i < 3; i++) assert_int_equal(index->ops->insert(index, &keys[i], &slot), SFNEC_OK);
  sfnec_neighbour found[3];
  assert_int_equal(index->ops->search(index, NULL, &zero, 3, found), 3);
  assert_int_equal(found[0].slot, 2);
  assert_int_equal(found[1].slot, 0);
  assert_int_equal(found[2].slot, 1);
  assert_true(isinf(found[1].squared));
  sfnec_index_destroy(index);
}

static void unknown_kind(void **state) {
  (void)state;
  sfnec_index *index = NULL;
  assert_int_equal(sfnec_index_create(77, &sfnec_simd_scalar, 1, &index), SFNEC_ERROR_ARGUMENT);
  assert_null(index);
  sfnec_index_destroy(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),
      cmocka_unit_test(overflow),
      cmocka_unit_test(random_against_oracle),
      cmocka_unit_test(unknown_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
