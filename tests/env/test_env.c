// What all environments share: registry, options, episodes and their limit, tasks, state as bytes, refusals.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "env/rooms.h"
#include "sfnec/env.h"

// ---- a kind of the user's, with the common options only: counts to three, then terminates ----

static sfnec_env_shape counter_shape(const void *options) {
  assert_non_null(options);
  return (sfnec_env_shape){.observation_size = 1, .action_count = 2, .feature_count = 2};
}

static void counter_reset(void *self, const void *options, sfnec_random *random, float *observation) {
  assert_non_null(options);
  (void)random;
  *(int32_t *)self = 0;
  *observation = 0;
}

static sfnec_env_outcome counter_step(void *self, const void *options, int32_t action, sfnec_random *random,
                                      float *observation, double *features) {
  assert_non_null(options);
  (void)random;
  int32_t count = *(int32_t *)self += 1;
  *observation = (float)count;
  features[0] = action;
  features[1] = 0;
  return (sfnec_env_outcome){.terminated = count == 3};
}

static const sfnec_env_kind counter = {.name = "counter",
                                       .help = "counts to three",
                                       .state_size = sizeof(int32_t),
                                       .shape = counter_shape,
                                       .reset = counter_reset,
                                       .step = counter_step};

// Its copy with a limit of its own; the rows are the caller's, and outlive it.
static sfnec_env_kind limited_counter(sfnec_option_set *set, sfnec_option *rows, double limit) {
  rows[0] = (sfnec_option)SFNEC_ENV_COMMON_ROWS(limit);
  rows[1] = (sfnec_option){.name = NULL};
  *set = (sfnec_option_set){"counter", rows};
  sfnec_env_kind kind = counter;
  kind.option_set = set;
  kind.options_size = sizeof(sfnec_env_common);
  return kind;
}

// ---- helpers ----

static sfnec_env *create(const sfnec_env_kind *kind, const char *setting, uint64_t seed) {
  const char *settings[] = {setting, NULL};
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(kind, settings, seed, &env), SFNEC_OK);
  assert_non_null(env);
  return env;
}

static sfnec_env *four_rooms(const char *setting, uint64_t seed) {
  return create(sfnec_env_kind_find("four_rooms"), setting, seed);
}

static void check_message(const char *part) {
  if (!strstr(sfnec_last_error(), part)) fail_msg("'%s' lacks '%s'", sfnec_last_error(), part);
}

// What a fixed sequence of actions produced, as bytes.
typedef struct trace {
  float observations[300][113];
  double features[300][4];
  unsigned char ends[300];
} trace;

// Steps on with actions that depend on the number of the step only; resets after each end.
static void follow(sfnec_env *env, int from, int to, trace *t) {
  for (int i = from; i < to; i++) {
    sfnec_env_outcome outcome;
    int32_t action = (int32_t)((uint32_t)i * 2654435761U >> 30);
    assert_int_equal(sfnec_env_step(env, action, t->observations[i], t->features[i], &outcome), SFNEC_OK);
    t->ends[i] = (unsigned char)(outcome.terminated | outcome.truncated << 1);
    if (t->ends[i]) assert_int_equal(sfnec_env_reset(env, t->observations[i]), SFNEC_OK);
  }
}

// ---- tests ----

static void the_registry_lists_and_finds(void **unused) {
  (void)unused;
  assert_string_equal(sfnec_env_kind_at(0)->name, "four_rooms");
  assert_string_equal(sfnec_env_kind_at(1)->name, "one_room");
  assert_string_equal(sfnec_env_kind_at(2)->name, "cartpole");
  assert_string_equal(sfnec_env_kind_at(3)->name, "four_rooms_grid");
  assert_string_equal(sfnec_env_kind_at(4)->name, "navigation");
  assert_null(sfnec_env_kind_at(5));
  assert_null(sfnec_env_kind_at(SIZE_MAX));
  for (size_t i = 0; sfnec_env_kind_at(i); i++) {
    assert_non_null(sfnec_options_find(sfnec_env_kind_option_set(sfnec_env_kind_at(i)), "max_episode_steps"));
    assert_ptr_equal(sfnec_env_kind_find(sfnec_env_kind_at(i)->name), sfnec_env_kind_at(i));
  }
  assert_null(sfnec_env_kind_find("five_rooms"));
  assert_null(sfnec_env_kind_find(""));
  assert_null(sfnec_env_kind_find(NULL));
}

static void settings_reach_the_options(void **unused) {
  (void)unused;
  const char *settings[] = {"layout=figure", "step_sd=0.25", "max_episode_steps=77", "walls=segment", NULL};
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(sfnec_env_kind_find("four_rooms"), settings, 1, &env), SFNEC_OK);
  const sfnec_rooms_options *options = sfnec_env_get_options(env);
  assert_int_equal(options->layout, 1);
  assert_int_equal(options->walls, SFNEC_ROOMS_SEGMENT);
  assert_true(options->step_sd == 0.25 && options->step_mean == 0.05 && options->pickup_radius == 0.04);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 77);
  assert_int_equal(sfnec_env_get_shape(env).observation_size, 113);
  assert_ptr_equal(sfnec_env_get_kind(env), sfnec_env_kind_at(0));
  sfnec_env_destroy(env);

  env = four_rooms(NULL, 1);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 0);
  sfnec_env_destroy(env);
  sfnec_env_destroy(NULL);
}

static void a_kind_without_options_has_the_common_key(void **unused) {
  (void)unused;
  sfnec_env *env = create(&counter, "max_episode_steps=2", 1);
  const sfnec_env_common *common = sfnec_env_get_options(env);
  assert_int_equal(common->max_episode_steps, 2);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 2);
  sfnec_env_destroy(env);
  // the kind's own limit is the default, and a setting overrides it
  sfnec_option rows[2];
  sfnec_option_set set;
  const sfnec_env_kind limited = limited_counter(&set, rows, 5);
  env = create(&limited, NULL, 1);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 5);
  sfnec_env_destroy(env);
  env = create(&limited, "max_episode_steps=0", 1);
  assert_int_equal(sfnec_env_get_max_episode_steps(env), 0);
  sfnec_env_destroy(env);
}

// Runs one episode of the counter; returns its length.
static int count_episode(int64_t limit, sfnec_env_outcome *outcome) {
  sfnec_option rows[2];
  sfnec_option_set set;
  const sfnec_env_kind kind = limited_counter(&set, rows, (double)limit);
  sfnec_env *env = create(&kind, NULL, 1);
  float observation;
  double features[2];
  int length = 0;
  // the second episode: the count of steps must start again
  for (int episode = 0; episode < 2; episode++) {
    assert_int_equal(sfnec_env_reset(env, &observation), SFNEC_OK);
    length = 0;
    do {
      assert_int_equal(sfnec_env_step(env, 1, &observation, features, outcome), SFNEC_OK);
      length++;
    } while (!outcome->terminated && !outcome->truncated && length < 10);
  }
  assert_int_equal(sfnec_env_step(env, 1, &observation, features, outcome), SFNEC_ERROR_STATE);
  sfnec_env_destroy(env);
  return length;
}

static void the_limit_truncates_and_the_world_terminates(void **unused) {
  (void)unused;
  sfnec_env_outcome outcome;
  assert_int_equal(count_episode(2, &outcome), 2);
  assert_true(outcome.truncated && !outcome.terminated);
  assert_int_equal(count_episode(0, &outcome), 3);
  assert_true(outcome.terminated && !outcome.truncated);
  assert_int_equal(count_episode(4, &outcome), 3);
  assert_true(outcome.terminated && !outcome.truncated);
  // terminated exactly at the limit is terminated only
  assert_int_equal(count_episode(3, &outcome), 3);
  assert_true(outcome.terminated && !outcome.truncated);
}

static void same_seed_same_bytes(void **unused) {
  (void)unused;
  trace *traces = calloc(3, sizeof *traces);
  assert_non_null(traces);
  const uint64_t seeds[] = {5, 5, 6};
  for (int k = 0; k < 3; k++) {
    sfnec_env *env = four_rooms("max_episode_steps=90", seeds[k]);
    float first[113];
    sfnec_env_reset(env, first);
    follow(env, 0, 300, &traces[k]);
    assert_int_equal(traces[k].ends[89], 2);
    sfnec_env_destroy(env);
  }
  assert_memory_equal(&traces[0], &traces[1], sizeof(trace));
  assert_memory_not_equal(&traces[0], &traces[2], sizeof(trace));
  free(traces);
}

static void a_saved_state_continues_bit_for_bit(void **unused) {
  (void)unused;
  trace *traces = calloc(2, sizeof *traces);
  assert_non_null(traces);
  // the pick-up radius makes sure that some objects are gone at the time of saving
  const char *settings[] = {"max_episode_steps=90", "pickup_radius=0.3", NULL};
  sfnec_env *unbroken = NULL, *other = NULL;
  assert_int_equal(sfnec_env_create(sfnec_env_kind_at(0), settings, 5, &unbroken), SFNEC_OK);
  assert_int_equal(sfnec_env_create(sfnec_env_kind_at(0), settings, 99, &other), SFNEC_OK);
  size_t size = sfnec_env_get_state_size(unbroken);
  char *state = malloc(size), *again = malloc(size);
  float first[113];
  sfnec_env_reset(unbroken, first);
  follow(unbroken, 0, 150, &traces[0]);
  sfnec_env_get_state(unbroken, state);
  follow(unbroken, 150, 300, &traces[0]);
  // into an environment that was never reset and has another seed
  memcpy(&traces[1], &traces[0], sizeof(trace));
  memset(traces[1].observations[150], 0, 150 * sizeof traces[1].observations[0]);
  assert_int_equal(sfnec_env_set_state(other, state, size), SFNEC_OK);
  sfnec_env_get_state(other, again);
  assert_memory_equal(state, again, size);
  follow(other, 150, 300, &traces[1]);
  assert_memory_equal(&traces[0], &traces[1], sizeof(trace));
  free(state);
  free(again);
  free(traces);
  sfnec_env_destroy(unbroken);
  sfnec_env_destroy(other);
}

static void foreign_states_are_refused(void **unused) {
  (void)unused;
  sfnec_env *env = four_rooms(NULL, 1);
  size_t size = sfnec_env_get_state_size(env);
  unsigned char *state = malloc(size);
  sfnec_env_get_state(env, state);
  assert_int_equal(sfnec_env_set_state(env, state, size - 1), SFNEC_ERROR_FORMAT);
  check_message("four_rooms");
  memset(state, 0xff, size);
  assert_int_equal(sfnec_env_set_state(env, state, size), SFNEC_ERROR_FORMAT);
  free(state);
  sfnec_env_destroy(env);
}

// Plays on from whatever state it is in; every number that the world shows is finite.
static void play_on(sfnec_env *env, int steps) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  float observation[256];
  double features[8];
  sfnec_look look;
  assert_true(shape.observation_size <= 256 && shape.feature_count <= 8);
  for (int i = 0; i < steps; i++) {
    sfnec_env_outcome outcome;
    assert_int_equal(sfnec_env_get_look(env, &look), SFNEC_OK);
    if (sfnec_env_step(env, i * 7 % shape.action_count, observation, features, &outcome)) {
      assert_int_equal(sfnec_env_reset(env, observation), SFNEC_OK);
    }
    for (int32_t j = 0; j < shape.observation_size; j++) assert_true(isfinite(observation[j]));
  }
}

// Each word of the saved bytes of each kind is overwritten with bad ones: the state is refused and nothing changes, or
// the world can live with it. Every state that play leads to is accepted.
static void hostile_states_are_refused_or_harmless(void **unused) {
  (void)unused;
  const uint32_t bad[] = {UINT32_MAX, 0x7ff00000, 0x7ff80000, 0x7e37e43c, INT32_MAX, 0x80000000, 13, 1000};
  const sfnec_env_kind *kind;
  for (size_t k = 0; (kind = sfnec_env_kind_at(k)); k++) {
    sfnec_env *env = create(kind, NULL, 3);
    const size_t size = sfnec_env_get_state_size(env);
    char *good = malloc(size), *state = malloc(size), *after = malloc(size);
    assert_true(good && state && after && kind->check_state);
    for (int i = 0; i < 50; i++) {
      play_on(env, 7);
      sfnec_env_get_state(env, good);
      assert_int_equal(sfnec_env_set_state(env, good, size), SFNEC_OK);
    }
    size_t refused = 0;
    for (size_t at = size - kind->state_size; at + 4 <= size; at += 4) {
      for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memcpy(state, good, size);
        memcpy(state + at, &bad[i], 4);
        assert_int_equal(sfnec_env_set_state(env, good, size), SFNEC_OK);
        if (sfnec_env_set_state(env, state, size) == SFNEC_OK) {
          play_on(env, 5);
          continue;
        }
        refused++;
        check_message(kind->name);
        sfnec_env_get_state(env, after);
        assert_memory_equal(good, after, size);
      }
    }
    assert_true(refused > kind->state_size / 4);
    free(good);
    free(state);
    free(after);
    sfnec_env_destroy(env);
  }
}

// a world outside of self: its number of worlds that live
static int64_t living;

static sfnec_status open_outside(void *self, const void *options) {
  (void)self;
  if (((const sfnec_env_common *)options)->max_episode_steps == 13) return sfnec_set_error(SFNEC_ERROR_STATE, "gone");
  living++;
  return SFNEC_OK;
}

static void close_outside(void *self, const void *options) {
  (void)self, (void)options;
  living--;
}

static void a_world_outside_is_ended_and_not_saved(void **unused) {
  (void)unused;
  sfnec_env_kind outside = counter;
  outside.init = open_outside;
  outside.destroy = close_outside;
  sfnec_env *env = create(&outside, NULL, 1);
  assert_int_equal(living, 1);
  char state[256];
  assert_true(sfnec_env_get_state_size(env) <= sizeof state);
  sfnec_env_get_state(env, state);
  assert_int_equal(sfnec_env_set_state(env, state, sfnec_env_get_state_size(env)), SFNEC_ERROR_STATE);
  check_message("cannot be saved");
  assert_int_equal(sfnec_env_restart(env), SFNEC_OK);
  assert_int_equal(living, 1);
  sfnec_env_destroy(env);
  assert_int_equal(living, 0);
  // one that could not begin has nothing to end
  const char *const settings[] = {"max_episode_steps=13", NULL};
  assert_int_equal(sfnec_env_create(&outside, settings, 1, &env), SFNEC_ERROR_STATE);
  assert_int_equal(living, 0);
}

static void a_restart_is_the_beginning(void **unused) {
  (void)unused;
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    sfnec_env *env = create(kind, NULL, 5);
    const size_t size = sfnec_env_get_state_size(env);
    char *first = malloc(size), *now = malloc(size);
    float observation[1024];
    double features[64];
    sfnec_env_outcome outcome;
    sfnec_env_get_state(env, first);
    sfnec_env_reset(env, observation);
    for (int k = 0; k < 3; k++) (void)sfnec_env_step(env, k % 2, observation, features, &outcome);
    sfnec_env_get_state(env, now);
    assert_memory_not_equal(first, now, size);
    assert_int_equal(sfnec_env_restart(env), SFNEC_OK);
    sfnec_env_get_state(env, now);
    assert_memory_equal(first, now, size);
    free(first);
    free(now);
    sfnec_env_destroy(env);
  }
}

static void tasks_depend_on_seed_and_number_only(void **unused) {
  (void)unused;
  sfnec_env *a = four_rooms(NULL, 3), *b = four_rooms("layout=figure", 3), *c = four_rooms(NULL, 4);
  double w[100][4], again[4];
  float observation[113];
  double features[4], sum = 0;
  sfnec_env_outcome outcome;
  for (uint32_t t = 0; t < 100; t++) {
    sfnec_env_get_task_weights(a, t, w[t]);
    assert_true(w[t][3] == 1);
    for (int i = 0; i < 3; i++) {
      assert_true(w[t][i] >= -1 && w[t][i] <= 1);
      sum += w[t][i];
    }
    if (t > 0) assert_memory_not_equal(w[t], w[t - 1], sizeof w[t]);
  }
  // 300 uniform numbers of variance 1/3: five standard errors
  assert_true(sum / 300 < 5 * 0.0334 && sum / 300 > -5 * 0.0334);
  // backwards, after steps, and under other options they are the same; another seed has others
  sfnec_env_reset(b, observation);
  for (uint32_t t = 100; t-- > 0;) {
    sfnec_env_step(b, (int32_t)(t % 4), observation, features, &outcome);
    sfnec_env_get_task_weights(b, t, again);
    assert_memory_equal(again, w[t], sizeof again);
    sfnec_env_get_task_weights(c, t, again);
    assert_memory_not_equal(again, w[t], sizeof again);
  }
  sfnec_env_destroy(a);
  sfnec_env_destroy(b);
  sfnec_env_destroy(c);
}

static void kinds_have_their_own_tasks(void **unused) {
  (void)unused;
  double w[3];
  sfnec_env *env = create(sfnec_env_kind_find("one_room"), NULL, 3);
  for (uint32_t t = 0; t < 3; t++) {
    sfnec_env_get_task_weights(env, t, w);
    assert_true(w[0] == -1 && w[1] == 1 && w[2] == 1);
  }
  sfnec_env_destroy(env);
  // without sample_task: uniform in [-1, 1], from the task's own part of the stream
  env = create(&counter, NULL, 3);
  sfnec_random tasks = sfnec_random_start(3, SFNEC_PURPOSE_TASKS);
  tasks.counter = UINT64_C(7) << 32;
  sfnec_env_get_task_weights(env, 7, w);
  for (int i = 0; i < 2; i++) assert_true(w[i] == 2 * sfnec_random_uniform(&tasks) - 1);
  sfnec_env_destroy(env);
}

static void refuse_setting(const sfnec_env_kind *kind, const char *setting, const char *part) {
  const char *settings[] = {setting, NULL};
  sfnec_env *env = (sfnec_env *)settings;
  assert_int_equal(sfnec_env_create(kind, settings, 1, &env), SFNEC_ERROR_OPTION);
  assert_null(env);
  check_message(part);
}

static void bad_settings_are_refused(void **unused) {
  (void)unused;
  const sfnec_env_kind *rooms = sfnec_env_kind_find("four_rooms");
  refuse_setting(rooms, "door_with=0.1", "door_width");
  refuse_setting(rooms, "max_episode_step=3", "max_episode_steps");
  refuse_setting(&counter, "max_episode_step=3", "max_episode_steps");
  refuse_setting(&counter, "max_episode_steps=-1", "max_episode_steps");
  refuse_setting(rooms, "max_episode_steps=2.5", "max_episode_steps");
  refuse_setting(rooms, "layout=square", "calibrated");
  refuse_setting(rooms, "walls=0", "segment");
  refuse_setting(rooms, "door_width=0.7", "0.6");
  refuse_setting(rooms, "step_sd=nan", "step_sd");
  refuse_setting(rooms, "step_sd", "step_sd");
  // a row of the shared struct that this world does not have
  refuse_setting(sfnec_env_kind_find("one_room"), "layout=figure", "layout");
}

static sfnec_env_shape no_actions(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = 1, .action_count = 0, .feature_count = 1};
}

static sfnec_status never(void *self, const void *options) {
  (void)self, (void)options;
  return SFNEC_ERROR_OPTION;
}

static void refuse_kind(const sfnec_env_kind *kind, sfnec_status status, const char *part) {
  sfnec_env *env = NULL;
  assert_int_equal(sfnec_env_create(kind, NULL, 1, &env), status);
  assert_null(env);
  check_message(part);
}

static void bad_kinds_are_refused(void **unused) {
  (void)unused;
  refuse_kind(NULL, SFNEC_ERROR_ARGUMENT, "NULL");
  sfnec_env_kind kind = counter;
  kind.step = NULL;
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "counter");
  kind = counter;
  kind.shape = no_actions;
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "0 actions");
  kind = counter;
  kind.init = never;
  refuse_kind(&kind, SFNEC_ERROR_OPTION, "counter");
  sfnec_option limit_rows[2];
  sfnec_option_set set;
  kind = limited_counter(&set, limit_rows, -1);
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "-1");
  // a table that would write outside of the struct, one without the common options, and one that has them elsewhere
  const sfnec_option size = {.name = "size", .type = SFNEC_OPTION_INT, .offset = sizeof(sfnec_env_common), .most = 9};
  const sfnec_option outside[] = {SFNEC_ENV_COMMON_ROWS(0), size, {.name = NULL}};
  const sfnec_option without[] = {size, {.name = NULL}};
  const sfnec_option elsewhere[] = {
      {.name = "max_episode_steps", .type = SFNEC_OPTION_INT, .offset = sizeof(sfnec_env_common), .most = 9},
      {.name = NULL}};
  set.rows = outside;
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "size");
  kind.options_size = 2 * sizeof(sfnec_env_common);
  set.rows = without;
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "SFNEC_ENV_COMMON_ROWS");
  set.rows = elsewhere;
  refuse_kind(&kind, SFNEC_ERROR_ARGUMENT, "SFNEC_ENV_COMMON_ROWS");
}

static void bad_steps_are_refused_and_change_nothing(void **unused) {
  (void)unused;
  sfnec_env *env = four_rooms("max_episode_steps=5", 1);
  float observation[113];
  double features[4];
  sfnec_env_outcome outcome;
  assert_int_equal(sfnec_env_step(env, 0, observation, features, &outcome), SFNEC_ERROR_STATE);
  check_message("sfnec_env_reset");
  sfnec_env_reset(env, observation);
  size_t size = sfnec_env_get_state_size(env);
  char *before = malloc(size), *after = malloc(size);
  sfnec_env_get_state(env, before);
  assert_int_equal(sfnec_env_step(env, 4, observation, features, &outcome), SFNEC_ERROR_ARGUMENT);
  check_message("0 to 3");
  assert_int_equal(sfnec_env_step(env, -1, observation, features, &outcome), SFNEC_ERROR_ARGUMENT);
  check_message("-1");
  assert_int_equal(sfnec_env_step(env, 0, NULL, features, &outcome), SFNEC_ERROR_ARGUMENT);
  assert_int_equal(sfnec_env_reset(env, NULL), SFNEC_ERROR_ARGUMENT);
  sfnec_env_get_state(env, after);
  assert_memory_equal(before, after, size);
  assert_int_equal(sfnec_env_step(env, 3, observation, features, &outcome), SFNEC_OK);
  free(before);
  free(after);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_registry_lists_and_finds),
      cmocka_unit_test(settings_reach_the_options),
      cmocka_unit_test(a_kind_without_options_has_the_common_key),
      cmocka_unit_test(the_limit_truncates_and_the_world_terminates),
      cmocka_unit_test(same_seed_same_bytes),
      cmocka_unit_test(a_saved_state_continues_bit_for_bit),
      cmocka_unit_test(foreign_states_are_refused),
      cmocka_unit_test(hostile_states_are_refused_or_harmless),
      cmocka_unit_test(a_restart_is_the_beginning),
      cmocka_unit_test(a_world_outside_is_ended_and_not_saved),
      cmocka_unit_test(tasks_depend_on_seed_and_number_only),
      cmocka_unit_test(kinds_have_their_own_tasks),
      cmocka_unit_test(bad_settings_are_refused),
      cmocka_unit_test(bad_kinds_are_refused),
      cmocka_unit_test(bad_steps_are_refused_and_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
