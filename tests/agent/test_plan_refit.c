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
  const sfnec_env_shape shape = {2, WAYS, FEATURES};
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
      cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_nothing_is_lost),
      cmocka_unit_test(test_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
