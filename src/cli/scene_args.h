// scene_args.h: the arguments that watch and film share: which agent plays, where, and for which reward.
#ifndef SFNEC_CLI_SCENE_ARGS_H
#define SFNEC_CLI_SCENE_ARGS_H

#include "cli/args.h"
#include "show/play/scene.h"

typedef struct scene_args {
  const char *w, *env;
  int64_t task; // from 1; 0: the last
  arg_seed seed;
  int64_t steps;
} scene_args;

// The rows of a struct whose field `scene` is a scene_args.
// clang-format off
#define SCENE_ARGS(type)                                                                                            \
  {"w", ARG_TEXT, offsetof(type, scene.w), "A,B,...", NULL, 0, 0,                                                   \
   "reward weights, one per feature (default: those of the task)"},                                                 \
  {"task", ARG_INT, offsetof(type, scene.task), "N", "0", 0, UINT32_MAX,                                            \
   "play task N of those that it was trained on, 0 = the last"},                                                    \
  {"env", ARG_TEXT, offsetof(type, scene.env), "NAME", NULL, 0, 0, ENV_PLAYED},                                     \
  {"seed", ARG_SEED, offsetof(type, scene.seed), "N", NULL, 0, 0,                                                   \
   "seed of the environment's noise (default: the agent's + 1)"},                                                              \
  {"steps", ARG_INT, offsetof(type, scene.steps), "N", "500", 1, 1000000, "cut off an episode after N steps"}
// clang-format on

// Opens the scene; reports errors.
int scene_args_open(const scene_args *args, const char *path, sfnec_scene **scene);

#endif
