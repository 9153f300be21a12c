// news.h: what a worker tells the conductor of an experiment, from thread to thread or from rank to rank.
#ifndef SFNEC_STUDY_STORE_NEWS_H
#define SFNEC_STUDY_STORE_NEWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"
#include "sfnec/status.h"
#include "study/store/record.h"

typedef enum sfnec_news_kind {
  SFNEC_NEWS_PROGRESS, // the job is under way
  SFNEC_NEWS_TASK,     // a task is finished
  SFNEC_NEWS_WARNING,  // something is wrong, but the job goes on
  SFNEC_NEWS_DONE,     // the job is finished, and its result file is on disk; the worker is free
  SFNEC_NEWS_FAILED,   // the job ended with an error; the worker is free
  SFNEC_NEWS_STOPPED,  // the job was saved because it was asked to stop; the worker has ended
} sfnec_news_kind;

typedef struct sfnec_news {
  sfnec_news_kind kind;
  uint32_t worker;
  uint32_t job;             // its place in the plan
  double tasks_done;        // 2.25: two tasks and a quarter of the third
  int64_t steps;            // transitions so far, those before a resume included
  int64_t bytes;            // DONE: of the state that was saved
  sfnec_status status;      // FAILED
  char *text;               // WARNING, FAILED: one sentence; owned, may be NULL
  sfnec_task_record record; // TASK; its arrays are owned
  struct sfnec_news *next;  // in a queue
} sfnec_news;

// Copies news with all that it owns; NULL without memory.
sfnec_news *sfnec_news_copy(const sfnec_news *news);
void sfnec_news_destroy(sfnec_news *news); // NULL is fine

// News as bytes, and back (NULL if the bytes are no news, or without memory).
void sfnec_news_pack(const sfnec_news *news, sfnec_pack *pack);
sfnec_news *sfnec_news_unpack(sfnec_unpack *pack);

// A record as bytes, and back into new arrays, which record_clear frees; false if the bytes are none.
void sfnec_record_pack(const sfnec_task_record *record, sfnec_pack *pack);
bool sfnec_record_unpack(sfnec_unpack *pack, sfnec_task_record *record);
void sfnec_record_clear(sfnec_task_record *record);

#endif
