// scheduler.c: runs what is missing of a study with its workers; see scheduler.h.
//
// One loop in one thread: give jobs to free workers, take messages, store their results. Nothing else touches the
// store.
#include "study/work/scheduler.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "study/work/state_file.h"

enum { MOST_ATTEMPTS = 2 };

typedef struct scheduler {
  const sfnec_job_options *options;
  const sfnec_plan *plan;
  sfnec_store *store;
  sfnec_workers *workers;
  const sfnec_schedule_hooks *hooks;
  sfnec_progress progress;
  const sfnec_job **order; // (job_count) the jobs, the longest first
  uint32_t *place;         // (job_count) of each job in the order
  size_t first;            // none before this place in the order waits
  size_t left;             // jobs that are neither done nor given up
  uint32_t busy;           // workers
  int64_t room;            // bytes left for the states of finished jobs
  bool stopping;           // the workers were asked to stop
  double ticked;           // when the owner heard last
  double stored;           // when the store was asked to commit last
  sfnec_status fault;      // of the store: the end of everything
  char *sentence;          // behind it
} scheduler;

// ---- the state of things ----

static void measure(scheduler *s) {
  double work = 0, all = 0;
  int64_t steps = 0;
  for (size_t i = 0; i < s->plan->job_count; i++) {
    const sfnec_job_progress *job = &s->progress.jobs[i];
    const sfnec_job *planned = &s->plan->jobs[i];
    const sfnec_agent_options *options = &s->plan->configurations[planned->configuration].options;
    // late tasks cost more with GPI
    work += planned->work * sfnec_plan_work(options, &planned->run, 1, job->progress) /
            sfnec_plan_work(options, &planned->run, 1, planned->run.tasks);
    all += planned->work;
    steps += job->steps - job->steps_begun;
  }
  s->progress.share = work / all;
  s->progress.steps = steps;
}

static void tick(scheduler *s) {
  const double now = sfnec_seconds();
  if (!s->hooks->tick || now - s->ticked < 0.1) return;
  s->ticked = now;
  measure(s);
  s->hooks->tick(s->hooks->context, &s->progress);
}

// remembers the first failure of the store and lets the workers save and end
static void check(scheduler *s, sfnec_status status) {
  if (!status || s->fault) return;
  s->fault = status;
  s->sentence = sfnec_arena_copy(s->plan->arena, sfnec_last_error());
}

static void stop_if_asked(scheduler *s) {
  if (s->stopping) return;
  if (!s->fault && !(s->hooks->stop && s->hooks->stop(s->hooks->context))) return;
  s->stopping = true;
  // reported before waiting for the workers: a launcher of ranks kills processes that do not end at once
  if (!s->fault && s->store) check(s, sfnec_store_end_session(s->store, "interrupted"));
  s->workers->ops->stop(s->workers);
}

// ---- giving ----

// a long job that starts last keeps one core busy while the others idle; equal ones keep the plan's order
static int longest_first(const void *a, const void *b) {
  const sfnec_job *left = *(const sfnec_job *const *)a, *right = *(const sfnec_job *const *)b;
  if (left->work > right->work || left->work < right->work) return left->work > right->work ? -1 : 1;
  return (left > right) - (left < right);
}

static void store_state(scheduler *s, uint32_t job, sfnec_job_state state, const char *error) {
  if (s->store) check(s, sfnec_store_set_state(s->store, &s->plan->jobs[job], state, error));
}

static void give(scheduler *s, uint32_t worker, uint32_t number) {
  sfnec_job_progress *job = &s->progress.jobs[number];
  store_state(s, number, SFNEC_JOB_RUNNING, NULL);
  if (s->fault) return;
  job->state = SFNEC_JOB_RUNNING;
  job->attempts++;
  s->progress.worker_jobs[worker] = number;
  s->busy++;
  s->workers->ops->assign(s->workers, worker, number, job->tasks_done);
}

static void give_all(scheduler *s) {
  for (; s->first < s->plan->job_count && !s->stopping && !s->fault; s->first++) {
    const uint32_t number = (uint32_t)(s->order[s->first] - s->plan->jobs);
    if (s->progress.jobs[number].state != SFNEC_JOB_WAITING) continue;
    const uint32_t worker = s->workers->ops->idle(s->workers);
    if (worker == UINT32_MAX) return;
    give(s, worker, number);
  }
}

// ---- taking ----

static void take_task(scheduler *s, const sfnec_message *message) {
  sfnec_job_progress *job = &s->progress.jobs[message->job];
  if (s->store) check(s, sfnec_store_put_task(s->store, &s->plan->jobs[message->job], &message->record));
  if (s->fault) return;
  // a task that is run again after a lost checkpoint is counted once
  if (message->record.task >= job->tasks_done) {
    job->tasks_done = message->record.task + 1;
    job->sum += message->record.result.total;
  }
  job->last_return = message->record.result.total;
  if (s->hooks->task) s->hooks->task(s->hooks->context, &s->progress, message);
}

// keeps the state of a finished job while there is room, so that the study can be extended by tasks
static void keep_or_discard(scheduler *s, const sfnec_message *message) {
  if (message->bytes <= s->room) {
    s->room -= message->bytes;
    return;
  }
  const char *folder = sfnec_job_folder(s->plan->arena, s->options->folder, &s->plan->jobs[message->job]);
  // what cannot be removed takes room, and harms nothing else
  if (folder) (void)sfnec_state_discard(folder);
}

static void take_end(scheduler *s, const sfnec_message *message) {
  sfnec_job_progress *job = &s->progress.jobs[message->job];
  // the worker may have the next one already
  if (s->progress.worker_jobs[message->worker] == message->job) s->progress.worker_jobs[message->worker] = -1;
  s->busy--;
  sfnec_job_state state = SFNEC_JOB_WAITING;
  if (message->kind == SFNEC_MESSAGE_DONE) {
    state = SFNEC_JOB_DONE;
    s->progress.done++;
    job->progress = s->plan->jobs[message->job].run.tasks;
  } else if (message->kind == SFNEC_MESSAGE_FAILED && (!s->store || job->attempts >= MOST_ATTEMPTS)) {
    state = SFNEC_JOB_FAILED;
    s->progress.failed++;
  }
  if (state != SFNEC_JOB_WAITING) s->left--;
  else if (s->place[message->job] < s->first) s->first = s->place[message->job];
  job->state = state;
  store_state(s, message->job, state, state == SFNEC_JOB_FAILED ? message->text : NULL);
  if (message->kind == SFNEC_MESSAGE_DONE && s->store && !s->fault) keep_or_discard(s, message);
  if (message->kind != SFNEC_MESSAGE_STOPPED && s->hooks->ended)
    s->hooks->ended(s->hooks->context, &s->progress, message);
}

static void take(scheduler *s, const sfnec_message *message) {
  sfnec_job_progress *job = &s->progress.jobs[message->job];
  // of a rank that is out of order
  if (job->state != SFNEC_JOB_RUNNING) return;
  if (message->kind == SFNEC_MESSAGE_PROGRESS || message->kind == SFNEC_MESSAGE_TASK) {
    // the first message of a job says where this session resumed it
    if (job->steps == 0) job->steps_begun = message->steps;
    job->steps = message->steps;
    job->progress = message->tasks_done;
  }
  if (message->kind == SFNEC_MESSAGE_TASK) take_task(s, message);
  // a checkpoint that could not be written is worth a word: the work since the last one is lost
  const bool unsaved = message->kind == SFNEC_MESSAGE_STOPPED && message->status;
  if ((unsaved || message->kind == SFNEC_MESSAGE_WARNING) && s->hooks->warning)
    s->hooks->warning(s->hooks->context, &s->progress, message);
  if (message->kind >= SFNEC_MESSAGE_DONE) take_end(s, message);
}

// ---- from the first job to the last ----

// The next message. Earlier results are committed when no message is waiting, and after a while at the latest.
static sfnec_message *next(scheduler *s) {
  static const double pause = 0.01, longest = 0.2; // seconds
  const sfnec_workers_ops *ops = s->workers->ops;
  sfnec_message *message = ops->next(s->workers, pause);
  const double now = sfnec_seconds();
  if (s->store && !s->fault && (!message || now - s->stored > longest)) {
    check(s, sfnec_store_commit(s->store));
    s->stored = now;
  }
  return message ? message : ops->next(s->workers, 0.05);
}

static void run(scheduler *s) {
  for (;;) {
    stop_if_asked(s);
    give_all(s);
    if (s->busy == 0 && (s->left == 0 || s->stopping || s->fault)) break;
    sfnec_message *message = next(s);
    // a store that failed once is left alone, but the workers are waited for
    if (message && (!s->fault || message->kind >= SFNEC_MESSAGE_DONE)) take(s, message);
    sfnec_message_destroy(message);
    tick(s);
  }
  if (s->store && !s->fault) check(s, sfnec_store_commit(s->store));
}

// bytes that the states of the jobs which are done take already
static int64_t kept_bytes(const scheduler *s) {
  int64_t sum = 0;
  for (size_t i = 0; i < s->plan->job_count; i++) {
    if (s->progress.jobs[i].state != SFNEC_JOB_DONE) continue;
    const char *folder = sfnec_job_folder(s->plan->arena, s->options->folder, &s->plan->jobs[i]);
    if (folder) sum += sfnec_state_get_bytes(folder);
  }
  return sum;
}

// From what is stored: which jobs are left, in which order, and how much room their states may take.
static sfnec_status prepare(scheduler *s) {
  sfnec_arena *arena = s->plan->arena;
  const size_t count = s->plan->job_count;
  const uint32_t workers = s->workers->ops->size(s->workers);
  sfnec_job_status *known = sfnec_arena_alloc(arena, count, sizeof *known);
  s->order = sfnec_arena_alloc(arena, count, sizeof *s->order);
  s->place = sfnec_arena_alloc(arena, count, sizeof *s->place);
  s->progress.jobs = sfnec_arena_alloc(arena, count, sizeof *s->progress.jobs);
  s->progress.worker_jobs = sfnec_arena_alloc(arena, workers, sizeof *s->progress.worker_jobs);
  if (!known || !s->order || !s->place || !s->progress.jobs || !s->progress.worker_jobs)
    return sfnec_fail_memory("the jobs");
  const sfnec_status status = s->store ? sfnec_store_get_jobs(s->store, s->plan, known) : SFNEC_OK;
  if (status) return status;
  s->progress.worker_count = workers;
  for (uint32_t i = 0; i < workers; i++) s->progress.worker_jobs[i] = -1;
  for (uint32_t i = 0; i < count; i++) {
    // a part of a longer job is done when its tasks are, wherever the job stands
    const uint32_t tasks = s->plan->jobs[i].run.tasks;
    const bool part = known[i].tasks > tasks && known[i].tasks_done >= tasks;
    const bool done = part || known[i].state == SFNEC_JOB_DONE;
    s->order[i] = &s->plan->jobs[i];
    s->progress.jobs[i] = (sfnec_job_progress){.state = done ? SFNEC_JOB_DONE : SFNEC_JOB_WAITING,
                                               .tasks_done = known[i].tasks_done,
                                               .progress = known[i].tasks_done < tasks ? known[i].tasks_done : tasks,
                                               .sum = known[i].total,
                                               .last_return = NAN};
    s->progress.done += done;
    s->left += !done;
  }
  qsort(s->order, count, sizeof *s->order, longest_first);
  for (uint32_t i = 0; i < count; i++) s->place[s->order[i] - s->plan->jobs] = i;
  s->room = s->plan->spec->state_megabytes * 1000000 - (s->store ? kept_bytes(s) : 0);
  measure(s);
  s->progress.begun = s->progress.share;
  return SFNEC_OK;
}

static int64_t all_steps(const scheduler *s) {
  int64_t sum = 0;
  for (size_t i = 0; i < s->plan->job_count; i++) sum += s->progress.jobs[i].steps;
  return sum;
}

sfnec_status sfnec_schedule(const sfnec_job_options *options, sfnec_store *store, sfnec_workers *workers,
                            const sfnec_schedule_hooks *hooks, sfnec_study_outcome *outcome) {
  scheduler s = {.options = options, .plan = options->plan, .store = store, .workers = workers, .hooks = hooks};
  s.progress.plan = options->plan;
  const sfnec_status status = prepare(&s);
  if (status) return status;
  run(&s);
  *outcome = (sfnec_study_outcome){.done = s.progress.done,
                                   .failed = s.progress.failed,
                                   .left = s.left,
                                   .steps = all_steps(&s),
                                   .interrupted = s.stopping && s.left > 0 && !s.fault};
  return s.fault ? sfnec_fail(s.fault, "%s", s.sentence ? s.sentence : "the database failed") : SFNEC_OK;
}
