// test_recency.c: the list of slots by use, by hand and against an array that is shifted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory/entries.h"
#include "sfnec/random.h"

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
      cmocka_unit_test(by_hand),
      cmocka_unit_test(random_against_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
