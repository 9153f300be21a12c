// optimizer.h: gradient steps on the weights of a network: SGD, RMSprop or Adam, with the formulas as PyTorch has them.
//
// Moments are floats, as weights are. Only + - * / and the square root occur, weight by weight, so that every
// instruction set gives the same bits.
#ifndef SFNEC_NET_OPTIMIZER_H
#define SFNEC_NET_OPTIMIZER_H

#include <stddef.h>

#include "sfnec/status.h"

enum { SFNEC_OPTIMIZE_SGD, SFNEC_OPTIMIZE_RMSPROP, SFNEC_OPTIMIZE_ADAM };

// The greatest weight, and the greatest norm of a gradient whose squares stay finite floats.
#define SFNEC_NET_WEIGHT_MOST 1e15f
#define SFNEC_NET_GRADIENT_MOST 1e18

typedef struct sfnec_optimizer_rule {
  int kind;
  double rate;
  double decay, square_decay; // of the mean gradient (Adam), and of the mean square (Adam, RMSprop)
  double epsilon;             // added to the root of the mean square
} sfnec_optimizer_rule;

typedef struct sfnec_optimizer {
  size_t count;                    // of weights; 0: it has not begun
  size_t capacity;                 // of the arrays, which may be there from before
  float *means;                    // (count): of gradients; Adam
  float *squares;                  // (count): means of their squares; RMSprop and Adam
  double beta1_power, beta2_power; // Adam: beta^t, how much of the zeros at the start is left in the means
} sfnec_optimizer;

// Arrays that the rule calls for, at zero. Does nothing if they are there. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_optimizer_prepare(sfnec_optimizer *optimizer, const sfnec_optimizer_rule *rule, size_t count);
void sfnec_optimizer_clear(sfnec_optimizer *optimizer);
// Begins again; the arrays stay for the next time.
void sfnec_optimizer_forget(sfnec_optimizer *optimizer);
size_t sfnec_optimizer_bytes(const sfnec_optimizer *optimizer);

// One step on the weights along `scale` times the gradient (count), whose norm is then at most SFNEC_NET_GRADIENT_MOST.
void sfnec_optimizer_step(sfnec_optimizer *optimizer, const sfnec_optimizer_rule *rule, float *weights,
                          const float *gradient, double scale);

#endif
