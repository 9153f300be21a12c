// collector.c: N-step targets of waiting transitions; see collector.h.
#include "agent/collector.h"

#include <string.h>

static size_t psi_size(const sfnec_ring *transitions) {
  return transitions->number_count / 2;
}

size_t sfnec_collector_limit(const sfnec_agent_options *options) {
  if (options->write == SFNEC_WRITE_EPISODE) return SIZE_MAX;
  return (size_t)options->horizon + (options->write == SFNEC_WRITE_LATE);
}

void sfnec_collector_init(sfnec_ring *transitions, size_t observation_size, size_t size, size_t limit) {
  enum { FIRST = 64 };
  sfnec_ring_init(transitions, observation_size, 2 * size, limit < FIRST ? limit : FIRST, limit);
}

void sfnec_collector_push(sfnec_ring *transitions, const float *observation, int32_t action, const double *phi) {
  const size_t n = psi_size(transitions);
  double *numbers = sfnec_ring_push(transitions, observation, action);
  memcpy(numbers, phi, n * sizeof *phi);
  memset(numbers + n, 0, n * sizeof *phi);
}

void sfnec_collector_set_bootstrap(sfnec_ring *transitions, const double *psi) {
  const size_t n = psi_size(transitions);
  const size_t newest = (transitions->first + transitions->count - 1) % transitions->capacity;
  memcpy(transitions->numbers + newest * transitions->number_count + n, psi, n * sizeof *psi);
}

void sfnec_collector_target(const sfnec_ring *transitions, size_t horizon, double gamma, double *target) {
  // backwards from the bootstrap: target = phi + gamma * target
  const size_t n = psi_size(transitions);
  const size_t steps = transitions->count < horizon ? transitions->count : horizon;
  memcpy(target, sfnec_ring_at(transitions, steps - 1).numbers + n, n * sizeof *target);
  for (size_t i = steps; i-- > 0;) {
    const double *phi = sfnec_ring_at(transitions, i).numbers;
    for (size_t f = 0; f < n; f++) target[f] = phi[f] + gamma * target[f];
  }
}
