// bench_agent.c: how fast whole agents learn in four_rooms, as tasks and memories add up.
//
// Each agent runs the paper's protocol with index=fast; the speed at task t is that of the whole of task t, acting,
// learning and the world included. At the end of task t two copies of the agent go on in turns, one with index=flat:
// that gives the cost of a step with either, checks that they act alike, and compares a whole step with what it is made
// of, the look-up of one new state. Those times are medians.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "clone.h"
#include "stats.h"

enum { MOST_ROWS = 64, CHUNK = 50 };

typedef struct plan {
  const bench_args *args;
  uint32_t tasks[MOST_ROWS], count;
  int64_t steps;
  uint32_t compared; // steps of each copy
  uint64_t seed;
  FILE *json;
  const char *separator;
} plan;

typedef struct row {
  const char *agent;
  uint32_t task;
  int64_t entries;
  double speed; // steps per second over the whole task
  double megabytes;
  // of the copies; only if the agent has memories
  int compared;
  double fast_us, flat_us, lookup_us;
  int64_t differences;
} row;

// ---- an agent with the options asked for ----

static sfnec_agent *make_agent(const plan *p, const char *name, const sfnec_env *env) {
  const sfnec_option_set *set = sfnec_agent_option_set();
  sfnec_agent_options options;
  bench_check(sfnec_agent_options_preset(name, &options));
  bench_check(sfnec_options_set(set, &options, "index", "fast"));
  for (int i = 0; i + 1 < p->args->count; i += 2) {
    if (strcmp(p->args->texts[i], "--set") != 0) continue;
    bench_check(sfnec_options_assign(set, &options, p->args->texts[i + 1]));
  }
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent;
  bench_check(sfnec_agent_create(&shape, &options, p->seed, &agent));
  return agent;
}

// ---- two copies side by side ----

// One chunk of steps: what each took, what it did, and where it was.
static void run_chunk(clone *c, uint32_t steps, double *times, int32_t *actions, float *states, size_t size) {
  for (uint32_t i = 0; i < steps; i++) {
    const double start = bench_seconds();
    actions[i] = clone_step(c);
    times[i] = 1e6 * (bench_seconds() - start);
    if (states) memcpy(states + i * size, c->observation, size * sizeof *states);
  }
}

static void time_lookups(clone *c, uint32_t steps, const float *states, size_t size, double *times) {
  for (uint32_t i = 0; i < steps; i++) {
    sfnec_choice choice;
    const double start = bench_seconds();
    bench_check(sfnec_agent_choose(c->agent, c->scratch, states + i * size, NULL, &choice));
    times[i] = 1e6 * (bench_seconds() - start);
  }
}

static void compare(const plan *p, const sfnec_agent *agent, row *r) {
  clone fast, flat;
  clone_init(&fast, agent, "fast", p->seed + 1);
  clone_init(&flat, agent, "flat", p->seed + 1);
  const size_t size = (size_t)sfnec_agent_get_shape(agent).observation_size;
  float *states = bench_alloc(CHUNK, size * sizeof *states);
  double *times[3]; // fast, flat, look-ups
  for (int i = 0; i < 3; i++) times[i] = bench_alloc(p->compared, sizeof *times[i]);

  for (uint32_t done = 0; done < p->compared; done += CHUNK) {
    const uint32_t steps = p->compared - done < CHUNK ? p->compared - done : CHUNK;
    int32_t actions[2][CHUNK];
    run_chunk(&fast, steps, times[0] + done, actions[0], states, size);
    run_chunk(&flat, steps, times[1] + done, actions[1], NULL, size);
    time_lookups(&fast, steps, states, size, times[2] + done);
    for (uint32_t i = 0; i < steps; i++) r->differences += actions[0][i] != actions[1][i];
  }
  r->compared = 1;
  r->fast_us = stats_median(times[0], p->compared);
  r->flat_us = stats_median(times[1], p->compared);
  r->lookup_us = stats_median(times[2], p->compared);
  for (int i = 0; i < 3; i++) free(times[i]);
  free(states);
  clone_free(&fast);
  clone_free(&flat);
}

// ---- output ----

static void print_row(plan *p, const row *r) {
  printf("%-12s %5u %9lld %9.0f %8.0f", r->agent, r->task, (long long)r->entries, r->speed, r->megabytes);
  if (r->compared) {
    printf(" %10.1f %10.1f %7.1f %10.1f %7.2f %11lld", r->flat_us, r->fast_us, r->flat_us / r->fast_us, r->lookup_us,
           r->fast_us / r->lookup_us, (long long)r->differences);
  }
  printf("\n");
  fflush(stdout);
  if (!p->json) return;
  fprintf(p->json,
          "%s\n  {\"agent\": \"%s\", \"task\": %u, \"entries\": %lld, \"steps_per_second\": %.0f, \"agent_mb\": %.1f",
          p->separator, r->agent, r->task, (long long)r->entries, r->speed, r->megabytes);
  if (r->compared) {
    fprintf(p->json,
            ", \"flat_us\": %.2f, \"fast_us\": %.2f, \"ratio\": %.3f, \"lookup_us\": %.2f, \"step_per_lookup\": %.3f, "
            "\"differences\": %lld",
            r->flat_us, r->fast_us, r->flat_us / r->fast_us, r->lookup_us, r->fast_us / r->lookup_us,
            (long long)r->differences);
  }
  fprintf(p->json, "}");
  p->separator = ",";
}

// Runs one agent through its tasks and reports those asked for; returns how often the copies differed.
static int64_t run_agent(plan *p, const char *name) {
  const uint32_t tasks = p->tasks[p->count - 1];
  sfnec_env *env;
  bench_check(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, p->seed, &env));
  sfnec_agent *agent = make_agent(p, name, env);
  sfnec_run *run;
  const sfnec_run_options protocol = {.tasks = tasks, .steps = p->steps};
  bench_check(sfnec_run_create(agent, env, &protocol, &run));
  int64_t differences = 0;
  for (uint32_t t = 1, next = 0; t <= tasks; t++) {
    bench_check(sfnec_run_advance(run, p->steps));
    if (t != p->tasks[next]) continue;
    next++;
    uint32_t count;
    const sfnec_task_result *done = &sfnec_run_get_results(run, &count)[t - 1];
    row r = {.agent = name,
             .task = t,
             .entries = done->entries,
             .speed = (double)p->steps / done->seconds,
             .megabytes = (double)sfnec_agent_get_bytes(agent) / (1024 * 1024)};
    if (sfnec_agent_get_options(agent)->psi == SFNEC_PSI_EPISODIC) compare(p, agent, &r);
    print_row(p, &r);
    differences += r.differences;
  }
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return differences;
}

int bench_agent(const bench_args *args) {
  plan p = {.args = args,
            .steps = bench_number(args, "--steps", 20000),
            .compared = (uint32_t)bench_number(args, "--flat-steps", 500),
            .seed = (uint64_t)bench_number(args, "--seed", 1),
            .json = bench_json(args),
            .separator = ""};
  p.count = bench_list(args, "--tasks", "1,10", p.tasks, MOST_ROWS);
  const char *agents = bench_text(args, "--agents", NULL);

  printf("microseconds per whole step with either index, and per look-up of a new state with the fast one: medians\n");
  printf("%-12s %5s %9s %9s %8s %10s %10s %7s %10s %7s %11s\n", "agent", "task", "entries", "steps/s", "MB",
         "flat step", "fast step", "ratio", "look-up", "step/l.", "differences");
  if (p.json) fprintf(p.json, "{\"results\": [");
  int64_t differences = 0;
  const sfnec_agent_preset *preset;
  for (size_t i = 0; (preset = sfnec_agent_preset_at(i)); i++) {
    if (bench_named(agents, preset->name)) differences += run_agent(&p, preset->name);
  }
  printf("peak memory %.0f MB (copies included)\n", stats_peak_mb());
  if (p.json) {
    fprintf(p.json, "],\n \"peak_memory_mb\": %.1f}\n", stats_peak_mb());
    fclose(p.json);
  }
  if (differences) fprintf(stderr, "sfnec-bench: the copies with index=flat and index=fast acted differently\n");
  return differences ? 1 : 0;
}
