// keys.c: option keys by the tables of the library; see keys.h.
#include "study/spec/keys.h"

#include <string.h>

#include "base/text.h"
#include "study/spec/yaml.h"

// belongs to every environment, so it is in no table
static sfnec_option limit_row(const sfnec_env_kind *kind) {
  return (sfnec_option){.name = "max_episode_steps",
                        .type = SFNEC_OPTION_INT,
                        .initial = (double)kind->max_episode_steps,
                        .least = 0,
                        .most = 1e15,
                        .help = "episodes are truncated after so many steps; 0 = never"};
}

static const sfnec_option *find(const sfnec_option_set *set, const char *name) {
  return set ? sfnec_options_find(set, name) : NULL;
}

bool sfnec_key_find(const sfnec_env_kind *kind, const char *name, sfnec_key *key) {
  const sfnec_option limit = limit_row(kind);
  const sfnec_option *row = find(sfnec_agent_option_set(), name);
  key->owner = row ? SFNEC_KEY_AGENT : SFNEC_KEY_ENV;
  if (!row) row = find(kind->option_set, name);
  if (!row && strcmp(name, limit.name) == 0) row = &limit;
  if (!row) return false;
  key->row = *row;
  key->row.offset = 0;
  return true;
}

static const char *nearest_in(const sfnec_option_set *set, const char *name, const char *best) {
  for (const sfnec_option *row = set ? set->rows : NULL; row && row->name; row++)
    best = sfnec_text_nearer(name, best, row->name);
  return best;
}

const char *sfnec_key_nearest(const sfnec_env_kind *kind, int owners, const char *name) {
  const char *best = NULL;
  if (owners & SFNEC_KEY_AGENT) best = nearest_in(sfnec_agent_option_set(), name, best);
  if (owners & SFNEC_KEY_ENV) {
    best = nearest_in(kind->option_set, name, best);
    best = sfnec_text_nearer(name, best, limit_row(kind).name);
  }
  return best;
}

static const char *reason(sfnec_arena *arena, const sfnec_option *row, const char *value) {
  char range[256];
  sfnec_options_range_text(row, range, sizeof range);
  const char *nearest = NULL;
  for (const char *const *choice = row->choices; choice && *choice; choice++)
    nearest = sfnec_text_nearer(value, nearest, *choice);
  const char *text = sfnec_arena_print(arena, "'%s' is refused; it takes %s%s", sfnec_shown(arena, value), range,
                                       sfnec_hint(arena, nearest));
  return text ? text : "out of memory";
}

const char *sfnec_key_check(sfnec_arena *arena, const sfnec_key *key, const char *value, const char **plain) {
  const sfnec_option rows[] = {key->row, {.name = NULL}};
  const sfnec_option_set set = {"", rows};
  union {
    int64_t integer;
    double real;
    int choice;
  } field = {0};
  if (sfnec_options_set(&set, &field, key->row.name, value)) return reason(arena, &key->row, value);
  char text[64];
  sfnec_options_text(&key->row, &field, text, sizeof text);
  *plain = sfnec_arena_copy(arena, text);
  return *plain ? NULL : "out of memory";
}
