// reward.h: the reward weights w of one task, given or learned from (phi, r).
#ifndef SFNEC_AGENT_REWARD_H
#define SFNEC_AGENT_REWARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "sfnec/agent.h"

// What w=rls has seen of rewards with features that are not all 0: others say nothing about w. The noise belongs to
// the environment, so a task that is detected begins with that of the task before.
typedef struct sfnec_residuals {
  double count;    // degrees of freedom: observations less what w took of them, at most SFNEC_RESIDUALS_MOST
  double squares;  // squared residuals, weighted alike
  double rewards;  // sum of r^2
  double features; // sum of |phi|^2
} sfnec_residuals;

// Residuals that count; older ones are forgotten slowly, so that the estimate follows noise that changes. Half as many:
// an estimate with an error of 1 % instead of 0.7 %.
#define SFNEC_RESIDUALS_MOST 10000.0

typedef struct sfnec_reward {
  size_t size;
  bool learned;
  double *w;          // (n)
  double *covariance; // (n, n), symmetric: of w=rls, in units of the noise's variance; NULL otherwise
  double *gain;       // (n), scratch of w=rls
  sfnec_residuals residuals;
} sfnec_reward;

typedef struct sfnec_noise {
  double variance; // of the noise on rewards; 0: no reward has been seen
  double prior;    // variance of a weight that nothing is known of, in units of that; at most rls_prior
  double count;    // degrees of freedom of the estimate, with those of the prior
} sfnec_noise;

// Weights given by the caller (n), or NULL: learned as the options say, from N(0, w_init_sd) for w=sgd and from 0 for
// w=rls. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_reward_init(sfnec_reward *reward, const sfnec_agent_options *options, size_t size, const double *w,
                               sfnec_random *init);
void sfnec_reward_clear(sfnec_reward *reward);

// Learns from one transition: phi (n) brought the reward r. Fails with SFNEC_ERROR_STATE when a weight would leave the
// range of numbers; then nothing has changed.
sfnec_status sfnec_reward_learn(sfnec_reward *reward, const sfnec_agent_options *options, const double *phi, double r);

// What the residuals say of the noise: the mean of its posterior under a prior of one observation.
sfnec_noise sfnec_residuals_noise(const sfnec_residuals *residuals, const sfnec_agent_options *options);
// Adds a reward to what is known of the size of weights.
void sfnec_residuals_note_size(sfnec_residuals *residuals, const double *phi, size_t size, double r);

// What w=rls expects of a reward with features phi.
typedef struct sfnec_expectation {
  double mean;     // phi . w
  double spread;   // phi . P phi: the variance of that without the noise, in units of the noise's variance
  double features; // |phi|^2
} sfnec_expectation;

sfnec_expectation sfnec_reward_expect(const sfnec_reward *reward, const double *phi);
// The spread, or that of the prior if it is less: what P says of weights that nothing is known of is far too much.
double sfnec_noise_spread(const sfnec_noise *noise, const sfnec_expectation *expected);

// Makes `to`, of the same size and kind, a copy of `from`.
void sfnec_reward_copy(sfnec_reward *to, const sfnec_reward *from);

// How little is known of w along two features: for one with itself 1 if nothing is known of it, 0 if all is; 0 unless
// w=rls. The share of the prior's variance that is left: the same with noise and without, but for how fast it falls.
double sfnec_reward_uncertainty(const sfnec_reward *reward, const sfnec_agent_options *options, size_t i, size_t j);

void sfnec_reward_save(const sfnec_reward *reward, sfnec_writer *writer);
sfnec_status sfnec_reward_load(sfnec_reward *reward, const sfnec_agent_options *options, size_t size,
                               sfnec_reader *reader);

#endif
