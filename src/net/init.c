// init.c: first weights of a network; see net.h.
#include <math.h>

#include "net/net.h"

void sfnec_net_draw(const sfnec_net *net, bool by_outputs, sfnec_random *init, float *weights) {
  for (size_t i = 0; i < net->count; i++) {
    const sfnec_layer *l = &net->layers[i];
    const double sd = sqrt((l->rectified ? 2.0 : 1.0) / (double)(by_outputs ? l->units : l->terms));
    for (size_t j = 0; j < l->terms * l->units; j++) weights[l->weights + j] = (float)(sd * sfnec_random_normal(init));
    for (size_t j = 0; j < l->units; j++) weights[l->bias + j] = 0.0f;
  }
}
