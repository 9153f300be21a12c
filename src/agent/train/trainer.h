// trainer.h: training=batch: every so many targets, one gradient step on a minibatch from the replay buffer.
//
// The loss is the mean, over samples and components, of the squared difference between the psi that is looked up and
// the stored N-step target. Values move by `rate`, keys by `key_rate` times their gradient; the optimizer moves the
// embedding's weights. Entries have no moments: an entry is met too seldom for a mean of its gradients to say anything.
// Keys and weights stay as they are if the embedding is fixed.
#ifndef SFNEC_AGENT_TRAIN_TRAINER_H
#define SFNEC_AGENT_TRAIN_TRAINER_H

#include "agent/psi.h"
#include "agent/train/gradient.h"
#include "agent/train/optimizer.h"
#include "agent/train/replay_buffer.h"

typedef struct sfnec_trainer {
  const sfnec_psi_config *config;
  sfnec_replay_buffer replay;
  sfnec_optimizer optimizer;
  sfnec_gradient gradient; // made when it is first needed
  int64_t waiting;         // targets since the last minibatch
  sfnec_training done;     // minibatches
  double *error;           // (n), of one sample
  double *step;            // (n), of one value
  float *key;              // (key_size), of one sample or of one entry that moves
} sfnec_trainer;

sfnec_status sfnec_trainer_init(sfnec_trainer *trainer, const sfnec_psi_config *config);
void sfnec_trainer_free(sfnec_trainer *trainer);
size_t sfnec_trainer_bytes(const sfnec_trainer *trainer);

// Remembers a target (n) that was written, and trains if it is time to. `lookup` is space for one. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_trainer_learn(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                 const float *observation, int32_t action, const double *target, sfnec_lookup *lookup);
// Its task is over: forgets targets and moments, which are of no use to another task.
void sfnec_trainer_end_task(sfnec_trainer *trainer);

void sfnec_trainer_save(const sfnec_trainer *trainer, sfnec_writer *writer);
// Into one just made. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_trainer_load(sfnec_trainer *trainer, const sfnec_embedding *embedding, sfnec_reader *reader);

#endif
