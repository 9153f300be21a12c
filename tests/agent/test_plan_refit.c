// test_plan_refit.c: a model is made again beside the present one, a little at each step; an agent that is saved in the
// middle of it goes on as the other does, and one that forgets rewards meanwhile makes it of what is left.
#include "support/tiny.h"

#include <math.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "sfnec/random.h"

enum { WAYS = 4, MOST = 60 }; // steps of an episode

// A square with a goal in a corner; steps are of random length, and those of a number become much larger later, so that
// its scale is stale.
static int run(sfnec_agent *agent, int steps, uint64_t seed) {
  sfnec_random random = sfnec_random_start(seed, 79);
  int refits = 0;
  for (int step = 0; step < steps;) {
    float at[2] = {0.2f, 0.2f};
    OK(sfnec_agent_begin_episode(agent));
    bool there = false;
    for (int t = 0; t < MOST && step < steps && !there; t++, step++) {
      sfnec_transition moved = {.next_observation = at};
      OK(sfnec_agent_act(agent, at, &moved.action));
      const float far = 0.05f + 0.05f * (float)sfnec_random_uniform(&random);
      float *number = &at[moved.action / 2];
      *number = fminf(fmaxf(*number + (moved.action % 2 ? -far : far), 0), moved.action / 2 && step > 150 ? 3 : 1);
      there = at[0] > 0.8f && at[1] > 0.8f;
      const double features[FEATURES] = {there, -0.01};
      moved.features = features;
      moved.reward = features[0] + features[1];
      moved.terminated = there, moved.truncated = !there && t + 1 == MOST;
      OK(sfnec_agent_observe(agent, &moved));
      refits += agent->planner->refit != NULL;
    }
    OK(sfnec_agent_end_episode(agent));
  }
  return refits;
}

static sfnec_agent *agent_with(const char *const *settings) {
  const double both[FEATURES] = {1, 1};
  const sfnec_env_shape shape = {.observation_size = 2, .action_count = WAYS, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 5);
  const bool predicts = sfnec_agent_get_options(agent)->predict == SFNEC_PREDICT_REWARD;
  OK(sfnec_agent_begin_task(agent, predicts ? NULL : both, NULL));
  return agent;
}

// A budget of a few backups makes refits long enough to be met.
static const char *const slow[] = {"terminal=zero", "step_backups=600", NULL};

static void test_loaded(void **state) {
  (void)state;
  int met = 0, first = 0;
  for (int steps = 100; steps <= 1000; steps += steps < 160 ? 4 : 23) {
    sfnec_agent *agent = agent_with(slow), *copy = NULL;
    run(agent, steps, 2);
    met += agent->planner->refit != NULL;
    first += agent->planner->refit && !agent->planner->model.fitted;
    OK(sfnec_agent_save(agent, "half.agent"));
    OK(sfnec_agent_load("half.agent", &copy));
    assert_true((copy->planner->refit != NULL) == (agent->planner->refit != NULL));
    run(agent, 150, 3);
    run(copy, 150, 3);
    OK(sfnec_agent_save(agent, "whole.agent"));
    OK(sfnec_agent_save(copy, "copy.agent"));
    assert_true(same_files("whole.agent", "copy.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(copy);
  }
  assert_true(met > 15 && first > 3);
}

// Runs until a refit is under way that makes not the first model.
static void begin_refit(sfnec_agent *agent) {
  for (uint64_t seed = 3; !agent->planner->refit || !agent->planner->model.fitted; seed++) {
    assert_true(seed < 1000);
    run(agent, 1, seed);
  }
}

// What the agent learns while a refit is under way is in both models.
static void test_nothing_is_lost(void **state) {
  (void)state;
  static const char *const settings[] = {"terminal=zero", "step_backups=600", "samples=100", NULL};
  sfnec_agent *agent = agent_with(settings);
  begin_refit(agent);
  const sfnec_model *model = &agent->planner->model;
  int64_t steps = agent->planner->steps;
  for (uint64_t seed = 1000; agent->planner->refit; seed++, steps++) run(agent, 1, seed);
  int64_t known = 0;
  for (uint32_t s = 0; s < model->sample_count; s++) known += model->samples[s].count;
  assert_true(known == steps);
  assert_true(model->scaling.seen == steps);
  sfnec_agent_destroy(agent);
}

// A walk in a square, seen by twenty sensors with noise, by linear functions of it or others.
enum { SENSORS = 20 };

static void sense(const double *at, bool linear, double noise, sfnec_random *random, float *seen) {
  for (int i = 0; i < SENSORS; i++) {
    const double from[2] = {at[0] - 0.25 * (i % 5), at[1] - 0.33 * (i / 5)};
    const double bent = exp(-4 * (from[0] * from[0] + from[1] * from[1]));
    const double straight = cos(0.6 * i) * at[0] + sin(0.6 * i) * at[1];
    seen[i] = (float)((linear ? straight : bent) + noise * sfnec_random_normal(random));
  }
}

static void sensed_run(sfnec_agent *agent, int steps, bool linear, double noise, uint64_t seed) {
  sfnec_random random = sfnec_random_start(seed, 81);
  double at[2] = {0.2, 0.2};
  float here[SENSORS], next[SENSORS];
  sense(at, linear, noise, &random, here);
  OK(sfnec_agent_begin_episode(agent));
  for (int step = 0; step < steps; step++) {
    sfnec_transition moved = {.next_observation = next};
    OK(sfnec_agent_act(agent, here, &moved.action));
    double *number = &at[moved.action / 2];
    const double far = 0.05 + 0.05 * sfnec_random_uniform(&random);
    *number = fmin(fmax(*number + (moved.action % 2 ? -far : far), 0), 1);
    sense(at, linear, noise, &random, next);
    const double features[FEATURES] = {at[0] > 0.9 && at[1] > 0.9, -0.01};
    moved.features = features;
    moved.reward = features[0] + features[1];
    OK(sfnec_agent_observe(agent, &moved));
    memcpy(here, next, sizeof here);
  }
  OK(sfnec_agent_end_episode(agent));
}

// Noise is looked for in slices, beside the present model and for the next one; an agent that is saved in between goes
// on as the other does.
static void test_search(void **state) {
  (void)state;
  static const char *const settings[] = {"step_backups=600", "backups=100", "relevance=off", NULL};
  const sfnec_env_shape shape = {.observation_size = SENSORS, .action_count = WAYS, .feature_count = FEATURES};
  int met = 0, projected = 0;
  for (int steps = 110; steps <= 3260; steps += steps == 158 ? 3044 : 6) { // at 200, 400, ... all is looked at
    sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 5), *copy = NULL;
    const double both[FEATURES] = {1, 1};
    OK(sfnec_agent_begin_task(agent, both, NULL));
    sensed_run(agent, steps, false, 0, 2);
    met += agent->planner->search != NULL;
    OK(sfnec_agent_save(agent, "half.agent"));
    OK(sfnec_agent_load("half.agent", &copy));
    assert_true((copy->planner->search != NULL) == (agent->planner->search != NULL));
    sensed_run(agent, 500, false, 0.1, 3);
    sensed_run(copy, 500, false, 0.1, 3);
    projected += agent->planner->model.noise.rank > 0 && agent->planner->model.projects;
    OK(sfnec_agent_save(agent, "whole.agent"));
    OK(sfnec_agent_save(copy, "copy.agent"));
    assert_true(same_files("whole.agent", "copy.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(copy);
  }
  assert_true(met > 5 && projected > 5);
}

// The slices that are left of a search until it is done.
static int finish(sfnec_noise_search *search) {
  for (int slices = 1;; slices++) {
    int64_t backups = 500;
    if (sfnec_noise_continue(search, &backups)) return slices;
  }
}

// However it is cut, and saved in between, a search finds the same, as late.
static void test_search_loaded(void **state) {
  (void)state;
  static const char *const settings[] = {"backups=100", "relevance=off", NULL};
  const sfnec_env_shape shape = {.observation_size = SENSORS, .action_count = WAYS, .feature_count = FEATURES};
  const double both[FEATURES] = {1, 1};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 5);
  OK(sfnec_agent_begin_task(agent, both, NULL));
  sensed_run(agent, 600, true, 0.05, 2);
  const sfnec_model *model = &agent->planner->model;
  sfnec_noise_search *whole = NULL;
  OK(sfnec_noise_begin(&model->scaling, model->log, &whole));
  int64_t enough = INT64_MAX;
  assert_true(sfnec_noise_continue(whole, &enough));
  const sfnec_key_noise found = sfnec_noise_found(whole);
  assert_true(found.rank > 0 && found.squared > 0);
  sfnec_noise_restart(whole);
  const int slices = finish(whole);
  assert_true(slices > 20);
  for (int before = 1; before < slices; before += before < 4 ? 1 : 5) {
    sfnec_noise_search *search = NULL, *copy = NULL;
    OK(sfnec_noise_begin(&model->scaling, model->log, &search));
    for (int i = 0; i < before; i++) {
      int64_t backups = 500;
      assert_false(sfnec_noise_continue(search, &backups));
    }
    sfnec_writer *writer = NULL;
    sfnec_reader *reader = NULL;
    unsigned char *bytes = NULL;
    size_t size;
    OK(sfnec_writer_open_memory("SFNECTST", 1, &writer));
    sfnec_noise_save(search, writer);
    OK(sfnec_writer_take(writer, &bytes, &size));
    OK(sfnec_reader_open_memory(bytes, size, "SFNECTST", 1, "a search", &reader));
    OK(sfnec_noise_load(reader, SENSORS, &copy));
    assert_int_equal(finish(search), slices - before);
    assert_int_equal(finish(copy), slices - before);
    assert_true(sfnec_noise_found(search).rank == found.rank && sfnec_noise_found(search).squared == found.squared);
    assert_true(sfnec_noise_found(copy).rank == found.rank && sfnec_noise_found(copy).squared == found.squared);
    sfnec_reader_close(reader);
    sfnec_agent_free_bytes(bytes);
    sfnec_noise_destroy(search);
    sfnec_noise_destroy(copy);
  }
  sfnec_noise_destroy(whole);
  sfnec_agent_destroy(agent);
}

// A task with other rewards begins in the middle of a refit, which then begins again.
static void test_forgotten(void **state) {
  (void)state;
  static const char *const settings[] = {"terminal=zero", "step_backups=600", "predict=reward", NULL};
  sfnec_agent *agent = agent_with(settings);
  begin_refit(agent);
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  assert_null(agent->planner->refit);
  assert_true(run(agent, 400, 4) > 10);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loaded),        cmocka_unit_test(test_nothing_is_lost), cmocka_unit_test(test_search),
      cmocka_unit_test(test_search_loaded), cmocka_unit_test(test_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
