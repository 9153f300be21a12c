// news and records as bytes: what goes in comes out, and bytes that are no news are refused.
#include "study/store/news.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static const int64_t uses[] = {3, 0, 1997};
static const sfnec_episode_result episodes[] = {{2, 50, -0.25, true}, {2, INT64_MAX, 1e300, false}};

static sfnec_task_record sample_record(void) {
  return (sfnec_task_record){.task = 2,
                             .result = {.total = -1.0 / 3,
                                        .steps = 2000,
                                        .episodes = 2,
                                        .goals = 1,
                                        .entries = 1234567890123,
                                        .w_error = 0.5,
                                        .seconds = 1.25},
                             .uses = uses,
                             .use_count = 3,
                             .episodes = episodes,
                             .episode_count = 2};
}

static sfnec_news sample_news(void) {
  return (sfnec_news){.kind = SFNEC_NEWS_TASK,
                      .worker = 7,
                      .job = 4000000000,
                      .tasks_done = 2.75,
                      .steps = -5,
                      .bytes = 1LL << 40,
                      .status = SFNEC_ERROR_IO,
                      .text = (char *)"one sentence",
                      .record = sample_record()};
}

static void assert_record(const sfnec_task_record *record) {
  const sfnec_task_record wanted = sample_record();
  assert_int_equal(record->task, wanted.task);
  assert_memory_equal(&record->result, &wanted.result, sizeof wanted.result);
  assert_int_equal(record->use_count, 3);
  assert_memory_equal(record->uses, uses, sizeof uses);
  assert_int_equal(record->episode_count, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(record->episodes[i].task, 2);
    assert_int_equal(record->episodes[i].steps, episodes[i].steps);
    assert_true(record->episodes[i].total == episodes[i].total);
    assert_int_equal(record->episodes[i].terminated, episodes[i].terminated);
  }
}

static void comes_back(void **state) {
  (void)state;
  const sfnec_news news = sample_news();
  sfnec_news *copy = sfnec_news_copy(&news);
  assert_non_null(copy);
  assert_int_equal(copy->kind, SFNEC_NEWS_TASK);
  assert_int_equal(copy->worker, 7);
  assert_int_equal(copy->job, 4000000000);
  assert_true(copy->tasks_done == 2.75);
  assert_int_equal(copy->steps, -5);
  assert_int_equal(copy->bytes, 1LL << 40);
  assert_int_equal(copy->status, SFNEC_ERROR_IO);
  assert_string_equal(copy->text, "one sentence");
  assert_record(&copy->record);
  sfnec_news_destroy(copy);
}

static void only_tasks_carry_a_record(void **state) {
  (void)state;
  sfnec_news news = sample_news();
  news.kind = SFNEC_NEWS_DONE;
  sfnec_news *copy = sfnec_news_copy(&news);
  assert_non_null(copy);
  assert_null(copy->record.uses);
  assert_int_equal(copy->record.use_count, 0);
  sfnec_news_destroy(copy);
}

static void bytes_are_little_endian(void **state) {
  (void)state;
  sfnec_pack pack = {0};
  sfnec_pack_u32(&pack, 0x01020304);
  sfnec_pack_i64(&pack, -2);
  sfnec_pack_f64(&pack, 1.0);
  sfnec_pack_text(&pack, "hi");
  const unsigned char wanted[] = {4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0,
                                  0, 0, 0, 0, 0,    0xf0, 0x3f, 2,    0,    0,    0,    'h',  'i'};
  assert_int_equal(pack.size, sizeof wanted);
  assert_memory_equal(pack.bytes, wanted, sizeof wanted);
  free(pack.bytes);
}

// a message that ends early anywhere is refused as a whole
static void truncated_bytes_are_refused(void **state) {
  (void)state;
  const sfnec_news news = sample_news();
  sfnec_pack pack = {0};
  sfnec_news_pack(&news, &pack);
  assert_false(pack.failed);
  for (size_t size = 0; size < pack.size; size++) {
    // an own block of that size, so that the sanitizer sees a byte read too far
    unsigned char *part = malloc(size ? size : 1);
    memcpy(part, pack.bytes, size);
    sfnec_unpack bytes = {.bytes = part, .left = size};
    assert_null(sfnec_news_unpack(&bytes));
    free(part);
  }
  sfnec_unpack whole = {.bytes = pack.bytes, .left = pack.size};
  sfnec_news *copy = sfnec_news_unpack(&whole);
  assert_non_null(copy);
  assert_int_equal(whole.left, 0);
  sfnec_news_destroy(copy);
  free(pack.bytes);
}

// counts that the bytes cannot hold must not be believed
static void huge_counts_are_refused(void **state) {
  (void)state;
  sfnec_pack pack = {0};
  const sfnec_task_record empty = {.task = 1};
  sfnec_record_pack(&empty, &pack);
  // the number of uses comes after the task and its seven results
  memset(pack.bytes + 4 + 7 * 8, 0xff, 4);
  sfnec_unpack bytes = {.bytes = pack.bytes, .left = pack.size};
  sfnec_task_record record;
  assert_false(sfnec_record_unpack(&bytes, &record));
  assert_null(record.uses);
  free(pack.bytes);
}

static void unknown_kinds_are_refused(void **state) {
  (void)state;
  sfnec_news news = sample_news();
  news.kind = (sfnec_news_kind)77;
  assert_null(sfnec_news_copy(&news));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back),
      cmocka_unit_test(only_tasks_carry_a_record),
      cmocka_unit_test(bytes_are_little_endian),
      cmocka_unit_test(truncated_bytes_are_refused),
      cmocka_unit_test(huge_counts_are_refused),
      cmocka_unit_test(unknown_kinds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
