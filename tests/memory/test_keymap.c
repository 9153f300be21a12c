// test_keymap.c: the hash table against a plain list, with hashes that collide on purpose.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "memory/entries.h"
#include "sfnec/random.h"

enum { KEYS = 200 };

// slot i of the index holds the key (float)i; each gets a hash of our choice
static sfnec_index *make_index(void) {
  sfnec_index *index = NULL;
  uint32_t slot;
  assert_int_equal(sfnec_index_flat_create(&sfnec_simd_scalar, 1, &index), SFNEC_OK);
  for (uint32_t i = 0; i < KEYS; i++) {
    const float key = (float)i;
    assert_int_equal(index->ops->insert(index, &key, &slot), SFNEC_OK);
    assert_int_equal(slot, i);
  }
  return index;
}

// hashes within `spread` of the table's end make long runs that wrap around
static void run_random(uint64_t seed, uint32_t spread) {
  sfnec_random random = sfnec_random_start(seed, 1000);
  sfnec_index *index = make_index();
  sfnec_keymap map;
  sfnec_keymap_init(&map);
  uint32_t hashes[KEYS], count = 0;
  bool there[KEYS] = {false};
  for (uint32_t i = 0; i < KEYS; i++) hashes[i] = UINT32_MAX - 5 + sfnec_random_below(&random, spread);

  for (int step = 0; step < 3000; step++) {
    const uint32_t slot = sfnec_random_below(&random, KEYS);
    if (!there[slot]) {
      assert_int_equal(sfnec_keymap_reserve(&map, ++count), SFNEC_OK);
      sfnec_keymap_add(&map, hashes[slot], slot);
    } else {
      sfnec_keymap_remove(&map, hashes[slot], slot);
      count--;
    }
    there[slot] = !there[slot];
    for (uint32_t i = 0; i < KEYS; i++) {
      const float key = (float)i;
      assert_int_equal(sfnec_keymap_find(&map, index, &key, hashes[i]), there[i] ? i : SFNEC_NO_SLOT);
    }
  }
  sfnec_keymap_free(&map);
  sfnec_index_destroy(index);
}

static void random_against_list(void **state) {
  (void)state;
  run_random(1, 1);
  run_random(2, 12);
  run_random(3, 1000);
  run_random(4, UINT32_MAX);
}

static void bytes_decide(void **state) {
  (void)state;
  const float plus = 0.0f, minus = -0.0f;
  assert_int_not_equal(sfnec_keymap_hash(&plus, 1), sfnec_keymap_hash(&minus, 1));

  // even under one hash: -0 is not the 0 in slot 0
  sfnec_index *index = make_index();
  sfnec_keymap map;
  sfnec_keymap_init(&map);
  assert_int_equal(sfnec_keymap_find(&map, index, &plus, 7), SFNEC_NO_SLOT);
  assert_int_equal(sfnec_keymap_bytes(&map), 0);
  assert_int_equal(sfnec_keymap_reserve(&map, 1), SFNEC_OK);
  sfnec_keymap_add(&map, 7, 0);
  assert_int_equal(sfnec_keymap_find(&map, index, &plus, 7), 0);
  assert_int_equal(sfnec_keymap_find(&map, index, &minus, 7), SFNEC_NO_SLOT);
  sfnec_keymap_free(&map);
  sfnec_index_destroy(index);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_list),
      cmocka_unit_test(bytes_decide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
