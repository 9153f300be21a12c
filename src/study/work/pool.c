// pool.c: workers that are threads; see workers.h.
//
// Each worker waits for a job in its own slot. News go through one queue; progress is not queued but replaces the
// worker's last one, so a slow reader cannot be flooded.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "study/work/workers.h"

#define NO_JOB UINT32_MAX // more than an enumerator holds

struct pool;

typedef struct worker {
  struct pool *pool;
  uint32_t number;
  pthread_t thread;
  uint32_t job; // NO_JOB: free
  uint32_t tasks_sent;
  sfnec_message progress; // the newest, without anything owned
  bool has_progress;
} worker;

typedef struct pool {
  sfnec_workers base;
  const sfnec_job_options *options;
  uint32_t count;
  worker *workers;        // (count)
  pthread_mutex_t lock;   // guards all that follows, and the workers
  pthread_cond_t offered; // a job was assigned, or the end has come
  pthread_cond_t told;    // there are message
  sfnec_message *first, *last;
  bool stop;
} pool;

// ---- the worker's side ----

static void send_message(void *context, const sfnec_message *message) {
  worker *worker = context;
  pool *pool = worker->pool;
  sfnec_message *copy = NULL;
  if (message->kind != SFNEC_MESSAGE_PROGRESS) {
    // without this the scheduler would wait for ever; memory comes back when other jobs end
    while (!(copy = sfnec_message_copy(message))) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    copy->worker = worker->number;
  }
  pthread_mutex_lock(&pool->lock);
  if (copy) {
    *(pool->last ? &pool->last->next : &pool->first) = copy;
    pool->last = copy;
    worker->has_progress = false;
    if (message->kind >= SFNEC_MESSAGE_DONE) worker->job = NO_JOB;
  } else {
    worker->progress = *message;
    worker->progress.worker = worker->number;
    worker->has_progress = true;
  }
  pthread_cond_signal(&pool->told);
  pthread_mutex_unlock(&pool->lock);
}

static bool stop_asked(void *context) {
  worker *worker = context;
  pthread_mutex_lock(&worker->pool->lock);
  const bool stop = worker->pool->stop;
  pthread_mutex_unlock(&worker->pool->lock);
  return stop;
}

static void *serve(void *context) {
  worker *worker = context;
  pool *pool = worker->pool;
  const sfnec_job_hooks hooks = {send_message, stop_asked, worker};
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (worker->job == NO_JOB && !pool->stop) pthread_cond_wait(&pool->offered, &pool->lock);
    if (worker->job == NO_JOB) break;
    const uint32_t job = worker->job, tasks_sent = worker->tasks_sent;
    pthread_mutex_unlock(&pool->lock);
    sfnec_job_run(pool->options, job, tasks_sent, &hooks);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// ---- the scheduler's side ----

static uint32_t size(const sfnec_workers *workers) {
  return ((const pool *)workers)->count;
}

static uint32_t idle(const sfnec_workers *workers) {
  pool *pool = (struct pool *)workers; // only for the lock
  uint32_t found = UINT32_MAX;
  pthread_mutex_lock(&pool->lock);
  for (uint32_t i = 0; i < pool->count && found == UINT32_MAX && !pool->stop; i++)
    if (pool->workers[i].job == NO_JOB) found = i;
  pthread_mutex_unlock(&pool->lock);
  return found;
}

static void assign(sfnec_workers *workers, uint32_t number, uint32_t job, uint32_t tasks_sent) {
  pool *pool = (struct pool *)workers;
  pthread_mutex_lock(&pool->lock);
  pool->workers[number].job = job;
  pool->workers[number].tasks_sent = tasks_sent;
  pthread_cond_broadcast(&pool->offered);
  pthread_mutex_unlock(&pool->lock);
}

// the oldest message, under the lock; progress only when there is nothing else
static sfnec_message *take(pool *pool) {
  sfnec_message *message = pool->first;
  if (message) {
    pool->first = message->next;
    if (!pool->first) pool->last = NULL;
    message->next = NULL;
    return message;
  }
  for (uint32_t i = 0; i < pool->count; i++) {
    worker *worker = &pool->workers[i];
    if (!worker->has_progress) continue;
    worker->has_progress = false;
    return sfnec_message_copy(&worker->progress);
  }
  return NULL;
}

static struct timespec in_seconds(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

static sfnec_message *next(sfnec_workers *workers, double seconds) {
  pool *pool = (struct pool *)workers;
  const struct timespec until = in_seconds(seconds);
  pthread_mutex_lock(&pool->lock);
  sfnec_message *message;
  while (!(message = take(pool)))
    if (pthread_cond_timedwait(&pool->told, &pool->lock, &until) == ETIMEDOUT) break;
  pthread_mutex_unlock(&pool->lock);
  return message;
}

static void stop(sfnec_workers *workers) {
  pool *pool = (struct pool *)workers;
  pthread_mutex_lock(&pool->lock);
  pool->stop = true;
  pthread_cond_broadcast(&pool->offered);
  pthread_mutex_unlock(&pool->lock);
}

static void destroy(sfnec_workers *workers) {
  pool *pool = (struct pool *)workers;
  stop(workers);
  for (uint32_t i = 0; i < pool->count; i++) pthread_join(pool->workers[i].thread, NULL);
  for (sfnec_message *message; (message = pool->first);) {
    pool->first = message->next;
    sfnec_message_destroy(message);
  }
  pthread_cond_destroy(&pool->told);
  pthread_cond_destroy(&pool->offered);
  pthread_mutex_destroy(&pool->lock);
  free(pool->workers);
  free(pool);
}

static const sfnec_workers_ops ops = {size, idle, assign, next, stop, destroy};

// waiting must not depend on a clock that can be set
static void init_signals(pool *pool) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->offered, NULL);
  pthread_cond_init(&pool->told, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

sfnec_status sfnec_pool_create(const sfnec_job_options *options, uint32_t threads, sfnec_workers **out) {
  pool *pool = calloc(1, sizeof *pool);
  worker *list = calloc(threads, sizeof *list);
  if (!pool || !list) {
    free(pool);
    free(list);
    return sfnec_fail_memory("the workers");
  }
  pool->base.ops = &ops;
  pool->options = options;
  pool->workers = list;
  init_signals(pool);

  int error = 0;
  pthread_mutex_lock(&pool->lock);
  for (uint32_t i = 0; i < threads && !error; i++) {
    list[i] = (worker){.pool = pool, .number = i, .job = NO_JOB};
    error = pthread_create(&list[i].thread, NULL, serve, &list[i]);
    pool->count += !error;
  }
  pthread_mutex_unlock(&pool->lock);

  // fewer threads than asked for only take longer
  if (pool->count == 0) {
    destroy(&pool->base);
    return sfnec_fail(SFNEC_ERROR_STATE, "cannot start a thread: %s", strerror(error));
  }
  *out = &pool->base;
  return SFNEC_OK;
}
