// gym.h: worlds of Gymnasium, which live in Python: what a spec says of one, and the kind of environment that stands
// for it in C.
//
// A study is planned in C and its jobs run in Python processes (study/work/python.h). Both need the same kind: the same
// name, shape and table of options. It is made here of what the spec says and of what Python says of the world.
#ifndef SFNEC_STUDY_SPEC_GYM_H
#define SFNEC_STUDY_SPEC_GYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "sfnec/env.h"

// (count, size) numbers
typedef struct sfnec_vectors {
  double *items;
  uint32_t count, size;
} sfnec_vectors;

struct sfnec_spec;
struct sfnec_overrides;

typedef struct sfnec_gym {
  const char *id; // "CartPole-v1", "module:Id-v0", or "module:function", which makes one; NULL: it is no such world
  const char *features;  // where phi comes from; NULL: from what the world offers
  bool unit;             // observations are scaled to [0, 1]
  const char **wrappers; // (wrapper_count) "module:function", the innermost first
  size_t wrapper_count;
  sfnec_vectors weights; // of the tasks, in turn
} sfnec_gym;

// Who can make such worlds.
typedef struct sfnec_gym_host {
  // Makes an environment from the request (JSON) and returns its shape. Fails with SFNEC_ERROR_OPTION and Python's
  // sentence.
  sfnec_status (*describe)(void *context, const char *request, sfnec_env_shape *shape);
  void *context;
  // the functions (init, reset, step, sample_task, destroy) and the state_size of the kind; NULL: worlds are made, but
  // not moved, in this process
  const sfnec_env_kind *functions;
} sfnec_gym_host;

// "gym:CartPole-v1" on the command line or in a spec: the id in it; NULL if this is something else.
const char *sfnec_gym_id(const char *text);

// Says that this is a world of Gymnasium, and who can do something with it. Returns SFNEC_ERROR_OPTION.
sfnec_status sfnec_gym_refuse(sfnec_arena *arena, const char *text);

// Finds the world that spec->gym describes: its kind, and what identities hold of it. Its options are those that the
// spec and the overrides name, each with the values that they give. Fails with SFNEC_ERROR_OPTION (also if the
// overrides have no host) or _MEMORY.
sfnec_status sfnec_gym_find(struct sfnec_spec *spec, const struct sfnec_overrides *overrides);

// The options of such a kind that are given, as lines "key=value", in new memory; NULL without.
char *sfnec_gym_settings(const sfnec_env_kind *kind, const void *options);

#endif
