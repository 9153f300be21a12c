// test_limits.c: when tasks end, and what their results say, worked out by hand.
//
// The world: episodes of three steps, one action; phi is (1, 0), (1, 0), (0, 1); w of task t is (t + 1, 10). So an
// episode of task 0 is worth 1 + 1 + 10.
#include "support/tiny.h"

#include "sfnec/run.h"

typedef struct stairs {
  int64_t at;
} stairs;

static sfnec_env_shape stairs_shape(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = 3, .action_count = 1, .feature_count = 2};
}

static void look(const stairs *s, float *observation) {
  for (int i = 0; i < 3; i++) observation[i] = s->at == i;
}

static void stairs_reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)options, (void)world;
  ((stairs *)self)->at = 0;
  look(self, observation);
}

static sfnec_env_outcome stairs_step(void *self, const void *options, int32_t action, sfnec_random *world,
                                     float *observation, double *features) {
  (void)options, (void)world, (void)action;
  stairs *s = self;
  s->at++;
  features[0] = s->at < 3;
  features[1] = s->at == 3;
  look(s, observation);
  return (sfnec_env_outcome){.terminated = s->at == 3};
}

// The number of a task is not told, but its place in the stream is.
static void stairs_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options;
  w[0] = (double)(tasks->counter >> 32) + 1;
  w[1] = 10;
}

// What it is told, and how often it was asked.
static sfnec_status stairs_optimum(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                                   double *value) {
  (void)self, (void)options;
  if (!*memo) *memo = calloc(1, sizeof(int64_t));
  if (!*memo) return SFNEC_ERROR_MEMORY;
  int64_t *asked = *memo;
  *value = 1000 * w[0] + (double)steps + 0.25 * (double)++*asked;
  return SFNEC_OK;
}

static const sfnec_env_kind stairs_kind = {.name = "stairs",
                                           .help = "three steps",
                                           .state_size = sizeof(stairs),
                                           .shape = stairs_shape,
                                           .reset = stairs_reset,
                                           .step = stairs_step,
                                           .sample_task = stairs_task,
                                           .optimum = stairs_optimum};

typedef struct job {
  sfnec_env *env;
  sfnec_agent *agent;
  sfnec_run *run;
} job;

static job open_job(const char *preset, const char *const *settings, sfnec_run_options options) {
  job j;
  OK(sfnec_env_create(&stairs_kind, NULL, 1, &j.env));
  const sfnec_env_shape shape = sfnec_env_get_shape(j.env);
  j.agent = agent_for(&shape, preset, settings, 1);
  OK(sfnec_run_create(j.agent, j.env, &options, &j.run));
  return j;
}

static void close_job(job *j) {
  sfnec_run_destroy(j->run);
  sfnec_agent_destroy(j->agent);
  sfnec_env_destroy(j->env);
}

static void check_result(const job *j, uint32_t task, double total, int64_t steps, int64_t episodes, int64_t goals) {
  uint32_t count;
  const sfnec_task_result *result = &sfnec_run_get_results(j->run, &count)[task];
  assert_true(task < count);
  assert_true(result->total == total);
  assert_int_equal(result->steps, steps);
  assert_int_equal(result->episodes, episodes);
  assert_int_equal(result->goals, goals);
}

static void test_steps(void **state) {
  (void)state;
  job j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 2, .steps = 7});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  check_result(&j, 0, 12 + 12 + 1, 7, 3, 2);
  check_result(&j, 1, 14 + 14 + 2, 7, 3, 2);
  assert_int_equal(sfnec_run_get_steps_done(j.run), 14);
  close_job(&j);
}

static void test_episodes(void **state) {
  (void)state;
  job j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 2, .episodes = 2});
  OK(sfnec_run_advance(j.run, 4));
  assert_int_equal(sfnec_run_get_steps_done(j.run), 4);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  assert_true(sfnec_run_is_done(j.run));
  check_result(&j, 0, 24, 6, 2, 2);
  check_result(&j, 1, 28, 6, 2, 2);
  assert_int_equal(sfnec_run_get_steps_done(j.run), 12);
  close_job(&j);
}

// Whichever comes first, and both at once.
static void test_both(void **state) {
  (void)state;
  const struct {
    int64_t limit;
    double total;
    int64_t steps, episodes, goals;
  } cases[] = {{4, 13, 4, 2, 1}, {6, 24, 6, 2, 2}, {7, 24, 6, 2, 2}, {2, 2, 2, 1, 0}};
  for (int i = 0; i < 4; i++) {
    job j = open_job("sfql", NULL, (sfnec_run_options){.tasks = 1, .steps = cases[i].limit, .episodes = 2});
    OK(sfnec_run_advance(j.run, INT64_MAX));
    check_result(&j, 0, cases[i].total, cases[i].steps, cases[i].episodes, cases[i].goals);
    close_job(&j);
  }
}

static void test_share(void **state) {
  (void)state;
  job j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 3, .steps = 8, .episodes = 4});
  assert_true(sfnec_run_get_tasks_done(j.run) == 0.0);
  OK(sfnec_run_advance(j.run, 2));
  assert_true(sfnec_run_get_tasks_done(j.run) == 0.25); // 2 of 8 steps, no episode
  OK(sfnec_run_advance(j.run, 1));
  assert_true(sfnec_run_get_tasks_done(j.run) == 0.375); // 3 of 8, 1 of 4
  OK(sfnec_run_advance(j.run, 5));
  assert_true(sfnec_run_get_tasks_done(j.run) == 1.0);
  OK(sfnec_run_advance(j.run, 8 + 4));
  assert_true(sfnec_run_get_tasks_done(j.run) == 2.5);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  assert_true(sfnec_run_get_tasks_done(j.run) == 3.0);
  close_job(&j);
  j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 3, .steps = 30, .episodes = 2});
  OK(sfnec_run_advance(j.run, 3));
  assert_true(sfnec_run_get_tasks_done(j.run) == 0.5); // 3 of 30, 1 of 2
  close_job(&j);
}

static void test_kept_episodes(void **state) {
  (void)state;
  job j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 2, .steps = 7, .keep_episodes = true});
  size_t count;
  OK(sfnec_run_advance(j.run, 6));
  sfnec_run_get_episodes(j.run, &count);
  assert_int_equal(count, 0); // no task is finished yet
  OK(sfnec_run_advance(j.run, 4));
  sfnec_run_get_episodes(j.run, &count);
  assert_int_equal(count, 3);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  const sfnec_episode_result expected[6] = {{0, 3, 12, true}, {0, 3, 12, true}, {0, 1, 1, false},
                                            {1, 3, 14, true}, {1, 3, 14, true}, {1, 1, 2, false}};
  const sfnec_episode_result *found = sfnec_run_get_episodes(j.run, &count);
  assert_int_equal(count, 6);
  for (int i = 0; i < 6; i++) {
    assert_true(found[i].task == expected[i].task && found[i].steps == expected[i].steps &&
                found[i].total == expected[i].total && found[i].terminated == expected[i].terminated);
  }
  close_job(&j);
  j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 2, .steps = 7});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  sfnec_run_get_episodes(j.run, &count);
  assert_int_equal(count, 0);
  close_job(&j);
}

static double w_error(const char *preset, const char *const *settings, int64_t steps, uint32_t task) {
  job j = open_job(preset, settings, (sfnec_run_options){.tasks = task + 1, .steps = steps});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  uint32_t count;
  const double error = sfnec_run_get_results(j.run, &count)[task].w_error;
  close_job(&j);
  return error;
}

static void test_w_error(void **state) {
  (void)state;
  const char *const still[] = {"w=sgd", "w_rate=0", "w_init_sd=0", NULL};
  const char *const half[] = {"w=sgd", "w_rate=0.5", "w_init_sd=0", NULL};
  const char *const rls[] = {"w=rls", "rls_prior=1e9", NULL};
  // w stays (0, 0)
  NEAR(w_error("sfnec", still, 7, 0), sqrt(1.0 + 100.0), 1e-15);
  NEAR(w_error("sfnec", still, 7, 2), sqrt(9.0 + 100.0), 1e-15);
  // (0.5, 0), (0.75, 0), (0.75, 5): half of the error each time
  NEAR(w_error("sfnec", half, 1, 0), sqrt(0.25 + 100.0), 1e-15);
  NEAR(w_error("sfql", half, 2, 0), sqrt(0.0625 + 100.0), 1e-15);
  NEAR(w_error("sfnec", half, 3, 0), sqrt(0.0625 + 25.0), 1e-15);
  assert_true(w_error("sfnec", rls, 3, 0) < 1e-6);
  // given, or not used
  assert_true(w_error("sfnec", NULL, 3, 1) == 0.0);
  assert_true(w_error("nec", still, 3, 1) == 0.0);
  assert_true(w_error("ql", NULL, 3, 1) == 0.0);
}

static void test_optimum(void **state) {
  (void)state;
  uint32_t count;
  job j = open_job("ql", NULL, (sfnec_run_options){.tasks = 3, .steps = 7});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  const sfnec_task_result *results = sfnec_run_get_results(j.run, &count);
  for (uint32_t i = 0; i < count; i++) assert_true(results[i].optimum == 1000.0 * (i + 1) + 7 + 0.25 * (i + 1));
  close_job(&j);
  // of so many episodes it is not known
  j = open_job("ql", NULL, (sfnec_run_options){.tasks = 1, .steps = 7, .episodes = 2});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  assert_true(isnan(sfnec_run_get_results(j.run, &count)->optimum));
  close_job(&j);
}

static void check_uses(const job *j, uint32_t task, uint32_t count, const int64_t *expected) {
  uint32_t found;
  const int64_t *uses = sfnec_run_get_uses(j->run, task, &found);
  assert_int_equal(found, count);
  for (uint32_t i = 0; i < count; i++) assert_int_equal(uses[i], expected[i]);
}

static void test_uses(void **state) {
  (void)state;
  // own policy only
  job j = open_job("sfnec-nogpi", NULL, (sfnec_run_options){.tasks = 3, .steps = 7});
  OK(sfnec_run_advance(j.run, 10));
  check_uses(&j, 0, 1, (int64_t[]){7});
  uint32_t count;
  assert_true(!sfnec_run_get_uses(j.run, 1, &count) && count == 0); // not finished
  assert_true(!sfnec_run_get_uses(j.run, 99, &count) && count == 0);
  OK(sfnec_run_advance(j.run, INT64_MAX));
  check_uses(&j, 1, 2, (int64_t[]){0, 7});
  check_uses(&j, 2, 3, (int64_t[]){0, 0, 7});
  close_job(&j);

  // the second task writes nothing before its first episode ends, so the first one's policy is worth more until then
  const char *const late[] = {"write=episode", "epsilon=0", "ties=first", NULL};
  j = open_job("sfnec", late, (sfnec_run_options){.tasks = 2, .steps = 3});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  check_uses(&j, 0, 1, (int64_t[]){3});
  check_uses(&j, 1, 2, (int64_t[]){3, 0});
  close_job(&j);

  // they add up to what the agent has counted
  j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 4, .steps = 50});
  OK(sfnec_run_advance(j.run, INT64_MAX));
  int64_t sums[4] = {0};
  for (uint32_t t = 0; t < 4; t++) {
    const int64_t *uses = sfnec_run_get_uses(j.run, t, &count);
    int64_t all = 0;
    for (uint32_t i = 0; i < count; i++) all += uses[i], sums[i] += uses[i];
    assert_int_equal(all, 50);
  }
  for (uint32_t t = 0; t < 4; t++) {
    sfnec_task_info info;
    OK(sfnec_agent_get_task_info(j.agent, t, &info));
    assert_int_equal(info.chosen, sums[t]);
  }
  close_job(&j);
}

static void test_refused(void **state) {
  (void)state;
  job j = open_job("sfnec", NULL, (sfnec_run_options){.tasks = 1, .steps = 1});
  const sfnec_run_options bad[] = {{.tasks = 1}, {.tasks = 1, .steps = 5, .episodes = -1}, {.steps = 5}};
  sfnec_run *run = NULL;
  for (int i = 0; i < 3; i++) {
    REFUSED(sfnec_run_create(j.agent, j.env, &bad[i], &run), SFNEC_ERROR_ARGUMENT,
            "at least one task and one step or episode per task");
  }
  assert_null(run);
  close_job(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_steps), cmocka_unit_test(test_episodes),      cmocka_unit_test(test_both),
      cmocka_unit_test(test_share), cmocka_unit_test(test_w_error),       cmocka_unit_test(test_optimum),
      cmocka_unit_test(test_uses),  cmocka_unit_test(test_kept_episodes), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
