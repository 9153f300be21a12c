// test_move.c: entries that get another key: what stays, what changes, and that every index sees the same.
#include "support/check.h"

#include "memory/memory.h"
#include "sfnec/random.h"

enum { K = 6, SIZE = 3 };

typedef struct found {
  sfnec_neighbour neighbours[K];
  double weights[K], value[1];
  sfnec_lookup lookup;
} found;

static sfnec_memory *memory_of(int index, uint32_t capacity, size_t key_size) {
  const sfnec_memory_config config = {.key_size = key_size,
                                      .value_size = 1,
                                      .capacity = capacity,
                                      .neighbours = K,
                                      .weighting.kind = SFNEC_WEIGHT_INVERSE_SQUARED,
                                      .weighting.delta = 1e-3,
                                      .index = index};
  sfnec_memory *memory = NULL;
  OK(sfnec_memory_create(&config, sfnec_simd_at(0), &memory));
  return memory;
}

static sfnec_index_scratch *scratch;

static found *look(const sfnec_memory *memory, const float *key) {
  static found f;
  if (!scratch) scratch = sfnec_index_scratch_create();
  assert_non_null(scratch);
  f.lookup = (sfnec_lookup){.neighbours = f.neighbours, .weights = f.weights, .value = f.value};
  sfnec_memory_search(memory, scratch, key, &f.lookup);
  sfnec_memory_blend(memory, &f.lookup);
  return &f;
}

static void write(sfnec_memory *memory, float key, double value) {
  OK(sfnec_memory_write(memory, &key, &value, 1));
}

// The slot of the entry with this value.
static uint32_t slot_of(const sfnec_memory *memory, float value) {
  const float middle = 0;
  const found *f = look(memory, &middle);
  for (uint32_t i = 0; i < f->lookup.count; i++) {
    if (sfnec_memory_value(memory, f->neighbours[i].slot)[0] == value) return f->neighbours[i].slot;
  }
  fail_msg("no entry has the value %g", (double)value);
  return 0;
}

static void move(sfnec_memory *memory, float value, float key) {
  OK(sfnec_memory_move(memory, slot_of(memory, value), &key));
}

// The values in the order of a search.
static void check_order(const sfnec_memory *memory, float at, const char *expected) {
  const found *f = look(memory, &at);
  char values[K + 1] = {0};
  for (uint32_t i = 0; i < f->lookup.count; i++) {
    values[i] = (char)('0' + (int)sfnec_memory_value(memory, f->neighbours[i].slot)[0]);
  }
  assert_string_equal(values, expected);
}

static void test_place(void **state) {
  (void)state;
  for (int index = SFNEC_INDEX_KIND_FLAT; index <= SFNEC_INDEX_KIND_FAST; index++) {
    sfnec_memory *memory = memory_of(index, 10, 1);
    for (int i = 1; i <= 4; i++) write(memory, (float)i, i);
    check_order(memory, 0, "1234");
    const uint64_t keys = sfnec_memory_keys_version(memory);
    move(memory, 1, 3.5f);
    assert_true(sfnec_memory_keys_version(memory) > keys);
    check_order(memory, 0, "2314");
    assert_int_equal(sfnec_memory_count(memory), 4);
    // the old key is free again, and the new one is known
    write(memory, 1, 5);
    write(memory, 3.5f, 6);
    check_order(memory, 0, "52364");
    sfnec_memory_destroy(memory);
  }
}

// Ties go by insertion order, and a moved key counts as inserted when it moved.
static void test_ties(void **state) {
  (void)state;
  for (int index = SFNEC_INDEX_KIND_FLAT; index <= SFNEC_INDEX_KIND_FAST; index++) {
    sfnec_memory *memory = memory_of(index, 10, 1);
    write(memory, -1, 1);
    write(memory, 1, 2);
    check_order(memory, 0, "12");
    move(memory, 1, -2);
    move(memory, 1, -1);
    check_order(memory, 0, "21");
    sfnec_memory_destroy(memory);
  }
}

// A key that another entry has: the entry stays. Its own key: nothing changes at all.
static void test_duplicates(void **state) {
  (void)state;
  sfnec_memory *memory = memory_of(SFNEC_INDEX_KIND_FAST, 10, 1);
  for (int i = 1; i <= 3; i++) write(memory, (float)i, i);
  const uint64_t keys = sfnec_memory_keys_version(memory);
  move(memory, 1, 2);
  move(memory, 3, 3);
  assert_int_equal(sfnec_memory_keys_version(memory), keys);
  check_order(memory, 0, "123");
  sfnec_memory_destroy(memory);
}

// Moving is no use: the least recently used entry still goes, also from a full memory.
static void test_recency(void **state) {
  (void)state;
  sfnec_memory *memory = memory_of(SFNEC_INDEX_KIND_FAST, 3, 1);
  for (int i = 1; i <= 3; i++) write(memory, (float)i, i);
  move(memory, 1, 1.5f);
  move(memory, 3, 2.5f);
  write(memory, 9, 4);
  check_order(memory, 0, "234");
  move(memory, 2, 0.5f);
  write(memory, 8, 5);
  check_order(memory, 0, "354");
  sfnec_memory_destroy(memory);
}

// ---- many random moves: flat and fast agree, and so does a memory that was saved and loaded on the way ----

static void random_key(sfnec_random *random, float key[SIZE]) {
  // a grid, so that ties and duplicates are frequent
  for (int j = 0; j < SIZE; j++) key[j] = (float)sfnec_random_below(random, 12);
}

static void check_equal(const sfnec_memory *a, const sfnec_memory *b, sfnec_random *random) {
  float query[SIZE];
  random_key(random, query);
  const found x = *look(a, query), y = *look(b, query);
  assert_int_equal(x.lookup.count, y.lookup.count);
  for (uint32_t i = 0; i < x.lookup.count; i++) {
    assert_true(x.neighbours[i].squared == y.neighbours[i].squared);
    assert_memory_equal(sfnec_memory_key(a, x.neighbours[i].slot), sfnec_memory_key(b, y.neighbours[i].slot),
                        SIZE * sizeof(float));
  }
  assert_true(x.value[0] == y.value[0]);
}

static sfnec_memory *copy_of(const sfnec_memory *memory, int index, uint32_t capacity) {
  sfnec_writer *writer;
  OK(sfnec_writer_open("memory.file", "SFNECMEM", 1, &writer));
  sfnec_memory_save(memory, writer, true);
  OK(sfnec_writer_commit(writer));
  sfnec_reader *reader;
  OK(sfnec_reader_open("memory.file", "SFNECMEM", 1, "a memory", &reader));
  sfnec_memory *copy = memory_of(index, capacity, SIZE);
  OK(sfnec_memory_load(copy, reader, reader));
  sfnec_reader_close(reader);
  return copy;
}

static void move_some(sfnec_memory *const memories[3], sfnec_random *random) {
  float query[SIZE], key[SIZE];
  random_key(random, query);
  random_key(random, key);
  const uint32_t rank = sfnec_random_below(random, K);
  for (int m = 0; m < 3; m++) {
    const found *f = look(memories[m], query);
    if (rank < f->lookup.count) OK(sfnec_memory_move(memories[m], f->neighbours[rank].slot, key));
  }
}

static void test_random(void **state) {
  (void)state;
  enum { CAPACITY = 700 };
  sfnec_random random = sfnec_random_start(1, 1000);
  sfnec_memory *memories[3] = {memory_of(SFNEC_INDEX_KIND_FLAT, CAPACITY, SIZE),
                               memory_of(SFNEC_INDEX_KIND_FAST, CAPACITY, SIZE),
                               memory_of(SFNEC_INDEX_KIND_FAST, CAPACITY, SIZE)};
  const double w = 1;
  sfnec_value_bounds bounds = {0};
  for (int i = 0; i < 6000; i++) {
    float key[SIZE];
    random_key(&random, key);
    const double value = i % 17;
    if (i % 3 == 0) {
      for (int m = 0; m < 3; m++) OK(sfnec_memory_write(memories[m], key, &value, 0.5));
    } else {
      move_some(memories, &random);
    }
    if (i % 1500 == 1499) {
      sfnec_memory *copy = copy_of(memories[2], SFNEC_INDEX_KIND_FAST, CAPACITY);
      sfnec_memory_destroy(memories[2]);
      memories[2] = copy;
    }
    check_equal(memories[0], memories[1], &random);
    check_equal(memories[0], memories[2], &random);
  }
  assert_true(sfnec_memory_count(memories[0]) > 600);
  for (int i = 0; i < 500; i++) {
    float query[SIZE];
    random_key(&random, query);
    found f = *look(memories[1], query);
    f.lookup = (sfnec_lookup){.neighbours = f.neighbours, .weights = f.weights, .value = f.value};
    const double q = f.value[0];
    const sfnec_memory_pruning pruning = {.w = &w, .stamp = 1, .floor = q - 1e-3, .bounds = &bounds};
    if (!sfnec_memory_search_pruned(memories[1], scratch, query, &pruning, &f.lookup)) fail_msg("%g was pruned", q);
    // entries move on, and their values change
    move_some(memories, &random);
    sfnec_memory_nudge(memories[1], &look(memories[1], query)->lookup, &w);
  }
  sfnec_value_bounds_clear(&bounds);
  for (int m = 0; m < 3; m++) sfnec_memory_destroy(memories[m]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_place),   cmocka_unit_test(test_ties),   cmocka_unit_test(test_duplicates),
      cmocka_unit_test(test_recency), cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
