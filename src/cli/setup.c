// setup.c: from names and "key=value" to an agent and an environment, and back from the note of a saved agent.
#include "cli/setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/work/note.h"

const sfnec_env_kind *world_kind(const char *name) {
  const sfnec_env_kind *kind = sfnec_env_kind_find(name);
  if (kind) return kind;
  nearest guess = {.wanted = name};
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) nearest_offer(&guess, kind->name);
  char hint[128];
  complain("there is no environment '%s'%s (see sfnec list envs)", name, nearest_hint(&guess, "", hint, sizeof hint));
  return NULL;
}

// ---- settings ----

// the name before '=' as a new string; NULL (told) without a '='
static char *key_of(const char *assignment, const char *where) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment) {
    complain("%s needs key=value, not '%s'; sfnec list options shows the keys", where, assignment);
    return NULL;
  }
  char *key = must_copy(assignment);
  key[equals - assignment] = '\0';
  return key;
}

static void offer_all(nearest *guess, const sfnec_option_set *set) {
  for (const sfnec_option *row = set->rows; row->name; row++) nearest_offer(guess, row->name);
}

// the sentence for a key of neither table
static int refuse_key(const sfnec_env_kind *kind, const char *key, bool agent_too) {
  nearest guess = {.wanted = key};
  if (agent_too) offer_all(&guess, sfnec_agent_option_set());
  offer_all(&guess, sfnec_env_kind_options(kind));
  char owner[128];
  snprintf(owner, sizeof owner, agent_too ? "neither the agent nor %s has an" : "%s has no", kind->name);
  char hint[128];
  return misuse("--set: %s option '%s'%s (see sfnec list options)", owner, key,
                nearest_hint(&guess, "", hint, sizeof hint));
}

static int world_set_one(world *world, const char *assignment, bool agent_too) {
  char *key = key_of(assignment, "--set");
  if (!key) return EXIT_USAGE;
  int code = EXIT_OK;
  // the agent's table comes first, as in agent_spec_parse
  if (sfnec_options_find(sfnec_agent_option_set(), key)) {
    if (!agent_too)
      code = misuse("--set %s: a saved agent keeps its own options; only those of %s can be set here", key,
                    world->kind->name);
  } else if (sfnec_options_find(sfnec_env_kind_options(world->kind), key)) {
    text_push(&world->settings, assignment);
  } else {
    code = refuse_key(world->kind, key, agent_too);
  }
  free(key);
  return code;
}

int world_set(world *world, const text_list *sets, bool agent_too) {
  for (size_t i = 0; i < sets->count; i++) {
    const int code = world_set_one(world, sets->items[i], agent_too);
    if (code) return code;
  }
  return EXIT_OK;
}

int world_create(const world *world, uint64_t seed, sfnec_env **env) {
  const sfnec_status status = sfnec_env_create(world->kind, (const char *const *)world->settings.items, seed, env);
  return status ? fail_library(status) : EXIT_OK;
}

void world_clear(world *world) {
  text_clear(&world->settings);
}

// the agent options of `sets`; keys of the environment were taken by world_set
static int spec_set_shared(agent_spec *spec, const text_list *sets) {
  for (size_t i = 0; i < sets->count; i++) {
    char *key = key_of(sets->items[i], "--set");
    if (!key) return EXIT_USAGE;
    sfnec_status status = SFNEC_OK;
    if (sfnec_options_find(sfnec_agent_option_set(), key))
      status = sfnec_options_assign(sfnec_agent_option_set(), &spec->options, sets->items[i]);
    free(key);
    if (status) return fail_library(status);
  }
  return EXIT_OK;
}

static int spec_set_own(agent_spec *spec, const text_list *parts) {
  for (size_t i = 1; i < parts->count; i++) {
    char *key = key_of(parts->items[i], spec->label);
    if (!key) return EXIT_USAGE;
    free(key);
    const sfnec_status status = sfnec_options_assign(sfnec_agent_option_set(), &spec->options, parts->items[i]);
    if (status) return fail_library(status);
  }
  return EXIT_OK;
}

int agent_spec_parse(agent_spec *spec, const char *text, const text_list *sets) {
  // the label is a field of the CSV
  if (strpbrk(text, ",\"\n\r")) return misuse("the agent '%s' must not hold commas, quotes or line ends", text);
  text_list parts = {0};
  text_split(&parts, text, ':');
  spec->label = text;
  const sfnec_status status = sfnec_agent_options_preset(parts.items[0], &spec->options);
  int code = status ? fail_library(status) : EXIT_OK;
  if (!code) code = spec_set_shared(spec, sets);
  if (!code) code = spec_set_own(spec, &parts);
  text_clear(&parts);
  return code;
}

// ---- the note ----

int world_from_note(world *world, const char *text, const char *path) {
  sfnec_note note;
  const sfnec_status status = sfnec_note_read(text, &note);
  if (status) return fail_library(status);
  int code = EXIT_OK;
  if (!note.env) code = misuse("%s does not say where the agent was trained; give --env NAME", path);
  else if (!(world->kind = world_kind(note.env))) code = EXIT_FAILED;
  for (size_t i = 0; note.settings[i] && !code; i++) text_push(&world->settings, note.settings[i]);
  sfnec_note_clear(&note);
  return code;
}

// ---- paths ----

int check_writable(const char *path, const char *option) {
  struct stat there;
  // saving ends with a rename, which must not put a file in the place of a device or of a link such as /dev/stdout
  if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
    return fail("%s %s is not a regular file but a link, a folder or a device; choose another path", option, path);
  // only trying tells: root passes every test of permissions, even on a read-only disk
  char *probe = must_alloc(strlen(path) + 16, 1);
  sprintf(probe, "%s.probe-XXXXXX", path);
  const int file = path[0] ? mkstemp(probe) : -1;
  const int why = path[0] ? errno : ENOENT;
  if (file >= 0) {
    close(file);
    unlink(probe);
  }
  free(probe);
  if (file < 0) return fail("%s %s: cannot write there: %s; choose another path", option, path, strerror(why));
  return EXIT_OK;
}
