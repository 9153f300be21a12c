// clone.h: a copy of a trained agent that differs in its index only, so that both can go on from the same knowledge.
#ifndef SFNEC_BENCH_CLONE_H
#define SFNEC_BENCH_CLONE_H

#include <stdint.h>

#include "sfnec/sfnec.h"

// One copy, walking in an environment of its own.
typedef struct clone {
  sfnec_agent *agent;
  sfnec_scratch *scratch; // for questions
  sfnec_env *env;
  float *observation, *following; // (d)
  double *features;               // (n)
  double *w;                      // (n), of the active task
  int in_episode;
} clone;

// Copies all tasks and memories of an agent with episodic psi; the last task becomes the active one. How recently each
// entry was used is not copied. Two clones with equal seeds take the same steps if their indexes agree.
void clone_init(clone *c, const sfnec_agent *agent, const char *index, uint64_t seed);
void clone_free(clone *c);

// One whole step: act, the world, observe. The state before it is in c->observation until the next one.
int32_t clone_step(clone *c);

#endif
