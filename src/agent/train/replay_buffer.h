// replay_buffer.h: the last targets that were learned, to be learned again in minibatches.
#ifndef SFNEC_AGENT_TRAIN_REPLAY_BUFFER_H
#define SFNEC_AGENT_TRAIN_REPLAY_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/status.h"

// A ring that grows up to its capacity; then the oldest goes. Entries are numbered from the oldest.
typedef struct sfnec_replay_buffer {
  size_t observation_size, psi_size, capacity;
  size_t allocated, first, count;
  float *observations; // (allocated, d)
  int32_t *actions;    // (allocated)
  double *targets;     // (allocated, n)
} sfnec_replay_buffer;

// One entry; valid until the next push.
typedef struct sfnec_replayed {
  const float *observation; // (d)
  const double *target;     // (n)
  int32_t action;
} sfnec_replayed;

void sfnec_replay_buffer_init(sfnec_replay_buffer *buffer, size_t observation_size, size_t psi_size, size_t capacity);
// Frees what it holds; it is empty then, and as usable as before.
void sfnec_replay_buffer_clear(sfnec_replay_buffer *buffer);
size_t sfnec_replay_buffer_bytes(const sfnec_replay_buffer *buffer);

// Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_replay_buffer_push(sfnec_replay_buffer *buffer, const float *observation, int32_t action,
                                      const double *target);
sfnec_replayed sfnec_replay_buffer_at(const sfnec_replay_buffer *buffer, size_t i);

void sfnec_replay_buffer_save(const sfnec_replay_buffer *buffer, sfnec_writer *writer);
// Into an empty buffer. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_replay_buffer_load(sfnec_replay_buffer *buffer, int32_t action_count, sfnec_reader *reader);

#endif
