// test_checkpoint.c: a run that is saved and resumed, at any moments, is the unbroken run.
#include "run/job.h"

static const char folder[] = "checkpoints/of/a run";

static int wipe(void **state) {
  (void)state;
  return system("rm -rf checkpoints");
}

// Plays on by slices of random length, with a checkpoint after each; `resume`: goes on from it in a new run.
static void play_broken(job *j, const plan *plan, uint64_t seed, bool resume) {
  sfnec_random random = sfnec_random_start(seed, 1000);
  while (!sfnec_run_is_done(j->run)) {
    int64_t slice = (int64_t)sfnec_random_below(&random, 60);
    // now and then to the end of the task, or one step into the next
    const uint32_t special = sfnec_random_below(&random, 4);
    if (special < 2 && plan->options.steps > 0) {
      slice = plan->options.steps - sfnec_run_get_steps_done(j->run) % plan->options.steps + special;
    }
    OK(sfnec_run_advance(j->run, slice));
    OK(sfnec_run_save(j->run, folder, label));
    if (!resume) continue;
    close_job(j);
    *j = resume_job(plan, folder);
  }
}

static void check(const char *preset, const char *const *settings, sfnec_run_options options) {
  const plan plan = {preset, settings, options};
  job whole = open_job(&plan), saved = open_job(&plan), broken = open_job(&plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  // saving changes nothing
  play_broken(&saved, &plan, 1, false);
  check_same(&whole, &saved);
  wipe(NULL);
  play_broken(&broken, &plan, 2, true);
  check_same(&whole, &broken);
  OK(sfnec_run_discard(folder));
  assert_int_not_equal(access(folder, F_OK), 0);
  close_job(&whole);
  close_job(&saved);
  close_job(&broken);
}

static const sfnec_run_options by_steps = {.tasks = 4, .steps = 150, .bins = 7},
                               by_episodes = {.tasks = 4, .episodes = 9, .bins = 5},
                               by_both = {.tasks = 5, .steps = 110, .episodes = 8, .keep_episodes = true, .bins = 6};
static const char *const small[] = {"capacity=25", "neighbours=5", NULL};

static void test_presets(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    check(sfnec_agent_preset_at(i)->name, small, by_steps);
    check(sfnec_agent_preset_at(i)->name, small, by_both);
  }
}

static void test_limits(void **state) {
  (void)state;
  check("sfnec", small, by_episodes);
  check("sfql", small, by_episodes);
}

static void test_learned_weights(void **state) {
  (void)state;
  const char *const sgd[] = {"w=sgd", "capacity=25", "neighbours=5", NULL};
  const char *const rls[] = {"w=rls", "write=episode", "capacity=25", NULL};
  check("sfnec", sgd, by_both);
  check("sfnec-plus", rls, by_steps);
  check("sfql", rls, by_both);
}

// tasks whose reward is no weights: their functions are made again from the texts
static void test_rewards(void **state) {
  (void)state;
  static const char *const rewards[] = {"1 if goal else -0.01 * (action == up)", "weights", "circle and not goal"};
  sfnec_run_options options = by_both;
  options.rewards = rewards, options.reward_count = 3;
  check("sfnec-plan", (const char *const[]){"rewards=any", NULL}, options);
  check("sfnec", (const char *const[]){"rewards=any", "capacity=25", NULL},
        (sfnec_run_options){.tasks = 4,
                            .steps = 150,
                            .rewards = (const char *const[]){"circle * 2 - goal", "weights"},
                            .reward_count = 2});
  check("nec", small, options);
}

// memories large enough for the fast index to use its codes
static void test_large(void **state) {
  (void)state;
  const plan plan = {"sfnec", NULL, {.tasks = 3, .steps = 2500}};
  const int64_t slices[] = {1700, 800, 2500, 1234, 5000};
  check_resumed_after(&plan, slices, 5, folder);
}

// A run saved after its last task is done when it is resumed, and goes on as a longer run when more tasks are asked
// for.
static void test_extension(void **state) {
  (void)state;
  plan two = {"sfnec", small, {.tasks = 2, .steps = 150, .keep_episodes = true}}, five = two;
  five.options.tasks = 5;
  job whole = open_job(&five), part = open_job(&two);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  OK(sfnec_run_advance(part.run, INT64_MAX));
  OK(sfnec_run_save(part.run, folder, label));

  job again = resume_job(&two, folder);
  assert_true(sfnec_run_is_done(again.run));
  assert_true(sfnec_run_get_tasks_done(again.run) == 2.0);
  OK(sfnec_run_advance(again.run, 1000));
  check_same(&part, &again);
  // saving what is finished once more changes nothing either
  OK(sfnec_run_save(again.run, folder, label));
  close_job(&again);

  job longer = resume_job(&five, folder);
  assert_false(sfnec_run_is_done(longer.run));
  OK(sfnec_run_advance(longer.run, INT64_MAX));
  check_same(&whole, &longer);
  OK(sfnec_run_save(longer.run, folder, label));
  close_job(&longer);
  close_job(&part);
  close_job(&whole);

  // fewer tasks than are finished or begun are refused
  sfnec_env *env = open_world();
  sfnec_agent *agent;
  sfnec_run *run;
  char warning[SFNEC_RUN_WARNING];
  REFUSED(sfnec_run_resume(folder, label, env, &two.options, &agent, &run, warning), SFNEC_ERROR_STATE,
          "has finished 5 tasks and 2 are asked for");
  assert_true(!agent && !run);
  sfnec_env_destroy(env);
}

static void test_nothing_there(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, by_steps};
  sfnec_env *env = open_world();
  sfnec_agent *agent;
  sfnec_run *run;
  char warning[SFNEC_RUN_WARNING];
  for (int i = 0; i < 2; i++) {
    OK(sfnec_run_resume(folder, label, env, &plan.options, &agent, &run, warning));
    assert_true(!agent && !run && !warning[0]);
    assert_int_equal(sfnec_run_get_saved_bytes(folder), 0);
    if (i == 0) shell("mkdir -p 'checkpoints/of/a run'");
  }
  OK(sfnec_run_discard("no/such/folder"));
  sfnec_env_destroy(env);
}

// ---- the files ----

static ino_t inode(const char *path) {
  struct stat facts;
  assert_int_equal(stat(path, &facts), 0);
  return facts.st_ino;
}

// Each task's keys are written once; nothing else than these files is touched.
static void test_files(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, by_steps};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, 151)); // one step into the second task
  OK(sfnec_run_save(j.run, folder, label));
  assert_true(files_like(folder, "state-") == 1 && files_like(folder, "keys-") == 1);
  char first[512];
  path_like(folder, "keys-", 0, first);
  const ino_t node = inode(first);
  shell("cd 'checkpoints/of/a run' && echo mine > notes && echo x > state-2 && echo x > keys-12 && "
        "echo x > state-0.tmp.77.0 && echo x > keys-0123456789abcdef.tmp.1.0 && echo x > keys-0123456789abcdef");
  OK(sfnec_run_save(j.run, folder, label));
  assert_true(files_like(folder, "state-") == 3 && files_like(folder, "keys-") == 2); // with state-2 and keys-12
  assert_true(inode(first) == node);
  OK(sfnec_run_advance(j.run, 300));
  OK(sfnec_run_save(j.run, folder, label));
  assert_int_equal(files_like(folder, "keys-"), 2 + 2);
  assert_true(inode(first) == node);

  // what the checkpoints take: all files but the three that are not theirs
  int64_t bytes = 0;
  char path[512];
  for (int i = 0; i < 7; i++) {
    path_like(folder, "", 2 + i, path); // after . and ..
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    if (!strstr(path, "notes") && !strstr(path, "state-2") && !strstr(path, "keys-12")) bytes += facts.st_size;
  }
  assert_int_equal(sfnec_run_get_saved_bytes(folder), bytes);
  OK(sfnec_run_discard(folder));
  assert_int_equal(files_like(folder, ""), 3);
  assert_int_equal(sfnec_run_get_saved_bytes(folder), 0);
  close_job(&j);
}

// A run that is new in a folder leaves what others saved there until it has two states of its own.
static void test_second_run(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, by_steps}, other = {"sfnec-plus", small, by_steps};
  job one = open_job(&plan), two = open_job(&other);
  for (int i = 0; i < 3; i++) {
    OK(sfnec_run_advance(one.run, 160));
    OK(sfnec_run_save(one.run, folder, label));
  }
  OK(sfnec_run_advance(two.run, 310));
  OK(sfnec_run_save(two.run, folder, label));
  assert_int_equal(files_like(folder, "keys-"), 3 + 2);
  job resumed = resume_job(&other, folder);
  check_same(&two, &resumed);
  close_job(&resumed);
  OK(sfnec_run_save(two.run, folder, label));
  assert_int_equal(files_like(folder, "keys-"), 2);
  close_job(&one);
  close_job(&two);
}

// One run, two folders; and a folder that someone removed.
static void test_two_folders(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, by_steps};
  job j = open_job(&plan);
  OK(sfnec_run_advance(j.run, 310));
  OK(sfnec_run_save(j.run, folder, label));
  OK(sfnec_run_save(j.run, "checkpoints/elsewhere", label));
  job there = resume_job(&plan, "checkpoints/elsewhere");
  check_same(&j, &there);
  close_job(&there);
  shell("rm -r checkpoints/elsewhere");
  OK(sfnec_run_save(j.run, "checkpoints/elsewhere", label));
  there = resume_job(&plan, "checkpoints/elsewhere");
  check_same(&j, &there);
  close_job(&there);
  close_job(&j);
}

// ---- keys that change after all ----

// What a user may do to the agent between two tasks: learn in an old one, put a fresh one in its place, forget one.
static void meddle(job *j, int how) {
  const double w[4] = {1, 0.5, -0.5, 1};
  float observation[128];
  double features[4];
  int32_t action;
  if (how == 0) OK(sfnec_agent_replace_task(j->agent, 0, w));
  if (how == 1) OK(sfnec_agent_forget_task(j->agent, 0));
  if (how != 2) return;
  sfnec_env *env = open_env("four_rooms", short_episodes, 99);
  OK(sfnec_agent_set_task(j->agent, 0));
  OK(sfnec_env_reset(env, observation));
  OK(sfnec_agent_begin_episode(j->agent));
  for (int i = 0; i < 12; i++) {
    sfnec_env_outcome outcome;
    OK(sfnec_agent_act(j->agent, observation, &action));
    OK(sfnec_env_step(env, action, observation, features, &outcome));
    const sfnec_transition transition = {action, features, 0, observation, i == 11, false, NULL};
    OK(sfnec_agent_observe(j->agent, &transition));
    if (outcome.terminated || outcome.truncated) OK(sfnec_env_reset(env, observation)); // one episode to the agent
  }
  OK(sfnec_agent_set_task(j->agent, 1));
  sfnec_env_destroy(env);
}

static void test_changed_keys(void **state) {
  (void)state;
  const plan plan = {"sfnec", small, by_steps};
  for (int how = 0; how < 3; how++) {
    job whole = open_job(&plan), broken = open_job(&plan);
    OK(sfnec_run_advance(whole.run, 300));
    meddle(&whole, how);
    OK(sfnec_run_advance(whole.run, INT64_MAX));

    OK(sfnec_run_advance(broken.run, 300));
    OK(sfnec_run_save(broken.run, folder, label));
    char before[512];
    path_like(folder, "keys-", 0, before);
    assert_int_equal(files_like(folder, "keys-"), 1);
    meddle(&broken, how);
    OK(sfnec_run_save(broken.run, folder, label));
    // the older state still has its keys; after one more save nobody needs them
    assert_int_equal(access(before, F_OK), 0);
    assert_int_equal(files_like(folder, "keys-"), how == 2 ? 2 : 1);
    OK(sfnec_run_save(broken.run, folder, label));
    assert_int_not_equal(access(before, F_OK), 0);
    assert_int_equal(files_like(folder, "keys-"), how == 2 ? 1 : 0);
    close_job(&broken);
    broken = resume_job(&plan, folder);
    OK(sfnec_run_advance(broken.run, INT64_MAX));
    check_same(&whole, &broken);
    close_job(&whole);
    close_job(&broken);
    wipe(NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_presets, wipe),         cmocka_unit_test_teardown(test_limits, wipe),
      cmocka_unit_test_teardown(test_learned_weights, wipe), cmocka_unit_test_teardown(test_rewards, wipe),
      cmocka_unit_test_teardown(test_large, wipe),           cmocka_unit_test_teardown(test_extension, wipe),
      cmocka_unit_test_teardown(test_nothing_there, wipe),   cmocka_unit_test_teardown(test_files, wipe),
      cmocka_unit_test_teardown(test_second_run, wipe),      cmocka_unit_test_teardown(test_two_folders, wipe),
      cmocka_unit_test_teardown(test_changed_keys, wipe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
