// library.h: the policies that an agent has learned, one per task: psi, w and how often they were used.
#ifndef SFNEC_AGENT_LIBRARY_H
#define SFNEC_AGENT_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "agent/psi.h"
#include "agent/reward.h"

typedef struct sfnec_policy {
  sfnec_psi *psi;
  sfnec_reward reward;
  int64_t steps;  // transitions while its task was the active one
  int64_t chosen; // transitions for which GPI chose it
} sfnec_policy;

typedef struct sfnec_library {
  sfnec_psi_shape shape;
  uint32_t count, room;
  sfnec_policy *policies; // (count)

  // the weights that GPI used last, for ruling policies out
  double *last_w; // (n); NULL until there were any
  uint64_t stamp; // changes whenever they do
  uint64_t uses;  // how often in a row they were used
} sfnec_library;

void sfnec_library_clear(sfnec_library *library);

// Makes a fresh policy for the place `task` (w as for sfnec_reward_init), without adding it. A linear psi may be
// warm-started from the policy before that place.
sfnec_status sfnec_policy_init(sfnec_policy *policy, const sfnec_library *library, uint32_t task, const double *w,
                               sfnec_random *init);
void sfnec_policy_clear(sfnec_policy *policy);

// Room for one more policy, so that the next push cannot fail.
sfnec_status sfnec_library_reserve(sfnec_library *library);
void sfnec_library_push(sfnec_library *library, const sfnec_policy *policy);
// A stamp of these weights (n) for ruling policies out, or 0 if it would not pay: scoring all entries by new weights
// costs about as much as a dozen look-ups, so weights that change at every step are better used without.
uint64_t sfnec_library_stamp(sfnec_library *library, const double *w);

// Removes a policy; the later ones move down.
void sfnec_library_remove(sfnec_library *library, uint32_t i);

#endif
