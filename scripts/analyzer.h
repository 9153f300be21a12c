// analyzer.h: read before every file by clang-tidy in `make lint`, and by nothing else.
//
// The analyzer sees one file at a time, so it believes that sfnec_fail() may return SFNEC_OK, and follows paths that do
// not exist. These say that it returns the failure that it was given.
#include "../src/base/error.h"

// status.c defines the functions; only that file gets SFNEC_VERSION
#ifndef SFNEC_VERSION
#define sfnec_fail(status, ...) (sfnec_fail(status, __VA_ARGS__), (status))
#define sfnec_fail_memory(what) (sfnec_fail_memory(what), SFNEC_ERROR_MEMORY)
#endif
