// cli.c: how the command reports errors, and allocation that succeeds or ends the program.
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/crash.h"

void complain(const char *format, ...) {
  // one write per error, so that lines of parallel programs do not mix
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  // names from the command line may hold anything; an error stays one line
  sfnec_text_clean(text);
  fprintf(stderr, "sfnec: %s\n", text);
}

int code_of(sfnec_status status) {
  if (!status) return EXIT_OK;
  complain("%s", sfnec_last_error());
  return status == SFNEC_ERROR_OPTION ? EXIT_USAGE : EXIT_FAILED;
}

int flush_output(void) {
  // the stream remembers its error, so it is reported here once and stays an error for the caller
  static bool told;
  static int code = EXIT_FAILED;
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_OK;
  if (!told && errno == EPIPE) code = EXIT_PIPE;
  else if (!told) complain("cannot write to standard output: %s", strerror(errno));
  told = true;
  return code;
}

static void *there(void *block) {
  if (block) return block;
  complain("out of memory; use fewer --jobs, tasks or entries (--set capacity=N)");
  crash_done();
  exit(EXIT_FAILED);
}

void *must_alloc(size_t count, size_t size) {
  return there(calloc(count ? count : 1, size));
}

void *must_realloc(void *block, size_t count, size_t size) {
  return there(count > SIZE_MAX / size ? NULL : realloc(block, count * size));
}

char *must_copy(const char *text) {
  return there(strdup(text));
}
