// drive.c: advancing a run to its end in slices short enough to stop and to report between them.
#include "cli/drive.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "study/plan/plan.h"

// the only thing that a signal handler can reach; lock-free, and read by all workers
static atomic_bool stop_asked;

static void ask_stop(int signal) {
  (void)signal;
  atomic_store(&stop_asked, true);
}

void interrupt_catch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = ask_stop;
  // the second signal finds the default action: the way out when saving hangs
  action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) {
  return atomic_load(&stop_asked);
}

double now(void) {
  return sfnec_seconds();
}

// a step costs from a microsecond to tens of milliseconds: keep slices near a tenth of a second
static int64_t next_slice(int64_t slice, double seconds) {
  if (seconds < 0.05 && slice < 1 << 20) return slice * 2;
  if (seconds > 0.2 && slice > 1) return slice / 2;
  return slice;
}

sfnec_status drive(sfnec_run *run, bool (*between)(void *context), void *context) {
  int64_t slice = 64;
  while (!sfnec_run_is_done(run) && !interrupted()) {
    const double start = now();
    const sfnec_status status = sfnec_run_advance(run, slice);
    if (status) return status;
    slice = next_slice(slice, now() - start);
    if (!between(context)) break;
  }
  return SFNEC_OK;
}

double work_share(const sfnec_agent_options *options, const sfnec_run_options *run, double tasks_done) {
  return sfnec_plan_work(options, run, 0, tasks_done) / sfnec_plan_work(options, run, 0, run->tasks);
}
