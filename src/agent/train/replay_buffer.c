// replay_buffer.c: a ring of targets; see replay_buffer.h.
#include "agent/train/replay_buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

enum { FIRST_ALLOCATION = 64 };

void sfnec_replay_buffer_init(sfnec_replay_buffer *buffer, size_t observation_size, size_t psi_size, size_t capacity) {
  *buffer = (sfnec_replay_buffer){.observation_size = observation_size, .psi_size = psi_size, .capacity = capacity};
}

void sfnec_replay_buffer_clear(sfnec_replay_buffer *buffer) {
  free(buffer->observations);
  free(buffer->actions);
  free(buffer->targets);
  sfnec_replay_buffer_init(buffer, buffer->observation_size, buffer->psi_size, buffer->capacity);
}

static size_t entry_bytes(const sfnec_replay_buffer *buffer) {
  return buffer->observation_size * sizeof(float) + sizeof(int32_t) + buffer->psi_size * sizeof(double);
}

size_t sfnec_replay_buffer_bytes(const sfnec_replay_buffer *buffer) {
  return buffer->allocated * entry_bytes(buffer);
}

// Space for so many entries. Until it is full the ring has not turned, so growing moves nothing.
static sfnec_status reserve(sfnec_replay_buffer *buffer, size_t wanted) {
  if (wanted <= buffer->allocated) return SFNEC_OK;
  size_t allocated = 2 * buffer->allocated > FIRST_ALLOCATION ? 2 * buffer->allocated : FIRST_ALLOCATION;
  if (allocated < wanted) allocated = wanted;
  if (allocated > buffer->capacity) allocated = buffer->capacity;
  if (allocated > SIZE_MAX / 2 / entry_bytes(buffer)) return sfnec_fail_memory("a replay buffer");
  float *observations = realloc(buffer->observations, allocated * buffer->observation_size * sizeof *observations);
  if (observations) buffer->observations = observations;
  int32_t *actions = realloc(buffer->actions, allocated * sizeof *actions);
  if (actions) buffer->actions = actions;
  double *targets = realloc(buffer->targets, allocated * buffer->psi_size * sizeof *targets);
  if (targets) buffer->targets = targets;
  if (!observations || !actions || !targets) return sfnec_fail_memory("a replay buffer");
  buffer->allocated = allocated;
  return SFNEC_OK;
}

sfnec_status sfnec_replay_buffer_push(sfnec_replay_buffer *buffer, const float *observation, int32_t action,
                                      const double *target) {
  const bool full = buffer->count == buffer->capacity;
  const sfnec_status status = full ? SFNEC_OK : reserve(buffer, buffer->count + 1);
  if (status) return status;
  const size_t at = full ? buffer->first : buffer->count;
  const size_t d = buffer->observation_size, n = buffer->psi_size;
  memcpy(buffer->observations + at * d, observation, d * sizeof *observation);
  memcpy(buffer->targets + at * n, target, n * sizeof *target);
  buffer->actions[at] = action;
  if (full) buffer->first = (buffer->first + 1) % buffer->capacity;
  else buffer->count++;
  return SFNEC_OK;
}

sfnec_replayed sfnec_replay_buffer_at(const sfnec_replay_buffer *buffer, size_t i) {
  const size_t at = (buffer->first + i) % buffer->allocated;
  return (sfnec_replayed){.observation = buffer->observations + at * buffer->observation_size,
                          .target = buffer->targets + at * buffer->psi_size,
                          .action = buffer->actions[at]};
}

// ---- files: the count, then the entries from the oldest ----

void sfnec_replay_buffer_save(const sfnec_replay_buffer *buffer, sfnec_writer *writer) {
  sfnec_write_u64(writer, buffer->count);
  for (size_t i = 0; i < buffer->count; i++) {
    const sfnec_replayed entry = sfnec_replay_buffer_at(buffer, i);
    sfnec_write_bytes(writer, entry.observation, buffer->observation_size * sizeof(float));
    sfnec_write_u32(writer, (uint32_t)entry.action);
    sfnec_write_bytes(writer, entry.target, buffer->psi_size * sizeof(double));
  }
}

sfnec_status sfnec_replay_buffer_load(sfnec_replay_buffer *buffer, int32_t action_count, sfnec_reader *reader) {
  const uint64_t count = sfnec_read_u64(reader);
  if (count > buffer->capacity) return sfnec_reader_refuse(reader, "a replay buffer holds more than it may");
  if (count > sfnec_reader_left(reader) / entry_bytes(buffer)) {
    return sfnec_reader_refuse(reader, "a replay buffer ends before its last entry");
  }
  const size_t d = buffer->observation_size, n = buffer->psi_size;
  const sfnec_status status = reserve(buffer, (size_t)count);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    sfnec_read_bytes(reader, buffer->observations + i * d, d * sizeof(float));
    buffer->actions[i] = (int32_t)sfnec_read_u32(reader);
    sfnec_read_bytes(reader, buffer->targets + i * n, n * sizeof(double));
    if (buffer->actions[i] < 0 || buffer->actions[i] >= action_count) {
      return sfnec_reader_refuse(reader, "a replayed action does not exist");
    }
  }
  buffer->count = (size_t)count;
  if (!sfnec_all_finite_f32(buffer->observations, count * d) || !sfnec_all_finite_f64(buffer->targets, count * n)) {
    return sfnec_reader_refuse(reader, "a replayed number is not finite");
  }
  return SFNEC_OK;
}
