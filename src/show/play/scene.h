// scene.h: a saved agent that plays greedily, and what it thinks at each step.
//
// The scene stops before each action: `choice` is what the agent is about to do, `q` what it expects of each action.
// sfnec_scene_step takes that action and thinks again. Changing a weight changes the thoughts at once.
//
// An agent that uses the policies of all tasks plays by GPI under the scene's weights. One that uses only its own
// policy (sfnec-nogpi, nec, ql) plays that of the chosen task; if it predicts the reward itself, its weights cannot be
// changed. One that plans (sfnec-plan) has one plan for all tasks: the scene shows the states of its model and the path
// that it means to take.
#ifndef SFNEC_SHOW_PLAY_SCENE_H
#define SFNEC_SHOW_PLAY_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "run/play.h"
#include "sfnec/sfnec.h"

enum { SFNEC_SCENE_MEMORIES = 5, SFNEC_SCENE_PATH = 60 };
#define SFNEC_SCENE_LAST_TASK UINT32_MAX

typedef struct sfnec_scene_options {
  const char *path; // of the agent
  const char *env;  // where it plays, by name or file; NULL: in the built-in world that its note names
  bool has_seed;    // without, the agent's seed + 1: a world that it has not seen
  uint64_t seed;
  uint32_t task;      // from 0; SFNEC_SCENE_LAST_TASK, or past the last: the last
  int64_t most_steps; // of an episode; 0: as the world has it
} sfnec_scene_options;

// One step of the trail: where it began, and whose policy was followed.
typedef struct sfnec_step {
  double x, y;
  int32_t policy;
} sfnec_step;

// A memory that the choice rests on.
typedef struct sfnec_recall {
  double distance, weight;
  bool located; // x and y say where the agent was when it made the memory
  double x, y;
} sfnec_recall;

// A representative state of a model, or a state on the planned path.
typedef struct sfnec_spot {
  double x, y;
  bool frontier; // some action was never tried there
} sfnec_spot;

// Read only for everyone but scene.c.
typedef struct sfnec_scene {
  sfnec_agent *agent;
  sfnec_scratch *scratch; // by which the agent is asked
  sfnec_env *env;
  sfnec_arena *arena; // of what follows, except the trail
  const char *label;  // of the agent, from its note; never NULL
  sfnec_env_shape shape;
  uint64_t seed;
  uint32_t task, policy_count;
  int64_t most_steps;

  // weights (feature_count): what the agent acts by, and what its rewards are counted by. They differ only for an agent
  // that has learned its weights, or predicts the reward, until somebody changes them.
  double *w, *true_w;
  bool own;     // only the task's own policy is used
  bool fixed;   // the weights cannot be changed
  bool planned; // the agent plans
  bool any;     // psi is not of features alone (rewards=any)

  // of an agent that plans: the states of its model, and the positions of those that the world can locate
  int64_t model_states;
  sfnec_spot *states; // (state_count)
  size_t state_count;

  // the episode
  sfnec_play play; // steps, the last reward, the return so far, how it ended; acts for rewards by true_w
  int64_t episodes;
  bool ended;
  sfnec_look look;   // how the world looks now
  sfnec_step *trail; // (steps)
  size_t trail_capacity;

  // the thoughts; at the end of an episode the choice is void: action and policy -1
  sfnec_choice choice;
  double *q;            // (action_count): the best of the policies used
  double low_q, high_q; // their range, and 0 in it: bars from zero do not make small differences large
  sfnec_recall memories[SFNEC_SCENE_MEMORIES];
  size_t memory_count;
  sfnec_spot path[SFNEC_SCENE_PATH]; // where it expects to be after one step, two and so on
  size_t path_count;

  double *all_q; // (policy_count, action_count)
} sfnec_scene;

// Loads an agent and begins an episode. Fails as sfnec_agent_load, sfnec_note_world and sfnec_env_get_look do, and with
// SFNEC_ERROR_ARGUMENT for an agent without a task.
sfnec_status sfnec_scene_open(const sfnec_scene_options *options, sfnec_scene **out);
void sfnec_scene_close(sfnec_scene *scene); // NULL is fine

// Begins another episode.
sfnec_status sfnec_scene_restart(sfnec_scene *scene);
// Takes the chosen action; at the end of an episode nothing.
sfnec_status sfnec_scene_step(sfnec_scene *scene);
// Changes the weights (feature_count); the rewards are counted by them from then on. Fails with SFNEC_ERROR_OPTION if
// they are fixed, and with SFNEC_ERROR_ARGUMENT if they are not finite.
sfnec_status sfnec_scene_set_weights(sfnec_scene *scene, const double *w);

// How an episode that is over has ended, in words.
const char *sfnec_scene_end(const sfnec_scene *scene);
// The name of a feature or an action; never NULL.
const char *sfnec_scene_feature(const sfnec_scene *scene, int32_t feature);
const char *sfnec_scene_action(const sfnec_scene *scene, int32_t action);

#endif
