// capacity.h: one budget of entries for the memories of all tasks and actions (option capacity_total).
#ifndef SFNEC_AGENT_CAPACITY_H
#define SFNEC_AGENT_CAPACITY_H

#include "sfnec/agent.h"

// Makes the memories fit the budget again after something was written. Fails with SFNEC_ERROR_MEMORY; the next call
// tries again.
sfnec_status sfnec_capacity_keep(sfnec_agent *agent);
#endif
