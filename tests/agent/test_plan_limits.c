// test_plan_limits.c: worlds that an agent that plans was not made for: it stays within its limits of memory, holds
// finite numbers, and can be saved and loaded at any time; the loaded one goes on to the byte as the other does.
#include "support/tiny.h"

#include <float.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"

enum { MOST = 24 }; // components of an observation, at most

// Changes an observation and says what was met; returns whether the episode ended.
typedef bool dynamics(int step, int action, sfnec_random *random, float *observation, double *features);

typedef struct world {
  const char *name;
  dynamics *go;
  sfnec_env_shape shape;
  const char *settings[4];
  int steps;
  double megabytes; // that the agent holds at most
} world;

static float walk(float at, int action, float low, float high) {
  const float to = at + (action & 1 ? 1.0f : -1.0f);
  return to < low ? low : to > high ? high : to;
}

// ---- the worlds ----

// A number that looks slow, and counts up for ever.
static bool counter(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)random;
  o[0] = walk(o[0], action, 0, 9);
  if (step % 40 == 39) o[1] += 1;
  f[0] = o[0] == 9;
  return false;
}

// Flags that change by chance: a million contexts.
static bool flags(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step;
  o[0] = walk(o[0], action, 0, 9);
  for (int i = 1; i < MOST; i++) {
    if (sfnec_random_below(random, 150) == 0) o[i] = 1 - o[i];
  }
  f[0] = o[0] == 9 && o[1] == 1;
  return false;
}

// Dice that are thrown now and then: thousands of effects.
static bool dice(int step, int action, sfnec_random *random, float *o, double *f) {
  o[0] = walk(o[0], action, 0, 9);
  const bool thrown = step % 25 == 24;
  for (int i = 1; i < 6 && thrown; i++) o[i] = (float)sfnec_random_below(random, 6);
  f[0] = thrown && o[1] == 3;
  return false;
}

// The same actions do other things every 500 steps, and other states are good.
static bool changing(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)random;
  const int phase = step / 500;
  o[0] = walk(o[0], action ^ (phase & 1), -5, 5);
  f[0] = o[0] == (float)(phase % 11 - 5);
  return f[0] > 0 && phase % 3 == 0;
}

// Every state is a new one.
static bool noise(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step;
  for (int i = 0; i < 8; i++) o[i] = (float)sfnec_random_normal(random);
  f[0] = o[0] > 1 ? action : 0;
  return sfnec_random_below(random, 50) == 0;
}

static bool plane(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step;
  const float length = 0.05f * (float)sfnec_random_uniform(random);
  const int axis = action >> 1 & 1;
  o[axis] = walk(o[axis] / length, action, 0, 1 / length) * length;
  f[0] = o[0] > 0.9f && o[1] > 0.9f;
  return f[0] > 0;
}

static bool line(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step, (void)random;
  o[0] = walk(o[0], action, 0, 5);
  f[0] = o[0] == 5;
  return f[0] > 0;
}

// One action: time goes by.
static bool clockwork(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)action, (void)random;
  o[0] = (float)(step % 12);
  f[0] = o[0] == 11;
  return false;
}

static bool constant(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step, (void)random, (void)o;
  f[0] = action;
  return sfnec_random_below(random, 20) == 0;
}

static bool nothing(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step, (void)random;
  o[0] = walk(o[0], action, 0, 5);
  f[0] = 0;
  return false;
}

// A walk whose steps grow a thousandfold every 300 steps, up to the largest floats.
static bool growing(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)random;
  const float reward_scale = powf(1000, (float)(step / 300 % 13));
  o[0] = walk(o[0] / reward_scale, action, -3, 3) * reward_scale;
  o[1] = reward_scale;
  f[0] = o[0] > 0;
  return false;
}

// After a quiet beginning, one leap beyond everything seen, and back.
static bool leap(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)random;
  o[0] = step % 50 < 45 || step < 110 ? walk(o[0] > 9 ? 0 : o[0], action, 0, 9) : 1e30f;
  f[0] = o[0] == 9;
  return false;
}

// Everything at once that a float can be.
static bool wild(int step, int action, sfnec_random *random, float *o, double *f) {
  static const float reach[] = {0, 1, -1, FLT_MAX, -FLT_MAX, FLT_MIN, 1e19f, 1e30f, -1e-30f};
  (void)step;
  for (int i = 0; i < 3; i++) {
    if (sfnec_random_below(random, 3) == 0) o[i] = reach[sfnec_random_below(random, 9)];
  }
  f[0] = action ? 1e100 : -1e-100;
  return sfnec_random_below(random, 10) == 0;
}

// From one end of the floats to the other, which is further than a float can say.
static bool ends(int step, int action, sfnec_random *random, float *o, double *f) {
  for (int i = 0; i < 2; i++) o[i] = (2.0f * (float)sfnec_random_uniform(random) - 1.0f) * FLT_MAX;
  f[0] = action;
  return step % 9 == 8;
}

static const world worlds[] = {
    {"counter", counter, {.observation_size = 2, .action_count = 2, .feature_count = 1}, {NULL}, 3000, 8},
    {"flags",
     flags,
     {.observation_size = MOST, .action_count = 2, .feature_count = 1},
     {"replan_backups=200000"},
     3000,
     64},
    {"flags, few states",
     flags,
     {.observation_size = MOST, .action_count = 2, .feature_count = 1},
     {"states=50", "contexts=off"},
     3000,
     8},
    {"dice", dice, {.observation_size = 6, .action_count = 2, .feature_count = 1}, {"replan_backups=200000"}, 4000, 64},
    {"changing", changing, {.observation_size = 1, .action_count = 2, .feature_count = 1}, {NULL}, 4000, 4},
    {"changing, zero",
     changing,
     {.observation_size = 1, .action_count = 2, .feature_count = 1},
     {"terminal=zero"},
     4000,
     4},
    {"noise", noise, {.observation_size = 8, .action_count = 3, .feature_count = 1}, {"states=300"}, 2500, 8},
    {"noise, random",
     noise,
     {.observation_size = 8, .action_count = 3, .feature_count = 1},
     {"states=300", "embedding=random", "key_size=4"},
     1500,
     8},
    {"noise, pca",
     noise,
     {.observation_size = 8, .action_count = 3, .feature_count = 1},
     {"states=300", "embedding=pca", "key_size=4"},
     1500,
     8},
    {"growing, pca",
     growing,
     {.observation_size = 2, .action_count = 2, .feature_count = 1},
     {"embedding=pca", "key_size=1"},
     2000,
     8},
    {"ends", ends, {.observation_size = 2, .action_count = 2, .feature_count = 1}, {"states=16", "samples=1"}, 1000, 4},
    {"ends, pca",
     ends,
     {.observation_size = 2, .action_count = 2, .feature_count = 1},
     {"states=16", "samples=1", "embedding=pca", "key_size=1"},
     1000,
     4},
    {"ends, random",
     ends,
     {.observation_size = 2, .action_count = 2, .feature_count = 1},
     {"states=16", "samples=1", "embedding=random", "key_size=1"},
     1000,
     4},
    {"plane", plane, {.observation_size = 2, .action_count = 4, .feature_count = 1}, {"states=64"}, 3000, 4},
    {"line", line, {.observation_size = 1, .action_count = 2, .feature_count = 1}, {"states=16"}, 1500, 2},
    {"clockwork", clockwork, {.observation_size = 1, .action_count = 1, .feature_count = 1}, {NULL}, 1500, 2},
    {"constant", constant, {.observation_size = 3, .action_count = 2, .feature_count = 1}, {NULL}, 1500, 2},
    {"nothing", nothing, {.observation_size = 1, .action_count = 2, .feature_count = 1}, {NULL}, 1500, 2},
    {"growing", growing, {.observation_size = 2, .action_count = 2, .feature_count = 1}, {NULL}, 4200, 8},
    {"leap", leap, {.observation_size = 1, .action_count = 2, .feature_count = 1}, {NULL}, 750, 4},
    {"wild", wild, {.observation_size = 3, .action_count = 2, .feature_count = 1}, {NULL}, 2000, 16},
    {"wild, rewards",
     wild,
     {.observation_size = 3, .action_count = 2, .feature_count = 1},
     {"predict=reward", "gamma=0.9999999999", "terminal=zero"},
     2000,
     16},
};

// ---- living in them ----

typedef struct life {
  const world *in;
  sfnec_agent *agent;
  sfnec_random random;
  float observation[MOST];
  int step;
  bool running;
} life;

static void live_step(life *l) {
  if (!l->running) OK(sfnec_agent_begin_episode(l->agent));
  double features[1] = {0};
  sfnec_transition moved = {.features = features, .next_observation = l->observation};
  OK(sfnec_agent_act(l->agent, l->observation, &moved.action));
  moved.terminated = l->in->go(l->step, moved.action, &l->random, l->observation, features);
  moved.reward = features[0];
  moved.truncated = !moved.terminated && l->step % 200 == 199;
  OK(sfnec_agent_observe(l->agent, &moved));
  l->running = !moved.terminated && !moved.truncated;
  l->step++;
}

static void check_finite(const life *l) {
  double q[8], psi[8];
  const int32_t actions = l->in->shape.action_count;
  OK(ask_q(l->agent, l->observation, NULL, q));
  OK(ask_psi(l->agent, l->observation, psi));
  for (int32_t a = 0; a < actions; a++) assert_true(isfinite(q[a]) && isfinite(psi[a]));
}

// A copy by way of a file lives on as the agent does.
static void check_copy(const life *l) {
  life copy = *l, again = *l;
  copy.agent = again.agent = NULL;
  OK(sfnec_agent_save(l->agent, "life.agent"));
  OK(sfnec_agent_load("life.agent", &copy.agent));
  OK(sfnec_agent_load("life.agent", &again.agent));
  OK(sfnec_agent_save(copy.agent, "copy.agent"));
  assert_true(same_files("life.agent", "copy.agent"));
  for (int i = 0; i < 30; i++) {
    live_step(&copy);
    if (i == 10) {
      OK(sfnec_agent_save(copy.agent, "copy.agent"));
      sfnec_agent_destroy(copy.agent);
      OK(sfnec_agent_load("copy.agent", &copy.agent));
    }
    live_step(&again);
  }
  OK(sfnec_agent_save(copy.agent, "copy.agent"));
  OK(sfnec_agent_save(again.agent, "again.agent"));
  assert_true(same_files("again.agent", "copy.agent"));
  sfnec_agent_destroy(copy.agent);
  sfnec_agent_destroy(again.agent);
}

static void check_limits(const life *l) {
  const sfnec_planner *planner = l->agent->planner;
  const double megabytes = (double)sfnec_agent_get_bytes(l->agent) / 1e6;
  if (megabytes > l->in->megabytes) fail_msg("%s: %g megabytes after %d steps", l->in->name, megabytes, l->step);
  assert_true(planner->model.state_count <= (uint32_t)planner->config->options.states);
}

static void check_life(const world *in) {
  const char *const settings[] = {in->settings[0], in->settings[1], in->settings[2], in->settings[3], NULL};
  const double w[] = {1}, other[] = {-0.5};
  life l = {.in = in, .random = sfnec_random_start(4, 1000)};
  l.agent = agent_for(&in->shape, "sfnec-plan", settings, 2);
  OK(sfnec_agent_begin_task(l.agent, w, NULL));
  while (l.step < in->steps) {
    live_step(&l);
    if (l.step == in->steps / 2) {
      OK(sfnec_agent_end_episode(l.agent));
      OK(sfnec_agent_begin_task(l.agent, other, NULL));
      OK(sfnec_agent_forget_task(l.agent, 0));
      l.running = false;
    }
    if (l.step % (in->steps / 5) != 0) continue;
    check_finite(&l);
    check_copy(&l);
    check_limits(&l);
  }
  sfnec_agent_destroy(l.agent);
}

static void test_worlds(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) check_life(&worlds[i]);
}

// Effects are counted too: each costs values of all states. Beyond a limit there are no contexts any more. (Relevance
// would drop dice that mean nothing.)
static void test_effects(void **state) {
  (void)state;
  const world many = {"many dice",
                      dice,
                      {.observation_size = 6, .action_count = 2, .feature_count = 1},
                      {"backups=100", "replan_backups=10000", "relevance=off"},
                      30000,
                      64};
  const double w[] = {1};
  life l = {.in = &many, .random = sfnec_random_start(4, 1000)};
  l.agent = agent_for(&many.shape, "sfnec-plan", many.settings, 2);
  OK(sfnec_agent_begin_task(l.agent, w, NULL));
  const sfnec_model *model = sfnec_planner_model(l.agent->planner);
  uint32_t most = 0;
  while (l.step < many.steps) {
    live_step(&l);
    if (model->effects.count > most) most = model->effects.count;
  }
  assert_true(most > 1000 && most < 1100 && model->effects.count == 1 && model->contexts_off);
  check_finite(&l);
  check_copy(&l);
  sfnec_agent_destroy(l.agent);
}

// Where there are too many states they are made larger, up to a step; then every state goes to the nearest.
static void test_coarser(void **state) {
  (void)state;
  const world few = {
      "few states", plane, {.observation_size = 2, .action_count = 4, .feature_count = 1}, {"states=64", "radius=0.25"},
      3000,         4};
  const double w[] = {1};
  life l = {.in = &few, .random = sfnec_random_start(4, 1000)};
  l.agent = agent_for(&few.shape, "sfnec-plan", few.settings, 2);
  OK(sfnec_agent_begin_task(l.agent, w, NULL));
  while (l.step < few.steps) live_step(&l);
  const sfnec_model *model = sfnec_planner_model(l.agent->planner);
  assert_int_equal(model->coarser, 4); // 0.25 * 1.4^4 = 0.96
  assert_true(model->radius > 0.9f * model->step && model->radius <= model->step && model->state_count <= 64);
  check_copy(&l);
  sfnec_agent_destroy(l.agent);
}

// A walk on a field of 6 x 6 cells, one cell ahead at a time, with turns that are far in the numbers that it sees.
static bool turns(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step, (void)random;
  const float x = o[2], y = o[3];
  if (action == 2) {
    o[0] = fminf(5, fmaxf(0, o[0] + x));
    o[1] = fminf(5, fmaxf(0, o[1] + y));
  } else if (x == 0 && y == 0) { // at the beginning
    o[2] = 1;
  } else {
    o[2] = action ? y : -y;
    o[3] = action ? -x : x;
  }
  f[0] = o[0] == 5 && o[1] == 5;
  return f[0] > 0;
}

// Small moves are not lost among wide ones: states that are a cell apart are states of their own.
static void test_turns(void **state) {
  (void)state;
  const world field = {"turns",           turns, {.observation_size = 4, .action_count = 3, .feature_count = 1},
                       {"terminal=zero"}, 2000,  4};
  const double w[] = {1};
  life l = {.in = &field, .random = sfnec_random_start(4, 1000)};
  l.agent = agent_for(&field.shape, "sfnec-plan", field.settings, 11);
  OK(sfnec_agent_begin_task(l.agent, w, NULL));
  while (l.step < field.steps) live_step(&l);
  const sfnec_model *model = sfnec_planner_model(l.agent->planner);
  assert_true(model->radius < 0.6f * model->scaling.scale[0]); // of a cell
  assert_true(model->state_count > 35 * 4 - 10 && model->state_count <= 36 * 5);
  sfnec_agent_destroy(l.agent);
}

enum { FORKS = 6 };

// A tree that begins again: seen by its depth and the number of the branch, which doubles at each fork.
static bool tree(int step, int action, sfnec_random *random, float *o, double *f) {
  (void)step, (void)random;
  if (o[0] == FORKS) o[0] = o[1] = 0;
  o[0] += 1;
  o[1] = 2 * o[1] + (float)action;
  f[0] = o[0] == FORKS && o[1] == 21;
  return o[0] == FORKS;
}

// Where states come again to the bit, each is a state, however near it is to others, and each fork is tried both ways.
static void test_tree(void **state) {
  (void)state;
  const world forks = {"tree", tree, {.observation_size = 2, .action_count = 2, .feature_count = 1}, {"terminal=zero"},
                       2000,   4};
  const double w[] = {1};
  for (uint64_t seed = 1; seed <= 8; seed++) {
    life l = {.in = &forks, .random = sfnec_random_start(4, 1000)};
    l.agent = agent_for(&forks.shape, "sfnec-plan", forks.settings, seed);
    OK(sfnec_agent_begin_task(l.agent, w, NULL));
    while (l.step < forks.steps) live_step(&l);
    const sfnec_model *model = sfnec_planner_model(l.agent->planner);
    assert_true(model->radius < 0.01f * model->step);
    // of each branch; ends are also where the next episode begins
    assert_in_range(model->state_count, (2 << FORKS) - 1, (2 << FORKS) - 1 + (1 << FORKS));
    uint32_t tried = 0;
    for (uint32_t prediction = 0; prediction < 2 * model->state_count; prediction++) {
      tried += model->keys[prediction / 2 * model->stride] != model->high[0] && model->filled[prediction] > 0;
    }
    assert_int_equal(tried, (2 << FORKS) - 3); // the root was there once only
    sfnec_agent_destroy(l.agent);
  }
}

// What is no number is refused, and changes nothing.
static void test_not_finite(void **state) {
  (void)state;
  life l = {.in = &worlds[0], .random = sfnec_random_start(4, 1000)};
  const double w[] = {1};
  l.agent = agent_for(&l.in->shape, "sfnec-plan", NULL, 2);
  OK(sfnec_agent_begin_task(l.agent, w, NULL));
  for (int i = 0; i < 150; i++) live_step(&l);
  if (!l.running) OK(sfnec_agent_begin_episode(l.agent));
  const float bad[][2] = {{NAN, 1}, {1, INFINITY}, {-INFINITY, 0}};
  int32_t action;
  for (int i = 0; i < 3; i++) {
    OK(sfnec_agent_save(l.agent, "before.agent"));
    REFUSED(sfnec_agent_act(l.agent, bad[i], &action), SFNEC_ERROR_ARGUMENT, "finite");
    OK(sfnec_agent_save(l.agent, "after.agent"));
    assert_true(same_files("before.agent", "after.agent"));
  }
  OK(sfnec_agent_act(l.agent, l.observation, &action));
  const double features[] = {NAN}, good[] = {1};
  sfnec_transition moved = {.action = action, .features = features, .next_observation = l.observation};
  REFUSED(sfnec_agent_observe(l.agent, &moved), SFNEC_ERROR_ARGUMENT, "finite");
  moved.features = good;
  moved.next_observation = bad[1];
  REFUSED(sfnec_agent_observe(l.agent, &moved), SFNEC_ERROR_ARGUMENT, "finite");
  moved.next_observation = l.observation;
  OK(sfnec_agent_observe(l.agent, &moved));
  sfnec_agent_destroy(l.agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_worlds), cmocka_unit_test(test_effects), cmocka_unit_test(test_coarser),
      cmocka_unit_test(test_turns),  cmocka_unit_test(test_tree),    cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
