// gpi.h: generalised policy improvement: the best action over a set of policies under given weights.
#ifndef SFNEC_AGENT_GPI_H
#define SFNEC_AGENT_GPI_H

#include <stdint.h>

#include "agent/frame.h"
#include "agent/library.h"

enum { SFNEC_NO_POLICY = -1 };

// Which policies are asked, and how their values are weighed.
typedef struct sfnec_gpi_rule {
  const double *w;    // (n)
  int32_t active;     // the policy that is not penalised and whose memories define novelty; SFNEC_NO_POLICY: none
  int32_t only;       // ask this policy alone; SFNEC_NO_POLICY: ask all
  double penalty;     // times the remoteness of the other policies' memories, subtracted
  double novelty;     // times the remoteness of the active policy's memory of the action, added
  int32_t likely;     // the policy to ask first, as it may well win; any number, it does not change the choice
  uint64_t stamp;     // of w, to rule policies out without asking them (sfnec_library_stamp); 0: ask all
  sfnec_random *ties; // breaks ties; NULL: the first in the order of policies, then actions
} sfnec_gpi_rule;

// The argmax of psi_k(s, b) . w - penalty + novelty over policies k and actions b. `value` of the choice is psi . w
// itself. Ties (equal scores) are broken uniformly with one draw; without ties nothing is drawn. A score that is not a
// number never wins. The library must not be empty.
sfnec_choice sfnec_gpi_choose(sfnec_frame *frame, const sfnec_library *library, const sfnec_gpi_rule *rule);

#endif
