// cartpole.h: options and state of the environment cartpole.
#ifndef SFNEC_ENV_CARTPOLE_H
#define SFNEC_ENV_CARTPOLE_H

#include "sfnec/env.h"

enum { SFNEC_CARTPOLE_LEFT, SFNEC_CARTPOLE_RIGHT, SFNEC_CARTPOLE_ACTIONS };
enum { SFNEC_CARTPOLE_FULL, SFNEC_CARTPOLE_POLE };

typedef struct sfnec_cartpole_options {
  sfnec_env_common common;
  int observation; // SFNEC_CARTPOLE_FULL: all of the state; SFNEC_CARTPOLE_POLE: theta and theta_dot
} sfnec_cartpole_options;

// In metres, radians and seconds; theta = 0 is upright, positive to the right.
typedef struct sfnec_cartpole_state {
  double x, x_dot;
  double theta, theta_dot;
} sfnec_cartpole_state;

#endif
