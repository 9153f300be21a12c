// test_arena.c: memory that lives and dies together: alignment, zeroes, growth, texts, refusals.
#include "support/check.h"

#include <stdalign.h>

#include "base/arena.h"

static void test_blocks(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  // across several blocks, and one piece larger than a block
  unsigned char *pieces[200];
  for (size_t i = 0; i < 200; i++) {
    const size_t size = i == 100 ? 100000 : 1 + i * 7;
    pieces[i] = sfnec_arena_alloc(arena, size, 1);
    assert_non_null(pieces[i]);
    assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
    for (size_t j = 0; j < size; j++) assert_int_equal(pieces[i][j], 0);
    memset(pieces[i], (int)i, size);
  }
  for (size_t i = 0; i < 200; i++) {
    const size_t size = i == 100 ? 100000 : 1 + i * 7;
    for (size_t j = 0; j < size; j++) assert_int_equal(pieces[i][j], i % 256);
  }
  assert_non_null(sfnec_arena_alloc(arena, 0, 8));
  sfnec_arena_destroy(arena);
  sfnec_arena_destroy(NULL);
}

static void test_too_much(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  assert_null(sfnec_arena_alloc(arena, SIZE_MAX, 2));
  assert_null(sfnec_arena_alloc(arena, SIZE_MAX / 8, 8));
  assert_non_null(sfnec_arena_alloc(arena, 1, 1));
  sfnec_arena_destroy(arena);
}

static void test_grow(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  int64_t *numbers = NULL;
  for (size_t i = 0; i < 1000; i++) {
    numbers = sfnec_arena_grow(arena, numbers, i, sizeof *numbers);
    assert_non_null(numbers);
    assert_int_equal(numbers[i], 0);
    numbers[i] = (int64_t)i * 3 + 1;
  }
  for (size_t i = 0; i < 1000; i++) assert_int_equal(numbers[i], i * 3 + 1);
  sfnec_arena_destroy(arena);
}

static void test_texts(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  char text[] = "abc";
  char *copy = sfnec_arena_copy(arena, text);
  text[0] = 'x';
  assert_string_equal(copy, "abc");
  assert_string_equal(sfnec_arena_copy(arena, ""), "");
  assert_string_equal(sfnec_arena_print(arena, "%s-%d", "seed", 7), "seed-7");
  assert_int_equal(strlen(sfnec_arena_print(arena, "%40000d", 1)), 40000);
  assert_string_equal(copy, "abc");
  sfnec_arena_destroy(arena);
}

// What is written piece by piece stands in the arena as one text, and the next one begins again.
static void test_streams(void **state) {
  (void)state;
  sfnec_arena *arena;
  char **thing = sfnec_arena_create_for(sizeof *thing, &arena);
  assert_non_null(thing);
  assert_null(*thing);
  for (int round = 1; round <= 2; round++) {
    FILE *stream = sfnec_arena_open_text(arena);
    assert_non_null(stream);
    for (int i = 0; i < 1000 * round; i++) fprintf(stream, "%d", i % 10);
    *thing = sfnec_arena_close_text(arena);
    assert_non_null(*thing);
    assert_int_equal(strlen(*thing), 1000 * round);
    assert_memory_equal(*thing, "0123456789", 10);
  }
  sfnec_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks), cmocka_unit_test(test_too_much), cmocka_unit_test(test_grow),
      cmocka_unit_test(test_texts),  cmocka_unit_test(test_streams),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
