// store_parts.h: what the files of the store share.
#ifndef SFNEC_STUDY_STORE_STORE_PARTS_H
#define SFNEC_STUDY_STORE_STORE_PARTS_H

#include "study/store/lock.h"
#include "study/store/store.h"
#include "study/store/store_sql.h"

struct sfnec_store {
  sfnec_sql sql;
  char *folder, *path; // the texts that sql borrows
  sfnec_lock *lock;
  char *spec;      // NULL in a new experiment
  int64_t session; // 0: none was begun
};

// The state of a name; waiting for anything else.
sfnec_job_state sfnec_job_state_read(const char *text);

// Reads the stored spec text again.
sfnec_status sfnec_store_read_spec(sfnec_store *store);

#endif
