// liar.h: a world that returns what is no number, far too great numbers, or an error, when a test says so.
#ifndef SFNEC_TESTS_SUPPORT_LIAR_H
#define SFNEC_TESTS_SUPPORT_LIAR_H

#include "support/check.h"

#include "sfnec/env.h"

typedef enum lie {
  NO_LIE,
  NAN_FEATURE,
  HUGE_FEATURE,
  INFINITE_OBSERVATION,
  FAILURE,
  NAN_START,
  NAN_WEIGHT,
  HUGE_REWARD,
  LIES
} lie;

static const char *const sentences[LIES] = {
    [NAN_FEATURE] = "environment liar returned features[1] = nan",
    [HUGE_FEATURE] = "environment liar returned features[1] = 1e+200",
    [INFINITE_OBSERVATION] = "environment liar returned observation[2] = inf",
    [FAILURE] = "environment liar failed: the simulator has gone",
    [NAN_START] = "environment liar returned observation[2] = nan",
    [NAN_WEIGHT] = "environment liar drew reward weights for task 2 that are not finite",
    [HUGE_REWARD] = "environment liar returned reward[0] = 2e+150",
};

// what the world does, and from which call of step (or of the function that lies) on; the world's own state is a count
static lie lying;
static int truths;

static sfnec_env_shape liar_shape(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = 3, .action_count = 2, .feature_count = 2};
}

static bool lies_now(lie kind) {
  return lying == kind && truths-- <= 0;
}

static void observe(const int64_t *at, float *observation) {
  for (int i = 0; i < 3; i++) observation[i] = (float)((*at >> i) & 1);
}

static void liar_reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)options, (void)world;
  int64_t *at = self;
  *at = 0;
  observe(at, observation);
  if (lies_now(NAN_START)) observation[2] = NAN;
}

static sfnec_env_outcome liar_step(void *self, const void *options, int32_t action, sfnec_random *world,
                                   float *observation, double *features) {
  (void)options, (void)world;
  int64_t *at = self;
  *at += 1 + action;
  observe(at, observation);
  features[0] = action;
  features[1] = 0.5;
  if (lies_now(NAN_FEATURE)) features[1] = NAN;
  if (lies_now(HUGE_FEATURE)) features[1] = 1e200;
  if (lies_now(INFINITE_OBSERVATION)) observation[2] = INFINITY;
  if (lies_now(HUGE_REWARD)) features[0] = features[1] = 1e99;
  if (lies_now(FAILURE)) {
    return (sfnec_env_outcome){.status = sfnec_set_error(SFNEC_ERROR_IO, "the simulator has gone")};
  }
  return (sfnec_env_outcome){.terminated = *at > 12};
}

static void liar_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options;
  for (int i = 0; i < 2; i++) w[i] = lying == HUGE_REWARD ? 1e51 : sfnec_random_uniform(tasks);
  if (lies_now(NAN_WEIGHT)) w[1] = NAN;
}

static const sfnec_env_kind liar = {.name = "liar",
                                    .help = "a world that lies",
                                    .state_size = sizeof(int64_t),
                                    .shape = liar_shape,
                                    .reset = liar_reset,
                                    .step = liar_step,
                                    .sample_task = liar_task};

#endif
