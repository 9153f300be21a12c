// output.c: a file that a command writes in one go: whole under its name, or not there.
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static int refuse(const output *output) {
  return fail("--%s: %s", output->option, sfnec_last_error());
}

int output_open(output *output, const char *option, const char *path) {
  *output = (struct output){.option = option, .file = stdout};
  if (strcmp(path, "-") == 0) return EXIT_OK;
  if (sfnec_output_open(&output->whole, path)) return refuse(output);
  output->file = output->whole.file;
  return EXIT_OK;
}

int output_close(output *output, int code) {
  if (output->file == stdout) return code ? code : flush_output();
  const sfnec_status status = sfnec_output_close(&output->whole, !code);
  return status ? refuse(output) : code;
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
