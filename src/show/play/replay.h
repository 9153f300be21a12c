// replay.h: one episode of a saved agent as JSON, for the page of `sfnec report`.
//
// One object on one line, without a line end:
//   {"env":"four_rooms","label":"sfnec","seed":7,"task":3,"w":[..],"total":4.2,"terminated":true,
//    "walls":[[x0,y0,x1,y1],..],"goal":{"x":..,"y":..,"radius":..},
//    "objects":[{"x":..,"y":..,"class":0},..],"class_names":["circle",..],"glyphs":["circle",..],
//    "action_names":["up",..],"policy_count":8,
//    "frames":[{"x":..,"y":..,"action":0,"policy":2,"explored":false,"reward":0,"taken":[3,5],"q":[..]},..],
//    "value_map":{"columns":41,"rows":41,"values":[..]},
//    "memories":[[x,y],..],
//    "places":[[x,y,0],..]}
// Positions are in the unit square, y upwards. A frame is a state, what the agent chooses there and the reward that
// followed; the last frame is the state at the end: its action and policy are -1 and its reward is 0. The values are
// max_a Q at the start of the episode, row by row from the bottom (y = 0), null in walls; there are none if the world
// does not say what is observed where. The memories are at most 400 points of the task's own memories. An agent
// that plans has no memories but states (`places`; the third number is 1 where some action was never tried), at most
// 2,000, and in each frame "path": [x,y,x,y,..], where it expects to be after each of the next steps. A world without a
// goal has null there. A world without positions gives {"env":"cartpole","label":..,"unsupported":true}.
#ifndef SFNEC_SHOW_PLAY_REPLAY_H
#define SFNEC_SHOW_PLAY_REPLAY_H

#include <stdint.h>

#include "sfnec/status.h"

enum {
  SFNEC_REPLAY_STEPS = 500,
  SFNEC_REPLAY_SIDE = 41,
  SFNEC_REPLAY_MEMORIES = 400,
  SFNEC_REPLAY_STATES = 2000,
  SFNEC_REPLAY_PATH = 24
};

// Plays one greedy episode (at most SFNEC_REPLAY_STEPS) of the agent in that file on a task that it was trained on
// (from 0; past the last: the last), in this world (NULL: that of its note) under this seed; `text` gets the JSON, a
// new string. Fails as sfnec_agent_load does, and with SFNEC_ERROR_FORMAT or _ARGUMENT for an agent that cannot be
// played; `text` is then NULL.
sfnec_status sfnec_replay_json(const char *agent_path, const char *env, const char *label, uint64_t seed, uint32_t task,
                               char **text);

#endif
