// pass.c: forward and backward through a network; see net.h.
//
// A convolution is a product of matrices: each row of the first one has the pixels under the kernel at one position of
// it (im2col). Pictures are taken in chunks, so that those rows stay in the second-level cache. Since every number of a
// product is one chain (simd/matrix.h), chunks leave no trace: the gradient of a weight is one chain over all rows of
// the minibatch.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "net/net.h"

enum { CHUNK_ROWS = 400 }; // about as many rows of columns at a time; one picture of the Nature network's first layer

static inline size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// ---- memory ----

static bool is_dense(const sfnec_layer *layer) {
  return layer->height == 1 && layer->width == 1 && layer->padding == 0;
}

// Pictures of one chunk.
static size_t chunk_of(const sfnec_layer *layer) {
  const size_t rows = layer->out_height * layer->out_width;
  return rows < CHUNK_ROWS ? CHUNK_ROWS / rows : 1;
}

// The most numbers that the columns of a chunk take in any layer.
static size_t column_numbers(const sfnec_net *net, size_t batch) {
  size_t most = 0;
  for (size_t i = 0; i < net->count; i++) {
    const sfnec_layer *l = &net->layers[i];
    const size_t numbers = least(chunk_of(l), batch) * l->out_height * l->out_width * l->terms;
    if (!is_dense(l) && numbers > most) most = numbers;
  }
  return most;
}

// Whether a product packs blocks: that of a single row does not.
static bool packs(const sfnec_net *net, size_t batch, bool backward) {
  bool single = batch == 1 && !backward;
  for (size_t i = 0; i < net->count; i++) single = single && is_dense(&net->layers[i]);
  return !single;
}

// Hands out parts of one block, each for whole cache lines; without a block it only counts.
typedef struct parts {
  char *block;
  size_t used;
} parts;

static void *take(parts *p, size_t count, size_t size) {
  enum { LINE = 64 };
  void *part = p->block ? p->block + p->used : NULL;
  p->used += (count * size + LINE - 1) / LINE * LINE;
  return part;
}

static void place(const sfnec_net *net, size_t batch, bool backward, parts *p, sfnec_net_work *work) {
  const size_t outputs = batch * sfnec_net_outputs(net), columns = column_numbers(net, batch);
  work->values[0] = take(p, batch * sfnec_net_inputs(net), sizeof(float));
  for (size_t i = 0; i < net->count; i++) {
    const size_t numbers = batch * sfnec_layer_outputs(&net->layers[i]);
    work->values[i + 1] = take(p, numbers, sizeof(float));
    if (backward) work->gradients[i + 1] = take(p, numbers, sizeof(float));
  }
  work->outputs = net->unit ? take(p, outputs, sizeof(float)) : work->values[net->count];
  if (backward) work->output_gradients = take(p, outputs, sizeof(float));
  work->lengths = take(p, batch, sizeof(double));
  work->columns = take(p, columns, sizeof(float));
  if (backward) work->column_gradients = take(p, columns, sizeof(float));
  work->packed = take(p, packs(net, batch, backward) ? SFNEC_MATRIX_SCRATCH : 0, sizeof(float));
}

size_t sfnec_net_work_bytes(const sfnec_net *net, size_t batch, bool backward) {
  parts p = {0};
  sfnec_net_work none = {0};
  take(&p, 1, sizeof none);
  place(net, batch, backward, &p, &none);
  return p.used;
}

sfnec_status sfnec_net_work_create(const sfnec_net *net, const sfnec_simd *simd, size_t batch, bool backward,
                                   sfnec_net_work **out) {
  const size_t bytes = sfnec_net_work_bytes(net, batch, backward);
  parts p = {.block = calloc(1, bytes)};
  *out = (sfnec_net_work *)(void *)p.block;
  if (!p.block) return sfnec_fail_memory("the work of a network");
  sfnec_net_work *work = take(&p, 1, sizeof *work);
  *work = (sfnec_net_work){.simd = simd, .batch = batch, .bytes = bytes};
  place(net, batch, backward, &p, work);
  return SFNEC_OK;
}

void sfnec_net_work_destroy(sfnec_net_work *work) {
  free(work);
}

// ---- pictures as the rows of a matrix ----

// The row of an input under row `ky` of the kernel at output row `oy`, NULL in the padding; and which of the kernel's
// pixels at output column `ox` lie in the input: from *first on, *count of them.
static const float *under(const sfnec_layer *l, const float *picture, size_t oy, size_t ky, size_t ox, size_t *first,
                          size_t *count) {
  const size_t top = oy * l->stride + ky, left = ox * l->stride;
  *first = left < l->padding ? l->padding - left : 0;
  const size_t end = least(l->kernel, l->width + l->padding - left);
  *count = end > *first ? end - *first : 0;
  if (top < l->padding || top - l->padding >= l->height || *count == 0) return NULL;
  return picture + ((top - l->padding) * l->width + left + *first - l->padding) * l->channels;
}

static void to_columns(const sfnec_layer *l, const float *picture, float *columns) {
  const size_t run = l->kernel * l->channels;
  for (size_t oy = 0; oy < l->out_height; oy++) {
    for (size_t ox = 0; ox < l->out_width; ox++) {
      for (size_t ky = 0; ky < l->kernel; ky++, columns += run) {
        size_t first, count;
        const float *from = under(l, picture, oy, ky, ox, &first, &count);
        if (!from || count < l->kernel) memset(columns, 0, run * sizeof *columns);
        if (from) memcpy(columns + first * l->channels, from, count * l->channels * sizeof *columns);
      }
    }
  }
}

// Adds each number of the columns to the pixel that it came from.
static void add_columns(const sfnec_layer *l, const float *columns, float *picture) {
  const size_t run = l->kernel * l->channels;
  for (size_t oy = 0; oy < l->out_height; oy++) {
    for (size_t ox = 0; ox < l->out_width; ox++) {
      for (size_t ky = 0; ky < l->kernel; ky++, columns += run) {
        size_t first, count;
        const float *at = under(l, picture, oy, ky, ox, &first, &count);
        if (!at) continue;
        float *to = picture + (at - picture);
        const float *from = columns + first * l->channels;
        for (size_t j = 0; j < count * l->channels; j++) to[j] += from[j];
      }
    }
  }
}

// The matrix of `count` inputs from number `start` on: (count * positions, terms).
static sfnec_matrix rows_of(const sfnec_layer *l, const float *inputs, size_t start, size_t count, float *columns) {
  const size_t size = sfnec_layer_inputs(l), rows = l->out_height * l->out_width;
  const float *first = inputs + start * size;
  if (is_dense(l)) return (sfnec_matrix){first, l->terms, 1};
  for (size_t i = 0; i < count; i++) to_columns(l, first + i * size, columns + i * rows * l->terms);
  return (sfnec_matrix){columns, l->terms, 1};
}

static sfnec_matrix transposed(sfnec_matrix m) {
  return (sfnec_matrix){m.at, m.column, m.row};
}

// ---- forward ----

static void forward_layer(const sfnec_layer *l, const float *weights, sfnec_net_work *work, const float *in, float *out,
                          size_t count) {
  const size_t positions = l->out_height * l->out_width, units = l->units;
  const sfnec_matrix w = {weights + l->weights, units, 1};
  for (size_t r = 0; r < count * positions; r++) memcpy(out + r * units, weights + l->bias, units * sizeof *out);
  const size_t chunk = is_dense(l) ? count : chunk_of(l);
  for (size_t s = 0; s < count; s += chunk) {
    const size_t some = least(chunk, count - s);
    const sfnec_matrix rows = rows_of(l, in, s, some, work->columns);
    sfnec_matrix_multiply(work->simd, some * positions, units, l->terms, rows, w, out + s * positions * units, units,
                          work->packed);
  }
  if (!l->rectified) return;
  for (size_t i = 0; i < count * positions * units; i++) out[i] = out[i] > 0.0f ? out[i] : 0.0f;
}

// Scales a vector to length 1, as far as it has one; returns the length before, or 1 if it stays as it is.
static double scale_to_unit(const float *from, size_t size, float *to) {
  double squares = 0.0;
  for (size_t j = 0; j < size; j++) squares += (double)from[j] * (double)from[j];
  const double length = isfinite(squares) && squares > 0.0 ? sqrt(squares) : 1.0;
  for (size_t j = 0; j < size; j++) to[j] = (float)((double)from[j] / length);
  return length;
}

void sfnec_net_forward(const sfnec_net *net, const float *weights, sfnec_net_work *work, size_t count) {
  for (size_t i = 0; i < net->count; i++)
    forward_layer(&net->layers[i], weights, work, work->values[i], work->values[i + 1], count);
  if (!net->unit) return;
  const size_t size = sfnec_net_outputs(net);
  for (size_t s = 0; s < count; s++)
    work->lengths[s] = scale_to_unit(work->values[net->count] + s * size, size, work->outputs + s * size);
}

// ---- backward ----

// The gradient before a vector was scaled: what is along it had no effect.
static void before_unit(const float *unit, const float *gradient, double length, size_t size, float *out) {
  double along = 0.0;
  for (size_t j = 0; j < size; j++) along += (double)unit[j] * (double)gradient[j];
  for (size_t j = 0; j < size; j++) out[j] = sfnec_to_float(((double)gradient[j] - along * (double)unit[j]) / length);
}

// The gradient in the last layer's numbers.
static void begin_backward(const sfnec_net *net, sfnec_net_work *work, size_t count) {
  const size_t size = sfnec_net_outputs(net);
  float *last = work->gradients[net->count];
  if (!net->unit) memcpy(last, work->output_gradients, count * size * sizeof *last);
  for (size_t s = 0; s < count && net->unit; s++) {
    before_unit(work->outputs + s * size, work->output_gradients + s * size, work->lengths[s], size, last + s * size);
  }
}

// The gradient in what a chunk of inputs holds, for that in what came out (rows, units).
static void backward_inputs(const sfnec_layer *l, const float *weights, sfnec_net_work *work, const float *out,
                            float *in, size_t some) {
  const size_t positions = l->out_height * l->out_width, size = sfnec_layer_inputs(l);
  const sfnec_matrix from = {out, l->units, 1}, w = {weights + l->weights, 1, l->units};
  float *to = is_dense(l) ? in : work->column_gradients;
  memset(to, 0, some * positions * l->terms * sizeof *to);
  sfnec_matrix_multiply(work->simd, some * positions, l->terms, l->units, from, w, to, l->terms, work->packed);
  if (is_dense(l)) return;
  memset(in, 0, some * size * sizeof *in);
  for (size_t i = 0; i < some; i++) add_columns(l, to + i * positions * l->terms, in + i * size);
}

// `in` and `in_gradient` (NULL: nobody asks for it) are the layer's input, `out_gradient` is its output's.
static void backward_layer(const sfnec_layer *l, const float *weights, sfnec_net_work *work, const float *in,
                           float *in_gradient, const float *out_gradient, size_t count, float *gradient) {
  const size_t positions = l->out_height * l->out_width, units = l->units;
  float *bias = gradient + l->bias;
  for (size_t r = 0; r < count * positions; r++)
    for (size_t j = 0; j < units; j++) bias[j] += out_gradient[r * units + j];
  const size_t chunk = is_dense(l) ? count : chunk_of(l);
  for (size_t s = 0; s < count; s += chunk) {
    const size_t some = least(chunk, count - s);
    const float *out = out_gradient + s * positions * units;
    const sfnec_matrix rows = transposed(rows_of(l, in, s, some, work->columns));
    sfnec_matrix_multiply(work->simd, l->terms, units, some * positions, rows, (sfnec_matrix){out, units, 1},
                          gradient + l->weights, units, work->packed);
    if (in_gradient) backward_inputs(l, weights, work, out, in_gradient + s * sfnec_layer_inputs(l), some);
  }
}

void sfnec_net_backward(const sfnec_net *net, const float *weights, sfnec_net_work *work, size_t count,
                        float *gradient) {
  begin_backward(net, work, count);
  for (size_t i = net->count; i-- > 0;) {
    const sfnec_layer *l = &net->layers[i];
    const float *out = work->values[i + 1];
    float *out_gradient = work->gradients[i + 1];
    const size_t numbers = count * sfnec_layer_outputs(l);
    for (size_t j = 0; j < numbers && l->rectified; j++) out_gradient[j] = out[j] > 0.0f ? out_gradient[j] : 0.0f;
    backward_layer(l, weights, work, work->values[i], work->gradients[i], out_gradient, count, gradient);
  }
}
