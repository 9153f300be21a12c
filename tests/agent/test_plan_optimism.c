// test_plan_optimism.c: an agent that knows no reward explores everything that it can reach; and one that has earned
// something takes the best way that it knows from time to time, as in many dimensions novelty never runs out.
#include "support/tiny.h"

#include <math.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "sfnec/random.h"

enum { MOST = 200, NUMBERS = 6 }; // steps of an episode, and of a state

// Two actions for each number walk about a step, up and down; a third one of all stays. The good end is where the first
// number is large.
typedef struct world {
  int numbers;
  float end;
  double paid;
  double walked, stayed; // what it costs
} world;

static const world way = {1, 12, 1, -0.02, -0.005};
static const world wide = {NUMBERS, 5, 1, 0, 0};
static const world poor = {NUMBERS, 5, 0, 0, 0};
static const world costly = {1, 20, 0, -0.02, -0.005};

// The ends that an agent came to, and its steps: while it explored, and while it exploited.
typedef struct life {
  int ends[2], steps[2];
} life;

static life live(const world *in, sfnec_agent *agent, int steps, uint64_t seed) {
  sfnec_random random = sfnec_random_start(seed, 77);
  life all = {{0}, {0}};
  for (int step = 0; step < steps;) {
    float at[NUMBERS] = {0};
    OK(sfnec_agent_begin_episode(agent));
    bool there = false;
    for (int t = 0; t < MOST && step < steps && !there; t++, step++) {
      const bool exploits = agent->planner->values.exploits;
      sfnec_transition moved = {.next_observation = at};
      OK(sfnec_agent_act(agent, at, &moved.action));
      const int number = moved.action / 2;
      const float far = 0.5f + 0.5f * (float)sfnec_random_uniform(&random);
      const bool walks = number < in->numbers;
      if (walks) at[number] = fminf(fmaxf(at[number] + (moved.action % 2 == 0 ? far : -far), 0), 13);
      there = at[0] >= in->end;
      const double features[FEATURES] = {there ? in->paid : 0, walks ? in->walked : in->stayed};
      moved.features = features;
      moved.reward = features[0] + features[1];
      moved.terminated = there, moved.truncated = !there && t + 1 == MOST;
      OK(sfnec_agent_observe(agent, &moved));
      all.ends[exploits] += there;
      all.steps[exploits]++;
    }
  }
  OK(sfnec_agent_end_episode(agent));
  return all;
}

static sfnec_agent *agent_in(const world *in, const char *setting, uint64_t seed) {
  const double both[FEATURES] = {1, 1};
  const sfnec_env_shape shape = {
      .observation_size = (size_t)in->numbers, .action_count = 2 * in->numbers + 1, .feature_count = FEATURES};
  const char *const settings[] = {"terminal=zero", "gamma=0.98", setting, NULL};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, seed);
  OK(sfnec_agent_begin_task(agent, both, NULL));
  return agent;
}

// ---- stuck ----

// To stay seems best until the end was seen once; an agent that knows no reward goes to see what is there.
static void test_stuck(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    sfnec_agent *agent = agent_in(&way, NULL, seed);
    live(&way, agent, 2000, seed);
    assert_true(live(&way, agent, 1000, seed + 100).ends[0] > 40);
    sfnec_agent_destroy(agent);
  }
}

// ---- lost ----

// Six numbers are more than can be seen in a life. An agent that explores forgets about the end, so it exploits, and
// soon finds the end again and again.
static void test_lost(void **state) {
  (void)state;
  life all = {{0}, {0}};
  for (uint64_t seed = 1; seed <= 5; seed++) {
    sfnec_agent *agent = agent_in(&wide, NULL, seed);
    const life each = live(&wide, agent, 4000, seed);
    for (int i = 0; i < 2; i++) all.ends[i] += each.ends[i], all.steps[i] += each.steps[i];
    sfnec_agent_destroy(agent);
  }
  assert_true(all.steps[0] > 5 * 1500 && all.steps[1] > 5 * 500);
  assert_true(all.ends[1] * all.steps[0] > 10 * all.ends[0] * all.steps[1]);
  assert_true(all.ends[1] > all.steps[1] / 30);
}

// What never earned anything has no way to exploit; nor has a reward that is predicted itself, when it is another one.
static void test_nothing_to_exploit(void **state) {
  (void)state;
  sfnec_agent *agent = agent_in(&poor, NULL, 1);
  assert_int_equal(live(&poor, agent, 2000, 1).steps[1], 0);
  sfnec_agent_destroy(agent);
  agent = agent_in(&wide, "predict=reward", 1);
  for (uint64_t seed = 1; !agent->planner->values.exploits; seed++) {
    assert_true(seed < 100);
    live(&wide, agent, 100, seed);
  }
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  assert_int_equal(live(&poor, agent, 2000, 1).steps[1], 0);
  sfnec_agent_destroy(agent);
}

// ---- files ----

// Also when it is stuck, or lost, a loaded agent goes on as the other does. Returns how often it was.
static int check_loaded(const world *in, int first, int last, int apart) {
  int times = 0;
  for (int steps = first; steps <= last; steps += apart) {
    sfnec_agent *agent = agent_in(in, NULL, 2), *copy = NULL;
    live(in, agent, steps, 2);
    times += agent->planner->values.optimism > 1.0f || agent->planner->values.exploits;
    OK(sfnec_agent_save(agent, "half.agent"));
    OK(sfnec_agent_load("half.agent", &copy));
    live(in, agent, 300, 3);
    live(in, copy, 300, 3);
    OK(sfnec_agent_save(agent, "whole.agent"));
    OK(sfnec_agent_save(copy, "copy.agent"));
    assert_true(same_files("whole.agent", "copy.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(copy);
  }
  return times;
}

static void test_loaded(void **state) {
  (void)state;
  assert_true(check_loaded(&costly, 300, 900, 200) > 2);
  assert_true(check_loaded(&wide, 1600, 3600, 400) > 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stuck),
      cmocka_unit_test(test_lost),
      cmocka_unit_test(test_nothing_to_exploit),
      cmocka_unit_test(test_loaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
