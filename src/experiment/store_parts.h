// store_parts.h: what the files of the store share.
#ifndef SFNEC_EXPERIMENT_STORE_PARTS_H
#define SFNEC_EXPERIMENT_STORE_PARTS_H

#include "experiment/lock.h"
#include "experiment/store.h"
#include "experiment/store_sql.h"

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
