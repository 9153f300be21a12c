// test_masks.c: worlds that say which actions are allowed (sfnec_env_kind.mask): runs, checkpoints and evaluations go
// by it, and a world that allows nothing is named.
#include "support/masked.h"

#include "sfnec/run.h"

typedef struct self {
  masked_world world;
  bool blocked; // no action is allowed any more
} self;

static sfnec_env_shape shape(const void *options) {
  (void)options;
  return masked_shape;
}

static void reset(void *state, const void *options, sfnec_random *random, float *observation) {
  (void)options;
  self *s = state;
  s->world.random = *random;
  masked_begin(&s->world);
  *random = s->world.random;
  masked_observe(&s->world, observation);
}

static sfnec_env_outcome step(void *state, const void *options, int32_t action, sfnec_random *random,
                              float *observation, double *features) {
  (void)options, (void)random;
  self *s = state;
  const bool ended = masked_step(&s->world, action, features);
  masked_observe(&s->world, observation);
  return (sfnec_env_outcome){.terminated = ended};
}

static void mask(const void *state, const void *options, uint8_t *allowed) {
  (void)options;
  const self *s = state;
  masked_mask(&s->world, allowed);
}

static void mask_all(const void *state, const void *options, uint8_t *allowed) {
  mask(state, options, allowed);
  const self *s = state;
  if (s->world.steps == 3) memset(allowed, 0, MASKED_ACTIONS);
}

static sfnec_env_kind kind_of(void (*with)(const void *, const void *, uint8_t *)) {
  return (sfnec_env_kind){
      .name = "door", .state_size = sizeof(self), .shape = shape, .reset = reset, .step = step, .mask = with};
}

static const char *const limit[] = {"max_episode_steps=60", NULL};

static sfnec_env *open_door(const sfnec_env_kind *kind) {
  sfnec_env *env = NULL;
  OK(sfnec_env_create(kind, limit, 4, &env));
  return env;
}

// The run's tasks are random weights; the world fails the test if it is given what it does not allow.
static void test_run(void **state) {
  (void)state;
  const sfnec_env_kind kind = kind_of(mask);
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    sfnec_env *env = open_door(&kind);
    sfnec_agent *agent = agent_for(&masked_shape, sfnec_agent_preset_at(i)->name, NULL, 1);
    sfnec_run_options options;
    sfnec_run_options_default(&options);
    options.tasks = 2;
    options.steps = 400;
    sfnec_run *run = NULL;
    OK(sfnec_run_create(agent, env, &options, &run));
    OK(sfnec_run_advance(run, 10000));
    assert_true(sfnec_run_is_done(run));
    sfnec_scratch *scratch = scratch_for(agent);
    sfnec_evaluation evaluation;
    const double w[MASKED_FEATURES] = {1, 1};
    if (sfnec_agent_get_options(agent)->predict == SFNEC_PREDICT_FEATURES)
      OK(sfnec_run_evaluate(agent, scratch, env, w, 300, 50, &evaluation));
    sfnec_scratch_destroy(scratch);
    sfnec_run_destroy(run);
    sfnec_agent_destroy(agent);
    sfnec_env_destroy(env);
  }
}

static void test_kind_without_masks(void **state) {
  (void)state;
  sfnec_env *env = NULL;
  uint8_t allowed[8] = {0};
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 1, &env));
  assert_false(sfnec_env_get_mask(env, allowed));
  for (int32_t a = 0; a < sfnec_env_get_shape(env).action_count; a++) assert_int_equal(allowed[a], 1);
  sfnec_env_destroy(env);
}

static void test_nothing_allowed(void **state) {
  (void)state;
  const sfnec_env_kind kind = kind_of(mask_all);
  sfnec_env *env = open_door(&kind);
  sfnec_agent *agent = agent_for(&masked_shape, "sfnec", NULL, 1);
  sfnec_run_options options;
  sfnec_run_options_default(&options);
  sfnec_run *run = NULL;
  OK(sfnec_run_create(agent, env, &options, &run));
  REFUSED(sfnec_run_advance(run, 100), SFNEC_ERROR_ARGUMENT, "environment door allows none of its 6 actions");
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_kind_without_masks),
      cmocka_unit_test(test_nothing_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
