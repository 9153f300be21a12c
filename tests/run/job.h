// job.h: a run with its agent and environment, opened from a plan, saved to a folder and resumed from it.
#ifndef SFNEC_TESTS_RUN_JOB_H
#define SFNEC_TESTS_RUN_JOB_H

#include "support/player.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sfnec/run.h"

typedef struct plan {
  const char *preset;
  const char *const *settings;
  sfnec_run_options options;
} plan;

typedef struct job {
  sfnec_agent *agent;
  sfnec_env *env;
  sfnec_run *run;
} job;

static const char label[] = "agent=test\nseed=3\nsteps=many";

static inline sfnec_env *open_world(void) {
  return open_env("four_rooms", short_episodes, 3);
}

static inline job open_job(const plan *plan) {
  job j = {.env = open_world()};
  const sfnec_env_shape shape = sfnec_env_get_shape(j.env);
  j.agent = agent_for(&shape, plan->preset, plan->settings, 3);
  OK(sfnec_run_create(j.agent, j.env, &plan->options, &j.run));
  return j;
}

static inline void close_job(job *j) {
  sfnec_run_destroy(j->run);
  sfnec_agent_destroy(j->agent);
  sfnec_env_destroy(j->env);
  *j = (job){0};
}

// Goes on from the newest checkpoint, in a fresh environment; there is one, and nothing is wrong with it.
static inline job resume_job(const plan *plan, const char *folder) {
  job j = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  OK(sfnec_run_resume(folder, label, j.env, &plan->options, &j.agent, &j.run, warning));
  assert_non_null(j.run);
  assert_string_equal(warning, "");
  return j;
}

// What tasks and episodes came to.
static inline void check_same_tasks(const sfnec_run *a, const sfnec_run *b) {
  uint32_t na, nb;
  const sfnec_task_result *ra = sfnec_run_get_results(a, &na), *rb = sfnec_run_get_results(b, &nb);
  assert_int_equal(na, nb);
  for (uint32_t i = 0; i < na; i++) {
    sfnec_task_result x = ra[i], y = rb[i];
    assert_true(x.seconds >= 0 && y.seconds >= 0);
    x.seconds = y.seconds = 0; // the one thing that may differ
    assert_memory_equal(&x, &y, sizeof x);
    uint32_t ca, cb;
    const int64_t *ua = sfnec_run_get_uses(a, i, &ca), *ub = sfnec_run_get_uses(b, i, &cb);
    assert_true(ca == cb && ca > 0);
    assert_memory_equal(ua, ub, ca * sizeof *ua);
  }
  size_t ea, eb;
  const sfnec_episode_result *pa = sfnec_run_get_episodes(a, &ea), *pb = sfnec_run_get_episodes(b, &eb);
  assert_int_equal(ea, eb);
  for (size_t i = 0; i < ea; i++) {
    assert_true(pa[i].task == pb[i].task && pa[i].steps == pb[i].steps && pa[i].total == pb[i].total &&
                pa[i].terminated == pb[i].terminated);
  }
}

// And the curves of the tasks.
static inline void check_same_results(const sfnec_run *a, const sfnec_run *b) {
  check_same_tasks(a, b);
  uint32_t tasks;
  (void)sfnec_run_get_results(a, &tasks);
  for (uint32_t i = 0; i < tasks; i++) {
    uint32_t ca, cb;
    const sfnec_bin_result *ba = sfnec_run_get_bins(a, i, &ca), *bb = sfnec_run_get_bins(b, i, &cb);
    assert_int_equal(ca, cb);
    if (ca) assert_memory_equal(ba, bb, ca * sizeof *ba);
  }
}

// Results, uses, episodes, curves, and every byte of the agent.
static inline void check_same(const job *a, const job *b) {
  check_same_results(a->run, b->run);
  assert_int_equal(sfnec_run_get_steps_done(a->run), sfnec_run_get_steps_done(b->run));
  OK(sfnec_agent_save(a->agent, "a.agent"));
  OK(sfnec_agent_save(b->agent, "b.agent"));
  assert_true(same_files("a.agent", "b.agent"));
}

// Files of a folder whose name begins like this.
static inline int files_like(const char *folder, const char *start) {
  DIR *stream = opendir(folder);
  if (!stream) return 0;
  int count = 0;
  for (struct dirent *entry; (entry = readdir(stream));) {
    count += entry->d_name[0] != '.' && strncmp(entry->d_name, start, strlen(start)) == 0;
  }
  closedir(stream);
  return count;
}

// The path of the n-th file of a folder, by name, that begins like this.
static inline void path_like(const char *folder, const char *start, int n, char path[512]) {
  struct dirent **names;
  const int count = scandir(folder, &names, NULL, alphasort);
  assert_true(count >= 0);
  path[0] = '\0';
  for (int i = 0; i < count; i++) {
    if (strncmp(names[i]->d_name, start, strlen(start)) == 0 && n-- == 0) {
      snprintf(path, 512, "%s/%.255s", folder, names[i]->d_name);
    }
    free(names[i]);
  }
  free(names);
  if (!path[0]) fail_msg("%s has no such file: %s", folder, start);
}

static inline void shell(const char *command) {
  assert_int_equal(system(command), 0);
}

// A run that is saved and resumed after each of these slices is the unbroken run.
static inline void check_resumed_after(const plan *plan, const int64_t *slices, int count, const char *folder) {
  job whole = open_job(plan), broken = open_job(plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  for (int i = 0; i < count; i++) {
    OK(sfnec_run_advance(broken.run, slices[i]));
    OK(sfnec_run_save(broken.run, folder, label));
    close_job(&broken);
    broken = resume_job(plan, folder);
  }
  check_same(&whole, &broken);
  close_job(&whole);
  close_job(&broken);
}

#endif
