// error.h: setting the text behind sfnec_last_error().
#ifndef SFNEC_BASE_ERROR_H
#define SFNEC_BASE_ERROR_H

#include "sfnec/status.h"

// Keeps the sentence for this thread and returns `status`, so that a failing function is one line:
//   return sfnec_fail(SFNEC_ERROR_ARGUMENT, "task %u does not exist: the agent has %u", task, count);
__attribute__((format(printf, 2, 3))) sfnec_status sfnec_fail(sfnec_status status, const char *format, ...);

// The same for memory that could not be had: names what it was for.
sfnec_status sfnec_fail_memory(const char *what);

#endif
