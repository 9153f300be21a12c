// message.h: what a worker sends to whoever runs the study, from thread to thread or from rank to rank.
#ifndef SFNEC_STUDY_WORK_MESSAGE_H
#define SFNEC_STUDY_WORK_MESSAGE_H

#include "study/plan/plan.h"
#include "study/store/task_record.h"

typedef enum sfnec_message_kind {
  SFNEC_MESSAGE_PROGRESS, // the job is under way
  SFNEC_MESSAGE_TASK,     // a task is finished
  SFNEC_MESSAGE_WARNING,  // something is wrong, but the job continues
  SFNEC_MESSAGE_DONE,     // the job is finished, and its result file is on disk; the worker is free
  SFNEC_MESSAGE_FAILED,   // the job ended with an error; the worker is free
  SFNEC_MESSAGE_STOPPED,  // the job was saved because it was asked to stop; the worker has ended
} sfnec_message_kind;

typedef struct sfnec_message {
  sfnec_message_kind kind;
  uint32_t worker;
  uint32_t job;               // its place in the plan
  double tasks_done;          // 2.25: two tasks and a quarter of the third
  int64_t steps;              // transitions so far, those before a resume included
  int64_t bytes;              // DONE: of the state that was saved
  sfnec_status status;        // FAILED
  char *text;                 // WARNING, FAILED: one sentence; owned, may be NULL
  sfnec_task_record record;   // TASK; its arrays are owned
  struct sfnec_message *next; // in a queue
} sfnec_message;

// Copies a message with all that it owns; NULL without memory.
sfnec_message *sfnec_message_copy(const sfnec_message *message);
void sfnec_message_destroy(sfnec_message *message); // NULL is fine

// A message as new bytes, which the caller frees. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_message_pack(const sfnec_message *message, unsigned char **bytes, size_t *size);
// And back. Fails with SFNEC_ERROR_FORMAT if the bytes are none, and with _MEMORY; *out is then NULL.
sfnec_status sfnec_message_unpack(const unsigned char *bytes, size_t size, sfnec_message **out);
// Are the numbers of a message from elsewhere those of a worker with a job of this plan? `workers`: how many there are.
bool sfnec_message_fits(const sfnec_message *message, const sfnec_plan *plan, uint32_t workers);
// Unpacks a message from elsewhere, however long there is no memory for it: without it its job would never end. NULL:
// it makes no sense in this plan, and its sender counts as gone.
sfnec_message *sfnec_message_open(const unsigned char *bytes, size_t size, const sfnec_plan *plan, uint32_t workers);

#endif
