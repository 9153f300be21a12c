// collector.h: the transitions that wait for their N-step targets (paper, equation 1).
//
// The target of a transition is sum_{j < m} gamma^j phi_{t+j} + gamma^m psi(s_{t+m}, a*), with m = N, or fewer at the
// end of an episode. Every transition carries the psi that its next state would bootstrap with: zeros when the episode
// terminated there, so that the last N transitions get Monte-Carlo returns.
#ifndef SFNEC_AGENT_COLLECTOR_H
#define SFNEC_AGENT_COLLECTOR_H

#include <stdbool.h>

#include "agent/ring.h"
#include "sfnec/agent.h"

// How many wait when the oldest gets its target, which is also the most that ever do: the horizon, with write=late one
// more, and SIZE_MAX with write=episode, where all wait for the end.
size_t sfnec_collector_limit(const sfnec_agent_options *options);
// The transitions are a ring whose numbers are phi (n) and the bootstrap (n).
void sfnec_collector_init(sfnec_ring *transitions, size_t observation_size, size_t psi_size, size_t limit);

// Adds a transition: s_t (d), a_t, phi (n), for which there is space. Its bootstrap is zeros until it is set.
void sfnec_collector_push(sfnec_ring *transitions, const float *observation, int32_t action, const double *phi);
// Sets the bootstrap (n) of the newest transition.
void sfnec_collector_set_bootstrap(sfnec_ring *transitions, const double *psi);
// The target (n) of the oldest transition, over at most `horizon` of those that are there.
void sfnec_collector_target(const sfnec_ring *transitions, size_t horizon, double gamma, double *target);

// ---- a whole batch of targets, at the end of an episode (write=late) ----

// The episode terminated after the newest transition, and no target reaches beyond it: replaces every bootstrap by the
// transition's own target, its Monte-Carlo return.
void sfnec_collector_finish(sfnec_ring *transitions, double gamma);
// The target (n) of transition i, once it is finished; valid until the next push.
const double *sfnec_collector_return(const sfnec_ring *transitions, size_t i);
// What the batch writes under the observation and action of transition i: its target, moved by alpha towards that of
// each later transition with the same ones, in their order. False if an earlier transition has the same, which then
// has written for both.
bool sfnec_collector_fold(const sfnec_ring *transitions, size_t i, double alpha, double *value);

#endif
