// replay.h: the last targets that were learned, to be learned again in minibatches.
#ifndef SFNEC_AGENT_TRAIN_REPLAY_H
#define SFNEC_AGENT_TRAIN_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/status.h"

// A ring that grows up to its capacity; then the oldest goes. Entries are numbered from the oldest.
typedef struct sfnec_replay {
  size_t observation_size, psi_size, capacity;
  size_t room, first, count;
  float *observations; // (room, d)
  int32_t *actions;    // (room)
  double *targets;     // (room, n)
} sfnec_replay;

// One entry; valid until the next push.
typedef struct sfnec_replayed {
  const float *observation; // (d)
  const double *target;     // (n)
  int32_t action;
} sfnec_replayed;

void sfnec_replay_init(sfnec_replay *replay, size_t observation_size, size_t psi_size, size_t capacity);
// Frees what it holds; it is empty then, and as usable as before.
void sfnec_replay_clear(sfnec_replay *replay);
size_t sfnec_replay_bytes(const sfnec_replay *replay);

// Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_replay_push(sfnec_replay *replay, const float *observation, int32_t action, const double *target);
sfnec_replayed sfnec_replay_at(const sfnec_replay *replay, size_t i);

void sfnec_replay_save(const sfnec_replay *replay, sfnec_writer *writer);
// Into an empty replay. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_replay_load(sfnec_replay *replay, int32_t action_count, sfnec_reader *reader);

#endif
