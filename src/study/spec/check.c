// check.c: names, option keys and values of a spec against the tables of the library, and its parts against each other.
#include "study/spec/spec.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/spec/yaml.h"

// ---- option keys by the tables of the library ----

bool sfnec_key_find(const sfnec_env_kind *kind, const char *name, sfnec_key *key) {
  const sfnec_option *row = sfnec_options_find(sfnec_agent_option_set(), name);
  key->owner = row ? SFNEC_KEY_AGENT : SFNEC_KEY_ENV;
  if (!row) row = sfnec_options_find(sfnec_env_kind_option_set(kind), name);
  if (!row) return false;
  key->row = *row;
  key->row.offset = 0;
  return true;
}

static const char *nearest_in(const sfnec_option_set *set, const char *name, const char *best) {
  for (const sfnec_option *row = set->rows; row->name; row++) best = sfnec_text_nearer(name, best, row->name);
  return best;
}

// the nearest of the owners' names, or NULL if none is near
static const char *nearest_key(const sfnec_env_kind *kind, int owners, const char *name) {
  const char *best = NULL;
  if (owners & SFNEC_KEY_AGENT) best = nearest_in(sfnec_agent_option_set(), name, best);
  if (owners & SFNEC_KEY_ENV) best = nearest_in(sfnec_env_kind_option_set(kind), name, best);
  return best;
}

static const char *refusal(sfnec_arena *arena, const sfnec_option *row, const char *value) {
  char range[512];
  sfnec_options_get_range_text(row, range, sizeof range);
  const char *nearest = NULL;
  for (const char *const *choice = row->choices; choice && *choice; choice++)
    nearest = sfnec_text_nearer(value, nearest, *choice);
  const char *text = sfnec_arena_print(arena, "'%s' is refused; it takes %s%s", sfnec_shown(arena, value), range,
                                       sfnec_hint(arena, nearest));
  return text ? text : "out of memory";
}

// Checks a value. NULL if it is fine; *plain is then the value as the table writes it (0.10 is 0.1). Else the reason:
// "'0' is refused; it takes a whole number from 1 to 10000".
static const char *check_plain(sfnec_arena *arena, const sfnec_key *key, const char *value, const char **plain) {
  const sfnec_option rows[] = {key->row, {.name = NULL}};
  const sfnec_option_set set = {"", rows};
  union {
    int64_t integer;
    double real;
    int choice;
    sfnec_option_text text;
  } field = {0};
  if (sfnec_options_set(&set, &field, key->row.name, value)) return refusal(arena, &key->row, value);
  char text[64];
  sfnec_options_get_text(&key->row, &field, text, sizeof text);
  *plain = sfnec_arena_copy(arena, text);
  return *plain ? NULL : "out of memory";
}

// ---- the command line ----

static sfnec_status refuse_key(sfnec_arena *arena, const sfnec_env_kind *kind, int owners, const char *where,
                               const char *name) {
  const char *who = owners == SFNEC_KEY_AGENT ? "agents have no"
                    : owners == SFNEC_KEY_ENV
                        ? sfnec_arena_print(arena, "%s has no", kind->name)
                        : sfnec_arena_print(arena, "neither the agents nor %s have an", kind->name);
  return sfnec_fail(SFNEC_ERROR_OPTION, "%s: %s option '%s' (see sfnec list options)%s", where, who ? who : "no",
                    sfnec_shown(arena, name), sfnec_hint(arena, nearest_key(kind, owners, name)));
}

static sfnec_status refuse_owner(const sfnec_env_kind *kind, const char *where, const sfnec_key *key) {
  if (key->owner == SFNEC_KEY_ENV)
    return sfnec_fail(SFNEC_ERROR_OPTION, "%s: %s is an option of %s; give it by --set", where, key->row.name,
                      kind->name);
  return sfnec_fail(SFNEC_ERROR_OPTION, "%s %s: a saved agent keeps its own options; only those of %s can be set here",
                    where, key->row.name, kind->name);
}

sfnec_status sfnec_key_assign(sfnec_arena *arena, const sfnec_env_kind *kind, int owners, const char *where,
                              const char *assignment, sfnec_key *key, const char **plain) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment)
    return sfnec_fail(SFNEC_ERROR_OPTION, "%s: '%s' is refused; it takes key=value", where,
                      sfnec_shown(arena, assignment));
  const char *name = sfnec_arena_print(arena, "%.*s", (int)(equals - assignment), assignment);
  if (!name) return sfnec_fail_memory("an option");
  if (!sfnec_key_find(kind, name, key)) return refuse_key(arena, kind, owners, where, name);
  if (!(key->owner & owners)) return refuse_owner(kind, where, key);
  const char *reason = check_plain(arena, key, equals + 1, plain);
  return reason ? sfnec_fail(SFNEC_ERROR_OPTION, "%s %s: %s", where, key->row.name, reason) : SFNEC_OK;
}

// ---- keys and values of the spec ----

typedef struct check {
  sfnec_spec *spec;
  sfnec_arena *arena; // the spec's, and its path
  const char *path;
  const sfnec_env_kind *kind;
} check;

// finds a key that one of `owners` must have
static sfnec_status check_key(const check *check, int owners, const char *name, int line, sfnec_key *key) {
  const char *env = check->kind->name; // NOLINT(clang-analyzer-core.NullDereference): check_env has found it, or failed
  if (sfnec_key_find(check->kind, name, key)) {
    if (key->owner & owners) return SFNEC_OK;
    if (key->owner == SFNEC_KEY_ENV) {
      return sfnec_refuse_at(check->path, line, name, "this is an option of %s; put it under env or in a sweep", env);
    }
    return sfnec_refuse_at(check->path, line, name,
                           "this is an option of the agents; put it under an agent or in a sweep");
  }
  const char *hint = sfnec_hint(check->arena, nearest_key(check->kind, owners, name));
  const char *shown = sfnec_shown(check->arena, name);
  if (owners == SFNEC_KEY_AGENT)
    return sfnec_refuse_at(check->path, line, shown, "agents have no such option (see sfnec list options)%s", hint);
  if (owners == SFNEC_KEY_ENV)
    return sfnec_refuse_at(check->path, line, shown, "%s has no such option (see sfnec list options)%s", env, hint);
  return sfnec_refuse_at(check->path, line, shown,
                         "neither the agents nor %s have such an option (see sfnec list options)%s", env, hint);
}

static sfnec_status check_value(const check *check, const sfnec_key *key, int line, const char **value) {
  const char *reason = check_plain(check->arena, key, *value, value);
  return reason ? sfnec_refuse_at(check->path, line, key->row.name, "%s", reason) : SFNEC_OK;
}

static sfnec_status check_settings(const check *check, int owners, sfnec_settings *settings) {
  for (size_t i = 0; i < settings->count; i++) {
    sfnec_setting *setting = &settings->items[i];
    sfnec_key key = {0};
    sfnec_status status = check_key(check, owners, setting->key, setting->line, &key);
    if (status) return status;
    // all earlier keys are known ones and differ, so there are few
    for (size_t j = 0; j < i; j++) {
      if (strcmp(settings->items[j].key, setting->key) != 0) continue;
      return sfnec_refuse_at(check->path, setting->line, setting->key,
                             "this key is already given in line %d; keep one of the two", settings->items[j].line);
    }
    status = check_value(check, &key, setting->line, &setting->value);
    if (status) return status;
  }
  return SFNEC_OK;
}

// ---- sweeps ----

static sfnec_status check_range(const check *check, const sfnec_key *key, const sfnec_axis *axis) {
  if (!check->spec->random) {
    return sfnec_refuse_at(check->path, axis->line, axis->key,
                           "a range needs points drawn at random; add random: {count: 20}, or give a list");
  }
  if (key->row.type == SFNEC_OPTION_CHOICE || key->row.type == SFNEC_OPTION_TEXT) {
    return sfnec_refuse_at(check->path, axis->line, axis->key, "this option takes names; give a list of them");
  }
  // the option accepts everything between two values that it accepts
  const double ends[] = {axis->from, axis->to};
  for (int i = 0; i < 2; i++) {
    char text[32];
    sfnec_real_to_text(ends[i], text, sizeof text);
    const char *value = text;
    const sfnec_status status = check_value(check, key, axis->line, &value);
    if (status) return status;
  }
  return SFNEC_OK;
}

static sfnec_status check_axis(const check *check, sfnec_axis *axis) {
  sfnec_key key = {0};
  sfnec_status status = check_key(check, SFNEC_KEY_AGENT | SFNEC_KEY_ENV, axis->key, axis->line, &key);
  if (status) return status;
  if (axis->count == 0) return check_range(check, &key, axis);
  enum { MOST = 1000 };
  if (axis->count > MOST) {
    return sfnec_refuse_at(check->path, axis->line, axis->key, "these are more than %d values; use fewer", MOST);
  }
  for (size_t i = 0; i < axis->count; i++) {
    status = check_value(check, &key, axis->lines[i], &axis->values[i]);
    if (status) return status;
    for (size_t j = 0; j < i; j++) {
      if (strcmp(axis->values[i], axis->values[j]) != 0) continue;
      return sfnec_refuse_at(check->path, axis->lines[i], axis->key, "the value %s is there twice", axis->values[i]);
    }
  }
  return SFNEC_OK;
}

static sfnec_status check_axes(const check *check, const sfnec_axes *axes) {
  for (size_t i = 0; i < axes->count; i++) {
    sfnec_axis *axis = &axes->items[i];
    const sfnec_status status = check_axis(check, axis);
    if (status) return status;
    for (size_t j = 0; j < i; j++) {
      if (strcmp(axes->items[j].key, axis->key) != 0) continue;
      return sfnec_refuse_at(check->path, axis->line, axis->key,
                             "this key is already swept in line %d; keep one of the two", axes->items[j].line);
    }
  }
  return SFNEC_OK;
}

const sfnec_axes *sfnec_spec_axes(const sfnec_spec *spec, const sfnec_spec_agent *agent) {
  return agent->own_sweep ? &agent->sweep : &spec->sweep;
}

static const sfnec_axis *find_axis(const sfnec_axes *axes, const char *key) {
  for (size_t i = 0; i < axes->count; i++)
    if (strcmp(axes->items[i].key, key) == 0) return &axes->items[i];
  return NULL;
}

static sfnec_status refuse_overlap(const check *check, const sfnec_setting *setting, const sfnec_axis *axis) {
  return sfnec_refuse_at(check->path, setting->line, setting->key,
                         "the sweep in line %d sets this option; remove one of the two", axis->line);
}

// an option that the sweep sets as well would be silently replaced
static sfnec_status check_agent_overlap(const check *check, const sfnec_spec_agent *agent) {
  for (size_t i = 0; i < agent->options.count; i++) {
    const sfnec_setting *setting = &agent->options.items[i];
    const sfnec_axis *axis = find_axis(sfnec_spec_axes(check->spec, agent), setting->key);
    if (axis) return refuse_overlap(check, setting, axis);
  }
  return SFNEC_OK;
}

// the environment is common to all: its option counts as long as one agent does not sweep it
static sfnec_status check_env_overlap(const check *check) {
  const sfnec_spec *spec = check->spec;
  for (size_t i = 0; i < spec->env_options.count; i++) {
    const sfnec_setting *setting = &spec->env_options.items[i];
    const sfnec_axis *axis = find_axis(sfnec_spec_axes(spec, &spec->agents[0]), setting->key);
    for (size_t j = 1; j < spec->agent_count && axis; j++)
      axis = find_axis(sfnec_spec_axes(spec, &spec->agents[j]), setting->key);
    if (axis) return refuse_overlap(check, setting, axis);
  }
  return SFNEC_OK;
}

// ---- names ----

static sfnec_status check_env(check *check, const sfnec_overrides *overrides) {
  sfnec_spec *spec = check->spec;
  // one of the command line is found already
  const sfnec_status status = spec->world.kind ? SFNEC_OK : sfnec_spec_find_world(spec, overrides);
  if (status == SFNEC_ERROR_MEMORY) return status;
  if (status) {
    const char *reason = sfnec_arena_copy(check->arena, sfnec_last_error());
    return sfnec_refuse_at(check->path, spec->env_line, "env", "%s", reason ? reason : "out of memory");
  }
  check->kind = spec->world.kind;
  const char *version = spec->world.version;
  if (spec->env_version && !spec->gym.id && (!version || strcmp(version, spec->env_version) != 0))
    return sfnec_refuse_at(check->path, spec->env_line, "env", "this wants version %s of %s, but the one there is %s",
                           sfnec_shown(check->arena, spec->env_version), spec->env, version ? version : "built in");
  return check_settings(check, SFNEC_KEY_ENV, &spec->env_options);
}

static sfnec_status check_preset(const check *check, const sfnec_spec_agent *agent) {
  const char *nearest = NULL;
  const sfnec_agent_preset *preset;
  for (size_t i = 0; (preset = sfnec_agent_preset_at(i)); i++) {
    if (strcmp(preset->name, agent->preset) == 0) return SFNEC_OK;
    nearest = sfnec_text_nearer(agent->preset, nearest, preset->name);
  }
  return sfnec_refuse_at(check->path, agent->line, "agents", "there is no agent '%s' (see sfnec list agents)%s",
                         sfnec_shown(check->arena, agent->preset), sfnec_hint(check->arena, nearest));
}

static sfnec_status check_agents(const check *check) {
  sfnec_spec *spec = check->spec;
  for (size_t i = 0; i < spec->agent_count; i++) {
    sfnec_spec_agent *agent = &spec->agents[i];
    const sfnec_axes *axes = sfnec_spec_axes(spec, agent);
    sfnec_status status = check_preset(check, agent);
    if (!status) status = check_settings(check, SFNEC_KEY_AGENT, &agent->options);
    if (!status && agent->own_sweep) status = check_axes(check, axes);
    if (!status) status = check_agent_overlap(check, agent);
    if (status) return status;
    for (size_t j = 0; j < i; j++) {
      if (strcmp(spec->agents[j].label, agent->label) != 0) continue;
      return sfnec_refuse_at(check->path, agent->line, "agents",
                             "the label '%s' is already used in line %d; give each agent a label of its own",
                             sfnec_shown(check->arena, agent->label), spec->agents[j].line);
    }
  }
  return SFNEC_OK;
}

// ---- published numbers ----

static const sfnec_spec_agent *find_agent(const sfnec_spec *spec, const char *label) {
  for (size_t i = 0; i < spec->agent_count; i++)
    if (strcmp(spec->agents[i].label, label) == 0) return &spec->agents[i];
  return NULL;
}

static bool has_value(const sfnec_axis *axis, const char *value) {
  // which values a range will give is not known yet
  bool found = axis->count == 0;
  for (size_t i = 0; i < axis->count && !found; i++) found = strcmp(axis->values[i], value) == 0;
  return found;
}

sfnec_status sfnec_published_check(const sfnec_spec *spec, const sfnec_published *published) {
  const sfnec_spec_agent *agent = find_agent(spec, published->agent);
  if (!agent) {
    const char *nearest = NULL;
    for (size_t i = 0; i < spec->agent_count; i++)
      nearest = sfnec_text_nearer(published->agent, nearest, spec->agents[i].label);
    return sfnec_refuse_at(spec->path, published->line, "published", "no agent of this spec has the label '%s'%s",
                           sfnec_shown(spec->arena, published->agent), sfnec_hint(spec->arena, nearest));
  }
  if (published->task > spec->tasks) {
    return sfnec_refuse_at(spec->path, published->line, "published", "task %u is after the last one, %u",
                           (unsigned)published->task, (unsigned)spec->tasks);
  }
  const sfnec_axes *axes = sfnec_spec_axes(spec, agent);
  for (size_t i = 0; i < published->options.count; i++) {
    const sfnec_setting *setting = &published->options.items[i];
    const sfnec_axis *axis = find_axis(axes, setting->key);
    if (axis && has_value(axis, setting->value)) continue;
    return sfnec_refuse_at(spec->path, setting->line, setting->key, "the sweep of '%s' has no point with %s=%s",
                           sfnec_shown(spec->arena, agent->label), setting->key, setting->value);
  }
  for (size_t i = 0; i < axes->count; i++) {
    bool found = false;
    for (size_t j = 0; j < published->options.count; j++)
      found = found || strcmp(published->options.items[j].key, axes->items[i].key) == 0;
    if (found) continue;
    return sfnec_refuse_at(spec->path, published->line, "published",
                           "this does not say for which point it holds; add options: {%s: VALUE}", axes->items[i].key);
  }
  return SFNEC_OK;
}

static sfnec_status check_published(const check *check) {
  sfnec_spec *spec = check->spec;
  for (size_t i = 0; i < spec->published_count; i++) {
    sfnec_published *published = &spec->published[i];
    if (published->task == 0) published->task = spec->tasks;
    sfnec_status status = check_settings(check, SFNEC_KEY_AGENT | SFNEC_KEY_ENV, &published->options);
    if (!status) status = sfnec_published_check(spec, published);
    if (status) return status;
  }
  return SFNEC_OK;
}

static sfnec_status check_random(const check *check) {
  const sfnec_spec *spec = check->spec;
  size_t axes = spec->sweep.count;
  for (size_t i = 0; i < spec->agent_count; i++) axes += spec->agents[i].sweep.count;
  if (!spec->random || axes > 0) return SFNEC_OK;
  return sfnec_refuse_at(check->path, spec->random_line, "random",
                         "there is nothing to draw from; add a sweep, or remove random");
}

sfnec_status sfnec_spec_check(sfnec_spec *spec, const sfnec_overrides *overrides) {
  check check = {.spec = spec, .arena = spec->arena, .path = spec->path};
  sfnec_status status = check_env(&check, overrides);
  if (!status) status = check_axes(&check, &spec->sweep);
  if (!status) status = check_agents(&check);
  if (!status) status = check_env_overlap(&check);
  if (!status) status = check_random(&check);
  if (!status) status = check_published(&check);
  return status;
}
