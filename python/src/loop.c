// loop.c: learning and asking, as much as possible in one call; the contract is in python.h.
#include "python.h"

#include "agent/agent.h"
#include "base/vector.h"
#include "run/evaluate.h"

// ---- learning ----

sfnec_status sfnec_python_play(sfnec_play *play, int64_t most, bool cut, int64_t *done) {
  sfnec_status status = SFNEC_OK;
  for (*done = 0; *done < most && !status && (*done == 0 || play->in_episode);) {
    status = sfnec_play_step(play, cut && *done + 1 == most);
    if (!status) ++*done;
  }
  return status;
}

sfnec_status sfnec_python_begin(sfnec_play *play) {
  const sfnec_status status = sfnec_play_begin(play);
  return status ? status : sfnec_play_act(play);
}

sfnec_status sfnec_python_next(sfnec_play *play, bool judged) {
  if (judged && play->w) {
    const double product = sfnec_dot(play->features, play->w, (size_t)play->feature_count);
    sfnec_watch_weights(&play->agent->watch, play->reward, product);
  }
  const sfnec_status status = sfnec_play_observe(play);
  return status || !play->in_episode ? status : sfnec_play_act(play);
}

sfnec_status sfnec_python_learn_log(sfnec_agent *agent, const sfnec_python_log *log, int64_t first, int64_t last,
                                    int64_t *done) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  const int64_t d = shape.observation_size, n = shape.feature_count;
  for (*done = 0; first + *done < last; ++*done) {
    const int64_t i = first + *done;
    const sfnec_transition transition = {.action = log->actions[i],
                                         .features = log->features + i * n,
                                         .reward = log->rewards[i],
                                         .next_observation = log->next_observations + i * d,
                                         .terminated = log->terminated[i],
                                         .truncated = log->truncated[i]};
    const sfnec_status status = sfnec_agent_learn_transition(agent, log->observations + i * d, &transition);
    if (status) return status;
  }
  return SFNEC_OK;
}

// ---- asking ----

sfnec_status sfnec_python_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                                   int64_t steps, int64_t episodes, int64_t episode_steps, double *returns,
                                   int64_t *lengths, sfnec_evaluation *out) {
  const sfnec_evaluation_plan plan = {
      .steps = steps, .episodes = episodes, .episode_steps = episode_steps, .returns = returns, .lengths = lengths};
  return sfnec_evaluate(agent, scratch, env, w, &plan, out);
}
