// describe.c: a network from its description; see net.h.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/net.h"

// Networks that have a name. The last layer, which gives the key, is not a part of any.
static const struct {
  const char *name, *text;
} named[] = {
    {"nature", "conv:32x8/4,64x4/2,64x3/1"}, // Mnih et al. 2015, without the dense layer, as NEC has it
    {"small", "conv:16x3/1;dense:128"},      // Young and Tian 2019, for MinAtar's pictures of 10 by 10
};

size_t sfnec_net_inputs(const sfnec_net *net) {
  return sfnec_layer_inputs(&net->layers[0]);
}

size_t sfnec_net_outputs(const sfnec_net *net) {
  return sfnec_layer_outputs(&net->layers[net->count - 1]);
}

double sfnec_net_multiplies(const sfnec_net *net) {
  double sum = 0.0;
  for (size_t i = 0; i < net->count; i++)
    sum += (double)net->layers[i].terms * (double)sfnec_layer_outputs(&net->layers[i]);
  return sum;
}

// Appends a layer whose sizes but those of its input are there already; the input is what the last layer gives.
static bool append(sfnec_net *net, sfnec_layer layer) {
  if (net->count == SFNEC_NET_LAYERS || layer.units < 1 || layer.units > SFNEC_NET_UNITS) return false;
  const size_t height = layer.height + 2 * layer.padding, width = layer.width + 2 * layer.padding;
  if (layer.kernel < 1 || layer.kernel > height || layer.kernel > width || layer.stride < 1 ||
      layer.padding >= layer.kernel) {
    return false;
  }
  layer.out_height = (height - layer.kernel) / layer.stride + 1;
  layer.out_width = (width - layer.kernel) / layer.stride + 1;
  if (layer.channels > SFNEC_NET_WEIGHTS / (layer.kernel * layer.kernel)) return false;
  layer.terms = layer.kernel * layer.kernel * layer.channels;
  const size_t most_units = (SFNEC_NET_WEIGHTS - net->weight_count) / (layer.terms + 1);
  const size_t wider = layer.terms > layer.units ? layer.terms : layer.units;
  if (layer.units > most_units || layer.out_height * layer.out_width > SFNEC_NET_NUMBERS / wider) return false;
  layer.weights = net->weight_count;
  layer.bias = layer.weights + layer.terms * layer.units;
  layer.rectified = true;
  net->weight_count = layer.bias + layer.units;
  net->layers[net->count++] = layer;
  return true;
}

// A whole number from 0 to SFNEC_NET_UNITS at *text, which moves past it.
static bool read_number(const char **text, size_t *number) {
  size_t digits = 0;
  *number = 0;
  for (; **text >= '0' && **text <= '9'; (*text)++, digits++) {
    *number = 10 * *number + (size_t)(**text - '0');
    if (*number > SFNEC_NET_UNITS) return false;
  }
  return digits > 0;
}

static bool skip(const char **text, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(*text, word, length) != 0) return false;
  *text += length;
  return true;
}

// "32x8/4" or "32x8/4p2"
static bool read_conv(const char **text, sfnec_layer *layer) {
  const bool good = read_number(text, &layer->units) && skip(text, "x") && read_number(text, &layer->kernel) &&
                    skip(text, "/") && read_number(text, &layer->stride);
  if (!good) return false;
  return skip(text, "p") ? read_number(text, &layer->padding) : true;
}

// The input of the next layer: what the last one gives, as pixels, or as the channels of one.
static sfnec_layer next_input(const sfnec_net *net, sfnec_layer input, bool dense) {
  if (net->count > 0) {
    const sfnec_layer *last = &net->layers[net->count - 1];
    input = (sfnec_layer){.height = last->out_height, .width = last->out_width, .channels = last->units};
  }
  if (!dense) return input;
  return (sfnec_layer){.height = 1, .width = 1, .channels = sfnec_layer_inputs(&input), .kernel = 1, .stride = 1};
}

// The layers of one group, up to a semicolon or the end.
static bool read_group(const char **text, sfnec_net *net, sfnec_layer input) {
  const bool dense = skip(text, "dense:");
  if (!dense && !skip(text, "conv:")) return false;
  do {
    sfnec_layer layer = next_input(net, input, dense);
    if (dense ? !read_number(text, &layer.units) : !read_conv(text, &layer)) return false;
    if (!append(net, layer)) return false;
  } while (skip(text, ","));
  return true;
}

static bool read_all(const char *text, sfnec_net *net, sfnec_layer input) {
  do {
    if (!read_group(&text, net, input)) return false;
  } while (skip(&text, ";"));
  return *text == '\0';
}

sfnec_status sfnec_net_describe(const char *text, size_t height, size_t width, size_t channels, size_t outputs,
                                bool unit, sfnec_net *net) {
  const char *layers = text;
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(text, named[i].name) == 0) layers = named[i].text;
  *net = (sfnec_net){.unit = unit};
  const sfnec_layer input = {.height = height, .width = width, .channels = channels};
  bool good = *layers == '\0' || read_all(layers, net, input);
  if (good) {
    sfnec_layer last = next_input(net, input, true);
    last.units = outputs;
    good = append(net, last);
  }
  if (!good) {
    return sfnec_fail(
        SFNEC_ERROR_OPTION,
        "agent option layers=%s is refused for pictures of %zu x %zu x %zu: it takes nature, small, or at "
        "most %d layers that fit, such as conv:32x8/4,64x4/2;dense:64 (units x kernel / stride)",
        text, height, width, channels, SFNEC_NET_LAYERS - 1);
  }
  net->layers[net->count - 1].rectified = false;
  return SFNEC_OK;
}
