// sfnec.h: the whole public interface.
#ifndef SFNEC_H
#define SFNEC_H

#include "sfnec/agent.h"
#include "sfnec/env.h"
#include "sfnec/options.h"
#include "sfnec/random.h"
#include "sfnec/run.h"
#include "sfnec/status.h"

#endif
