// bench_env.c: how fast the environments are: steps per second of each under a uniformly random policy.
#include <inttypes.h>
#include <stdlib.h>

#include "bench.h"
#include "sfnec/sfnec.h"
#include "stats.h"

// Steps per second over `steps` transitions, resets included.
static double measure(const sfnec_env_kind *kind, int64_t steps) {
  sfnec_env *env;
  if (sfnec_env_create(kind, NULL, 1, &env)) bench_die(sfnec_last_error());
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  float *observation = malloc((size_t)shape.observation_size * sizeof *observation);
  double *features = malloc((size_t)shape.feature_count * sizeof *features);
  if (!observation || !features) bench_die("out of memory");

  sfnec_random policy = sfnec_random_start(1, SFNEC_PURPOSE_EXPLORATION);
  sfnec_env_outcome outcome = {.terminated = true};
  const double start = bench_seconds();
  for (int64_t i = 0; i < steps; i++) {
    if (outcome.terminated || outcome.truncated) sfnec_env_reset(env, observation);
    const int32_t action = (int32_t)sfnec_random_below(&policy, (uint32_t)shape.action_count);
    if (sfnec_env_step(env, action, observation, features, &outcome)) bench_die(sfnec_last_error());
  }
  const double seconds = bench_seconds() - start;
  free(observation);
  free(features);
  sfnec_env_destroy(env);
  return (double)steps / seconds;
}

int bench_env(const bench_args *args) {
  const int64_t steps = bench_number(args, "--steps", 5000000);
  FILE *json = bench_json(args);
  printf("%-16s %16s\n", "environment", "steps/s");
  if (json) fprintf(json, "{\"steps\": %" PRId64 ", \"results\": [", steps);
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    const double speed = measure(kind, steps);
    printf("%-16s %16.0f\n", kind->name, speed);
    if (json) fprintf(json, "%s{\"env\": \"%s\", \"steps_per_second\": %.0f}", i ? ", " : "", kind->name, speed);
  }
  printf("peak memory %.0f MB\n", stats_peak_mb());
  if (json) {
    fprintf(json, "], \"peak_memory_mb\": %.1f}\n", stats_peak_mb());
    fclose(json);
  }
  return 0;
}
