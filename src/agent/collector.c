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

void sfnec_collector_finish(sfnec_ring *transitions, double gamma) {
  const size_t n = psi_size(transitions);
  const double *after = NULL;
  for (size_t i = transitions->count; i-- > 0;) {
    const size_t at = (transitions->first + i) % transitions->capacity;
    double *phi = transitions->numbers + at * transitions->number_count, *target = phi + n;
    for (size_t f = 0; f < n; f++) target[f] = phi[f] + gamma * (after ? after[f] : 0.0);
    after = target;
  }
}

const double *sfnec_collector_return(const sfnec_ring *transitions, size_t i) {
  return sfnec_ring_at(transitions, i).numbers + psi_size(transitions);
}

// Bytes decide, as they do in a memory.
static bool same_key(const sfnec_ring *transitions, size_t i, size_t j) {
  return sfnec_ring_at(transitions, i).action == sfnec_ring_at(transitions, j).action &&
         sfnec_ring_same_observation(transitions, i, j);
}

// Over a batch these are N^2 / 2 comparisons, most of which end at the first number; N transitions came before it.
bool sfnec_collector_fold(const sfnec_ring *transitions, size_t i, double alpha, double *value) {
  for (size_t j = 0; j < i; j++) {
    if (same_key(transitions, i, j)) return false;
  }
  const size_t n = psi_size(transitions);
  memcpy(value, sfnec_collector_return(transitions, i), n * sizeof *value);
  for (size_t j = i + 1; j < transitions->count; j++) {
    if (!same_key(transitions, i, j)) continue;
    const double *target = sfnec_collector_return(transitions, j);
    for (size_t f = 0; f < n; f++) value[f] += alpha * (target[f] - value[f]);
  }
  return true;
}
