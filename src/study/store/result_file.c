// result_file.c: the records of a finished job in a file; see result_file.h and base/file.h.
#include "study/store/result_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "study/store/news.h"

static const char magic[] = "SFNECRES";
enum { VERSION = 1 };

sfnec_task_record sfnec_record_of(const sfnec_run *run, uint32_t task) {
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

sfnec_status sfnec_result_write(const char *path, const char *identity, const sfnec_run *run) {
  uint32_t count;
  (void)sfnec_run_results(run, &count);
  sfnec_pack pack = {0};
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_task_record record = sfnec_record_of(run, i);
    sfnec_record_pack(&record, &pack);
  }
  sfnec_writer *writer = NULL;
  sfnec_status status =
      pack.failed ? sfnec_fail_memory("the results of a job") : sfnec_writer_open(path, magic, VERSION, &writer);
  if (!status) {
    sfnec_write_text(writer, identity);
    sfnec_write_u32(writer, count);
    sfnec_write_bytes(writer, pack.bytes, pack.size);
    status = sfnec_writer_commit(writer);
  }
  free(pack.bytes);
  return status;
}

static sfnec_status read_records(sfnec_reader *reader, const char *identity, sfnec_task_record **out, uint32_t *count) {
  char *owner = sfnec_read_text(reader, 1 << 20);
  const bool ours = owner && strcmp(owner, identity) == 0;
  free(owner);
  if (!ours) return sfnec_reader_refuse(reader, "it belongs to another job");
  const uint32_t claimed = sfnec_read_u32(reader);
  const size_t size = sfnec_reader_left(reader);
  // a record has at least 64 bytes
  if (claimed > size / 64) return sfnec_reader_refuse(reader, "it ends before its last task");

  unsigned char *bytes = malloc(size ? size : 1);
  sfnec_task_record *records = calloc(claimed ? claimed : 1, sizeof *records);
  sfnec_status status = bytes && records ? SFNEC_OK : sfnec_fail_memory("the results of a job");
  if (!status) {
    sfnec_read_bytes(reader, bytes, size);
    sfnec_unpack pack = {.bytes = bytes, .left = size};
    for (uint32_t i = 0; i < claimed && !status; i++) {
      if (!sfnec_record_unpack(&pack, &records[i]) || records[i].task != i)
        status = sfnec_reader_refuse(reader, "its tasks are not whole");
    }
  }
  free(bytes);
  if (status) {
    sfnec_result_free(records, claimed);
    return status;
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
  for (uint32_t i = 0; records && i < count; i++) sfnec_record_clear(&records[i]);
  free(records);
}
