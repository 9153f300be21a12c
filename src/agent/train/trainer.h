// trainer.h: training=batch: every so many targets, one gradient step on a minibatch from the replay buffer.
//
// The loss is the mean, over samples and components, of the squared difference between the psi that is looked up and
// the stored N-step target. Its gradient is taken in everything that a look-up depends on: the neighbours' values and
// keys, and the weights of the embedding. Values move by `rate`, keys by `key_rate` times their gradient; the optimizer
// moves the embedding's weights. Entries have no moments: an entry is met too seldom for a mean of its gradients to say
// anything. Keys and weights stay as they are if the embedding is fixed.
#ifndef SFNEC_AGENT_TRAIN_TRAINER_H
#define SFNEC_AGENT_TRAIN_TRAINER_H

#include <stddef.h>
#include <stdint.h>

#include "agent/psi.h"
#include "agent/ring.h"
#include "agent/train/embedding.h"
#include "net/optimizer.h"

// ---- the gradient of a minibatch's loss ----

// An entry that took part: the memory of which action, and where in it.
typedef struct sfnec_gradient_row {
  int32_t action;
  uint32_t slot;
} sfnec_gradient_row;

typedef struct sfnec_gradient {
  size_t key_size, value_size, weight_count; // key_size 0: neither keys nor weights are trained
  uint32_t count, capacity;                  // entries: in the order in which the look-ups met them
  sfnec_gradient_row *rows;                  // (capacity)
  double *values;                            // (capacity, value_size)
  double *keys;                              // (capacity, key_size)
  float *weights;                            // (weight_count)
  double *slopes;                            // (neighbours), scratch
  double *at_query;                          // (key_size), scratch
  uint32_t *table;                           // (mask + 1): indices of rows by their hash, or UINT32_MAX
  uint32_t mask;
} sfnec_gradient;

// Space for minibatches of so many look-ups; `embedding` NULL or fixed: of values only. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_gradient_init(sfnec_gradient *gradient, size_t batch, size_t neighbours, size_t value_size,
                                 const sfnec_embedding *embedding);
void sfnec_gradient_free(sfnec_gradient *gradient);

// Makes it zero.
void sfnec_gradient_begin(sfnec_gradient *gradient);
// Adds that of one look-up in the memory of an action, for the loss' gradient in its value: error (value_size). The
// look-up was made and averaged just now, for this key. The gradient in the key goes to at_query (key_size; NULL if
// neither keys nor weights are trained), from where it is to be passed back through the embedding.
void sfnec_gradient_add(sfnec_gradient *gradient, const sfnec_memory *memory, int32_t action, const float *key,
                        const sfnec_lookup *lookup, const double *error, float *at_query);
// The sum of all its squares; not finite if any part is not.
double sfnec_gradient_squares(const sfnec_gradient *gradient);

// ---- minibatches ----

typedef struct sfnec_trainer {
  const sfnec_psi_config *config;
  sfnec_ring replay_buffer; // the last targets that were learned
  sfnec_optimizer_rule rule;
  sfnec_optimizer optimizer;
  sfnec_gradient gradient; // made when it is first needed, as the work is
  sfnec_net_work *work;    // of a minibatch; NULL without an embedding
  uint32_t *drawn;         // (batch): which targets a minibatch has
  int64_t waiting;         // targets since the last minibatch
  sfnec_training done;     // minibatches
  double *error;           // (n), of one sample
  double *step;            // (n), of one value
  float *key;              // (key_size), of one sample or of one entry that moves
} sfnec_trainer;

sfnec_status sfnec_trainer_init(sfnec_trainer *trainer, const sfnec_psi_config *config);
void sfnec_trainer_free(sfnec_trainer *trainer);
size_t sfnec_trainer_bytes(const sfnec_trainer *trainer);

// Remembers a target (n) that was written, and trains if it is time to by the count of targets. `lookup` is space for
// one. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_trainer_learn(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                 const float *observation, int32_t action, const double *target, sfnec_lookup *lookup);
// A transition was observed: trains if it is time to by the count of transitions (train_per). Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_trainer_tick(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                sfnec_lookup *lookup);
// Gradient steps of a policy that is not the active one, all at once and on all that a look-up depends on: the loss is
// that whose gradient by psi is -step / rate. As the authors do, the optimizer begins again at each of them. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_trainer_step(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                const sfnec_psi_step *steps, size_t count);
// Its task is over: forgets targets and moments, which are of no use to another task.
void sfnec_trainer_end_task(sfnec_trainer *trainer);

void sfnec_trainer_save(const sfnec_trainer *trainer, sfnec_writer *writer);
// Into one just made. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_trainer_load(sfnec_trainer *trainer, const sfnec_embedding *embedding, sfnec_reader *reader);

#endif
