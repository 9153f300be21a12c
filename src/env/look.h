// look.h: whether a description of how a world looks can be drawn.
#ifndef SFNEC_ENV_LOOK_H
#define SFNEC_ENV_LOOK_H

#include "sfnec/env.h"

// The most cells along a side of a grid: whoever draws it has memory for each of them.
enum { SFNEC_LOOK_MOST_CELLS = 1000 };

// Checks what an environment of that name and so many features says: those who draw use its counts and classes as they
// are. Positions far outside of the picture are moved to its surroundings. Fails with SFNEC_ERROR_ARGUMENT and a
// sentence that names the number.
sfnec_status sfnec_look_check(sfnec_look *look, const char *name, int32_t feature_count);

#endif
