// basis.h: what psi predicts: the features, the reward alone, what is learned from it, or, with rewards=any, what any
// reward is linear in.
//
// An agent that plans keeps the reward of each transition as one more feature, its label (plan/labels.h); the weights
// of a task with a reward function are then 0 but for a 1 at the label. Other agents predict indicators: one feature
// for each joint value of phi that was seen, which is 1 where phi has that value. A reward that depends on phi alone is
// linear in them, however it depends on it: the successor feature representation (Reinke and Alameda-Pineda 2023).
#ifndef SFNEC_AGENT_BASIS_H
#define SFNEC_AGENT_BASIS_H

#include <stdint.h>

#include "base/file.h"
#include "sfnec/agent.h"
#include "sfnec/reward.h"

typedef enum sfnec_basis {
  SFNEC_BASIS_FEATURES,
  SFNEC_BASIS_REWARD,     // predict=reward: takes any reward as it comes
  SFNEC_BASIS_LEARNED,    // predict=learned: as well, and finds features in it (plan/learned.h)
  SFNEC_BASIS_LABEL,      // rewards=any of an agent that plans: features and label
  SFNEC_BASIS_INDICATORS, // rewards=any of others
} sfnec_basis;

// The joint values of phi, in the order in which they were seen.
typedef struct sfnec_joint_values {
  uint32_t count, room;
  double *values; // (room, feature_count)
} sfnec_joint_values;

sfnec_basis sfnec_basis_of(const sfnec_agent_options *options);
// The length of psi.
size_t sfnec_basis_size(const sfnec_agent_options *options, const sfnec_env_shape *shape);
// Makes agent->phi of a transition that was checked; a joint value that is new becomes known, with its reward under the
// active task. Fails with SFNEC_ERROR_STATE where there are too many; then nothing has changed.
sfnec_status sfnec_basis_observe(sfnec_agent *agent, const sfnec_transition *transition);

// What weights of features (feature_count) are as weights of psi (psi_size).
void sfnec_basis_spread(const sfnec_agent *agent, const double *w, double *spread);
// What a reward function is as weights of psi. Fails with what the function returns, and with SFNEC_ERROR_ARGUMENT
// where it is not one of phi alone, and the agent has indicators.
sfnec_status sfnec_basis_weigh(const sfnec_agent *agent, sfnec_reward_function function, void *context, double *spread);

void sfnec_basis_save(const sfnec_agent *agent, sfnec_writer *writer);
// Into an agent that was just created. Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_basis_load(sfnec_agent *agent, sfnec_reader *reader);

#endif
