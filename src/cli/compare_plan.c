// compare_plan.c: from the text of --agents and --seeds to the list of runs.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/drive.h"

enum { MOST_SEEDS = 10000 };

// ---- seeds: "1-4,7" ----

static int add_seed(plan *plan, uint64_t seed) {
  for (size_t i = 0; i < plan->seed_count; i++)
    if (plan->seeds[i] == seed) return misuse("--seeds names seed %" PRIu64 " twice; each seed is one run", seed);
  if (plan->seed_count == MOST_SEEDS) return misuse("--seeds names more than %d seeds; use fewer", MOST_SEEDS);
  plan->seeds = must_realloc(plan->seeds, plan->seed_count + 1, sizeof *plan->seeds);
  plan->seeds[plan->seed_count++] = seed;
  return EXIT_OK;
}

// one "7" or "1-4"
static int add_seeds(plan *plan, const char *text) {
  text_list ends = {0};
  text_split(&ends, text, '-');
  uint64_t first = 0, last = 0;
  const bool good =
      ends.count <= 2 && text_to_seed(ends.items[0], &first) && text_to_seed(ends.items[ends.count - 1], &last);
  text_clear(&ends);
  if (!good) return misuse("--seeds: '%s' is neither a seed like 7 nor a range like 1-4", text);
  if (first > last) return misuse("--seeds: '%s' runs backwards; write %" PRIu64 "-%" PRIu64, text, last, first);
  if (last - first >= MOST_SEEDS) return misuse("--seeds: '%s' is more than %d seeds; use fewer", text, MOST_SEEDS);
  for (uint64_t i = 0; i <= last - first; i++) {
    const int code = add_seed(plan, first + i);
    if (code) return code;
  }
  return EXIT_OK;
}

static int parse_seeds(plan *plan, const char *text) {
  text_list parts = {0};
  text_split(&parts, text, ',');
  int code = EXIT_OK;
  for (size_t i = 0; i < parts.count && !code; i++) code = add_seeds(plan, parts.items[i]);
  text_clear(&parts);
  return code;
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
    const double work = work_total(&job->agent->options, &plan->run);
    size_t at = i;
    for (; at > 0 && work_total(&plan->longest[at - 1]->agent->options, &plan->run) < work; at--)
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
  free(plan->seeds);
  text_clear(&plan->labels);
  world_clear(&plan->world);
}
