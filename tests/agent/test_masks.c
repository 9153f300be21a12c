// test_masks.c: an action that a mask does not allow is never taken, explored, or counted on.
#include "support/masked.h"

#include "agent/agent.h"
#include "agent/plan/internal.h"

enum { EPISODE = 40, SAVED = 8 };

static const double both_weights[MASKED_FEATURES] = {0.1, 1};

// An agent in the masked world, at any point of a run.
typedef struct run {
  sfnec_agent *agent;
  masked_world world;
  bool running;
  int goals;
} run;

static run begin_run(const char *preset, const char *const *settings, uint64_t seed) {
  run r = {.agent = agent_for(&masked_shape, preset, settings, seed)};
  r.world.random = sfnec_random_start(seed, 1001);
  const bool given = sfnec_agent_get_options(r.agent)->w == SFNEC_W_GIVEN;
  OK(sfnec_agent_begin_task(r.agent, given ? both_weights : NULL, NULL));
  return r;
}

static void act(run *r, int32_t *action) {
  float observation[MASKED_OBSERVATION];
  uint8_t mask[MASKED_ACTIONS];
  if (!r->running) {
    masked_begin(&r->world);
    OK(sfnec_agent_begin_episode(r->agent));
    r->running = true;
  }
  masked_observe(&r->world, observation);
  masked_mask(&r->world, mask);
  OK(sfnec_agent_act_masked(r->agent, observation, mask, action));
}

static void observe(run *r, int32_t action) {
  float observation[MASKED_OBSERVATION];
  double features[MASKED_FEATURES];
  uint8_t mask[MASKED_ACTIONS];
  sfnec_transition moved = {.action = action, .features = features, .next_observation = observation, .next_mask = mask};
  moved.terminated = masked_step(&r->world, action, features);
  moved.truncated = r->world.steps == EPISODE;
  moved.reward = features[0] * both_weights[0] + features[1] * both_weights[1];
  masked_observe(&r->world, observation);
  masked_mask(&r->world, mask);
  OK(sfnec_agent_observe(r->agent, &moved));
  r->running = !moved.terminated && !moved.truncated;
  r->goals += moved.terminated;
}

static void go_on(run *r, int steps) {
  for (int i = 0; i < steps; i++) {
    int32_t action;
    act(r, &action);
    observe(r, action);
  }
}

// ---- acting and asking ----

// Plays greedily by questions: how many episodes reached the door. The agent is told what followed.
static int play(const sfnec_agent *agent, const double *w, int episodes) {
  sfnec_scratch *scratch = scratch_for(agent);
  masked_world world = {.random = sfnec_random_start(77, 1002)};
  int goals = 0;
  for (int e = 0; e < episodes; e++) {
    bool ended = false;
    masked_begin(&world);
    while (!ended && world.steps < EPISODE) {
      float before[MASKED_OBSERVATION], after[MASKED_OBSERVATION];
      double features[MASKED_FEATURES];
      uint8_t mask[MASKED_ACTIONS], next_mask[MASKED_ACTIONS];
      sfnec_choice choice;
      masked_observe(&world, before);
      masked_mask(&world, mask);
      OK(sfnec_agent_choose_masked(agent, scratch, before, mask, w, &choice));
      assert_true(isfinite(choice.value));
      ended = masked_step(&world, choice.action, features);
      masked_observe(&world, after);
      masked_mask(&world, next_mask);
      const sfnec_transition moved = {.action = choice.action,
                                      .reward = features[0] * both_weights[0] + features[1] * both_weights[1],
                                      .next_observation = after,
                                      .terminated = ended,
                                      .truncated = world.steps == EPISODE,
                                      .next_mask = next_mask};
      OK(sfnec_agent_tell(agent, scratch, before, &moved));
    }
    goals += ended;
  }
  sfnec_scratch_destroy(scratch);
  return goals;
}

// Many questions at once have the answers of as many questions, each with its mask.
static void check_many(const sfnec_agent *agent) {
  enum { COUNT = 30 };
  sfnec_scratch *one = scratch_for(agent), *many = scratch_for(agent);
  float observations[COUNT * MASKED_OBSERVATION];
  uint8_t masks[COUNT * MASKED_ACTIONS];
  sfnec_choice choices[COUNT], single;
  masked_world world = {.random = sfnec_random_start(9, 1003)};
  for (int i = 0; i < COUNT; i++) {
    masked_begin(&world);
    world.has_key = i % 2;
    masked_observe(&world, observations + (ptrdiff_t)i * MASKED_OBSERVATION);
    masked_mask(&world, masks + (ptrdiff_t)i * MASKED_ACTIONS);
  }
  OK(sfnec_agent_choose_many_masked(agent, many, COUNT, observations, masks, NULL, choices));
  for (int i = 0; i < COUNT; i++) {
    const uint8_t *mask = masks + (ptrdiff_t)i * MASKED_ACTIONS;
    OK(sfnec_agent_choose_masked(agent, one, observations + (ptrdiff_t)i * MASKED_OBSERVATION, mask, NULL, &single));
    assert_int_equal(single.action, choices[i].action);
    assert_true(single.value == choices[i].value);
    assert_true(mask[single.action]);
  }
  memset(masks + 5 * (ptrdiff_t)MASKED_ACTIONS, 0, MASKED_ACTIONS);
  REFUSED(sfnec_agent_choose_many_masked(agent, many, COUNT, observations, masks, NULL, choices), SFNEC_ERROR_ARGUMENT,
          "allows none of the 6 actions");
  sfnec_scratch_destroy(one), sfnec_scratch_destroy(many);
}

// No preset, however it writes and explores, takes an action that is not allowed: the world says so.
static void test_never_taken(void **state) {
  (void)state;
  const char *const modes[][4] = {{"epsilon=0.3", NULL},
                                  {"epsilon=0", "ties=first", "horizon=3", NULL},
                                  {"epsilon=0.1", "write=episode", "w=sgd", NULL},
                                  {"epsilon=0.1", "gpi_penalty=0.3", "novelty=0.1", NULL}};
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    for (size_t m = 0; m < 4; m++) {
      run r = begin_run(sfnec_agent_preset_at(i)->name, modes[m], i + 1);
      go_on(&r, 500);
      const bool features = sfnec_agent_get_options(r.agent)->predict == SFNEC_PREDICT_FEATURES;
      const bool given = sfnec_agent_get_options(r.agent)->w == SFNEC_W_GIVEN;
      OK(sfnec_agent_end_episode(r.agent));
      r.running = false;
      OK(sfnec_agent_begin_task(r.agent, given ? both_weights : NULL, NULL)); // for GPI over two
      go_on(&r, 500);
      play(r.agent, NULL, 10);
      if (features) play(r.agent, both_weights, 10);
      if (m == 0) check_many(r.agent);
      sfnec_agent_destroy(r.agent);
    }
  }
}

// A planner finds the key and the door, and knows in which contexts they serve: its plan does not count on others.
static void test_planner(void **state) {
  (void)state;
  run r = begin_run("sfnec-plan", NULL, 3);
  go_on(&r, 1500);
  assert_true(r.goals > 60);
  assert_int_equal(play(r.agent, NULL, 40), 40);
  const sfnec_masks *masks = &r.agent->planner->masks;
  // one mask for each cell, and the key's and the door's have two
  assert_true(masks->count >= 2 && masks->count <= MASKED_SIDE * MASKED_SIDE + 2);
  sfnec_agent_destroy(r.agent);
}

// ---- bits ----

static unsigned char *bytes_of(const sfnec_agent *agent, size_t *size) {
  unsigned char *bytes = NULL;
  OK(sfnec_agent_save_bytes(agent, &bytes, size));
  return bytes;
}

static void check_same(const sfnec_agent *a, const sfnec_agent *b) {
  size_t size_a, size_b;
  unsigned char *bytes_a = bytes_of(a, &size_a), *bytes_b = bytes_of(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
  sfnec_agent_free_bytes(bytes_a);
  sfnec_agent_free_bytes(bytes_b);
}

// A walk along a ring of states, with masks that allow all or without.
static sfnec_agent *walk(const char *preset, bool masked) {
  const char *const settings[] = {"epsilon=0.2", NULL};
  sfnec_agent *agent = tiny_agent(preset, settings);
  const double w[FEATURES] = {1, -0.5};
  const uint8_t all[ACTIONS] = {1, 255};
  OK(sfnec_agent_begin_task(agent, sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN ? w : NULL, NULL));
  int at = 0;
  for (int i = 0; i < 300; i++) {
    int32_t action;
    if (i % 30 == 0) OK(sfnec_agent_begin_episode(agent));
    if (masked) OK(sfnec_agent_act_masked(agent, states[at], all, &action));
    else OK(sfnec_agent_act(agent, states[at], &action));
    at = (at + 1 + action) % STATES;
    const double features[FEATURES] = {at == 3, at == 1};
    const sfnec_transition moved = {.action = action,
                                    .features = features,
                                    .reward = features[0] - 0.5 * features[1],
                                    .next_observation = states[at],
                                    .truncated = i % 30 == 29,
                                    .next_mask = masked ? all : NULL};
    OK(sfnec_agent_observe(agent, &moved));
  }
  return agent;
}

static void test_all_allowed_is_no_mask(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    sfnec_agent *plain = walk(sfnec_agent_preset_at(i)->name, false);
    sfnec_agent *masked = walk(sfnec_agent_preset_at(i)->name, true);
    check_same(plain, masked);
    sfnec_agent_destroy(plain);
    sfnec_agent_destroy(masked);
  }
}

// Loaded between acting and observing, or after, an agent goes on as if nothing had happened.
static void test_resumes(void **state) {
  (void)state;
  const int stops[SAVED] = {0, 1, 50, 99, 130, 260, 401, 700};
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    run unbroken = begin_run(sfnec_agent_preset_at(i)->name, NULL, 5),
        broken = begin_run(sfnec_agent_preset_at(i)->name, NULL, 5);
    for (int s = 0, done = 0; s < SAVED; s++) {
      go_on(&unbroken, stops[s] - done + 1);
      go_on(&broken, stops[s] - done);
      int32_t action;
      act(&broken, &action);
      size_t size;
      unsigned char *bytes = bytes_of(broken.agent, &size);
      sfnec_agent_destroy(broken.agent);
      OK(sfnec_agent_load_bytes(bytes, size, &broken.agent));
      sfnec_agent_free_bytes(bytes);
      observe(&broken, action);
      check_same(unbroken.agent, broken.agent);
      done = stops[s] + 1;
    }
    sfnec_agent_destroy(unbroken.agent);
    sfnec_agent_destroy(broken.agent);
  }
}

// ---- targets ----

// A target counts on the best action that is allowed, not on a better one that is not.
static void test_targets(void **state) {
  (void)state;
  const char *const settings[] = {"horizon=1", "gamma=0.5", "epsilon=0", "alpha=1", NULL};
  for (int allowed = 0; allowed < ACTIONS; allowed++) {
    sfnec_agent *agent = tiny_agent("nec", settings);
    OK(sfnec_agent_begin_task(agent, NULL, NULL));
    for (int action = 0; action < ACTIONS; action++) { // in state 1: action 0 earns 2, action 1 earns 8
      OK(sfnec_agent_begin_episode(agent));
      go(agent, 1, action, action == 0 ? 2 : 8, 0, 2, TERMINATES);
    }
    OK(sfnec_agent_begin_episode(agent));
    int32_t action;
    OK(sfnec_agent_act(agent, states[0], &action));
    const double features[FEATURES] = {0, 0};
    const uint8_t mask[ACTIONS] = {allowed == 0, allowed == 1};
    const sfnec_transition moved = {
        .action = 0, .features = features, .next_observation = states[1], .truncated = true, .next_mask = mask};
    OK(sfnec_agent_observe(agent, &moved));
    double value[FEATURES] = {0};
    assert_true(stored(agent, 0, 0, 0, value));
    assert_true(fabs(value[0] - (allowed == 0 ? 1 : 4)) < 1e-3);
    sfnec_agent_destroy(agent);
  }
}

// ---- refusals ----

static void test_none_allowed(void **state) {
  (void)state;
  const uint8_t none[ACTIONS] = {0};
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    sfnec_agent *agent = walk(sfnec_agent_preset_at(i)->name, false);
    size_t size;
    unsigned char *bytes = bytes_of(agent, &size);
    sfnec_agent *same = NULL;
    OK(sfnec_agent_load_bytes(bytes, size, &same));
    sfnec_agent_free_bytes(bytes);
    sfnec_scratch *scratch = scratch_for(agent);
    sfnec_choice choice;
    int32_t action;
    OK(sfnec_agent_begin_episode(agent));
    OK(sfnec_agent_begin_episode(same));
    REFUSED(sfnec_agent_act_masked(agent, states[0], none, &action), SFNEC_ERROR_ARGUMENT,
            "allows none of the 2 actions");
    REFUSED(sfnec_agent_choose_masked(agent, scratch, states[0], none, NULL, &choice), SFNEC_ERROR_ARGUMENT,
            "allows none of the 2 actions");
    check_same(agent, same);
    OK(sfnec_agent_act(agent, states[0], &action));
    OK(sfnec_agent_act(same, states[0], &action));
    const double features[FEATURES] = {1, 0};
    sfnec_transition moved = {
        .action = action, .features = features, .reward = 1, .next_observation = states[1], .next_mask = none};
    REFUSED(sfnec_agent_observe(agent, &moved), SFNEC_ERROR_ARGUMENT, "allows none of the 2 actions");
    REFUSED(sfnec_agent_tell(agent, scratch, states[0], &moved), SFNEC_ERROR_ARGUMENT, "allows none of the 2 actions");
    check_same(agent, same);
    moved.terminated = true; // nothing follows: the mask is not read
    OK(sfnec_agent_observe(agent, &moved));
    sfnec_scratch_destroy(scratch);
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(same);
  }
}

// ---- what a planner keeps ----

static void check_mask(const sfnec_masks *masks, uint32_t at, float slow, const char *wanted) {
  const uint8_t *mask = sfnec_masks_find(masks, at, &slow);
  for (uint32_t a = 0; a < 3; a++) assert_int_equal(sfnec_mask_allows(mask, a), wanted[a] == '1');
}

// Masks are kept where they say something new; the last one counts, and another context has the nearest one's.
static void test_kept(void **state) {
  (void)state;
  uint32_t slow[1] = {1};
  sfnec_psi_config config = {.observation_size = 2, .action_count = 3};
  sfnec_model model = {.config = &config, .fitted = true, .state_room = 4, .state_count = 4};
  model.scaling = (sfnec_scaling){.size = 2, .slow = slow, .slow_count = 1};
  sfnec_masks masks;
  OK(sfnec_masks_init(&masks, &model));
  sfnec_tuples_init(&masks.contexts, 1);
  const float at0[2] = {0, 0}, at1[2] = {0, 1}, at2[2] = {0, 2};
  const uint8_t first[3] = {1, 0, 0}, second[3] = {0, 1, 1};
  bool changed;
  OK(sfnec_masks_note(&masks, 2, at0, NULL, &changed)); // all allowed is what holds anyway
  assert_true(!changed && masks.count == 0);
  OK(sfnec_masks_note(&masks, 2, at0, first, &changed));
  assert_true(changed && masks.count == 1);
  OK(sfnec_masks_note(&masks, 2, at1, first, &changed)); // the same in another context
  assert_true(!changed && masks.count == 1);
  OK(sfnec_masks_note(&masks, 2, at1, second, &changed)); // something else there
  assert_true(changed && masks.count == 2);
  check_mask(&masks, 2, 0, "100");
  check_mask(&masks, 2, 1, "011");
  check_mask(&masks, 1, 0, "111");
  assert_true(sfnec_masks_allow_ever(&masks, 2, 0) && sfnec_masks_allow_ever(&masks, 2, 1));
  OK(sfnec_masks_note(&masks, 2, at1, NULL, &changed)); // the last one counts
  assert_true(changed && masks.count == 2);
  check_mask(&masks, 2, 1, "111");
  check_mask(&masks, 2, 0, "100");
  OK(sfnec_masks_note(&masks, 3, at2, first, &changed));
  assert_true(!sfnec_masks_allow_ever(&masks, 3, 1));
  sfnec_masks_clear(&masks);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_never_taken), cmocka_unit_test(test_planner), cmocka_unit_test(test_all_allowed_is_no_mask),
      cmocka_unit_test(test_resumes),     cmocka_unit_test(test_targets), cmocka_unit_test(test_none_allowed),
      cmocka_unit_test(test_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
