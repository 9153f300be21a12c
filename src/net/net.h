// net.h: networks of convolutional and dense layers: which numbers there are, forward, and backward, in float.
//
// A rectifier follows every layer but the last; the last one's outputs may be scaled to length 1. Pictures lie with the
// channels of a pixel side by side (height, width, channels). A dense layer is a convolution over one pixel whose
// channels are all its inputs. Products are those of simd/matrix.h, so that every instruction set gives the same bits.
//
// The network itself is constant while it is used. What is computed lies in a work, which is passed in; weights and
// their gradient are the caller's, one array each.
#ifndef SFNEC_NET_NET_H
#define SFNEC_NET_NET_H

#include <stdbool.h>
#include <stddef.h>

#include "sfnec/random.h"
#include "sfnec/status.h"
#include "simd/matrix.h"

enum {
  SFNEC_NET_LAYERS = 8,        // most layers, the last one included
  SFNEC_NET_UNITS = 1 << 17,   // most units of a layer
  SFNEC_NET_WEIGHTS = 1 << 27, // most weights of a network: 512 MiB
  SFNEC_NET_NUMBERS = 1 << 20, // most numbers of a layer's output, and of its input under all positions of a kernel
};

typedef struct sfnec_layer {
  size_t height, width, channels;      // of its input
  size_t out_height, out_width, units; // of its output
  size_t kernel, stride, padding;      // pixels; padding: zeros around the input
  size_t terms;                        // of one output: kernel * kernel * channels
  size_t weights, bias;                // where W (terms, units) and b (units) begin
  bool rectified;
} sfnec_layer;

typedef struct sfnec_net {
  size_t count, weight_count;
  bool unit; // outputs have length 1
  sfnec_layer layers[SFNEC_NET_LAYERS];
} sfnec_net;

// The numbers of one input and of one output of a layer.
static inline size_t sfnec_layer_inputs(const sfnec_layer *layer) {
  return layer->height * layer->width * layer->channels;
}
static inline size_t sfnec_layer_outputs(const sfnec_layer *layer) {
  return layer->out_height * layer->out_width * layer->units;
}
size_t sfnec_net_inputs(const sfnec_net *net);
size_t sfnec_net_outputs(const sfnec_net *net);
// The multiplications of one forward pass.
double sfnec_net_multiplies(const sfnec_net *net);

// The network that a text describes, for pictures of this size, and `outputs` units at its end. The text names groups
// of layers, separated by semicolons: conv:UNITSxKERNEL/STRIDE[pPADDING],... and dense:UNITS,..., as in
// "conv:32x8/4,64x4/2,64x3/1;dense:512"; or it is the name of such a text: nature, small; empty: there is the last
// layer alone. Fails with SFNEC_ERROR_OPTION.
sfnec_status sfnec_net_describe(const char *text, size_t height, size_t width, size_t channels, size_t outputs,
                                bool unit, sfnec_net *net);

// Draws first weights (weight_count): N(0, 2 / m) before a rectifier, which lets half of it pass, and N(0, 1 / m) at
// the end, with m the terms of an output (He et al. 2015), so that numbers keep their size from layer to layer; or, by
// outputs, with m the units, so that distances between vectors stay what they were. Biases are 0.
void sfnec_net_draw(const sfnec_net *net, bool by_outputs, sfnec_random *init, float *weights);

// ---- work ----

// What forward and backward compute for up to `batch` inputs; an array of `values` is one layer's.
typedef struct sfnec_net_work {
  const sfnec_simd *simd;
  size_t batch, bytes;
  float *values[SFNEC_NET_LAYERS + 1];    // (batch, numbers): the input, then what each layer gives
  float *gradients[SFNEC_NET_LAYERS + 1]; // the same, for the loss; [0] is NULL
  float *outputs;                         // (batch, outputs)
  float *output_gradients;                // (batch, outputs): the caller's to fill before backward
  double *lengths;                        // (batch): of outputs before they are scaled
  float *columns, *column_gradients;      // a chunk of pictures as the rows of a matrix
  float *packed;                          // SFNEC_MATRIX_SCRATCH, where a product needs it
} sfnec_net_work;

// One block of memory. `backward` false: without what only that needs. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_net_work_create(const sfnec_net *net, const sfnec_simd *simd, size_t batch, bool backward,
                                   sfnec_net_work **out);
void sfnec_net_work_destroy(sfnec_net_work *work); // NULL is fine
size_t sfnec_net_work_bytes(const sfnec_net *net, size_t batch, bool backward);

// The outputs of the first `count` inputs, which are in work->values[0].
void sfnec_net_forward(const sfnec_net *net, const float *weights, sfnec_net_work *work, size_t count);
// Adds to `gradient` (weight_count) that of the loss whose gradients in the outputs are in the work; forward was called
// just now with the same count.
void sfnec_net_backward(const sfnec_net *net, const float *weights, sfnec_net_work *work, size_t count,
                        float *gradient);

#endif
