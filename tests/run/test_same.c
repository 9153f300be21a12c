// test_same.c: whole runs are the same to the bit however they are computed: flat or fast index, full or pruned GPI,
// every instruction-set level.
//
// The memories grow large enough for the fast index to use its codes, old tasks are packed, and GPI rules policies out.
#include "support/player.h"

#include <stdlib.h>

#include "sfnec/run.h"
#include "simd/simd.h"

enum { TASKS = 4, STEPS = 2500, PROBES = 200, MOST_SETTINGS = 8 };

// What a run leaves behind.
typedef struct outcome {
  sfnec_task_result results[TASKS];
  double q[PROBES][TASKS * 4];
  int32_t chosen[TASKS];
} outcome;

// The values of all policies in states of a walk of its own.
static void probe(sfnec_agent *agent, outcome *o) {
  sfnec_env *env = open_env("four_rooms", NULL, 77);
  sfnec_random random = sfnec_random_start(77, 1000);
  float observation[113];
  double features[4];
  sfnec_env_outcome end = {.terminated = true};
  for (int i = 0; i < PROBES; i++) {
    if (end.terminated) OK(sfnec_env_reset(env, observation));
    OK(sfnec_env_step(env, (int32_t)sfnec_random_below(&random, 4), observation, features, &end));
    OK(ask_q(agent, observation, NULL, o->q[i]));
  }
  sfnec_env_destroy(env);
}

static outcome *run(const char *preset, const char *const *settings, const char *index, const char *gpi) {
  const char *all[MOST_SETTINGS] = {index, gpi};
  for (int i = 0; settings && settings[i]; i++) all[2 + i] = settings[i];
  outcome *o = calloc(1, sizeof *o);
  sfnec_env *env = open_env("four_rooms", NULL, 5);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, preset, all, 5);
  sfnec_run *whole = NULL;
  const sfnec_run_options options = {.tasks = TASKS, .steps = STEPS};
  OK(sfnec_run_create(agent, env, &options, &whole));
  OK(sfnec_run_advance(whole, INT64_MAX));
  uint32_t count;
  memcpy(o->results, sfnec_run_get_results(whole, &count), sizeof o->results);
  for (int i = 0; i < TASKS; i++) {
    sfnec_task_info info;
    OK(sfnec_agent_get_task_info(agent, (uint32_t)i, &info));
    o->chosen[i] = (int32_t)info.chosen;
    o->results[i].seconds = 0; // the one thing that may differ
  }
  probe(agent, o);
  sfnec_run_destroy(whole);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return o;
}

static void check_same(const outcome *expected, outcome *found) {
  assert_memory_equal(found, expected, sizeof *expected);
  free(found);
}

static void check(const char *preset, const char *const *settings) {
  outcome *flat = run(preset, settings, "index=flat", "gpi=full");
  assert_true(flat->results[TASKS - 1].entries > 4 * TASKS * 300);
  check_same(flat, run(preset, settings, "index=fast", "gpi=full"));
  check_same(flat, run(preset, settings, "index=fast", "gpi=pruned"));
  free(flat);
}

static void test_sfnec(void **state) {
  (void)state;
  check("sfnec", NULL);
}

// penalty and novelty
static void test_plus(void **state) {
  (void)state;
  check("sfnec-plus", NULL);
}

// weights that change as they are learned, the other kernel, few neighbours, eviction
static void test_variants(void **state) {
  (void)state;
  const char *const settings[] = {"w=rls", "kernel=inverse", "neighbours=7", "capacity=500", "gpi_penalty=0.2", NULL};
  check("sfnec", settings);
}

// memories of all tasks that give up entries, and are packed again
static void test_capacity(void **state) {
  (void)state;
  const char *const settings[] = {"capacity_total=6000", NULL};
  check("sfnec", settings);
}

// one model for all tasks, whose places the index finds
static void test_plan(void **state) {
  (void)state;
  outcome *flat = run("sfnec-plan", NULL, "index=flat", "gpi=full");
  assert_true(flat->results[TASKS - 1].entries > 1000);
  check_same(flat, run("sfnec-plan", NULL, "index=fast", "gpi=pruned"));
  free(flat);
}

static void check_levels(const char *preset) {
  outcome *expected = NULL;
  for (size_t i = 0; sfnec_simd_at(i); i++) {
    assert_int_equal(setenv("SFNEC_SIMD", sfnec_simd_at(i)->name, 1), 0);
    outcome *found = run(preset, NULL, "index=fast", "gpi=pruned");
    if (expected) check_same(expected, found);
    else expected = found;
  }
  unsetenv("SFNEC_SIMD");
  free(expected);
}

static void test_levels(void **state) {
  (void)state;
  check_levels("sfnec-plus");
  check_levels("sfnec-plan");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sfnec),    cmocka_unit_test(test_plus), cmocka_unit_test(test_variants),
      cmocka_unit_test(test_capacity), cmocka_unit_test(test_plan), cmocka_unit_test(test_levels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
