// weights.h: reward weights from the command line.
#ifndef SFNEC_CLI_WEIGHTS_H
#define SFNEC_CLI_WEIGHTS_H

#include "sfnec/env.h"

// The weights "A,B,..." of --w, one per feature of the environment; anything else is refused with its names.
int weights_parse(const char *text, const sfnec_env *env, double *w);

#endif
