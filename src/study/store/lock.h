// lock.h: at most one process at a time on a folder, by a file lock that a crash releases.
#ifndef SFNEC_STUDY_STORE_LOCK_H
#define SFNEC_STUDY_STORE_LOCK_H

#include <stdbool.h>

#include "sfnec/status.h"

typedef struct sfnec_lock sfnec_lock;

enum { SFNEC_LOCK_HOLDER = 320 }; // room for "host, process 123"

// Takes the lock of a folder, which is the file `lock` in it. Fails with SFNEC_ERROR_STATE when another process (or
// another part of this one) has it, naming host and process; with _IO or _MEMORY.
sfnec_status sfnec_lock_take(const char *folder, sfnec_lock **out);
void sfnec_lock_release(sfnec_lock *lock); // NULL is fine
// Whether the lock still keeps others out: fails with SFNEC_ERROR_STATE when its file was removed or replaced.
sfnec_status sfnec_lock_check(const sfnec_lock *lock, const char *folder);

// Whether some process has the lock now, and who: "host, process 123" ("" if nobody). Never takes or loses it.
bool sfnec_lock_held(const char *folder, char holder[SFNEC_LOCK_HOLDER]);

#endif
