// env.c: an environment of any kind: its options, its random stream, the limit on episode length, its state as bytes.
//
// The kind knows the world's rules; this file knows what all worlds share. Options of the kind and the common key
// max_episode_steps are set through one joint table, so that unknown keys get the nearest of all names.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sfnec/env.h"

// What an environment carries from one call to the next, besides the kind's own state. No padding: it is saved as
// bytes.
typedef struct progress {
  sfnec_random world;
  int64_t steps;   // transitions of this episode
  int64_t running; // 1 between reset and the episode's end, else 0
} progress;

struct sfnec_env {
  const sfnec_env_kind *kind;
  sfnec_env_shape shape;
  uint64_t seed;
  int64_t max_episode_steps;
  void *options; // the kind's struct, then max_episode_steps
  void *self;    // state_size bytes
  progress progress;
};

// ---- options ----

static const char limit_name[] = "max_episode_steps";

// where max_episode_steps lies behind the kind's options, aligned
static size_t limit_offset(const sfnec_env_kind *kind) {
  size_t unit = sizeof(int64_t);
  return (kind->options_size + unit - 1) / unit * unit;
}

static sfnec_option limit_row(const sfnec_env_kind *kind) {
  return (sfnec_option){.name = limit_name,
                        .type = SFNEC_OPTION_INT,
                        .offset = limit_offset(kind),
                        .initial = (double)kind->max_episode_steps,
                        .least = 0,
                        .most = 1e15,
                        .help = "episodes are truncated after so many steps; 0 = never"};
}

// The kind's rows and the common one in a new array that the caller frees; NULL without memory.
static sfnec_option *joint_rows(const sfnec_env_kind *kind) {
  const sfnec_option *own = kind->option_set ? kind->option_set->rows : NULL;
  size_t count = 0;
  while (own && own[count].name) count++;
  // the row past the common one stays zero: it ends the table
  sfnec_option *rows = calloc(count + 2, sizeof *rows);
  if (!rows) return NULL;
  if (count > 0) memcpy(rows, own, count * sizeof *rows);
  rows[count] = limit_row(kind);
  return rows;
}

// Fills env->options with the defaults and the settings.
static sfnec_status resolve_options(sfnec_env *env, const char *const *settings) {
  const sfnec_env_kind *kind = env->kind;
  sfnec_option *rows = joint_rows(kind);
  if (!rows) return sfnec_fail_memory("the options of an environment");
  const sfnec_option_set set = {.title = kind->option_set ? kind->option_set->title : kind->name, .rows = rows};
  sfnec_options_fill(&set, env->options);
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; settings && settings[i] && !status; i++) {
    status = sfnec_options_assign(&set, env->options, settings[i]);
  }
  memcpy(&env->max_episode_steps, (char *)env->options + limit_offset(kind), sizeof env->max_episode_steps);
  free(rows);
  return status;
}

// ---- life ----

// Refuses a table whose fields lie outside of the options struct.
static sfnec_status check_rows(const sfnec_env_kind *kind) {
  for (const sfnec_option *row = kind->option_set ? kind->option_set->rows : NULL; row && row->name; row++) {
    size_t size = row->type == SFNEC_OPTION_CHOICE ? sizeof(int) : sizeof(int64_t);
    if (row->offset + size > kind->options_size) {
      return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                        "option %s of environment %s lies outside of its %zu bytes of options: set options_size to the "
                        "size of the struct",
                        row->name, kind->name, kind->options_size);
    }
  }
  return SFNEC_OK;
}

// Refuses a description that the rest of this file could not work with.
static sfnec_status check_kind(const sfnec_env_kind *kind) {
  if (!kind) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the kind of environment is NULL: name one of sfnec_env_kind_at");
  if (!kind->name) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a kind of environment has no name: fill its field name");
  if (!kind->shape || !kind->reset || !kind->step) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s lacks shape, reset or step: all three are required",
                      kind->name);
  }
  if (kind->max_episode_steps < 0) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s has max_episode_steps %lld: give 0 for no limit, or more",
                      kind->name, (long long)kind->max_episode_steps);
  }
  if (kind->option_set && sfnec_options_find(kind->option_set, limit_name)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "environment %s has an option %s of its own: remove the row, every environment has that key",
                      kind->name, limit_name);
  }
  return check_rows(kind);
}

// Asks the kind for its shape under the resolved options, and lets it prepare its state.
static sfnec_status prepare(sfnec_env *env) {
  const sfnec_env_kind *kind = env->kind;
  const void *options = sfnec_env_get_options(env);
  env->shape = kind->shape(options);
  if (env->shape.observation_size < 1 || env->shape.action_count < 1 || env->shape.feature_count < 1) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "environment %s has %d observation floats, %d actions and %d features: each must be at least 1",
                      kind->name, env->shape.observation_size, env->shape.action_count, env->shape.feature_count);
  }
  if (!kind->init) return SFNEC_OK;
  sfnec_set_error(SFNEC_OK, "");
  sfnec_status status = kind->init(env->self, options);
  if (!status || sfnec_last_error()[0]) return status;
  return sfnec_fail(status, "environment %s refuses these options together (%s error): see the help of its options",
                    kind->name, sfnec_status_name(status));
}

sfnec_status sfnec_env_create(const sfnec_env_kind *kind, const char *const *settings, uint64_t seed, sfnec_env **out) {
  if (!out) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "sfnec_env_create has nowhere to put the environment: out is NULL");
  *out = NULL;
  sfnec_status status = check_kind(kind);
  if (status) return status;
  sfnec_env *env = calloc(1, sizeof *env);
  if (!env) return sfnec_fail_memory("an environment");
  env->kind = kind;
  env->seed = seed;
  env->progress.world = sfnec_random_start(seed, SFNEC_PURPOSE_WORLD);
  env->options = calloc(1, limit_offset(kind) + sizeof(int64_t));
  env->self = calloc(1, kind->state_size > 0 ? kind->state_size : 1);
  status = env->options && env->self ? resolve_options(env, settings) : sfnec_fail_memory("an environment");
  if (!status) status = prepare(env);
  if (status) {
    sfnec_env_destroy(env);
    return status;
  }
  *out = env;
  return SFNEC_OK;
}

void sfnec_env_destroy(sfnec_env *env) {
  if (!env) return;
  free(env->options);
  free(env->self);
  free(env);
}

const sfnec_env_kind *sfnec_env_get_kind(const sfnec_env *env) {
  return env->kind;
}

sfnec_env_shape sfnec_env_get_shape(const sfnec_env *env) {
  return env->shape;
}

const void *sfnec_env_get_options(const sfnec_env *env) {
  return env->kind->options_size > 0 ? env->options : NULL;
}

int64_t sfnec_env_get_max_episode_steps(const sfnec_env *env) {
  return env->max_episode_steps;
}

// ---- episodes ----

sfnec_status sfnec_env_reset(sfnec_env *env, float *observation) {
  if (!env || !observation) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "sfnec_env_reset got NULL: give an environment and room for an observation");
  }
  env->kind->reset(env->self, sfnec_env_get_options(env), &env->progress.world, observation);
  env->progress.steps = 0;
  env->progress.running = 1;
  return SFNEC_OK;
}

sfnec_status sfnec_env_step(sfnec_env *env, int32_t action, float *observation, double *features,
                            sfnec_env_outcome *outcome) {
  if (!env || !observation || !features || !outcome) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "sfnec_env_step got NULL: give an environment and room for observation, features and outcome");
  }
  if (!env->progress.running) {
    return sfnec_fail(SFNEC_ERROR_STATE, "environment %s has no episode running: call sfnec_env_reset before stepping",
                      env->kind->name);
  }
  if (action < 0 || action >= env->shape.action_count) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s has no action %d: give one of 0 to %d", env->kind->name,
                      action, env->shape.action_count - 1);
  }
  *outcome =
      env->kind->step(env->self, sfnec_env_get_options(env), action, &env->progress.world, observation, features);
  env->progress.steps++;
  // an episode that ended by the world's rules was not cut off, even at the limit
  bool limit = env->max_episode_steps > 0 && env->progress.steps >= env->max_episode_steps;
  outcome->truncated = !outcome->terminated && (outcome->truncated || limit);
  env->progress.running = !outcome->terminated && !outcome->truncated;
  return SFNEC_OK;
}

void sfnec_env_task(const sfnec_env *env, uint32_t task, double *w) {
  // each task has its own 2^32 blocks of the stream, so its weights do not depend on which tasks were asked before
  sfnec_random tasks = sfnec_random_start(env->seed, SFNEC_PURPOSE_TASKS);
  tasks.counter = (uint64_t)task << 32;
  if (env->kind->sample_task) {
    env->kind->sample_task(sfnec_env_get_options(env), &tasks, w);
  } else {
    for (int32_t i = 0; i < env->shape.feature_count; i++) w[i] = 2 * sfnec_random_uniform(&tasks) - 1;
  }
}

// ---- state as bytes: progress, then the kind's own ----

size_t sfnec_env_state_size(const sfnec_env *env) {
  return sizeof(progress) + env->kind->state_size;
}

void sfnec_env_save_state(const sfnec_env *env, void *bytes) {
  memcpy(bytes, &env->progress, sizeof(progress));
  memcpy((char *)bytes + sizeof(progress), env->self, env->kind->state_size);
}

sfnec_status sfnec_env_load_state(sfnec_env *env, const void *bytes, size_t size) {
  if (!env || !bytes) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "sfnec_env_load_state got NULL: give an environment and a saved state");
  }
  if (size != sfnec_env_state_size(env)) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "the saved state has %zu bytes, but environment %s needs %zu: load it into the same kind", size,
                      env->kind->name, sfnec_env_state_size(env));
  }
  progress loaded;
  memcpy(&loaded, bytes, sizeof loaded);
  if (loaded.steps < 0 || (loaded.running != 0 && loaded.running != 1)) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "the saved state does not fit environment %s: load only what sfnec_env_save_state wrote",
                      env->kind->name);
  }
  env->progress = loaded;
  memcpy(env->self, (const char *)bytes + sizeof loaded, env->kind->state_size);
  return SFNEC_OK;
}
