// embedding.h: what turns an observation into a key: h = E(s).
//
// linear: one dense layer. mlp: two, with a rectifier between. conv: convolutional and dense layers over a picture, or
// dense ones over numbers. random: a random projection. pca: the first principal directions of the first observations.
// The last two are one dense layer too, which is not trained. The kind identity
// has no embedding: keys are observations. All are networks (net/net.h), in float with a fixed order of additions.
#ifndef SFNEC_AGENT_TRAIN_EMBEDDING_H
#define SFNEC_AGENT_TRAIN_EMBEDDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "net/net.h"
#include "net/optimizer.h"
#include "sfnec/agent.h"

// Keys and weights are kept within this, so that squared distances stay finite floats.
#define SFNEC_EMBEDDING_MOST 1e15

typedef struct sfnec_embedding {
  sfnec_net net;
  size_t input, output;    // d, key_size
  size_t frames, channels; // of a picture that is put in pixel by pixel; 1 and d: observations go in as they are
  size_t count;            // of weights
  bool ready;              // false: pca has not been fitted yet, and every key is zeros
  bool trained;            // its weights are learned, not fixed
  uint32_t owners;         // policies that share it; sfnec_embedding_destroy takes one away
  uint64_t version;        // changes whenever the weights do; never 0
  float *weights;          // (count)
} sfnec_embedding;

// Does training change the weights?
bool sfnec_embedding_learns(const sfnec_agent_options *options);
// Do entries know their observations, by which they are found again (option match)?
bool sfnec_embedding_tags(const sfnec_agent_options *options);
// The network of these options; without layers for embedding=identity. Fails with SFNEC_ERROR_OPTION if it is too
// large.
sfnec_status sfnec_embedding_describe(const sfnec_agent_options *options, const sfnec_env_shape *shape, sfnec_net *net);

// A new task's embedding: drawn from `init`, or a copy of `previous`, or `previous` itself with one more owner, if
// there is one and the options say so. NULL in *out for embedding=identity. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_embedding_create(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                    sfnec_embedding *previous, sfnec_random *init, sfnec_embedding **out);
void sfnec_embedding_destroy(sfnec_embedding *embedding);       // NULL is fine
size_t sfnec_embedding_bytes(const sfnec_embedding *embedding); // an owner's share

// The weights of an embedding of these options; 0 for embedding=identity.
size_t sfnec_embedding_weights(const sfnec_agent_options *options, const sfnec_env_shape *shape);

// ---- keys ----

// Puts an observation (d) where the network takes input number i of a work.
void sfnec_embedding_put(const sfnec_embedding *embedding, const float *observation, sfnec_net_work *work, size_t i);
// The keys of the first `count` inputs: work->outputs (count, m).
void sfnec_embedding_forward(const sfnec_embedding *embedding, sfnec_net_work *work, size_t count);
// The key (m) of one observation (d).
void sfnec_embedding_apply(const sfnec_embedding *embedding, const float *observation, sfnec_net_work *work,
                           float *key);

// ---- learning ----

// How the options train its weights.
sfnec_optimizer_rule sfnec_embedding_rule(const sfnec_agent_options *options);

// Fits pca to observations (count, d), and makes it ready. Fails with SFNEC_ERROR_MEMORY, and then it is not.
sfnec_status sfnec_embedding_fit(sfnec_embedding *embedding, const float *observations, size_t count);

// ---- files ----

void sfnec_embedding_save(const sfnec_embedding *embedding, sfnec_writer *writer);
// Into an embedding just created. Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_embedding_load(sfnec_embedding *embedding, const sfnec_agent_options *options, sfnec_reader *reader);

// Reads floats; earlier versions wrote them as doubles.
void sfnec_embedding_read(sfnec_reader *reader, bool doubles, float *numbers, size_t count);

// Keeps a number within SFNEC_EMBEDDING_MOST; one that is none becomes that.
static inline double sfnec_embedding_bound(double x) {
  if (!(x <= SFNEC_EMBEDDING_MOST)) return SFNEC_EMBEDDING_MOST;
  return x < -SFNEC_EMBEDDING_MOST ? -SFNEC_EMBEDDING_MOST : x;
}

#endif
