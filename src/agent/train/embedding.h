// embedding.h: what turns an observation into a key: h = E(s).
//
// linear: one affine layer. mlp: two, with a rectifier between. random: a fixed random projection. pca: the first
// principal directions of the first observations, then fixed. The kind identity has no embedding: keys are
// observations.
//
// Sums are in double and in a fixed order; a key is rounded to float at the end.
#ifndef SFNEC_AGENT_TRAIN_EMBEDDING_H
#define SFNEC_AGENT_TRAIN_EMBEDDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/agent.h"

// Keys and weights are kept within this, so that squared distances stay finite floats.
#define SFNEC_EMBEDDING_MOST 1e15

typedef struct sfnec_embedding {
  size_t input, hidden, output; // d; 0 unless mlp; key_size
  bool ready;                   // false: pca has not been fitted yet, and every key is zeros
  bool trained;                 // its weights are learned, not fixed
  uint32_t owners;              // policies that share it; sfnec_embedding_destroy takes one away
  uint64_t version;             // changes whenever the weights do; never 0
  size_t count;                 // of weights
  double *weights;              // linear: W (d, m), b (m); mlp: W1 (d, hidden), b1 (hidden), W2 (hidden, m), b2 (m)
} sfnec_embedding;

// A new task's embedding: drawn from `init`, or a copy of `previous`, or `previous` itself with one more owner, if
// there is one and the options say so. NULL in *out for embedding=identity. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_embedding_create(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                    sfnec_embedding *previous, sfnec_random *init, sfnec_embedding **out);
void sfnec_embedding_destroy(sfnec_embedding *embedding);       // NULL is fine
size_t sfnec_embedding_bytes(const sfnec_embedding *embedding); // an owner's share

// The weights of an embedding of these options; 0 for embedding=identity.
size_t sfnec_embedding_weights(const sfnec_agent_options *options, const sfnec_env_shape *shape);
// The numbers that applying an embedding of these options works with: d + 2 hidden + m; 0 for embedding=identity.
size_t sfnec_embedding_layers(const sfnec_agent_options *options, const sfnec_env_shape *shape);
// The key (m) of an observation (d). `layers` (sfnec_embedding_layers) is scratch.
void sfnec_embedding_apply(const sfnec_embedding *embedding, const float *observation, double *layers, float *key);
// Adds the gradient in the weights (count), for the gradient in the key (m); the layers are as apply left them.
void sfnec_embedding_backward(const sfnec_embedding *embedding, double *layers, const double *key_gradient,
                              double *gradient);

// Fits pca to observations (count, d), and makes it ready. Fails with SFNEC_ERROR_MEMORY, and then it is not.
sfnec_status sfnec_embedding_fit(sfnec_embedding *embedding, const float *observations, size_t count);

void sfnec_embedding_save(const sfnec_embedding *embedding, sfnec_writer *writer);
// Into an embedding just created. Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_embedding_load(sfnec_embedding *embedding, const sfnec_agent_options *options, sfnec_reader *reader);

// Keeps a number within SFNEC_EMBEDDING_MOST.
static inline double sfnec_embedding_bound(double x) {
  if (x > SFNEC_EMBEDDING_MOST) return SFNEC_EMBEDDING_MOST;
  return x < -SFNEC_EMBEDDING_MOST ? -SFNEC_EMBEDDING_MOST : x;
}

#endif
