// basis.c: see basis.h.
#include "agent/basis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"

sfnec_basis sfnec_basis_of(const sfnec_agent_options *options) {
  if (options->predict == SFNEC_PREDICT_REWARD) return SFNEC_BASIS_REWARD;
  if (options->predict == SFNEC_PREDICT_LEARNED) return SFNEC_BASIS_LEARNED;
  if (options->rewards == SFNEC_REWARDS_LINEAR) return SFNEC_BASIS_FEATURES;
  return options->psi == SFNEC_PSI_PLANNED ? SFNEC_BASIS_LABEL : SFNEC_BASIS_INDICATORS;
}

size_t sfnec_basis_size(const sfnec_agent_options *options, const sfnec_env_shape *shape) {
  switch (sfnec_basis_of(options)) {
  case SFNEC_BASIS_REWARD:
    return 1;
  case SFNEC_BASIS_LEARNED:
    return SFNEC_LEARNED_FEATURES;
  case SFNEC_BASIS_LABEL:
    return (size_t)shape->feature_count + 1;
  case SFNEC_BASIS_INDICATORS:
    return (size_t)options->joint_values;
  default:
    return (size_t)shape->feature_count;
  }
}

static sfnec_basis basis_of(const sfnec_agent *agent) {
  return sfnec_basis_of(&agent->policies.config.options);
}

// ---- transitions ----

static double *joint_value(const sfnec_agent *agent, uint32_t i) {
  return agent->joints.values + (size_t)i * (size_t)agent->shape.feature_count;
}

// The number of a joint value; `count` if it is new.
static uint32_t find(const sfnec_agent *agent, const double *features) {
  const int32_t n = agent->shape.feature_count;
  uint32_t i = 0;
  for (; i < agent->joints.count; i++) {
    int32_t f = 0;
    while (f < n && joint_value(agent, i)[f] == features[f]) f++;
    if (f == n) break;
  }
  return i;
}

static sfnec_status reserve(sfnec_agent *agent, uint32_t count) {
  sfnec_joint_values *joints = &agent->joints;
  if (count <= joints->room) return SFNEC_OK;
  const uint32_t room = count < 2 * joints->room ? 2 * joints->room : count;
  if (!SFNEC_WIDEN(joints->values, room * (size_t)agent->shape.feature_count)) {
    return sfnec_fail_memory("the joint values of features");
  }
  joints->room = room;
  return SFNEC_OK;
}

static sfnec_status indicate(sfnec_agent *agent, const sfnec_transition *transition) {
  const size_t most = agent->policies.config.psi_size, n = (size_t)agent->shape.feature_count;
  const uint32_t at = find(agent, transition->features);
  if (at == most) {
    return sfnec_fail(SFNEC_ERROR_STATE,
                      "the features have had more than %zu joint values, each of which is an indicator of "
                      "rewards=any: raise the option joint_values, round the features, or use an agent that plans "
                      "(psi=planned)",
                      most);
  }
  sfnec_reward *reward = &agent->policies.list[agent->active].reward;
  if (at == agent->joints.count) {
    const sfnec_status status = reserve(agent, at + 1);
    if (status) return status;
    memcpy(joint_value(agent, at), transition->features, n * sizeof(double));
    agent->joints.count++;
  }
  memset(agent->phi, 0, most * sizeof *agent->phi);
  agent->phi[at] = 1.0;
  if (!reward->learned) reward->w[at] = transition->reward;
  return SFNEC_OK;
}

sfnec_status sfnec_basis_observe(sfnec_agent *agent, const sfnec_transition *transition) {
  const size_t n = (size_t)agent->shape.feature_count;
  switch (basis_of(agent)) {
  case SFNEC_BASIS_REWARD:
    agent->phi[0] = transition->reward;
    return SFNEC_OK;
  case SFNEC_BASIS_INDICATORS:
    return indicate(agent, transition);
  case SFNEC_BASIS_LEARNED:
    agent->learner->learned_features(agent, transition);
    return SFNEC_OK;
  case SFNEC_BASIS_LABEL:
    // weights of features have no use for it
    agent->phi[n] = agent->policies.list[agent->active].reward.w[n] != 0.0 ? transition->reward : 0.0;
    break;
  default:
    break;
  }
  memcpy(agent->phi, transition->features, n * sizeof *agent->phi);
  return SFNEC_OK;
}

// ---- weights ----

void sfnec_basis_spread(const sfnec_agent *agent, const double *w, double *spread) {
  const size_t size = agent->policies.config.psi_size, n = (size_t)agent->shape.feature_count;
  memset(spread, 0, size * sizeof *spread);
  if (basis_of(agent) == SFNEC_BASIS_INDICATORS) {
    for (uint32_t i = 0; i < agent->joints.count; i++) spread[i] = sfnec_dot(joint_value(agent, i), w, n);
  } else {
    memcpy(spread, w, n * sizeof *w);
  }
}

// Asks about all joint values, in transitions that differ in all else.
static sfnec_status ask(const sfnec_agent *agent, sfnec_reward_function function, void *context, uint32_t probe,
                        double *rewards) {
  const uint32_t count = agent->joints.count, d = (uint32_t)agent->shape.observation_size;
  float *before = calloc((size_t)count * d + 1, sizeof *before), *after = calloc((size_t)count * d + 1, sizeof *after);
  int32_t *actions = calloc((size_t)count + 1, sizeof *actions);
  bool *terminated = calloc((size_t)count + 1, sizeof *terminated);
  sfnec_status status = SFNEC_OK;
  if (!before || !after || !actions || !terminated) {
    status = sfnec_fail_memory("the rewards of joint values");
  } else {
    sfnec_random random = sfnec_random_start(probe, SFNEC_PURPOSE_EVALUATION);
    for (size_t i = 0; probe > 0 && i < (size_t)count * d; i++) {
      before[i] = (float)(probe * sfnec_random_normal(&random));
      after[i] = (float)(probe * sfnec_random_normal(&random));
    }
    for (uint32_t i = 0; i < count; i++) {
      actions[i] = (int32_t)((i + probe) % (uint32_t)agent->shape.action_count);
      terminated[i] = (i + probe) % 2 == 1;
      rewards[i] = (double)NAN; // what a function leaves out is found
    }
    const sfnec_transitions all = {.count = count,
                                   .observation_size = agent->shape.observation_size,
                                   .feature_count = agent->shape.feature_count,
                                   .observations = before,
                                   .actions = actions,
                                   .next_observations = after,
                                   .features = agent->joints.values,
                                   .terminated = terminated};
    status = count ? function(context, &all, rewards) : SFNEC_OK;
  }
  free(before), free(after), free(actions), free(terminated);
  return status;
}

static sfnec_status refuse_transitions(void) {
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "the reward depends on more than the features: an agent with a psi per task and rewards=any takes "
                    "rewards of phi alone; use an agent that plans (psi=planned), or one with predict=reward");
}

// A function of phi alone says the same whatever else is in a transition; a few other ones are tried.
static sfnec_status ask_indicators(const sfnec_agent *agent, sfnec_reward_function function, void *context,
                                   double *spread) {
  enum { PROBES = 4 };
  if (function == sfnec_reward_evaluate && sfnec_reward_reads_transitions(context)) return refuse_transitions();
  double *other = calloc((size_t)agent->joints.count + 1, sizeof *other);
  sfnec_status status = other ? ask(agent, function, context, 0, spread) : sfnec_fail_memory("a reward");
  for (uint32_t probe = 1; probe <= PROBES && !status; probe++) {
    status = ask(agent, function, context, probe, other);
    for (uint32_t i = 0; i < agent->joints.count && !status; i++) {
      if (spread[i] != other[i]) status = refuse_transitions();
    }
  }
  for (uint32_t i = 0; i < agent->joints.count && !status; i++) {
    if (!(fabs(spread[i]) <= SFNEC_NUMBER_MOST))
      status = sfnec_fail(SFNEC_ERROR_ARGUMENT,
                          "the reward of joint value %" PRIu32 " of the features is %g; it must "
                          "be finite, and not beyond %g",
                          i, spread[i], SFNEC_NUMBER_MOST);
  }
  free(other);
  return status;
}

sfnec_status sfnec_basis_weigh(const sfnec_agent *agent, sfnec_reward_function function, void *context,
                               double *spread) {
  const size_t size = agent->policies.config.psi_size;
  memset(spread, 0, size * sizeof *spread);
  if (basis_of(agent) == SFNEC_BASIS_INDICATORS) return ask_indicators(agent, function, context, spread);
  spread[size - 1] = 1.0; // the label
  return SFNEC_OK;
}

// ---- files ----

void sfnec_basis_save(const sfnec_agent *agent, sfnec_writer *writer) {
  if (basis_of(agent) != SFNEC_BASIS_INDICATORS) return;
  sfnec_write_u32(writer, agent->joints.count);
  if (agent->joints.count)
    sfnec_write_bytes(writer, agent->joints.values,
                      agent->joints.count * (size_t)agent->shape.feature_count * sizeof(double));
}

sfnec_status sfnec_basis_load(sfnec_agent *agent, sfnec_reader *reader) {
  if (basis_of(agent) != SFNEC_BASIS_INDICATORS) return SFNEC_OK;
  const uint32_t count = sfnec_read_u32(reader);
  const size_t n = (size_t)agent->shape.feature_count;
  if (count > agent->policies.config.psi_size || !sfnec_reader_holds(reader, count, n * sizeof(double)))
    return sfnec_reader_refuse(reader, "the joint values of its features are not there");
  const sfnec_status status = reserve(agent, count);
  if (status) return status;
  sfnec_read_bytes(reader, agent->joints.values, count * n * sizeof(double));
  if (!sfnec_all_within_f64(agent->joints.values, count * n, SFNEC_NUMBER_MOST))
    return sfnec_reader_refuse(reader, "a joint value of its features is not finite, or too large");
  agent->joints.count = count;
  return SFNEC_OK;
}
