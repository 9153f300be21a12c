// slope.c: the derivative of a look-up by the distances behind it, for training keys and what makes them.
//
// With kernel weights u_i of the squared distances d_i, U their sum and psi = sum_i u_i v_i / U,
//   d psi / d u_i = (v_i - psi) / U,    d L / d d_i = u'(d_i) sum_f error_f (v_if - psi_f) / U,
// where u' = -u^2 for 1 / (d + delta), and u' = -u^2 / (2 r) for 1 / (r + delta), r = sqrt(d + 1e-8).
#include <math.h>

#include "memory/parts.h"
#include "sfnec/agent.h"

// u'(d) / U: the derivative of a neighbour's weight, over the sum of all.
static double weight_slope(const sfnec_memory_shape *shape, float squared, double share) {
  const double u = sfnec_memory_weight(shape, squared);
  if (shape->kernel == SFNEC_KERNEL_INVERSE) return -share * u / (2.0 * sqrt((double)squared + 1e-8));
  return -share * u;
}

void sfnec_memory_slopes(const sfnec_memory *memory, const sfnec_lookup *lookup, const double *error, double *slopes) {
  for (uint32_t i = 0; i < lookup->count; i++) {
    const sfnec_neighbour neighbour = lookup->neighbours[i];
    const float *value = sfnec_memory_value(memory, neighbour.slot);
    double along = 0.0;
    for (size_t f = 0; f < memory->shape.value_size; f++) along += error[f] * ((double)value[f] - lookup->value[f]);
    slopes[i] = along * weight_slope(&memory->shape, neighbour.squared, lookup->weights[i]);
  }
}
