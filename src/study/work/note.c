// note.c: the note that a trained agent carries; see note.h.
#include "study/work/note.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/spec/gym.h"
#include "study/spec/world.h"

const char *sfnec_note_make(sfnec_arena *arena, const char *label, const sfnec_env *env) {
  FILE *stream = sfnec_arena_open_text(arena);
  if (!stream) return NULL;
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  fprintf(stream, "agent=%s\nenv=%s\n", label, kind->name);
  for (const sfnec_option *row = sfnec_env_kind_option_set(kind)->rows; row->name; row++) {
    char value[256];
    sfnec_options_get_text(row, sfnec_env_get_options(env), value, sizeof value);
    fprintf(stream, "%s=%s\n", row->name, value);
  }
  return sfnec_arena_close_text(arena);
}

// one line of a note, NUL-terminated by now
static void read_line(sfnec_note *note, char *line, size_t *settings) {
  char *equals = strchr(line, '=');
  if (!equals) return;
  if (strncmp(line, "env=", 4) == 0) note->env = equals + 1;
  else if (note->env) note->settings[(*settings)++] = line;
  else if (strncmp(line, "agent=", 6) == 0) note->label = equals + 1;
}

sfnec_status sfnec_note_read(sfnec_arena *arena, const char *text, sfnec_note *note) {
  size_t lines = 1;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  *note = (sfnec_note){.settings = sfnec_arena_alloc(arena, lines + 1, sizeof *note->settings)};
  char *copy = sfnec_arena_copy(arena, text);
  if (!note->settings || !copy) return sfnec_fail_memory("the note of an agent");
  size_t settings = 0;
  for (char *line = copy, *end; line; line = end) {
    end = strchr(line, '\n');
    if (end) *end++ = '\0';
    sfnec_text_clean(line);
    read_line(note, line, &settings);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_note_find(sfnec_arena *arena, const sfnec_note *note, const char *path, const char *given,
                             const sfnec_env_kind **kind, const char *const **settings) {
  if (!given && !note->env) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "%s does not say where the agent was trained: only agents of sfnec train --save and sfnec run do",
                      path);
  }
  sfnec_world world = {.kind = given ? NULL : sfnec_env_kind_find(note->env)};
  const sfnec_status status = given ? sfnec_world_find(arena, given, &world) : SFNEC_OK;
  if (status) return status;
  *kind = world.kind;
  if (!*kind && sfnec_gym_id(note->env)) return sfnec_gym_refuse(arena, note->env);
  if (!*kind) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "%s was trained in '%s', an environment that this program does not have; if it is a plugin, name "
                      "its file by --env",
                      path, note->env);
  }
  *settings = note->env && strcmp(note->env, (*kind)->name) == 0 ? note->settings : NULL;
  return SFNEC_OK;
}

sfnec_status sfnec_note_world(sfnec_arena *arena, const sfnec_note *note, const char *path, const char *given,
                              uint64_t seed, sfnec_env **env) {
  *env = NULL;
  const sfnec_env_kind *kind = NULL;
  const char *const *settings = NULL;
  const sfnec_status status = sfnec_note_find(arena, note, path, given, &kind, &settings);
  return status ? status : sfnec_env_create(kind, settings, seed, env);
}
