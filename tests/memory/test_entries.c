// test_entries.c: how entries are found and ordered: the hash table against a plain list, with hashes that collide on
// purpose, and the list of slots by use, by hand and against an array that is shifted.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory/entries.h"
#include "sfnec/random.h"

// ---- from the bytes of a key to its slot ----

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

// ---- slots in order ----

enum { SLOTS = 20 };

// the list reads `expected` from the oldest on, and the same from the newest back
static void assert_list(const sfnec_recency *list, const uint32_t *expected, uint32_t count) {
  uint32_t i = 0;
  for (uint32_t slot = list->oldest; slot != SFNEC_NO_SLOT; slot = list->links[slot].newer) {
    assert_true(i < count);
    assert_int_equal(slot, expected[i++]);
  }
  assert_int_equal(i, count);
  for (uint32_t slot = list->newest; slot != SFNEC_NO_SLOT; slot = list->links[slot].older) {
    assert_true(i > 0);
    assert_int_equal(slot, expected[--i]);
  }
  assert_int_equal(i, 0);
}

static void by_hand(void **state) {
  (void)state;
  sfnec_recency list;
  sfnec_recency_init(&list);
  assert_list(&list, NULL, 0);
  assert_int_equal(sfnec_recency_reserve(&list, 2), SFNEC_OK);
  sfnec_recency_add(&list, 1);
  sfnec_recency_add(&list, 0);
  assert_int_equal(sfnec_recency_reserve(&list, 3), SFNEC_OK);
  sfnec_recency_add(&list, 2);
  assert_list(&list, (uint32_t[]){1, 0, 2}, 3);
  sfnec_recency_touch(&list, 2);
  assert_list(&list, (uint32_t[]){1, 0, 2}, 3);
  sfnec_recency_touch(&list, 1);
  assert_list(&list, (uint32_t[]){0, 2, 1}, 3);
  sfnec_recency_remove(&list, 2);
  assert_list(&list, (uint32_t[]){0, 1}, 2);
  sfnec_recency_remove(&list, 0);
  sfnec_recency_remove(&list, 1);
  assert_list(&list, NULL, 0);
  sfnec_recency_free(&list);
}

static void random_against_array(void **state) {
  (void)state;
  sfnec_random random = sfnec_random_start(1, 1000);
  sfnec_recency list;
  sfnec_recency_init(&list);
  assert_int_equal(sfnec_recency_reserve(&list, SLOTS), SFNEC_OK);
  uint32_t array[SLOTS + 1] = {0}, count = 0;
  for (int step = 0; step < 5000; step++) {
    const uint32_t slot = sfnec_random_below(&random, SLOTS);
    uint32_t at = 0;
    while (at < count && array[at] != slot) at++;
    if (at == count) {
      sfnec_recency_add(&list, slot);
      array[count++] = slot;
    } else {
      memmove(array + at, array + at + 1, (count - at - 1) * sizeof *array);
      if (sfnec_random_below(&random, 2)) {
        sfnec_recency_remove(&list, slot);
        count--;
      } else {
        sfnec_recency_touch(&list, slot);
        array[count - 1] = slot;
      }
    }
    assert_list(&list, array, count);
  }
  sfnec_recency_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_list),
      cmocka_unit_test(bytes_decide),
      cmocka_unit_test(by_hand),
      cmocka_unit_test(random_against_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
