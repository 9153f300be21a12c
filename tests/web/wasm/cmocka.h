// cmocka.h: as much of cmocka as tests/simd/test_simd.c needs, for WebAssembly, where cmocka is not.
#ifndef SFNEC_WASM_CMOCKA_H
#define SFNEC_WASM_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_true(what) ((what) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #what), exit(1)))
#define assert_false(what) assert_true(!(what))
#define assert_non_null(what) assert_true((what) != NULL)
#define assert_ptr_equal(a, b) assert_true((a) == (b))
#define assert_int_equal(a, b) assert_true((long long)(a) == (long long)(b))
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)

struct CMUnitTest {
  const char *name;
  void (*run)(void **state);
};

#define cmocka_unit_test(function)                                                                                     \
  { #function, function }
#define cmocka_run_group_tests(tests, setup, teardown) run_tests(tests, sizeof tests / sizeof *tests)

static int run_tests(const struct CMUnitTest *tests, size_t count) {
  for (size_t i = 0; i < count; i++) tests[i].run(NULL);
  printf("%zu tests passed\n", count);
  return 0;
}

#endif
