// deadline.c: a controller that has to answer in time: it acts at once, plans until its tick is over, and hands a
// snapshot to whoever acts elsewhere.
//
// The world is continuous and noisy, and never ends (navigation). With a small step_backups acting and observing take
// little time; what is left of a tick goes to sfnec_agent_plan, slice by slice, until the deadline. Then a copy of the
// agent (sfnec_agent_clone) plays without learning, and gets feedback (sfnec_agent_tell): another thread could do that
// while the agent learns on. The first 100 actions of an agent that plans are random: there is no model yet.
//
//   cc deadline.c $(pkg-config --cflags --libs sfnec) && ./a.out
#define _POSIX_C_SOURCE 200809L // clock_gettime NOLINT(bugprone-reserved-identifier)
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sfnec/sfnec.h"

enum { POSE = 2, GOAL = 0, FEATURES = 3, TICKS = 3000, PLAYED = 500, SLICE = 500 };
static const double TICK = 0.0005; // seconds from an observation to the next one

typedef struct host {
  sfnec_env *env;
  sfnec_agent *agent;
  double w[FEATURES];
  float pose[POSE];
  double slowest; // seconds to an action, or to take in what followed
  int64_t spare;  // backups made in what was left of ticks
} host;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void note(host *h, double since) {
  const double took = seconds() - since;
  if (took > h->slowest) h->slowest = took;
}

static sfnec_status set_up(host *h) {
  static const char *const world[] = {"pose_noise=0.01", NULL};
  sfnec_agent_options options;
  sfnec_status status = sfnec_env_create(sfnec_env_kind_find("navigation"), world, 1, &h->env);
  if (!status) status = sfnec_agent_options_preset("sfnec-plan", &options);
  if (status) return status;
  options.step_backups = 200; // 4 us; the rest is planned in spare time
  const sfnec_env_shape shape = sfnec_env_get_shape(h->env);
  status = sfnec_agent_create(&shape, &options, 1, &h->agent);
  sfnec_env_get_task_weights(h->env, 0, h->w);
  if (!status) status = sfnec_agent_begin_task(h->agent, h->w, NULL);
  if (!status) status = sfnec_env_reset(h->env, h->pose);
  return status ? status : sfnec_agent_begin_episode(h->agent);
}

// Lets the world move; the transition's arrays are the caller's.
static sfnec_status move(const host *h, sfnec_env *env, float *next, double *features, sfnec_transition *moved) {
  sfnec_env_outcome outcome;
  const sfnec_status status = sfnec_env_step(env, moved->action, next, features, &outcome);
  for (int f = 0; f < FEATURES; f++) moved->reward += features[f] * h->w[f];
  moved->features = features;
  moved->next_observation = next;
  return status;
}

// One tick: act at once, take in what follows, plan until the time is over.
static sfnec_status tick(host *h, double *goals) {
  const double start = seconds();
  float next[POSE] = {0};
  double features[FEATURES] = {0};
  sfnec_transition moved = {.action = 0};
  sfnec_status status = sfnec_agent_act(h->agent, h->pose, &moved.action);
  note(h, start);
  if (!status) status = move(h, h->env, next, features, &moved);
  if (status) return status;
  const double arrived = seconds();
  status = sfnec_agent_observe(h->agent, &moved);
  note(h, arrived);
  for (int64_t made = SLICE; made == SLICE && !status && seconds() < start + TICK;) {
    status = sfnec_agent_plan(h->agent, SLICE, &made);
    h->spare += made;
    if (made > SLICE) made = SLICE; // a state is backed up as a whole
  }
  *goals += features[GOAL];
  for (int i = 0; i < POSE; i++) h->pose[i] = next[i];
  return status;
}

// A snapshot plays: it learns nothing, and is told what followed.
static sfnec_status play(const host *h, double *goals) {
  sfnec_agent *snapshot = NULL;
  sfnec_scratch *scratch = NULL;
  float pose[POSE] = {0}, next[POSE] = {0};
  double features[FEATURES] = {0};
  *goals = 0;
  sfnec_status status = sfnec_agent_clone(h->agent, &snapshot);
  if (!status) status = sfnec_scratch_create(snapshot, &scratch);
  if (!status) status = sfnec_env_reset(h->env, pose);
  for (int i = 0; i < PLAYED && !status; i++) {
    sfnec_choice choice;
    status = sfnec_agent_choose(snapshot, scratch, pose, NULL, &choice);
    sfnec_transition moved = {.action = choice.action};
    if (!status) status = move(h, h->env, next, features, &moved);
    if (!status) status = sfnec_agent_tell(snapshot, scratch, pose, &moved);
    *goals += features[GOAL];
    for (int k = 0; k < POSE; k++) pose[k] = next[k];
  }
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(snapshot);
  return status;
}

int main(void) {
  host h = {.agent = NULL};
  double goals = 0, played = 0;
  sfnec_status status = set_up(&h);
  for (int i = 0; i < TICKS && !status; i++) status = tick(&h, &goals);
  if (!status) status = play(&h, &played);
  if (status) fprintf(stderr, "deadline: %s\n", sfnec_last_error());
  else
    printf("%d ticks: %.0f goals, %.1f ms the slowest answer, %lld backups in spare time; %d steps of the snapshot: "
           "%.0f goals\n",
           TICKS, goals, 1e3 * h.slowest, (long long)h.spare, PLAYED, played);
  sfnec_agent_destroy(h.agent);
  sfnec_env_destroy(h.env);
  return status || goals < 10 ? 1 : 0;
}
