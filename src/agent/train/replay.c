// replay.c: a ring of targets; see replay.h.
#include "agent/train/replay.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"

enum { FIRST_ROOM = 64 };

void sfnec_replay_init(sfnec_replay *replay, size_t observation_size, size_t psi_size, size_t capacity) {
  *replay = (sfnec_replay){.observation_size = observation_size, .psi_size = psi_size, .capacity = capacity};
}

void sfnec_replay_clear(sfnec_replay *replay) {
  free(replay->observations);
  free(replay->actions);
  free(replay->targets);
  sfnec_replay_init(replay, replay->observation_size, replay->psi_size, replay->capacity);
}

static size_t entry_bytes(const sfnec_replay *replay) {
  return replay->observation_size * sizeof(float) + sizeof(int32_t) + replay->psi_size * sizeof(double);
}

size_t sfnec_replay_bytes(const sfnec_replay *replay) {
  return replay->room * entry_bytes(replay);
}

// Room for so many entries. Until it is full the ring has not turned, so growing moves nothing.
static sfnec_status reserve(sfnec_replay *replay, size_t wanted) {
  if (wanted <= replay->room) return SFNEC_OK;
  size_t room = 2 * replay->room > FIRST_ROOM ? 2 * replay->room : FIRST_ROOM;
  if (room < wanted) room = wanted;
  if (room > replay->capacity) room = replay->capacity;
  if (room > SIZE_MAX / 2 / entry_bytes(replay)) return sfnec_fail_memory("a replay buffer");
  float *observations = realloc(replay->observations, room * replay->observation_size * sizeof *observations);
  if (observations) replay->observations = observations;
  int32_t *actions = realloc(replay->actions, room * sizeof *actions);
  if (actions) replay->actions = actions;
  double *targets = realloc(replay->targets, room * replay->psi_size * sizeof *targets);
  if (targets) replay->targets = targets;
  if (!observations || !actions || !targets) return sfnec_fail_memory("a replay buffer");
  replay->room = room;
  return SFNEC_OK;
}

sfnec_status sfnec_replay_push(sfnec_replay *replay, const float *observation, int32_t action, const double *target) {
  const bool full = replay->count == replay->capacity;
  const sfnec_status status = full ? SFNEC_OK : reserve(replay, replay->count + 1);
  if (status) return status;
  const size_t at = full ? replay->first : replay->count;
  const size_t d = replay->observation_size, n = replay->psi_size;
  memcpy(replay->observations + at * d, observation, d * sizeof *observation);
  memcpy(replay->targets + at * n, target, n * sizeof *target);
  replay->actions[at] = action;
  if (full) replay->first = (replay->first + 1) % replay->capacity;
  else replay->count++;
  return SFNEC_OK;
}

sfnec_replayed sfnec_replay_at(const sfnec_replay *replay, size_t i) {
  const size_t at = (replay->first + i) % replay->room;
  return (sfnec_replayed){.observation = replay->observations + at * replay->observation_size,
                          .target = replay->targets + at * replay->psi_size,
                          .action = replay->actions[at]};
}

// ---- files: the count, then the entries from the oldest ----

void sfnec_replay_save(const sfnec_replay *replay, sfnec_writer *writer) {
  sfnec_write_u64(writer, replay->count);
  for (size_t i = 0; i < replay->count; i++) {
    const sfnec_replayed entry = sfnec_replay_at(replay, i);
    sfnec_write_bytes(writer, entry.observation, replay->observation_size * sizeof(float));
    sfnec_write_u32(writer, (uint32_t)entry.action);
    sfnec_write_bytes(writer, entry.target, replay->psi_size * sizeof(double));
  }
}

sfnec_status sfnec_replay_load(sfnec_replay *replay, int32_t action_count, sfnec_reader *reader) {
  const uint64_t count = sfnec_read_u64(reader);
  if (count > replay->capacity) return sfnec_reader_refuse(reader, "a replay buffer holds more than it may");
  if (count > sfnec_reader_left(reader) / entry_bytes(replay)) {
    return sfnec_reader_refuse(reader, "a replay buffer ends before its last entry");
  }
  const size_t d = replay->observation_size, n = replay->psi_size;
  const sfnec_status status = reserve(replay, (size_t)count);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    sfnec_read_bytes(reader, replay->observations + i * d, d * sizeof(float));
    replay->actions[i] = (int32_t)sfnec_read_u32(reader);
    sfnec_read_bytes(reader, replay->targets + i * n, n * sizeof(double));
    if (replay->actions[i] < 0 || replay->actions[i] >= action_count) {
      return sfnec_reader_refuse(reader, "a replayed action does not exist");
    }
  }
  replay->count = (size_t)count;
  if (!sfnec_all_finite_f32(replay->observations, count * d) || !sfnec_all_finite_f64(replay->targets, count * n)) {
    return sfnec_reader_refuse(reader, "a replayed number is not finite");
  }
  return SFNEC_OK;
}
