// test_embedding.c: runs with embeddings and minibatches: saved and resumed at any moments they are the unbroken run;
// they do not depend on the index, on GPI pruning or on the instruction set; and old policies keep their embedding,
// unless all share one.
#include "run/job.h"

#include "simd/simd.h"

static const char folder[] = "checkpoints/of/embeddings";

static int wipe(void **state) {
  (void)state;
  return system("rm -rf checkpoints");
}

// ---- checkpoints ----

static void check_resumed(const char *preset, const char *const *settings, sfnec_run_options options) {
  const plan plan = {preset, settings, options};
  job whole = open_job(&plan), broken = open_job(&plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  sfnec_random random = sfnec_random_start(2, 1000);
  while (!sfnec_run_is_done(broken.run)) {
    int64_t slice = (int64_t)sfnec_random_below(&random, 80);
    // now and then to the end of the task, or one step into the next
    const uint32_t special = sfnec_random_below(&random, 4);
    if (special < 2) slice = options.steps - sfnec_run_get_steps_done(broken.run) % options.steps + special;
    OK(sfnec_run_advance(broken.run, slice));
    OK(sfnec_run_save(broken.run, folder, label));
    close_job(&broken);
    broken = resume_job(&plan, folder);
  }
  check_same(&whole, &broken);
  OK(sfnec_run_discard(folder));
  close_job(&whole);
  close_job(&broken);
}

static const sfnec_run_options four_tasks = {.tasks = 4, .steps = 150};

#define SMALL "capacity=40", "neighbours=5", "key_size=6", "batch=4", "replay=60", "train_every=2"

static void test_resumed_linear(void **state) {
  (void)state;
  const char *const fresh[] = {"embedding=linear", "training=batch", SMALL, NULL};
  const char *const keep[] = {
      "embedding=linear", "training=batch", "embedding_init=keep", "optimizer=adam", SMALL, NULL};
  const char *const frozen[] = {
      "embedding=linear", "training=batch", "embedding_init=frozen", "write=episode", "optimizer=sgd", SMALL, NULL};
  const char *const shared[] = {"embedding=linear", "training=batch", "embedding_init=shared", SMALL, NULL};
  const char *const all[] = {
      "embedding=linear", "training=batch", "td_trains=all", "train_per=transition", SMALL, NULL};
  check_resumed("sfnec", fresh, four_tasks);
  check_resumed("sfnec", all, four_tasks);
  check_resumed("sfnec-authors", all, four_tasks);
  check_resumed("nec", fresh, four_tasks);
  check_resumed("sfnec-plus", keep, four_tasks);
  check_resumed("sfnec", frozen, four_tasks);
  check_resumed("sfnec", shared, four_tasks);
}

static void test_resumed_others(void **state) {
  (void)state;
  const char *const mlp[] = {"embedding=mlp", "training=batch", "kernel=inverse", "hidden=5", SMALL, NULL};
  const char *const conv[] = {"embedding=conv", "training=batch", "layers=dense:7", "optimizer=adam", SMALL, NULL};
  const char *const random[] = {"embedding=random", "w=rls", SMALL, NULL};
  const char *const pca[] = {"embedding=pca", "pca_observations=70", SMALL, NULL};
  const char *const kept[] = {
      "embedding=pca", "pca_observations=200", "embedding_init=keep", "training=batch", SMALL, NULL};
  const char *const replay[] = {"training=batch", SMALL, NULL};
  check_resumed("sfnec", mlp, four_tasks);
  check_resumed("sfnec", conv, four_tasks);
  check_resumed("sfnec", random, four_tasks);
  check_resumed("sfnec", pca, four_tasks);
  check_resumed("sfnec", kept, four_tasks);
  check_resumed("sfnec", replay, four_tasks);
  check_resumed("sfql", mlp, four_tasks); // uses none of it
}

// memories large enough for the fast index to use its codes, with keys that move
static void test_resumed_large(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=linear", "training=batch", "key_size=8", "key_rate=0.1", NULL};
  const plan plan = {"sfnec", settings, {.tasks = 2, .steps = 2500}};
  const int64_t slices[] = {1700, 800, 1234, 5000};
  check_resumed_after(&plan, slices, 4, folder);
}

// ---- the same bits however it is computed ----

enum { TASKS = 3, STEPS = 1500, MOST_SETTINGS = 16 };

// Plays a run and returns its job; the options that must not matter come last.
static job played(const char *preset, const char *const *settings, const char *index, const char *gpi) {
  const char *all[MOST_SETTINGS] = {index, gpi};
  for (int i = 0; settings[i]; i++) all[2 + i] = settings[i];
  const plan plan = {preset, all, {.tasks = TASKS, .steps = STEPS}};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  return j;
}

// Results, and what all policies say along a walk.
static void check_alike(const job *a, const job *b) {
  check_same_results(a->run, b->run);
  const sfnec_env_shape shape = sfnec_agent_get_shape(a->agent);
  const size_t size = (size_t)TASKS * (size_t)shape.action_count * (size_t)sfnec_agent_get_psi_size(a->agent);
  double *x = calloc(size, sizeof *x), *y = calloc(size, sizeof *y);
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  double features[8];
  sfnec_env *env = open_world();
  sfnec_random random = sfnec_random_start(77, 1000);
  sfnec_env_outcome end = {.terminated = true};
  for (int i = 0; i < 150; i++) {
    if (end.terminated || end.truncated) OK(sfnec_env_reset(env, observation));
    OK(sfnec_env_step(env, (int32_t)sfnec_random_below(&random, (uint32_t)shape.action_count), observation, features,
                      &end));
    OK(ask_psi(a->agent, observation, x));
    OK(ask_psi(b->agent, observation, y));
    assert_memory_equal(x, y, size * sizeof *x);
  }
  sfnec_env_destroy(env);
  free(observation);
  free(x);
  free(y);
}

static void check_ways(const char *preset, const char *const *settings) {
  job expected = played(preset, settings, "index=flat", "gpi=full");
  const char *const ways[][2] = {
      {"index=fast", "gpi=full"}, {"index=fast", "gpi=pruned"}, {"index=flat", "gpi=pruned"}};
  for (int i = 0; i < 3; i++) {
    job found = played(preset, settings, ways[i][0], ways[i][1]);
    check_alike(&expected, &found);
    close_job(&found);
  }
  close_job(&expected);
}

static const char *const linear[] = {"embedding=linear", "training=batch", "key_size=8", "key_rate=0.1", NULL},
                         *const mlp[] = {"embedding=mlp",   "training=batch", "key_size=40",  "embedding_init=keep",
                                         "gpi_penalty=0.2", "kernel=inverse", "capacity=300", NULL},
                         *const shared[] = {"embedding=linear", "training=batch", "key_size=8", "embedding_init=shared",
                                            NULL},
                         *const old_keys[] = {"embedding=linear", "training=batch", "key_size=8", "td_trains=all",
                                              NULL},
                         *const conv[] = {"embedding=conv", "training=batch", "embedding_init=keep", NULL},
                         *const pca[] = {"embedding=pca", "embedding_init=frozen", "key_size=4", NULL},
                         *const random_keys[] = {"embedding=random", "training=batch", "w=rls", NULL};

static void test_ways(void **state) {
  (void)state;
  check_ways("sfnec", linear);
  check_ways("sfnec-plus", mlp);
  check_ways("sfnec", shared);
  check_ways("sfnec", old_keys);
  check_ways("sfnec", conv);
  check_ways("sfnec", pca);
  check_ways("sfnec", random_keys);
}

static void test_levels(void **state) {
  (void)state;
  const char *const *const all[] = {linear, mlp, conv};
  for (int s = 0; s < 3; s++) {
    assert_int_equal(setenv("SFNEC_SIMD", sfnec_simd_at(0)->name, 1), 0);
    job expected = played("sfnec", all[s], "index=fast", "gpi=pruned");
    for (size_t i = 1; sfnec_simd_at(i); i++) {
      assert_int_equal(setenv("SFNEC_SIMD", sfnec_simd_at(i)->name, 1), 0);
      job found = played("sfnec", all[s], "index=fast", "gpi=pruned");
      check_alike(&expected, &found);
      close_job(&found);
    }
    close_job(&expected);
  }
  unsetenv("SFNEC_SIMD");
}

// ---- old policies ----

// The keys of policy 0 do not change while later tasks are trained; nor does what it says, if its embedding is its own.
static void check_old_keys(const char *init, bool own) {
  const char *const settings[] = {"embedding=linear", "training=batch", "policies=own", "key_size=8", init, NULL};
  const plan plan = {"sfnec", settings, {.tasks = 2, .steps = 800}};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, 800));
  const sfnec_env_shape shape = sfnec_agent_get_shape(j.agent);
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  sfnec_env *env = open_world();
  OK(sfnec_env_reset(env, observation));
  sfnec_memory_view before[5], after[5];
  float keys[5][8];
  double psi[2][2 * 4 * 4];
  size_t count;
  OK(ask_memories(j.agent, observation, 0, 1, 5, before, &count));
  assert_int_equal(count, 5);
  for (int i = 0; i < 5; i++) memcpy(keys[i], before[i].key, sizeof keys[i]);
  OK(ask_psi(j.agent, observation, psi[0]));
  OK(sfnec_run_advance(j.run, INT64_MAX));
  OK(ask_memories(j.agent, observation, 0, 1, 5, after, &count));
  for (int i = 0; i < 5; i++) {
    if (own) assert_memory_equal(keys[i], after[i].key, sizeof keys[i]);
    assert_true((before[i].distance == after[i].distance) == own);
  }
  OK(ask_psi(j.agent, observation, psi[1]));
  assert_true((memcmp(psi[0], psi[1], 16 * sizeof(double)) == 0) == own);
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(j.agent, 1, &info));
  assert_true(info.trained > 100 && info.skipped == 0);
  sfnec_env_destroy(env);
  free(observation);
  close_job(&j);
}

static void test_old_policies(void **state) {
  (void)state;
  check_old_keys("embedding_init=fresh", true);
  check_old_keys("embedding_init=keep", true);
  check_old_keys("embedding_init=frozen", true);
  check_old_keys("embedding_init=shared", false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_resumed_linear, wipe, wipe),
      cmocka_unit_test_setup_teardown(test_resumed_others, wipe, wipe),
      cmocka_unit_test_setup_teardown(test_resumed_large, wipe, wipe),
      cmocka_unit_test(test_ways),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_old_policies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
