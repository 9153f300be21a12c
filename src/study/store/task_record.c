// task_record.c: the record of a task as bytes, and the file of a finished job's records; see task_record.h.
#include "study/store/task_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static const char magic[] = "SFNECRES";
enum { VERSION = 1, RECORD_SIZE = 64, EPISODE_SIZE = 20 }; // bytes that a record has at least, and an episode

// ---- one record ----

sfnec_task_record sfnec_task_record_of(const sfnec_run *run, uint32_t task) {
  uint32_t finished;
  sfnec_task_record record = {.task = task, .result = sfnec_run_results(run, &finished)[task]};
  record.uses = sfnec_run_uses(run, task, &record.use_count);

  // the episodes of a task lie together
  size_t count, first = 0;
  const sfnec_episode_result *episodes = sfnec_run_episodes(run, &count);
  while (first < count && episodes[first].task < task) first++;
  size_t last = first;
  while (last < count && episodes[last].task == task) last++;
  record.episodes = last > first ? episodes + first : NULL;
  record.episode_count = (uint32_t)(last - first);
  return record;
}

void sfnec_task_record_write(const sfnec_task_record *record, sfnec_writer *writer) {
  const sfnec_task_result *result = &record->result;
  sfnec_write_u32(writer, record->task);
  sfnec_write_f64(writer, result->total);
  sfnec_write_i64(writer, result->steps);
  sfnec_write_i64(writer, result->episodes);
  sfnec_write_i64(writer, result->goals);
  sfnec_write_i64(writer, result->entries);
  sfnec_write_f64(writer, result->w_error);
  sfnec_write_f64(writer, result->seconds);
  sfnec_write_u32(writer, record->use_count);
  sfnec_write_bytes(writer, record->uses, record->use_count * sizeof *record->uses);
  sfnec_write_u32(writer, record->episode_count);
  for (uint32_t i = 0; i < record->episode_count; i++) {
    const sfnec_episode_result *episode = &record->episodes[i];
    sfnec_write_i64(writer, episode->steps);
    sfnec_write_f64(writer, episode->total);
    sfnec_write_u32(writer, episode->terminated);
  }
}

// reads how many elements follow, and makes an array for them if there are bytes for so many; false if there are not,
// or without memory
static bool read_array(sfnec_reader *reader, size_t written_size, size_t size, uint32_t *count, void **out) {
  *count = sfnec_read_u32(reader);
  const bool fits = sfnec_reader_good(reader) && *count <= sfnec_reader_left(reader) / written_size;
  *out = fits && *count ? calloc(*count, size) : NULL;
  return fits && (*out || !*count);
}

static bool read_arrays(sfnec_reader *reader, sfnec_task_record *record) {
  void *elements;
  bool whole = read_array(reader, sizeof *record->uses, sizeof *record->uses, &record->use_count, &elements);
  record->uses = elements;
  if (whole) sfnec_read_bytes(reader, elements, record->use_count * sizeof *record->uses);

  whole = whole && read_array(reader, EPISODE_SIZE, sizeof *record->episodes, &record->episode_count, &elements);
  sfnec_episode_result *episodes = whole ? elements : NULL;
  record->episodes = episodes;
  for (uint32_t i = 0; whole && i < record->episode_count; i++) {
    episodes[i].task = record->task;
    episodes[i].steps = sfnec_read_i64(reader);
    episodes[i].total = sfnec_read_f64(reader);
    episodes[i].terminated = sfnec_read_u32(reader) != 0;
  }
  return whole && sfnec_reader_good(reader);
}

bool sfnec_task_record_read(sfnec_reader *reader, sfnec_task_record *record) {
  *record = (sfnec_task_record){.task = sfnec_read_u32(reader)};
  sfnec_task_result *result = &record->result;
  result->total = sfnec_read_f64(reader);
  result->steps = sfnec_read_i64(reader);
  result->episodes = sfnec_read_i64(reader);
  result->goals = sfnec_read_i64(reader);
  result->entries = sfnec_read_i64(reader);
  result->w_error = sfnec_read_f64(reader);
  result->seconds = sfnec_read_f64(reader);
  if (read_arrays(reader, record)) return true;
  sfnec_task_record_clear(record);
  return false;
}

void sfnec_task_record_clear(sfnec_task_record *record) {
  // what was read is ours; the fields are constant for those who only look
  free((void *)record->uses);
  free((void *)record->episodes);
  *record = (sfnec_task_record){0};
}

// ---- the file of a job ----

sfnec_status sfnec_result_write(const char *path, const char *identity, const sfnec_run *run) {
  uint32_t count;
  (void)sfnec_run_results(run, &count);
  sfnec_writer *writer = NULL;
  const sfnec_status status = sfnec_writer_open(path, magic, VERSION, &writer);
  if (status) return status;
  sfnec_write_text(writer, identity);
  sfnec_write_u32(writer, count);
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_task_record record = sfnec_task_record_of(run, i);
    sfnec_task_record_write(&record, writer);
  }
  return sfnec_writer_commit(writer);
}

static sfnec_status read_records(sfnec_reader *reader, const char *identity, sfnec_task_record **out, uint32_t *count) {
  char *owner = sfnec_read_text(reader, 1 << 20);
  const bool ours = owner && strcmp(owner, identity) == 0;
  free(owner);
  if (!ours) return sfnec_reader_refuse(reader, "it belongs to another job");
  const uint32_t claimed = sfnec_read_u32(reader);
  if (claimed > sfnec_reader_left(reader) / RECORD_SIZE)
    return sfnec_reader_refuse(reader, "it ends before its last task");

  sfnec_task_record *records = calloc(claimed ? claimed : 1, sizeof *records);
  if (!records) return sfnec_fail_memory("the results of a job");
  for (uint32_t i = 0; i < claimed; i++) {
    if (sfnec_task_record_read(reader, &records[i]) && records[i].task == i) continue;
    sfnec_result_free(records, claimed);
    return sfnec_reader_refuse(reader, "its tasks are not whole");
  }
  *out = records;
  *count = claimed;
  return SFNEC_OK;
}

sfnec_status sfnec_result_read(const char *path, const char *identity, sfnec_task_record **records, uint32_t *count) {
  *records = NULL;
  *count = 0;
  if (access(path, F_OK) != 0 && errno == ENOENT) return SFNEC_OK;
  sfnec_reader *reader = NULL;
  sfnec_status status = sfnec_reader_open(path, magic, VERSION, "a file of results", &reader);
  if (!status) status = read_records(reader, identity, records, count);
  sfnec_reader_close(reader);
  return status;
}

void sfnec_result_free(sfnec_task_record *records, uint32_t count) {
  for (uint32_t i = 0; records && i < count; i++) sfnec_task_record_clear(&records[i]);
  free(records);
}
