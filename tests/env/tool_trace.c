// tool_trace ENV STEPS SEED [KEY=VALUE...]: prints episodes of cartpole or four_rooms_grid for the parity scripts.
//
// One line per event, all numbers exact (hexadecimal floats):
//   reset S...              the state at the start of an episode
//   step A S... F... T U    the action, the state and the features after it, terminated, truncated
// S are cartpole's four doubles, and the observation of other worlds. Three manners take turns, so that all ends occur:
// actions at random; keeping the pole up, or walking towards the goal; keeping the pole up while the cart leaves the
// track. The last two also act at random now and then. At least STEPS steps, to the end of an episode.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/cartpole.h"
#include "env/four_rooms_grid.h"
#include "sfnec/env.h"

enum { MOST_FLOATS = 256, MOST_FEATURES = 8 };
enum { RANDOM, STEADY, DRIFTING, MANNERS };

typedef struct tracer {
  sfnec_env *env;
  sfnec_env_shape shape;
  sfnec_random random;
  float observation[MOST_FLOATS];
  int32_t action;
} tracer;

static int give_up(const char *message) {
  fprintf(stderr, "tool_trace: %s\n", message);
  return 1;
}

static bool is_cartpole(const tracer *t) {
  return strcmp(sfnec_env_get_kind(t->env)->name, "cartpole") == 0;
}

// The doubles behind the observation, from the end of the saved bytes, where a kind has its own state.
static sfnec_cartpole_state cart(const tracer *t) {
  sfnec_cartpole_state state;
  char bytes[256];
  sfnec_env_get_state(t->env, bytes);
  memcpy(&state, bytes + sfnec_env_get_state_size(t->env) - sizeof state, sizeof state);
  return state;
}

static void print_state(const tracer *t) {
  if (is_cartpole(t)) {
    sfnec_cartpole_state s = cart(t);
    printf(" %a %a %a %a", s.x, s.x_dot, s.theta, s.theta_dot);
  } else {
    for (int32_t i = 0; i < t->shape.observation_size; i++) printf(" %a", (double)t->observation[i]);
  }
}

// Balances the pole; keeps the cart near the middle, or lets it drift away from there.
static int32_t balance(const tracer *t, int manner) {
  sfnec_cartpole_state s = cart(t);
  double pull = manner == STEADY ? s.x + 1.6 * s.x_dot : 1.6 * (s.x_dot - (s.x > 0 ? 0.5 : -0.5));
  return pull + 18 * s.theta + 4 * s.theta_dot > 0 ? SFNEC_CARTPOLE_RIGHT : SFNEC_CARTPOLE_LEFT;
}

static int32_t choose_on_purpose(tracer *t, int manner) {
  if (is_cartpole(t)) return balance(t, manner);
  return sfnec_random_below(&t->random, 2) ? SFNEC_GRID_UP : SFNEC_GRID_RIGHT;
}

static int32_t choose(tracer *t, int manner) {
  if (manner != RANDOM && sfnec_random_uniform(&t->random) < 0.6) return choose_on_purpose(t, manner);
  // straight runs reach the far corners
  if (!is_cartpole(t) && sfnec_random_uniform(&t->random) < 0.5) return t->action;
  return (int32_t)sfnec_random_below(&t->random, (uint32_t)t->shape.action_count);
}

// Prints one episode; returns its length.
static long trace_episode(tracer *t, int manner) {
  sfnec_env_outcome outcome = {.terminated = false};
  long steps = 0;
  sfnec_env_reset(t->env, t->observation);
  printf("reset");
  print_state(t);
  printf("\n");
  while (!outcome.terminated && !outcome.truncated) {
    double features[MOST_FEATURES];
    t->action = choose(t, manner);
    if (sfnec_env_step(t->env, t->action, t->observation, features, &outcome)) break;
    printf("step %d", t->action);
    print_state(t);
    for (int32_t i = 0; i < t->shape.feature_count; i++) printf(" %a", features[i]);
    printf(" %d %d\n", outcome.terminated, outcome.truncated);
    steps++;
  }
  return steps;
}

int main(int argc, char **argv) {
  if (argc < 4) return give_up("needs an environment, a number of steps and a seed");
  const long wanted = strtol(argv[2], NULL, 10);
  const uint64_t seed = strtoull(argv[3], NULL, 10);
  tracer t = {.random = sfnec_random_start(seed, 1000)};
  if (sfnec_env_create(sfnec_env_kind_find(argv[1]), (const char *const *)argv + 4, seed, &t.env)) {
    return give_up(sfnec_last_error());
  }
  t.shape = sfnec_env_get_shape(t.env);
  const bool fits = t.shape.observation_size <= MOST_FLOATS && t.shape.feature_count <= MOST_FEATURES &&
                    sfnec_env_get_max_episode_steps(t.env) > 0;
  long steps = 0;
  for (int episode = 0; fits && steps < wanted; episode++) steps += trace_episode(&t, episode % MANNERS);
  sfnec_env_destroy(t.env);
  return fits ? 0 : give_up("the environment is too large, or its episodes may never end");
}
