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

// The world to play in, and its settings: the one that the user gives by name or file, or else (NULL) the built-in one
// that the note names. The settings are the note's if it was trained in a world of that name, and else none (NULL). A
// note may be a stranger's, so it never makes a plugin be loaded. The kind lives in the arena. Fails with
// SFNEC_ERROR_FORMAT if the note names no built-in one (`path` is the agent's file, for the sentence), with
// SFNEC_ERROR_OPTION if the user gives none or the note names one of Gymnasium, and _MEMORY.
sfnec_status sfnec_note_find(sfnec_arena *arena, const sfnec_note *note, const char *path, const char *given,
                             const sfnec_env_kind **kind, const char *const **settings);
// Creates that world. Fails also with what sfnec_env_create returns.
sfnec_status sfnec_note_world(sfnec_arena *arena, const sfnec_note *note, const char *path, const char *given,
                              uint64_t seed, sfnec_env **env);

#endif
