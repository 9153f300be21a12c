// navigation.c: a robot that plans its way from a noisy pose, and how long its slowest step takes.
//
// The world never ends: at the goal a feature fires, and the robot stands at the start again. So there is one episode,
// and what counts is how often the goal is reached. Arguments are the number of steps and options of the world:
//
//   cc navigation.c $(pkg-config --cflags --libs sfnec) && ./a.out 50000 pose_noise=0.0025 move_cost=1 stop_cost=0.8
//
// `sfnec list options --env navigation` lists the options.
#define _POSIX_C_SOURCE 200809L // clock_gettime NOLINT(bugprone-reserved-identifier)
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sfnec/sfnec.h"

enum { POSE = 2, GOAL = 0, FEATURES = 3, SEED = 1, STEPS = 2000, REPORTS = 5 };

typedef struct drive {
  sfnec_agent *agent;
  sfnec_env *env;
  double w[FEATURES];
  float pose[POSE];
  long goals;
  double slowest; // seconds that the agent took for a step
} drive;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sfnec_status set_up(drive *d, const char *const *settings) {
  sfnec_agent_options options;
  sfnec_status status = sfnec_env_create(sfnec_env_kind_find("navigation"), settings, SEED, &d->env);
  if (!status) status = sfnec_agent_options_preset("sfnec-plan", &options);
  if (status) return status;
  const sfnec_env_shape shape = sfnec_env_get_shape(d->env);
  status = sfnec_agent_create(&shape, &options, SEED, &d->agent);
  sfnec_env_get_task_weights(d->env, 0, d->w);
  if (!status) status = sfnec_agent_begin_task(d->agent, d->w, NULL);
  if (!status) status = sfnec_env_reset(d->env, d->pose);
  return status ? status : sfnec_agent_begin_episode(d->agent);
}

static sfnec_status step(drive *d) {
  float next[POSE];
  double features[FEATURES], reward = 0;
  int32_t action = 0;
  sfnec_env_outcome outcome = {.terminated = false};
  const double start = seconds();
  sfnec_status status = sfnec_agent_act(d->agent, d->pose, &action);
  const double acted = seconds();
  if (!status) status = sfnec_env_step(d->env, action, next, features, &outcome);
  if (status) return status;
  for (int f = 0; f < FEATURES; f++) reward += features[f] * d->w[f];
  const sfnec_transition transition = {
      .action = action, .features = features, .reward = reward, .next_observation = next};
  const double moved = seconds();
  status = sfnec_agent_observe(d->agent, &transition);
  const double took = seconds() - moved + acted - start;
  if (took > d->slowest) d->slowest = took;
  if (features[GOAL] > 0) d->goals++;
  for (int i = 0; i < POSE; i++) d->pose[i] = next[i];
  return status;
}

int main(int argc, char **argv) {
  drive d = {.agent = NULL};
  const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : STEPS;
  // argv ends with NULL, as a list of settings does
  sfnec_status status = set_up(&d, argc > 2 ? (const char *const *)argv + 2 : NULL);
  printf("  steps   goals  slowest step\n");
  for (long i = 1; i <= steps && !status; i++) {
    status = step(&d);
    if (!status && (i % (steps / REPORTS + 1) == 0 || i == steps))
      printf("%7ld %7ld  %9.1f ms\n", i, d.goals, 1e3 * d.slowest);
  }
  if (status) fprintf(stderr, "navigation: %s\n", sfnec_last_error());
  sfnec_agent_destroy(d.agent);
  sfnec_env_destroy(d.env);
  return status ? 1 : 0;
}
