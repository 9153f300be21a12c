// gym.c: the kind of environment that stands for a Gymnasium environment; see gym.h.
//
// A function of a kind knows the options alone, so that the world's shape is in them: numbers that have one possible
// value. Options of the world itself are choices among the values that a study gives them, and the first choice is not
// to give them: so an option with any value is part of a job's identity.
#include "study/spec/gym.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "base/text.h"
#include "env/picture.h"
#include "study/spec/spec.h"
#include "study/spec/yaml.h"

enum { MOST_KEYS = 64, LONGEST_VALUE = 63 };

static const char prefix[] = "gym:", not_given[] = "default";

const char *sfnec_gym_id(const char *text) {
  const size_t length = sizeof prefix - 1;
  return strncmp(text, prefix, length) == 0 && text[length] ? text + length : NULL;
}

sfnec_status sfnec_gym_refuse(sfnec_arena *arena, const char *text) {
  return sfnec_fail(
      SFNEC_ERROR_OPTION,
      "'%s' is a Gymnasium environment: run, compare, train and slurm know them; for the rest there is Python "
      "(sfnec.Agent.load)",
      sfnec_shown(arena, text));
}

// ---- the options ----

typedef struct gym_options {
  sfnec_env_common common;
  int64_t observation_size, action_count, feature_count;
  int64_t frames, height, width, channels, levels; // of the picture that an observation is; 0: it is none
  int choices[MOST_KEYS];
} gym_options;

// a key of the world's, with every value that the study gives it
typedef struct key {
  const char *name;
  const char **values; // (count) and a NULL; the first one is "default"
  size_t count;
} key;

typedef struct keys {
  sfnec_arena *arena;
  key items[MOST_KEYS];
  size_t count;
} keys;

// a keyword of Python, and a value that fits on a line and into the room that options have
static sfnec_status check_pair(sfnec_arena *arena, const char *name, const char *value) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  if (!name[0] || name[strspn(name, allowed)] || (name[0] >= '0' && name[0] <= '9'))
    return sfnec_fail(SFNEC_ERROR_OPTION, "'%s' is no name of an argument", sfnec_shown(arena, name));
  bool plain = strlen(value) <= LONGEST_VALUE;
  for (const char *c = value; *c && plain; c++) plain = (unsigned char)*c >= ' ';
  if (plain) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_OPTION, "the value of %s must be one line of at most %d characters",
                    sfnec_shown(arena, name), LONGEST_VALUE);
}

// the agents' options are not the world's, and neither is the one that every environment has
static bool is_own(const char *name) {
  return !sfnec_options_find(sfnec_agent_option_set(), name) && strcmp(name, "max_episode_steps") != 0;
}

static sfnec_status add_value(keys *keys, const char *name, const char *value) {
  if (!is_own(name)) return SFNEC_OK;
  const sfnec_status status = check_pair(keys->arena, name, value);
  if (status) return status;
  size_t at = 0;
  while (at < keys->count && strcmp(keys->items[at].name, name) != 0) at++;
  if (at == MOST_KEYS) return sfnec_fail(SFNEC_ERROR_OPTION, "the world gets more than %d options", MOST_KEYS);
  key *key = &keys->items[at];
  const char *first = key->count ? value : not_given;
  for (size_t i = 0; i < key->count; i++)
    if (strcmp(key->values[i], value) == 0) return SFNEC_OK;
  key->name = name;
  // one more than there are, so that the last stays NULL
  const char **values = sfnec_arena_alloc(keys->arena, key->count + 3, sizeof *values);
  if (!values) return sfnec_fail_memory("a spec");
  if (key->count) memcpy(values, key->values, key->count * sizeof *values);
  values[key->count++] = first;
  if (first != value) values[key->count++] = value;
  key->values = values;
  if (at == keys->count) keys->count++;
  return SFNEC_OK;
}

static sfnec_status add_axes(keys *keys, const sfnec_axes *axes) {
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < axes->count; i++)
    for (size_t j = 0; j < axes->items[i].count && !status; j++)
      status = add_value(keys, axes->items[i].key, axes->items[i].values[j]);
  return status;
}

static sfnec_status add_set(keys *keys, const char *assignment) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment) return SFNEC_OK; // refused later, in the words of --set
  const char *name = sfnec_arena_print(keys->arena, "%.*s", (int)(equals - assignment), assignment);
  const char *value = sfnec_arena_copy(keys->arena, equals + 1);
  return name && value ? add_value(keys, name, value) : sfnec_fail_memory("a spec");
}

static sfnec_status collect(const sfnec_spec *spec, const sfnec_overrides *overrides, keys *keys) {
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < spec->env_options.count && !status; i++)
    status = add_value(keys, spec->env_options.items[i].key, spec->env_options.items[i].value);
  if (!status) status = add_axes(keys, &spec->sweep);
  for (size_t i = 0; i < spec->agent_count && !status; i++) status = add_axes(keys, &spec->agents[i].sweep);
  for (const char *const *set = overrides->sets; set && *set && !status; set++) status = add_set(keys, *set);
  return status;
}

static sfnec_option fixed(const char *name, size_t offset, int32_t value, const char *help) {
  return (sfnec_option){.name = name,
                        .type = SFNEC_OPTION_INT,
                        .offset = offset,
                        .initial = value,
                        .least = value,
                        .most = value,
                        .help = help};
}

// the rows of a picture; returns the next one
static sfnec_option *add_picture(sfnec_option *row, const sfnec_picture_shape *picture) {
  *row++ = fixed("frames", offsetof(gym_options, frames), picture->frames, "frames of an observation");
  *row++ = fixed("height", offsetof(gym_options, height), picture->height, "pixels from top to bottom");
  *row++ = fixed("width", offsetof(gym_options, width), picture->width, "pixels from left to right");
  *row++ = fixed("channels", offsetof(gym_options, channels), picture->channels, "numbers of a pixel");
  *row++ = fixed("levels", offsetof(gym_options, levels), picture->levels, "the greatest number of a pixel");
  return row;
}

// the table, which ends with a row of zeros
static const sfnec_option_set *make_table(const keys *keys, const char *title, sfnec_env_shape shape) {
  sfnec_option_set *set = sfnec_arena_alloc(keys->arena, 1, sizeof *set);
  sfnec_option *rows = sfnec_arena_alloc(keys->arena, keys->count + 10, sizeof *rows), *row = rows;
  if (!set || !rows) return NULL;
  *row++ = fixed("observation_size", offsetof(gym_options, observation_size), shape.observation_size,
                 "floats of an observation");
  *row++ = fixed("action_count", offsetof(gym_options, action_count), shape.action_count, "actions");
  *row++ = fixed("feature_count", offsetof(gym_options, feature_count), shape.feature_count, "features");
  if (sfnec_picture_is(&shape.picture)) row = add_picture(row, &shape.picture);
  for (size_t i = 0; i < keys->count; i++)
    *row++ = (sfnec_option){.name = keys->items[i].name,
                            .type = SFNEC_OPTION_CHOICE,
                            .offset = offsetof(gym_options, choices) + i * sizeof(int),
                            .choices = keys->items[i].values,
                            .help = "an argument of the world"};
  *row = (sfnec_option)SFNEC_ENV_COMMON_ROWS(0);
  *set = (sfnec_option_set){title, rows};
  return set;
}

char *sfnec_gym_settings(const sfnec_env_kind *kind, const void *options) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  const gym_options *given = options;
  for (const sfnec_option *row = kind->option_set->rows; row->name; row++) {
    if (row->type != SFNEC_OPTION_CHOICE) continue;
    const int choice = *(const int *)((const char *)options + row->offset);
    if (choice) fprintf(stream, "%s=%s\n", row->name, row->choices[choice]);
  }
  if (given->common.max_episode_steps)
    fprintf(stream, "max_episode_steps=%lld\n", (long long)given->common.max_episode_steps);
  return sfnec_output_close_text(stream, &text) ? text : NULL;
}

// ---- the kind ----

static sfnec_env_shape shape_of(const void *options) {
  const gym_options *given = options;
  return (sfnec_env_shape){.observation_size = (int32_t)given->observation_size,
                           .action_count = (int32_t)given->action_count,
                           .feature_count = (int32_t)given->feature_count,
                           .picture = {.frames = (int32_t)given->frames,
                                       .height = (int32_t)given->height,
                                       .width = (int32_t)given->width,
                                       .channels = (int32_t)given->channels,
                                       .levels = (int32_t)given->levels}};
}

// in a process that only plans
static void no_reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)self, (void)world;
  memset(observation, 0, (size_t)shape_of(options).observation_size * sizeof *observation);
}

static sfnec_env_outcome no_step(void *self, const void *options, int32_t action, sfnec_random *world,
                                 float *observation, double *features) {
  (void)action;
  features[0] = 0.0;
  no_reset(self, options, world, observation);
  return (sfnec_env_outcome){
      .status = sfnec_fail(SFNEC_ERROR_STATE, "a Gymnasium environment runs in a Python process only")};
}

static void no_destroy(void *self, const void *options) {
  (void)self, (void)options;
}

static const sfnec_env_kind still = {.reset = no_reset, .step = no_step, .destroy = no_destroy};

// ---- what Python is asked ----

static void json_list(sfnec_json *json, const char *name, const char **items, size_t count) {
  sfnec_json_begin(json, name, '[');
  for (size_t i = 0; i < count; i++) sfnec_json_text(json, NULL, items[i]);
  sfnec_json_end(json, ']');
}

// the options that hold for every job; what is swept is not tried out
static void json_options(sfnec_json *json, const sfnec_spec *spec, const sfnec_overrides *overrides) {
  sfnec_json_begin(json, "options", '{');
  for (size_t i = 0; i < spec->env_options.count; i++)
    sfnec_json_text(json, spec->env_options.items[i].key, spec->env_options.items[i].value);
  for (const char *const *set = overrides->sets; set && *set; set++) {
    const char *equals = strchr(*set, '=');
    const char *name = equals ? sfnec_arena_print(spec->arena, "%.*s", (int)(equals - *set), *set) : NULL;
    if (name && is_own(name)) sfnec_json_text(json, name, equals + 1);
  }
  sfnec_json_end(json, '}');
}

static const char *make_request(const sfnec_spec *spec, const sfnec_overrides *overrides) {
  FILE *stream = sfnec_arena_open_text(spec->arena);
  if (!stream) return NULL;
  const sfnec_gym *gym = &spec->gym;
  sfnec_json json = {.file = stream, .compact = true};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_text(&json, "id", gym->id);
  sfnec_json_text(&json, "features", gym->features);
  sfnec_json_bool(&json, "unit", gym->unit);
  json_list(&json, "wrappers", gym->wrappers, gym->wrapper_count);
  sfnec_json_begin(&json, "weights", '[');
  for (uint32_t i = 0; i < gym->weights.count * gym->weights.size; i++) {
    if (i % gym->weights.size == 0) sfnec_json_begin(&json, NULL, '[');
    sfnec_json_real(&json, NULL, gym->weights.items[i]);
    if ((i + 1) % gym->weights.size == 0) sfnec_json_end(&json, ']');
  }
  sfnec_json_end(&json, ']');
  json_options(&json, spec, overrides);
  sfnec_json_end(&json, '}');
  return sfnec_arena_close_text(spec->arena);
}

// the lines of an identity
static const char *make_identity(const sfnec_spec *spec) {
  FILE *stream = sfnec_arena_open_text(spec->arena);
  if (!stream) return NULL;
  const sfnec_gym *gym = &spec->gym;
  if (gym->features) fprintf(stream, "features=%s\n", gym->features);
  if (gym->unit) fputs("unit=yes\n", stream);
  for (size_t i = 0; i < gym->wrapper_count; i++) fprintf(stream, "wrapper=%s\n", gym->wrappers[i]);
  for (uint32_t i = 0; i < gym->weights.count * gym->weights.size; i++) {
    char number[32];
    sfnec_real_to_text(gym->weights.items[i], number, sizeof number);
    fprintf(stream, "%s%s%s", i % gym->weights.size ? "," : "weights=", number,
            (i + 1) % gym->weights.size ? "" : "\n");
  }
  if (spec->env_version) fprintf(stream, "version=%s\n", spec->env_version);
  return sfnec_arena_close_text(spec->arena);
}

sfnec_status sfnec_gym_find(sfnec_spec *spec, const sfnec_overrides *overrides) {
  static const sfnec_overrides none = {0};
  if (!overrides) overrides = &none;
  const sfnec_gym_host *host = overrides->gym_host;
  if (!host) return sfnec_gym_refuse(spec->arena, spec->env);
  keys keys = {.arena = spec->arena};
  sfnec_env_kind *kind = sfnec_arena_alloc(spec->arena, 1, sizeof *kind);
  const char *request = make_request(spec, overrides), *identity = make_identity(spec);
  if (!kind || !request || !identity) return sfnec_fail_memory("a spec");
  sfnec_env_shape shape = {0};
  sfnec_status status = collect(spec, overrides, &keys);
  if (!status) status = host->describe(host->context, request, &shape);
  if (status) return status;
  *kind = *(host->functions ? host->functions : &still);
  kind->name = sfnec_arena_print(spec->arena, "%s%s", prefix, spec->gym.id);
  kind->help = "a Gymnasium environment";
  kind->metric = "episode-return";
  kind->shape = shape_of;
  kind->options_size = sizeof(gym_options);
  kind->option_set = kind->name ? make_table(&keys, kind->name, shape) : NULL;
  if (!kind->option_set) return sfnec_fail_memory("a spec");
  spec->world = (sfnec_world){.kind = kind, .identity = identity};
  return SFNEC_OK;
}
