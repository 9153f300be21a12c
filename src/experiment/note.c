// note.c: the note that a trained agent carries; see note.h.
#include "experiment/note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *sfnec_note_make(const char *label, const sfnec_env *env) {
  char *note = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&note, &size);
  if (!stream) return NULL;
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  fprintf(stream, "agent=%s\nenv=%s\n", label, kind->name);
  for (const sfnec_option *row = kind->option_set ? kind->option_set->rows : NULL; row && row->name; row++) {
    char value[256];
    sfnec_options_text(row, sfnec_env_get_options(env), value, sizeof value);
    fprintf(stream, "%s=%s\n", row->name, value);
  }
  // belongs to every environment, so it is in no table
  fprintf(stream, "max_episode_steps=%" PRId64 "\n", sfnec_env_get_max_episode_steps(env));
  if (fclose(stream) == 0) return note;
  free(note);
  return NULL;
}
