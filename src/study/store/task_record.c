// task_record.c: the record of a task as bytes, and the file of a finished job's records; see task_record.h.
#include "study/store/task_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "run/record.h"
#include "run/state.h"

static const char magic[] = "SFNECRES";
enum { OLDEST_VERSION = 1 }; // each edition of the records (run/record.h) is one more

// ---- one record ----

sfnec_task_record sfnec_task_record_of(const sfnec_run *run, uint32_t task) {
  uint32_t finished;
  sfnec_task_record record = {.task = task, .result = sfnec_run_get_results(run, &finished)[task]};
  record.uses = sfnec_run_get_uses(run, task, &record.use_count);
  record.bins = sfnec_run_get_bins(run, task, &record.bin_count);

  record.evaluations = sfnec_run_get_evaluations(run, task, &record.evaluation_count, &record.features);
  if (record.evaluation_count) record.feature_count = (uint32_t)run->play.feature_count;

  // the episodes of a task lie together
  size_t count, first = 0;
  const sfnec_episode_result *episodes = sfnec_run_get_episodes(run, &count);
  while (first < count && episodes[first].task < task) first++;
  size_t last = first;
  while (last < count && episodes[last].task == task) last++;
  record.episodes = last > first ? episodes + first : NULL;
  record.episode_count = (uint32_t)(last - first);
  return record;
}

void sfnec_task_record_write(const sfnec_task_record *record, sfnec_writer *writer) {
  sfnec_write_u32(writer, record->task);
  sfnec_record_write(sfnec_task_record_set(), &record->result, writer);
  sfnec_write_u32(writer, record->use_count);
  sfnec_write_bytes(writer, record->uses, record->use_count * sizeof *record->uses);
  sfnec_write_u32(writer, record->episode_count);
  for (uint32_t i = 0; i < record->episode_count; i++)
    sfnec_record_write(sfnec_episode_record_set(), &record->episodes[i], writer);
  sfnec_write_u32(writer, record->bin_count);
  for (uint32_t i = 0; i < record->bin_count; i++) sfnec_record_write(sfnec_bin_record_set(), &record->bins[i], writer);
  sfnec_write_u32(writer, record->feature_count);
  sfnec_write_u32(writer, record->evaluation_count);
  for (uint32_t i = 0; i < record->evaluation_count; i++)
    sfnec_record_write(sfnec_evaluation_record_set(), &record->evaluations[i], writer);
  const size_t features = (size_t)record->evaluation_count * record->feature_count;
  sfnec_write_bytes(writer, record->features, features * sizeof *record->features);
}

// a message has no version: it is of the program that reads it
static uint32_t edition_of(const sfnec_reader *reader) {
  const uint32_t version = sfnec_reader_version(reader);
  return version ? version - OLDEST_VERSION : sfnec_record_edition();
}

// reads how many elements follow, and makes an array for them if there are bytes for so many; false if there are not,
// or without memory
static bool read_array(sfnec_reader *reader, size_t written_size, size_t size, uint32_t *count, void **out) {
  *count = sfnec_read_u32(reader);
  *out = *count ? sfnec_read_room(reader, *count, written_size, size) : NULL;
  return *out || (!*count && sfnec_reader_good(reader));
}

// files of older programs have no bins
static bool read_bins(sfnec_reader *reader, sfnec_task_record *record) {
  const sfnec_record_set *set = sfnec_bin_record_set();
  const uint32_t edition = edition_of(reader);
  if ((int)edition < set->since) return true;
  void *elements;
  const bool whole =
      read_array(reader, sfnec_record_size(set, edition), sizeof *record->bins, &record->bin_count, &elements);
  sfnec_bin_result *bins = elements;
  record->bins = bins;
  for (uint32_t i = 0; whole && i < record->bin_count && sfnec_reader_good(reader); i++)
    sfnec_record_read(set, edition, &bins[i], reader);
  return whole;
}

// nor evaluations
static bool read_evaluations(sfnec_reader *reader, sfnec_task_record *record) {
  const sfnec_record_set *set = sfnec_evaluation_record_set();
  const uint32_t edition = edition_of(reader);
  if ((int)edition < set->since) return true;
  const size_t n = record->feature_count = sfnec_read_u32(reader);
  void *elements;
  if (!read_array(reader, sfnec_record_size(set, edition) + n * sizeof(double), sizeof *record->evaluations,
                  &record->evaluation_count, &elements)) {
    return false;
  }
  const uint32_t count = record->evaluation_count;
  sfnec_evaluation_result *evaluations = elements;
  record->evaluations = evaluations;
  for (uint32_t i = 0; i < count && sfnec_reader_good(reader); i++)
    sfnec_record_read(set, edition, &evaluations[i], reader);
  if (!count || !n) return true;
  record->features = sfnec_read_array(reader, count, n * sizeof *record->features);
  return record->features != NULL;
}

static bool read_arrays(sfnec_reader *reader, sfnec_task_record *record) {
  const sfnec_record_set *set = sfnec_episode_record_set();
  const uint32_t edition = edition_of(reader);
  void *elements;
  bool whole = read_array(reader, sizeof *record->uses, sizeof *record->uses, &record->use_count, &elements);
  record->uses = elements;
  if (whole) sfnec_read_bytes(reader, elements, record->use_count * sizeof *record->uses);

  whole = whole && read_array(reader, sfnec_record_size(set, edition), sizeof *record->episodes, &record->episode_count,
                              &elements);
  sfnec_episode_result *episodes = whole ? elements : NULL;
  record->episodes = episodes;
  for (uint32_t i = 0; whole && i < record->episode_count && sfnec_reader_good(reader); i++) {
    episodes[i].task = record->task;
    sfnec_record_read(set, edition, &episodes[i], reader);
  }
  return whole && read_bins(reader, record) && read_evaluations(reader, record) && sfnec_reader_good(reader);
}

bool sfnec_task_record_check(const sfnec_task_record *record, uint32_t edition) {
  bool good = sfnec_record_check(sfnec_task_record_set(), edition, &record->result);
  for (uint32_t i = 0; i < record->bin_count && good; i++)
    good = sfnec_record_check(sfnec_bin_record_set(), edition, &record->bins[i]);
  for (uint32_t i = 0; i < record->evaluation_count && good; i++)
    good = sfnec_record_check(sfnec_evaluation_record_set(), edition, &record->evaluations[i]);
  return good;
}

bool sfnec_task_record_read(sfnec_reader *reader, sfnec_task_record *record) {
  *record = (sfnec_task_record){.task = sfnec_read_u32(reader)};
  sfnec_record_read(sfnec_task_record_set(), edition_of(reader), &record->result, reader);
  if (read_arrays(reader, record)) return true;
  sfnec_task_record_clear(record);
  return false;
}

void sfnec_task_record_clear(sfnec_task_record *record) {
  // what was read is ours; the fields are constant for those who only look
  free((void *)record->uses);
  free((void *)record->episodes);
  free((void *)record->bins);
  free((void *)record->evaluations);
  free((void *)record->features);
  *record = (sfnec_task_record){0};
}

// ---- the file of a job ----

sfnec_status sfnec_result_write(const char *path, const char *identity, const sfnec_run *run) {
  uint32_t count;
  (void)sfnec_run_get_results(run, &count);
  sfnec_writer *writer = NULL;
  const sfnec_status status = sfnec_writer_open(path, magic, OLDEST_VERSION + sfnec_record_edition(), &writer);
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
  const size_t least = sfnec_record_size(sfnec_task_record_set(), edition_of(reader)) + 2 * sizeof(uint32_t);
  sfnec_task_record *records = sfnec_read_room(reader, claimed, least, sizeof *records);
  if (!records) return sfnec_reader_refuse(reader, "it ends before its last task");
  for (uint32_t i = 0; i < claimed && sfnec_reader_good(reader); i++) {
    const bool whole = sfnec_task_record_read(reader, &records[i]) && records[i].task == i;
    if (whole && sfnec_task_record_check(&records[i], edition_of(reader))) continue;
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
  sfnec_status status = sfnec_reader_open_since(path, magic, OLDEST_VERSION, OLDEST_VERSION + sfnec_record_edition(),
                                                "a file of results", &reader);
  if (!status) status = read_records(reader, identity, records, count);
  sfnec_reader_close(reader);
  return status;
}

void sfnec_result_free(sfnec_task_record *records, uint32_t count) {
  for (uint32_t i = 0; records && i < count; i++) sfnec_task_record_clear(&records[i]);
  free(records);
}
