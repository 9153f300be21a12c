// test_no_memory.c: every allocation of saving and resuming a run is refused in turn, for each kind of agent: no memory
// is no damage, both checkpoints stay, and the call repeated does what the undisturbed one does.
//
// The program puts its own malloc before glibc's, which counts and can refuse; elsewhere the tests are skipped.
#include "run/job.h"

// after the C library's headers, which say whose it is
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static const char folder[] = "checkpoint";

static const char *const mlp[] = {"embedding=mlp", "training=batch", "key_size=5", "batch=4", "w=sgd", NULL};
static const char *const pca[] = {"embedding=pca", "pca_observations=60", "key_size=5", NULL};
static const char *const rls[] = {"w=rls", NULL};
static const plan plans[] = {
    {"sfnec", NULL, {.tasks = 3, .steps = 80, .keep_episodes = true}},
    {"sfnec", mlp, {.tasks = 3, .steps = 80}},
    {"sfnec", pca, {.tasks = 3, .steps = 80}},
    {"sfql", rls, {.tasks = 3, .steps = 80}},
    {"sfnec-plan", NULL, {.tasks = 3, .steps = 80}},
};

// A call that is refused an allocation fails for lack of memory, or did not need it.
static void check_status(sfnec_status status, const char *what, int at) {
  if (status && status != SFNEC_ERROR_MEMORY)
    fail_msg("%s, allocation %d refused: %s: %s", what, at, sfnec_status_name(status), sfnec_last_error());
  assert_int_equal(files_like(folder, "state-"), 2);
}

static void check_resume(const plan *plan, const job *saved) {
  for (int at = 0;; at++) {
    const int held = live;
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    allocations = 0;
    refuse_only(at);
    const sfnec_status status = sfnec_run_resume(folder, label, j.env, &plan->options, &j.agent, &j.run, warning);
    refuse_none();
    const bool reached = allocations > at;
    check_status(status, "resume", at);
    assert_true((status == SFNEC_OK) == (j.run != NULL) && (j.run != NULL) == (j.agent != NULL));
    assert_string_equal(warning, "");
    if (j.run) assert_int_equal(sfnec_run_get_steps_done(j.run), sfnec_run_get_steps_done(saved->run));
    if (!reached) check_same(&j, saved);
    close_job(&j);
    const int lost = live - held;
    assert_int_equal(lost, 0);
    if (!reached) return;
  }
}

static void check_save(const plan *plan, job *j) {
  for (int at = 0;; at++) {
    allocations = 0;
    refuse_only(at);
    const sfnec_status status = sfnec_run_save(j->run, folder, label);
    refuse_none();
    const bool reached = allocations > at;
    check_status(status, "save", at);
    job again = resume_job(plan, folder);
    assert_int_equal(sfnec_run_get_steps_done(again.run), sfnec_run_get_steps_done(j->run));
    close_job(&again);
    if (!reached) return;
  }
}

static void test_checkpoints(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
    job j = open_job(&plans[i]), whole = open_job(&plans[i]);
    OK(sfnec_run_advance(j.run, 130));
    OK(sfnec_run_save(j.run, folder, label));
    OK(sfnec_run_save(j.run, folder, label));
    check_save(&plans[i], &j);
    check_resume(&plans[i], &j);
    close_job(&j);
    j = resume_job(&plans[i], folder);
    OK(sfnec_run_advance(j.run, INT64_MAX));
    OK(sfnec_run_advance(whole.run, INT64_MAX));
    check_same(&j, &whole);
    close_job(&j);
    close_job(&whole);
    OK(sfnec_run_discard(folder));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_checkpoints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
