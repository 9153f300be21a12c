// status.c: the last error of each thread.
#include "sfnec/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

#ifndef SFNEC_VERSION
#error "the build defines SFNEC_VERSION"
#endif

// the only state outside of a handle: per thread, and never read back by the library
static _Thread_local char last_error[512];

const char *sfnec_last_error(void) {
  return last_error;
}

sfnec_status sfnec_set_error(sfnec_status status, const char *sentence) {
  return sfnec_fail(status, "%s", sentence ? sentence : "");
}

const char *sfnec_status_name(sfnec_status status) {
  static const char *const names[] = {"ok", "argument", "option", "state", "memory", "io", "format", "version"};
  return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *sfnec_version(void) {
  return SFNEC_VERSION;
}

sfnec_status sfnec_fail(sfnec_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_error, sizeof last_error, format, arguments);
  va_end(arguments);
  return status;
}

sfnec_status sfnec_fail_memory(const char *what) {
  return sfnec_fail(SFNEC_ERROR_MEMORY, "out of memory for %s: use fewer tasks or a smaller capacity", what);
}

sfnec_status sfnec_fail_null(const char *function) {
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "%s got NULL where its header does not allow it", function);
}
