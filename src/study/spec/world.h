// world.h: which world a name or a file stands for: one of the library's own, or that of a plugin (sfnec/plugin.h).
// Worlds that live in Python are gym.h's.
//
// A plugin is code that runs with the rights of the user. It is loaded here, and only because a spec that is run or the
// command line names its file: what a stored experiment or the note of an agent says never comes here.
#ifndef SFNEC_STUDY_SPEC_WORLD_H
#define SFNEC_STUDY_SPEC_WORLD_H

#include <stdbool.h>

#include "base/arena.h"
#include "sfnec/env.h"

typedef struct sfnec_world {
  const sfnec_env_kind *kind; // NULL: none was found yet
  const char *plugin;         // the file that it comes from, by its absolute path; NULL: it is none
  const char *version;        // of a plugin
  const char *identity;       // lines of a job's identity that distinguish it from others of its name; NULL: none
} sfnec_world;

// Does this name a file? It has a slash in it, or ends in .so.
bool sfnec_world_is_file(const char *text);

// The world of a name or a file; what it is made of lives in the arena, but for the code itself. Fails with
// SFNEC_ERROR_OPTION: there is no such name (the sentence has the nearest one), or the file is no plugin that this
// program can use.
sfnec_status sfnec_world_find(sfnec_arena *arena, const char *text, sfnec_world *world);

#endif
