// compare_plan.c: from the text of --agents and --seeds to the list of runs.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

static int parse_seeds(plan *plan, const char *text) {
  plan->arena = sfnec_arena_create();
  if (!plan->arena) return fail("out of memory");
  const sfnec_status status = sfnec_seeds_parse(plan->arena, text, &plan->seeds, &plan->seed_count);
  return status ? misuse("--seeds: %s", sfnec_last_error()) : EXIT_OK;
}

// ---- agents: "sfnec,sfnec:neighbours=1" ----

// what only creation can refuse is refused before the first run starts
static int try_agent(const plan *plan, const agent_spec *spec) {
  sfnec_env *env = NULL;
  const int code = world_create(&plan->world, 1, &env);
  if (code) return code;
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_env_destroy(env);
  sfnec_agent *agent = NULL;
  const sfnec_status status = sfnec_agent_create(&shape, &spec->options, 1, &agent);
  sfnec_agent_destroy(agent);
  return status ? fail_library(status) : EXIT_OK;
}

static int parse_agents(plan *plan, const char *text, const text_list *sets) {
  text_split(&plan->labels, text, ',');
  plan->agents = must_alloc(plan->labels.count, sizeof *plan->agents);
  for (size_t i = 0; i < plan->labels.count; i++) {
    const char *label = plan->labels.items[i];
    for (size_t j = 0; j < i; j++)
      if (strcmp(label, plan->labels.items[j]) == 0) return misuse("--agents names '%s' twice", label);
    int code = agent_spec_parse(&plan->agents[i], label, sets);
    if (!code) code = try_agent(plan, &plan->agents[i]);
    if (code) return code;
  }
  plan->agent_count = plan->labels.count;
  return EXIT_OK;
}

// ---- runs ----

// a long run that starts last keeps one core busy while the others idle
static void sort_longest_first(plan *plan) {
  const size_t count = plan_job_count(plan);
  plan->longest = must_alloc(count, sizeof *plan->longest);
  // by insertion: stable, and the list is short beside the runs themselves
  for (size_t i = 0; i < count; i++) {
    job *job = &plan->jobs[i];
    const double work = plan_job_work(plan, job, plan->run.tasks);
    size_t at = i;
    for (; at > 0 && plan_job_work(plan, plan->longest[at - 1], plan->run.tasks) < work; at--)
      plan->longest[at] = plan->longest[at - 1];
    plan->longest[at] = job;
  }
}

int plan_make(plan *plan, const char *agents, const char *seeds, const text_list *sets) {
  int code = parse_seeds(plan, seeds);
  if (!code) code = parse_agents(plan, agents, sets);
  if (code) return code;
  plan->jobs = must_alloc(plan_job_count(plan), sizeof *plan->jobs);
  for (size_t i = 0; i < plan_job_count(plan); i++) {
    plan->jobs[i].agent = &plan->agents[i / plan->seed_count];
    plan->jobs[i].seed = plan->seeds[i % plan->seed_count];
  }
  sort_longest_first(plan);
  return EXIT_OK;
}

void plan_clear(plan *plan) {
  for (size_t i = 0; plan->jobs && i < plan_job_count(plan); i++) {
    free(plan->jobs[i].results);
    free(plan->jobs[i].error);
  }
  free(plan->jobs);
  free(plan->longest);
  free(plan->agents);
  sfnec_arena_destroy(plan->arena);
  text_clear(&plan->labels);
  world_clear(&plan->world);
}
