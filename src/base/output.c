// output.c: a file that is written as a stream; see output.h.
#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder.h"

static sfnec_status refuse(const char *path) {
  return sfnec_fail(SFNEC_ERROR_IO, "cannot write %s: %s; choose another path", path, strerror(errno));
}

// mkstemp makes private files; this one has the permissions of the one before it, or those of any new file
static mode_t permissions(const struct stat *old) {
  if (old) return old->st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static FILE *open_temporary(char *name, const struct stat *old) {
  const int file = mkstemp(name);
  FILE *stream = file < 0 || fchmod(file, permissions(old)) ? NULL : fdopen(file, "w");
  if (!stream && file >= 0) {
    unlink(name);
    close(file);
  }
  return stream;
}

// `old` is what is there under the name, or NULL. Only a plain file may be replaced by another.
static sfnec_status begin(sfnec_output *output, const char *path, const struct stat *old) {
  static const char ending[] = ".part-XXXXXX";
  const bool plain = !old || S_ISREG(old->st_mode);
  *output = (sfnec_output){.path = strdup(path), .temporary = plain ? malloc(strlen(path) + sizeof ending) : NULL};
  sfnec_status status = output->path && (output->temporary || !plain) ? SFNEC_OK : sfnec_fail_memory("a file");
  if (!status) {
    if (plain) sprintf(output->temporary, "%s%s", path, ending);
    output->file = plain ? open_temporary(output->temporary, old) : fopen(path, "w");
    if (output->file) return SFNEC_OK;
    status = refuse(path);
  }
  free(output->path);
  free(output->temporary);
  *output = (sfnec_output){0};
  return status;
}

sfnec_status sfnec_output_open(sfnec_output *output, const char *path) {
  struct stat old;
  return begin(output, path, lstat(path, &old) == 0 ? &old : NULL);
}

sfnec_status sfnec_output_open_inside(sfnec_output *output, const char *path) {
  // what a link leads to counts only if it is a device or a pipe, which nothing can empty
  struct stat old;
  return begin(output, path, stat(path, &old) == 0 ? &old : NULL);
}

sfnec_status sfnec_output_close(sfnec_output *output, bool keep) {
  if (!output->file) return SFNEC_OK;
  // a full disk shows at the latest when the file is closed
  bool good = fflush(output->file) == 0 && !ferror(output->file);
  if (good && output->temporary) good = fsync(fileno(output->file)) == 0;
  good = fclose(output->file) == 0 && good;
  if (good && keep && output->temporary) good = rename(output->temporary, output->path) == 0;
  const sfnec_status status = good || !keep ? SFNEC_OK : refuse(output->path);
  if (output->temporary && (status || !keep)) unlink(output->temporary);
  else if (output->temporary) sfnec_folder_sync_of(output->path);
  free(output->path);
  free(output->temporary);
  *output = (sfnec_output){0};
  return status;
}
