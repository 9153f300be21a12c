// test_run.c: the paper's protocol: slices change nothing, totals are what an independent loop finds, tasks depend on
// the seed alone.
#include "support/player.h"

#include "sfnec/run.h"

enum { TASKS = 3, STEPS = 250 };
static const sfnec_run_options protocol = {.tasks = TASKS, .steps = STEPS};
static const char *const settings[] = {"capacity=200", NULL};

typedef struct job {
  sfnec_agent *agent;
  sfnec_env *env;
  sfnec_run *run;
} job;

static job open_job(const char *env, const char *preset, const char *const *with, uint64_t seed) {
  job j = {.env = open_env(env, short_episodes, seed)};
  const sfnec_env_shape shape = sfnec_env_get_shape(j.env);
  j.agent = agent_for(&shape, preset, with, seed);
  OK(sfnec_run_create(j.agent, j.env, &protocol, &j.run));
  return j;
}

static void close_job(job *j) {
  sfnec_run_destroy(j->run);
  sfnec_agent_destroy(j->agent);
  sfnec_env_destroy(j->env);
}

static void check_same(const job *a, const job *b) {
  uint32_t na, nb;
  const sfnec_task_result *ra = sfnec_run_get_results(a->run, &na), *rb = sfnec_run_get_results(b->run, &nb);
  assert_true(na == TASKS && nb == TASKS);
  for (int i = 0; i < TASKS; i++) {
    assert_true(ra[i].total == rb[i].total && ra[i].episodes == rb[i].episodes && ra[i].goals == rb[i].goals &&
                ra[i].entries == rb[i].entries);
  }
  OK(sfnec_agent_save(a->agent, "a.agent"));
  OK(sfnec_agent_save(b->agent, "b.agent"));
  assert_true(same_files("a.agent", "b.agent"));
}

static void test_defaults(void **state) {
  (void)state;
  sfnec_run_options options;
  sfnec_run_options_default(&options);
  assert_true(options.steps == 20000 && options.tasks >= 1);
}

static void test_slices(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "nec", "sfql"};
  for (int i = 0; i < 3; i++) {
    job whole = open_job("four_rooms", presets[i], settings, 3),
        sliced = open_job("four_rooms", presets[i], settings, 3);
    OK(sfnec_run_advance(whole.run, INT64_MAX));
    assert_true(sfnec_run_is_done(whole.run));
    int64_t done = 0;
    for (int64_t slice = 0; !sfnec_run_is_done(sliced.run); slice = (slice * 7 + 1) % 97) {
      OK(sfnec_run_advance(sliced.run, slice));
      done += slice;
      if (done > TASKS * STEPS) done = TASKS * STEPS;
      assert_int_equal(sfnec_run_get_steps_done(sliced.run), done);
      uint32_t count;
      sfnec_run_get_results(sliced.run, &count);
      assert_int_equal(count, done / STEPS);
      assert_int_equal(sfnec_run_is_done(sliced.run), done == TASKS * STEPS);
    }
    check_same(&whole, &sliced);
    // past the end nothing happens
    OK(sfnec_run_advance(whole.run, 100));
    OK(sfnec_run_advance(whole.run, -5));
    assert_int_equal(sfnec_run_get_steps_done(whole.run), TASKS * STEPS);
    check_same(&whole, &sliced);
    close_job(&whole);
    close_job(&sliced);
  }
}

// The same protocol written again by hand against the agent's and the environment's functions only.
static void simulate(const char *preset, const char *const *with, uint64_t seed, sfnec_task_result out[TASKS]) {
  sfnec_env *env = open_env("four_rooms", short_episodes, seed);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, preset, with, seed);
  float observation[128];
  double w[8], features[8];
  for (uint32_t task = 0; task < TASKS; task++) {
    out[task] = (sfnec_task_result){0};
    sfnec_env_get_task_weights(env, task, w);
    OK(sfnec_agent_begin_task(agent, sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN ? w : NULL, NULL));
    bool running = false;
    for (int s = 0; s < STEPS; s++) {
      if (!running) {
        OK(sfnec_env_reset(env, observation));
        OK(sfnec_agent_begin_episode(agent));
      }
      int32_t action;
      sfnec_env_outcome outcome;
      OK(sfnec_agent_act(agent, observation, &action));
      OK(sfnec_env_step(env, action, observation, features, &outcome));
      double reward = 0;
      for (int f = 0; f < shape.feature_count; f++) reward += features[f] * w[f];
      const bool cut = outcome.truncated || s == STEPS - 1;
      const sfnec_transition transition = {action, features, reward, observation, outcome.terminated, cut, NULL};
      OK(sfnec_agent_observe(agent, &transition));
      out[task].total += reward;
      running = !outcome.terminated && !cut;
      out[task].episodes += !running;
      out[task].goals += outcome.terminated;
    }
    for (uint32_t t = 0; t <= task; t++) out[task].entries += entries_of(agent, t);
    sfnec_model_info model;
    if (strcmp(preset, "sfnec-plan") == 0) {
      OK(sfnec_agent_get_model_info(agent, &model));
      assert_true(model.places > 0);
      out[task].places = model.places;
    }
  }
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

static void test_totals(void **state) {
  (void)state;
  const char *const learned[] = {"w=sgd", "capacity=200", NULL};
  const char *const presets[] = {"sfnec", "sfnec-plus", "nec", "sfql", "sfnec", "sfnec-plan"};
  double magnitude = 0;
  for (int i = 0; i < 6; i++) {
    const char *const *with = i == 4 ? learned : settings;
    job j = open_job("four_rooms", presets[i], with, 7);
    OK(sfnec_run_advance(j.run, INT64_MAX));
    uint32_t count;
    const sfnec_task_result *results = sfnec_run_get_results(j.run, &count);
    sfnec_task_result expected[TASKS];
    simulate(presets[i], with, 7, expected);
    for (int t = 0; t < TASKS; t++) {
      assert_true(results[t].total == expected[t].total);
      assert_int_equal(results[t].episodes, expected[t].episodes);
      assert_int_equal(results[t].goals, expected[t].goals);
      assert_int_equal(results[t].entries, expected[t].entries);
      assert_int_equal(results[t].places, expected[t].places);
      assert_true(results[t].seconds >= 0 && results[t].episodes >= STEPS / 17);
      magnitude += fabs(results[t].total);
    }
    close_job(&j);
  }
  assert_true(magnitude > 0);
}

// Every agent of a seed is told the same weights, and those that learn them are not told.
static void test_weights(void **state) {
  (void)state;
  job sfnec = open_job("four_rooms", "sfnec", settings, 5), sfql = open_job("four_rooms", "sfql", settings, 5);
  job other = open_job("four_rooms", "sfnec", settings, 6);
  OK(sfnec_run_advance(sfnec.run, INT64_MAX));
  OK(sfnec_run_advance(sfql.run, INT64_MAX));
  OK(sfnec_run_advance(other.run, INT64_MAX));
  for (uint32_t t = 0; t < TASKS; t++) {
    double a[4], b[4], c[4], d[4];
    OK(sfnec_agent_get_task_weights(sfnec.agent, t, a));
    OK(sfnec_agent_get_task_weights(sfql.agent, t, b));
    OK(sfnec_agent_get_task_weights(other.agent, t, c));
    sfnec_env_get_task_weights(sfnec.env, t, d);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a, d, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    assert_true(a[3] == 1);
    for (int f = 0; f < 3; f++) assert_true(a[f] >= -1 && a[f] <= 1);
  }
  close_job(&sfnec);
  close_job(&sfql);
  close_job(&other);

  const char *const learned[] = {"w=rls", "capacity=200", NULL};
  job rls = open_job("four_rooms", "sfnec", learned, 5);
  OK(sfnec_run_advance(rls.run, 1));
  double w[4];
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(rls.agent, 0, &info));
  OK(sfnec_agent_get_task_weights(rls.agent, 0, w));
  assert_true(info.learned && w[0] == 0 && w[3] == 0);
  close_job(&rls);
}

static void test_refused(void **state) {
  (void)state;
  sfnec_env *env = open_env("four_rooms", NULL, 1);
  sfnec_run *run = NULL;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  REFUSED(sfnec_run_create(agent, env, &protocol, &run), SFNEC_ERROR_ARGUMENT,
          "the agent does not fit four_rooms: it has 4 observations, 2 actions and 2 features, the environment 113, 4 "
          "and 4");
  sfnec_agent_destroy(agent);
  sfnec_env_shape shape = sfnec_env_get_shape(env);
  shape.action_count++;
  agent = agent_for(&shape, "sfnec", NULL, 1);
  REFUSED(sfnec_run_create(agent, env, &protocol, &run), SFNEC_ERROR_ARGUMENT, "the agent does not fit four_rooms");
  sfnec_agent_destroy(agent);
  shape = sfnec_env_get_shape(env);
  agent = agent_for(&shape, "sfnec", NULL, 1);
  const sfnec_run_options bad[] = {{.tasks = 0, .steps = 10}, {.tasks = 1, .steps = 0}, {.tasks = 1, .steps = -1}};
  for (int i = 0; i < 3; i++) {
    REFUSED(sfnec_run_create(agent, env, &bad[i], &run), SFNEC_ERROR_ARGUMENT, "at least one task and one step");
  }
  assert_null(run);
  sfnec_run_destroy(NULL);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_slices),  cmocka_unit_test(test_totals),
      cmocka_unit_test(test_weights),  cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
