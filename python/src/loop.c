// loop.c: learning, one transition after the other; the contract is in python.h.
//
// The order of calls is that of src/run/run.c: the same seed gives the same bits as `sfnec train`.
#include "python.h"

static double dot(const double *a, const double *b, int32_t size) {
  double sum = 0.0;
  for (int32_t i = 0; i < size; i++) sum += a[i] * b[i];
  return sum;
}

// ---- in the library's own environments ----

static sfnec_status begin(sfnec_python_loop *loop) {
  sfnec_status status = sfnec_env_reset(loop->env, loop->observation);
  if (!status) status = sfnec_agent_begin_episode(loop->agent);
  if (status) return status;
  loop->running = true;
  loop->steps = 0;
  loop->total = 0.0;
  return SFNEC_OK;
}

static sfnec_status step(sfnec_python_loop *loop, bool last) {
  int32_t action;
  sfnec_env_outcome outcome;
  sfnec_status status = sfnec_agent_act(loop->agent, loop->observation, &action);
  if (!status) status = sfnec_env_step(loop->env, action, loop->observation, loop->features, &outcome);
  if (status) return status;
  const sfnec_transition transition = {
      .action = action,
      .features = loop->features,
      .reward = dot(loop->features, loop->w, loop->feature_count),
      .next_observation = loop->observation,
      .terminated = outcome.terminated,
      .truncated = outcome.truncated || last,
  };
  status = sfnec_agent_observe(loop->agent, &transition);
  loop->steps++;
  loop->total += transition.reward;
  loop->terminated = transition.terminated;
  loop->ended = transition.terminated || transition.truncated;
  if (loop->ended) loop->running = false;
  return status;
}

sfnec_status sfnec_python_loop_run(sfnec_python_loop *loop, int64_t most, bool cut, int64_t *done) {
  sfnec_status status = SFNEC_OK;
  loop->ended = false;
  for (*done = 0; *done < most && !loop->ended && !status;) {
    if (!loop->running) status = begin(loop);
    if (!status) status = step(loop, cut && *done + 1 == most);
    if (!status) ++*done;
  }
  return status;
}

// ---- in an environment that lives in Python ----

sfnec_status sfnec_python_turn_begin(sfnec_python_turn *turn) {
  const sfnec_status status = sfnec_agent_begin_episode(turn->agent);
  return status ? status : sfnec_agent_act(turn->agent, turn->observation, &turn->action);
}

sfnec_status sfnec_python_turn_next(sfnec_python_turn *turn) {
  if (turn->w) turn->reward = dot(turn->features, turn->w, turn->feature_count);
  const sfnec_transition transition = {
      .action = turn->action,
      .features = turn->features,
      .reward = turn->reward,
      .next_observation = turn->observation,
      .terminated = turn->terminated,
      .truncated = turn->truncated,
  };
  const sfnec_status status = sfnec_agent_observe(turn->agent, &transition);
  if (status || turn->terminated || turn->truncated) return status;
  return sfnec_agent_act(turn->agent, turn->observation, &turn->action);
}

// ---- asking ----

sfnec_status sfnec_python_choose(sfnec_agent *agent, const float *observations, int64_t count, int32_t size,
                                 const double *w, int64_t *actions) {
  for (int64_t i = 0; i < count; i++) {
    sfnec_choice choice;
    const sfnec_status status = sfnec_agent_choose(agent, observations + i * size, w, &choice);
    if (status) return status;
    actions[i] = choice.action;
  }
  return SFNEC_OK;
}
