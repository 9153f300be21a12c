// collector.c: waiting transitions and their targets; see collector.h.
#include "agent/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

sfnec_status sfnec_collector_init(sfnec_collector *c, size_t observation_size, size_t psi_size, size_t capacity) {
  *c = (sfnec_collector){.observation_size = observation_size, .psi_size = psi_size, .capacity = capacity};
  c->observations = malloc(capacity * observation_size * sizeof *c->observations);
  c->actions = malloc(capacity * sizeof *c->actions);
  c->phis = malloc(capacity * psi_size * sizeof *c->phis);
  c->bootstraps = malloc(capacity * psi_size * sizeof *c->bootstraps);
  if (c->observations && c->actions && c->phis && c->bootstraps) return SFNEC_OK;
  sfnec_collector_clear(c);
  return sfnec_fail_memory("the transitions of an episode");
}

void sfnec_collector_clear(sfnec_collector *c) {
  free(c->observations);
  free(c->actions);
  free(c->phis);
  free(c->bootstraps);
  *c = (sfnec_collector){0};
}

size_t sfnec_collector_bytes(const sfnec_collector *c) {
  return c->capacity * (c->observation_size * sizeof(float) + sizeof(int32_t) + 2 * c->psi_size * sizeof(double));
}

// Where the i-th oldest transition lies.
static size_t at(const sfnec_collector *c, size_t i) {
  const size_t place = c->first + i;
  return place < c->capacity ? place : place - c->capacity;
}

sfnec_status sfnec_collector_reserve(sfnec_collector *c) {
  if (c->count < c->capacity) return SFNEC_OK;
  sfnec_collector next;
  const sfnec_status status = sfnec_collector_init(&next, c->observation_size, c->psi_size, 2 * c->capacity);
  if (status) return status;
  for (size_t i = 0; i < c->count; i++) {
    const size_t from = at(c, i);
    sfnec_collector_push(&next, c->observations + from * c->observation_size, c->actions[from],
                         c->phis + from * c->psi_size);
    sfnec_collector_set_bootstrap(&next, c->bootstraps + from * c->psi_size);
  }
  sfnec_collector old = *c;
  *c = next;
  sfnec_collector_clear(&old);
  return SFNEC_OK;
}

void sfnec_collector_push(sfnec_collector *c, const float *observation, int32_t action, const double *phi) {
  const size_t to = at(c, c->count++);
  memcpy(c->observations + to * c->observation_size, observation, c->observation_size * sizeof *observation);
  c->actions[to] = action;
  memcpy(c->phis + to * c->psi_size, phi, c->psi_size * sizeof *phi);
  memset(c->bootstraps + to * c->psi_size, 0, c->psi_size * sizeof *phi);
}

void sfnec_collector_set_bootstrap(sfnec_collector *c, const double *psi) {
  memcpy(c->bootstraps + at(c, c->count - 1) * c->psi_size, psi, c->psi_size * sizeof *psi);
}

const float *sfnec_collector_observation(const sfnec_collector *c) {
  return c->observations + c->first * c->observation_size;
}

int32_t sfnec_collector_action(const sfnec_collector *c) {
  return c->actions[c->first];
}

void sfnec_collector_target(const sfnec_collector *c, size_t horizon, double gamma, double *target) {
  // backwards from the bootstrap: target = phi + gamma * target
  const size_t steps = c->count < horizon ? c->count : horizon;
  memcpy(target, c->bootstraps + at(c, steps - 1) * c->psi_size, c->psi_size * sizeof *target);
  for (size_t i = steps; i-- > 0;) {
    const double *phi = c->phis + at(c, i) * c->psi_size;
    for (size_t f = 0; f < c->psi_size; f++) target[f] = phi[f] + gamma * target[f];
  }
}

void sfnec_collector_pop(sfnec_collector *c) {
  c->first = at(c, 1);
  c->count--;
}

void sfnec_collector_save(const sfnec_collector *c, sfnec_writer *writer) {
  sfnec_write_u64(writer, c->count);
  for (size_t i = 0; i < c->count; i++) {
    const size_t from = at(c, i);
    sfnec_write_bytes(writer, c->observations + from * c->observation_size, c->observation_size * sizeof(float));
    sfnec_write_u32(writer, (uint32_t)c->actions[from]);
    sfnec_write_bytes(writer, c->phis + from * c->psi_size, c->psi_size * sizeof(double));
    sfnec_write_bytes(writer, c->bootstraps + from * c->psi_size, c->psi_size * sizeof(double));
  }
}

sfnec_status sfnec_collector_load(sfnec_collector *c, int32_t action_count, sfnec_reader *reader) {
  const uint64_t count = sfnec_read_u64(reader);
  for (uint64_t i = 0; i < count; i++) {
    if (!sfnec_reader_good(reader)) break;
    const sfnec_status status = sfnec_collector_reserve(c);
    if (status) return status;
    const size_t to = at(c, c->count++);
    sfnec_read_bytes(reader, c->observations + to * c->observation_size, c->observation_size * sizeof(float));
    const uint32_t action = sfnec_read_u32(reader);
    sfnec_read_bytes(reader, c->phis + to * c->psi_size, c->psi_size * sizeof(double));
    sfnec_read_bytes(reader, c->bootstraps + to * c->psi_size, c->psi_size * sizeof(double));
    c->actions[to] = (int32_t)action;
    if (action >= (uint32_t)action_count ||
        !sfnec_all_finite_f32(c->observations + to * c->observation_size, c->observation_size) ||
        !sfnec_all_finite_f64(c->phis + to * c->psi_size, c->psi_size) ||
        !sfnec_all_finite_f64(c->bootstraps + to * c->psi_size, c->psi_size)) {
      return sfnec_reader_refuse(reader, "a transition of its episode is not valid");
    }
  }
  return SFNEC_OK;
}
