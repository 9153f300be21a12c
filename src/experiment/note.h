// note.h: the note that a trained agent carries: where it was trained.
#ifndef SFNEC_EXPERIMENT_NOTE_H
#define SFNEC_EXPERIMENT_NOTE_H

#include "sfnec/env.h"

// Lines agent=..., env=... and every setting of the environment. A new string; NULL without memory.
char *sfnec_note_make(const char *label, const sfnec_env *env);

#endif
