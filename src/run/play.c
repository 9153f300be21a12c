// play.c: one transition after the other; see play.h.
#include "run/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/vector.h"

// ---- life ----

sfnec_status sfnec_play_fits(const sfnec_agent *agent, const sfnec_env *env) {
  const sfnec_env_shape a = sfnec_agent_get_shape(agent), e = sfnec_env_get_shape(env);
  if (a.observation_size == e.observation_size && a.action_count == e.action_count &&
      a.feature_count == e.feature_count) {
    return SFNEC_OK;
  }
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "the agent does not fit %s: it has %d observations, %d actions and %d features, the environment "
                    "%d, %d and %d",
                    sfnec_env_get_kind(env)->name, (int)a.observation_size, (int)a.action_count, (int)a.feature_count,
                    (int)e.observation_size, (int)e.action_count, (int)e.feature_count);
}

sfnec_status sfnec_play_take_components(sfnec_agent *agent, const sfnec_env *env) {
  if (sfnec_agent_get_components(agent) || !sfnec_env_get_kind(env)->describe) return SFNEC_OK;
  const size_t count = (size_t)sfnec_env_get_shape(env).observation_size;
  sfnec_component_space *components = calloc(count, sizeof *components);
  if (!components) return sfnec_fail_memory("the components of an observation");
  sfnec_env_get_components(env, components);
  const sfnec_status status = sfnec_agent_set_components(agent, components);
  free(components);
  return status;
}

sfnec_status sfnec_play_open(sfnec_play *play, sfnec_agent *agent, sfnec_env *env, const double *w) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  *play = (sfnec_play){.agent = agent,
                       .env = env,
                       .w = w,
                       .observation_size = shape.observation_size,
                       .feature_count = shape.feature_count};
  play->observation = calloc((size_t)shape.observation_size, sizeof *play->observation);
  play->features = calloc((size_t)shape.feature_count, sizeof *play->features);
  play->before = calloc((size_t)shape.observation_size, sizeof *play->before);
  const bool masks = sfnec_env_get_kind(env)->mask != NULL;
  if (masks) play->mask = calloc((size_t)shape.action_count, sizeof *play->mask);
  if (play->observation && play->features && play->before && (play->mask || !masks)) return SFNEC_OK;
  sfnec_play_close(play);
  return sfnec_fail_memory("an episode");
}

sfnec_status sfnec_play_open_greedy(sfnec_play *play, const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env,
                                    const double *w) {
  const sfnec_status status = sfnec_play_open(play, NULL, env, w);
  play->asked = agent;
  play->scratch = scratch;
  play->function = scratch->reward;
  play->context = scratch->reward_context;
  return status;
}

void sfnec_play_close(sfnec_play *play) {
  free(play->observation);
  free(play->features);
  free(play->before);
  free(play->mask);
  *play = (sfnec_play){0};
}

// ---- what the world returned ----

// A world that fails, or returns what is no number, ends the episode here: the action whose transition never came waits
// no longer, nothing of it is counted, and agent and world can begin another episode. The sentence stays.
static sfnec_status break_off(sfnec_play *play, sfnec_status status) {
  char sentence[512];
  snprintf(sentence, sizeof sentence, "%s", sfnec_last_error());
  if (!play->asked) (void)sfnec_agent_end_episode(play->agent);
  play->in_episode = play->terminated = false;
  play->truncated = true;
  // a run is saved with its last observation, and only a finite one can be read back
  memset(play->observation, 0, (size_t)play->observation_size * sizeof *play->observation);
  return sfnec_set_error(status, sentence);
}

static sfnec_status refuse_number(const sfnec_play *play, const char *what, size_t at, double number) {
  const bool named = play->env != NULL;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "%s%s returned %s[%zu] = %g: its numbers must be finite, and features and rewards not "
                    "beyond %g",
                    named ? "environment " : "the environment", named ? sfnec_env_get_kind(play->env)->name : "", what,
                    at, number, SFNEC_NUMBER_MOST);
}

static sfnec_status check_observation(const sfnec_play *play) {
  const size_t size = (size_t)play->observation_size;
  if (sfnec_all_finite_f32(play->observation, size)) return SFNEC_OK;
  size_t at = 0;
  while (at + 1 < size && isfinite(play->observation[at])) at++;
  return refuse_number(play, "observation", at, (double)play->observation[at]);
}

// The agent checks too, but only here the world's name is known, and an agent that is only asked sees no features.
static sfnec_status check_transition(const sfnec_play *play) {
  const size_t size = (size_t)play->feature_count;
  if (!sfnec_all_within_f64(play->features, size, SFNEC_NUMBER_MOST)) {
    size_t at = 0;
    while (at + 1 < size && fabs(play->features[at]) <= SFNEC_NUMBER_MOST) at++;
    return refuse_number(play, "features", at, play->features[at]);
  }
  if (!sfnec_all_within_f64(&play->reward, 1, SFNEC_NUMBER_MOST)) return refuse_number(play, "reward", 0, play->reward);
  return check_observation(play);
}

// ---- one transition ----

sfnec_status sfnec_play_begin(sfnec_play *play) {
  sfnec_status status = play->env ? sfnec_env_reset(play->env, play->observation) : SFNEC_OK;
  if (!status) status = check_observation(play);
  if (status) return break_off(play, status);
  if (!play->asked) status = sfnec_agent_begin_episode(play->agent);
  if (status) return status;
  play->in_episode = true;
  play->steps = 0;
  play->total = 0.0;
  play->reward = 0.0;
  play->terminated = play->truncated = false;
  return SFNEC_OK;
}

sfnec_status sfnec_play_get_mask(sfnec_play *play, const uint8_t **mask) {
  *mask = play->mask;
  if (!play->mask || !play->env) return SFNEC_OK; // else the agent checks it
  sfnec_env_get_mask(play->env, play->mask);
  const size_t actions = (size_t)sfnec_env_get_shape(play->env).action_count;
  for (size_t a = 0; a < actions; a++) {
    if (play->mask[a]) return SFNEC_OK;
  }
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "environment %s allows none of its %zu actions: its mask must allow one until an episode ends",
                    sfnec_env_get_kind(play->env)->name, actions);
}

sfnec_status sfnec_play_act(sfnec_play *play) {
  const uint8_t *mask;
  sfnec_status status = sfnec_play_get_mask(play, &mask);
  if (status) return break_off(play, status);
  if (!play->asked) return sfnec_agent_act_masked(play->agent, play->observation, mask, &play->action);
  sfnec_choice choice;
  const double *w = play->own_weights || play->scratch->reward ? NULL : play->w;
  status = sfnec_agent_choose_masked(play->asked, play->scratch, play->observation, mask, w, &choice);
  if (!status) play->action = choice.action;
  return status;
}

sfnec_status sfnec_play_observe(sfnec_play *play) {
  const uint8_t *mask = NULL;
  sfnec_status status = play->terminated ? SFNEC_OK : sfnec_play_get_mask(play, &mask);
  if (status) return break_off(play, status);
  sfnec_transition transition = {
      .action = play->action,
      .features = play->features,
      .next_observation = play->observation,
      .terminated = play->terminated,
      .truncated = play->truncated,
      .next_mask = mask,
  };
  if (play->function) {
    const sfnec_env_shape shape = sfnec_agent_get_shape(play->asked ? play->asked : play->agent);
    status = sfnec_reward_of(&shape, play->function, play->context, play->before, &transition, &play->reward);
  } else if (play->w) {
    play->reward = sfnec_dot(play->features, play->w, (size_t)play->feature_count);
  }
  if (!status) status = check_transition(play);
  if (status) return break_off(play, status);
  transition.reward = play->reward;
  status = play->asked ? sfnec_agent_tell(play->asked, play->scratch, play->before, &transition)
                       : sfnec_agent_observe(play->agent, &transition);
  play->steps++;
  play->total += play->reward;
  play->in_episode = !play->terminated && !play->truncated;
  return status;
}

sfnec_status sfnec_play_move(sfnec_play *play, bool last) {
  sfnec_env_outcome outcome;
  if (play->asked || play->function || play->keep_before)
    memcpy(play->before, play->observation, (size_t)play->observation_size * sizeof *play->before);
  const sfnec_status status = sfnec_env_step(play->env, play->action, play->observation, play->features, &outcome);
  if (status) return break_off(play, status);
  play->terminated = outcome.terminated;
  play->truncated = outcome.truncated || last;
  return sfnec_play_observe(play);
}

sfnec_status sfnec_play_step(sfnec_play *play, bool last) {
  sfnec_status status = play->in_episode ? SFNEC_OK : sfnec_play_begin(play);
  if (!status) status = sfnec_play_act(play);
  return status ? status : sfnec_play_move(play, last);
}
