// sfnec.h: the whole public interface.
//
//   status.h    how functions report failure
//   options.h   option tables: defaults, setting by text, ranges, help
//   random.h    random streams
//   env.h       environments, built in or your own
//   plugin.h    your own as a shared object that the command loads (not included here)
//   agent.h     the agent
//   reward.h    rewards that are not phi . w, for agents that plan
//   diagnosis.h what keeps an agent from learning well
//   run.h       the paper's protocol: an agent in an environment, task after task
//
// Names: sfnec_<module>_<verb>. create and destroy make and end a handle, save and load go to a file and back, get_ and
// set_ are for what a handle holds, is_ answers yes or no, ask_ computes something for an observation; tables are
// walked by _at (NULL past the last) and searched by _find (NULL if there is none). A pointer is not NULL unless the
// comment says that it may be.
//
// Stable and experimental: from 1.0 on, everything that is not marked experimental changes with the major version only.
// Until then it may change with a minor version, and the changelog describes the migration. Everything that a header
// marks experimental may change with any version. Any version may add fields to structs of options: fill them with
// their _default function, then change fields. Newer versions read the files of older ones.
#ifndef SFNEC_H
#define SFNEC_H

#include "sfnec/agent.h"
#include "sfnec/diagnosis.h"
#include "sfnec/env.h"
#include "sfnec/options.h"
#include "sfnec/random.h"
#include "sfnec/reward.h"
#include "sfnec/run.h"
#include "sfnec/status.h"

#endif
