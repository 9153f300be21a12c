// test_evaluation.c: evaluation on the side: it finds what the agent is worth, changes no byte of the run, is the same
// after resuming, and keeps the best agent.
#include "run/job.h"

#include <math.h>

static const char *const small[] = {"capacity=25", "neighbours=5", NULL};
static const double weights[] = {1, 0.5, -1, 1, -1, 0.25, 0.5, 0};
static const sfnec_evaluate_options own = {.every = 40, .episodes = 3, .episode_steps = 30};

static sfnec_evaluate_options by_list(void) {
  sfnec_evaluate_options options = own;
  options.weights = weights;
  options.weight_count = 2;
  return options;
}

static sfnec_env *open_side(void) {
  return open_env("four_rooms", short_episodes, 77);
}

// what two runs found must be the same to the bit
static void check_same_evaluations(const sfnec_run *a, const sfnec_run *b, uint32_t tasks) {
  for (uint32_t task = 0; task < tasks; task++) {
    uint32_t na, nb;
    const double *fa, *fb;
    const sfnec_evaluation_result *ra = sfnec_run_get_evaluations(a, task, &na, &fa);
    const sfnec_evaluation_result *rb = sfnec_run_get_evaluations(b, task, &nb, &fb);
    assert_int_equal(na, nb);
    assert_true(na > 0);
    assert_memory_equal(ra, rb, na * sizeof *ra);
    assert_memory_equal(fa, fb, na * 4 * sizeof *fa);
  }
}

static void test_nothing_changes(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    const char *preset = sfnec_agent_preset_at(i)->name;
    const plan plan = {preset, small, {.tasks = 3, .steps = 150, .bins = 7, .keep_episodes = true}};
    sfnec_agent_options preset_options;
    OK(sfnec_agent_options_preset(preset, &preset_options));
    const bool of_rewards = preset_options.predict == SFNEC_PREDICT_REWARD;
    for (int listed = 0; listed < 2; listed++) {
      job plain = open_job(&plan), looked = open_job(&plan);
      const sfnec_evaluate_options options = listed ? by_list() : own;
      sfnec_env *side = open_side();
      OK(sfnec_run_set_evaluation(looked.run, side, &options));
      OK(sfnec_run_advance(plain.run, INT64_MAX));
      OK(sfnec_run_advance(looked.run, INT64_MAX));
      check_same(&plain, &looked);
      uint32_t count;
      const double *features;
      const sfnec_evaluation_result *found = sfnec_run_get_evaluations(looked.run, 1, &count, &features);
      // of 40, 80, ..., 440 the second task has 160 to 280
      assert_int_equal(count, listed && of_rewards ? 0 : listed ? 8 : 4);
      for (uint32_t k = 0; k < count; k++) {
        assert_int_equal(found[k].step, 160 + 40 * (listed ? k / 2 : k));
        assert_int_equal(found[k].weights, listed ? k % 2 + 1 : 0);
        assert_int_equal(found[k].episodes, 3);
        assert_in_range(found[k].steps, 3, 90);
        // the return is phi . w
        double w[4], total = 0;
        sfnec_env_get_task_weights(looked.env, 1, w);
        for (int f = 0; f < 4; f++) total += features[4 * k + f] * (listed ? weights[4 * (k % 2) + f] : w[f]);
        NEAR(found[k].total, total, 1e-9);
      }
      close_job(&plain);
      close_job(&looked);
      sfnec_env_destroy(side);
    }
  }
}

// the same agent, the same world, the same weights: the public function finds the same
static void test_right(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, {.tasks = 1, .steps = 120}};
  job j = open_job(&plan);
  sfnec_env *side = open_side(), *fresh = open_side();
  const sfnec_evaluate_options options = by_list();
  OK(sfnec_run_set_evaluation(j.run, side, &options));
  OK(sfnec_run_advance(j.run, INT64_MAX));
  uint32_t count;
  const double *features;
  const sfnec_evaluation_result *last = &sfnec_run_get_evaluations(j.run, 0, &count, &features)[4];
  assert_int_equal(count, 6);
  sfnec_scratch *scratch;
  sfnec_evaluation again;
  OK(sfnec_scratch_create(j.agent, &scratch));
  OK(sfnec_run_evaluate(j.agent, scratch, fresh, weights, last->steps, 30, &again));
  assert_true(again.total == last->total);
  assert_int_equal(again.goals, last->goals);
  assert_int_equal(again.episodes, last->episodes);
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(side);
  sfnec_env_destroy(fresh);
  close_job(&j);
}

static void test_resumed(void **state) {
  (void)state;
  for (int listed = 0; listed < 2; listed++) {
    const plan plan = {"sfnec", small, {.tasks = 3, .steps = 150}};
    job whole = open_job(&plan), broken = open_job(&plan);
    sfnec_env *side = open_side(), *other = open_side();
    sfnec_evaluate_options options = listed ? by_list() : own;
    options.best_path = "whole.best";
    options.best_note = "the best";
    OK(sfnec_run_set_evaluation(whole.run, side, &options));
    OK(sfnec_run_advance(whole.run, INT64_MAX));
    options.best_path = "broken.best";
    // at steps with an evaluation, between two, at the end of a task, and in the next
    const int64_t slices[] = {40, 15, 95, 1, 49, 100, 20};
    OK(sfnec_run_set_evaluation(broken.run, other, &options));
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
      OK(sfnec_run_advance(broken.run, slices[i]));
      OK(sfnec_run_save(broken.run, "broken", label));
      close_job(&broken);
      sfnec_env_destroy(other);
      other = open_side(); // in the state that it had at first
      broken = resume_job(&plan, "broken");
      OK(sfnec_run_set_evaluation(broken.run, other, &options));
    }
    OK(sfnec_run_advance(broken.run, INT64_MAX));
    check_same(&whole, &broken);
    check_same_evaluations(whole.run, broken.run, 3);
    assert_true(same_files("whole.best", "broken.best"));
    sfnec_agent *best;
    OK(sfnec_agent_load("whole.best", &best));
    assert_string_equal(sfnec_agent_get_note(best), "the best");
    assert_string_equal(sfnec_agent_get_note(whole.agent), "");
    sfnec_agent_destroy(best);
    close_job(&whole);
    close_job(&broken);
    sfnec_env_destroy(side);
    sfnec_env_destroy(other);
    assert_int_equal(system("rm -rf broken *.best"), 0);
  }
}

static void test_refusals(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, {.tasks = 1, .steps = 50}};
  job j = open_job(&plan);
  sfnec_env *side = open_side(), *cart = open_env("cartpole", NULL, 1);
  sfnec_evaluate_options bad = own;
  assert_int_equal(sfnec_run_set_evaluation(j.run, j.env, &own), SFNEC_ERROR_ARGUMENT);
  assert_int_equal(sfnec_run_set_evaluation(j.run, cart, &own), SFNEC_ERROR_ARGUMENT);
  bad.every = 0;
  assert_int_equal(sfnec_run_set_evaluation(j.run, side, &bad), SFNEC_ERROR_ARGUMENT);
  bad = by_list();
  const double wrong[] = {1, 2, (double)NAN, 4, 5, 6, 7, 8};
  bad.weights = wrong;
  assert_int_equal(sfnec_run_set_evaluation(j.run, side, &bad), SFNEC_ERROR_ARGUMENT);
  bad = own;
  bad.every = INT64_MAX;
  OK(sfnec_run_set_evaluation(j.run, side, &bad));
  OK(sfnec_run_advance(j.run, INT64_MAX));
  uint32_t count = 1;
  const double *features;
  assert_null(sfnec_run_get_evaluations(j.run, 0, &count, &features));
  assert_int_equal(count, 0);
  sfnec_env_destroy(side);
  sfnec_env_destroy(cart);
  close_job(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_changes),
      cmocka_unit_test(test_right),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
