// messages and records as bytes: what goes in comes out, and bytes that are no message are refused.
#include "study/work/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static const int64_t uses[] = {3, 0, 1997};
static const sfnec_episode_result episodes[] = {{2, 50, -0.25, true}, {2, INT64_MAX, 1e300, false}};

static const sfnec_bin_result bins[] = {{.total = -0.25, .steps = 50, .episodes = 1, .loss = 0.1, .targets = INT64_MAX},
                                        {.total = 1e300, .steps = 9, .entries = 7}};

static const sfnec_evaluation_result evaluations[] = {{.step = 7, .total = 0.1, .episodes = 3, .goals = 3, .steps = 9},
                                                      {.step = 14, .weights = 2, .episodes = 1, .steps = 1}};
static const double features[] = {0.1, 2, -1e300, 0};

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
                             .episode_count = 2,
                             .bins = bins,
                             .bin_count = 2,
                             .evaluations = evaluations,
                             .features = features,
                             .evaluation_count = 2,
                             .feature_count = 2};
}

static sfnec_message sample_message(void) {
  return (sfnec_message){.kind = SFNEC_MESSAGE_TASK,
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
  assert_int_equal(record->bin_count, 2);
  assert_memory_equal(record->bins, bins, sizeof bins);
  assert_true(record->evaluation_count == 2 && record->feature_count == 2);
  assert_memory_equal(record->evaluations, evaluations, sizeof evaluations);
  assert_memory_equal(record->features, features, sizeof features);
}

static void comes_back(void **state) {
  (void)state;
  const sfnec_message message = sample_message();
  sfnec_message *copy = sfnec_message_copy(&message);
  assert_non_null(copy);
  assert_int_equal(copy->kind, SFNEC_MESSAGE_TASK);
  assert_int_equal(copy->worker, 7);
  assert_int_equal(copy->job, 4000000000);
  assert_true(copy->tasks_done == 2.75);
  assert_int_equal(copy->steps, -5);
  assert_int_equal(copy->bytes, 1LL << 40);
  assert_int_equal(copy->status, SFNEC_ERROR_IO);
  assert_string_equal(copy->text, "one sentence");
  assert_record(&copy->record);
  sfnec_message_destroy(copy);
}

static void only_tasks_carry_a_record(void **state) {
  (void)state;
  sfnec_message message = sample_message();
  message.kind = SFNEC_MESSAGE_DONE;
  sfnec_message *copy = sfnec_message_copy(&message);
  assert_non_null(copy);
  assert_null(copy->record.uses);
  assert_int_equal(copy->record.use_count, 0);
  sfnec_message_destroy(copy);
}

// a message that ends early anywhere, or too late, is refused as a whole
static void truncated_bytes_are_refused(void **state) {
  (void)state;
  const sfnec_message message = sample_message();
  unsigned char *bytes;
  size_t whole;
  OK(sfnec_message_pack(&message, &bytes, &whole));
  for (size_t size = 0; size <= whole + 1; size++) {
    // an own block of that size, so that the sanitizer sees a byte read too far
    unsigned char *part = calloc(size ? size : 1, 1);
    memcpy(part, bytes, size < whole ? size : whole);
    sfnec_message *copy;
    const sfnec_status status = sfnec_message_unpack(part, size, &copy);
    assert_int_equal(status, size == whole ? SFNEC_OK : SFNEC_ERROR_FORMAT);
    assert_int_equal(copy != NULL, size == whole);
    sfnec_message_destroy(copy);
    free(part);
  }
  free(bytes);
}

// counts that the bytes cannot hold must not be believed
static void huge_counts_are_refused(void **state) {
  (void)state;
  const sfnec_task_record empty = {.task = 1};
  sfnec_writer *writer;
  unsigned char *bytes;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_task_record_write(&empty, writer);
  OK(sfnec_writer_take(writer, &bytes, &size));
  // the number of uses comes after the task and its result, then those of episodes, bins, features and evaluations
  for (size_t at = size - 20; at < size; at += 4) {
    if (at == size - 8) continue; // features of no evaluation
    memset(bytes + at, 0xff, 4);
    sfnec_reader *reader;
    OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a record", &reader));
    sfnec_task_record record;
    assert_false(sfnec_task_record_read(reader, &record));
    assert_null(record.uses);
    assert_null(record.episodes);
    assert_null(record.bins);
    assert_null(record.evaluations);
    sfnec_reader_close(reader);
    memset(bytes + at, 0, 4);
  }
  free(bytes);
}

static void unknown_kinds_are_refused(void **state) {
  (void)state;
  sfnec_message message = sample_message();
  message.kind = (sfnec_message_kind)77;
  assert_null(sfnec_message_copy(&message));
}

// numbers that no worker of the study can have sent
static void strangers_do_not_fit(void **state) {
  (void)state;
  sfnec_job jobs[] = {{.run = {.tasks = 3}}, {.run = {.tasks = 3}}};
  const sfnec_plan plan = {.jobs = jobs, .job_count = 2};
  sfnec_message good = sample_message();
  good.worker = 3;
  good.job = 1;
  good.steps = 5;
  assert_true(sfnec_message_fits(&good, &plan, 4));
  assert_false(sfnec_message_fits(&good, &plan, 3));
  sfnec_message bad = good;
  bad.job = 2;
  assert_false(sfnec_message_fits(&bad, &plan, 4));
  bad = good;
  bad.record.task = 3;
  assert_false(sfnec_message_fits(&bad, &plan, 4));
  bad.kind = SFNEC_MESSAGE_DONE; // which has no record
  assert_true(sfnec_message_fits(&bad, &plan, 4));
  bad = good;
  bad.record.result.goals = 3; // of two episodes
  assert_false(sfnec_message_fits(&bad, &plan, 4));
  const double shares[] = {-0.5, 3.5, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    bad = good;
    bad.tasks_done = shares[i];
    assert_false(sfnec_message_fits(&bad, &plan, 4));
  }
  bad = good;
  bad.steps = -1;
  assert_false(sfnec_message_fits(&bad, &plan, 4));
  bad = good;
  bad.bytes = -1;
  assert_false(sfnec_message_fits(&bad, &plan, 4));
  bad = good;
  bad.status = (sfnec_status)99;
  assert_false(sfnec_message_fits(&bad, &plan, 4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back),
      cmocka_unit_test(only_tasks_carry_a_record),
      cmocka_unit_test(truncated_bytes_are_refused),
      cmocka_unit_test(huge_counts_are_refused),
      cmocka_unit_test(unknown_kinds_are_refused),
      cmocka_unit_test(strangers_do_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
