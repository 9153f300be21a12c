// limit.h: bounds for commands that only look at what somebody else may have made.
#ifndef SFNEC_CLI_LIMIT_H
#define SFNEC_CLI_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/agent.h"

// The row of --time-limit in a command's table.
#define ARG_TIME_LIMIT(type, field)                                                                                    \
  {                                                                                                                    \
    "time-limit", ARG_INT, offsetof(type, field), "SECONDS", "0", 0, 1000000000,                                       \
        "end with an error after so many seconds, 0 = never"                                                           \
  }

// Ends the program with a sentence after so many seconds; 0: never. Files are written aside and renamed, so none is
// left unfinished under its name.
void limit_time(int64_t seconds);

// Bounds what an agent of a file spends on a plan (agent/agent.h), and says so if that is less than its options ask
// for.
void limit_plans(sfnec_agent *agent, const char *path);

#endif
