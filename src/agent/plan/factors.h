// factors.h: a matrix of rewards as the product of few factors: the reward of row i in task t is phi_i . w_t, with the
// first weight 1 in all tasks: what they all pay. Of most rows the reward is known in some tasks only. The factors are
// found by alternating least squares with ridge (Zhou et al. 2008); their number is the one that predicts rewards held
// out best.
#ifndef SFNEC_AGENT_PLAN_FACTORS_H
#define SFNEC_AGENT_PLAN_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

enum { SFNEC_FACTORS_MOST = 8 }; // of a matrix, with the first: more kinds of rewards are hard to tell apart

// A reward of one row; those of a row stand together, one for each task in which it was seen.
typedef struct sfnec_row_reward {
  uint32_t row, task;
  double reward;
} sfnec_row_reward;

typedef struct sfnec_factors {
  uint32_t rank;    // how many; 0: the rewards have no structure that could be found
  uint32_t tasks;   // that were there
  double explained; // share of rewards held out that they predict
  double *w;  // (tasks, rank): all but the first have mean 0 and variance 1 and are uncorrelated, over the tasks...
  bool *seen; // (tasks): ...of which rewards were known
} sfnec_factors;

// Finds the factors of rewards (count) of so many rows and tasks. Fails with SFNEC_ERROR_MEMORY; *out is then empty.
sfnec_status sfnec_factors_find(const sfnec_row_reward *rewards, size_t count, uint32_t rows, uint32_t tasks,
                                sfnec_factors *out);
void sfnec_factors_clear(sfnec_factors *factors);

// phi (rank) of a row from its rewards. Returns the share of phi that they leave open, from 0 to 1: the variance of its
// reward in a task like the others, in units of what it is without any.
double sfnec_factors_of_row(const sfnec_factors *factors, const sfnec_row_reward *rewards, size_t count, double *phi);

#endif
