// reward.h: rewards that are not phi . w (experimental).
//
// An agent that plans (psi=planned) can be asked about any reward, linear in its features or not, without a step of
// learning: the function is asked about the transitions that the agent remembers, and a plan is made for its answers.
//
//   sfnec_reward_expression *reward;
//   sfnec_reward_parse("1 if goal else -0.01 - 0.5 * (x > 0.3)", kind, &shape, &reward);
//   sfnec_scratch_create(agent, &scratch);
//   sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward);
//   sfnec_agent_choose(agent, scratch, observation, NULL, &choice);
//
// All of it may change with any version (sfnec.h).
#ifndef SFNEC_REWARD_H
#define SFNEC_REWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/agent.h"
#include "sfnec/env.h"
#include "sfnec/export.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Transitions that a reward is asked for.
typedef struct sfnec_transitions {
  size_t count;
  int32_t observation_size, feature_count;
  const float *observations;      // (count, observation_size): before
  const int32_t *actions;         // (count)
  const float *next_observations; // (count, observation_size)
  const double *features;         // (count, feature_count)
  const bool *terminated;         // (count)
} sfnec_transitions;

// Writes the rewards (count) of transitions; all must be finite. What it returns is returned to whoever asked
// (sfnec_set_error gives the reason). It must not ask the agent anything, and must give a transition the same reward
// each time.
typedef sfnec_status (*sfnec_reward_function)(void *context, const sfnec_transitions *transitions, double *rewards);

// From now on the questions with this scratch are about this reward: they take NULL for w. function NULL: about weights
// again. context is handed to the function; NULL is fine.
// The function is asked with the first question, and again when the agent has learned; its remembered transitions may
// be means of several that were alike, and components of the observation that the model does not use (see
// sfnec_agent_get_component_info) are 0 in them. Fails with SFNEC_ERROR_STATE for an agent that does not plan or has
// predict=reward, and with SFNEC_ERROR_ARGUMENT for a scratch that is NULL.
SFNEC_API sfnec_status sfnec_scratch_set_reward(sfnec_scratch *scratch, sfnec_reward_function function, void *context);

// ---- a reward as a task ----
//
// For agents with rewards=any, and those with predict=reward, which take any reward as it comes. While such a task is
// the active one, `reward` of each transition must be its reward: the agent learns it from there, and keeps neither
// function nor context, so that a saved agent can continue. An agent that plans asks the function about all transitions
// that it remembers when the task begins, and plans for its answers. Other agents ask it about the values that phi has
// had; it must depend on phi alone.

// Adds a task whose reward is a function's, and makes it the active one; `task` gets the number; NULL is fine. Fails
// with what the function returns, with SFNEC_ERROR_STATE for an agent whose tasks are weights or during an episode,
// with SFNEC_ERROR_ARGUMENT for a NULL, a reward that is not finite, or one of more than phi where the agent takes
// none, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_agent_begin_reward(sfnec_agent *agent, sfnec_reward_function function, void *context,
                                                uint32_t *task);
// Gives an existing task this reward, keeps what was learned, and makes it the active one, also during its episode;
// else the same. An agent that plans takes up an earlier task with a reward function only in this way, as
// sfnec_agent_set_task says of it.
SFNEC_API sfnec_status sfnec_agent_set_reward(sfnec_agent *agent, uint32_t task, sfnec_reward_function function,
                                              void *context);

// ---- a reward as text ----
//
// Python's arithmetic on numbers: + - * / **, comparisons, and, or, not, `a if c else b`, abs, min, max, sqrt, exp,
// log, floor. Truth is 1. Names are those of features and actions that the kind has, and
//
//   phi[i], observation[i], next_observation[i]    from 0
//   action, terminated                             `action == stop` with the name of an action
//
// Nothing is executed: the text becomes a bounded program of arithmetic, and is at most 4,096 characters.

typedef struct sfnec_reward_expression sfnec_reward_expression;

// Reads a text about worlds of this shape. `kind` is where names come from; NULL: there are none. Fails with
// SFNEC_ERROR_OPTION and a sentence that says where it is wrong, with SFNEC_ERROR_ARGUMENT for a NULL, and with
// SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_reward_parse(const char *text, const sfnec_env_kind *kind, const sfnec_env_shape *shape,
                                          sfnec_reward_expression **out);
SFNEC_API void sfnec_reward_destroy(sfnec_reward_expression *expression); // NULL is fine
// A sfnec_reward_function whose context is an expression. Fails with SFNEC_ERROR_ARGUMENT for transitions of another
// shape, and where the result is not finite.
SFNEC_API sfnec_status sfnec_reward_evaluate(void *expression, const sfnec_transitions *transitions, double *rewards);

#ifdef __cplusplus
}
#endif

#endif
