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
#include "base/math.h"
#include "base/vector.h"
#include "env/picture.h"

bool sfnec_embedding_learns(const sfnec_agent_options *options) {
  return options->embedding == SFNEC_EMBEDDING_MLP || options->embedding == SFNEC_EMBEDDING_LINEAR ||
         options->embedding == SFNEC_EMBEDDING_CONV;
}

bool sfnec_embedding_tags(const sfnec_agent_options *options) {
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return false;
  return options->match == SFNEC_MATCH_OBSERVATION ||
         (options->match == SFNEC_MATCH_AUTO && options->embedding == SFNEC_EMBEDDING_CONV);
}

static bool has_unit_keys(const sfnec_agent_options *options) {
  if (options->unit_keys == SFNEC_UNIT_KEYS_AUTO) return options->embedding == SFNEC_EMBEDDING_CONV;
  return options->unit_keys == SFNEC_UNIT_KEYS_ON && sfnec_embedding_learns(options);
}

// The layers that suit a picture: those of the Nature network need 36 pixels, and numbers get one layer.
static const char *layers_for(const sfnec_picture_shape *picture) {
  enum { NATURE_SIDE = 36 };
  if (!sfnec_picture_is(picture)) return "dense:64";
  return picture->height >= NATURE_SIDE && picture->width >= NATURE_SIDE ? "nature" : "small";
}

static sfnec_status describe_conv(const sfnec_agent_options *options, const sfnec_env_shape *shape, sfnec_net *net) {
  const sfnec_picture_shape *p = &shape->picture;
  const char *layers = strcmp(options->layers, "auto") == 0 ? layers_for(p) : options->layers;
  const size_t outputs = (size_t)options->key_size;
  if (!sfnec_picture_is(p)) {
    return sfnec_net_describe(layers, 1, 1, (size_t)shape->observation_size, outputs, has_unit_keys(options), net);
  }
  return sfnec_net_describe(layers, (size_t)p->height, (size_t)p->width, (size_t)p->channels * (size_t)p->frames,
                            outputs, has_unit_keys(options), net);
}

sfnec_status sfnec_embedding_describe(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                      sfnec_net *net) {
  *net = (sfnec_net){0};
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return SFNEC_OK;
  if (options->embedding == SFNEC_EMBEDDING_CONV) return describe_conv(options, shape, net);
  char layers[32] = "";
  if (options->embedding == SFNEC_EMBEDDING_MLP) snprintf(layers, sizeof layers, "dense:%" PRId64, options->hidden);
  const size_t inputs = (size_t)shape->observation_size, outputs = (size_t)options->key_size;
  if (!sfnec_net_describe(layers, 1, 1, inputs, outputs, has_unit_keys(options), net)) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_OPTION,
                    "agent option key_size=%" PRId64 " is refused: with observations of %" PRId32
                    " numbers the embedding would have more than %d weights",
                    options->key_size, shape->observation_size, SFNEC_NET_WEIGHTS);
}

size_t sfnec_embedding_weights(const sfnec_agent_options *options, const sfnec_env_shape *shape) {
  sfnec_net net;
  return sfnec_embedding_describe(options, shape, &net) ? SIZE_MAX / 64 : net.weight_count;
}

// ---- first weights ----

// The right half of a Gaussian whose squares add up to 1 in two dimensions: then a difference in one pixel keeps its
// length. Returns its last index.
static size_t make_kernel(double sigma, double *kernel, size_t most) {
  const size_t reach = 3.0 * sigma < (double)most ? (size_t)(3.0 * sigma) : most;
  double squares = 0.0;
  for (size_t i = 0; i <= reach; i++) {
    kernel[i] = sfnec_exp(-0.5 * (double)(i * i) / (sigma * sigma));
    squares += (i ? 2.0 : 1.0) * kernel[i] * kernel[i];
  }
  for (size_t i = 0; i <= reach; i++) kernel[i] /= sqrt(squares);
  return reach;
}

// to (count) = from (count) under the kernel; numbers lie `step` apart.
static void blur_line(const double *kernel, size_t reach, const double *from, size_t count, size_t step, double *to) {
  for (size_t i = 0; i < count; i++) {
    double sum = kernel[0] * from[i * step];
    for (size_t j = 1; j <= reach; j++) {
      if (i >= j) sum += kernel[j] * from[(i - j) * step];
      if (i + j < count) sum += kernel[j] * from[(i + j) * step];
    }
    to[i * step] = sum;
  }
}

// A projection of blurred pictures is a projection by blurred weights. Neighbouring pixels then have similar
// directions, so that what moves by a pixel stays near.
static sfnec_status blur(sfnec_embedding *e, const sfnec_picture_shape *picture, double share) {
  const size_t height = (size_t)picture->height, width = (size_t)picture->width, pixels = height * width;
  const size_t side = height < width ? height : width, channels = (size_t)picture->channels, m = e->output;
  double *plane = calloc(3 * pixels + side, sizeof *plane);
  if (!plane) return sfnec_fail_memory("an embedding");
  double *rows = plane + pixels, *both = rows + pixels, *kernel = both + pixels;
  const size_t reach = make_kernel(share * (double)side, kernel, side - 1);
  for (size_t line = 0; line < (size_t)picture->frames * channels * m; line++) {
    // weights of one channel of a frame for one number of the key
    const size_t frame = line / (channels * m);
    float *first = e->weights + frame * pixels * channels * m + line % (channels * m);
    for (size_t p = 0; p < pixels; p++) plane[p] = (double)first[p * channels * m];
    for (size_t y = 0; y < height; y++) blur_line(kernel, reach, plane + y * width, width, 1, rows + y * width);
    for (size_t x = 0; x < width; x++) blur_line(kernel, reach, rows + x, height, width, both + x);
    for (size_t p = 0; p < pixels; p++) first[p * channels * m] = (float)both[p];
  }
  free(plane);
  return SFNEC_OK;
}

// Layers over pictures keep the size of numbers; keys of vectors keep distances.
static sfnec_status draw(sfnec_embedding *e, const sfnec_agent_options *options, const sfnec_env_shape *shape,
                         sfnec_random *init) {
  sfnec_net_draw(&e->net, options->embedding != SFNEC_EMBEDDING_CONV, init, e->weights);
  const bool blurred = options->embedding == SFNEC_EMBEDDING_RANDOM && sfnec_picture_is(&shape->picture);
  return blurred && options->blur > 0.0 ? blur(e, &shape->picture, options->blur) : SFNEC_OK;
}

// ---- life ----

sfnec_status sfnec_embedding_create(const sfnec_agent_options *options, const sfnec_env_shape *shape,
                                    sfnec_embedding *previous, sfnec_random *init, sfnec_embedding **out) {
  *out = NULL;
  if (options->embedding == SFNEC_EMBEDDING_IDENTITY) return SFNEC_OK;
  const bool learned = sfnec_embedding_learns(options), pca = options->embedding == SFNEC_EMBEDDING_PCA;
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
  const bool stacked = options->embedding == SFNEC_EMBEDDING_CONV && sfnec_picture_is(&shape->picture);
  e->frames = stacked ? (size_t)shape->picture.frames : 1;
  e->channels = stacked ? (size_t)shape->picture.channels : e->input;
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
  else if (!pca) status = draw(e, options, shape, init);
  if (status) sfnec_embedding_destroy(e);
  else *out = e;
  return status;
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
  float *to = work->values[0] + i * e->input;
  const size_t pixels = e->input / (e->frames * e->channels);
  if (e->frames == 1) {
    memcpy(to, observation, e->input * sizeof *observation);
    return;
  }
  // frames follow each other, and the network has all channels of a pixel side by side
  for (size_t f = 0; f < e->frames; f++)
    for (size_t p = 0; p < pixels; p++, observation += e->channels)
      memcpy(to + (p * e->frames + f) * e->channels, observation, e->channels * sizeof *to);
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
  for (size_t i = 0; i < count && doubles && sfnec_reader_good(reader); i++)
    numbers[i] = sfnec_to_float(sfnec_read_f64(reader));
}

sfnec_status sfnec_embedding_load(sfnec_embedding *e, const sfnec_agent_options *options, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  const bool doubles = !(flags & FILE_FLOATS);
  e->ready = flags & FILE_READY;
  e->trained = sfnec_read_u32(reader) != 0;
  // only pca can be unfitted, and only what is learned can be trained: the arrays of the others are of other sizes
  const bool learned = sfnec_embedding_learns(options), frozen = options->embedding_init == SFNEC_EMBEDDING_INIT_FROZEN;
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
