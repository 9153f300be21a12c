// plan.h: from a spec to its jobs: agent x sweep point x seed.
#ifndef SFNEC_STUDY_PLAN_PLAN_H
#define SFNEC_STUDY_PLAN_PLAN_H

#include "study/spec/spec.h"

// An agent at one point of the sweep, with everything resolved.
typedef struct sfnec_configuration {
  const char *label; // the agent's
  const char *preset;
  const char *point;       // "neighbours=4 alpha=0.1": the sweep's settings; "" without a sweep
  const char *name;        // label and point: "sfnec neighbours=4"
  sfnec_settings settings; // of the point
  sfnec_agent_options options;
  const sfnec_env_kind *env;
  const char *const *env_settings; // "key=value", NULL-terminated
} sfnec_configuration;

enum { SFNEC_JOB_ID = 17 }; // 16 hexadecimal digits and a NUL

typedef struct sfnec_job {
  char id[SFNEC_JOB_ID]; // the hash of the identity: names the job's folder
  const char *identity;  // all that decides the job's results but the number of tasks, one "key=value" per line
  size_t configuration;
  uint64_t seed;
  sfnec_run_options run;
  double work; // an estimate of its cost, to start the longest first
} sfnec_job;

typedef struct sfnec_plan {
  sfnec_spec *spec; // borrowed
  sfnec_arena *arena;
  sfnec_configuration *configurations;
  size_t configuration_count;
  sfnec_job *jobs; // (configuration_count, seed_count): the fixed order of all output
  size_t job_count;
} sfnec_plan;

// Expands a spec; creates each configuration's environment and agent once, so that what only creation can refuse is
// refused here. The identity lists the label, the seed, steps and episodes, whether episodes are recorded, and the
// options of agent and environment that differ from their tables' defaults: a new option of a later version does not
// orphan older results. Fails with SFNEC_ERROR_FORMAT (naming file and line), _OPTION or _MEMORY.
sfnec_status sfnec_plan_create(sfnec_spec *spec, sfnec_plan **out);
void sfnec_plan_destroy(sfnec_plan *plan); // NULL is fine

// The work of a run that has done so many tasks (2.25 is a quarter of the third), in look-ups of a policy: with GPI a
// step asks the policies of all tasks so far, so late steps weigh more. A task without a limit on its steps counts
// `episode_steps` for each episode. Only ratios mean something: shares of a run, and which of two runs takes longer.
double sfnec_plan_work(const sfnec_agent_options *options, const sfnec_run_options *run, int64_t episode_steps,
                       double tasks_done);

#endif
