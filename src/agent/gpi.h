// gpi.h: generalised policy improvement: the best action over a set of policies under given weights.
//
// A frame holds what the policies say about one state: an observation, the actions that are allowed there and, for each
// policy and action, the last answer of psi about it. Answers are made when they are asked for and kept while they are
// true: the look-ups made for s_{t+1} when a target bootstraps serve again when the agent acts there.
#ifndef SFNEC_AGENT_GPI_H
#define SFNEC_AGENT_GPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/policies.h"

// ---- what asking works with ----

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then, and so it is for one that is all zero.
sfnec_status sfnec_psi_scratch_init(sfnec_psi_scratch *scratch, const sfnec_psi_config *config);
void sfnec_psi_scratch_clear(sfnec_psi_scratch *scratch);
// Forgets all that it knows about policies, because they were moved or replaced.
void sfnec_psi_scratch_forget(sfnec_psi_scratch *scratch);
size_t sfnec_psi_scratch_bytes(const sfnec_psi_scratch *scratch);

// A stamp of these weights (n) for pruning, or 0 if pruning is off (option gpi) or would not pay: bounding the values
// of all entries under new weights costs about as much as a dozen look-ups, so weights that change at every step are
// better used without.
uint64_t sfnec_psi_scratch_stamp(sfnec_psi_scratch *scratch, const sfnec_psi_config *config, const double *w);

// ---- the answers about one state ----

typedef struct sfnec_frame {
  sfnec_psi_scratch *scratch; // by which it asks
  bool valid;                 // it holds an observation
  float *observation;         // (d)
  bool masked;                // not all actions are allowed...
  uint8_t *mask;              // (actions): ...but these; NULL: no mask was seen yet
  sfnec_answer *answers;      // (capacity, actions)
  char *blocks;               // the arrays of the answers
  double *values;             // (capacity, actions), scratch for choosing
  uint32_t capacity;          // policies that it has space for
} sfnec_frame;

// Space for an observation and for so many policies, also in the scratch by which the frame will ask; keeps no answers.
// Fails with SFNEC_ERROR_MEMORY and changes nothing.
sfnec_status sfnec_frame_reserve(sfnec_frame *frame, const sfnec_psi_config *config, sfnec_psi_scratch *scratch,
                                 uint32_t policies);
void sfnec_frame_clear(sfnec_frame *frame);
size_t sfnec_frame_bytes(const sfnec_frame *frame, const sfnec_psi_config *config);

// Looks at an observation (d); looking at the same one again keeps the answers.
void sfnec_frame_look(sfnec_frame *frame, const sfnec_psi_config *config, const float *observation);
// Space for a mask, so that the next one can be set. Fails with SFNEC_ERROR_MEMORY and changes nothing.
sfnec_status sfnec_frame_reserve_mask(sfnec_frame *frame, const sfnec_psi_config *config);
// Which actions are allowed in its state; NULL: all.
void sfnec_frame_set_mask(sfnec_frame *frame, const sfnec_psi_config *config, const uint8_t *mask);
static inline const uint8_t *sfnec_frame_mask(const sfnec_frame *frame) {
  return frame->masked ? frame->mask : NULL;
}
// Forgets every answer, for policies that were moved or replaced.
void sfnec_frame_invalidate(sfnec_frame *frame, const sfnec_psi_config *config);

// The answer of one policy about one action, up to date.
const sfnec_answer *sfnec_frame_ask(sfnec_frame *frame, const sfnec_policies *policies, uint32_t policy,
                                    int32_t action);

// ---- the choice ----

enum { SFNEC_NO_POLICY = -1 };

// Which policies are asked, and how their values are compared.
typedef struct sfnec_gpi_rule {
  const double *w;    // (n)
  int32_t active;     // the policy that is not penalised and whose memories define novelty; SFNEC_NO_POLICY: none
  int32_t only;       // ask this policy alone; SFNEC_NO_POLICY: ask all
  double penalty;     // times the remoteness of the other policies' memories, subtracted
  double novelty;     // times the remoteness of the active policy's memory of the action, added
  int32_t likely;     // the policy to ask first, as it may well win; any number, it does not change the choice
  uint64_t stamp;     // of w, to prune policies without asking them (sfnec_psi_scratch_stamp); 0: ask all
  sfnec_random *ties; // breaks ties; NULL: the first in the order of policies, then actions
} sfnec_gpi_rule;

// The argmax of psi_k(s, b) . w - penalty + novelty over policies k and allowed actions b. `value` of the choice is psi
// . w itself. Ties are broken uniformly with one draw; without ties nothing is drawn. A sum that is not a number never
// wins. There must be a policy.
sfnec_choice sfnec_gpi_choose(sfnec_frame *frame, const sfnec_policies *policies, const sfnec_gpi_rule *rule);

#endif
