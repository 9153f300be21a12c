// status.h: how every function of the library reports success or failure.
//
// A function that can fail returns an sfnec_status: 0 is success, anything else names the kind of failure. The
// sentence that says what was wrong, where, and what to do is kept per thread and read with sfnec_last_error().
// The library never prints and never exits. Functions that return no status cannot fail.
//
// A NULL that a header does not allow is refused with SFNEC_ERROR_ARGUMENT; a function that returns no status does
// nothing then, and returns 0, false, NULL or "".
#ifndef SFNEC_STATUS_H
#define SFNEC_STATUS_H

#include "sfnec/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sfnec_status {
  SFNEC_OK = 0,
  SFNEC_ERROR_ARGUMENT, // an argument is out of range, not finite, or NULL
  SFNEC_ERROR_OPTION,   // an unknown option, or a value that the option refuses
  SFNEC_ERROR_STATE,    // the call does not fit the state of the object (acting before a task was begun, ...)
  SFNEC_ERROR_MEMORY,   // out of memory; the object is as it was before the call (but see sfnec_agent_observe)
  SFNEC_ERROR_IO,       // a file could not be opened, read or written
  SFNEC_ERROR_FORMAT,   // a file is foreign, truncated or corrupted
  SFNEC_ERROR_VERSION,  // a file was written by a newer version of the library: it may be whole, and is kept
} sfnec_status;

// The last failure of this thread as one sentence without a trailing newline; "" if there was none.
// Valid until the next failing call of the same thread.
SFNEC_API const char *sfnec_last_error(void);

// Sets the sentence and returns `status`: for the callbacks of a user's own environment, so that they can say what is
// wrong as the library does. Longer sentences are cut after 511 bytes; NULL is an empty one.
SFNEC_API sfnec_status sfnec_set_error(sfnec_status status, const char *sentence);

// A short lower-case name of a status, for example "argument"; never NULL.
SFNEC_API const char *sfnec_status_name(sfnec_status status);

// The version of the library that is running, for example "1.2.3".
SFNEC_API const char *sfnec_version(void);

#ifdef __cplusplus
}
#endif

#endif
