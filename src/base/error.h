// error.h: setting the text behind sfnec_last_error().
#ifndef SFNEC_BASE_ERROR_H
#define SFNEC_BASE_ERROR_H

#include "sfnec/status.h"

// Keeps the sentence for this thread and returns `status`, so that a failing function is one line:
//   return sfnec_fail(SFNEC_ERROR_ARGUMENT, "task %u does not exist: the agent has %u", task, count);
__attribute__((format(printf, 2, 3))) sfnec_status sfnec_fail(sfnec_status status, const char *format, ...);

// The same for memory that could not be had: names what it was for.
sfnec_status sfnec_fail_memory(const char *what);

// The same for a caller of the API who gave NULL where a header does not allow it:
//   if (!agent || !path) return sfnec_fail_null(__func__);
sfnec_status sfnec_fail_null(const char *function);

#endif
