// conduct.c: runs what is missing of an experiment with a crew; see conduct.h.
//
// One loop in one thread: give jobs to free workers, take news, store them. Nothing else touches the store.
#include "study/work/conduct.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"

enum { MOST_ATTEMPTS = 2 };

typedef struct conductor {
  const sfnec_site *site;
  const sfnec_plan *plan;
  sfnec_store *store;
  sfnec_crew *crew;
  const sfnec_conduct_hooks *hooks;
  sfnec_score score;
  uint32_t *order;    // (job_count) the jobs, the longest first
  size_t left;        // jobs that are neither done nor given up
  uint32_t busy;      // workers
  int64_t room;       // bytes left for the states of finished jobs
  bool stopping;      // the crew was asked to stop
  double ticked;      // when the owner heard last
  sfnec_status fault; // of the store: the end of everything
  char *sentence;     // behind it
} conductor;

// ---- the state of things ----

static double total_work(const sfnec_plan *plan) {
  double sum = 0;
  for (size_t i = 0; i < plan->job_count; i++) sum += plan->jobs[i].work;
  return sum;
}

static void measure(conductor *c) {
  double work = 0;
  int64_t steps = 0;
  for (size_t i = 0; i < c->plan->job_count; i++) {
    const sfnec_score_job *job = &c->score.jobs[i];
    const sfnec_job *planned = &c->plan->jobs[i];
    const sfnec_agent_options *options = &c->plan->configurations[planned->configuration].options;
    // late tasks cost more with GPI
    work += planned->work * sfnec_plan_work(options, &planned->run, 1, job->progress) /
            sfnec_plan_work(options, &planned->run, 1, planned->run.tasks);
    steps += job->steps - job->steps_begun;
  }
  c->score.share = work / total_work(c->plan);
  c->score.steps = steps;
}

static void tick(conductor *c) {
  const double now = sfnec_seconds();
  if (!c->hooks->tick || now - c->ticked < 0.1) return;
  c->ticked = now;
  measure(c);
  c->hooks->tick(c->hooks->context, &c->score);
}

// remembers the first failure of the store and lets the crew save and end
static void check(conductor *c, sfnec_status status) {
  if (!status || c->fault) return;
  c->fault = status;
  c->sentence = sfnec_arena_copy(c->plan->arena, sfnec_last_error());
}

static void stop_if_asked(conductor *c) {
  if (c->stopping) return;
  if (!c->fault && !(c->hooks->stop && c->hooks->stop(c->hooks->context))) return;
  c->stopping = true;
  // told before the workers are waited for: a launcher of ranks kills what does not end at once
  if (!c->fault) check(c, sfnec_store_end_session(c->store, "interrupted"));
  c->crew->ops->stop(c->crew);
}

// ---- giving ----

static int by_work(const sfnec_plan *plan, uint32_t a, uint32_t b) {
  const double left = plan->jobs[a].work, right = plan->jobs[b].work;
  return left > right ? -1 : left < right;
}

// a long job that starts last keeps one core busy while the others idle; equal ones keep the plan's order
static void sort_longest_first(const sfnec_plan *plan, uint32_t *order, uint32_t *spare, size_t count) {
  if (count < 2) return;
  const size_t half = count / 2;
  sort_longest_first(plan, order, spare, half);
  sort_longest_first(plan, order + half, spare, count - half);
  for (size_t i = 0, a = 0, b = half; i < count; i++)
    spare[i] = b == count || (a < half && by_work(plan, order[a], order[b]) <= 0) ? order[a++] : order[b++];
  for (size_t i = 0; i < count; i++) order[i] = spare[i];
}

static void give(conductor *c, uint32_t worker, uint32_t number) {
  sfnec_score_job *job = &c->score.jobs[number];
  check(c, sfnec_store_set_state(c->store, &c->plan->jobs[number], SFNEC_JOB_RUNNING, NULL));
  if (c->fault) return;
  job->state = SFNEC_JOB_RUNNING;
  job->attempts++;
  c->score.worker_jobs[worker] = number;
  c->busy++;
  c->crew->ops->assign(c->crew, worker, number, job->tasks_done);
}

static void give_all(conductor *c) {
  for (size_t i = 0; i < c->plan->job_count && !c->stopping && !c->fault; i++) {
    const uint32_t number = c->order[i];
    if (c->score.jobs[number].state != SFNEC_JOB_WAITING) continue;
    const uint32_t worker = c->crew->ops->idle(c->crew);
    if (worker == UINT32_MAX) return;
    give(c, worker, number);
  }
}

// ---- taking ----

static void take_task(conductor *c, const sfnec_message *news) {
  sfnec_score_job *job = &c->score.jobs[news->job];
  check(c, sfnec_store_put_task(c->store, &c->plan->jobs[news->job], &news->record));
  if (c->fault) return;
  // a task that is run again after a lost checkpoint is counted once
  if (news->record.task >= job->tasks_done) {
    job->tasks_done = news->record.task + 1;
    job->sum += news->record.result.total;
  }
  job->last_return = news->record.result.total;
  if (c->hooks->task) c->hooks->task(c->hooks->context, &c->score, news);
}

// keeps the state of a finished job while there is room, so that the experiment can be extended by tasks
static void keep_or_discard(conductor *c, const sfnec_message *news) {
  if (news->bytes <= c->room) {
    c->room -= news->bytes;
    return;
  }
  char *folder = sfnec_job_folder(c->site->folder, &c->plan->jobs[news->job]);
  // what cannot be removed takes room, and harms nothing else
  if (folder) (void)sfnec_run_discard(folder);
  free(folder);
}

static void take_end(conductor *c, const sfnec_message *news) {
  sfnec_score_job *job = &c->score.jobs[news->job];
  c->score.worker_jobs[news->worker] = -1;
  c->busy--;
  sfnec_job_state state = SFNEC_JOB_WAITING;
  if (news->kind == SFNEC_MESSAGE_DONE) {
    state = SFNEC_JOB_DONE;
    c->score.done++;
    job->progress = c->plan->jobs[news->job].run.tasks;
  } else if (news->kind == SFNEC_MESSAGE_FAILED && job->attempts >= MOST_ATTEMPTS) {
    state = SFNEC_JOB_FAILED;
    c->score.failed++;
  }
  if (state != SFNEC_JOB_WAITING) c->left--;
  job->state = state;
  check(c, sfnec_store_set_state(c->store, &c->plan->jobs[news->job], state,
                                 state == SFNEC_JOB_FAILED ? news->text : NULL));
  if (news->kind == SFNEC_MESSAGE_DONE && !c->fault) keep_or_discard(c, news);
  if (news->kind != SFNEC_MESSAGE_STOPPED && c->hooks->ended) c->hooks->ended(c->hooks->context, &c->score, news);
}

static void take(conductor *c, const sfnec_message *news) {
  sfnec_score_job *job = &c->score.jobs[news->job];
  if (news->kind == SFNEC_MESSAGE_PROGRESS || news->kind == SFNEC_MESSAGE_TASK) {
    // the first news of a job tells where this session found it
    if (job->steps == 0) job->steps_begun = news->steps;
    job->steps = news->steps;
    job->progress = news->tasks_done;
  }
  switch (news->kind) {
  case SFNEC_MESSAGE_PROGRESS:
    break;
  case SFNEC_MESSAGE_TASK:
    take_task(c, news);
    break;
  case SFNEC_MESSAGE_WARNING:
    if (c->hooks->warning) c->hooks->warning(c->hooks->context, &c->score, news);
    break;
  case SFNEC_MESSAGE_STOPPED:
    // a checkpoint that could not be written is worth a word: the work since the last one is lost
    if (news->status && c->hooks->warning) c->hooks->warning(c->hooks->context, &c->score, news);
    take_end(c, news);
    break;
  case SFNEC_MESSAGE_DONE:
  case SFNEC_MESSAGE_FAILED:
    take_end(c, news);
    break;
  }
}

// ---- from the first job to the last ----

static void run(conductor *c) {
  for (;;) {
    stop_if_asked(c);
    give_all(c);
    if (c->busy == 0 && (c->left == 0 || c->stopping || c->fault)) break;
    sfnec_message *news = c->crew->ops->next(c->crew, 0.05);
    // a store that failed once is left alone, but the workers are waited for
    if (news && (!c->fault || news->kind >= SFNEC_MESSAGE_DONE)) take(c, news);
    sfnec_message_destroy(news);
    tick(c);
  }
}

// bytes that the states of the jobs which are done take already
static int64_t kept_bytes(const conductor *c) {
  int64_t sum = 0;
  for (size_t i = 0; i < c->plan->job_count; i++) {
    if (c->score.jobs[i].state != SFNEC_JOB_DONE) continue;
    char *folder = sfnec_job_folder(c->site->folder, &c->plan->jobs[i]);
    if (folder) sum += sfnec_run_get_saved_bytes(folder);
    free(folder);
  }
  return sum;
}

static sfnec_status prepare(conductor *c) {
  const size_t count = c->plan->job_count;
  const uint32_t workers = c->crew->ops->size(c->crew);
  sfnec_job_status *known = calloc(count, sizeof *known);
  uint32_t *spare = calloc(count, sizeof *spare);
  c->order = calloc(count, sizeof *c->order);
  c->score.jobs = calloc(count, sizeof *c->score.jobs);
  c->score.worker_jobs = calloc(workers, sizeof *c->score.worker_jobs);
  const bool all = known && spare && c->order && c->score.jobs && c->score.worker_jobs;
  sfnec_status status = all ? sfnec_store_get_jobs(c->store, c->plan, known) : sfnec_fail_memory("the jobs");
  if (!status) {
    c->score.worker_count = workers;
    for (uint32_t i = 0; i < workers; i++) c->score.worker_jobs[i] = -1;
    for (uint32_t i = 0; i < count; i++) {
      const bool done = known[i].state == SFNEC_JOB_DONE;
      c->order[i] = i;
      c->score.jobs[i] = (sfnec_score_job){.state = done ? SFNEC_JOB_DONE : SFNEC_JOB_WAITING,
                                           .tasks_done = known[i].tasks_done,
                                           .progress = known[i].tasks_done,
                                           .sum = known[i].total,
                                           .last_return = NAN};
      c->score.done += done;
      c->left += !done;
    }
    sort_longest_first(c->plan, c->order, spare, count);
    c->room = c->plan->spec->state_megabytes * 1000000 - kept_bytes(c);
    measure(c);
    c->score.begun = c->score.share;
  }
  free(spare);
  free(known);
  return status;
}

sfnec_status sfnec_conduct(const sfnec_site *site, sfnec_store *store, sfnec_crew *crew,
                           const sfnec_conduct_hooks *hooks, sfnec_conclusion *conclusion) {
  conductor c = {.site = site, .plan = site->plan, .store = store, .crew = crew, .hooks = hooks};
  c.score.plan = site->plan;
  sfnec_status status = prepare(&c);
  if (!status) {
    run(&c);
    *conclusion = (sfnec_conclusion){c.score.done, c.score.failed, c.left, c.stopping && c.left > 0 && !c.fault};
    if (c.fault) status = sfnec_fail(c.fault, "%s", c.sentence ? c.sentence : "the database failed");
  }
  free(c.order);
  free(c.score.jobs);
  free(c.score.worker_jobs);
  return status;
}
