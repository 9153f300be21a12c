// message.c: messages of workers as bytes; see message.h.
#include "study/work/message.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "run/record.h"

sfnec_status sfnec_message_pack(const sfnec_message *message, unsigned char **bytes, size_t *size) {
  sfnec_writer *writer;
  const sfnec_status status = sfnec_writer_open_memory(NULL, 0, &writer);
  if (status) return status;
  sfnec_write_u32(writer, message->kind);
  sfnec_write_u32(writer, message->worker);
  sfnec_write_u32(writer, message->job);
  sfnec_write_f64(writer, message->tasks_done);
  sfnec_write_i64(writer, message->steps);
  sfnec_write_i64(writer, message->bytes);
  sfnec_write_u32(writer, message->status);
  sfnec_write_text(writer, message->text ? message->text : "");
  if (message->kind == SFNEC_MESSAGE_TASK) sfnec_task_record_write(&message->record, writer);
  return sfnec_writer_take(writer, bytes, size);
}

static bool read_message(sfnec_reader *reader, sfnec_message *message) {
  const uint32_t kind = sfnec_read_u32(reader);
  message->kind = (sfnec_message_kind)kind;
  message->worker = sfnec_read_u32(reader);
  message->job = sfnec_read_u32(reader);
  message->tasks_done = sfnec_read_f64(reader);
  message->steps = sfnec_read_i64(reader);
  message->bytes = sfnec_read_i64(reader);
  message->status = (sfnec_status)sfnec_read_u32(reader);
  message->text = sfnec_read_text(reader, SIZE_MAX);
  if (!message->text || kind > SFNEC_MESSAGE_STOPPED) return false;
  if (message->kind == SFNEC_MESSAGE_TASK && !sfnec_task_record_read(reader, &message->record)) return false;
  return sfnec_reader_left(reader) == 0;
}

sfnec_status sfnec_message_unpack(const unsigned char *bytes, size_t size, sfnec_message **out) {
  *out = NULL;
  sfnec_reader *reader = NULL;
  sfnec_message *message = calloc(1, sizeof *message);
  if (!message) return sfnec_fail_memory("a message");
  sfnec_status status = sfnec_reader_open_memory(bytes, size, NULL, 0, "a message", &reader);
  if (!status && !read_message(reader, message)) status = sfnec_reader_refuse(reader, "it is not whole");
  sfnec_reader_close(reader);
  if (status) sfnec_message_destroy(message);
  else *out = message;
  return status;
}

bool sfnec_message_fits(const sfnec_message *message, const sfnec_plan *plan, uint32_t workers) {
  if (message->worker >= workers || message->job >= plan->job_count) return false;
  const uint32_t tasks = plan->jobs[message->job].run.tasks;
  if (!(message->tasks_done >= 0 && message->tasks_done <= tasks) || message->steps < 0 || message->bytes < 0 ||
      (unsigned)message->status > SFNEC_ERROR_VERSION) {
    return false;
  }
  if (message->kind != SFNEC_MESSAGE_TASK) return true;
  return message->record.task < tasks && sfnec_task_record_check(&message->record, sfnec_record_edition());
}

sfnec_message *sfnec_message_open(const unsigned char *bytes, size_t size, const sfnec_plan *plan, uint32_t workers) {
  sfnec_message *message;
  sfnec_status status;
  // memory comes back when other jobs end
  while ((status = sfnec_message_unpack(bytes, size, &message)) == SFNEC_ERROR_MEMORY)
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  if (!status && sfnec_message_fits(message, plan, workers)) return message;
  sfnec_message_destroy(message);
  return NULL;
}

sfnec_message *sfnec_message_copy(const sfnec_message *message) {
  // through the bytes: one place knows what belongs to a message
  unsigned char *bytes;
  size_t size;
  sfnec_message *copy;
  if (sfnec_message_pack(message, &bytes, &size)) return NULL;
  (void)sfnec_message_unpack(bytes, size, &copy);
  free(bytes);
  return copy;
}

void sfnec_message_destroy(sfnec_message *message) {
  if (!message) return;
  free(message->text);
  sfnec_task_record_clear(&message->record);
  free(message);
}
