// mpi.c: the workers of many ranks; see mpi.h. What they send is small and seldom: assignments and stops from rank 0,
// messages of workers to it.
#include "study/work/mpi.h"

#include "base/clock.h"
#include "base/error.h"

#ifdef SFNEC_HAVE_MPI

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_ASSIGN = 1, TAG_STOP, TAG_MESSAGE, TAG_BYE };

// a worker reports its progress twice a second, less often if there are so many that rank 0 would hear more than 2,000
// of them in a second; a rank that says nothing for so long is lost
static const double lost_after = 120;
// after the stop the launcher kills what still runs, so nobody waits long for a rank that may be gone
static const double stop_patience = 10;
static const double progress_every = 0.5, progress_seldom = 30;
static const double progress_workers = 1000; // that can report so often
// MPI has no wait with an end, so it is asked again and again: seldom while jobs run, often shortly after one has ended
static const double seldom = 0.005, often = 0.0002, shortly = 0.05;
static const double lost_every = 0.1; // seconds between two looks for ranks that say nothing

typedef struct remote {
  int rank;
  uint32_t first; // the number of its first worker
  uint32_t count; // workers
  uint32_t busy;  // of them
  uint32_t *jobs; // (count); UINT32_MAX: free
  double heard;   // time of its last message, or of its first job
  bool lost, ended;
} remote;

typedef struct rank_workers {
  sfnec_workers base;
  sfnec_workers *pool; // rank 0's own workers come first
  const sfnec_plan *plan;
  uint32_t size;
  remote *remotes; // (remote_count): rank 1 first
  uint32_t remote_count;
  uint32_t free;        // workers of them
  uint32_t freed;       // the remote that ended a job last: where to look for a free worker first
  bool own_next;        // whose message is taken first, so that neither the pool nor the remotes wait for ever
  double heard, looked; // time of the last message of a remote rank, and of the last search for lost ones
  bool stopping;
  double stopped_at;
} rank_workers;

// MPI is one per process, and so is this: whether leaving it must not wait for the others
static bool rank_was_lost;

static sfnec_status begin(uint32_t *rank, uint32_t *ranks) {
  int provided = 0, own = 0, all = 0;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
    return sfnec_fail(SFNEC_ERROR_STATE, "MPI does not start with threads; run without mpirun instead");
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  *rank = (uint32_t)own;
  *ranks = (uint32_t)all;
  return SFNEC_OK;
}

// without memory a rank cannot work, and the others cannot know
static _Noreturn void give_up(void) {
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort(); // not reached
}

static void end(void) {
  if (rank_was_lost) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

static char *share(const char *text) {
  int rank, length = text ? (int)strlen(text) : -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (length < 0) return NULL;
  char *shared = calloc((size_t)length + 1, 1);
  if (!shared) give_up();
  if (text && rank == 0) memcpy(shared, text, (size_t)length);
  MPI_Bcast(shared, length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return shared;
}

// ---- rank 0 ----

static uint32_t size(const sfnec_workers *workers) {
  return ((const rank_workers *)workers)->size;
}

static uint32_t idle(const sfnec_workers *workers) {
  const rank_workers *all = (const rank_workers *)workers;
  if (all->stopping) return UINT32_MAX;
  const uint32_t own = all->pool->ops->idle(all->pool);
  if (own != UINT32_MAX || !all->free) return own;
  for (uint32_t k = 0; k < all->remote_count; k++) {
    const remote *remote = &all->remotes[(all->freed + k) % all->remote_count];
    for (uint32_t i = 0; i < remote->count && !remote->lost && !remote->ended; i++)
      if (remote->jobs[i] == UINT32_MAX) return remote->first + i;
  }
  return UINT32_MAX;
}

// remotes lie in the order of their first workers
static remote *remote_of(const rank_workers *all, uint32_t worker) {
  uint32_t low = 0, high = all->remote_count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    *(all->remotes[middle].first <= worker ? &low : &high) = middle;
  }
  return &all->remotes[low];
}

static void assign(sfnec_workers *workers, uint32_t worker, uint32_t job, uint32_t tasks_sent) {
  rank_workers *all = (rank_workers *)workers;
  if (worker < all->pool->ops->size(all->pool)) {
    all->pool->ops->assign(all->pool, worker, job, tasks_sent);
    return;
  }
  remote *remote = remote_of(all, worker);
  const uint32_t local = worker - remote->first, message[3] = {local, job, tasks_sent};
  remote->jobs[local] = job;
  all->free--;
  if (remote->busy++ == 0) remote->heard = sfnec_seconds();
  MPI_Send(message, sizeof message, MPI_BYTE, remote->rank, TAG_ASSIGN, MPI_COMM_WORLD);
}

// receives a waiting message into a new block; NULL without memory
static unsigned char *receive(const MPI_Status *status, int *length) {
  MPI_Get_count(status, MPI_BYTE, length);
  unsigned char *bytes = malloc(*length > 0 ? (size_t)*length : 1);
  // a message that cannot be taken would block its sender for ever
  if (!bytes) give_up();
  MPI_Recv(bytes, *length, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return bytes;
}

static void settle(rank_workers *all, remote *remote, uint32_t local) {
  if (remote->jobs[local] == UINT32_MAX) return;
  remote->jobs[local] = UINT32_MAX;
  remote->busy--;
  all->free++;
  all->freed = (uint32_t)(remote - all->remotes);
}

// the message in the bytes that a rank sent. One that makes no sense here is the rank's last: NULL, and the rank counts
// as gone
static sfnec_message *open_message(const rank_workers *all, remote *remote, const unsigned char *bytes, size_t size) {
  sfnec_message *message = sfnec_message_open(bytes, size, all->plan, remote->count);
  if (!message) remote->lost = rank_was_lost = true;
  return message;
}

// what another rank sent; NULL if there is nothing, or no message of a worker in it
static sfnec_message *receive_message(rank_workers *all) {
  int there = 0, length;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return NULL;
  unsigned char *bytes = receive(&status, &length);
  remote *remote = &all->remotes[status.MPI_SOURCE - 1];
  remote->heard = all->heard = sfnec_seconds();
  sfnec_message *message = NULL;
  if (status.MPI_TAG == TAG_BYE) {
    remote->ended = true;
  } else if (!remote->lost) {
    message = open_message(all, remote, bytes, (size_t)length);
    if (message && message->kind >= SFNEC_MESSAGE_DONE) settle(all, remote, message->worker);
    if (message) message->worker += remote->first;
  }
  free(bytes);
  return message;
}

// the end of a job whose rank is gone
static sfnec_message *find_lost(rank_workers *all) {
  const double now = sfnec_seconds();
  if (now - all->looked < lost_every) return NULL;
  for (uint32_t r = 0; r < all->remote_count; r++) {
    remote *remote = &all->remotes[r];
    if (remote->busy == 0) continue;
    const bool silent = now - remote->heard > lost_after;
    const bool too_late = all->stopping && now - all->stopped_at > stop_patience;
    if (!remote->lost && !remote->ended && !silent && !too_late) continue;
    remote->lost = !remote->ended;
    rank_was_lost = rank_was_lost || remote->lost;
    uint32_t local = 0;
    while (remote->jobs[local] == UINT32_MAX) local++;
    char text[128];
    snprintf(text, sizeof text, "rank %d is gone; its job resumes from its last checkpoint", remote->rank);
    const sfnec_message end = {.kind = all->stopping ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_FAILED,
                               .worker = remote->first + local,
                               .job = remote->jobs[local],
                               .status = SFNEC_ERROR_STATE,
                               .text = text};
    sfnec_message *message = sfnec_message_copy(&end);
    if (message) settle(all, remote, local);
    return message;
  }
  all->looked = now;
  return NULL;
}

static sfnec_message *next(sfnec_workers *workers, double seconds) {
  rank_workers *all = (rank_workers *)workers;
  const double until = sfnec_seconds() + seconds;
  all->own_next = !all->own_next;
  sfnec_message *message = all->own_next ? all->pool->ops->next(all->pool, 0) : NULL;
  while (!message) {
    message = receive_message(all);
    if (!message) message = find_lost(all);
    const double now = sfnec_seconds(), pause = now - all->heard < shortly ? often : seldom, left = until - now;
    if (!message) message = all->pool->ops->next(all->pool, left < pause ? (left > 0 ? left : 0) : pause);
    if (left <= 0) break;
  }
  return message;
}

static void stop(sfnec_workers *workers) {
  rank_workers *all = (rank_workers *)workers;
  if (all->stopping) return;
  all->stopping = true;
  all->stopped_at = sfnec_seconds();
  all->pool->ops->stop(all->pool);
  for (uint32_t r = 0; r < all->remote_count; r++)
    if (!all->remotes[r].lost) MPI_Send(NULL, 0, MPI_BYTE, all->remotes[r].rank, TAG_STOP, MPI_COMM_WORLD);
}

static bool all_ended(const rank_workers *all) {
  for (uint32_t r = 0; r < all->remote_count; r++)
    if (!all->remotes[r].ended && !all->remotes[r].lost) return false;
  return true;
}

static void destroy(sfnec_workers *workers) {
  rank_workers *all = (rank_workers *)workers;
  stop(workers);
  while (!all_ended(all) && sfnec_seconds() - all->stopped_at < stop_patience)
    sfnec_message_destroy(next(workers, 0.01));
  rank_was_lost = rank_was_lost || !all_ended(all);
  all->pool->ops->destroy(all->pool);
  for (uint32_t r = 0; r < all->remote_count; r++) free(all->remotes[r].jobs);
  free(all->remotes);
  free(all);
}

static const sfnec_workers_ops ops = {size, idle, assign, next, stop, destroy};

static sfnec_workers *gather(sfnec_workers *pool, const sfnec_plan *plan) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  rank_workers *all = calloc(1, sizeof *all);
  uint32_t *sizes = calloc((size_t)ranks, sizeof *sizes), own = pool->ops->size(pool);
  remote *remotes = calloc((size_t)ranks, sizeof *remotes);
  if (!all || !sizes || !remotes) give_up();
  MPI_Gather(&own, 1, MPI_UINT32_T, sizes, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);

  *all = (rank_workers){.base = {&ops}, .pool = pool, .plan = plan, .size = own, .remotes = remotes};
  all->remote_count = (uint32_t)ranks - 1;
  for (uint32_t r = 0; r < all->remote_count; r++) {
    remotes[r] = (remote){.rank = (int)r + 1, .first = all->size, .count = sizes[r + 1]};
    remotes[r].jobs = malloc(remotes[r].count * sizeof *remotes[r].jobs);
    if (!remotes[r].jobs) give_up();
    for (uint32_t i = 0; i < remotes[r].count; i++) remotes[r].jobs[i] = UINT32_MAX;
    all->size += remotes[r].count;
    all->free += remotes[r].count;
  }
  free(sizes);
  return &all->base;
}

// ---- the other ranks ----

// when each worker last reported its progress, and how long it waits before the next report
typedef struct progress_times {
  double *told; // (workers)
  double pause;
} progress_times;

static double progress_pause(uint32_t own) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double pause = progress_every * own * ranks / progress_workers;
  return pause < progress_every ? progress_every : pause > progress_seldom ? progress_seldom : pause;
}

static void pass_on(const sfnec_message *message, const progress_times *times) {
  if (message->kind == SFNEC_MESSAGE_PROGRESS) {
    double *told = times->told;
    if (sfnec_seconds() - told[message->worker] < times->pause) return;
    told[message->worker] = sfnec_seconds();
  }
  unsigned char *bytes;
  size_t length;
  if (sfnec_message_pack(message, &bytes, &length)) give_up();
  MPI_Send(bytes, (int)length, MPI_BYTE, 0, TAG_MESSAGE, MPI_COMM_WORLD);
  free(bytes);
}

// a job that comes after the own stop goes back as it came
static void give_back(uint32_t worker, uint32_t job) {
  const sfnec_message message = {.kind = SFNEC_MESSAGE_STOPPED, .worker = worker, .job = job};
  pass_on(&message, NULL);
}

// takes what rank 0 says; true once it said stop
static bool take_orders(sfnec_workers *pool, bool stopping, uint32_t *busy) {
  for (;;) {
    int there = 0, length;
    MPI_Status status;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    unsigned char *bytes = receive(&status, &length);
    uint32_t message[3] = {0};
    if (status.MPI_TAG == TAG_ASSIGN && length == (int)sizeof message) {
      memcpy(message, bytes, sizeof message);
      if (stopping) {
        give_back(message[0], message[1]);
      } else {
        pool->ops->assign(pool, message[0], message[1], message[2]);
        ++*busy;
      }
    }
    free(bytes);
    if (status.MPI_TAG == TAG_STOP) return true;
  }
}

static void serve(sfnec_workers *pool, bool (*stop)(void *context), void *context) {
  uint32_t own = pool->ops->size(pool), busy = 0;
  MPI_Gather(&own, 1, MPI_UINT32_T, NULL, 0, MPI_UINT32_T, 0, MPI_COMM_WORLD);
  const progress_times times = {.told = calloc(own, sizeof *times.told), .pause = progress_pause(own)};
  if (!times.told) give_up();
  // rank 0 has the last word, so that no message of its stays behind
  bool stopping = false, dismissed = false;
  double ended = sfnec_seconds();
  while (!dismissed || busy > 0) {
    dismissed = take_orders(pool, stopping, &busy) || dismissed;
    if (!stopping && (dismissed || stop(context))) {
      stopping = true;
      pool->ops->stop(pool);
    }
    sfnec_message *message = pool->ops->next(pool, busy < own && sfnec_seconds() - ended < shortly ? often : seldom);
    if (!message) continue;
    pass_on(message, &times);
    if (message->kind >= SFNEC_MESSAGE_DONE) {
      busy--;
      ended = sfnec_seconds();
    }
    sfnec_message_destroy(message);
  }
  MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_BYE, MPI_COMM_WORLD);
  free(times.told);
}

static const sfnec_mpi mpi = {begin, end, share, gather, serve};

const sfnec_mpi *sfnec_mpi_find(void) {
  static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (getenv(signs[i])) return &mpi;
  return NULL;
}

#else

const sfnec_mpi *sfnec_mpi_find(void) {
  return NULL;
}

#endif
