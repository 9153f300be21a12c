// grid.h: small deterministic grid worlds whose optimum is computed by value iteration in double precision, for tests
// of agents that plan.
//
// A map has walls (#), a start (S), goals (G), pits (P), and perhaps a key (K) and a door (D): a goal ends the episode,
// and so does the door for who has the key. An agent sees where it is, and with a key in the map whether it has it.
#ifndef SFNEC_TESTS_SUPPORT_GRID_H
#define SFNEC_TESTS_SUPPORT_GRID_H

#include "support/tiny.h"

enum { GRID_MOST = 12, GRID_ACTIONS = 4, GRID_FEATURES = 3 };

typedef struct grid {
  const char *const *map; // NULL-terminated rows
  bool has_key;
} grid;

typedef struct cell {
  int x, y, key;
} cell;

static inline sfnec_env_shape grid_shape(const grid *g) {
  return (sfnec_env_shape){
      .observation_size = g->has_key ? 3 : 2, .action_count = GRID_ACTIONS, .feature_count = GRID_FEATURES};
}

static inline cell grid_start(const grid *g) {
  for (int y = 0; g->map[y]; y++) {
    for (int x = 0; g->map[y][x]; x++) {
      if (g->map[y][x] == 'S') return (cell){x, y, 0};
    }
  }
  fail_msg("a map has no start");
  return (cell){0};
}

static inline void grid_see(cell at, float *observation) {
  observation[0] = (float)at.x, observation[1] = (float)at.y;
  observation[2] = (float)at.key; // read only where the shape has three
}

// Moves; features: the goal or the door, a pit, a step. Returns whether the episode ended.
static inline bool grid_step(const grid *g, cell *at, int action, double *features) {
  static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
  const cell to = {at->x + dx[action], at->y + dy[action], at->key};
  if (g->map[to.y][to.x] != '#') *at = to;
  const char what = g->map[at->y][at->x];
  if (what == 'K') at->key = 1;
  const bool ends = what == 'G' || (what == 'D' && at->key);
  features[0] = ends, features[1] = what == 'P', features[2] = 1;
  return ends;
}

typedef double grid_values[GRID_MOST][GRID_MOST][2];

static inline double grid_backup(const grid *g, cell from, const double *w, double gamma, bool restart, grid_values v) {
  const cell start = grid_start(g);
  double best = -INFINITY;
  for (int a = 0; a < GRID_ACTIONS; a++) {
    cell at = from;
    double f[GRID_FEATURES];
    const bool ends = grid_step(g, &at, a, f);
    const double next = !ends ? v[at.y][at.x][at.key] : restart ? v[start.y][start.x][0] : 0.0;
    best = fmax(best, f[0] * w[0] + f[1] * w[1] + f[2] * w[2] + gamma * next);
  }
  return best;
}

// The best discounted return from the start.
static inline double grid_optimum(const grid *g, const double *w, double gamma, bool restart) {
  grid_values v = {{{0}}};
  for (int sweep = 0; sweep < 2000; sweep++) {
    for (int y = 0; g->map[y]; y++) {
      for (int x = 0; g->map[y][x]; x++) {
        for (int key = 0; key < 2 && g->map[y][x] != '#'; key++) {
          v[y][x][key] = grid_backup(g, (cell){x, y, key}, w, gamma, restart, v);
        }
      }
    }
  }
  const cell start = grid_start(g);
  return v[start.y][start.x][0];
}

// Lets an agent act and learn for some steps; episodes are cut off after `most`.
static inline void grid_train(sfnec_agent *agent, const grid *g, const double *w, int steps, int most) {
  cell at = {0};
  bool running = false;
  for (int step = 0, length = 0; step < steps; step++) {
    float here[3], next[3];
    if (!running) {
      at = grid_start(g);
      OK(sfnec_agent_begin_episode(agent));
      length = 0;
    }
    sfnec_transition moved;
    double features[GRID_FEATURES];
    grid_see(at, here);
    memset(&moved, 0, sizeof moved);
    OK(sfnec_agent_act(agent, here, &moved.action));
    moved.terminated = grid_step(g, &at, moved.action, features);
    moved.truncated = !moved.terminated && ++length == most;
    grid_see(at, next);
    moved.features = features;
    for (int i = 0; i < GRID_FEATURES; i++) moved.reward += features[i] * w[i];
    moved.next_observation = next;
    OK(sfnec_agent_observe(agent, &moved));
    running = !moved.terminated && !moved.truncated;
  }
  OK(sfnec_agent_end_episode(agent));
}

// The discounted return of the greedy choices under w from the start, over some steps.
static inline double grid_greedy(const sfnec_agent *agent, const grid *g, const double *w, double gamma, bool restart,
                                 int steps) {
  sfnec_scratch *scratch = scratch_for(agent);
  cell at = grid_start(g);
  double sum = 0, discount = 1;
  for (int step = 0; step < steps; step++, discount *= gamma) {
    float here[3];
    double f[GRID_FEATURES];
    sfnec_choice choice;
    grid_see(at, here);
    OK(sfnec_agent_choose(agent, scratch, here, w, &choice));
    const bool ends = grid_step(g, &at, choice.action, f);
    sum += discount * (f[0] * w[0] + f[1] * w[1] + f[2] * w[2]);
    if (ends && !restart) break;
    if (ends) at = grid_start(g);
  }
  sfnec_scratch_destroy(scratch);
  return sum;
}

#endif
