// override.c: what the command line says of a study: its changes to a checked spec (quick comes first, so that explicit
// values win), and a spec that it makes alone.
#include "study/spec/spec.h"

#include <string.h>
#include <sys/stat.h>

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

// "key=value" for the one agent; NULL: for all of them, or for the environment
static sfnec_status set_option(sfnec_spec *spec, sfnec_spec_agent *agent, const char *assignment) {
  sfnec_key key;
  const char *value;
  const sfnec_status status =
      sfnec_key_assign(spec->arena, spec->world.kind, agent ? SFNEC_KEY_AGENT : SFNEC_KEY_AGENT | SFNEC_KEY_ENV,
                       agent ? agent->label : "--set", assignment, &key, &value);
  if (status) return status;
  return agent ? put(spec->arena, &agent->options, key.row.name, value) : set_value(spec, &key, value);
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

// ---- --env ----

static bool is_same_file(const char *a, const char *b) {
  struct stat left, right;
  return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

// options and published numbers of another environment mean nothing in this one
static sfnec_status change_env(sfnec_spec *spec, const char *name) {
  spec->env = sfnec_arena_copy(spec->arena, name);
  if (!spec->env) return sfnec_fail_memory("a spec");
  spec->gym = (sfnec_gym){.id = sfnec_gym_id(spec->env)};
  spec->env_options = (sfnec_settings){0};
  spec->env_version = NULL;
  spec->published_count = 0;
  return SFNEC_OK;
}

// ---- all ----

static void drop_published(sfnec_spec *spec, bool all) {
  size_t kept = 0;
  for (size_t i = 0; i < spec->published_count; i++)
    if (!all && !sfnec_published_check(spec, &spec->published[i])) spec->published[kept++] = spec->published[i];
  spec->published_count = kept;
}

// by the table of the spec; 0 changes nothing
static sfnec_status check_limit(const char *name, int64_t value) {
  const sfnec_field *row = sfnec_spec_field_set_at(0)->rows;
  while (strcmp(row->name, name) != 0) row++;
  if (value >= 0 && (double)value <= row->most) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_OPTION, "--%s takes a whole number from 1 to %.0f", name, row->most);
}

static sfnec_status set_limits(sfnec_spec *spec, const sfnec_overrides *overrides) {
  sfnec_status status = check_limit("tasks", overrides->tasks);
  if (!status) status = check_limit("steps", overrides->steps);
  if (!status) status = check_limit("episodes", overrides->episodes);
  if (status) return status;
  if (overrides->tasks > 0) spec->tasks = (uint32_t)overrides->tasks;
  if (overrides->steps > 0) spec->steps = overrides->steps;
  if (overrides->episodes > 0) spec->episodes = overrides->episodes;
  if (!overrides->seeds) return SFNEC_OK;
  status = sfnec_seeds_parse(spec->arena, overrides->seeds, &spec->seeds, &spec->seed_count);
  if (!status || status == SFNEC_ERROR_MEMORY) return status;
  const char *reason = sfnec_arena_copy(spec->arena, sfnec_last_error());
  return sfnec_fail(SFNEC_ERROR_OPTION, "--seeds: %s", reason ? reason : "these are no seeds");
}

static sfnec_status set_rewards(sfnec_spec *spec, const char *const *rewards) {
  spec->reward_count = 0;
  spec->rewards = NULL;
  spec->published_count = 0; // of other tasks
  sfnec_status status = SFNEC_OK;
  for (; *rewards && !status; rewards++) {
    const char *text = sfnec_arena_copy(spec->arena, *rewards);
    status = text ? sfnec_spec_add_reward(spec, text) : sfnec_fail_memory("a spec");
  }
  return status;
}

sfnec_status sfnec_spec_find_world(sfnec_spec *spec, const sfnec_overrides *overrides) {
  const sfnec_status status =
      spec->gym.id ? sfnec_gym_find(spec, overrides) : sfnec_world_find(spec->arena, spec->env, &spec->world);
  if (!status) spec->env = spec->world.kind->name;
  return status;
}

sfnec_status sfnec_spec_override_env(sfnec_spec *spec, const char *name, const sfnec_overrides *overrides) {
  const bool same = strcmp(name, spec->env) == 0 || (sfnec_world_is_file(name) && is_same_file(name, spec->env));
  const sfnec_status status = same ? SFNEC_OK : change_env(spec, name);
  return status ? status : sfnec_spec_find_world(spec, overrides);
}

sfnec_status sfnec_spec_override(sfnec_spec *spec, const sfnec_overrides *overrides) {
  const int64_t steps = spec->steps, episodes = spec->episodes;
  if (overrides->quick) make_quick(spec);
  if (overrides->keep_states) spec->state_megabytes = SFNEC_SPEC_STATES_MOST;
  sfnec_status status = set_limits(spec, overrides);
  if (!status && overrides->rewards && *overrides->rewards) status = set_rewards(spec, overrides->rewards);
  for (const char *const *set = overrides->sets; set && *set && !status; set++) status = set_option(spec, NULL, *set);
  if (!status) drop_published(spec, spec->steps != steps || spec->episodes != episodes);
  return status;
}

// ---- without a file ----

// the preset of "sfnec:neighbours=1"
static sfnec_status add_agent(sfnec_spec *spec, const char *text) {
  // the label is a field of the CSV
  if (strpbrk(text, ",\"\n\r")) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "the agent '%s' must not hold commas, quotes or line ends",
                      sfnec_shown(spec->arena, text));
  }
  for (size_t i = 0; i < spec->agent_count; i++)
    if (strcmp(spec->agents[i].label, text) == 0)
      return sfnec_fail(SFNEC_ERROR_OPTION, "the agents name '%s' twice", sfnec_shown(spec->arena, text));
  spec->agents = sfnec_arena_grow(spec->arena, spec->agents, spec->agent_count, sizeof *spec->agents);
  const char *label = spec->agents ? sfnec_arena_copy(spec->arena, text) : NULL;
  const char *preset = label ? sfnec_arena_print(spec->arena, "%.*s", (int)strcspn(text, ":"), text) : NULL;
  if (!preset) return sfnec_fail_memory("a spec");
  spec->agents[spec->agent_count++] = (sfnec_spec_agent){.label = label, .preset = preset};
  sfnec_agent_options options;
  return sfnec_agent_options_preset(preset, &options);
}

// what follows the preset
static sfnec_status set_own(sfnec_spec *spec, sfnec_spec_agent *agent) {
  sfnec_status status = SFNEC_OK;
  for (const char *part = strchr(agent->label, ':'); part && !status; part = strchr(part + 1, ':')) {
    const char *assignment = sfnec_arena_print(spec->arena, "%.*s", (int)strcspn(part + 1, ":"), part + 1);
    status = assignment ? set_option(spec, agent, assignment) : sfnec_fail_memory("a spec");
  }
  return status;
}

static sfnec_status fill(sfnec_spec *spec, const char *name, const char *const *agents,
                         const sfnec_overrides *overrides) {
  spec->name = spec->title = sfnec_arena_copy(spec->arena, name);
  if (!spec->name) return sfnec_fail_memory("a spec");
  spec->env = "";
  spec->steps = overrides->episodes > 0 ? 0 : SFNEC_SPEC_STEPS;
  spec->episodes = 0;
  sfnec_status status = sfnec_spec_override_env(spec, overrides->env ? overrides->env : "four_rooms", overrides);
  for (; *agents && !status; agents++) status = add_agent(spec, *agents);
  if (!status) status = sfnec_spec_override(spec, overrides);
  // last, so that an agent's own options win
  for (size_t i = 0; i < spec->agent_count && !status; i++) status = set_own(spec, &spec->agents[i]);
  return status;
}

sfnec_status sfnec_spec_make(const char *name, const char *const *agents, const sfnec_overrides *overrides,
                             sfnec_spec **out) {
  *out = NULL;
  sfnec_spec *spec = sfnec_spec_create("the command line");
  if (!spec) return sfnec_fail_memory("a spec");
  const sfnec_status status = fill(spec, name, agents, overrides);
  if (status) sfnec_spec_destroy(spec);
  else *out = spec;
  return status;
}
