// test_budget.c: an agent whose room was reserved allocates nothing from its first step on, also between tasks; and
// many choices by one call are those of as many calls.
#include "support/player.h"

// after the C library's headers, which say whose it is
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static const char *const settings[] = {"index=flat", "gpi=full", "capacity=300", NULL};

static sfnec_agent *make_agent(sfnec_env *env, const char *preset) {
  sfnec_agent_options options;
  sfnec_agent *agent;
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  OK(sfnec_agent_options_preset(preset, &options));
  OK(sfnec_options_set(sfnec_agent_option_set(), &options, "index", "flat"));
  OK(sfnec_options_set(sfnec_agent_option_set(), &options, "gpi", "full"));
  OK(sfnec_options_set(sfnec_agent_option_set(), &options, "capacity", "200"));
  OK(sfnec_agent_create(&shape, &options, 1, &agent));
  return agent;
}

static void advance(sfnec_agent *agent, sfnec_env *env, int steps) {
  float now[128], next[128];
  double features[8];
  bool running = false;
  for (int i = 0; i < steps; i++) {
    if (!running) OK(sfnec_env_reset(env, now));
    if (!running) OK(sfnec_agent_begin_episode(agent));
    int32_t action;
    sfnec_env_outcome outcome;
    OK(sfnec_agent_act(agent, now, &action));
    OK(sfnec_env_step(env, action, next, features, &outcome));
    const sfnec_transition transition = {.action = action,
                                         .features = features,
                                         .reward = features[3],
                                         .next_observation = next,
                                         .terminated = outcome.terminated,
                                         .truncated = outcome.truncated};
    OK(sfnec_agent_observe(agent, &transition));
    running = !outcome.terminated && !outcome.truncated;
    memcpy(now, next, sizeof now);
  }
  OK(sfnec_agent_end_episode(agent));
}

static void test_reserved(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  static const char *const presets[] = {"sfnec", "sfnec-nogpi", "nec", "sfql"};
  const double w[4] = {1, -1, 0, 1}, v[4] = {-1, 1, 0.5, 1};
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    sfnec_env *env;
    OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), (const char *const[]){"max_episode_steps=60", NULL}, 2,
                        &env));
    sfnec_agent *agent = make_agent(env, presets[i]);
    OK(sfnec_agent_begin_task(agent, w, NULL));
    OK(sfnec_agent_begin_task(agent, v, NULL));
    OK(sfnec_agent_reserve(agent));
    const size_t bytes = sfnec_agent_get_bytes(agent);
    allocations = 0;
    for (int turn = 0; turn < 6; turn++) {
      OK(sfnec_agent_set_task(agent, (uint32_t)turn % 2));
      advance(agent, env, 700); // more than the memories hold
    }
    const int counted = allocations;
    assert_int_equal(counted, 0);
    assert_int_equal(sfnec_agent_get_bytes(agent), bytes);
    sfnec_agent_destroy(agent);
    sfnec_env_destroy(env);
  }
}

// a promise that does not hold is refused, and the sentence names the options
static void test_unbounded(void **state) {
  (void)state;
  static const char *const refused[] = {"index=fast",       "gpi=pruned",     "write=episode",       "write=late",
                                        "embedding=random", "training=batch", "capacity_total=1000", NULL};
  sfnec_env *env;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 2, &env));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  for (const char *const *setting = refused; *setting; setting++) {
    sfnec_agent_options options;
    sfnec_agent *agent;
    sfnec_agent_options_default(&options);
    for (const char *const *own = settings; *own; own++)
      OK(sfnec_options_assign(sfnec_agent_option_set(), &options, *own));
    OK(sfnec_options_assign(sfnec_agent_option_set(), &options, *setting));
    OK(sfnec_agent_create(&shape, &options, 1, &agent));
    REFUSED(sfnec_agent_reserve(agent), SFNEC_ERROR_STATE, "index=flat, gpi=full, embedding=identity, training=sample");
    sfnec_agent_destroy(agent);
  }
  sfnec_env_destroy(env);
}

static void test_planned(void **state) {
  (void)state;
  sfnec_env *env;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 2, &env));
  sfnec_agent *agent = make_agent(env, "sfnec-plan");
  REFUSED(sfnec_agent_reserve(agent), SFNEC_ERROR_STATE, "bound it by the option states");
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

static void test_many(void **state) {
  (void)state;
  enum { COUNT = 40 };
  player p = open_player("four_rooms", "sfnec", settings, 4);
  play(&p, 2000);
  sfnec_scratch *one, *many;
  static float observations[COUNT][113];
  sfnec_choice choices[COUNT], single;
  const double w[4] = {0.5, -1, 0.2, 1};
  OK(sfnec_scratch_create(p.agent, &one));
  OK(sfnec_scratch_create(p.agent, &many));
  for (int i = 0; i < COUNT; i++) OK(sfnec_env_reset(p.env, observations[i]));
  for (int given = 0; given < 2; given++) {
    OK(sfnec_agent_choose_many(p.agent, many, COUNT, observations[0], given ? w : NULL, choices));
    for (int i = 0; i < COUNT; i++) {
      OK(sfnec_agent_choose(p.agent, one, observations[i], given ? w : NULL, &single));
      assert_int_equal(single.action, choices[i].action);
      assert_int_equal(single.policy, choices[i].policy);
      assert_true(single.value == choices[i].value);
    }
  }
  OK(sfnec_agent_choose_many(p.agent, many, 0, NULL, NULL, NULL));
  observations[3][5] = NAN;
  choices[2].action = choices[3].action = -1;
  REFUSED(sfnec_agent_choose_many(p.agent, many, COUNT, observations[0], w, choices), SFNEC_ERROR_ARGUMENT, "finite");
  assert_true(choices[2].action >= 0 && choices[3].action == -1);
  sfnec_scratch_destroy(one);
  sfnec_scratch_destroy(many);
  close_player(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reserved),
      cmocka_unit_test(test_unbounded),
      cmocka_unit_test(test_planned),
      cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
