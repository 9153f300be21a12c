// collector.h: the transitions that wait for their N-step targets (paper, equation 1).
//
// The target of a transition is sum_{j < m} gamma^j phi_{t+j} + gamma^m psi(s_{t+m}, a*), with m = N, or fewer at the
// end of an episode. Every transition carries the psi that its next state would bootstrap with: zeros when the episode
// terminated there, so that the last N transitions get Monte-Carlo returns.
#ifndef SFNEC_AGENT_COLLECTOR_H
#define SFNEC_AGENT_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/status.h"

// A queue of transitions in a ring that grows when it must (it never does with write=horizon).
typedef struct sfnec_collector {
  size_t observation_size, psi_size;
  size_t capacity, first, count;
  float *observations; // (capacity, d)
  int32_t *actions;    // (capacity)
  double *phis;        // (capacity, n)
  double *bootstraps;  // (capacity, n)
} sfnec_collector;

sfnec_status sfnec_collector_init(sfnec_collector *collector, size_t observation_size, size_t psi_size,
                                  size_t capacity);
void sfnec_collector_clear(sfnec_collector *collector);
size_t sfnec_collector_bytes(const sfnec_collector *collector);

// Space for one more transition, so that the next push cannot fail.
sfnec_status sfnec_collector_reserve(sfnec_collector *collector);
// Adds a transition: s_t (d), a_t, phi (n). Its bootstrap is zeros until it is set.
void sfnec_collector_push(sfnec_collector *collector, const float *observation, int32_t action, const double *phi);
// Sets the bootstrap (n) of the newest transition.
void sfnec_collector_set_bootstrap(sfnec_collector *collector, const double *psi);

// The oldest transition, and its target (n) over at most `horizon` of the transitions that are there.
const float *sfnec_collector_observation(const sfnec_collector *collector);
int32_t sfnec_collector_action(const sfnec_collector *collector);
void sfnec_collector_target(const sfnec_collector *collector, size_t horizon, double gamma, double *target);
void sfnec_collector_pop(sfnec_collector *collector);

void sfnec_collector_save(const sfnec_collector *collector, sfnec_writer *writer);
// Into an empty collector. Fails with SFNEC_ERROR_FORMAT or SFNEC_ERROR_MEMORY.
sfnec_status sfnec_collector_load(sfnec_collector *collector, int32_t action_count, sfnec_reader *reader);

#endif
