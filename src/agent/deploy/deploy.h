// deploy.h: a frozen agent as one C file; shared by the files of this folder.
//
// The file is made of constants and data, written here, and of the runtime (runtime/*.in), which answers from them as
// the library does, in its scalar arithmetic: to the bit. What the library keeps for speed (an index, pruning, answers
// at hand) has no part in it.
#ifndef SFNEC_AGENT_DEPLOY_DEPLOY_H
#define SFNEC_AGENT_DEPLOY_DEPLOY_H

#include "agent/agent.h"
#include "agent/deploy/source.h"
#include "agent/plan/internal.h"

// What one call costs at most, for the head of the file.
typedef struct sfnec_deploy_cost {
  double distances;   // between keys, each of as many multiply-adds as a key has numbers
  double embedding;   // multiply-adds of embeddings
  double multiplies;  // other multiply-adds, about
  size_t state_bytes; // of the caller's state, at most
  const char *per;    // what is counted: a call of ...
} sfnec_deploy_cost;

// Writes constants and data of an agent with a psi per task; w NULL: the weights of the active task.
sfnec_status sfnec_deploy_policies(const sfnec_agent *agent, const double *w, sfnec_source *source,
                                   sfnec_deploy_cost *cost);
// The same of an agent that plans. Fails with SFNEC_ERROR_STATE if there is nothing to plan by, or too much.
sfnec_status sfnec_deploy_plan(const sfnec_agent *agent, const double *w, sfnec_source *source,
                               sfnec_deploy_cost *cost);
// The plan that is written: for these weights, and for every context that a transition was seen in, in their order.
sfnec_status sfnec_deploy_freeze(const sfnec_agent *agent, sfnec_plan_scratch *scratch, const double *w);

#endif
