// bench_limits.c: what the greatest agents cost: one memory of very many entries, and agents of very many features or
// actions.
//
// All times are those of the core, not of the clock, so that a busy machine changes little.
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "memory/memory.h"
#include "sfnec/sfnec.h"
#include "simd/simd.h"
#include "stats.h"

enum { KEY = 2, NEIGHBOURS = 20 };

static double core_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- one memory ----

static void draw_key(sfnec_random *random, float key[KEY]) {
  for (int i = 0; i < KEY; i++) key[i] = (float)sfnec_random_uniform(random);
}

// microseconds of a look-up among the entries that are there
static double time_searches(const sfnec_memory *memory, sfnec_index_scratch *scratch, int queries) {
  sfnec_neighbour neighbours[NEIGHBOURS];
  double weights[NEIGHBOURS], value[1];
  sfnec_lookup lookup = {.neighbours = neighbours, .weights = weights, .value = value};
  sfnec_random random = sfnec_random_start(2, SFNEC_PURPOSE_EVALUATION);
  const double start = core_seconds();
  for (int i = 0; i < queries; i++) {
    float key[KEY];
    draw_key(&random, key);
    sfnec_memory_search(memory, scratch, key, &lookup);
  }
  return (core_seconds() - start) / queries * 1e6;
}

static void measure_memory(uint32_t most) {
  const sfnec_simd *simd;
  bench_check(sfnec_simd_select(&simd));
  const sfnec_memory_config config = {
      .key_size = KEY,
      .value_size = 1,
      .capacity = most,
      .neighbours = NEIGHBOURS,
      .weighting = {.kind = SFNEC_WEIGHT_INVERSE_SQUARED, .delta = 1e-3},
      .index = SFNEC_INDEX_KIND_FAST,
  };
  sfnec_memory *memory;
  bench_check(sfnec_memory_create(&config, simd, &memory));
  sfnec_index_scratch *scratch = sfnec_index_scratch_create();
  if (!scratch) bench_die("out of memory");
  sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_EXPLORATION);
  printf("%12s %14s %14s %14s\n", "entries", "bytes each", "us per insert", "us per search");
  uint32_t next = most > 1000 ? most / 1000 : most, before = 0;
  double start = core_seconds();
  for (uint32_t i = 1; i <= most; i++) {
    float key[KEY];
    draw_key(&random, key);
    bench_check(sfnec_memory_write(memory, key, (const double[]){1}, 0.1));
    if (i != next) continue;
    const double seconds = core_seconds() - start;
    const uint32_t count = sfnec_memory_count(memory);
    printf("%12u %14.1f %14.2f %14.2f\n", count, (double)sfnec_memory_bytes(memory) / count,
           seconds / (i - before) * 1e6, time_searches(memory, scratch, 2000));
    fflush(stdout);
    before = i;
    next = next > most / 10 ? most : next * 10;
    start = core_seconds();
  }
  sfnec_index_scratch_destroy(scratch);
  sfnec_memory_destroy(memory);
}

// ---- one agent ----

// steps of an agent in a world of random observations; bytes and time, or the sentence that refuses it
static void measure_agent(const char *preset, int32_t features, int32_t actions, int steps) {
  const sfnec_env_shape shape = {.observation_size = KEY, .feature_count = features, .action_count = actions};
  sfnec_agent_options options;
  bench_check(sfnec_agent_options_preset(preset, &options));
  double *phi = bench_alloc((size_t)features, sizeof *phi);
  sfnec_agent *agent = NULL;
  sfnec_random random = sfnec_random_start(1, SFNEC_PURPOSE_WORLD);
  sfnec_status status = sfnec_agent_create(&shape, &options, 1, &agent);
  for (int i = 0; i < features; i++) phi[i] = sfnec_random_uniform(&random) / features;
  if (!status) status = sfnec_agent_begin_task(agent, phi, NULL);
  if (!status) status = sfnec_agent_begin_episode(agent);
  const double start = core_seconds();
  float at[KEY];
  draw_key(&random, at);
  for (int i = 0; i < steps && !status; i++) {
    int32_t action;
    status = sfnec_agent_act(agent, at, &action);
    draw_key(&random, at);
    phi[i % features] = sfnec_random_uniform(&random) / features;
    const sfnec_transition transition = {.action = action, .features = phi, .next_observation = at};
    if (!status) status = sfnec_agent_observe(agent, &transition);
  }
  const double seconds = core_seconds() - start;
  printf("%-12s %9d %9d ", preset, features, actions);
  if (status) printf("refused: %s\n", sfnec_last_error());
  else printf("%12.1f %12.1f\n", seconds / steps * 1e6, (double)sfnec_agent_get_bytes(agent) / 1e6);
  fflush(stdout);
  sfnec_agent_destroy(agent);
  free(phi);
}

int bench_limits(const bench_args *args) {
  const long entries = bench_number(args, "--entries", 10000000), steps = bench_number(args, "--steps", 1000);
  const int32_t size = (int32_t)bench_number(args, "--size", 10000);
  measure_memory((uint32_t)(entries < 100000000 ? entries : 100000000));
  printf("\n%-12s %9s %9s %12s %12s\n", "agent", "features", "actions", "us per step", "MB");
  static const char *const presets[] = {"sfnec", "sfnec-plus", "nec", "sfql", "ql"};
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    measure_agent(presets[i], size, 4, (int)steps);
    measure_agent(presets[i], 4, size, (int)steps);
  }
  printf("peak memory %.0f MB\n", stats_peak_mb());
  return 0;
}
