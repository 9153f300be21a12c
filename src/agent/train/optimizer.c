// optimizer.c: the steps of SGD, RMSprop and Adam, weight by weight; only + - * / and sqrt, so the same bits
// everywhere.
#include "agent/train/optimizer.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "agent/train/embedding.h"
#include "base/error.h"

sfnec_status sfnec_optimizer_prepare(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count) {
  if (optimizer->count == count) return SFNEC_OK;
  const bool adam = options->optimizer == SFNEC_OPTIMIZER_ADAM;
  const bool squares = adam || options->optimizer == SFNEC_OPTIMIZER_RMSPROP;
  *optimizer = (sfnec_optimizer){.count = count, .beta1_power = 1.0, .beta2_power = 1.0};
  if (adam) optimizer->means = calloc(count, sizeof *optimizer->means);
  if (squares) optimizer->squares = calloc(count, sizeof *optimizer->squares);
  if ((!adam || optimizer->means) && (!squares || optimizer->squares)) return SFNEC_OK;
  sfnec_optimizer_clear(optimizer);
  return sfnec_fail_memory("an optimizer");
}

void sfnec_optimizer_clear(sfnec_optimizer *optimizer) {
  free(optimizer->means);
  free(optimizer->squares);
  *optimizer = (sfnec_optimizer){0};
}

size_t sfnec_optimizer_bytes(const sfnec_optimizer *optimizer) {
  return optimizer->count * sizeof(double) * ((optimizer->means != NULL) + (size_t)(optimizer->squares != NULL));
}

static void step_sgd(const sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                     const double *gradient, double scale) {
  const double rate = options->embedding_rate * scale;
  for (size_t i = 0; i < optimizer->count; i++) weights[i] = sfnec_embedding_bound(weights[i] - rate * gradient[i]);
}

static void step_rmsprop(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                         const double *gradient, double scale) {
  const double rate = options->embedding_rate, decay = options->rmsprop_decay, epsilon = options->optimizer_epsilon;
  for (size_t i = 0; i < optimizer->count; i++) {
    const double g = scale * gradient[i];
    const double square = decay * optimizer->squares[i] + (1.0 - decay) * (g * g);
    optimizer->squares[i] = square;
    weights[i] = sfnec_embedding_bound(weights[i] - rate * g / (sqrt(square) + epsilon));
  }
}

static void step_adam(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                      const double *gradient, double scale) {
  const double beta1 = options->adam_mean_decay, beta2 = options->adam_square_decay,
               epsilon = options->optimizer_epsilon;
  optimizer->beta1_power *= beta1;
  optimizer->beta2_power *= beta2;
  const double rate = options->embedding_rate / (1.0 - optimizer->beta1_power),
               fill = 1.0 / (1.0 - optimizer->beta2_power);
  for (size_t i = 0; i < optimizer->count; i++) {
    const double g = scale * gradient[i];
    const double mean = beta1 * optimizer->means[i] + (1.0 - beta1) * g;
    const double square = beta2 * optimizer->squares[i] + (1.0 - beta2) * (g * g);
    optimizer->means[i] = mean;
    optimizer->squares[i] = square;
    weights[i] = sfnec_embedding_bound(weights[i] - rate * mean / (sqrt(fill * square) + epsilon));
  }
}

void sfnec_optimizer_step(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                          const double *gradient, double scale) {
  if (options->optimizer == SFNEC_OPTIMIZER_ADAM) step_adam(optimizer, options, weights, gradient, scale);
  else if (options->optimizer == SFNEC_OPTIMIZER_RMSPROP) step_rmsprop(optimizer, options, weights, gradient, scale);
  else step_sgd(optimizer, options, weights, gradient, scale);
}

// ---- files: whether it has begun, then what it holds ----

void sfnec_optimizer_save(const sfnec_optimizer *optimizer, sfnec_writer *writer) {
  const size_t bytes = optimizer->count * sizeof(double);
  sfnec_write_u32(writer, optimizer->count > 0);
  if (optimizer->count == 0) return;
  sfnec_write_f64(writer, optimizer->beta1_power);
  sfnec_write_f64(writer, optimizer->beta2_power);
  if (optimizer->means) sfnec_write_bytes(writer, optimizer->means, bytes);
  if (optimizer->squares) sfnec_write_bytes(writer, optimizer->squares, bytes);
}

sfnec_status sfnec_optimizer_load(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count,
                                  sfnec_reader *reader) {
  if (sfnec_read_u32(reader) == 0) return SFNEC_OK;
  const sfnec_status status = sfnec_optimizer_prepare(optimizer, options, count);
  if (status) return status;
  optimizer->beta1_power = sfnec_read_f64(reader);
  optimizer->beta2_power = sfnec_read_f64(reader);
  // beta^t is 1 only before the first step, and a mean square is not negative
  bool good = optimizer->beta1_power >= 0.0 && optimizer->beta1_power <= 1.0 && optimizer->beta2_power >= 0.0 &&
              optimizer->beta2_power <= 1.0;
  if (optimizer->means) sfnec_read_bytes(reader, optimizer->means, count * sizeof(double));
  if (optimizer->squares) sfnec_read_bytes(reader, optimizer->squares, count * sizeof(double));
  for (size_t i = 0; i < count && optimizer->means; i++) good = good && isfinite(optimizer->means[i]);
  for (size_t i = 0; i < count && optimizer->squares; i++) {
    good = good && optimizer->squares[i] >= 0.0 && isfinite(optimizer->squares[i]);
  }
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "the state of an optimizer is out of range");
}
