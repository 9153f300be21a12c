// tool_follow.c: takes an agent along a stream of transitions (tests/agent/authors.py) and compares its psi, the policy
// that it chooses and its greedy action with those of the stream, step by step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sfnec/agent.h"

enum { OBSERVATION = 4, ACTIONS = 3, FEATURES = 3, TASKS = 3 };

static void need(sfnec_status status) {
  if (!status) return;
  fprintf(stderr, "follow: %s\n", sfnec_last_error());
  exit(1);
}

static double number(void) {
  double x;
  if (scanf("%lf", &x) == 1) return x;
  fprintf(stderr, "follow: the stream ends early\n");
  exit(1);
}

static void observation(float *o) {
  for (int i = 0; i < OBSERVATION; i++) o[i] = (float)number();
}

static sfnec_agent *create(void) {
  const char *const settings[] = {"epsilon=0", "ties=first", "neighbours=5", "gamma=0.9", "alpha=0.2",
                                  "rate=0.1",  NULL};
  sfnec_agent_options options;
  need(sfnec_agent_options_preset("sfnec-authors", &options));
  for (int i = 0; settings[i]; i++) need(sfnec_options_assign(sfnec_agent_option_set(), &options, settings[i]));
  for (int i = 0; i < 2; i++) {
    char setting[64];
    if (scanf("%63s", setting) != 1) exit(1);
    need(sfnec_options_assign(sfnec_agent_option_set(), &options, setting));
  }
  const sfnec_env_shape shape = {OBSERVATION, ACTIONS, FEATURES};
  sfnec_agent *agent;
  need(sfnec_agent_create(&shape, &options, 1, &agent));
  return agent;
}

// The greatest difference of psi from the stream's; the choice must be the same.
static double step(sfnec_agent *agent, sfnec_scratch *scratch, size_t tasks, const double *w) {
  float here[OBSERVATION], after[OBSERVATION];
  observation(here);
  double psi[TASKS * ACTIONS * FEATURES], worst = 0;
  need(sfnec_agent_ask_psi(agent, scratch, here, psi));
  int32_t action;
  need(sfnec_agent_act(agent, here, &action));
  sfnec_choice choice;
  need(sfnec_agent_get_last_choice(agent, &choice));
  const int policy = (int)number(), greedy = (int)number();
  for (size_t i = 0; i < tasks * ACTIONS * FEATURES; i++) worst = fmax(worst, fabs(psi[i] - number()));
  if (choice.policy != policy || choice.action != greedy) worst = INFINITY;

  sfnec_transition transition = {.action = (int32_t)number(), .next_observation = after};
  double phi[FEATURES];
  for (int f = 0; f < FEATURES; f++) transition.reward += (phi[f] = number()) * w[f];
  transition.features = phi;
  observation(after);
  const int end = (int)number();
  transition.terminated = end == 1;
  transition.truncated = end == 2;
  need(sfnec_agent_observe(agent, &transition));
  return worst;
}

int main(void) {
  sfnec_agent *agent = NULL;
  sfnec_scratch *scratch = NULL;
  char word[16];
  size_t tasks = 0, steps = 0;
  double w[FEATURES], worst = 0;
  while (scanf("%15s", word) == 1) {
    if (strcmp(word, "options") == 0) {
      agent = create();
      need(sfnec_scratch_create(agent, &scratch));
    } else if (strcmp(word, "task") == 0) {
      for (int f = 0; f < FEATURES; f++) w[f] = number();
      need(sfnec_agent_end_episode(agent));
      need(sfnec_agent_begin_task(agent, w, NULL));
      tasks++;
    } else if (strcmp(word, "episode") == 0) {
      need(sfnec_agent_begin_episode(agent));
    } else {
      worst = fmax(worst, step(agent, scratch, tasks, w));
      steps++;
      if (worst > 1e-5) {
        fprintf(stderr, "follow: step %zu of %zu tasks differs by %g\n", steps, tasks, worst);
        return 1;
      }
    }
  }
  printf("%zu steps, %zu tasks: psi within %.1e, every choice the same\n", steps, tasks, worst);
  sfnec_scratch_destroy(scratch);
  sfnec_agent_destroy(agent);
  return steps > 0 ? 0 : 1;
}
