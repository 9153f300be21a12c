// player.h: an agent in an environment, advanced by half steps (acting, observing), so that a test can stop anywhere.
//
// A new task begins every `per_task` transitions. Episodes are cut short and objects and goal are easy to reach, so
// that a run of a few hundred steps meets features, terminated, truncated and abandoned episodes.
#ifndef SFNEC_TESTS_SUPPORT_PLAYER_H
#define SFNEC_TESTS_SUPPORT_PLAYER_H

#include "support/tiny.h"

typedef struct player {
  sfnec_agent *agent;
  sfnec_scratch *scratch; // for questions
  sfnec_env *env;
  int64_t per_task, steps;
  uint32_t tasks;
  bool running, acted;
  int32_t action;
  double w[8], features[8];
  float observation[128];
  uint64_t trace; // a hash of every action so far
  int64_t goals, cuts;
  double picked; // features met
} player;

static const char *const short_episodes[] = {"max_episode_steps=17", "step_mean=0.1", "pickup_radius=0.3",
                                             "goal_radius=0.7", NULL};

static inline sfnec_env *open_env(const char *name, const char *const *settings, uint64_t seed) {
  sfnec_env *env = NULL;
  OK(sfnec_env_create(sfnec_env_kind_find(name), settings, seed, &env));
  return env;
}

static inline player open_player(const char *env, const char *preset, const char *const *settings, uint64_t seed) {
  player p = {.env = open_env(env, short_episodes, seed), .per_task = 60};
  const sfnec_env_shape shape = sfnec_env_get_shape(p.env);
  p.agent = agent_for(&shape, preset, settings, seed);
  p.scratch = scratch_for(p.agent);
  return p;
}

static inline void close_player(player *p) {
  sfnec_scratch_destroy(p->scratch);
  sfnec_agent_destroy(p->agent);
  sfnec_env_destroy(p->env);
}

static inline void begin_if_needed(player *p) {
  if (p->steps == p->per_task * (int64_t)p->tasks) {
    OK(sfnec_agent_end_episode(p->agent));
    p->running = false;
    sfnec_env_get_task_weights(p->env, p->tasks++, p->w);
    const bool given = sfnec_agent_get_options(p->agent)->w == SFNEC_W_GIVEN;
    OK(sfnec_agent_begin_task(p->agent, given ? p->w : NULL, NULL));
  }
  if (!p->running) {
    OK(sfnec_env_reset(p->env, p->observation));
    OK(sfnec_agent_begin_episode(p->agent));
    p->running = true;
  }
}

static inline sfnec_transition next_transition(player *p, float *following) {
  sfnec_env_outcome outcome;
  OK(sfnec_env_step(p->env, p->action, following, p->features, &outcome));
  double reward = 0;
  for (int32_t f = 0; f < sfnec_env_get_shape(p->env).feature_count; f++) {
    reward += p->features[f] * p->w[f];
    p->picked += p->features[f];
  }
  p->goals += outcome.terminated;
  p->cuts += outcome.truncated;
  return (sfnec_transition){.action = p->action,
                            .features = p->features,
                            .reward = reward,
                            .next_observation = following,
                            .terminated = outcome.terminated,
                            .truncated = outcome.truncated};
}

static inline void half_step(player *p) {
  if (!p->acted) {
    begin_if_needed(p);
    OK(sfnec_agent_act(p->agent, p->observation, &p->action));
    p->acted = true;
    p->trace = p->trace * 31 + (uint64_t)p->action + 1;
    return;
  }
  float following[128];
  const sfnec_transition transition = next_transition(p, following);
  OK(sfnec_agent_observe(p->agent, &transition));
  memcpy(p->observation, following, sizeof following);
  p->acted = false;
  p->steps++;
  if (transition.terminated || transition.truncated) p->running = false;
}

static inline void play(player *p, int half_steps) {
  for (int i = 0; i < half_steps; i++) half_step(p);
}

#endif
