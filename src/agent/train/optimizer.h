// optimizer.h: gradient steps on an array of weights: SGD, RMSprop or Adam, with the usual formulas.
#ifndef SFNEC_AGENT_TRAIN_OPTIMIZER_H
#define SFNEC_AGENT_TRAIN_OPTIMIZER_H

#include <stddef.h>

#include "base/file.h"
#include "sfnec/agent.h"

typedef struct sfnec_optimizer {
  size_t count;                    // of weights
  double *means;                   // (count): of gradients; adam
  double *squares;                 // (count): means of their squares; rmsprop and adam
  double beta1_power, beta2_power; // adam: beta^t, how much of the zeros at the start is left in the means
} sfnec_optimizer;

// Arrays that the options call for, at zero. Does nothing if they are there. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_optimizer_prepare(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count);
void sfnec_optimizer_clear(sfnec_optimizer *optimizer);
size_t sfnec_optimizer_bytes(const sfnec_optimizer *optimizer);

// One step on the weights along `scale` times the gradient (count); both are finite.
void sfnec_optimizer_step(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                          const double *gradient, double scale);

void sfnec_optimizer_save(const sfnec_optimizer *optimizer, sfnec_writer *writer);
// Into a cleared one. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_optimizer_load(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count,
                                  sfnec_reader *reader);

#endif
