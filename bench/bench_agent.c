// bench_agent.c: how fast whole agents learn in four_rooms, as tasks and memories add up.
//
// Each agent runs the paper's protocol; the speed at task t is that of the whole of task t, acting, learning and the
// world included.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sfnec/sfnec.h"

enum { MOST_TASKS = 1000 };

// Marks the tasks named by a list like "1,10,25"; returns the greatest.
static uint32_t parse_tasks(const char *text, bool *wanted) {
  uint32_t greatest = 0;
  while (*text) {
    char *end;
    const long task = strtol(text, &end, 10);
    if (end == text || task < 1 || task > MOST_TASKS || (*end && *end != ',')) {
      bench_die("--tasks takes task numbers from 1 to 1000, separated by commas");
    }
    wanted[task] = true;
    if ((uint32_t)task > greatest) greatest = (uint32_t)task;
    text = *end ? end + 1 : end;
  }
  if (greatest == 0) bench_die("--tasks names no task");
  return greatest;
}

static bool named(const char *list, const char *name) {
  const size_t size = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at += size) {
    if ((at == list || at[-1] == ',') && (at[size] == '\0' || at[size] == ',')) return true;
  }
  return false;
}

// Runs one agent through `tasks` tasks and hands out the result of each.
static void run_agent(const char *name, uint32_t tasks, int64_t steps, uint64_t seed, sfnec_task_result *results) {
  sfnec_env *env = NULL;
  sfnec_agent *agent = NULL;
  sfnec_run *run = NULL;
  sfnec_agent_options options;
  sfnec_status status = sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, seed, &env);
  if (status == SFNEC_OK) status = sfnec_agent_options_preset(name, &options);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  if (status == SFNEC_OK) status = sfnec_agent_create(&shape, &options, seed, &agent);
  const sfnec_run_options protocol = {.tasks = tasks, .steps = steps};
  if (status == SFNEC_OK) status = sfnec_run_create(agent, env, &protocol, &run);
  if (status == SFNEC_OK) status = sfnec_run_advance(run, (int64_t)tasks * steps);
  if (status != SFNEC_OK) bench_die(sfnec_last_error());
  uint32_t count;
  const sfnec_task_result *done = sfnec_run_results(run, &count);
  memcpy(results, done, count * sizeof *results);
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

int bench_agent(const bench_args *args) {
  bool wanted[MOST_TASKS + 1] = {false};
  const uint32_t tasks = parse_tasks(bench_text(args, "--tasks", "1,10"), wanted);
  const char *agents = bench_text(args, "--agents", NULL);
  const int64_t steps = bench_number(args, "--steps", 20000);
  const uint64_t seed = (uint64_t)bench_number(args, "--seed", 1);
  FILE *json = bench_json(args);
  sfnec_task_result *results = calloc(tasks, sizeof *results);
  if (!results) bench_die("out of memory");

  printf("%-14s %6s %12s %12s\n", "agent", "task", "entries", "steps/s");
  if (json) fprintf(json, "{\"results\": [");
  const char *separator = "";
  const sfnec_preset *preset;
  for (size_t i = 0; (preset = sfnec_preset_at(i)); i++) {
    if (agents && !named(agents, preset->name)) continue;
    run_agent(preset->name, tasks, steps, seed, results);
    for (uint32_t t = 1; t <= tasks; t++) {
      if (!wanted[t]) continue;
      const double speed = (double)steps / results[t - 1].seconds;
      printf("%-14s %6u %12lld %12.0f\n", preset->name, t, (long long)results[t - 1].entries, speed);
      fflush(stdout);
      if (json) {
        fprintf(json, "%s{\"agent\": \"%s\", \"task\": %u, \"entries\": %lld, \"steps_per_second\": %.0f}", separator,
                preset->name, t, (long long)results[t - 1].entries, speed);
        separator = ", ";
      }
    }
  }
  if (json) {
    fprintf(json, "]}\n");
    fclose(json);
  }
  free(results);
  return 0;
}
