// test_lying.c: a world that returns what is no number, far too great numbers, or an error: the run fails with one
// sentence that names the world and what it returned; agent and run stay usable.
#include "support/liar.h"
#include "support/player.h"

#include "run/state.h"
#include "sfnec/run.h"

static sfnec_env *open_liar(void) {
  sfnec_env *env = NULL;
  OK(sfnec_env_create(&liar, NULL, 1, &env));
  return env;
}

// Its file loads to the same file, and it can be asked.
static void check_usable(const sfnec_agent *agent) {
  sfnec_agent *again = NULL;
  OK(sfnec_agent_save(agent, "a.agent"));
  OK(sfnec_agent_load("a.agent", &again));
  OK(sfnec_agent_save(again, "b.agent"));
  assert_true(same_files("a.agent", "b.agent"));
  sfnec_agent_destroy(again);
}

static void check_finite(const sfnec_run *run) {
  for (uint32_t i = 0; i <= run->task; i++) assert_true(isfinite(run->results[i].total));
  int64_t steps = 0;
  for (size_t i = 0; i < run->episode_count; i++) steps += run->episodes[i].steps;
  if (!run->play.in_episode) assert_int_equal(steps, sfnec_run_get_steps_done(run));
}

static sfnec_status expected_status(lie kind) {
  return kind == FAILURE ? SFNEC_ERROR_IO : SFNEC_ERROR_ARGUMENT;
}

static void check_lie(const char *preset, lie kind, int after) {
  static const char *const learned[] = {"w=sgd", NULL};
  lying = kind;
  truths = after;
  sfnec_env *env = open_liar();
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, preset, strcmp(preset, "sfql") == 0 ? learned : NULL, 1);
  const sfnec_run_options options = {.tasks = 3, .steps = 40, .keep_episodes = true};
  sfnec_run *run = NULL;
  OK(sfnec_run_create(agent, env, &options, &run));
  REFUSED(sfnec_run_advance(run, INT64_MAX), expected_status(kind), sentences[kind]);
  assert_null(strchr(sfnec_last_error(), '\n'));
  check_finite(run);
  check_usable(agent);
  // it lies on, and is told again
  REFUSED(sfnec_run_advance(run, INT64_MAX), expected_status(kind), sentences[kind]);

  // a world that tells the truth again can be gone on with, and a run that was saved too
  lying = NO_LIE;
  if (kind != HUGE_REWARD) {
    OK(sfnec_run_save(run, "saved", "label"));
    OK(sfnec_run_advance(run, INT64_MAX));
    assert_true(sfnec_run_is_done(run));
    check_finite(run);
    check_usable(agent);
    sfnec_env *other = open_liar();
    sfnec_agent *resumed = NULL;
    sfnec_run *going = NULL;
    char warning[SFNEC_RUN_WARNING];
    OK(sfnec_run_resume("saved", "label", other, &options, &resumed, &going, warning));
    OK(sfnec_run_advance(going, INT64_MAX));
    sfnec_run_destroy(going);
    sfnec_agent_destroy(resumed);
    sfnec_env_destroy(other);
  }
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  OK(sfnec_run_discard("saved"));
}

static void test_runs(void **state) {
  (void)state;
  static const char *const presets[] = {"sfnec", "nec", "sfql", "ql"};
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    for (lie kind = NAN_FEATURE; kind < LIES; kind++) {
      check_lie(presets[i], kind, kind == NAN_WEIGHT ? 1 : 0);
      // learning diverges by rewards that are only very great, and says so
      if (kind != NAN_WEIGHT && kind != HUGE_REWARD) check_lie(presets[i], kind, kind == NAN_START ? 2 : 17);
    }
  }
}

// An agent that is only asked does not see features: the sum of its rewards would be no number.
static void test_evaluation(void **state) {
  (void)state;
  lying = NO_LIE;
  sfnec_env *env = open_liar();
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, "sfnec", NULL, 1);
  const double w[] = {1, 1};
  OK(sfnec_agent_begin_task(agent, w, NULL));
  sfnec_scratch *scratch = scratch_for(agent);
  sfnec_evaluation evaluation;
  for (lie kind = NAN_FEATURE; kind <= NAN_START; kind++) {
    lying = kind;
    truths = kind == NAN_START ? 0 : 5;
    REFUSED(sfnec_run_evaluate(agent, scratch, env, w, 50, 0, &evaluation), expected_status(kind), sentences[kind]);
    lying = NO_LIE;
    OK(sfnec_run_evaluate(agent, scratch, env, w, 50, 0, &evaluation));
  }
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_evaluation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
