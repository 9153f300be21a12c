// test_lying.c: a study of which some jobs have a world that lies: they fail, with the sentence in the database, and
// all others are done. Once the world tells the truth, the same study goes on.
#include "support/liar.h"

#include "study/store/results.h"
#include "study/work/scheduler.h"

static const char spec_text[] = "name: lies\n"
                                "env: {name: one_room}\n"
                                "tasks: 2\n"
                                "steps: 60\n"
                                "seeds: 1-2\n"
                                "agents: [sfnec, {label: lied to, preset: sfnec}, ql]\n";
enum { SEEDS = 2, LIED_TO = 1 };

static sfnec_spec *spec;
static sfnec_plan *plan;

static void make_plan(void) {
  OK(sfnec_spec_parse("lies.yaml", spec_text, strlen(spec_text), NULL, &spec));
  OK(sfnec_plan_create(spec, &plan));
  assert_int_equal(plan->configuration_count, 3);
  plan->configurations[LIED_TO].env = &liar;
}

static sfnec_study_outcome run_study(const char *folder) {
  sfnec_store *store = NULL;
  sfnec_workers *workers = NULL;
  sfnec_study_outcome outcome;
  const sfnec_job_options options = {.plan = plan, .folder = folder, .checkpoint_seconds = 0};
  const sfnec_schedule_hooks hooks = {.context = NULL};
  OK(sfnec_store_open(folder, &store));
  OK(sfnec_store_set_plan(store, plan, sfnec_spec_text(spec)));
  OK(sfnec_job_make_folders(plan->arena, folder));
  OK(sfnec_pool_create(&options, 1, &workers)); // one: what the world does is a global of the test
  OK(sfnec_schedule(&options, store, workers, &hooks, &outcome));
  workers->ops->destroy(workers);
  sfnec_store_close(store);
  return outcome;
}

static void check_states(const char *folder, const char *sentence) {
  sfnec_results *results = NULL;
  OK(sfnec_results_load(folder, &results));
  assert_int_equal(results->run_count, plan->job_count);
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    const bool failed = sentence && run->configuration == LIED_TO;
    assert_int_equal(run->state, failed ? SFNEC_JOB_FAILED : SFNEC_JOB_DONE);
    for (uint32_t k = 0; k < run->task_count; k++) assert_true(isfinite(run->tasks[k].result.total));
    if (!failed) assert_int_equal(run->task_count, 2);
    if (failed && (!run->error || !strstr(run->error, sentence))) fail_msg("'%s' lacks '%s'", run->error, sentence);
  }
  sfnec_results_destroy(results);
}

static void test_study(void **state) {
  (void)state;
  make_plan();
  char folder[32];
  for (lie kind = NAN_FEATURE; kind < LIES; kind++) {
    snprintf(folder, sizeof folder, "study-%d", (int)kind);
    lying = kind;
    truths = kind == NAN_WEIGHT || kind == NAN_START ? 1 : 70; // in its second task, but for those
    sfnec_study_outcome outcome = run_study(folder);
    assert_int_equal(outcome.failed, SEEDS);
    assert_int_equal(outcome.done, plan->job_count - SEEDS);
    check_states(folder, kind == NAN_WEIGHT ? "environment liar drew reward weights" : sentences[kind]);

    lying = NO_LIE;
    outcome = run_study(folder);
    assert_int_equal(outcome.done, plan->job_count);
    check_states(folder, NULL);
  }
  sfnec_plan_destroy(plan);
  sfnec_spec_destroy(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_study),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
