// evaluate.c: zero-shot evaluation: how well an agent's policies do under weights they were not learned for.
#include <stdlib.h>

#include "base/error.h"
#include "sfnec/run.h"

// Plays `steps` transitions greedily into `out`.
static sfnec_status play(sfnec_agent *agent, sfnec_env *env, const double *w, int64_t steps, int64_t episode_steps,
                         float *observation, double *features, sfnec_evaluation *out) {
  const int32_t feature_count = sfnec_env_get_shape(env).feature_count;
  bool running = false;
  int64_t in_episode = 0;
  for (int64_t i = 0; i < steps; i++) {
    sfnec_status status = running ? SFNEC_OK : sfnec_env_reset(env, observation);
    sfnec_choice choice;
    sfnec_env_outcome outcome;
    if (!status) status = sfnec_agent_choose(agent, observation, w, &choice);
    if (!status) status = sfnec_env_step(env, choice.action, observation, features, &outcome);
    if (status) return status;
    for (int32_t f = 0; f < feature_count; f++) out->total += features[f] * w[f];

    in_episode = running ? in_episode + 1 : 1;
    running = !outcome.terminated && !outcome.truncated && (episode_steps == 0 || in_episode < episode_steps);
    if (!running || i + 1 == steps) {
      out->episodes++;
      out->goals += outcome.terminated;
    }
  }
  out->per_episode = out->total / (double)out->episodes;
  return SFNEC_OK;
}

sfnec_status sfnec_run_evaluate(sfnec_agent *agent, sfnec_env *env, const double *w, int64_t steps,
                                int64_t episode_steps, sfnec_evaluation *out) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env), own = sfnec_agent_get_shape(agent);
  if (own.observation_size != shape.observation_size || own.action_count != shape.action_count ||
      own.feature_count != shape.feature_count) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the agent was not made for %s: their shapes differ",
                      sfnec_env_get_kind(env)->name);
  }
  if (!w || steps < 1 || episode_steps < 0) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an evaluation needs weights, at least one step and no negative limit");
  }
  float *observation = malloc((size_t)shape.observation_size * sizeof *observation);
  double *features = malloc((size_t)shape.feature_count * sizeof *features);
  *out = (sfnec_evaluation){0};
  const sfnec_status status = observation && features
                                  ? play(agent, env, w, steps, episode_steps, observation, features, out)
                                  : sfnec_fail_memory("an evaluation");
  free(observation);
  free(features);
  return status;
}
