// folder.h: the files of checkpoints in a folder.
//
// `state-0` and `state-1` hold the two last states; `keys-` and 16 hexadecimal digits, the digest of what they hold,
// are keys that states refer to. A file named by its content is never overwritten by another content, so a new state
// cannot harm an older one. Other files in the folder are not touched.
#ifndef SFNEC_RUN_FOLDER_H
#define SFNEC_RUN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "sfnec/status.h"

enum { SFNEC_FOLDER_STATES = 2, SFNEC_FOLDER_PATH = 4096 };

typedef struct sfnec_digests {
  uint64_t *items; // (count)
  uint32_t count;
} sfnec_digests;

bool sfnec_digests_hold(const sfnec_digests *digests, uint64_t digest);

// Is this a name for a folder, and short enough?
sfnec_status sfnec_folder_check(const char *folder);

// The paths of the files; the folder was checked.
void sfnec_folder_state(const char *folder, int slot, char path[SFNEC_FOLDER_PATH]);
void sfnec_folder_keys(const char *folder, uint64_t digest, char path[SFNEC_FOLDER_PATH]);
bool sfnec_folder_has(const char *path);

// Removes what killed processes left unfinished, and the keys that are in none of the lists; lists NULL: keeps all
// keys. A file that cannot be removed stays: it does no harm.
void sfnec_folder_clean(const char *folder, const sfnec_digests lists[SFNEC_FOLDER_STATES]);

#endif
