// mask.h: which actions are allowed in a state, and the best of them.
//
// A mask is a byte for each action, 0 where it is not allowed; NULL allows all. Whoever chooses an action, or takes the
// greatest value over actions, goes by it: acting, targets, GPI, backups, look-ahead and questions.
#ifndef SFNEC_AGENT_MASK_H
#define SFNEC_AGENT_MASK_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sfnec/random.h"

static inline bool sfnec_mask_allows(const uint8_t *mask, uint32_t action) {
  return !mask || mask[action];
}

static inline uint32_t sfnec_mask_count(const uint8_t *mask, uint32_t actions) {
  if (!mask) return actions;
  uint32_t count = 0;
  for (uint32_t a = 0; a < actions; a++) count += mask[a] != 0;
  return count;
}

// The allowed action of this number, counted from 0 among those that are allowed; there must be one.
static inline uint32_t sfnec_mask_nth(const uint8_t *mask, uint32_t nth) {
  if (!mask) return nth;
  uint32_t action = 0;
  while (!mask[action] || nth-- > 0) action++;
  return action;
}

// NULL for a mask that allows all: it is none.
static inline const uint8_t *sfnec_mask_or_none(const uint8_t *mask, uint32_t actions) {
  return mask && memchr(mask, 0, actions) ? mask : NULL;
}

// The best of the actions that were offered so far.
typedef struct sfnec_argmax {
  double most;
  uint32_t action, tied;
} sfnec_argmax;

// Before the first of the allowed actions is offered. It is also the answer if no value is a number.
static inline sfnec_argmax sfnec_argmax_begin(const uint8_t *mask) {
  return (sfnec_argmax){.most = -(double)INFINITY, .action = sfnec_mask_nth(mask, 0)};
}

// Ties are broken uniformly, by one draw for each (reservoir sampling); ties NULL: the first of them is taken.
static inline void sfnec_argmax_offer(sfnec_argmax *best, uint32_t action, double value, sfnec_random *ties) {
  if (value > best->most) {
    *best = (sfnec_argmax){value, action, 1};
  } else if (value == best->most && ties && sfnec_random_below(ties, ++best->tied) == 0) {
    best->action = action;
  }
}

#endif
