// folder.c: the files of checkpoints in a folder; see folder.h.
#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder.h"
#include "sfnec/run.h"

enum { LONGEST_NAME = 256 }; // of a file in the folder

bool sfnec_digests_hold(const sfnec_digests *digests, uint64_t digest) {
  for (uint32_t i = 0; i < digests->count; i++) {
    if (digests->items[i] == digest) return true;
  }
  return false;
}

// ---- paths ----

sfnec_status sfnec_folder_check(const char *folder) {
  if (!folder || !*folder) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a checkpoint needs the name of a folder");
  if (strlen(folder) < SFNEC_FOLDER_PATH - LONGEST_NAME) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the name of the checkpoint's folder is too long: it has %zu bytes",
                    strlen(folder));
}

void sfnec_folder_state(const char *folder, int slot, char path[SFNEC_FOLDER_PATH]) {
  snprintf(path, SFNEC_FOLDER_PATH, "%s/state-%d", folder, slot);
}

void sfnec_folder_keys(const char *folder, uint64_t digest, char path[SFNEC_FOLDER_PATH]) {
  snprintf(path, SFNEC_FOLDER_PATH, "%s/keys-%016" PRIx64, folder, digest);
}

bool sfnec_folder_has(const char *path) {
  // what may not be looked at is there: opening it will say why it cannot be
  return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

// ---- going through a folder ----

typedef enum file_kind { FOREIGN, STATE, KEYS, UNFINISHED } file_kind;

// What the name of a file says; `digest` is set for keys.
static file_kind kind_of(const char *name, uint64_t *digest) {
  file_kind kind = STATE;
  const char *rest = name;
  if (strncmp(name, "state-", 6) == 0 && (name[6] == '0' || name[6] == '1')) {
    rest = name + 7;
  } else if (strncmp(name, "keys-", 5) == 0 && strspn(name + 5, "0123456789abcdef") == 16) {
    kind = KEYS;
    rest = name + 21;
    *digest = strtoull(name + 5, NULL, 16);
  } else {
    return FOREIGN;
  }
  if (strncmp(rest, ".tmp.", 5) == 0) return UNFINISHED;
  return *rest ? FOREIGN : kind;
}

typedef sfnec_status (*visitor)(const char *path, file_kind kind, uint64_t digest, void *context);

// Calls the visitor for each file of ours until it fails. A folder that is not there holds none.
static sfnec_status visit(const char *folder, visitor each, void *context) {
  DIR *stream = opendir(folder);
  if (!stream && errno == ENOENT) return SFNEC_OK;
  if (!stream) return sfnec_fail(SFNEC_ERROR_IO, "cannot read the folder %s: %s", folder, strerror(errno));
  sfnec_status status = SFNEC_OK;
  for (struct dirent *entry; !status && (entry = readdir(stream));) {
    char path[SFNEC_FOLDER_PATH];
    uint64_t digest = 0;
    const file_kind kind = kind_of(entry->d_name, &digest);
    if (kind == FOREIGN) continue;
    snprintf(path, sizeof path, "%s/%.*s", folder, LONGEST_NAME - 2, entry->d_name);
    status = each(path, kind, digest, context);
  }
  closedir(stream);
  return status;
}

static sfnec_status clean(const char *path, file_kind kind, uint64_t digest, void *context) {
  const sfnec_digests *lists = context;
  bool useless = kind == UNFINISHED;
  if (kind == KEYS && lists) useless = !sfnec_digests_hold(&lists[0], digest) && !sfnec_digests_hold(&lists[1], digest);
  if (useless) unlink(path);
  return SFNEC_OK;
}

void sfnec_folder_clean(const char *folder, const sfnec_digests lists[SFNEC_FOLDER_STATES]) {
  (void)visit(folder, clean, (void *)lists);
}

static sfnec_status discard(const char *path, file_kind kind, uint64_t digest, void *context) {
  (void)kind, (void)digest, (void)context;
  if (unlink(path) == 0 || errno == ENOENT) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
}

sfnec_status sfnec_run_discard(const char *folder) {
  sfnec_status status = sfnec_folder_check(folder);
  if (status || !sfnec_folder_has(folder)) return status;

  // states first, and for good: keys without a state are no checkpoint, a state without its keys is a damaged one
  char path[SFNEC_FOLDER_PATH];
  for (int slot = 0; slot < SFNEC_FOLDER_STATES && !status; slot++) {
    sfnec_folder_state(folder, slot, path);
    status = discard(path, STATE, 0, NULL);
  }
  if (!status) sfnec_folder_sync_of(path);
  if (!status) status = visit(folder, discard, NULL);
  if (status) return status;
  if (rmdir(folder) == 0 || errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot remove the folder %s: %s", folder, strerror(errno));
}

static sfnec_status put_aside(const char *path, file_kind kind, uint64_t digest, void *context) {
  (void)kind, (void)digest, (void)context;
  char aside[SFNEC_FOLDER_PATH + sizeof ".damaged"];
  snprintf(aside, sizeof aside, "%s.damaged", path);
  if (rename(path, aside) == 0) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot rename %s: %s", path, strerror(errno));
}

sfnec_status sfnec_run_put_aside(const char *folder) {
  const sfnec_status status = sfnec_folder_check(folder);
  return status ? status : visit(folder, put_aside, NULL);
}

static sfnec_status add_bytes(const char *path, file_kind kind, uint64_t digest, void *context) {
  (void)kind, (void)digest;
  struct stat facts;
  if (stat(path, &facts) == 0) *(int64_t *)context += facts.st_size;
  return SFNEC_OK;
}

int64_t sfnec_run_get_saved_bytes(const char *folder) {
  int64_t sum = 0;
  if (!sfnec_folder_check(folder)) (void)visit(folder, add_bytes, &sum);
  return sum;
}
