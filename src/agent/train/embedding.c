// embedding.c: affine layers forward and backward, and the fit of pca; see embedding.h.
//
// First weights keep distances on average, as a random projection does (Johnson and Lindenstrauss): N(0, 1 / m) for m
// outputs, twice that variance before a rectifier, which lets half of it pass. So delta, gpi_penalty and novelty keep
// their meaning, and an untrained linear embedding is the random one. Biases start at 0.
#include "agent/train/embedding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/train/pca.h"
#include "base/error.h"
#include "base/vector.h"

static size_t hidden_units(const sfnec_agent_options *options) {
  return options->embedding == SFNEC_EMBEDDING_MLP ? (size_t)options->hidden : 0;
}

static bool is_learned(const sfnec_agent_options *options) {
  return options->embedding == SFNEC_EMBEDDING_MLP || options->embedding == SFNEC_EMBEDDING_LINEAR;
}

size_t sfnec_embedding_weights(const sfnec_agent_options *options, const sfnec_env_shape *shape) {
  const size_t input = (size_t)shape->observation_size, hidden = hidden_units(options);
  const size_t output = (size_t)options->key_size;
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return 0;
  return hidden ? (input + 1) * hidden + (hidden + 1) * output : (input + 1) * output;
}

// The layers lie one after another: input (d), hidden units (hidden), their gradient (hidden), key (m).
size_t sfnec_embedding_layers(const sfnec_agent_options *options, const sfnec_env_shape *shape) {
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return 0;
  return (size_t)shape->observation_size + 2 * hidden_units(options) + (size_t)options->key_size;
}

// Where the last layer's weights begin.
static size_t last_layer(const sfnec_embedding *e) {
  return e->hidden ? (e->input + 1) * e->hidden : 0;
}

// ---- life ----

// Draws the matrix (rows, columns) of a layer.
static void draw(double *weights, size_t rows, size_t columns, double variance, sfnec_random *init) {
  const double sd = sqrt(variance / (double)columns);
  for (size_t i = 0; i < rows * columns; i++) weights[i] = sd * sfnec_random_normal(init);
}

static void draw_all(sfnec_embedding *e, sfnec_random *init) {
  if (e->hidden) draw(e->weights, e->input, e->hidden, 2.0, init);
  draw(e->weights + last_layer(e), e->hidden ? e->hidden : e->input, e->output, 1.0, init);
}

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
  e->hidden = hidden_units(options);
  e->output = (size_t)options->key_size;
  e->version = 1;
  e->count = sfnec_embedding_weights(options, shape);
  e->weights = calloc(e->count, sizeof *e->weights);
  if (!e->weights) {
    sfnec_embedding_destroy(e);
    return sfnec_fail_memory("an embedding");
  }
  e->trained = learned && !(copied && options->embedding_init == SFNEC_EMBEDDING_INIT_FROZEN);
  e->ready = copied ? previous->ready : !pca;
  if (copied) memcpy(e->weights, previous->weights, e->count * sizeof *e->weights);
  else if (!pca) draw_all(e, init);
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

// ---- forward and backward ----

// out (m) = b + in W, added up in the order of the inputs; most inputs of a rectifier, and many of a world, are 0
static void affine(const double *weights, const double *in, size_t rows, size_t columns, double *out) {
  memcpy(out, weights + rows * columns, columns * sizeof *out);
  for (size_t i = 0; i < rows; i++) {
    const double x = in[i], *row = weights + i * columns;
    if (x == 0.0) continue;
    for (size_t j = 0; j < columns; j++) out[j] += x * row[j];
  }
}

void sfnec_embedding_apply(const sfnec_embedding *e, const float *observation, double *layers, float *key) {
  double *in = layers, *out = layers + e->input + 2 * e->hidden;
  for (size_t i = 0; i < e->input; i++) in[i] = (double)observation[i];
  if (e->hidden) {
    double *hidden = layers + e->input;
    affine(e->weights, in, e->input, e->hidden, hidden);
    for (size_t j = 0; j < e->hidden; j++) hidden[j] = hidden[j] > 0.0 ? hidden[j] : 0.0;
    in = hidden;
  }
  affine(e->weights + last_layer(e), in, e->hidden ? e->hidden : e->input, e->output, out);
  for (size_t j = 0; j < e->output; j++) key[j] = (float)sfnec_embedding_bound(out[j]);
}

// W += in out^T, b += out: the gradient of one affine layer
static void affine_gradient(const double *in, const double *out, size_t rows, size_t columns, double *gradient) {
  for (size_t i = 0; i < rows; i++) {
    const double x = in[i];
    double *row = gradient + i * columns;
    if (x == 0.0) continue;
    for (size_t j = 0; j < columns; j++) row[j] += x * out[j];
  }
  for (size_t j = 0; j < columns; j++) gradient[rows * columns + j] += out[j];
}

void sfnec_embedding_backward(const sfnec_embedding *e, double *layers, const double *key_gradient, double *gradient) {
  if (!e->hidden) {
    affine_gradient(layers, key_gradient, e->input, e->output, gradient);
    return;
  }
  const double *hidden = layers + e->input, *last = e->weights + last_layer(e);
  double *hidden_gradient = layers + e->input + e->hidden;
  affine_gradient(hidden, key_gradient, e->hidden, e->output, gradient + last_layer(e));
  for (size_t i = 0; i < e->hidden; i++) {
    double sum = 0.0;
    if (hidden[i] > 0.0) {
      for (size_t j = 0; j < e->output; j++) sum += last[i * e->output + j] * key_gradient[j];
    }
    hidden_gradient[i] = sum;
  }
  affine_gradient(layers, hidden_gradient, e->input, e->hidden, gradient);
}

// ---- pca ----

// E(s) = V (s - mean), as the weights of an affine layer.
static void set_weights(sfnec_embedding *e, const double *rows, const double *mean) {
  const size_t d = e->input, m = e->output;
  for (size_t j = 0; j < m; j++) {
    const double *row = rows + j * d;
    // keys are the same with either sign of a direction up to a reflection; one is chosen so that refits agree
    size_t greatest = 0;
    for (size_t i = 1; i < d; i++) greatest = fabs(row[i]) > fabs(row[greatest]) ? i : greatest;
    const double sign = row[greatest] < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < d; i++) e->weights[i * m + j] = sign * row[i];
    e->weights[d * m + j] = sfnec_embedding_bound(-sign * sfnec_dot(row, mean, d));
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

void sfnec_embedding_save(const sfnec_embedding *e, sfnec_writer *writer) {
  sfnec_write_u32(writer, e->ready);
  sfnec_write_u32(writer, e->trained);
  sfnec_write_bytes(writer, e->weights, e->count * sizeof *e->weights);
}

sfnec_status sfnec_embedding_load(sfnec_embedding *e, const sfnec_agent_options *options, sfnec_reader *reader) {
  e->ready = sfnec_read_u32(reader) != 0;
  e->trained = sfnec_read_u32(reader) != 0;
  // only pca can be unfitted, and only what is learned can be trained: the arrays of the others are of other sizes
  const bool learned = is_learned(options), frozen = options->embedding_init == SFNEC_EMBEDDING_INIT_FROZEN;
  if ((!e->ready && options->embedding != SFNEC_EMBEDDING_PCA) || (e->trained && !learned) ||
      (!e->trained && learned && !frozen)) {
    return sfnec_reader_refuse(reader, "its embedding is not of the kind that its options name");
  }
  if (!sfnec_reader_holds(reader, e->count, sizeof *e->weights)) {
    return sfnec_reader_refuse(reader, "the weights of an embedding end early");
  }
  sfnec_read_bytes(reader, e->weights, e->count * sizeof *e->weights);
  e->version++;
  for (size_t i = 0; i < e->count; i++) {
    // written so that a number that is none fails too
    if (!(fabs(e->weights[i]) <= SFNEC_EMBEDDING_MOST)) {
      return sfnec_reader_refuse(reader, "a weight of an embedding is out of range");
    }
  }
  return SFNEC_OK;
}
