// reward_expression.c: a reward as text (sfnec/reward.h): the names of an expression are features, actions and
// components of a transition.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/expression.h"
#include "sfnec/reward.h"

// A variable is a kind and an index: kind * MOST + index.
enum { FEATURE, BEFORE, AFTER, NUMBER, ACTION, TERMINATED };
enum { MOST = 1 << 28 };

struct sfnec_reward_expression {
  sfnec_env_shape shape;
  bool reads_transitions; // more than features
  sfnec_expression *expression;
};

typedef struct names {
  const sfnec_env_kind *kind; // NULL: there are none
  const sfnec_env_shape *shape;
  bool reads_transitions; // so far
} names;

static bool is(const char *name, size_t length, const char *word) {
  return strlen(word) == length && strncmp(name, word, length) == 0;
}

static bool find(const char *const *list, int32_t count, const char *name, size_t length, uint32_t *index) {
  for (int32_t i = 0; list && i < count; i++) {
    if (!is(name, length, list[i])) continue;
    *index = (uint32_t)i;
    return true;
  }
  return false;
}

// phi[i], observation[i], next_observation[i].
static sfnec_status resolve_indexed(const names *known, const char *name, size_t length, int64_t index,
                                    uint32_t *variable) {
  static const char *const arrays[] = {"phi", "observation", "next_observation"};
  const int32_t sizes[] = {known->shape->feature_count, known->shape->observation_size, known->shape->observation_size};
  uint32_t array;
  if (!find(arrays, 3, name, length, &array))
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "the reward reads '%.*s[%lld]'; phi, observation and next_observation have numbers", (int)length,
                      name, (long long)index);
  if (index >= sizes[array])
    return sfnec_fail(SFNEC_ERROR_OPTION, "the reward reads '%s[%lld]'; its numbers are 0 to %d", arrays[array],
                      (long long)index, sizes[array] - 1);
  *variable = array * MOST + (uint32_t)index;
  return SFNEC_OK;
}

static sfnec_status resolve(void *context, const char *name, size_t length, int64_t index, uint32_t *variable) {
  names *known = context;
  uint32_t found = 0;
  const sfnec_env_kind *kind = known->kind;
  if (index >= 0) {
    const sfnec_status status = resolve_indexed(known, name, length, index, variable);
    known->reads_transitions |= !status && *variable / MOST != FEATURE;
    return status;
  }
  if (is(name, length, "action")) *variable = ACTION * (uint32_t)MOST;
  else if (is(name, length, "terminated")) *variable = TERMINATED * (uint32_t)MOST;
  else if (kind && find(kind->feature_names, known->shape->feature_count, name, length, &found)) *variable = found;
  else if (kind && find(kind->action_names, known->shape->action_count, name, length, &found))
    *variable = NUMBER * (uint32_t)MOST + found;
  else
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "the reward reads '%.*s', which is no feature and no action%s%s; there are also phi[i], "
                      "observation[i], next_observation[i], action and terminated",
                      (int)length, name, kind ? " of " : "", kind ? kind->name : "");
  known->reads_transitions |= *variable / MOST == ACTION || *variable / MOST == TERMINATED;
  return SFNEC_OK;
}

sfnec_status sfnec_reward_parse(const char *text, const sfnec_env_kind *kind, const sfnec_env_shape *shape,
                                sfnec_reward_expression **out) {
  if (!text || !shape || !out) return sfnec_fail_null(__func__);
  sfnec_reward_expression *reward = calloc(1, sizeof *reward);
  if (!reward) return sfnec_fail_memory("a reward");
  names known = {.kind = kind, .shape = shape};
  reward->shape = *shape;
  const sfnec_status status = sfnec_expression_parse(text, resolve, &known, &reward->expression);
  reward->reads_transitions = known.reads_transitions;
  if (!status) *out = reward;
  else sfnec_reward_destroy(reward);
  return status;
}

bool sfnec_reward_reads_transitions(const sfnec_reward_expression *reward) {
  return reward->reads_transitions;
}

void sfnec_reward_destroy(sfnec_reward_expression *reward) {
  if (!reward) return;
  sfnec_expression_destroy(reward->expression);
  free(reward);
}

// One of several transitions.
typedef struct at {
  const sfnec_transitions *all;
  size_t i;
} at;

static double read(const void *context, uint32_t variable) {
  const at *at = context;
  const sfnec_transitions *all = at->all;
  const size_t d = (size_t)all->observation_size, n = (size_t)all->feature_count, index = variable % MOST;
  switch (variable / MOST) {
  case FEATURE:
    return all->features[at->i * n + index];
  case BEFORE:
    return (double)all->observations[at->i * d + index];
  case AFTER:
    return (double)all->next_observations[at->i * d + index];
  case NUMBER:
    return (double)index;
  case ACTION:
    return (double)all->actions[at->i];
  default:
    return all->terminated[at->i] ? 1.0 : 0.0;
  }
}

sfnec_status sfnec_reward_evaluate(void *expression, const sfnec_transitions *transitions, double *rewards) {
  const sfnec_reward_expression *reward = expression;
  if (!reward || !transitions || (transitions->count && !rewards)) return sfnec_fail_null(__func__);
  if (transitions->observation_size != reward->shape.observation_size ||
      transitions->feature_count != reward->shape.feature_count)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the reward was written for another environment: %d numbers and %d features, here %d and %d",
                      reward->shape.observation_size, reward->shape.feature_count, transitions->observation_size,
                      transitions->feature_count);
  for (size_t i = 0; i < transitions->count; i++) {
    const at here = {transitions, i};
    rewards[i] = sfnec_expression_evaluate(reward->expression, read, &here);
    if (!isfinite(rewards[i]))
      return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                        "the reward of a transition is %g; it must be finite (a division by 0, or log of 0?)",
                        rewards[i]);
  }
  return SFNEC_OK;
}
