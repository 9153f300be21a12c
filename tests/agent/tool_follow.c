// tool_follow.c: takes an agent along a stream of transitions (tests/agent/authors.py, authors_record.py) and compares
// its psi, the policy that it chooses and its greedy action with those of the stream, step by step.
//
// The stream begins with `shape` (numbers of an observation, actions, features, tasks), `tolerance` (of psi) and an
// `option` each for what differs from the preset; then come tasks, episodes and steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"

typedef struct stream {
  sfnec_env_shape shape;
  sfnec_agent_options options;
  double tolerance;
  sfnec_agent *agent;
  sfnec_scratch *scratch;
  float *here, *after; // (observation_size)
  double *psi;         // (tasks, action_count, feature_count)
  double *w, *phi;     // (feature_count)
  size_t task_count, step_count, choice_count;
  double worst;
} stream;

static void need(sfnec_status status) {
  if (!status) return;
  fprintf(stderr, "follow: %s\n", sfnec_last_error());
  exit(1);
}

static void *space(size_t count, size_t size) {
  void *block = calloc(count, size);
  if (block) return block;
  fprintf(stderr, "follow: out of memory\n");
  exit(1);
}

static double number(void) {
  double x;
  if (scanf("%lf", &x) == 1) return x;
  fprintf(stderr, "follow: the stream ends early\n");
  exit(1);
}

static void observation(const stream *s, float *o) {
  for (int32_t i = 0; i < s->shape.observation_size; i++) o[i] = (float)number();
}

static void read_shape(stream *s) {
  s->shape.observation_size = (int32_t)number();
  s->shape.action_count = (int32_t)number();
  s->shape.feature_count = (int32_t)number();
  const size_t tasks = (size_t)number(), actions = (size_t)s->shape.action_count;
  const size_t features = (size_t)s->shape.feature_count;
  s->here = space((size_t)s->shape.observation_size, sizeof *s->here);
  s->after = space((size_t)s->shape.observation_size, sizeof *s->after);
  s->psi = space(tasks * actions * features, sizeof *s->psi);
  s->w = space(features, sizeof *s->w);
  s->phi = space(features, sizeof *s->phi);
}

static void read_option(stream *s) {
  char setting[64];
  if (scanf("%63s", setting) != 1) exit(1);
  need(sfnec_options_assign(sfnec_agent_option_set(), &s->options, setting));
}

static void begin_task(stream *s) {
  if (!s->agent) {
    need(sfnec_agent_create(&s->shape, &s->options, 1, &s->agent));
    need(sfnec_scratch_create(s->agent, &s->scratch));
  }
  for (int32_t f = 0; f < s->shape.feature_count; f++) s->w[f] = number();
  need(sfnec_agent_end_episode(s->agent));
  need(sfnec_agent_begin_task(s->agent, s->w, NULL));
  s->task_count++;
}

// Acts; the choice must be the stream's, unless two are too close to tell. Then the agent goes on with the stream's
// policy, so that no tie makes the two drift apart.
static bool choose(stream *s) {
  int32_t action;
  need(sfnec_agent_act(s->agent, s->here, &action));
  const int policy = (int)number(), greedy = (int)number();
  const bool clear = number() != 0;
  const bool same = s->agent->choice.policy == policy && s->agent->choice.action == greedy;
  s->agent->choice.policy = policy;
  s->choice_count += clear;
  return same || !clear;
}

// False if the agent differs.
static bool step(stream *s) {
  observation(s, s->here);
  need(sfnec_agent_ask_psi(s->agent, s->scratch, s->here, s->psi));
  const bool same = choose(s);
  const size_t numbers = s->task_count * (size_t)s->shape.action_count * (size_t)s->shape.feature_count;
  double difference = 0;
  for (size_t i = 0; i < numbers; i++) difference = fmax(difference, fabs(s->psi[i] - number()));
  s->worst = fmax(s->worst, difference);
  s->step_count++;
  if (!same || !(difference <= s->tolerance)) {
    fprintf(stderr, "follow: step %zu, in task %zu: psi differs by %g, the choice is %s\n", s->step_count,
            s->task_count, difference, same ? "the same" : "another");
    return false;
  }

  sfnec_transition transition = {.action = (int32_t)number(), .features = s->phi, .next_observation = s->after};
  for (int32_t f = 0; f < s->shape.feature_count; f++) transition.reward += (s->phi[f] = number()) * s->w[f];
  observation(s, s->after);
  const int end = (int)number();
  transition.terminated = end == 1;
  transition.truncated = end == 2;
  need(sfnec_agent_observe(s->agent, &transition));
  return true;
}

int main(void) {
  stream s = {0};
  char word[16];
  bool same = true;
  need(sfnec_agent_options_preset("sfnec-authors", &s.options));
  while (same && scanf("%15s", word) == 1) {
    if (strcmp(word, "shape") == 0) {
      read_shape(&s);
    } else if (strcmp(word, "tolerance") == 0) {
      s.tolerance = number();
    } else if (strcmp(word, "option") == 0) {
      read_option(&s);
    } else if (strcmp(word, "task") == 0) {
      begin_task(&s);
    } else if (strcmp(word, "episode") == 0) {
      need(sfnec_agent_begin_episode(s.agent));
    } else {
      same = step(&s);
    }
  }
  if (same) {
    printf("%zu steps, %zu tasks: psi within %.1e, %zu of %zu choices compared, all the same\n", s.step_count,
           s.task_count, s.worst, s.choice_count, s.step_count);
  }
  sfnec_scratch_destroy(s.scratch);
  sfnec_agent_destroy(s.agent);
  free(s.here);
  free(s.after);
  free(s.psi);
  free(s.w);
  free(s.phi);
  return same && s.step_count > 0 ? 0 : 1;
}
