// test_refusals.c: bad calls are refused with a sentence, and a run full of them is the run without them, to the byte.
#include "support/player.h"

static const double not_a_number = (double)NAN, infinite = (double)INFINITY;

// All that can be wrong before acting.
static void bad_before_act(player *p) {
  int32_t action = 77;
  float broken[128];
  const int32_t size = sfnec_agent_get_shape(p->agent).observation_size;
  memcpy(broken, p->observation, sizeof broken);
  broken[size - 1] = (float)NAN;
  REFUSED(sfnec_agent_act(p->agent, broken, &action), SFNEC_ERROR_ARGUMENT, "an observation must be");
  broken[size - 1] = 0;
  broken[0] = -(float)INFINITY;
  REFUSED(sfnec_agent_act(p->agent, broken, &action), SFNEC_ERROR_ARGUMENT, "an observation must be");
  REFUSED(sfnec_agent_act(p->agent, NULL, &action), SFNEC_ERROR_ARGUMENT, "an observation must be");
  assert_int_equal(action, 77);
  const sfnec_transition transition = {0, p->features, 0, p->observation, false, false, NULL};
  REFUSED(sfnec_agent_observe(p->agent, &transition), SFNEC_ERROR_STATE, "act first");
  REFUSED(sfnec_agent_begin_episode(p->agent), SFNEC_ERROR_STATE, "is running already");
  REFUSED(sfnec_agent_begin_task(p->agent, p->w, NULL), SFNEC_ERROR_STATE, "during an episode");
}

// All that can be wrong with a transition, between acting and observing.
static void bad_before_observe(player *p, const sfnec_transition *good) {
  int32_t action;
  REFUSED(sfnec_agent_act(p->agent, p->observation, &action), SFNEC_ERROR_STATE, "still waits for its transition");
  const sfnec_env_shape shape = sfnec_agent_get_shape(p->agent);
  float broken[128];
  double features[8];
  sfnec_transition bad = *good;
  bad.action = -1;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "there is no action -1");
  bad.action = shape.action_count;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "there is no action");
  bad = *good;
  bad.reward = not_a_number;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "a reward must be a finite number");
  bad.reward = -infinite;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "a reward must be a finite number");
  bad = *good;
  bad.features = NULL;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "the features of a transition must be");
  memcpy(features, good->features, sizeof features);
  features[shape.feature_count - 1] = infinite;
  bad.features = features;
  bad.terminated = true;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "the features of a transition must be");
  bad = *good;
  memcpy(broken, good->next_observation, sizeof broken);
  broken[shape.observation_size / 2] = (float)NAN;
  bad.next_observation = broken;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "an observation must be");
  bad.next_observation = NULL;
  REFUSED(sfnec_agent_observe(p->agent, &bad), SFNEC_ERROR_ARGUMENT, "an observation must be");
}

// One whole step with every refusal on the way.
static void abused_step(player *p) {
  begin_if_needed(p);
  bad_before_act(p);
  half_step(p);
  float following[128];
  const sfnec_transition transition = next_transition(p, following);
  bad_before_observe(p, &transition);
  OK(sfnec_agent_observe(p->agent, &transition));
  memcpy(p->observation, following, sizeof following);
  p->acted = false;
  p->steps++;
  if (transition.terminated || transition.truncated) p->running = false;
}

static void test_same_bytes(void **state) {
  (void)state;
  const char *const names[] = {"sfnec", "sfnec-plus", "nec", "sfql"};
  const char *const settings[] = {"capacity=20", "neighbours=5", NULL};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    player calm = open_player("one_room", names[i], settings, 6),
           abused = open_player("one_room", names[i], settings, 6);
    for (int s = 0; s < 200; s++) {
      play(&calm, 2);
      abused_step(&abused);
    }
    assert_true(calm.trace == abused.trace);
    OK(sfnec_agent_save(calm.agent, "calm.agent"));
    OK(sfnec_agent_save(abused.agent, "abused.agent"));
    assert_true(same_files("calm.agent", "abused.agent"));
    close_player(&calm);
    close_player(&abused);
  }
}

static void test_create(void **state) {
  (void)state;
  sfnec_agent_options options = options_of("sfnec", NULL);
  sfnec_agent *agent = NULL;
  const sfnec_env_shape bad[] = {{.observation_size = 0, .action_count = 2, .feature_count = 2},
                                 {.observation_size = 4, .action_count = 0, .feature_count = 2},
                                 {.observation_size = 4, .action_count = 2, .feature_count = 0},
                                 {.observation_size = -1, .action_count = 2, .feature_count = 2},
                                 {.observation_size = INT32_MAX, .action_count = 2, .feature_count = 2},
                                 {.observation_size = 4, .action_count = 2, .feature_count = INT32_MIN}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    REFUSED(sfnec_agent_create(&bad[i], &options, 1, &agent), SFNEC_ERROR_ARGUMENT, "an agent cannot have");
  }
  // sizes that are fine alone; what is held does not depend on the features if only the reward is predicted
  const sfnec_env_shape great = {.observation_size = 2, .action_count = 1 << 18, .feature_count = 1 << 18};
  const char *const presets[] = {"sfnec", "sfql"};
  for (size_t i = 0; i < 2; i++) {
    const sfnec_agent_options greatest = options_of(presets[i], NULL);
    REFUSED(sfnec_agent_create(&great, &greatest, 1, &agent), SFNEC_ERROR_ARGUMENT, "numbers for each task");
  }
  const sfnec_agent_options reward = options_of("ql", NULL);
  OK(sfnec_agent_create(&great, &reward, 1, &agent));
  sfnec_agent_destroy(agent);
  agent = NULL;
  REFUSED(sfnec_agent_create(NULL, &options, 1, &agent), SFNEC_ERROR_ARGUMENT, "got NULL");
  REFUSED(sfnec_agent_create(&tiny_shape, NULL, 1, &agent), SFNEC_ERROR_ARGUMENT, "got NULL");
  REFUSED(sfnec_agent_create(&tiny_shape, &options, 1, NULL), SFNEC_ERROR_ARGUMENT, "got NULL");
  options.gamma = 1;
  REFUSED(sfnec_agent_create(&tiny_shape, &options, 1, &agent), SFNEC_ERROR_OPTION, "agent option gamma=1 is refused");
  assert_null(agent);
  sfnec_agent_destroy(NULL);
}

static void test_note(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  assert_string_equal(sfnec_agent_get_note(agent), "");
  OK(sfnec_agent_set_note(agent, "made in four_rooms"));
  char *text = malloc(65537);
  memset(text, 'x', 65536);
  text[65536] = '\0';
  REFUSED(sfnec_agent_set_note(agent, text), SFNEC_ERROR_ARGUMENT, "at most 65535 bytes");
  REFUSED(sfnec_agent_set_note(agent, NULL), SFNEC_ERROR_ARGUMENT, "at most 65535 bytes");
  assert_string_equal(sfnec_agent_get_note(agent), "made in four_rooms");
  text[65535] = '\0';
  OK(sfnec_agent_set_note(agent, text));
  OK(sfnec_agent_save(agent, "note.agent"));
  sfnec_agent *loaded = NULL;
  OK(sfnec_agent_load("note.agent", &loaded));
  assert_string_equal(sfnec_agent_get_note(loaded), text);
  free(text);
  sfnec_agent_destroy(agent);
  sfnec_agent_destroy(loaded);
}

// A rate far too large makes psi grow without bound: the agent says so, and its numbers stay finite.
static void test_divergence(void **state) {
  (void)state;
  const char *const settings[] = {"rate=1000", "epsilon=0", "init_sd=0", NULL};
  const double w[FEATURES] = {1, 1}, phi[FEATURES] = {1, 1};
  sfnec_agent *agent = tiny_agent("sfql", settings);
  OK(sfnec_agent_begin_task(agent, w, NULL));
  sfnec_status status = SFNEC_OK;
  for (int i = 0; i < 100 && status == SFNEC_OK; i++) {
    int32_t action;
    OK(sfnec_agent_begin_episode(agent));
    OK(sfnec_agent_act(agent, states[0], &action));
    const sfnec_transition transition = {0, phi, 2, states[0], false, true, NULL};
    status = sfnec_agent_observe(agent, &transition);
  }
  assert_int_equal(status, SFNEC_ERROR_STATE);
  assert_non_null(strstr(sfnec_last_error(), "psi has diverged"));
  // the agent is usable: it can be asked, saved and loaded
  double psi[ACTIONS][FEATURES];
  OK(ask_psi(agent, states[0], &psi[0][0]));
  assert_true(isfinite(psi[0][0]));
  OK(sfnec_agent_begin_episode(agent));
  OK(sfnec_agent_end_episode(agent));
  OK(sfnec_agent_save(agent, "diverged.agent"));
  sfnec_agent *loaded = NULL;
  OK(sfnec_agent_load("diverged.agent", &loaded));
  sfnec_agent_destroy(loaded);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bytes),
      cmocka_unit_test(test_create),
      cmocka_unit_test(test_note),
      cmocka_unit_test(test_divergence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
