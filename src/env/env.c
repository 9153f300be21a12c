// env.c: an environment of any kind: its options, its random stream, the limit on episode length, its state as bytes.
//
// The kind knows the world's rules; this file knows what all worlds share.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "env/kinds.h"
#include "env/look.h"
#include "env/picture.h"

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
  void *options; // the kind's struct, which begins with an sfnec_env_common
  void *self;    // state_size bytes
  void *saved;   // as many, where a state is checked before it is believed
  void *memo;    // what the kind keeps of its optimum
  bool prepared; // the kind's destroy is due
  progress progress;
};

// ---- options ----

// Fills env->options with the defaults and the settings.
static sfnec_status resolve_options(sfnec_env *env, const char *const *settings) {
  const sfnec_option_set *set = sfnec_env_kind_option_set(env->kind);
  sfnec_options_default(set, env->options);
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; settings && settings[i] && !status; i++) {
    status = sfnec_options_assign(set, env->options, settings[i]);
  }
  return status;
}

// ---- life ----

// Lets the kind prepare its state, and begins the noise.
static sfnec_status begin(sfnec_env *env) {
  const sfnec_env_kind *kind = env->kind;
  env->progress = (progress){.world = sfnec_random_start(env->seed, SFNEC_PURPOSE_WORLD)};
  env->prepared = true;
  if (!kind->init) return SFNEC_OK;
  sfnec_set_error(SFNEC_OK, "");
  const sfnec_status status = kind->init(env->self, env->options);
  env->prepared = !status;
  if (!status || sfnec_last_error()[0]) return status;
  return sfnec_fail(status, "environment %s refuses these options together (%s error): see the help of its options",
                    kind->name, sfnec_status_name(status));
}

// Ends what begin began.
static void end(sfnec_env *env) {
  if (env->prepared && env->kind->destroy) env->kind->destroy(env->self, env->options);
  env->prepared = false;
}

// Asks the kind for its shape under the resolved options, and begins.
static sfnec_status prepare(sfnec_env *env) {
  const sfnec_env_kind *kind = env->kind;
  env->shape = kind->shape(env->options);
  if (env->shape.observation_size < 1 || env->shape.action_count < 1 || env->shape.feature_count < 1) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "environment %s has %d observation floats, %d actions and %d features: each must be at least 1",
                      kind->name, env->shape.observation_size, env->shape.action_count, env->shape.feature_count);
  }
  const sfnec_status status = sfnec_picture_check(&env->shape);
  if (status) return status;
  return begin(env);
}

sfnec_status sfnec_env_create(const sfnec_env_kind *kind, const char *const *settings, uint64_t seed, sfnec_env **out) {
  if (!out) return sfnec_fail_null(__func__);
  *out = NULL;
  sfnec_status status = sfnec_env_kind_check(kind);
  if (status) return status;
  sfnec_env *env = calloc(1, sizeof *env);
  if (!env) return sfnec_fail_memory("an environment");
  env->kind = kind;
  env->seed = seed;
  env->options = calloc(1, sfnec_env_kind_options_size(kind));
  env->self = calloc(1, kind->state_size > 0 ? kind->state_size : 1);
  env->saved = calloc(1, kind->state_size > 0 ? kind->state_size : 1);
  status =
      env->options && env->self && env->saved ? resolve_options(env, settings) : sfnec_fail_memory("an environment");
  if (!status) status = prepare(env);
  if (status) {
    sfnec_env_destroy(env);
    return status;
  }
  *out = env;
  return SFNEC_OK;
}

sfnec_status sfnec_env_restart(sfnec_env *env) {
  if (!env) return sfnec_fail_null(__func__);
  end(env);
  memset(env->self, 0, env->kind->state_size);
  return begin(env);
}

void sfnec_env_destroy(sfnec_env *env) {
  if (!env) return;
  end(env);
  free(env->options);
  free(env->self);
  free(env->saved);
  free(env->memo);
  free(env);
}

const sfnec_env_kind *sfnec_env_get_kind(const sfnec_env *env) {
  return env ? env->kind : NULL;
}

sfnec_env_shape sfnec_env_get_shape(const sfnec_env *env) {
  return env ? env->shape : (sfnec_env_shape){0};
}

bool sfnec_env_get_components(const sfnec_env *env, sfnec_component_space *components) {
  if (!env || !components) return false;
  const size_t count = (size_t)env->shape.observation_size;
  memset(components, 0, count * sizeof *components);
  if (env->kind->describe) env->kind->describe(env->options, components);
  for (size_t i = 0; i < count; i++) components[i].name[SFNEC_COMPONENT_NAME - 1] = '\0';
  return env->kind->describe != NULL;
}

const void *sfnec_env_get_options(const sfnec_env *env) {
  return env ? env->options : NULL;
}

int64_t sfnec_env_get_max_episode_steps(const sfnec_env *env) {
  return env ? ((const sfnec_env_common *)env->options)->max_episode_steps : 0;
}

// ---- episodes ----

sfnec_status sfnec_env_reset(sfnec_env *env, float *observation) {
  if (!env || !observation) return sfnec_fail_null(__func__);
  env->kind->reset(env->self, env->options, &env->progress.world, observation);
  env->progress.steps = 0;
  env->progress.running = 1;
  return SFNEC_OK;
}

// The world's own sentence, behind its name.
static sfnec_status fail_step(sfnec_env *env, sfnec_status status) {
  char sentence[512];
  snprintf(sentence, sizeof sentence, "%s", sfnec_last_error());
  env->progress.running = 0;
  return sfnec_fail(status, "environment %s failed: %.400s", env->kind->name,
                    sentence[0] ? sentence : sfnec_status_name(status));
}

sfnec_status sfnec_env_step(sfnec_env *env, int32_t action, float *observation, double *features,
                            sfnec_env_outcome *outcome) {
  if (!env || !observation || !features || !outcome) return sfnec_fail_null(__func__);
  if (!env->progress.running) {
    return sfnec_fail(SFNEC_ERROR_STATE, "environment %s has no episode running: call sfnec_env_reset before stepping",
                      env->kind->name);
  }
  if (action < 0 || action >= env->shape.action_count) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s has no action %d: give one of 0 to %d", env->kind->name,
                      action, env->shape.action_count - 1);
  }
  *outcome = env->kind->step(env->self, env->options, action, &env->progress.world, observation, features);
  env->progress.steps = sfnec_count_up(env->progress.steps);
  if (outcome->status) return fail_step(env, outcome->status);
  // an episode that ended by the world's rules was not cut off, even at the limit
  const int64_t most = sfnec_env_get_max_episode_steps(env);
  bool limit = most > 0 && env->progress.steps >= most;
  outcome->truncated = !outcome->terminated && (outcome->truncated || limit);
  env->progress.running = !outcome->terminated && !outcome->truncated;
  return SFNEC_OK;
}

bool sfnec_env_get_mask(const sfnec_env *env, uint8_t *mask) {
  if (!env || !mask) return false;
  memset(mask, 1, (size_t)env->shape.action_count);
  if (env->kind->mask) env->kind->mask(env->self, env->options, mask);
  return env->kind->mask != NULL;
}

void sfnec_env_get_task_weights(const sfnec_env *env, uint32_t task, double *w) {
  if (!env || !w) return;
  // each task has its own 2^32 blocks of the stream, so its weights do not depend on which tasks were asked before
  sfnec_random tasks = sfnec_random_start(env->seed, SFNEC_PURPOSE_TASKS);
  tasks.counter = (uint64_t)task << 32;
  if (env->kind->sample_task) {
    env->kind->sample_task(env->options, &tasks, w);
  } else {
    for (int32_t i = 0; i < env->shape.feature_count; i++) w[i] = 2 * sfnec_random_uniform(&tasks) - 1;
  }
}

sfnec_status sfnec_env_get_optimum(sfnec_env *env, const double *w, int64_t steps, double *value) {
  if (!env || !w || !value) return sfnec_fail_null(__func__);
  *value = (double)NAN;
  if (steps < 0) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the optimum of %lld steps was asked for: give 0 or more",
                      (long long)steps);
  }
  if (!env->kind->optimum) return SFNEC_OK;
  const sfnec_status status = env->kind->optimum(env->self, env->options, w, steps, &env->memo, value);
  if (!isfinite(*value)) *value = (double)NAN;
  return status;
}

// ---- how it looks ----

sfnec_status sfnec_env_get_look(const sfnec_env *env, sfnec_look *look) {
  if (!env || !look) return sfnec_fail_null(__func__);
  if (!env->kind->look) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s cannot be drawn: its kind has no function look",
                      env->kind->name);
  }
  *look = (sfnec_look){.view = SFNEC_LOOK_MAP};
  env->kind->look(env->self, env->options, look);
  return sfnec_look_check(look, env->kind->name, env->shape.feature_count);
}

bool sfnec_env_observe_at(const sfnec_env *env, double x, double y, float *observation) {
  if (!env || !observation) return false;
  const bool within = x >= 0 && x <= 1 && y >= 0 && y <= 1;
  return within && env->kind->observe_at && env->kind->observe_at(env->self, env->options, x, y, observation);
}

bool sfnec_env_locate(const sfnec_env *env, const float *observation, double *x, double *y) {
  if (!env || !observation || !x || !y) return false;
  if (!env->kind->locate || !env->kind->locate(env->options, observation, x, y)) return false;
  // a key that training has moved may lie anywhere
  return *x > -0.02 && *x < 1.02 && *y > -0.02 && *y < 1.02;
}

void sfnec_env_get_bounds(const sfnec_env *env, float *low, float *high) {
  if (!env || !low || !high) return;
  for (int32_t i = 0; i < env->shape.observation_size; i++) {
    low[i] = -INFINITY;
    high[i] = INFINITY;
  }
  if (env->kind->bounds) env->kind->bounds(env->options, low, high);
}

// ---- state as bytes: progress, then the kind's own ----

size_t sfnec_env_get_state_size(const sfnec_env *env) {
  return env ? sizeof(progress) + env->kind->state_size : 0;
}

void sfnec_env_get_state(const sfnec_env *env, void *bytes) {
  if (!env || !bytes) return;
  memcpy(bytes, &env->progress, sizeof(progress));
  memcpy((char *)bytes + sizeof(progress), env->self, env->kind->state_size);
}

sfnec_status sfnec_env_set_state(sfnec_env *env, const void *bytes, size_t size) {
  if (!env || !bytes) return sfnec_fail_null(__func__);
  if (size != sfnec_env_get_state_size(env)) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "the saved state has %zu bytes, but environment %s needs %zu: load it into the same kind", size,
                      env->kind->name, sfnec_env_get_state_size(env));
  }
  if (env->kind->destroy) {
    return sfnec_fail(SFNEC_ERROR_STATE, "environment %s lives outside of this program: it cannot be saved",
                      env->kind->name);
  }
  progress loaded;
  memcpy(&loaded, bytes, sizeof loaded);
  memcpy(env->saved, (const char *)bytes + sizeof loaded, env->kind->state_size);
  const bool fits = loaded.steps >= 0 && loaded.steps <= SFNEC_COUNT_MOST &&
                    (loaded.running == 0 || loaded.running == 1) &&
                    (!env->kind->check_state || env->kind->check_state(env->self, env->options, env->saved));
  if (!fits) {
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "the saved state does not fit environment %s: load only what sfnec_env_get_state wrote",
                      env->kind->name);
  }
  env->progress = loaded;
  memcpy(env->self, env->saved, env->kind->state_size);
  return SFNEC_OK;
}
