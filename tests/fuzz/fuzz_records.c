// fuzz_records.c: the result file of a job whose records say something: made by the writer, changed in a few places,
// sealed again and read. What is accepted has numbers in the ranges of the tables, can be shown, passes through
// messages, and is written to a file that reads back to the same.
//
// An input: the version, the tasks, of each how many of what, its numbers, and the changes. So the fuzzer need not find
// out what a file looks like (fuzz_result.c starts from bytes).
#include "fuzz.h"
#include "run/record.h"
#include "study/work/message.h"

enum { TASKS_MOST = 4, MOST = 6, FEATURES_MOST = 3 };
static const char identity[] = "fuzz", magic[] = "SFNECRES";

// ---- making ----

// Numbers of a record, tame for the most part.
static void fill(const sfnec_record_set *set, void *record, input *in) {
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    char *at = (char *)record + field->offset;
    const bool wild = in->left && take_byte(in) > 250;
    const int64_t whole = wild ? take_i64(in) : (int64_t)(in->left ? take_byte(in) : 3);
    const double real = wild ? take_f64(in) : (double)whole / 4;
    if (field->type == SFNEC_RECORD_INT) memcpy(at, &whole, sizeof whole);
    if (field->type == SFNEC_RECORD_REAL) memcpy(at, &real, sizeof real);
    if (field->type == SFNEC_RECORD_FLAG) memcpy(at, &(bool){whole & 1}, sizeof(bool));
  }
}

static void write_record(sfnec_writer *writer, input *in, uint32_t task) {
  int64_t uses[MOST];
  sfnec_episode_result episodes[MOST];
  sfnec_bin_result bins[MOST];
  sfnec_evaluation_result evaluations[MOST];
  double features[MOST * FEATURES_MOST];
  memset(episodes, 0, sizeof episodes);
  sfnec_task_record record = {.task = take_below(in, 64) ? task : take_byte(in),
                              .uses = uses,
                              .use_count = take_below(in, MOST + 1),
                              .episodes = episodes,
                              .episode_count = take_below(in, MOST + 1),
                              .bins = bins,
                              .bin_count = take_below(in, MOST + 1),
                              .evaluations = evaluations,
                              .features = features,
                              .evaluation_count = take_below(in, MOST + 1),
                              .feature_count = take_below(in, FEATURES_MOST + 1)};
  fill(sfnec_task_record_set(), &record.result, in);
  for (uint32_t i = 0; i < MOST; i++) {
    uses[i] = take_i64(in);
    fill(sfnec_episode_record_set(), &episodes[i], in);
    fill(sfnec_bin_record_set(), &bins[i], in);
    fill(sfnec_evaluation_record_set(), &evaluations[i], in);
  }
  for (size_t i = 0; i < MOST * FEATURES_MOST; i++) features[i] = take_f64(in);
  sfnec_task_record_write(&record, writer);
}

// The payload of a file with so many tasks.
static unsigned char *make(input *in, size_t *size) {
  sfnec_writer *writer = NULL;
  unsigned char *bytes = NULL;
  HOLDS(!sfnec_writer_open_memory(NULL, 0, &writer));
  const uint32_t tasks = take_below(in, TASKS_MOST + 1);
  sfnec_write_text(writer, identity);
  sfnec_write_u32(writer, tasks);
  for (uint32_t task = 0; task < tasks; task++) write_record(writer, in, task);
  HOLDS(!sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

// ---- reading ----

static const char *path_of(void) {
  static char path[300];
  if (!path[0]) snprintf(path, sizeof path, "%s/records", fuzz_folder());
  return path;
}

static sfnec_status read_sealed(uint32_t version, const unsigned char *bytes, size_t size, sfnec_task_record **records,
                                uint32_t *count) {
  size_t sealed_size;
  unsigned char *sealed = fuzz_seal(magic, version, bytes, size, &sealed_size);
  fuzz_write_file(path_of(), sealed, sealed_size);
  free(sealed);
  const sfnec_status status = sfnec_result_read(path_of(), identity, records, count);
  HOLDS(!status || (!*records && *count == 0));
  return status;
}

// Within the table's ranges, and shown as tables and figures show it.
static void check_numbers(const sfnec_record_set *set, const void *record) {
  HOLDS(sfnec_record_check(set, sfnec_record_edition(), record));
  for (const sfnec_record_field *field = set->fields; field->name; field++)
    (void)sfnec_record_shown(set, field, record);
}

static void check_record(const sfnec_task_record *record, uint32_t task) {
  HOLDS(record->task == task);
  check_numbers(sfnec_task_record_set(), &record->result);
  for (uint32_t i = 0; i < record->bin_count; i++) check_numbers(sfnec_bin_record_set(), &record->bins[i]);
  for (uint32_t i = 0; i < record->evaluation_count; i++)
    check_numbers(sfnec_evaluation_record_set(), &record->evaluations[i]);
  for (uint32_t i = 0; i < record->episode_count; i++) HOLDS(record->episodes[i].task == task);
  const sfnec_message message = {.kind = SFNEC_MESSAGE_TASK, .record = *record};
  sfnec_message *copy = sfnec_message_copy(&message);
  HOLDS(copy && copy->record.episode_count == record->episode_count && copy->record.bin_count == record->bin_count);
  sfnec_message_destroy(copy);
}

// Written by this program, they read back to what is written again.
static void check_round(const sfnec_task_record *records, uint32_t count) {
  unsigned char *bytes[2];
  size_t sizes[2];
  sfnec_task_record *again = NULL;
  uint32_t again_count = 0;
  for (int i = 0; i < 2; i++) {
    sfnec_writer *writer = NULL;
    HOLDS(!sfnec_writer_open_memory(NULL, 0, &writer));
    sfnec_write_text(writer, identity);
    sfnec_write_u32(writer, count);
    for (uint32_t k = 0; k < count; k++) sfnec_task_record_write(i ? &again[k] : &records[k], writer);
    HOLDS(!sfnec_writer_take(writer, &bytes[i], &sizes[i]));
    if (i == 0) HOLDS(!read_sealed(1 + sfnec_record_edition(), bytes[0], sizes[0], &again, &again_count));
    HOLDS(again_count == count);
  }
  HOLDS(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
  sfnec_result_free(again, again_count);
  free(bytes[0]);
  free(bytes[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  // mostly the version that is written now
  const uint32_t newest = 1 + sfnec_record_edition(), version = take_below(&in, 4) ? newest : take_byte(&in) % 8;
  size_t length;
  unsigned char *bytes = make(&in, &length);
  fuzz_damage(&in, bytes, length);
  sfnec_task_record *records = NULL;
  uint32_t count = 0;
  const sfnec_status status = read_sealed(version, bytes, length, &records, &count);
  free(bytes);
  if (status) return 0;
  for (uint32_t i = 0; i < count; i++) check_record(&records[i], i);
  // an older file lacks numbers, which get their defaults; those are in range
  check_round(records, count);
  sfnec_result_free(records, count);
  return 0;
}
