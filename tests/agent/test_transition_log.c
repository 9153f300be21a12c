// test_transition_log.c: a log keeps events and time order within its memory, says when a fit is due, and survives a
// file to the bit; damaged files are refused.
#include "support/check.h"

#include "agent/plan/transition_log.h"
#include "sfnec/random.h"

enum { SIZE = 3, FEATURES = 2, ACTIONS = 4, EPISODE = 50 };

// Transition t: its number is its first component; every `rare`-th one has another feature.
static void add(sfnec_transition_log *log, uint64_t t, uint64_t rare) {
  const float before[SIZE] = {(float)t, (float)(t % 7), 0.5f}, after[SIZE] = {(float)t + 1, (float)(t % 5), -0.0f};
  const float features[FEATURES] = {t % rare == rare - 1 ? 1.0f : 0.25f, -1.0f};
  OK(sfnec_transition_log_add(log, before, (uint32_t)(t % ACTIONS), features, after, false,
                              t % EPISODE == EPISODE - 1));
}

static void fill(sfnec_transition_log *log, uint64_t from, uint64_t to, uint64_t rare) {
  for (uint64_t t = from; t < to; t++) add(log, t, rare);
}

static void make(sfnec_transition_log *log) {
  OK(sfnec_transition_log_init(log, SIZE, FEATURES, ACTIONS));
}

static void test_keeps_events(void **state) {
  (void)state;
  sfnec_transition_log log;
  make(&log);
  fill(&log, 0, 20000, 100);
  assert_int_equal(log.count, SFNEC_LOG_ROWS);
  size_t rows = 0, events = 0;
  float last = -1.0f;
  sfnec_logged_transition row;
  for (sfnec_log_cursor at = sfnec_transition_log_start(&log); sfnec_transition_log_next(&log, &at, &row); rows++) {
    assert_true(row.before[0] > last);
    last = row.before[0];
    const uint64_t t = (uint64_t)row.before[0];
    assert_int_equal(row.event, t % 100 == 99);
    assert_int_equal(row.action, t % ACTIONS);
    assert_int_equal(row.episode, t / EPISODE);
    assert_true(row.after[0] == (float)t + 1 && !signbit(row.after[2]));
    events += row.event;
    // ordinary ones are the youngest
    if (!row.event) assert_true(t >= 20000 - 4800 * 100 / 99 - 2);
  }
  assert_int_equal(rows, SFNEC_LOG_ROWS);
  assert_int_equal(events, 200);
  sfnec_transition_log_clear(&log);
}

// The usual value is that of most transitions, not the first.
static void test_usual_value(void **state) {
  (void)state;
  sfnec_transition_log log;
  make(&log);
  fill(&log, 0, 3, 1);
  fill(&log, 3, 10, 1000000);
  const uint64_t events = log.events;
  fill(&log, 10, 100, 1000000);
  assert_int_equal(log.events, events);
  add(&log, 100, 1);
  assert_int_equal(log.events, events + 1);
  sfnec_transition_log_clear(&log);
}

static void test_limits_events(void **state) {
  (void)state;
  sfnec_transition_log log;
  make(&log);
  fill(&log, 0, 20000, 2); // every second one is an event
  assert_int_equal(log.queues[0].count + log.queues[1].count, SFNEC_LOG_ROWS);
  assert_in_range(log.queues[1].count, SFNEC_LOG_ROWS / 3, SFNEC_LOG_ROWS / 3 + 1);
  sfnec_transition_log_clear(&log);
}

static void test_memory(void **state) {
  (void)state;
  sfnec_transition_log log;
  OK(sfnec_transition_log_init(&log, 10000, 1, 2));
  assert_true(log.capacity >= SFNEC_LOG_FIRST_FIT && log.capacity < 1000);
  float *x = calloc(10000, sizeof *x), phi = 0.0f;
  for (size_t t = 0; t < 1200; t++) OK(sfnec_transition_log_add(&log, x, 0, &phi, x, false, false));
  assert_int_equal(log.count, log.capacity);
  assert_true(sfnec_transition_log_bytes(&log) <= SFNEC_LOG_BYTES + 4 * 10000 * sizeof(float));
  free(x);
  sfnec_transition_log_clear(&log);
}

static void test_due(void **state) {
  (void)state;
  sfnec_transition_log log;
  make(&log);
  uint64_t fits[8], count = 0;
  for (uint64_t t = 0; t < 5000; t++) {
    add(&log, t, 1000000);
    if (!sfnec_transition_log_is_due(&log)) continue;
    fits[count++] = t + 1;
    sfnec_transition_log_schedule(&log);
  }
  assert_int_equal(count, 6);
  for (uint64_t i = 0; i < count; i++) assert_int_equal(fits[i], (uint64_t)SFNEC_LOG_FIRST_FIT << i);

  // ten more events
  for (uint64_t t = 0; t < 10; t++) add(&log, 5000 + t, 1);
  assert_false(sfnec_transition_log_is_due(&log));
  fill(&log, 5010, 5100, 1000000);
  assert_true(sfnec_transition_log_is_due(&log));
  sfnec_transition_log_schedule(&log);
  assert_false(sfnec_transition_log_is_due(&log));
  assert_int_equal(log.next_fit, 10200); // as many transitions again, whatever this fit was for

  // a watched component leaves its range
  sfnec_transition_log_watch(&log, (bool[SIZE]){false, true, false});
  fill(&log, 5100, 5200, 1000000);
  assert_false(sfnec_transition_log_is_due(&log));
  const float far[SIZE] = {0.0f, 10.0f, 0.0f}, phi[FEATURES] = {0.25f, -1.0f};
  for (uint64_t t = 0; t < 5; t++) OK(sfnec_transition_log_add(&log, far, 0, phi, far, false, false));
  fill(&log, 5205, 5300, 1000000);
  assert_true(sfnec_transition_log_is_due(&log));
  sfnec_transition_log_clear(&log);
}

// ---- files ----

static unsigned char *save(const sfnec_transition_log *log, size_t *size) {
  sfnec_writer *writer;
  unsigned char *bytes;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_transition_log_save(log, writer);
  OK(sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

static sfnec_status load(sfnec_transition_log *log, const unsigned char *bytes, size_t size) {
  sfnec_reader *reader;
  make(log);
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a log", &reader));
  const sfnec_status status = sfnec_transition_log_load(log, reader);
  sfnec_reader_close(reader);
  return status;
}

static void test_resumes(void **state) {
  (void)state;
  const uint64_t moments[] = {0, 1, 499, 4999, 5000, 12345};
  for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
    sfnec_transition_log unbroken, resumed;
    make(&unbroken);
    fill(&unbroken, 0, moments[i] / 2, 37);
    if (moments[i] > 1) sfnec_transition_log_watch(&unbroken, (bool[SIZE]){true, false, false}); // it grows
    fill(&unbroken, moments[i] / 2, moments[i], 37);
    size_t size, sizes[2];
    unsigned char *bytes = save(&unbroken, &size);
    OK(load(&resumed, bytes, size));
    fill(&unbroken, moments[i], moments[i] + 7000, 37);
    fill(&resumed, moments[i], moments[i] + 7000, 37);
    unsigned char *ends[2] = {save(&unbroken, &sizes[0]), save(&resumed, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(ends[0], ends[1], sizes[0]);
    free(bytes);
    free(ends[0]);
    free(ends[1]);
    sfnec_transition_log_clear(&unbroken);
    sfnec_transition_log_clear(&resumed);
  }
}

static void test_refuses_damage(void **state) {
  (void)state;
  sfnec_transition_log log, damaged;
  make(&log);
  fill(&log, 0, 60, 5);
  size_t size;
  unsigned char *bytes = save(&log, &size);
  for (size_t part = 0; part < size; part++) {
    assert_int_equal(load(&damaged, bytes, part), SFNEC_ERROR_FORMAT);
    sfnec_transition_log_clear(&damaged);
  }
  // where the fields of the head and of the first row are
  const size_t floats = 40, count = floats + (4 * SIZE + FEATURES) * 4 + FEATURES * 4, row = count + 4;
  const float bad = NAN, far = 1e9f;
  const uint32_t many = 61, action = ACTIONS, flags = 4;
  const uint64_t late = 60;
  const struct {
    size_t at, size;
    const void *value;
  } damages[] = {{floats, 4, &bad},
                 {floats + 4 * (4 * SIZE), 4, &bad},
                 {count, 4, &many},
                 {row, 8, &late},
                 {row + 8, 4, &action},
                 {row + 12, 4, &many},
                 {row + 16, 4, &flags},
                 {row + 20, 4, &far},
                 {row + 20 + 4 * SIZE, 4, &bad},
                 {8, 8, &(uint64_t){61}},
                 {16, 8, &(uint64_t){0}},
                 {24, 8, &(uint64_t){UINT64_MAX}},
                 {0, 8, &(uint64_t){UINT64_MAX}},
                 {floats, 4, &far}};
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    unsigned char kept[8];
    memcpy(kept, bytes + damages[i].at, damages[i].size);
    memcpy(bytes + damages[i].at, damages[i].value, damages[i].size);
    if (load(&damaged, bytes, size) != SFNEC_ERROR_FORMAT) fail_msg("damage %zu is not refused", i);
    memcpy(bytes + damages[i].at, kept, damages[i].size);
    sfnec_transition_log_clear(&damaged);
  }
  OK(load(&damaged, bytes, size));
  sfnec_transition_log_clear(&damaged);
  free(bytes);
  sfnec_transition_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keeps_events),   cmocka_unit_test(test_usual_value), cmocka_unit_test(test_limits_events),
      cmocka_unit_test(test_memory),         cmocka_unit_test(test_due),         cmocka_unit_test(test_resumes),
      cmocka_unit_test(test_refuses_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
