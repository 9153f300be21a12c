// scaling.h: feature scaling: how the components of an observation are measured before states are made of them.
//
// Components that change all the time are the fast ones; they make the key of a state, each divided by
// sqrt(range * root mean square of its changes), so that a component counts by how far it goes and how far at once.
// Components that change rarely and take few values are the slow ones; they make the context. Distances are then in
// units of the median length of a transition that moves, the step.
#ifndef SFNEC_AGENT_PLAN_SCALING_H
#define SFNEC_AGENT_PLAN_SCALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/plan/constants.h"
#include "agent/plan/relevance.h"
#include "sfnec/agent.h"
#include "sfnec/status.h"

// Which components may be slow: none, so that all are fast; those of two values, as whether something is taken, and
// those that no action changes; or those that count something, too.
typedef enum sfnec_slow {
  SFNEC_SLOW_NONE,
  SFNEC_SLOW_FLAGS,
  SFNEC_SLOW_COUNTS,
} sfnec_slow;

// What is known of one component.
typedef struct sfnec_component {
  float low, high;                    // the range seen
  double squares;                     // sum of its squared changes
  int64_t changes;                    // transitions in which it changed
  int64_t rises;                      // of those, upwards
  int64_t quick;                      // of those, soon after the one before
  int64_t changed;                    // when it changed last
  float values[SFNEC_SCALING_VALUES]; // the different values seen, as long as they are few
  uint32_t value_count;               // SFNEC_SCALING_VALUES + 1: too many
} sfnec_component;

// How a component is read: dropped, rounded to the nearest of some levels, or as it is.
typedef struct sfnec_reading {
  bool dropped;        // read as 0 always
  uint8_t level_count; // 0: as it is
  float levels[SFNEC_LEVELS_MOST];
} sfnec_reading;

typedef struct sfnec_scaling {
  size_t size;                 // components of an observation
  sfnec_reading *readings;     // (size): what relevance.h has found; NULL: nothing yet
  sfnec_component *components; // (size)
  int64_t moves;               // transitions in which anything changed
  int64_t seen;                // transitions
  bool one_hot;                // of the components that varied, each observation had at most one set, to 1
  bool dark;                   // since the last fit, none of the fast components was lit (SFNEC_REGIME_CELLS)

  // as fitted last
  size_t fast_count, slow_count;
  uint32_t *fast, *slow; // (size each): which components they are
  float *scale;          // (size): of the fast ones, what they are multiplied by
  sfnec_regime regime;
} sfnec_scaling;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_scaling_init(sfnec_scaling *scaling, size_t size);
void sfnec_scaling_clear(sfnec_scaling *scaling);
// Copies how components are read and what was seen of them, but nothing that is fitted, into scales of the same size.
// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_scaling_copy(sfnec_scaling *to, const sfnec_scaling *from);
// What was seen of components, as long as both read them in the same way.
void sfnec_scaling_swap_seen(sfnec_scaling *a, sfnec_scaling *b);

// A component of an observation as everything that follows has it.
float sfnec_scaling_read(const sfnec_scaling *scaling, const float *observation, size_t component);
// Reads components by these verdicts from now on; what is known of those that are read otherwise comes from the log, or
// of all from its transitions without noise (rows of the log, 2, size), if that is not NULL. Fails with
// SFNEC_ERROR_MEMORY, and then changes nothing.
sfnec_status sfnec_scaling_reread(sfnec_scaling *scaling, const sfnec_relevance *relevance,
                                  const sfnec_transition_log *log, const float *smoothed);
// Takes a transition into account; changes nothing that is fitted.
void sfnec_scaling_see(sfnec_scaling *scaling, const float *before, const float *after);
// Decides again which components are fast, which slow, their scales, and the regime, with the help of some observations
// (count, size); `repeats`: states come again to the bit; `may_be_cells`: one-hot states may get a regime of their own.
// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_scaling_fit(sfnec_scaling *scaling, sfnec_slow kinds, bool repeats, bool may_be_cells,
                               const float *observations, size_t count);
// Whether a fit now would give something else that matters: a slow component has turned out to be fast, or a constant
// one to change; or, if all counts, a fast one slow, or a scale another.
bool sfnec_scaling_is_stale(const sfnec_scaling *scaling, sfnec_slow kinds, bool all);

#endif
