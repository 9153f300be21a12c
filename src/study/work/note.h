// note.h: the note that a trained agent carries: where it was trained.
#ifndef SFNEC_STUDY_WORK_NOTE_H
#define SFNEC_STUDY_WORK_NOTE_H

#include "base/arena.h"
#include "sfnec/env.h"

// Lines agent=..., env=... and every setting of the environment, in the arena; NULL without memory.
const char *sfnec_note_make(sfnec_arena *arena, const char *label, const sfnec_env *env);

// What a note says.
typedef struct sfnec_note {
  const char *label;     // of the agent; NULL if the note has none
  const char *env;       // the name of the environment; NULL if the note has none
  const char **settings; // "key=value" of the environment, NULL-terminated
} sfnec_note;

// Reads a note of any content into the arena. Fails with SFNEC_ERROR_MEMORY only.
sfnec_status sfnec_note_read(sfnec_arena *arena, const char *text, sfnec_note *note);

// The environment of a note. Fails with SFNEC_ERROR_FORMAT if the note names none that this program has, or with what
// sfnec_env_create returns; `path` is the agent's file, for the sentence.
sfnec_status sfnec_note_world(const sfnec_note *note, const char *path, uint64_t seed, sfnec_env **env);

#endif
