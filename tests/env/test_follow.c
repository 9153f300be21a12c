// How much of the optimum can be reached where there is noise? For each task of each seed of four_rooms, a plan for the
// grid without noise is followed in the world as it is, by looking at every step where it has come to.
//
//   test_follow [FIRST LAST TASKS]    the seeds, and how many tasks of each: 1 1 3
#include "support/check.h"

#include "cell_graph.h"

enum { OBJECTS = 12, SETS = 1 << OBJECTS, STEPS = 20000 };

static const int32_t directions[ACTIONS][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}};

typedef struct plan {
  table table;
  sfnec_look look;
  double gains[SETS]; // of taking these objects
  double cost;        // of a step: what the optimum earns in it
  double *values;     // (SETS, CELLS) of what is left of the episode
} plan;

// ---- planning ----

static double value_at(const plan *p, uint32_t taken, int32_t cell) {
  return p->values[(size_t)taken * CELLS + (size_t)cell];
}

static bool improve(plan *p, uint32_t taken, int32_t cell) {
  double *best = &p->values[(size_t)taken * CELLS + (size_t)cell];
  const double before = *best;
  for (int32_t a = 0; a < ACTIONS; a++) {
    const uint32_t picked = p->table.takes[cell][a] & ~taken;
    const double rest = p->table.ends[cell][a] ? 1 : value_at(p, taken | picked, p->table.next[cell][a]);
    *best = fmax(*best, p->gains[picked] - p->cost + rest);
  }
  return *best > before + 1e-9;
}

// The sets with more objects first; within a set until nothing changes.
static void make_plan(plan *p, const double *w, double optimum) {
  p->cost = optimum / STEPS;
  for (uint32_t set = 0; set < SETS; set++) {
    p->gains[set] = 0;
    for (int i = 0; i < OBJECTS; i++) p->gains[set] += set >> i & 1 ? w[p->table.class_of[i]] : 0;
  }
  for (size_t i = 0; i < (size_t)SETS * CELLS; i++) p->values[i] = -1e3;
  for (uint32_t set = SETS; set-- > 0;) {
    for (bool changed = true; changed;) {
      changed = false;
      for (int32_t cell = 0; cell < CELLS; cell++) changed = improve(p, set, cell) || changed;
      for (int32_t cell = CELLS; cell-- > 0;) changed = improve(p, set, cell) || changed;
    }
  }
}

// ---- following ----

static bool in_wall(const sfnec_look *look, double x, double y) {
  for (int32_t i = 0; i < look->wall_count; i++) {
    const sfnec_look_wall *wall = &look->walls[i];
    if (x > wall->left && x < wall->right && y > wall->bottom && y < wall->top) return true;
  }
  return x < 0 || x > 1 || y < 0 || y > 1;
}

// Between the four positions of the grid around it, without those in walls; a goal is worth 1.
static double value_between(const plan *p, uint32_t taken, double x, double y) {
  const int32_t left = (int32_t)fmin(SIDE - 2, x / 0.05), below = (int32_t)fmin(SIDE - 2, y / 0.05);
  double sum = 0, weights = 0;
  for (int32_t i = 0; i < 4; i++) {
    const int32_t column = left + i % 2, row = below + i / 2;
    const double weight = (1 - fabs(x / 0.05 - column)) * (1 - fabs(y / 0.05 - row));
    if (weight < 1e-9 || in_wall(&p->look, 0.05 * column, 0.05 * row)) continue;
    const bool goal = hypot(0.05 * column - p->look.goal_x, 0.05 * row - p->look.goal_y) <= p->look.goal_radius;
    sum += weight * (goal ? 1 : value_at(p, taken, row * SIDE + column));
    weights += weight;
  }
  return weights > 0 ? sum / weights : -1e3;
}

static double judge(const plan *p, const sfnec_look *now, int32_t action) {
  const double x = now->x + 0.05 * directions[action][0], y = now->y + 0.05 * directions[action][1];
  if (in_wall(&p->look, x, y)) return -1e6;
  uint32_t then = (uint32_t)now->taken;
  for (int i = 0; i < OBJECTS; i++)
    if (hypot(x - p->look.objects[i].x, y - p->look.objects[i].y) <= 0.04) then |= UINT32_C(1) << i;
  const bool goal = hypot(x - p->look.goal_x, y - p->look.goal_y) <= p->look.goal_radius;
  return p->gains[then & ~(uint32_t)now->taken] + (goal ? 1 : value_between(p, then, x, y));
}

static int32_t choose(const plan *p, const sfnec_env *env, int32_t step) {
  sfnec_look now;
  OK(sfnec_env_get_look(env, &now));
  int32_t best = 0;
  double values[ACTIONS];
  for (int32_t a = 0; a < ACTIONS; a++) {
    values[a] = judge(p, &now, a);
    if (values[a] > values[best]) best = a;
  }
  // now and then another one, so as not to be stuck for ever
  return step % 1009 == 1008 ? (best + 1 + step / 1009) % ACTIONS : best;
}

static double follow(const plan *p, sfnec_env *env, const double *w) {
  float observation[128];
  double features[8], total = 0;
  sfnec_env_outcome outcome = {.terminated = true};
  for (int32_t step = 0; step < STEPS; step++) {
    if (outcome.terminated) OK(sfnec_env_reset(env, observation));
    OK(sfnec_env_step(env, choose(p, env, step), observation, features, &outcome));
    for (int i = 0; i < 4; i++) total += features[i] * w[i];
  }
  return total;
}

static uint64_t first = 1, last = 1, task_count = 3;

static void test_follow(void **state) {
  (void)state;
  plan *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->values = malloc(sizeof *p->values * SETS * CELLS);
  assert_non_null(p->values);
  table_of_rooms("four_rooms", NULL, &p->table);
  double earned = 0, best = 0, w[4], optimum;
  size_t above = 0, all = 0;
  for (uint64_t seed = first; seed <= last; seed++) {
    sfnec_env *env;
    OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, seed, &env));
    OK(sfnec_env_get_look(env, &p->look));
    for (uint32_t task = 0; task < task_count; task++, all++) {
      sfnec_env_get_task_weights(env, task, w);
      OK(sfnec_env_get_optimum(env, w, STEPS, &optimum));
      make_plan(p, w, optimum);
      const double total = follow(p, env, w);
      above += total > optimum;
      earned += total;
      best += optimum;
    }
    sfnec_env_destroy(env);
  }
  printf("%.1f of %.1f on average, %.1f %%; above the optimum in %zu of %zu tasks\n", earned / (double)all,
         best / (double)all, 100 * earned / best, above, all);
  free(p->values);
  free(p);
  NEAR(earned / best, 1, 0.05);
}

int main(int count, char **arguments) {
  if (count == 4) {
    first = strtoull(arguments[1], NULL, 10);
    last = strtoull(arguments[2], NULL, 10);
    task_count = strtoull(arguments[3], NULL, 10);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_follow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
