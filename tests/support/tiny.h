// tiny.h: agents in a world of four states and two actions whose observations are one-hot, driven by hand.
//
// The test says in which state the agent is, which action was taken and what followed, so that every number in the
// agent's memories can be worked out on paper.
#ifndef SFNEC_TESTS_SUPPORT_TINY_H
#define SFNEC_TESTS_SUPPORT_TINY_H

#include "support/check.h"

#include "sfnec/agent.h"

enum { STATES = 4, ACTIONS = 2, FEATURES = 2 };
enum { GOES_ON, TERMINATES, TRUNCATES };

static const float states[STATES][STATES] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
static const sfnec_env_shape tiny_shape = {
    .observation_size = STATES, .action_count = ACTIONS, .feature_count = FEATURES};

// Options of a preset with settings ("key=value", NULL-terminated, or NULL) on top.
static inline sfnec_agent_options options_of(const char *preset, const char *const *settings) {
  sfnec_agent_options options;
  OK(sfnec_agent_options_preset(preset, &options));
  for (size_t i = 0; settings && settings[i]; i++) {
    OK(sfnec_options_assign(sfnec_agent_option_set(), &options, settings[i]));
  }
  return options;
}

static inline sfnec_agent *agent_for(const sfnec_env_shape *shape, const char *preset, const char *const *settings,
                                     uint64_t seed) {
  const sfnec_agent_options options = options_of(preset, settings);
  sfnec_agent *agent = NULL;
  OK(sfnec_agent_create(shape, &options, seed, &agent));
  return agent;
}

static inline sfnec_agent *tiny_agent(const char *preset, const char *const *settings) {
  return agent_for(&tiny_shape, preset, settings, 1);
}

static inline sfnec_scratch *scratch_for(const sfnec_agent *agent) {
  sfnec_scratch *scratch = NULL;
  OK(sfnec_scratch_create(agent, &scratch));
  return scratch;
}

// Questions by a fresh scratch each.
static inline sfnec_status ask_choose(const sfnec_agent *agent, const float *at, const double *w,
                                      sfnec_choice *choice) {
  sfnec_scratch *scratch = scratch_for(agent);
  const sfnec_status status = sfnec_agent_choose(agent, scratch, at, w, choice);
  sfnec_scratch_destroy(scratch);
  return status;
}

static inline sfnec_status ask_psi(const sfnec_agent *agent, const float *at, double *psi) {
  sfnec_scratch *scratch = scratch_for(agent);
  const sfnec_status status = sfnec_agent_ask_psi(agent, scratch, at, psi);
  sfnec_scratch_destroy(scratch);
  return status;
}

static inline sfnec_status ask_q(const sfnec_agent *agent, const float *at, const double *w, double *q) {
  sfnec_scratch *scratch = scratch_for(agent);
  const sfnec_status status = sfnec_agent_ask_q(agent, scratch, at, w, q);
  sfnec_scratch_destroy(scratch);
  return status;
}

static inline sfnec_status ask_memories(const sfnec_agent *agent, const float *at, uint32_t task, int32_t action,
                                        size_t most, sfnec_memory_view *views, size_t *count) {
  sfnec_scratch *scratch = scratch_for(agent);
  const sfnec_status status = sfnec_agent_ask_memories(agent, scratch, at, task, action, most, views, count);
  sfnec_scratch_destroy(scratch);
  return status;
}

// What followed the last act: `action` in place of the agent's choice, features (a, b), reward a + b.
static inline void follow(sfnec_agent *agent, int action, double a, double b, int next, int end) {
  const double features[FEATURES] = {a, b};
  const sfnec_transition transition = {.action = action,
                                       .features = features,
                                       .reward = a + b,
                                       .next_observation = states[next],
                                       .terminated = end == TERMINATES,
                                       .truncated = end == TRUNCATES};
  OK(sfnec_agent_observe(agent, &transition));
}

// One transition from a state: the agent acts there, and `follow` says what came of it. Returns the agent's choice.
static inline sfnec_choice go(sfnec_agent *agent, int from, int action, double a, double b, int next, int end) {
  int32_t chosen;
  sfnec_choice choice;
  OK(sfnec_agent_act(agent, states[from], &chosen));
  OK(sfnec_agent_get_last_choice(agent, &choice));
  assert_int_equal(choice.action, chosen);
  follow(agent, action, a, b, next, end);
  return choice;
}

// The number of entries that a policy has, and those of one action (found by asking for all of them).
static inline int64_t entries_of(const sfnec_agent *agent, uint32_t task) {
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(agent, task, &info));
  return info.entries;
}

// The stored value of one entry: the memory whose key is the state itself. False if there is none.
static inline bool stored(sfnec_agent *agent, uint32_t task, int at, int action, double value[FEATURES]) {
  sfnec_memory_view views[8];
  size_t count;
  OK(ask_memories(agent, states[at], task, action, 8, views, &count));
  if (count == 0 || views[0].distance != 0.0) return false;
  assert_memory_equal(views[0].key, states[at], sizeof states[at]);
  for (int f = 0; f < sfnec_agent_get_psi_size(agent); f++) value[f] = (double)views[0].psi[f];
  return true;
}

// The entry exists and holds (a, b), to float precision.
static inline void check_stored(sfnec_agent *agent, uint32_t task, int at, int action, double a, double b) {
  double value[FEATURES];
  if (!stored(agent, task, at, action, value)) fail_msg("no entry for state %d, action %d", at, action);
  NEAR(value[0], a, 2e-7);
  if (sfnec_agent_get_psi_size(agent) > 1) NEAR(value[1], b, 2e-7);
}

static inline void check_absent(sfnec_agent *agent, uint32_t task, int at, int action) {
  double value[FEATURES];
  assert_false(stored(agent, task, at, action, value));
}

#endif
