// gradient.h: the gradient of a minibatch's loss in everything that a look-up depends on: the neighbours' values and
// keys, and the weights of the embedding.
#ifndef SFNEC_AGENT_TRAIN_GRADIENT_H
#define SFNEC_AGENT_TRAIN_GRADIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/train/embedding.h"
#include "memory/memory.h"

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
  double *weights;                           // (weight_count)
  double *slopes;                            // (neighbours), scratch
  double *at_query;                          // (key_size), scratch
  uint32_t *table;                           // (mask + 1): places of rows by their hash, or UINT32_MAX
  uint32_t mask;
} sfnec_gradient;

// Space for minibatches of so many look-ups; `embedding` NULL or fixed: of values only. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_gradient_init(sfnec_gradient *gradient, size_t batch, size_t neighbours, size_t value_size,
                                 const sfnec_embedding *embedding);
void sfnec_gradient_free(sfnec_gradient *gradient);
size_t sfnec_gradient_bytes(const sfnec_gradient *gradient);

// Makes it zero.
void sfnec_gradient_begin(sfnec_gradient *gradient);
// Adds that of one look-up in the memory of an action, for the loss' gradient in its value: error (value_size). The
// look-up was made and blended just now, for a key (key_size) that was the embedding's last.
void sfnec_gradient_add(sfnec_gradient *gradient, const sfnec_memory *memory, int32_t action,
                        const sfnec_embedding *embedding, const float *key, const sfnec_lookup *lookup,
                        const double *error);
// The sum of all its squares; not finite if any part is not.
double sfnec_gradient_squares(const sfnec_gradient *gradient);

#endif
