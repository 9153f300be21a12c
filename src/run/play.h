// play.h: an agent in a world, one transition after the other: act, let the world move, observe.
//
// The one loop behind runs, evaluation, watching and films, and the loops of Python. A learning agent explores and
// learns; one that only plays acts greedily by all of its policies under the weights, and nothing is learned.
#ifndef SFNEC_RUN_PLAY_H
#define SFNEC_RUN_PLAY_H

#include "sfnec/agent.h"
#include "sfnec/env.h"
#include "sfnec/reward.h"

typedef struct sfnec_play {
  sfnec_agent *agent;             // that learns...
  const sfnec_agent *asked;       // ...or one that acts greedily, without learning...
  sfnec_scratch *scratch;         // ...and is asked by this
  sfnec_env *env;                 // NULL: the world lives elsewhere; the caller moves it between act and observe
  const double *w;                // (n) of the task: the reward is phi . w; NULL: the caller puts it into `reward`
  sfnec_reward_function function; // the reward is this one's, whatever w is; NULL: there is none
  void *context;
  bool own_weights;   // the agent that is asked acts by the weights of its active task, not by w
  float *observation; // (d), the present one
  double *features;   // (n), phi of the last transition
  float *before;      // (d), where it was before the last transition; kept for an agent that is asked, and on demand
  bool keep_before;   // demands it
  uint8_t *mask;      // (actions), those that are allowed after `observation`; NULL: all always are
  int32_t observation_size, feature_count;

  // the last transition
  int32_t action;
  double reward;
  bool terminated, truncated;

  // its episode
  bool in_episode; // an episode is running
  int64_t steps;   // transitions
  double total;    // undiscounted reward
} sfnec_play;

// Do agent and world have the same shape? SFNEC_ERROR_ARGUMENT with a sentence that says how they differ.
sfnec_status sfnec_play_fits(const sfnec_agent *agent, const sfnec_env *env);

// The agent takes up what the components of observations are, unless it knows. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_play_take_components(sfnec_agent *agent, const sfnec_env *env);

// Prepares playing before the first episode, with arrays of its own, which close frees. Agent, scratch, world and
// weights are borrowed. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_play_open(sfnec_play *play, sfnec_agent *agent, sfnec_env *env, const double *w);
// The same without learning; the reward is that of the scratch's function, if it has one.
sfnec_status sfnec_play_open_greedy(sfnec_play *play, const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env,
                                    const double *w);
void sfnec_play_close(sfnec_play *play);

// Begins an episode. Fails with what the world or the agent says.
sfnec_status sfnec_play_begin(sfnec_play *play);
// Chooses `action` for the present observation, among those that are allowed.
sfnec_status sfnec_play_act(sfnec_play *play);
// The present mask, as the world has it now; NULL: all actions are allowed. Fails with SFNEC_ERROR_ARGUMENT for a world
// that allows none.
sfnec_status sfnec_play_get_mask(sfnec_play *play, const uint8_t **mask);
// Takes in what followed the action: observation, mask, features, terminated and truncated (and the reward, without w)
// are there. A transition counts even if the agent says that it could not learn from it; but numbers that are not
// finite or far too great (SFNEC_ERROR_ARGUMENT) are the world's fault: they do not count, and end the episode, as a
// world that fails does.
sfnec_status sfnec_play_observe(sfnec_play *play);
// Lets the world move by `action`, and observes. `last`: the episode is cut off here if it does not end by itself.
sfnec_status sfnec_play_move(sfnec_play *play, bool last);
// One transition from its beginning to its end: begins an episode if none is running, acts, and moves.
sfnec_status sfnec_play_step(sfnec_play *play, bool last);

#endif
