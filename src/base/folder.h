// folder.h: making folders that last.
#ifndef SFNEC_BASE_FOLDER_H
#define SFNEC_BASE_FOLDER_H

#include "sfnec/status.h"

// Makes a folder, with those above it that are missing, or only itself; one that is there is fine. Fails with
// SFNEC_ERROR_IO.
sfnec_status sfnec_folder_make(const char *path);
sfnec_status sfnec_folder_make_one(const char *path);
// Makes a new name last: syncs the folder that holds it. A file system that cannot do that is not an error.
void sfnec_folder_sync_of(const char *path);

#endif
