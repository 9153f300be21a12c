// note.h: the note that a trained agent carries: where it was trained.
#ifndef SFNEC_STUDY_WORK_NOTE_H
#define SFNEC_STUDY_WORK_NOTE_H

#include "sfnec/env.h"

// Lines agent=..., env=... and every setting of the environment. A new string; NULL without memory.
char *sfnec_note_make(const char *label, const sfnec_env *env);

// What a note says.
typedef struct sfnec_note {
  char *label;           // of the agent; NULL if the note has none
  char *env;             // the name of the environment; NULL if the note has none
  const char **settings; // "key=value" of the environment, NULL-terminated
  char *text;            // what the others point into
} sfnec_note;

// Reads a note of any content. Fails with SFNEC_ERROR_MEMORY only.
sfnec_status sfnec_note_read(const char *text, sfnec_note *note);
void sfnec_note_clear(sfnec_note *note);

// The environment of a note. Fails with SFNEC_ERROR_FORMAT if the note names none that this program has, or with what
// sfnec_env_create returns; `path` is the agent's file, for the sentence.
sfnec_status sfnec_note_world(const sfnec_note *note, const char *path, uint64_t seed, sfnec_env **env);

#endif
