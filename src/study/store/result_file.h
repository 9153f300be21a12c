// result_file.h: the records of a finished job in a small file of their own, beside its checkpoints.
//
// The database is what people query; these files are what it can be rebuilt from when it is lost.
#ifndef SFNEC_STUDY_STORE_RESULT_FILE_H
#define SFNEC_STUDY_STORE_RESULT_FILE_H

#include "study/store/record.h"

// Writes the records of all finished tasks of a run. `identity` is the job's (experiment/plan.h).
sfnec_status sfnec_result_write(const char *path, const char *identity, const sfnec_run *run);

// Reads them back: a new array (sfnec_result_free) of `count` records, task 0 first. No such file: SFNEC_OK and 0.
// Fails with SFNEC_ERROR_FORMAT when the file is damaged or another job's, _IO or _MEMORY.
sfnec_status sfnec_result_read(const char *path, const char *identity, sfnec_task_record **records, uint32_t *count);
void sfnec_result_free(sfnec_task_record *records, uint32_t count);

// The record of one finished task of a run; its arrays are the run's.
sfnec_task_record sfnec_record_of(const sfnec_run *run, uint32_t task);

#endif
