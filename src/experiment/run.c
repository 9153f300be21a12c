// run.c: the paper's protocol and zero-shot evaluation; the contract is in sfnec/run.h.
#include "sfnec/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

struct sfnec_run {
  sfnec_agent *agent;
  sfnec_env *env;
  sfnec_run_options options;
  bool given;    // the agent is told w
  uint32_t task; // the task that is running, or the next one
  int64_t step;  // transitions done in it
  bool task_begun;
  bool episode_begun;
  float *observation; // (d), s_t
  float *following;   // (d), s_{t+1}
  double *features;   // (n)
  double *w;          // (n), of the running task
  sfnec_task_result *results;
};

void sfnec_run_options_default(sfnec_run_options *options) {
  *options = (sfnec_run_options){.tasks = 10, .steps = 20000};
}

static sfnec_status check_shapes(const sfnec_agent *agent, const sfnec_env *env) {
  const sfnec_env_shape a = sfnec_agent_get_shape(agent), e = sfnec_env_get_shape(env);
  if (a.observation_size == e.observation_size && a.action_count == e.action_count &&
      a.feature_count == e.feature_count) {
    return SFNEC_OK;
  }
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "the agent does not fit %s: it has %d observations, %d actions and %d features, the environment "
                    "%d, %d and %d",
                    sfnec_env_get_kind(env)->name, (int)a.observation_size, (int)a.action_count, (int)a.feature_count,
                    (int)e.observation_size, (int)e.action_count, (int)e.feature_count);
}

sfnec_status sfnec_run_create(sfnec_agent *agent, sfnec_env *env, const sfnec_run_options *options, sfnec_run **out) {
  const sfnec_status status = check_shapes(agent, env);
  if (status != SFNEC_OK) return status;
  if (options->tasks < 1 || options->steps < 1) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a run needs at least one task and one step per task");
  }
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_run *run = calloc(1, sizeof *run);
  if (!run) return sfnec_fail_memory("a run");
  run->agent = agent;
  run->env = env;
  run->options = *options;
  run->given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
  run->observation = calloc((size_t)shape.observation_size, sizeof(float));
  run->following = calloc((size_t)shape.observation_size, sizeof(float));
  run->features = calloc((size_t)shape.feature_count, sizeof(double));
  run->w = calloc((size_t)shape.feature_count, sizeof(double));
  run->results = calloc(options->tasks, sizeof *run->results);
  if (!run->observation || !run->following || !run->features || !run->w || !run->results) {
    sfnec_run_destroy(run);
    return sfnec_fail_memory("a run");
  }
  *out = run;
  return SFNEC_OK;
}

void sfnec_run_destroy(sfnec_run *run) {
  if (!run) return;
  free(run->observation);
  free(run->following);
  free(run->features);
  free(run->w);
  free(run->results);
  free(run);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double dot(const double *a, const double *b, int32_t size) {
  double sum = 0.0;
  for (int32_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

static sfnec_status begin(sfnec_run *run) {
  sfnec_status status = SFNEC_OK;
  if (!run->task_begun) {
    sfnec_env_task(run->env, run->task, run->w);
    status = sfnec_agent_begin_task(run->agent, run->given ? run->w : NULL, NULL);
    run->task_begun = status == SFNEC_OK;
  }
  if (status == SFNEC_OK && !run->episode_begun) {
    status = sfnec_env_reset(run->env, run->observation);
    if (status == SFNEC_OK) status = sfnec_agent_begin_episode(run->agent);
    run->episode_begun = status == SFNEC_OK;
  }
  return status;
}

static sfnec_status step(sfnec_run *run) {
  sfnec_task_result *result = &run->results[run->task];
  int32_t action;
  sfnec_env_outcome outcome = {false, false};
  sfnec_status status = sfnec_agent_act(run->agent, run->observation, &action);
  if (status == SFNEC_OK) status = sfnec_env_step(run->env, action, run->following, run->features, &outcome);
  if (status != SFNEC_OK) return status;

  // the task's last transition cuts its episode off
  const bool last = run->step + 1 == run->options.steps;
  const sfnec_transition transition = {
      .action = action,
      .features = run->features,
      .reward = dot(run->features, run->w, sfnec_env_get_shape(run->env).feature_count),
      .next_observation = run->following,
      .terminated = outcome.terminated,
      .truncated = outcome.truncated || last,
  };
  status = sfnec_agent_observe(run->agent, &transition);
  result->total += transition.reward;
  run->step++;
  if (transition.terminated || transition.truncated) {
    result->episodes++;
    result->goals += transition.terminated;
    run->episode_begun = false;
  }
  float *observation = run->observation;
  run->observation = run->following;
  run->following = observation;
  return status;
}

static int64_t entries(const sfnec_agent *agent) {
  int64_t sum = 0;
  sfnec_task_info info;
  for (uint32_t i = 0; sfnec_agent_get_task(agent, i, &info, NULL) == SFNEC_OK; i++) sum += info.entries;
  return sum;
}

sfnec_status sfnec_run_advance(sfnec_run *run, int64_t most) {
  while (most > 0 && !sfnec_run_done(run)) {
    const double start = seconds_now();
    sfnec_status status = SFNEC_OK;
    sfnec_task_result *result = &run->results[run->task];
    for (; most > 0 && run->step < run->options.steps && status == SFNEC_OK; most--) {
      status = begin(run);
      if (status == SFNEC_OK) status = step(run);
    }
    result->seconds += seconds_now() - start;
    if (status != SFNEC_OK) return status;
    if (run->step == run->options.steps) {
      result->entries = entries(run->agent);
      run->task++;
      run->step = 0;
      run->task_begun = false;
    }
  }
  return SFNEC_OK;
}

bool sfnec_run_done(const sfnec_run *run) {
  return run->task == run->options.tasks;
}

int64_t sfnec_run_steps_done(const sfnec_run *run) {
  return (int64_t)run->task * run->options.steps + run->step;
}

const sfnec_task_result *sfnec_run_results(const sfnec_run *run, uint32_t *count) {
  *count = run->task;
  return run->results;
}
