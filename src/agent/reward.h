// reward.h: the reward weights w of one task, given or learned from (phi, r).
#ifndef SFNEC_AGENT_REWARD_H
#define SFNEC_AGENT_REWARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "sfnec/agent.h"

typedef struct sfnec_reward {
  size_t size;
  bool learned;
  double *w;          // (n)
  double *covariance; // (n, n), symmetric: of w=rls; NULL otherwise
  double *gain;       // (n), scratch of w=rls
} sfnec_reward;

// Weights given by the caller (n), or NULL: learned as the options say, from N(0, w_init_sd) for w=sgd and from 0 for
// w=rls. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_reward_init(sfnec_reward *reward, const sfnec_agent_options *options, size_t size, const double *w,
                               sfnec_random *init);
void sfnec_reward_clear(sfnec_reward *reward);

// Learns from one transition: phi (n) brought the reward r. Fails with SFNEC_ERROR_STATE when a weight would leave the
// range of numbers; then nothing has changed.
sfnec_status sfnec_reward_learn(sfnec_reward *reward, const sfnec_agent_options *options, const double *phi, double r);

// How little is known of w along two features: for one with itself 1 if nothing is known of it, 0 if all is; 0 unless
// w=rls.
double sfnec_reward_uncertainty(const sfnec_reward *reward, const sfnec_agent_options *options, size_t i, size_t j);

void sfnec_reward_save(const sfnec_reward *reward, sfnec_writer *writer);
sfnec_status sfnec_reward_load(sfnec_reward *reward, const sfnec_agent_options *options, size_t size,
                               sfnec_reader *reader);

#endif
