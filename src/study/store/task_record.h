// task_record.h: what is known of one task of one job once it is finished, and the file of a finished job's tasks.
//
// The database is what people query; the small files beside the checkpoints are what it can be rebuilt from when it is
// lost.
#ifndef SFNEC_STUDY_STORE_TASK_RECORD_H
#define SFNEC_STUDY_STORE_TASK_RECORD_H

#include "base/file.h"
#include "sfnec/run.h"

typedef struct sfnec_task_record {
  uint32_t task; // from 0
  sfnec_task_result result;
  const int64_t *uses; // (use_count) transitions for which GPI chose each policy
  uint32_t use_count;
  const sfnec_episode_result *episodes; // (episode_count) of this task; none unless they are recorded
  uint32_t episode_count;
  const sfnec_bin_result *bins; // (bin_count) its curve over steps; none if it was not recorded
  uint32_t bin_count;
  const sfnec_evaluation_result *evaluations; // (evaluation_count) on the side of it
  const double *features;                     // (evaluation_count, feature_count) phi, added up
  uint32_t evaluation_count, feature_count;
} sfnec_task_record;

// The record of one finished task of a run; its arrays are the run's.
sfnec_task_record sfnec_task_record_of(const sfnec_run *run, uint32_t task);

// A record as bytes, and back into new arrays, which clear frees; false if the bytes are none, or without memory.
void sfnec_task_record_write(const sfnec_task_record *record, sfnec_writer *writer);
bool sfnec_task_record_read(sfnec_reader *reader, sfnec_task_record *record);
void sfnec_task_record_clear(sfnec_task_record *record);
// Are the numbers of a record of that edition in their ranges?
bool sfnec_task_record_check(const sfnec_task_record *record, uint32_t edition);

// Writes the records of all finished tasks of a run to a file. `identity` is the job's (study/plan/plan.h).
sfnec_status sfnec_result_write(const char *path, const char *identity, const sfnec_run *run);
// Reads them back: a new array (sfnec_result_free) of `count` records, task 0 first. No such file: SFNEC_OK and 0.
// Fails with SFNEC_ERROR_FORMAT when the file is damaged or another job's, _IO or _MEMORY.
sfnec_status sfnec_result_read(const char *path, const char *identity, sfnec_task_record **records, uint32_t *count);
void sfnec_result_free(sfnec_task_record *records, uint32_t count);

#endif
