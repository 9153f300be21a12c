// test_log.c: learning from transitions that somebody else's policy made.
#include "support/tiny.h"

#include <math.h>

#include "sfnec/random.h"
#include "sfnec/sfnec.h"

// A ring of four states: action 1 goes on, action 0 stays. Feature 0: arrived at state 3; feature 1: 0.5.
static sfnec_transition moved(int from, int action, double features[FEATURES], int *to) {
  *to = (from + action) % STATES;
  features[0] = *to == 3 && action;
  features[1] = 0.5;
  return (sfnec_transition){
      .action = action, .features = features, .reward = features[0], .next_observation = states[*to]};
}

// A log of a random policy.
static void learn_log(sfnec_agent *agent, int transitions, uint64_t seed) {
  sfnec_random random = sfnec_random_start(seed, 5);
  int at = 0;
  for (int t = 0; t < transitions; t++) {
    double features[FEATURES];
    const int from = at;
    const sfnec_transition transition = moved(from, (int)sfnec_random_below(&random, ACTIONS), features, &at);
    OK(sfnec_agent_learn_transition(agent, states[from], &transition));
  }
  OK(sfnec_agent_end_episode(agent));
}

// What a random policy did is enough to know the best: to go on, with values known on paper.
static void test_off_policy(void **state) {
  (void)state;
  const struct {
    const char *preset, *settings[6];
    double tolerance;
  } kinds[] = {
      {"sfnec-plan", {"gamma=0.9", "pessimism=0", NULL}, 0.02},
      {"sfnec", {"gamma=0.9", "alpha=0.2", "horizon=8", NULL}, 0.1},
      {"sfnec-plus", {"gamma=0.9", "alpha=0.2", NULL}, 0.1},
      {"nec", {"gamma=0.9", "alpha=0.2", NULL}, 0.1},
  };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    sfnec_agent *agent = tiny_agent(kinds[k].preset, kinds[k].settings);
    OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
    learn_log(agent, 6000, 3);
    for (int s = 0; s < STATES; s++) {
      sfnec_choice choice;
      OK(ask_choose(agent, states[s], NULL, &choice));
      if (choice.action != 1) fail_msg("%s stays in state %d", kinds[k].preset, s);
      // from state 2 the reward comes at once, and again every four steps
      const int away = (2 - s + STATES) % STATES;
      NEAR(choice.value, pow(0.9, away) / (1 - pow(0.9, 4)), kinds[k].tolerance);
    }
    sfnec_task_info info;
    OK(sfnec_agent_get_task_info(agent, 0, &info));
    assert_int_equal(info.steps, 6000);
    sfnec_agent_destroy(agent);
  }
}

// The return of a target goes on as long as the log does what the agent would do, and bootstraps where it does not.
static void test_cuts(void **state) {
  (void)state;
  sfnec_agent *agent =
      tiny_agent("sfnec", (const char *const[]){"gamma=0.5", "alpha=1", "horizon=100", "ties=first", "rate=0", NULL});
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  // with nothing known, ties=first takes action 0: three greedy transitions, then one that is not
  const double features[][FEATURES] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}};
  const int actions[] = {0, 0, 0, 1};
  for (int t = 0; t < 4; t++) {
    const sfnec_transition transition = {.action = actions[t],
                                         .features = features[t],
                                         .reward = features[t][0],
                                         .next_observation = states[(t + 1) % STATES]};
    OK(sfnec_agent_learn_transition(agent, states[t], &transition));
    if (t == 2) assert_int_equal(entries_of(agent, 0), 0); // all of them wait
  }
  assert_int_equal(entries_of(agent, 0), 3); // the three before bootstrapped in state 3, of which nothing was known
  check_stored(agent, 0, 0, 0, 1 + 0.5 * 2 + 0.25 * 4, 0);
  check_stored(agent, 0, 1, 0, 2 + 0.5 * 4, 0);
  check_stored(agent, 0, 2, 0, 4, 0);
  sfnec_agent_destroy(agent);
}

// A hole in a log ends the episode there; where it goes on, it goes on.
static void test_holes(void **state) {
  (void)state;
  sfnec_agent *agent =
      tiny_agent("sfnec", (const char *const[]){"gamma=0.5", "alpha=1", "horizon=100", "ties=first", "rate=0", NULL});
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  const double features[FEATURES] = {1, 0};
  const sfnec_transition first = {.features = features, .next_observation = states[1]};
  OK(sfnec_agent_learn_transition(agent, states[0], &first));
  assert_int_equal(entries_of(agent, 0), 0);
  OK(sfnec_agent_learn_transition(agent, states[2], &first)); // not where the last one ended
  assert_int_equal(entries_of(agent, 0), 1);
  check_stored(agent, 0, 0, 0, 1, 0);
  const sfnec_transition last = {.features = features, .next_observation = states[3], .terminated = true};
  OK(sfnec_agent_learn_transition(agent, states[1], &last));
  check_stored(agent, 0, 1, 0, 1, 0);
  check_stored(agent, 0, 2, 0, 1.5, 0);
  sfnec_agent_destroy(agent);
}

// Saved in the middle of a log, an agent goes on with it as one that was not, and then acts as that one does.
static void test_resumed(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "sfnec-plan", "nec", "sfnec-authors"};
  for (size_t k = 0; k < sizeof presets / sizeof *presets; k++) {
    sfnec_agent *agent = tiny_agent(presets[k], NULL);
    OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
    int at = 0;
    double features[FEATURES];
    sfnec_random random = sfnec_random_start(9, 5);
    for (int t = 0; t < 900; t++) {
      const int from = at;
      const sfnec_transition transition = moved(from, (int)sfnec_random_below(&random, ACTIONS), features, &at);
      OK(sfnec_agent_learn_transition(agent, states[from], &transition));
      if (t % 150 != 140) continue; // in an episode
      unsigned char *bytes = NULL;
      size_t size;
      sfnec_agent *loaded = NULL;
      OK(sfnec_agent_save_bytes(agent, &bytes, &size));
      OK(sfnec_agent_load_bytes(bytes, size, &loaded));
      sfnec_agent_free_bytes(bytes);
      // both go on with the log, and then play by themselves
      for (int s = 0; s < 60; s++) {
        int32_t mine = (int32_t)sfnec_random_below(&random, ACTIONS), its = mine;
        const int here = at;
        if (s < 30) {
          const sfnec_transition next = moved(here, mine, features, &at);
          OK(sfnec_agent_learn_transition(agent, states[here], &next));
          OK(sfnec_agent_learn_transition(loaded, states[here], &next));
          continue;
        }
        OK(sfnec_agent_act(agent, states[here], &mine));
        OK(sfnec_agent_act(loaded, states[here], &its));
        assert_int_equal(mine, its);
        const sfnec_transition next = moved(here, mine, features, &at);
        OK(sfnec_agent_observe(agent, &next));
        OK(sfnec_agent_observe(loaded, &next));
      }
      unsigned char *a = NULL, *b = NULL;
      size_t a_size, b_size;
      OK(sfnec_agent_save_bytes(agent, &a, &a_size));
      OK(sfnec_agent_save_bytes(loaded, &b, &b_size));
      if (a_size != b_size || memcmp(a, b, a_size) != 0) fail_msg("%s goes on otherwise when loaded", presets[k]);
      sfnec_agent_free_bytes(a);
      sfnec_agent_free_bytes(b);
      sfnec_agent_destroy(loaded);
    }
    sfnec_agent_destroy(agent);
  }
}

static void test_refusals(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  const double features[FEATURES] = {1, 0}, not_finite[FEATURES] = {NAN, 0};
  sfnec_transition transition = {.features = features, .next_observation = states[1]};
  REFUSED(sfnec_agent_learn_transition(agent, states[0], &transition), SFNEC_ERROR_STATE, "begin one first");
  OK(sfnec_agent_begin_task(agent, (const double[]){1, 0}, NULL));
  transition.features = not_finite;
  REFUSED(sfnec_agent_learn_transition(agent, states[0], &transition), SFNEC_ERROR_ARGUMENT, "finite numbers");
  transition.features = features;
  transition.action = ACTIONS;
  REFUSED(sfnec_agent_learn_transition(agent, states[0], &transition), SFNEC_ERROR_ARGUMENT, "action");
  transition.action = 0;
  REFUSED(sfnec_agent_learn_transition(agent, NULL, &transition), SFNEC_ERROR_ARGUMENT, "observation");
  OK(sfnec_agent_begin_episode(agent));
  int32_t action;
  OK(sfnec_agent_act(agent, states[0], &action));
  REFUSED(sfnec_agent_learn_transition(agent, states[0], &transition), SFNEC_ERROR_STATE, "still waits");
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_off_policy), cmocka_unit_test(test_cuts),
                                     cmocka_unit_test(test_holes), cmocka_unit_test(test_resumed),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
