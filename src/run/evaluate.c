// evaluate.c: zero-shot evaluation: how well an agent's policies do under weights they were not learned for.
#include "run/evaluate.h"

#include "agent/agent.h"
#include "base/error.h"
#include "run/play.h"

// Plays greedily into `out` until the plan is done.
static sfnec_status evaluate(sfnec_play *play, const sfnec_evaluation_plan *plan, sfnec_evaluation *out) {
  for (int64_t i = 0; i < plan->steps && (plan->episodes == 0 || out->episodes < plan->episodes); i++) {
    const int64_t before = play->in_episode ? play->steps : 0;
    const bool last = i + 1 == plan->steps || (plan->episode_steps > 0 && before + 1 >= plan->episode_steps);
    const sfnec_status status = sfnec_play_step(play, last);
    if (status) return status;
    out->total += play->reward;
    for (int32_t k = 0; plan->features && k < play->feature_count; k++) plan->features[k] += play->features[k];
    if (play->in_episode) continue;
    if (plan->returns) plan->returns[out->episodes] = play->total;
    if (plan->lengths) plan->lengths[out->episodes] = play->steps;
    out->episodes++;
    out->goals += play->terminated;
  }
  out->per_episode = out->total / (double)out->episodes;
  return SFNEC_OK;
}

sfnec_status sfnec_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                            const sfnec_evaluation_plan *plan, sfnec_evaluation *out) {
  if (!agent || !scratch || !env || !(w || scratch->reward) || !out) return sfnec_fail_null("sfnec_run_evaluate");
  if (plan->steps < 1 || plan->episode_steps < 0) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an evaluation needs at least one step and no negative limit");
  }
  *out = (sfnec_evaluation){0};
  sfnec_play play;
  sfnec_status status = sfnec_play_fits(agent, env);
  if (!status) status = sfnec_play_open_greedy(&play, agent, scratch, env, w);
  if (status) return status;
  status = evaluate(&play, plan, out);
  sfnec_play_close(&play);
  return status;
}

sfnec_status sfnec_run_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                                int64_t steps, int64_t episode_steps, sfnec_evaluation *out) {
  const sfnec_evaluation_plan plan = {.steps = steps, .episode_steps = episode_steps};
  return sfnec_evaluate(agent, scratch, env, w, &plan, out);
}
