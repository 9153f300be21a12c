// test_record.c: the tables of what a run records cover their structs and keep their bytes; a field that is added later
// is missing in older files, and nothing else changes.
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "run/record.h"

// ---- the tables ----

static size_t field_size(const sfnec_record_field *field) {
  return field->type == SFNEC_RECORD_FLAG ? sizeof(bool) : 8;
}

static void check_set(const sfnec_record_set *set, size_t first, size_t last) {
  size_t at = first;
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    at = (at + field_size(field) - 1) / field_size(field) * field_size(field);
    if (field->offset != at) fail_msg("%s: a field before %s is in no table", set->title, field->name);
    at += field_size(field);
    assert_non_null(field->help);
    assert_true(field->help[strlen(field->help) - 1] != '.');
    assert_int_equal(field->metric != NULL, field->metric_help != NULL);
    assert_int_equal(field->figure != NULL, field->figure_help != NULL);
    assert_int_equal(field->figure != NULL, field->figure_label != NULL);
    // a figure or a curve on the page is drawn from a metric, against tasks
    if ((field->figure || field->title) && set == sfnec_task_record_set()) assert_non_null(field->metric);
    if (field->over) assert_non_null(sfnec_record_find(set, field->over));
    if (field->most) assert_non_null(sfnec_record_find(set, field->most));
    for (const sfnec_record_field *other = set->fields; other != field; other++)
      assert_string_not_equal(other->name, field->name);
  }
  // but for the padding
  assert_true(last - at < 8);
}

static void test_tables(void **state) {
  (void)state;
  check_set(sfnec_task_record_set(), 0, sizeof(sfnec_task_result));
  check_set(sfnec_episode_record_set(), offsetof(sfnec_episode_result, steps), sizeof(sfnec_episode_result));
  check_set(sfnec_bin_record_set(), 0, sizeof(sfnec_bin_result));
  check_set(sfnec_evaluation_record_set(), 0, sizeof(sfnec_evaluation_result));
  assert_null(sfnec_record_find(sfnec_task_record_set(), "absent"));
}

// ---- bytes ----

static unsigned char *bytes_of(const sfnec_record_set *set, const void *record, size_t *size) {
  sfnec_writer *writer;
  unsigned char *bytes;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_record_write(set, record, writer);
  OK(sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

static void read_back(const sfnec_record_set *set, uint32_t edition, const unsigned char *bytes, size_t size,
                      void *record) {
  sfnec_reader *reader;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a record", &reader));
  sfnec_record_read(set, edition, record, reader);
  assert_true(sfnec_reader_good(reader));
  assert_int_equal(sfnec_reader_left(reader), 0);
  sfnec_reader_close(reader);
}

// what files of version 0.1.0 hold: the fields in this order, eight bytes each, a flag four
static void test_layout(void **state) {
  (void)state;
  const sfnec_task_result result = {.total = -0.5,
                                    .steps = 1,
                                    .episodes = 2,
                                    .goals = 3,
                                    .entries = 4,
                                    .w_error = 5.5,
                                    .seconds = 6.5,
                                    .optimum = 7.5,
                                    .places = 8};
  const double total = -0.5, w_error = 5.5, seconds = 6.5;
  const int64_t counts[] = {1, 2, 3, 4};
  unsigned char wanted[56];
  memcpy(wanted, &total, 8);
  memcpy(wanted + 8, counts, sizeof counts);
  memcpy(wanted + 40, &w_error, 8);
  memcpy(wanted + 48, &seconds, 8);
  size_t size;
  unsigned char *bytes = bytes_of(sfnec_task_record_set(), &result, &size);
  assert_true(size >= sizeof wanted);
  assert_int_equal(sfnec_record_size(sfnec_task_record_set(), 0), sizeof wanted);
  assert_memory_equal(bytes, wanted, sizeof wanted);
  sfnec_task_result found;
  read_back(sfnec_task_record_set(), sfnec_record_edition(), bytes, size, &found);
  assert_memory_equal(&found, &result, sizeof found);
  free(bytes);

  const sfnec_episode_result episode = {.task = 7, .steps = 9, .total = -0.5, .terminated = true};
  bytes = bytes_of(sfnec_episode_record_set(), &episode, &size);
  assert_true(size >= 20);
  assert_int_equal(sfnec_record_size(sfnec_episode_record_set(), 0), 20);
  const unsigned char steps[] = {9, 0, 0, 0, 0, 0, 0, 0}, ended[] = {1, 0, 0, 0};
  assert_memory_equal(bytes, steps, 8);
  assert_memory_equal(bytes + 8, &total, 8);
  assert_memory_equal(bytes + 16, ended, 4);
  sfnec_episode_result again = {.task = 7};
  read_back(sfnec_episode_record_set(), sfnec_record_edition(), bytes, size, &again);
  assert_int_equal(again.steps, 9);
  assert_true(again.terminated);
  free(bytes);
}

// ---- editions ----

typedef struct sample {
  double old;
  int64_t count;
  double newer;
  bool newest;
} sample;

static const sfnec_record_field sample_fields[] = {
    {.name = "old", .type = SFNEC_RECORD_REAL, .offset = offsetof(sample, old), .least = -HUGE_VAL},
    {.name = "count", .type = SFNEC_RECORD_INT, .offset = offsetof(sample, count), .least = 1, .since = 1},
    {.name = "newer",
     .type = SFNEC_RECORD_REAL,
     .offset = offsetof(sample, newer),
     .most = "count",
     .since = 1,
     .missing = (double)NAN},
    {.name = "newest", .type = SFNEC_RECORD_FLAG, .offset = offsetof(sample, newest), .since = 2, .missing = 1},
    {0},
};
static const sfnec_record_set sample_set = {"sample", sample_fields, 0};

static void test_editions(void **state) {
  (void)state;
  assert_int_equal(sfnec_record_set_edition(&sample_set), 2);
  assert_int_equal(sfnec_record_size(&sample_set, 0), 8);
  assert_int_equal(sfnec_record_size(&sample_set, 1), 24);
  assert_int_equal(sfnec_record_size(&sample_set, 2), 28);
  const sample full = {0.25, 5, 2.5, false};
  size_t size;
  unsigned char *bytes = bytes_of(&sample_set, &full, &size);
  assert_int_equal(size, 28);

  sample found;
  read_back(&sample_set, 2, bytes, 28, &found);
  assert_true(found.old == 0.25 && found.count == 5 && found.newer == 2.5 && !found.newest);
  assert_true(sfnec_record_check(&sample_set, 2, &found));
  read_back(&sample_set, 1, bytes, 24, &found);
  assert_true(found.newer == 2.5 && found.newest);
  read_back(&sample_set, 0, bytes, 8, &found);
  assert_true(found.old == 0.25 && found.count == 0 && isnan(found.newer) && found.newest);
  // what is missing is not out of range
  assert_true(sfnec_record_check(&sample_set, 0, &found));
  assert_false(sfnec_record_check(&sample_set, 1, &found));
  free(bytes);
}

// sums add up and are shown by what they are over; of a level the last one counts
static void test_sums(void **state) {
  (void)state;
  const sfnec_record_set *set = sfnec_bin_record_set();
  sfnec_bin_result sum = {.total = 1.5, .steps = 10, .episodes = 1, .episode_return = 4, .entries = 7};
  const sfnec_bin_result more = {.total = -0.5, .steps = 30, .episodes = 3, .episode_return = 2, .entries = 5};
  sfnec_record_add(set, &sum, &more);
  assert_true(sum.steps == 40 && sum.episodes == 4 && sum.entries == 5);
  assert_true(sfnec_record_shown(set, sfnec_record_find(set, "total"), &sum) == 0.025);
  assert_true(sfnec_record_shown(set, sfnec_record_find(set, "episode_return"), &sum) == 1.5);
  assert_true(sfnec_record_shown(set, sfnec_record_find(set, "entries"), &sum) == 5);
  assert_true(isnan(sfnec_record_shown(set, sfnec_record_find(set, "loss"), &sum)));
}

static void test_ranges(void **state) {
  (void)state;
  sample record = {-DBL_MAX, 1, 1, false};
  assert_true(sfnec_record_check(&sample_set, 2, &record));
  record.newer = 1.5;
  assert_false(sfnec_record_check(&sample_set, 2, &record));
  record.newer = -0.5;
  assert_false(sfnec_record_check(&sample_set, 2, &record));
  record.newer = 0;
  record.count = 0;
  assert_false(sfnec_record_check(&sample_set, 2, &record));
  record.count = 1;
  record.old = (double)INFINITY;
  assert_false(sfnec_record_check(&sample_set, 2, &record));
  record.old = (double)NAN;
  assert_false(sfnec_record_check(&sample_set, 2, &record));

  sfnec_task_result result = {.total = -3, .steps = 5, .episodes = 2, .goals = 2};
  assert_true(sfnec_record_check(sfnec_task_record_set(), 0, &result));
  result.goals = 3;
  assert_false(sfnec_record_check(sfnec_task_record_set(), 0, &result));
  result.goals = 1;
  result.entries = -1;
  assert_false(sfnec_record_check(sfnec_task_record_set(), 0, &result));
  result.entries = 0;
  // what a world does not know may be missing, and nothing else
  const uint32_t newest = sfnec_record_edition();
  result.optimum = (double)NAN;
  assert_true(sfnec_record_check(sfnec_task_record_set(), newest, &result));
  result.optimum = (double)INFINITY;
  assert_false(sfnec_record_check(sfnec_task_record_set(), newest, &result));
  result.optimum = 0;
  result.seconds = (double)NAN;
  assert_false(sfnec_record_check(sfnec_task_record_set(), newest, &result));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables), cmocka_unit_test(test_layout), cmocka_unit_test(test_editions),
      cmocka_unit_test(test_sums),   cmocka_unit_test(test_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
