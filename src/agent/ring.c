// ring.c: a queue in arrays that go round; see ring.h.
#include "agent/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

void sfnec_ring_init(sfnec_ring *ring, size_t observation_size, size_t number_count, size_t least, size_t limit) {
  *ring =
      (sfnec_ring){.observation_size = observation_size, .number_count = number_count, .least = least, .limit = limit};
}

void sfnec_ring_clear(sfnec_ring *ring) {
  free(ring->observations);
  free(ring->actions);
  free(ring->numbers);
  sfnec_ring_init(ring, ring->observation_size, ring->number_count, ring->least, ring->limit);
}

static size_t entry_bytes(const sfnec_ring *ring) {
  return ring->observation_size * sizeof(float) + sizeof(int32_t) + ring->number_count * sizeof(double);
}

size_t sfnec_ring_bytes(const sfnec_ring *ring) {
  return ring->capacity * entry_bytes(ring);
}

// Where the i-th oldest entry lies.
static size_t index_of(const sfnec_ring *ring, size_t i) {
  const size_t at = ring->first + i;
  return at < ring->capacity ? at : at - ring->capacity;
}

// Space for so many entries.
static sfnec_status reserve(sfnec_ring *ring, size_t wanted) {
  if (wanted <= ring->capacity) return SFNEC_OK;
  size_t capacity = 2 * ring->capacity > ring->least ? 2 * ring->capacity : ring->least;
  while (capacity < wanted) capacity *= 2;
  if (capacity > ring->limit) capacity = ring->limit;
  if (capacity > SIZE_MAX / 2 / entry_bytes(ring)) return sfnec_fail_memory("a queue of transitions");

  sfnec_ring next;
  sfnec_ring_init(&next, ring->observation_size, ring->number_count, ring->least, ring->limit);
  next.capacity = capacity;
  next.observations = malloc(capacity * ring->observation_size * sizeof *next.observations);
  next.actions = malloc(capacity * sizeof *next.actions);
  next.numbers = malloc(capacity * ring->number_count * sizeof *next.numbers);
  if (!next.observations || !next.actions || !next.numbers) {
    sfnec_ring_clear(&next);
    return sfnec_fail_memory("a queue of transitions");
  }
  for (size_t i = 0; i < ring->count; i++) {
    const sfnec_ring_entry entry = sfnec_ring_at(ring, i);
    double *numbers = sfnec_ring_push(&next, entry.observation, entry.action);
    memcpy(numbers, entry.numbers, ring->number_count * sizeof *numbers);
  }
  sfnec_ring old = *ring;
  *ring = next;
  sfnec_ring_clear(&old);
  return SFNEC_OK;
}

sfnec_status sfnec_ring_reserve(sfnec_ring *ring) {
  return ring->count == ring->limit ? SFNEC_OK : reserve(ring, ring->count + 1);
}

sfnec_status sfnec_ring_reserve_all(sfnec_ring *ring, size_t entries) {
  return reserve(ring, entries < ring->limit ? entries : ring->limit);
}

double *sfnec_ring_push(sfnec_ring *ring, const float *observation, int32_t action) {
  if (ring->count == ring->limit) sfnec_ring_pop(ring);
  const size_t at = index_of(ring, ring->count++);
  memcpy(ring->observations + at * ring->observation_size, observation, ring->observation_size * sizeof *observation);
  ring->actions[at] = action;
  return ring->numbers + at * ring->number_count;
}

sfnec_ring_entry sfnec_ring_at(const sfnec_ring *ring, size_t i) {
  const size_t at = index_of(ring, i);
  return (sfnec_ring_entry){.observation = ring->observations + at * ring->observation_size,
                            .numbers = ring->numbers + at * ring->number_count,
                            .action = ring->actions[at]};
}

void sfnec_ring_pop(sfnec_ring *ring) {
  ring->first = index_of(ring, 1);
  ring->count--;
}

// ---- files: the count, then the entries from the oldest ----

void sfnec_ring_save(const sfnec_ring *ring, sfnec_writer *writer) {
  sfnec_write_u64(writer, ring->count);
  for (size_t i = 0; i < ring->count; i++) {
    const sfnec_ring_entry entry = sfnec_ring_at(ring, i);
    sfnec_write_bytes(writer, entry.observation, ring->observation_size * sizeof(float));
    sfnec_write_u32(writer, (uint32_t)entry.action);
    sfnec_write_bytes(writer, entry.numbers, ring->number_count * sizeof(double));
  }
}

sfnec_status sfnec_ring_load(sfnec_ring *ring, int32_t action_count, const char *what, sfnec_reader *reader) {
  const size_t d = ring->observation_size, n = ring->number_count;
  char why[128];
  const uint64_t count = sfnec_read_u64(reader);
  if (count > ring->limit || !sfnec_reader_holds(reader, count, entry_bytes(ring))) {
    snprintf(why, sizeof why, "%s is missing, or one too many", what);
    return sfnec_reader_refuse(reader, why);
  }
  const sfnec_status status = reserve(ring, (size_t)count);
  if (status) return status;
  ring->count = (size_t)count;
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    sfnec_read_bytes(reader, ring->observations + i * d, d * sizeof(float));
    const uint32_t action = sfnec_read_u32(reader);
    sfnec_read_bytes(reader, ring->numbers + i * n, n * sizeof(double));
    ring->actions[i] = (int32_t)action;
    good = sfnec_reader_good(reader) && action < (uint32_t)action_count;
  }
  // what is learned of a number is at most some thousand times as large, and must stay finite
  if (good && sfnec_all_finite_f32(ring->observations, ring->count * d) &&
      sfnec_all_within_f64(ring->numbers, ring->count * n, 1e200)) {
    return SFNEC_OK;
  }
  snprintf(why, sizeof why, "%s is not valid", what);
  return sfnec_reader_refuse(reader, why);
}
