// folder.c: making folders that last; see folder.h.
#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

void sfnec_folder_sync_of(const char *path) {
  char *folder = strdup(path);
  if (!folder) return;
  char *slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  const int descriptor = open(slash ? folder : ".", O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    fsync(descriptor);
    close(descriptor);
  }
  free(folder);
}

// 0, or the error number
static int make(const char *path) {
  if (mkdir(path, 0777) == 0) {
    sfnec_folder_sync_of(path);
    return 0;
  }
  // a folder that is there is fine, however mkdir feels about its parent
  const int error = errno;
  struct stat facts;
  if (stat(path, &facts) != 0) return error;
  return S_ISDIR(facts.st_mode) ? 0 : ENOTDIR;
}

static sfnec_status refuse(const char *path, int error) {
  return sfnec_fail(SFNEC_ERROR_IO, "cannot make the folder %s: %s; choose another one", path, strerror(error));
}

sfnec_status sfnec_folder_make_one(const char *path) {
  const int error = make(path);
  return error ? refuse(path, error) : SFNEC_OK;
}

sfnec_status sfnec_folder_make(const char *path) {
  char *part = strdup(path);
  if (!part) return sfnec_fail_memory("the name of a folder");
  int error = 0;
  for (char *slash = part; slash && !error;) {
    slash = strchr(slash + 1, '/');
    if (slash) *slash = '\0';
    error = make(part);
    if (slash) *slash = '/';
  }
  free(part);
  return error ? refuse(path, error) : SFNEC_OK;
}
