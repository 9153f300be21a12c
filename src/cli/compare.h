// compare.h: the parts of `sfnec compare`: the plan of runs, the workers, and the table at the end.
#ifndef SFNEC_CLI_COMPARE_H
#define SFNEC_CLI_COMPARE_H

#include "cli/cli.h"
#include "cli/setup.h"
#include "study/plan/plan.h"

// One run: an agent and a seed.
typedef struct job {
  const agent_spec *agent;
  uint64_t seed;
  int64_t steps_done;
  double tasks_done; // with the share of the running one
  bool finished;
  bool reported;
  sfnec_task_result *results; // (tasks), once finished
  char *error;                // the sentence of a run that failed
} job;

typedef struct plan {
  world world;
  text_list labels; // the texts behind the agents' labels
  agent_spec *agents;
  size_t agent_count;
  sfnec_arena *arena; // of the seeds
  uint64_t *seeds;
  size_t seed_count;
  sfnec_run_options run;
  job *jobs;     // (agent_count, seed_count): the fixed order of all output
  job **longest; // the same jobs, the slowest first
} plan;

static inline size_t plan_job_count(const plan *plan) {
  return plan->agent_count * plan->seed_count;
}

// The work of a job's first tasks; only ratios mean something.
static inline double plan_job_work(const plan *plan, const job *job, double tasks) {
  return sfnec_plan_work(&job->agent->options, &plan->run, 0, tasks);
}

// Reads the agents ("a,b:key=value") and the seeds ("1-4,7"); `world` of the plan is set before.
int plan_make(plan *plan, const char *agents, const char *seeds, const text_list *sets);
void plan_clear(plan *plan);

// What the workers tell; always called in the thread that called pool_run.
typedef struct pool_events {
  int (*finished)(void *context, job *job);                        // anything but EXIT_OK stops the work
  void (*tick)(void *context, double share, int64_t steps_so_far); // a few times a second
  void *context;
} pool_events;

// Runs all jobs on so many threads. EXIT_OK, EXIT_INTERRUPTED (not told), or a failure (told).
int pool_run(plan *plan, size_t threads, const pool_events *events);

// Prints the averages after some of the tasks, and the paired differences to the first agent.
void compare_print(const plan *plan);

#endif
