// record.h: what is known of one task of one job once it is finished.
#ifndef SFNEC_STUDY_STORE_RECORD_H
#define SFNEC_STUDY_STORE_RECORD_H

#include "sfnec/run.h"

typedef struct sfnec_task_record {
  uint32_t task; // from 0
  sfnec_task_result result;
  const int64_t *uses; // (use_count) transitions for which GPI chose each policy
  uint32_t use_count;
  const sfnec_episode_result *episodes; // (episode_count) of this task; none unless they are recorded
  uint32_t episode_count;
} sfnec_task_record;

#endif
