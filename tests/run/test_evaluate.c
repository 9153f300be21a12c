// test_evaluate.c: zero-shot evaluation plays greedily, repeats itself, and leaves the agent as it was.
#include "support/player.h"

#include "sfnec/run.h"

static const char *const easy[] = {"step_mean=0.1", "pickup_radius=0.3", NULL};
static const double w[4] = {1, -0.5, 0.25, 1};

static player trained(const char *preset) {
  player p = open_player("four_rooms", preset, NULL, 4);
  play(&p, 2 * 170);
  OK(sfnec_agent_end_episode(p.agent));
  return p;
}

static sfnec_evaluation evaluate(const sfnec_agent *agent, uint64_t seed, int64_t steps, int64_t limit) {
  sfnec_env *env = open_env("four_rooms", easy, seed);
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_evaluation out;
  OK(sfnec_run_evaluate(agent, scratch, env, w, steps, limit, &out));
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(env);
  return out;
}

// The agent's file is the same before and after; and from the same place in the stream that breaks ties the evaluation
// is the same.
static void test_changes_nothing(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "sfnec-plus", "sfnec-nogpi", "sfql"};
  for (int i = 0; i < 4; i++) {
    player p = trained(presets[i]);
    OK(sfnec_agent_save(p.agent, "before.agent"));
    const sfnec_evaluation first = evaluate(p.agent, 9, 300, 50);
    const sfnec_evaluation second = evaluate(p.agent, 9, 300, 50);
    assert_true(first.total == second.total && first.episodes == second.episodes && first.goals == second.goals);
    assert_true(first.per_episode == first.total / (double)first.episodes);
    OK(sfnec_agent_save(p.agent, "after.agent"));
    assert_true(same_files("before.agent", "after.agent"));

    // a loaded agent gives the same answer
    sfnec_agent *loaded = NULL;
    OK(sfnec_agent_load("before.agent", &loaded));
    const sfnec_evaluation third = evaluate(loaded, 9, 300, 50);
    assert_true(first.total == third.total && first.episodes == third.episodes);
    sfnec_agent_destroy(loaded);
    close_player(&p);
  }
}

// An independent loop over sfnec_agent_choose finds the same sums.
static void test_totals(void **state) {
  (void)state;
  player p = trained("sfnec");
  const sfnec_evaluation found = evaluate(p.agent, 5, 400, 60);
  sfnec_scratch *scratch = scratch_for(p.agent);
  sfnec_env *env = open_env("four_rooms", easy, 5);
  float observation[128];
  double features[4], total = 0;
  int64_t episodes = 0, goals = 0, length = 0;
  for (int i = 0; i < 400; i++) {
    if (length == 0) OK(sfnec_env_reset(env, observation));
    sfnec_choice choice;
    sfnec_env_outcome outcome;
    OK(sfnec_agent_choose(p.agent, scratch, observation, w, &choice));
    OK(sfnec_env_step(env, choice.action, observation, features, &outcome));
    for (int f = 0; f < 4; f++) total += features[f] * w[f];
    const bool ends = outcome.terminated || ++length == 60 || i == 399;
    episodes += ends;
    goals += outcome.terminated;
    if (ends) length = 0;
  }
  NEAR(found.total, total, 1e-12);
  assert_true(total != 0);
  assert_int_equal(found.episodes, episodes);
  assert_int_equal(found.goals, goals);
  assert_true(episodes >= 7);
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(env);
  close_player(&p);
}

static void test_limits(void **state) {
  (void)state;
  player p = trained("sfnec");
  assert_int_equal(evaluate(p.agent, 1, 1, 0).episodes, 1);
  const sfnec_evaluation steps = evaluate(p.agent, 1, 30, 1);
  assert_int_equal(steps.episodes, 30);
  close_player(&p);
}

static void test_refused(void **state) {
  (void)state;
  player p = trained("sfnec");
  sfnec_evaluation out;
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, NULL, 10, 0, &out), SFNEC_ERROR_ARGUMENT, "got NULL");
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, w, 0, 0, &out), SFNEC_ERROR_ARGUMENT, "at least one step");
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, w, 10, -1, &out), SFNEC_ERROR_ARGUMENT, "no negative limit");
  const double bad[4] = {0, 0, (double)NAN, 1};
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, bad, 10, 0, &out), SFNEC_ERROR_ARGUMENT,
          "must be 4 finite numbers");
  sfnec_env *other = open_env("one_room", NULL, 1);
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, other, w, 10, 0, &out), SFNEC_ERROR_ARGUMENT,
          "the agent does not fit");
  sfnec_env_destroy(other);
  close_player(&p);

  p = open_player("four_rooms", "sfnec", NULL, 1); // no task yet
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, w, 10, 0, &out), SFNEC_ERROR_STATE, "the agent has no task");
  close_player(&p);
  p = trained("nec");
  REFUSED(sfnec_run_evaluate(p.agent, p.scratch, p.env, w, 10, 0, &out), SFNEC_ERROR_ARGUMENT, "predict=reward");
  close_player(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changes_nothing),
      cmocka_unit_test(test_totals),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
