// fuzz_result.c: the result file of a job behind its checksum. What is accepted goes on as messages do.
#include "fuzz.h"
#include "study/work/message.h"

// An input: one byte for the version, then the payload.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  static char path[300];
  if (!path[0]) snprintf(path, sizeof path, "%s/result", fuzz_folder());
  size_t sealed_size;
  unsigned char *sealed = fuzz_seal("SFNECRES", data[0], data + 1, size - 1, &sealed_size);
  fuzz_write_file(path, sealed, sealed_size);
  free(sealed);

  sfnec_task_record *records;
  uint32_t count;
  const sfnec_status status = sfnec_result_read(path, "fuzz", &records, &count);
  HOLDS(!status || (!records && count == 0));
  for (uint32_t i = 0; i < count; i++) {
    HOLDS(records[i].task == i);
    const sfnec_message message = {.kind = SFNEC_MESSAGE_TASK, .record = records[i]};
    sfnec_message *copy = sfnec_message_copy(&message);
    HOLDS(copy && copy->record.use_count == records[i].use_count);
    sfnec_message_destroy(copy);
  }
  sfnec_result_free(records, count);
  return 0;
}
