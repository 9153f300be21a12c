// watch.h: what an agent notices while it learns and is asked, for sfnec_agent_diagnose; it changes no result.
#ifndef SFNEC_AGENT_WATCH_H
#define SFNEC_AGENT_WATCH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

// A step or a question that takes longer is slow, in seconds: a tenth is what people notice, and a control loop of 10
// Hz. Half of it would find the plans that question_backups lets through by default.
#define SFNEC_SLOW_SECONDS 0.1

// Times steps or questions, one at a time. The clock of the processor costs a microsecond, so it is only read once a
// step was slow by the other one, which also counts what other programs do.
typedef struct sfnec_stopwatch {
  bool on;
  bool suspects;
  double began, worked; // by both clocks
  double slowest;       // by the processor's; 0: none was slow
} sfnec_stopwatch;

static inline void sfnec_stopwatch_start(sfnec_stopwatch *watch) {
  if (!watch->on) return;
  if (watch->suspects) watch->worked = sfnec_thread_seconds();
  watch->began = sfnec_seconds();
}

static inline void sfnec_stopwatch_stop(sfnec_stopwatch *watch) {
  if (!watch->on || sfnec_seconds() - watch->began <= SFNEC_SLOW_SECONDS) return;
  const double worked = watch->suspects ? sfnec_thread_seconds() - watch->worked : 0.0;
  if (worked > SFNEC_SLOW_SECONDS) watch->slowest = fmax(watch->slowest, worked);
  watch->suspects = true;
}

typedef struct sfnec_watch {
  sfnec_stopwatch steps;
  int64_t unrewarded; // steps of the active task since it began; -1: it had a reward
  bool mismatched;    // a reward was not phi . w:
  double reward, product;
} sfnec_watch;

// Takes in what a transition of the active task earned.
static inline void sfnec_watch_reward(sfnec_watch *watch, double earned) {
  if (earned != 0.0) watch->unrewarded = -1;
  else if (watch->unrewarded >= 0 && watch->unrewarded < INT64_MAX) watch->unrewarded++;
}

// Compares a reward with phi . w under given weights. 0 may be the reward of a caller who gives none.
static inline void sfnec_watch_weights(sfnec_watch *watch, double reward, double product) {
  if (watch->mismatched || reward == 0.0) return;
  watch->mismatched = fabs(reward - product) > 1e-5 * (1.0 + fabs(reward));
  watch->reward = reward;
  watch->product = product;
}

#endif
