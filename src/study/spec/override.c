// override.c: what the command line changes in a checked spec. Quick comes first, so that explicit values win.
#include "study/spec/spec.h"

#include <string.h>

#include "base/error.h"
#include "study/spec/yaml.h"

// ---- --set key=value ----

// puts a value in the place of an older one, or at the end; settings are copied, they may be shared
static sfnec_status put(sfnec_arena *arena, sfnec_settings *settings, const char *key, const char *value) {
  sfnec_setting *items = sfnec_arena_alloc(arena, settings->count + 1, sizeof *items);
  if (!items) return sfnec_fail_memory("a spec");
  size_t at = 0;
  for (size_t i = 0; i < settings->count; i++) items[i] = settings->items[i];
  while (at < settings->count && strcmp(items[at].key, key) != 0) at++;
  items[at] = (sfnec_setting){key, value, 0};
  *settings = (sfnec_settings){items, at == settings->count ? at + 1 : settings->count};
  return SFNEC_OK;
}

// sets the axis of that key to one value; false if there is no such axis
static bool fix_axis(sfnec_axes *axes, const sfnec_axis *fixed) {
  for (size_t i = 0; i < axes->count; i++) {
    if (strcmp(axes->items[i].key, fixed->key) != 0) continue;
    axes->items[i] = *fixed;
    return true;
  }
  return false;
}

static sfnec_status set_value(sfnec_spec *spec, const sfnec_key *key, const char *value) {
  const char *name = key->row.name;
  sfnec_axis fixed = {.key = name, .count = 1};
  fixed.values = sfnec_arena_alloc(spec->arena, 1, sizeof *fixed.values);
  fixed.lines = sfnec_arena_alloc(spec->arena, 1, sizeof *fixed.lines);
  if (!fixed.values || !fixed.lines) return sfnec_fail_memory("a spec");
  fixed.values[0] = value;
  const bool common = fix_axis(&spec->sweep, &fixed);
  bool all_swept = true;
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < spec->agent_count && !status; i++) {
    sfnec_spec_agent *agent = &spec->agents[i];
    const bool swept = agent->own_sweep ? fix_axis(&agent->sweep, &fixed) : common;
    all_swept = all_swept && swept;
    if (!swept && key->owner == SFNEC_KEY_AGENT) status = put(spec->arena, &agent->options, name, value);
  }
  if (!status && key->owner == SFNEC_KEY_ENV && !all_swept) status = put(spec->arena, &spec->env_options, name, value);
  return status;
}

static sfnec_status set_option(sfnec_spec *spec, const char *assignment) {
  const char *equals = strchr(assignment, '=');
  const char *shown = sfnec_shown(spec->arena, assignment);
  if (!equals || equals == assignment) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "--set: '%s' is refused; it takes key=value", shown);
  }
  char *name = sfnec_arena_copy(spec->arena, assignment);
  if (!name) return sfnec_fail_memory("a spec");
  name[equals - assignment] = '\0';
  const sfnec_env_kind *kind = sfnec_env_kind_find(spec->env);
  sfnec_key key;
  if (!sfnec_key_find(kind, name, &key)) {
    const char *nearest = sfnec_key_nearest(kind, SFNEC_KEY_AGENT | SFNEC_KEY_ENV, name);
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "--set: neither the agents nor %s have an option '%s' (see sfnec list options)%s", spec->env,
                      sfnec_shown(spec->arena, name), sfnec_hint(spec->arena, nearest));
  }
  const char *value;
  const char *reason = sfnec_key_check(spec->arena, &key, equals + 1, &value);
  if (reason) return sfnec_fail(SFNEC_ERROR_OPTION, "--set %s: %s", key.row.name, reason);
  return set_value(spec, &key, value);
}

// ---- --quick ----

// the first and the last value
static void keep_ends(sfnec_axes *axes) {
  for (size_t i = 0; i < axes->count; i++) {
    sfnec_axis *axis = &axes->items[i];
    if (axis->count <= 2) continue;
    axis->values[1] = axis->values[axis->count - 1];
    axis->lines[1] = axis->lines[axis->count - 1];
    axis->count = 2;
  }
}

static void make_quick(sfnec_spec *spec) {
  if (spec->tasks > 2) spec->tasks = 2;
  if (spec->steps > 1000) spec->steps = 1000;
  if (spec->episodes > 10) spec->episodes = 10;
  if (spec->seed_count > 2) spec->seed_count = 2;
  if (spec->random_count > 2) spec->random_count = 2;
  // ends of the axes of a random sweep would leave four points of thousands
  if (spec->random) return;
  keep_ends(&spec->sweep);
  for (size_t i = 0; i < spec->agent_count; i++) keep_ends(&spec->agents[i].sweep);
}

// ---- all ----

static void drop_published(sfnec_spec *spec, bool all) {
  size_t kept = 0;
  for (size_t i = 0; i < spec->published_count; i++)
    if (!all && sfnec_published_fits(spec, &spec->published[i])) spec->published[kept++] = spec->published[i];
  spec->published_count = kept;
}

static sfnec_status set_limits(sfnec_spec *spec, const sfnec_overrides *overrides) {
  enum { MOST_TASKS = 1000000 };
  const int64_t most_steps = 1000000000000;
  if (overrides->tasks < 0 || overrides->tasks > MOST_TASKS) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "--tasks takes a whole number from 1 to %d", MOST_TASKS);
  }
  if (overrides->steps < 0 || overrides->steps > most_steps) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "--steps takes a whole number from 1 to %lld", (long long)most_steps);
  }
  if (overrides->tasks > 0) spec->tasks = (uint32_t)overrides->tasks;
  if (overrides->steps > 0) spec->steps = overrides->steps;
  if (!overrides->seeds) return SFNEC_OK;
  const sfnec_status status = sfnec_seeds_parse(spec->arena, overrides->seeds, &spec->seeds, &spec->seed_count);
  if (!status || status == SFNEC_ERROR_MEMORY) return status;
  const char *reason = sfnec_arena_copy(spec->arena, sfnec_last_error());
  return sfnec_fail(SFNEC_ERROR_OPTION, "--seeds: %s", reason ? reason : "these are no seeds");
}

sfnec_status sfnec_spec_override(sfnec_spec *spec, const sfnec_overrides *overrides) {
  const int64_t steps = spec->steps, episodes = spec->episodes;
  if (overrides->quick) make_quick(spec);
  sfnec_status status = set_limits(spec, overrides);
  for (const char *const *set = overrides->sets; set && *set && !status; set++) status = set_option(spec, *set);
  if (!status) drop_published(spec, spec->steps != steps || spec->episodes != episodes);
  return status;
}
