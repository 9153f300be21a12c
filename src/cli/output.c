// output.c: a file that a command writes in one go: whole under its name, or not there.
#include "cli/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static int refuse(const output *output) {
  return fail("--%s %s: cannot write: %s; choose another path", output->option, output->path, strerror(errno));
}

// mkstemp makes private files; a table has the permissions of the one before it, or those of any new file
static mode_t permissions(const struct stat *old) {
  if (old) return old->st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static FILE *open_temporary(output *output, const struct stat *old) {
  output->temporary = must_alloc(strlen(output->path) + sizeof ".part-XXXXXX", 1);
  sprintf(output->temporary, "%s.part-XXXXXX", output->path);
  const int file = mkstemp(output->temporary);
  FILE *stream = file < 0 || fchmod(file, permissions(old)) ? NULL : fdopen(file, "w");
  if (!stream && file >= 0) {
    unlink(output->temporary);
    close(file);
  }
  return stream;
}

int output_open(output *output, const char *option, const char *path) {
  *output = (struct output){.option = option, .path = path};
  struct stat old;
  if (strcmp(path, "-") == 0) output->file = stdout;
  // only a plain file may be replaced by another
  else if (lstat(path, &old) != 0) output->file = open_temporary(output, NULL);
  else if (S_ISREG(old.st_mode)) output->file = open_temporary(output, &old);
  else output->file = fopen(path, "w");
  if (output->file) return EXIT_OK;
  const int code = refuse(output);
  free(output->temporary);
  return code;
}

int output_close(output *output, int code) {
  if (output->file == stdout) return code ? code : flush_output();
  bool good = fflush(output->file) == 0 && !ferror(output->file);
  if (good && output->temporary) good = fsync(fileno(output->file)) == 0;
  good = fclose(output->file) == 0 && good;
  if (good && !code && output->temporary) good = rename(output->temporary, output->path) == 0;
  if (!good && !code) code = refuse(output);
  if (code && output->temporary) unlink(output->temporary);
  free(output->temporary);
  return code;
}

int check_writable(const char *path, const char *option) {
  struct stat there;
  // saving ends with a rename, which must not put a file in the place of a device or of a link such as /dev/stdout
  if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return fail("%s %s is not a regular file but a link, a folder or a device; choose another path", option, path);
  // only trying tells: root passes every test of permissions, even on a read-only disk
  char *probe = must_alloc(strlen(path) + 16, 1);
  sprintf(probe, "%s.probe-XXXXXX", path);
  const int file = path[0] ? mkstemp(probe) : -1;
  const int why = path[0] ? errno : ENOENT;
  if (file >= 0) {
    close(file);
    unlink(probe);
  }
  free(probe);
  if (file < 0) return fail("%s %s: cannot write there: %s; choose another path", option, path, strerror(why));
  return EXIT_OK;
}
