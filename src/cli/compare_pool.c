// compare_pool.c: runs the jobs of a comparison on threads.
//
// A job touches nothing but its own agent, world and row of the plan, so the results do not depend on the number of
// threads. All printing and writing happens in the calling thread.
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/compare.h"
#include "cli/drive.h"

typedef struct pool {
  plan *plan;
  pthread_mutex_t lock;   // guards everything below, and steps_done, finished and error of the jobs
  pthread_cond_t changed; // a job ended, or a worker did
  size_t next;            // into plan->longest
  size_t working;         // threads that have not ended
  bool stop;
} pool;

// one job in the hands of a worker
typedef struct hand {
  pool *pool;
  job *job;
  sfnec_run *run;
} hand;

static bool between(void *context) {
  hand *hand = context;
  pthread_mutex_lock(&hand->pool->lock);
  hand->job->steps_done = sfnec_run_get_steps_done(hand->run);
  hand->job->tasks_done = sfnec_run_get_tasks_done(hand->run);
  const bool go_on = !hand->pool->stop;
  pthread_mutex_unlock(&hand->pool->lock);
  return go_on;
}

// the whole run; the error text belongs to this thread, so it is copied here
static sfnec_status run_job(hand *hand, sfnec_task_result **results) {
  const plan *plan = hand->pool->plan;
  sfnec_env *env = NULL;
  sfnec_agent *agent = NULL;
  const char *const *settings = (const char *const *)plan->world.settings.items;
  sfnec_status status = sfnec_env_create(plan->world.kind, settings, hand->job->seed, &env);
  if (!status) {
    const sfnec_env_shape shape = sfnec_env_get_shape(env);
    status = sfnec_agent_create(&shape, &hand->job->agent->options, hand->job->seed, &agent);
  }
  if (!status) status = sfnec_run_create(agent, env, &plan->run, &hand->run);
  if (!status) status = drive(hand->run, between, hand);
  if (!status && sfnec_run_is_done(hand->run)) {
    uint32_t count;
    const sfnec_task_result *done = sfnec_run_get_results(hand->run, &count);
    *results = must_alloc(count, sizeof **results);
    memcpy(*results, done, count * sizeof **results);
  }
  sfnec_run_destroy(hand->run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return status;
}

static void *work(void *context) {
  pool *pool = context;
  pthread_mutex_lock(&pool->lock);
  while (pool->next < plan_job_count(pool->plan) && !pool->stop && !interrupted()) {
    hand hand = {.pool = pool, .job = pool->plan->longest[pool->next++]};
    pthread_mutex_unlock(&pool->lock);

    sfnec_task_result *results = NULL;
    const sfnec_status status = run_job(&hand, &results);
    char *error = status ? must_copy(sfnec_last_error()) : NULL;

    pthread_mutex_lock(&pool->lock);
    hand.job->results = results;
    hand.job->finished = results != NULL;
    hand.job->error = error;
    if (error) pool->stop = true;
    pthread_cond_signal(&pool->changed);
  }
  pool->working--;
  pthread_cond_signal(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// the share of all work that is done, under the lock
static void measure(const plan *plan, double *share, int64_t *steps) {
  double done = 0, all = 0;
  *steps = 0;
  for (size_t i = 0; i < plan_job_count(plan); i++) {
    const job *job = &plan->jobs[i];
    all += plan_job_work(plan, job, plan->run.tasks);
    done += plan_job_work(plan, job, job->tasks_done);
    *steps += job->steps_done;
  }
  *share = done / all;
}

// tells what ended since the last time, and draws; called and left with the lock held
static int tell(pool *pool, const pool_events *events) {
  int code = EXIT_OK;
  for (size_t i = 0; i < plan_job_count(pool->plan) && !code; i++) {
    job *job = &pool->plan->jobs[i];
    if (!job->finished || job->reported) continue;
    // a finished job is nobody's but ours
    job->reported = true;
    pthread_mutex_unlock(&pool->lock);
    code = events->finished(events->context, job);
    pthread_mutex_lock(&pool->lock);
  }
  double share;
  int64_t steps;
  measure(pool->plan, &share, &steps);
  pthread_mutex_unlock(&pool->lock);
  events->tick(events->context, share, steps);
  pthread_mutex_lock(&pool->lock);
  return code;
}

static void wait_a_little(pool *pool) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 250000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
}

// waits for the workers and passes their news on
static int watch(pool *pool, const pool_events *events) {
  int code = EXIT_OK;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    const bool over = pool->working == 0;
    const int told = pool->stop ? EXIT_OK : tell(pool, events);
    if (told) {
      code = told;
      pool->stop = true;
    }
    if (over) break;
    if (pool->working > 0) wait_a_little(pool);
  }
  pthread_mutex_unlock(&pool->lock);
  return code;
}

static int verdict(const plan *plan, int code) {
  size_t finished = 0;
  for (size_t i = 0; i < plan_job_count(plan); i++) {
    const job *job = &plan->jobs[i];
    finished += job->finished;
    if (job->error && !code)
      code = fail("the run of %s with seed %" PRIu64 " failed: %s", job->agent->label, job->seed, job->error);
  }
  if (code) return code;
  return finished == plan_job_count(plan) ? EXIT_OK : EXIT_INTERRUPTED;
}

int pool_run(plan *plan, size_t threads, const pool_events *events) {
  pool pool = {.plan = plan};
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.changed, NULL);
  if (threads > plan_job_count(plan)) threads = plan_job_count(plan);
  pthread_t *ids = must_alloc(threads, sizeof *ids);

  size_t started = 0;
  int error = 0;
  pthread_mutex_lock(&pool.lock);
  while (started < threads && !(error = pthread_create(&ids[started], NULL, work, &pool))) started++;
  pool.working = started;
  pthread_mutex_unlock(&pool.lock);

  // fewer threads than asked for only take longer
  int code = started ? watch(&pool, events) : fail("cannot start a thread: %s; use fewer --jobs", strerror(error));
  for (size_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
  if (started) code = verdict(plan, code);
  free(ids);
  pthread_cond_destroy(&pool.changed);
  pthread_mutex_destroy(&pool.lock);
  return code;
}
