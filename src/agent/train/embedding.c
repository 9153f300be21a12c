// embedding.c: the networks of embeddings, their first weights, keys, and the fit of pca; see embedding.h.
//
// First weights keep distances on average, as a random projection does (Johnson and Lindenstrauss). So delta,
// gpi_penalty and novelty keep their meaning, and an untrained linear embedding is the random one.
#include "agent/train/embedding.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/train/pca.h"
#include "base/error.h"
#include "base/vector.h"

static bool is_learned(const sfnec_agent_options *options) {
  return options->embedding == SFNEC_EMBEDDING_MLP || options->embedding == SFNEC_EMBEDDING_LINEAR;
}

sfnec_status sfnec_embedding_describe(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                      sfnec_net *net) {
  *net = (sfnec_net){0};
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return SFNEC_OK;
  char layers[32] = "";
  if (options->embedding == SFNEC_EMBEDDING_MLP) snprintf(layers, sizeof layers, "dense:%" PRId64, options->hidden);
  const size_t inputs = (size_t)shape->observation_size, outputs = (size_t)options->key_size;
  if (!sfnec_net_describe(layers, 1, 1, inputs, outputs, false, net)) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_OPTION,
                    "agent option key_size=%" PRId64 " is refused: with observations of %" PRId32
                    " numbers the embedding would have more than %d weights",
                    options->key_size, shape->observation_size, SFNEC_NET_WEIGHTS);
}

size_t sfnec_embedding_weights(const sfnec_agent_options *options, const sfnec_env_shape *shape) {
  sfnec_net net;
  return sfnec_embedding_describe(options, shape, &net) ? SIZE_MAX / 64 : net.weight_count;
}

// ---- life ----

sfnec_status sfnec_embedding_create(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                    sfnec_embedding *previous, sfnec_random *init, sfnec_embedding **out) {
  *out = NULL;
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return SFNEC_OK;
  const bool learned = is_learned(options), pca = options->embedding == SFNEC_EMBEDDING_PCA;
  if (previous && learned && options->embedding_init == SFNEC_EMBEDDING_INIT_SHARED) {
    previous->owners++;
    *out = previous;
    return SFNEC_OK;
  }
  const bool copied = previous && options->embedding_init != SFNEC_EMBEDDING_INIT_FRESH;
  sfnec_embedding *e = calloc(1, sizeof *e);
  if (!e) return sfnec_fail_memory("an embedding");
  e->owners = 1;
  e->input = (size_t)shape->observation_size;
  e->output = (size_t)options->key_size;
  e->frames = 1;
  e->channels = e->input;
  e->version = 1;
  sfnec_status status = sfnec_embedding_describe(options, shape, &e->net);
  e->count = e->net.weight_count;
  if (!status) e->weights = calloc(e->count, sizeof *e->weights);
  if (!status && !e->weights) status = sfnec_fail_memory("an embedding");
  if (status) {
    sfnec_embedding_destroy(e);
    return status;
  }
  e->trained = learned && !(copied && options->embedding_init == SFNEC_EMBEDDING_INIT_FROZEN);
  e->ready = copied ? previous->ready : !pca;
  if (copied) memcpy(e->weights, previous->weights, e->count * sizeof *e->weights);
  else if (!pca) sfnec_net_draw(&e->net, true, init, e->weights);
  *out = e;
  return SFNEC_OK;
}

void sfnec_embedding_destroy(sfnec_embedding *embedding) {
  if (!embedding || --embedding->owners > 0) return;
  free(embedding->weights);
  free(embedding);
}

size_t sfnec_embedding_bytes(const sfnec_embedding *e) {
  return (sizeof *e + e->count * sizeof *e->weights) / e->owners;
}

// ---- keys ----

void sfnec_embedding_put(const sfnec_embedding *e, const float *observation, sfnec_net_work *work, size_t i) {
  memcpy(work->values[0] + i * e->input, observation, e->input * sizeof *observation);
}

void sfnec_embedding_forward(const sfnec_embedding *e, sfnec_net_work *work, size_t count) {
  sfnec_net_forward(&e->net, e->weights, work, count);
  for (size_t j = 0; j < count * e->output; j++)
    work->outputs[j] = (float)sfnec_embedding_bound((double)work->outputs[j]);
}

void sfnec_embedding_apply(const sfnec_embedding *e, const float *observation, sfnec_net_work *work, float *key) {
  sfnec_embedding_put(e, observation, work, 0);
  sfnec_embedding_forward(e, work, 1);
  memcpy(key, work->outputs, e->output * sizeof *key);
}

_Static_assert((int)SFNEC_OPTIMIZER_SGD == (int)SFNEC_OPTIMIZE_SGD &&
                   (int)SFNEC_OPTIMIZER_RMSPROP == (int)SFNEC_OPTIMIZE_RMSPROP &&
                   (int)SFNEC_OPTIMIZER_ADAM == (int)SFNEC_OPTIMIZE_ADAM,
               "the option optimizer names the rules in their order");

sfnec_optimizer_rule sfnec_embedding_rule(const sfnec_agent_options *options) {
  const bool adam = options->optimizer == SFNEC_OPTIMIZER_ADAM;
  return (sfnec_optimizer_rule){.kind = options->optimizer,
                                .rate = options->embedding_rate,
                                .decay = options->adam_mean_decay,
                                .square_decay = adam ? options->adam_square_decay : options->rmsprop_decay,
                                .epsilon = options->optimizer_epsilon};
}

// ---- pca ----

// E(s) = V (s - mean), as the weights of a dense layer.
static void set_weights(sfnec_embedding *e, const double *rows, const double *mean) {
  const size_t d = e->input, m = e->output;
  for (size_t j = 0; j < m; j++) {
    const double *row = rows + j * d;
    // keys are the same with either sign of a direction up to a reflection; one is chosen so that refits agree
    size_t greatest = 0;
    for (size_t i = 1; i < d; i++) greatest = fabs(row[i]) > fabs(row[greatest]) ? i : greatest;
    const double sign = row[greatest] < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < d; i++) e->weights[i * m + j] = (float)(sign * row[i]);
    e->weights[d * m + j] = (float)sfnec_embedding_bound(-sign * sfnec_dot(row, mean, d));
  }
}

sfnec_status sfnec_embedding_fit(sfnec_embedding *e, const float *observations, size_t count) {
  const size_t d = e->input, m = e->output;
  double *mean = calloc(d, sizeof *mean), *c = calloc(d, d * sizeof *c);
  double *rows = calloc(m, d * sizeof *rows), *next = calloc(m, d * sizeof *next);
  sfnec_status status = mean && c && rows && next ? SFNEC_OK : sfnec_fail_memory("the fit of an embedding");
  if (!status) {
    sfnec_pca_covariance(observations, count, d, mean, c);
    sfnec_pca_directions(c, d, m, rows, next);
    set_weights(e, rows, mean);
    e->ready = true;
    e->version++;
  }
  free(mean);
  free(c);
  free(rows);
  free(next);
  return status;
}

// ---- files ----

// Bits of the first number. Earlier versions wrote weights as doubles.
enum { FILE_READY = 1, FILE_FLOATS = 2 };

void sfnec_embedding_save(const sfnec_embedding *e, sfnec_writer *writer) {
  sfnec_write_u32(writer, FILE_FLOATS | (e->ready ? (uint32_t)FILE_READY : 0));
  sfnec_write_u32(writer, e->trained);
  sfnec_write_bytes(writer, e->weights, e->count * sizeof *e->weights);
}

void sfnec_embedding_read(sfnec_reader *reader, bool doubles, float *numbers, size_t count) {
  if (!doubles) sfnec_read_bytes(reader, numbers, count * sizeof *numbers);
  for (size_t i = 0; i < count && doubles; i++) numbers[i] = (float)sfnec_read_f64(reader);
}

sfnec_status sfnec_embedding_load(sfnec_embedding *e, const sfnec_agent_options *options, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  const bool doubles = !(flags & FILE_FLOATS);
  e->ready = flags & FILE_READY;
  e->trained = sfnec_read_u32(reader) != 0;
  // only pca can be unfitted, and only what is learned can be trained: the arrays of the others are of other sizes
  const bool learned = is_learned(options), frozen = options->embedding_init == SFNEC_EMBEDDING_INIT_FROZEN;
  if (flags > (FILE_READY | FILE_FLOATS) || (!e->ready && options->embedding != SFNEC_EMBEDDING_PCA) ||
      (e->trained && !learned) || (!e->trained && learned && !frozen)) {
    return sfnec_reader_refuse(reader, "its embedding is not of the kind that its options name");
  }
  if (!sfnec_reader_holds(reader, e->count, doubles ? sizeof(double) : sizeof *e->weights)) {
    return sfnec_reader_refuse(reader, "the weights of an embedding end early");
  }
  sfnec_embedding_read(reader, doubles, e->weights, e->count);
  e->version++;
  for (size_t i = 0; i < e->count; i++) {
    // written so that a number that is none fails too
    if (!(fabsf(e->weights[i]) <= SFNEC_NET_WEIGHT_MOST)) {
      return sfnec_reader_refuse(reader, "a weight of an embedding is out of range");
    }
  }
  return SFNEC_OK;
}
