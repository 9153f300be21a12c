// The optimum of a task: numbers worked out by hand, and the same as a dynamic program over single steps finds, which
// is made from the world's own steps and knows nothing of tours.
#include "support/check.h"

#include "cell_graph.h"
#include "env/four_rooms_grid.h"

static sfnec_env *open_env(const char *name, const char *const *settings, uint64_t seed) {
  sfnec_env *env;
  OK(sfnec_env_create(sfnec_env_kind_find(name), settings, seed, &env));
  return env;
}

static double optimum(sfnec_env *env, const double *w, int64_t steps) {
  double value;
  OK(sfnec_env_get_optimum(env, w, steps, &value));
  return value;
}

// ---- by hand ----

// The good object is 17 steps to the right and one up, the goal 13 further up: 31 steps for 2. Straight to the goal it
// is 29 for 1.
static void test_one_room(void **state) {
  (void)state;
  const double w[] = {-1, 1, 1}, goal[] = {-1, 0, 1}, nothing[] = {-1, -1, -1};
  sfnec_env *env = open_env("one_room", NULL, 1);
  assert_true(optimum(env, w, 0) == 0);
  assert_true(optimum(env, w, 17) == 0);
  assert_true(optimum(env, w, 18) == 1);
  assert_true(optimum(env, w, 30) == 1);
  assert_true(optimum(env, w, 31) == 2);
  assert_true(optimum(env, w, 31 + 17) == 2);
  assert_true(optimum(env, w, 31 + 18) == 3);
  // 322 times 31 steps leave 18
  assert_true(optimum(env, w, 10000) == 645);
  assert_true(optimum(env, goal, 29 * 5) == 5);
  assert_true(optimum(env, goal, 29 * 5 - 1) == 4);
  assert_true(optimum(env, nothing, 10000) == 0);
  // the same rhythm for ever
  assert_true(optimum(env, w, INT64_C(31) << 40) == (double)(INT64_C(2) << 40));
  sfnec_env_destroy(env);

  // the goal is too far for an episode, the object is not: one in 18 steps, or nothing
  const char *const short_episodes[] = {"max_episode_steps=18", NULL};
  env = open_env("one_room", short_episodes, 1);
  assert_true(optimum(env, w, 180) == 10);
  assert_true(optimum(env, w, 179) == 9);
  assert_true(optimum(env, w, 18000017) == 1000000);
  sfnec_env_destroy(env);
}

// The averages that docs/statistics.md gives.
static void test_known(void **state) {
  (void)state;
  static const struct {
    uint64_t first, last;
    uint32_t tasks;
    double average;
  } known[] = {{1, 10, 10, 1496.89}, {1, 1, 50, 1446.57}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double sum = 0, w[4];
    for (uint64_t seed = known[i].first; seed <= known[i].last; seed++) {
      sfnec_env *env = open_env("four_rooms", NULL, seed);
      for (uint32_t task = 0; task < known[i].tasks; task++) {
        sfnec_env_get_task_weights(env, task, w);
        sum += optimum(env, w, 20000);
      }
      sfnec_env_destroy(env);
    }
    const double count = (double)((known[i].last - known[i].first + 1) * known[i].tasks);
    NEAR(sum / count, known[i].average, 1e-5);
  }
}

// ---- by dynamic programming ----

static void table_of_grid(const char *const *settings, table *t) {
  const sfnec_env_kind *kind = sfnec_env_kind_find("four_rooms_grid");
  sfnec_grid_options options;
  sfnec_options_default(kind->option_set, &options);
  for (size_t i = 0; settings[i]; i++) OK(sfnec_options_assign(kind->option_set, &options, settings[i]));
  sfnec_look look = {0};
  sfnec_grid_state at = {.row = SFNEC_GRID_SIZE - 1};
  kind->look(&at, &options, &look);
  *t = (table){
      .count = SFNEC_GRID_CELLS, .start = (SFNEC_GRID_SIZE - 1) * SFNEC_GRID_SIZE, .objects = SFNEC_GRID_SHAPES};
  t->features = kind->shape(&options).feature_count;
  for (int32_t i = 0; i < look.object_count; i++) t->class_of[i] = look.objects[i].class_index;
  float observation[256];
  double features[8] = {0};
  sfnec_random random = sfnec_random_start(7, SFNEC_PURPOSE_WORLD);
  for (int32_t cell = 0; cell < SFNEC_GRID_CELLS; cell++) {
    for (int32_t a = 0; a < ACTIONS; a++) {
      at = (sfnec_grid_state){.row = cell / SFNEC_GRID_SIZE, .column = cell % SFNEC_GRID_SIZE};
      t->ends[cell][a] = kind->step(&at, &options, a, &random, observation, features).terminated;
      t->next[cell][a] = at.row * SFNEC_GRID_SIZE + at.column;
      t->takes[cell][a] = at.taken;
      if (t->ends[cell][a]) memcpy(t->goal, features, sizeof features);
    }
  }
}

// One more step of an episode: from the best return in each state (taken, cell) to that after it, and the best of those
// that end.
static double step_all(const table *t, const double *gains, double goal, const double *now, double *then) {
  const size_t states = (size_t)t->count << t->objects;
  double ended = -(double)INFINITY;
  for (size_t i = 0; i < states; i++) then[i] = -(double)INFINITY;
  for (size_t i = 0; i < states; i++) {
    if (isinf(now[i])) continue;
    const size_t cell = i % (size_t)t->count, taken = i / (size_t)t->count;
    for (int32_t a = 0; a < ACTIONS; a++) {
      const size_t picked = t->takes[cell][a] & ~taken;
      const double value = now[i] + gains[picked];
      double *best = &then[(taken | picked) * (size_t)t->count + (size_t)t->next[cell][a]];
      if (t->ends[cell][a]) ended = fmax(ended, value + goal);
      else if (value > *best) *best = value;
    }
  }
  return ended;
}

// values[n]: the best return of n steps, for all n up to `steps`.
static void brute_force(const table *t, const double *w, int64_t steps, int64_t cut, double *values) {
  const size_t states = (size_t)t->count << t->objects, sets = (size_t)1 << t->objects;
  double *now = malloc(states * sizeof *now), *then = malloc(states * sizeof *then),
         *gains = calloc(sets, sizeof *gains);
  double *ended = calloc((size_t)steps + 1, sizeof *ended), *open = calloc((size_t)steps + 1, sizeof *open);
  assert_true(now && then && gains && ended && open);
  for (size_t set = 0; set < sets; set++)
    for (int32_t i = 0; i < t->objects; i++) gains[set] += set >> i & 1 ? w[t->class_of[i]] : 0;
  double goal = 0;
  for (int32_t i = 0; i < t->features; i++) goal += w[i] * t->goal[i];
  for (size_t i = 0; i < states; i++) now[i] = -(double)INFINITY;
  now[t->start] = 0;
  for (int64_t n = 1; n <= steps; n++) {
    ended[n] = step_all(t, gains, goal, now, then);
    open[n] = -(double)INFINITY;
    for (size_t i = 0; i < states; i++) open[n] = fmax(open[n], then[i]);
    double *swap = now;
    now = then;
    then = swap;
  }
  for (int64_t n = 1; n <= steps; n++) {
    values[n] = cut && n > cut ? -(double)INFINITY : open[n];
    for (int64_t i = 1; i <= n && (!cut || i <= cut); i++) values[n] = fmax(values[n], values[n - i] + ended[i]);
    if (cut && cut <= n) values[n] = fmax(values[n], values[n - cut] + open[cut]);
  }
  free(now);
  free(then);
  free(gains);
  free(ended);
  free(open);
}

// Compares all horizons up to `steps` under the weights of a task, and under any others.
static void compare(const char *name, const char *const *settings, uint32_t task, int64_t steps) {
  table *t = calloc(1, sizeof *t);
  double *values = calloc((size_t)steps + 1, sizeof *values), w[8];
  assert_true(t && values);
  if (strcmp(name, "four_rooms_grid") == 0) table_of_grid(settings, t);
  else table_of_rooms(name, settings, t);
  sfnec_env *env = open_env(name, settings, 3);
  sfnec_env_get_task_weights(env, task, w);
  // from the third on any weights: the goal too may cost
  sfnec_random random = sfnec_random_start(task, 1000);
  for (int32_t i = 0; task > 1 && i < t->features; i++) w[i] = 2 * sfnec_random_uniform(&random) - 1;
  brute_force(t, w, steps, sfnec_env_get_max_episode_steps(env), values);
  for (int64_t n = 0; n <= steps; n++) {
    const double found = optimum(env, w, n);
    if (fabs(found - values[n]) > 1e-9)
      fail_msg("%s task %u: %lld steps earn %.12g, not %.12g", name, task, (long long)n, values[n], found);
  }
  sfnec_env_destroy(env);
  free(t);
  free(values);
}

static void test_small(void **state) {
  (void)state;
  const char *const plain[] = {NULL}, *const cut[] = {"max_episode_steps=40", NULL};
  const char *const wide[] = {"pickup_radius=0.3", "goal_radius=0.5", NULL};
  // nobody can stay at the start without taking both objects, or one of them
  const char *const near[] = {"pickup_radius=0.9", "max_episode_steps=7", NULL}, *const nearer[] = {
                                                                                     "pickup_radius=0.85", NULL};
  for (uint32_t task = 0; task < 12; task++) {
    compare("one_room", plain, task, 400);
    compare("one_room", cut, task, 400);
    compare("one_room", wide, task, 200);
    compare("one_room", near, task, 100);
    compare("one_room", nearer, task, 100);
  }
}

static void test_rooms(void **state) {
  (void)state;
  const char *const plain[] = {NULL}, *const figure[] = {"layout=figure", "max_episode_steps=45", NULL};
  compare("four_rooms", plain, 0, 70);
  compare("four_rooms", figure, 2, 50);
}

static void test_grid(void **state) {
  (void)state;
  const char *const every[] = {"max_episode_steps=30", NULL}, *const own[] = {"goal=own", NULL};
  compare("four_rooms_grid", every, 0, 80);
  compare("four_rooms_grid", every, 2, 40);
  compare("four_rooms_grid", own, 1, 60);
}

// ---- where there is none ----

static void test_unknown(void **state) {
  (void)state;
  const double w[] = {1, 1, 1, 1}, infinite[] = {(double)INFINITY, 1, 1, 1};
  const char *const fine[] = {"step_mean=0.001", NULL}, *const none[] = {"step_mean=0", NULL};
  const char *const names[] = {"cartpole", "four_rooms", "four_rooms"}, *const *const settings[] = {NULL, fine, none};
  for (int i = 0; i < 3; i++) {
    sfnec_env *env = open_env(names[i], settings[i], 1);
    assert_true(isnan(optimum(env, w, 20000)));
    sfnec_env_destroy(env);
  }
  sfnec_env *env = open_env("four_rooms", NULL, 1);
  double value = 1;
  assert_true(isnan(optimum(env, infinite, 100)));
  REFUSED(sfnec_env_get_optimum(env, w, -1, &value), SFNEC_ERROR_ARGUMENT, "give 0 or more");
  assert_true(isnan(value));
  // looking changes nothing: the state of the episode is as it was
  const size_t size = sfnec_env_get_state_size(env);
  unsigned char *before = malloc(size), *after = malloc(size);
  assert_true(before && after);
  sfnec_env_get_state(env, before);
  assert_true(optimum(env, w, 20000) > 0);
  sfnec_env_get_state(env, after);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_room), cmocka_unit_test(test_known), cmocka_unit_test(test_small),
      cmocka_unit_test(test_rooms),    cmocka_unit_test(test_grid),  cmocka_unit_test(test_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
