// test_diagnosis.c: what keeps an agent from learning well is found, and nothing where all is well.
#include "support/tiny.h"

#include <time.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "base/vector.h"
#include "sfnec/diagnosis.h"

static size_t diagnose(const sfnec_agent *agent, const sfnec_scratch *scratch, sfnec_finding *findings) {
  size_t count = SIZE_MAX;
  OK(sfnec_agent_diagnose(agent, scratch, findings, &count));
  assert_true(count <= SFNEC_FINDINGS_MOST);
  return count;
}

static void check_only(const sfnec_agent *agent, sfnec_finding_kind kind, const char *name, const char *said) {
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  assert_int_equal(diagnose(agent, NULL, findings), 1);
  assert_int_equal(findings[0].kind, kind);
  assert_string_equal(findings[0].name, name);
  if (!strstr(findings[0].text, said)) fail_msg("'%s' says nothing of '%s'", findings[0].text, said);
}

// ---- worlds that are drawn ----

enum { WIDE = 16 };

typedef struct drawn {
  float scale[WIDE];
  double reward, product;
} drawn;

static void observe(const drawn *world, sfnec_random *random, float *observation) {
  for (int i = 0; i < WIDE; i++) {
    observation[i] = world->scale[i] * (float)sfnec_random_uniform(random);
  }
}

// An agent that has lived in such a world, in one episode.
static sfnec_agent *lived(const char *preset, const char *const *settings, const drawn *world, int steps) {
  const sfnec_env_shape shape = {.observation_size = WIDE, .action_count = 2, .feature_count = 1};
  const double w[1] = {1};
  sfnec_agent *agent = agent_for(&shape, preset, settings, 5);
  sfnec_random random = sfnec_random_start(3, 1000);
  float observation[WIDE] = {0};
  OK(sfnec_agent_begin_task(agent, w, NULL));
  OK(sfnec_agent_begin_episode(agent));
  observe(world, &random, observation);
  for (int i = 0; i < steps; i++) {
    int32_t action;
    OK(sfnec_agent_act(agent, observation, &action));
    observe(world, &random, observation);
    const sfnec_transition moved = {
        .action = action, .features = &world->product, .reward = world->reward, .next_observation = observation};
    OK(sfnec_agent_observe(agent, &moved));
  }
  return agent;
}

static const drawn plain = {.scale = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, .reward = 1.0, .product = 1.0};

static void test_all_is_well(void **state) {
  (void)state;
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  const char *const presets[] = {"sfnec", "nec", "sfql"};
  for (size_t i = 0; i < 3; i++) {
    sfnec_agent *agent = lived(presets[i], NULL, &plain, 1200);
    assert_int_equal(diagnose(agent, NULL, findings), 0);
    sfnec_agent_destroy(agent);
  }
}

static void test_model(void **state) {
  (void)state;
  const char *const settings[] = {"relevance=off", "filter=off", "radius=0.001", NULL};
  sfnec_agent *agent = lived("sfnec-plan", settings, &plain, 1200);
  check_only(agent, SFNEC_FINDING_STATES, "states", "nearly every state is new");

  // as if pixels made the contexts
  sfnec_model *model = &agent->planner->model;
  const uint32_t seen = model->contexts.count;
  model->contexts.count = 1100;
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  assert_int_equal(diagnose(agent, NULL, findings), 2);
  assert_int_equal(findings[0].kind, SFNEC_FINDING_CONTEXTS);
  assert_non_null(strstr(findings[0].text, "1100 contexts in 1200 steps"));
  assert_non_null(strstr(findings[0].text, "contexts=off"));
  model->contexts.count = seen;
  sfnec_agent_destroy(agent);
}

// The range is of keys, so it is known of a saved agent too, and by the name of the component.
static void test_scales(void **state) {
  (void)state;
  drawn world = plain;
  world.scale[7] = 1000.0f;
  sfnec_agent *agent = lived("sfnec", NULL, &world, 1200), *loaded = NULL;
  check_only(agent, SFNEC_FINDING_SCALES, "scales", "component 7 has a range of");
  sfnec_component_space components[WIDE] = {{.name = ""}};
  snprintf(components[7].name, sizeof components[7].name, "height");
  OK(sfnec_agent_set_components(agent, components));
  OK(sfnec_agent_clone(agent, &loaded));
  check_only(loaded, SFNEC_FINDING_SCALES, "scales", "height has a range of");
  for (int i = 0; i < 3; i++) { // a file may say so of each task
    loaded->policies.list[i].steps = SFNEC_COUNT_MOST;
    if (i < 2) OK(sfnec_agent_push_task(loaded, (const double[]){1}, NULL));
  }
  check_only(loaded, SFNEC_FINDING_SCALES, "scales", "height has a range of");
  sfnec_agent_destroy(agent), sfnec_agent_destroy(loaded);
  for (int i = 0; i < WIDE; i++) world.scale[i] = 1e6f;
  agent = lived("sfnec", NULL, &world, 1200);
  check_only(agent, SFNEC_FINDING_UNBOUNDED, "unbounded", "observations reach");
  sfnec_agent_destroy(agent);
}

static void test_rewards(void **state) {
  (void)state;
  drawn world = plain;
  const double w[1] = {1};
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  world.reward = world.product = 0.0;
  sfnec_agent *agent = lived("ql", NULL, &world, 5100);
  check_only(agent, SFNEC_FINDING_REWARDS, "rewards", "no reward in 5100 steps");
  OK(sfnec_agent_end_episode(agent));
  OK(sfnec_agent_begin_task(agent, w, NULL)); // another task, another reward
  assert_int_equal(diagnose(agent, NULL, findings), 0);
  sfnec_agent_destroy(agent);

  world.product = 1.0; // a caller who gives weights need not give rewards
  agent = lived("sfnec", NULL, &world, 100);
  assert_int_equal(diagnose(agent, NULL, findings), 0);
  sfnec_agent_destroy(agent);
  world.reward = 7.0;
  agent = lived("sfnec", NULL, &world, 100);
  check_only(agent, SFNEC_FINDING_WEIGHTS, "weights", "a reward (7) is not phi . w (1)");
  sfnec_agent_destroy(agent);
}

// ---- time ----

static void work(double seconds) {
  const double end = sfnec_thread_seconds() + seconds;
  while (sfnec_thread_seconds() < end) continue;
}

static void time_one(sfnec_stopwatch *watch, double works, double sleeps) {
  const struct timespec pause = {.tv_nsec = (long)(1e9 * sleeps)};
  sfnec_stopwatch_start(watch);
  if (works > 0.0) work(works);
  if (sleeps > 0.0) nanosleep(&pause, NULL);
  sfnec_stopwatch_stop(watch);
}

// A slow step is found when it happens again; one that waited for others is none.
static void test_time(void **state) {
  (void)state;
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  sfnec_agent *agent = lived("sfnec", NULL, &plain, 50), *other = lived("nec", NULL, &plain, 50);
  sfnec_scratch *scratch = scratch_for(agent);
  time_one(&agent->watch.steps, 0.0, 0.11);
  time_one(&agent->watch.steps, 0.0, 0.11);
  assert_int_equal(diagnose(agent, scratch, findings), 0);
  time_one(&agent->watch.steps, 0.12, 0.0);
  check_only(agent, SFNEC_FINDING_SLOW_STEP, "slow step", "a step of learning took 1");
  time_one(&scratch->watch, 0.12, 0.0);
  time_one(&scratch->watch, 0.01, 0.0);
  assert_int_equal(diagnose(agent, scratch, findings), 1);
  time_one(&scratch->watch, 0.12, 0.0);
  assert_int_equal(diagnose(agent, scratch, findings), 2);
  assert_int_equal(findings[1].kind, SFNEC_FINDING_SLOW_QUESTION);
  size_t count;
  REFUSED(sfnec_agent_diagnose(other, scratch, findings, &count), SFNEC_ERROR_ARGUMENT, "made for this agent");
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent), sfnec_agent_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_is_well), cmocka_unit_test(test_model), cmocka_unit_test(test_scales),
      cmocka_unit_test(test_rewards),     cmocka_unit_test(test_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
