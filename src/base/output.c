// output.c: a file that is written as a stream; see output.h.
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folder.h"

static sfnec_status refuse(const char *path, int error) {
  if (error == ENOMEM) return sfnec_fail_memory("a file");
  return sfnec_fail(SFNEC_ERROR_IO, "cannot write %s: %s; choose another path", path, strerror(error));
}

// Creates a file of its own beside the target (so that the rename stays within one file system), with the rights that
// the user's umask leaves, and writes its name; -1 and errno on failure.
static int open_beside(char *name, size_t size, const char *path) {
  for (int i = 0; i < 100; i++) {
    snprintf(name, size, "%s.tmp.%ld.%d", path, (long)getpid(), i);
    const int descriptor = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

int sfnec_output_begin(sfnec_output *output, const char *path) {
  const size_t size = strlen(path) + 32;
  *output = (sfnec_output){.path = strdup(path), .temporary = malloc(size)};
  const int file = output->path && output->temporary ? open_beside(output->temporary, size, path) : -1;
  struct stat old;
  // a new file has the permissions of the one before it
  if (file >= 0 && lstat(path, &old) == 0 && S_ISREG(old.st_mode)) (void)!fchmod(file, old.st_mode & 0777);
  output->file = file >= 0 ? fdopen(file, "w") : NULL;
  if (output->file) return 0;
  const int error = errno;
  if (file >= 0) {
    unlink(output->temporary);
    close(file);
  }
  sfnec_output_clear(output);
  return error;
}

// The number of the first failure, which is the one to report; those of stdio that have none are EIO.
static int first_error(int error, bool good) {
  if (error || good) return error;
  return errno ? errno : EIO;
}

// Why an earlier write to a file failed. A stream keeps only that one has, so more is written to the unfinished file:
// a disk that is full says so again.
static int ask_why(FILE *file) {
  static const char more[1 << 16];
  errno = 0;
  return write(fileno(file), more, sizeof more) < 0 && errno ? errno : EIO;
}

int sfnec_output_end(sfnec_output *output, bool keep) {
  // a full disk shows at the latest when the file is closed
  errno = 0;
  int error = first_error(0, fflush(output->file) == 0);
  if (!error && ferror(output->file)) error = output->temporary ? ask_why(output->file) : EIO;
  if (!error && keep && output->temporary) error = first_error(0, fsync(fileno(output->file)) == 0);
  const bool closed = fclose(output->file) == 0;
  error = first_error(error, closed);
  output->file = NULL;
  if (!output->temporary) return keep ? error : 0;
  if (!error && keep) error = first_error(0, rename(output->temporary, output->path) == 0);
  if (error || !keep) unlink(output->temporary);
  else sfnec_folder_sync_of(output->path);
  return keep ? error : 0;
}

void sfnec_output_clear(sfnec_output *output) {
  free(output->path);
  free(output->temporary);
  *output = (sfnec_output){0};
}

bool sfnec_output_close_text(FILE *stream, char **text) {
  const bool whole = !ferror(stream);
  // glibc closes a stream without a failure, and without a text, if there is no memory to hand the text over
  if (fclose(stream) == 0 && whole && *text) return true;
  free(*text);
  *text = NULL;
  return false;
}

// `old` is the file of that name, or NULL. Only a plain file may be replaced by another.
static sfnec_status open_over(sfnec_output *output, const char *path, const struct stat *old) {
  int error = 0;
  if (!old || S_ISREG(old->st_mode)) {
    error = sfnec_output_begin(output, path);
  } else {
    *output = (sfnec_output){.file = fopen(path, "we"), .path = strdup(path)};
    if (!output->file || !output->path) error = errno;
    if (error && output->file) fclose(output->file);
    if (error) sfnec_output_clear(output);
  }
  return error ? refuse(path, error) : SFNEC_OK;
}

sfnec_status sfnec_output_open(sfnec_output *output, const char *path) {
  struct stat old;
  return open_over(output, path, lstat(path, &old) == 0 ? &old : NULL);
}

sfnec_status sfnec_output_open_inside(sfnec_output *output, const char *path) {
  // what a link leads to counts only if it is a device or a pipe, which nothing can empty
  struct stat old;
  return open_over(output, path, stat(path, &old) == 0 ? &old : NULL);
}

sfnec_status sfnec_output_close(sfnec_output *output, bool keep) {
  if (!output->file) return SFNEC_OK;
  const int error = sfnec_output_end(output, keep);
  const sfnec_status status = error ? refuse(output->path, error) : SFNEC_OK;
  sfnec_output_clear(output);
  return status;
}
