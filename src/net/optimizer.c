// optimizer.c: SGD, RMSprop (Tieleman and Hinton 2012) and Adam (Kingma and Ba 2015); see optimizer.h.
#include "net/optimizer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sfnec_status sfnec_optimizer_prepare(sfnec_optimizer *optimizer, const sfnec_optimizer_rule *rule, size_t count) {
  if (count == 0 || optimizer->count == count) return SFNEC_OK;
  const bool adam = rule->kind == SFNEC_OPTIMIZE_ADAM, squares = adam || rule->kind == SFNEC_OPTIMIZE_RMSPROP;
  if (optimizer->capacity < count) {
    *optimizer = (sfnec_optimizer){.capacity = count};
    if (adam) optimizer->means = calloc(count, sizeof *optimizer->means);
    if (squares) optimizer->squares = calloc(count, sizeof *optimizer->squares);
    if ((adam && !optimizer->means) || (squares && !optimizer->squares)) {
      sfnec_optimizer_clear(optimizer);
      return sfnec_fail_memory("an optimizer");
    }
  }
  optimizer->count = count;
  optimizer->beta1_power = optimizer->beta2_power = 1.0;
  return SFNEC_OK;
}

void sfnec_optimizer_forget(sfnec_optimizer *optimizer) {
  if (optimizer->means) memset(optimizer->means, 0, optimizer->capacity * sizeof *optimizer->means);
  if (optimizer->squares) memset(optimizer->squares, 0, optimizer->capacity * sizeof *optimizer->squares);
  optimizer->count = 0;
}

void sfnec_optimizer_clear(sfnec_optimizer *optimizer) {
  free(optimizer->means);
  free(optimizer->squares);
  *optimizer = (sfnec_optimizer){0};
}

size_t sfnec_optimizer_bytes(const sfnec_optimizer *optimizer) {
  return optimizer->capacity * sizeof(float) * ((optimizer->means != NULL) + (size_t)(optimizer->squares != NULL));
}

static inline float bounded(float x) {
  const float low = x < -SFNEC_NET_WEIGHT_MOST ? -SFNEC_NET_WEIGHT_MOST : x;
  return low > SFNEC_NET_WEIGHT_MOST ? SFNEC_NET_WEIGHT_MOST : low;
}

static void step_sgd(size_t count, float rate, const float *restrict gradient, float *restrict weights) {
  for (size_t i = 0; i < count; i++) weights[i] = bounded(weights[i] - rate * gradient[i]);
}

static void step_rmsprop(size_t count, const sfnec_optimizer_rule *rule, float scale, const float *restrict gradient,
                         float *restrict squares, float *restrict weights) {
  const float rate = (float)rule->rate, epsilon = (float)rule->epsilon;
  const float decay = (float)rule->square_decay, fresh = (float)(1.0 - rule->square_decay);
  for (size_t i = 0; i < count; i++) {
    const float g = scale * gradient[i];
    squares[i] = decay * squares[i] + fresh * (g * g);
    weights[i] = bounded(weights[i] - rate * g / (sqrtf(squares[i]) + epsilon));
  }
}

static void step_adam(sfnec_optimizer *optimizer, const sfnec_optimizer_rule *rule, float scale,
                      const float *restrict gradient, float *restrict weights) {
  float *restrict means = optimizer->means, *restrict squares = optimizer->squares;
  optimizer->beta1_power *= rule->decay;
  optimizer->beta2_power *= rule->square_decay;
  const float rate = (float)(rule->rate / (1.0 - optimizer->beta1_power)), epsilon = (float)rule->epsilon;
  const float fill = (float)(1.0 / (1.0 - optimizer->beta2_power));
  const float decay1 = (float)rule->decay, fresh1 = (float)(1.0 - rule->decay);
  const float decay2 = (float)rule->square_decay, fresh2 = (float)(1.0 - rule->square_decay);
  for (size_t i = 0; i < optimizer->count; i++) {
    const float g = scale * gradient[i];
    means[i] = decay1 * means[i] + fresh1 * g;
    squares[i] = decay2 * squares[i] + fresh2 * (g * g);
    weights[i] = bounded(weights[i] - rate * means[i] / (sqrtf(fill * squares[i]) + epsilon));
  }
}

void sfnec_optimizer_step(sfnec_optimizer *optimizer, const sfnec_optimizer_rule *rule, float *weights,
                          const float *gradient, double scale) {
  const size_t count = optimizer->count;
  if (rule->kind == SFNEC_OPTIMIZE_ADAM) step_adam(optimizer, rule, (float)scale, gradient, weights);
  else if (rule->kind == SFNEC_OPTIMIZE_RMSPROP)
    step_rmsprop(count, rule, (float)scale, gradient, optimizer->squares, weights);
  else step_sgd(count, (float)(rule->rate * scale), gradient, weights);
}
