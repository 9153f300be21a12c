// test_plan_contexts.c: worlds in which states come again to the bit, and in which an action does another thing when
// something else was done before: what was learned in one context must not be taken for granted in all.
#include "support/tiny.h"

#include "agent/agent.h"
#include "agent/plan/internal.h"

enum { MOST = 8, EPISODE = 60 };

typedef struct world {
  sfnec_env_shape shape;
  void (*begin)(int episode, float *observation);
  bool (*go)(int action, float *observation, double *features); // returns whether the episode ended
} world;

// Left, right.
static float walk(float at, int action, float low, float high) {
  return fminf(fmaxf(at + (action == 0 ? -1.0f : action == 1 ? 1.0f : 0.0f), low), high);
}

// ---- the worlds ----

// A locked door (o[2]: 1 if open) between 2 and 3; a key lies at 0, 1 or 2 (o[3] to o[5]), or is carried (o[1]). The
// third action uses what is there: takes the key, opens the door with it from 2, puts it down elsewhere.
static void begin_door(int episode, float *o) {
  memset(o, 0, MOST * sizeof *o);
  o[0] = 1;
  o[3 + episode % 3] = 1;
}

static bool go_door(int action, float *o, double *reward) {
  float *lying = &o[3 + (int)o[0]];
  if (action < 2) {
    o[0] = walk(o[0], action, 0, o[2] == 1 || o[0] > 2 ? 5 : 2);
  } else if (o[0] <= 2 && *lying == 1) {
    *lying = 0, o[1] = 1;
  } else if (o[1] == 1 && o[0] == 2) {
    o[2] = 1 - o[2];
  } else if (o[1] == 1 && o[0] < 2) {
    *lying = 1, o[1] = 0;
  }
  *reward = o[0] == 5;
  return o[0] == 5;
}

// At 0 it is home, where the episode ends, and gold that was found at 12 (o[1]) is worth something.
static void begin_home(int episode, float *o) {
  (void)episode;
  memset(o, 0, MOST * sizeof *o);
  o[0] = 1;
}

static bool go_home(int action, float *o, double *reward) {
  o[0] = walk(o[0], action, 0, 12);
  if (o[0] == 12) o[1] = 1;
  *reward = o[0] == 0 && o[1] == 1;
  return o[0] == 0;
}

// Three coins on the way, at 2, 4 and 6 (o[1] to o[3]: taken), and the end at 8.
static bool go_coins(int action, float *o, double *reward) {
  o[0] = walk(o[0], action, 0, 8);
  const int coin = (int)o[0] / 2;
  *reward = 0;
  if (o[0] == 2 * (float)coin && coin >= 1 && coin <= 3 && o[coin] == 0) o[coin] = 1, *reward = 1;
  return o[0] == 8;
}

// Home is at 0, with gold from 8 (o[1]); one in seven who come to 4 ends there.
static int entered; // so many times

static bool go_trap(int action, float *o, double *reward) {
  o[0] = walk(o[0], action, 0, 8);
  if (o[0] == 8) o[1] = 1;
  *reward = o[0] == 0 && o[1] == 1;
  return o[0] == 0 || (o[0] == 4 && ++entered % 7 == 6);
}

// Gold lies at 0 (o[1]: found), a gem at 12 (o[2]); the third action sells them at 6, and that is the end.
static void begin_shop(int episode, float *o) {
  (void)episode;
  memset(o, 0, MOST * sizeof *o);
  o[0] = 6;
}

static bool go_shop(int action, float *o, double *paid) {
  o[0] = walk(o[0], action, 0, 12);
  if (o[0] == 0) o[1] = 1;
  if (o[0] == 12) o[2] = 1;
  const bool sold = action == 2 && o[0] == 6;
  paid[0] = sold ? (double)o[1] : 0;
  paid[1] = sold ? (double)o[2] : 0;
  return sold;
}

// ---- living in them ----

static void train(const world *in, sfnec_agent *agent, int steps, const double *w) {
  float o[MOST];
  for (int step = 0, episode = 0; step < steps; episode++) {
    OK(sfnec_agent_begin_episode(agent));
    in->begin(episode, o);
    sfnec_transition moved = {.next_observation = o};
    for (int t = 0; t < EPISODE && !moved.terminated; t++, step++) {
      OK(sfnec_agent_act(agent, o, &moved.action));
      double features[FEATURES] = {0};
      moved.terminated = in->go(moved.action, o, features);
      moved.truncated = !moved.terminated && t + 1 == EPISODE;
      moved.reward = features[0] * w[0] + features[1] * w[1];
      moved.features = features;
      OK(sfnec_agent_observe(agent, &moved));
    }
  }
}

// The steps of a greedy episode under w that earns something; else EPISODE.
static int play_for(const world *in, const sfnec_agent *agent, int episode, const double *w) {
  float o[MOST];
  in->begin(episode, o);
  for (int t = 1; t <= EPISODE; t++) {
    double q[2 * 3], features[FEATURES] = {0};
    OK(ask_q(agent, o, w, q));
    int best = 0;
    for (int a = 1; a < in->shape.action_count; a++) best = q[a] > q[best] ? a : best;
    if (in->go(best, o, features)) return features[0] > 0 ? t : EPISODE;
  }
  return EPISODE;
}

static int play(const world *in, const sfnec_agent *agent, int episode) {
  return play_for(in, agent, episode, NULL);
}

static const double first_only[FEATURES] = {1, 0};

static sfnec_agent *learned(const world *in, int steps, uint64_t seed) {
  const char *const settings[] = {"terminal=zero", "gamma=0.97", NULL};
  sfnec_agent *agent = agent_for(&in->shape, "sfnec-plan", settings, seed);
  OK(sfnec_agent_begin_task(agent, first_only, NULL));
  train(in, agent, steps, first_only);
  return agent;
}

// ---- what is has_target ----

static const world door = {{.observation_size = 6, .action_count = 3, .feature_count = 1}, begin_door, go_door};
static const world home = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_home};
static const world coins = {{.observation_size = 4, .action_count = 2, .feature_count = 1}, begin_home, go_coins};
static const world trap = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_trap};
static const world shop = {{.observation_size = 3, .action_count = 3, .feature_count = 2}, begin_shop, go_shop};

// A door that was locked may be open, and what could be put down somewhere may be gone: the shortest ways are found, to
// the key, to 2 and through the door.
static void test_door(void **state) {
  (void)state;
  const int shortest[] = {1 + 1 + 2 + 1 + 3, 1 + 1 + 1 + 3, 1 + 1 + 1 + 3};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    sfnec_agent *agent = learned(&door, 1000, seed);
    for (int i = 0; i < 3; i++) assert_int_equal(play(&door, agent, i), shortest[i]);
    sfnec_agent_destroy(agent);
  }
}

// An end that is worth nothing is tried again with what was found since.
static void test_home(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    sfnec_agent *agent = learned(&home, 2000, seed);
    assert_int_equal(play(&home, agent, 0), 11 + 12);
    sfnec_agent_destroy(agent);
  }
}

// What tells two outcomes apart already is the reason for them: no coin matters where another one is taken.
static void test_coins(void **state) {
  (void)state;
  sfnec_agent *agent = learned(&coins, 2000, 1);
  const sfnec_model *model = sfnec_planner_model(agent->planner);
  assert_true(sfnec_model_is_tabular(model) && model->contexts.count >= 4);
  for (uint32_t prediction = 0; prediction < 2 * model->state_count; prediction++)
    assert_in_range(model->predictions[prediction].relevant_count, 0, 1);
  sfnec_agent_destroy(agent);
}

// What happens by chance is no matter of the context, though now and then it happened in one context only: with gold
// and without it the trap is worth passing.
static void test_chance(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    entered = 0;
    sfnec_agent *agent = learned(&trap, 3000, seed);
    const sfnec_model *model = sfnec_planner_model(agent->planner);
    assert_true(sfnec_model_is_tabular(model) && model->contexts.count == 2);
    for (int gold = 0; gold < 2; gold++) {
      const float o[MOST] = {gold ? 5 : 3, (float)gold};
      double q[2];
      OK(ask_q(agent, o, NULL, q));
      assert_true(gold ? q[0] > q[1] : q[1] > q[0]);
    }
    sfnec_agent_destroy(agent);
  }
}

// What was found is worth something later only, and under weights that were never trained: both are fetched and sold.
static void test_shop(void **state) {
  (void)state;
  const double second[] = {1, 1}, wanted[] = {1, 0.9};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    sfnec_agent *agent = learned(&shop, 1000, seed);
    OK(sfnec_agent_begin_task(agent, second, NULL));
    train(&shop, agent, 1000, second);
    assert_int_equal(play_for(&shop, agent, 0, wanted), 6 + 12 + 6 + 1);
    sfnec_agent_destroy(agent);
  }
}

// Sees a transition of three components; the first one walks.
static void see(sfnec_scaling *scaling, int t, float second, float third, float to_second, float to_third) {
  const float before[] = {(float)(t % 7), second, third}, after[] = {(float)((t + 1) % 7), to_second, to_third};
  sfnec_scaling_see(scaling, before, after);
}

// A component that was constant until the fit counts nothing in keys: its first change calls for another fit.
static void test_constant(void **state) {
  (void)state;
  sfnec_scaling scaling;
  OK(sfnec_scaling_init(&scaling, 3));
  for (int t = 0; t < 300; t++) see(&scaling, t, 1, 0, 1, 0);
  OK(sfnec_scaling_fit(&scaling, SFNEC_SLOW_NONE, false, true, NULL, 0));
  assert_false(sfnec_scaling_is_stale(&scaling, SFNEC_SLOW_NONE, false));
  see(&scaling, 300, 1, 0, 1, 5);
  assert_true(sfnec_scaling_is_stale(&scaling, SFNEC_SLOW_NONE, false));
  OK(sfnec_scaling_fit(&scaling, SFNEC_SLOW_NONE, false, true, NULL, 0));
  assert_true(scaling.scale[2] > 0 && !sfnec_scaling_is_stale(&scaling, SFNEC_SLOW_NONE, false));
  sfnec_scaling_clear(&scaling);
}

// The slow ones of three components, of which the third counts up to a number every 30 transitions, and the second is
// another one in every episode of as many, and changes in none.
static size_t count_slow(int most, sfnec_slow kinds) {
  sfnec_scaling scaling;
  OK(sfnec_scaling_init(&scaling, 3));
  for (int t = 0; t < 300; t++) {
    const float episode = (float)(t / 30 % 5), count = (float)(t / 30 % most);
    see(&scaling, t, episode, count, episode, t % 30 == 29 ? count + 1 : count);
  }
  OK(sfnec_scaling_fit(&scaling, kinds, false, true, NULL, 0));
  assert_false(sfnec_scaling_is_stale(&scaling, kinds, true));
  const size_t slow = scaling.slow_count;
  sfnec_scaling_clear(&scaling);
  return slow;
}

// A flag may make contexts, and what no action changes; a count only where it is worth it.
static void test_counts(void **state) {
  (void)state;
  assert_int_equal(count_slow(1, SFNEC_SLOW_NONE), 0);
  assert_int_equal(count_slow(1, SFNEC_SLOW_FLAGS), 2);
  assert_int_equal(count_slow(3, SFNEC_SLOW_FLAGS), 1);
  assert_int_equal(count_slow(3, SFNEC_SLOW_COUNTS), 2);
}

// Home is at 0, and what was found at 12 counts up to 3 (o[1]).
static bool go_counting(int action, float *o, double *reward) {
  const float before = o[0];
  o[0] = walk(o[0], action, 0, 12);
  if (o[0] == 12 && before < 12) o[1] = fminf(o[1] + 1, 3);
  *reward = o[0] == 0 && o[1] > 0;
  return o[0] == 0;
}

// The same, but hardly a state comes again.
static bool go_astray(int action, float *o, double *reward) {
  const float before = o[0], noise = (float)(++entered % 997) * 1e-4f;
  o[0] = walk(o[0], action, 0, 12.5f) + noise * (o[0] > 1 ? 1 : 0);
  if (o[0] >= 12 && before < 12) o[1] = fminf(o[1] + 1, 3);
  *reward = o[0] <= 0 && o[1] > 0;
  return o[0] <= 0;
}

// A count is a context on a tabular; elsewhere it is outcome of the state.
static void test_counting(void **state) {
  (void)state;
  entered = 0;
  const world counting = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_counting},
              astray = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_astray};
  sfnec_agent *agent = learned(&counting, 2000, 1);
  assert_true(sfnec_model_is_tabular(&agent->planner->model));
  assert_true(agent->planner->model.scaling.components[1].value_count > 2);
  assert_int_equal(agent->planner->model.scaling.slow_count, 1);
  sfnec_agent_destroy(agent);
  agent = learned(&astray, 2000, 1);
  assert_false(sfnec_model_is_tabular(&agent->planner->model));
  assert_true(agent->planner->model.scaling.components[1].value_count > 2);
  assert_int_equal(agent->planner->model.scaling.slow_count, 0);
  sfnec_agent_destroy(agent);
}

// A loaded agent goes on as the other does, also where ends are still to be tried in other contexts.
static void test_loaded(void **state) {
  (void)state;
  for (int steps = 200; steps <= 1000; steps += 100) {
    sfnec_agent *agent = learned(&home, steps, 1), *copy = NULL;
    OK(sfnec_agent_save(agent, "half.agent"));
    OK(sfnec_agent_load("half.agent", &copy));
    train(&home, agent, 200, first_only);
    train(&home, copy, 200, first_only);
    OK(sfnec_agent_save(agent, "whole.agent"));
    OK(sfnec_agent_save(copy, "copy.agent"));
    assert_true(same_files("whole.agent", "copy.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(copy);
  }
}

// The regime stands in files; older ones do not have it, and one that the states contradict is refused.
static void test_regime(void **state) {
  (void)state;
  entered = 0;
  const world counting = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_counting},
              astray = {{.observation_size = 2, .action_count = 2, .feature_count = 1}, begin_home, go_astray};
  const sfnec_regime expected[] = {SFNEC_REGIME_TABULAR, SFNEC_REGIME_CONTINUOUS};
  for (int i = 0; i < 2; i++) {
    sfnec_agent *agent = learned(i == 0 ? &counting : &astray, 2000, 1), *copy = NULL;
    sfnec_regime *regime = &agent->planner->model.scaling.regime;
    assert_int_equal(*regime, expected[i]);
    const sfnec_regime kept[] = {expected[i], SFNEC_REGIME_NONE};
    for (int k = 0; k < 2; k++) {
      *regime = kept[k];
      OK(sfnec_agent_save(agent, "regime.agent"));
      OK(sfnec_agent_load("regime.agent", &copy));
      assert_int_equal(copy->planner->model.scaling.regime, expected[i]);
      sfnec_agent_destroy(copy);
    }
    *regime = expected[1 - i];
    OK(sfnec_agent_save(agent, "regime.agent"));
    assert_int_equal(sfnec_agent_load("regime.agent", &copy), SFNEC_ERROR_FORMAT);
    sfnec_agent_destroy(agent);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_door),   cmocka_unit_test(test_home),     cmocka_unit_test(test_coins),
      cmocka_unit_test(test_chance), cmocka_unit_test(test_shop),     cmocka_unit_test(test_constant),
      cmocka_unit_test(test_counts), cmocka_unit_test(test_counting), cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_regime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
