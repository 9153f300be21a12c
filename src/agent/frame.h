// frame.h: what the policies say about one state.
//
// A frame holds an observation and, for each policy and action, the last answer of psi about it. Answers are made when
// they are asked for and kept while they are true: the look-ups made for s_{t+1} when a target bootstraps serve again
// when the agent acts there.
#ifndef SFNEC_AGENT_FRAME_H
#define SFNEC_AGENT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/library.h"

typedef struct sfnec_frame {
  bool valid;            // it holds an observation
  float *observation;    // (d)
  sfnec_answer *answers; // (room, actions)
  char *blocks;          // the arrays of the answers
  double *scores;        // (room, actions), scratch for choosing
  uint32_t room;         // policies that it has space for
} sfnec_frame;

// Space for so many policies; keeps nothing of what was there. Fails with SFNEC_ERROR_MEMORY and changes nothing.
sfnec_status sfnec_frame_reserve(sfnec_frame *frame, const sfnec_psi_shape *shape, uint32_t policies);
void sfnec_frame_clear(sfnec_frame *frame);

// Looks at an observation (d); looking at the same one again keeps the answers.
void sfnec_frame_look(sfnec_frame *frame, const sfnec_psi_shape *shape, const float *observation);
// Forgets every answer, for policies that were moved or replaced.
void sfnec_frame_invalidate(sfnec_frame *frame, const sfnec_psi_shape *shape);

// The answer of one policy about one action, up to date.
const sfnec_answer *sfnec_frame_ask(sfnec_frame *frame, const sfnec_library *library, uint32_t policy, int32_t action);
// Whether one policy's weighed value of one action is certainly below `floor`; see sfnec_psi_ops.below.
bool sfnec_frame_below(sfnec_frame *frame, const sfnec_library *library, uint32_t policy, int32_t action,
                       const sfnec_weighing *weighing, double floor);

#endif
