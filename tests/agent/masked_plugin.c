// masked_plugin.c: a world with masks for export_c.sh: a cart on a track fetches a load at one end for the other, and
// may run off the track. It moves smoothly, so that an agent that plans follows rollouts; or, with cells=1, in steps of
// one cell.
//
// Pushing is not allowed where the cart is fast, and coasting not with the load: a mask of a state, and one of a
// context. An action that is not allowed ends the episode at once, with a feature of its own.
#include "sfnec/plugin.h"

enum { LEFT, COAST, RIGHT, ACTIONS };
enum { FETCHED, BROUGHT, FORBIDDEN, FEATURES };
enum { POSITION, SPEED, HOLDS, OBSERVATION };

typedef struct masked_options {
  sfnec_env_common common;
  int64_t cells;
} masked_options;

static const sfnec_option rows[] = {
    {.name = "cells",
     .type = SFNEC_OPTION_INT,
     .offset = offsetof(masked_options, cells),
     .initial = 0,
     .least = 0,
     .most = 1,
     .help = "move in steps of a cell"},
    SFNEC_ENV_COMMON_ROWS(60),
    {.name = NULL},
};
static const sfnec_option_set option_set = {"masked", rows};

typedef struct cart {
  double position, speed;
  bool holds;
} cart;

static sfnec_env_shape shape(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = OBSERVATION, .action_count = ACTIONS, .feature_count = FEATURES};
}

static void observe(const cart *c, float *observation) {
  observation[POSITION] = (float)c->position;
  observation[SPEED] = (float)c->speed;
  observation[HOLDS] = (float)c->holds;
}

static void mask(const void *self, const void *options, uint8_t *allowed) {
  const cart *c = self;
  (void)options;
  allowed[LEFT] = c->speed > -0.12 && c->position > 0.05;
  allowed[COAST] = !c->holds;
  allowed[RIGHT] = !allowed[LEFT] || (c->speed < 0.12 && c->position < 0.95);
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  cart *c = self;
  const bool cells = ((const masked_options *)options)->cells != 0;
  const double at = sfnec_random_uniform(world);
  *c = (cart){.position = cells ? 0.1 * (double)(int)(10.0 * at) : 0.3 + 0.4 * at};
  observe(c, observation);
}

static void move(cart *c, int32_t action, bool cells) {
  const double push = (double)((action == RIGHT) - (action == LEFT));
  c->speed = cells ? 0.1 * push : 0.9 * c->speed + 0.03 * push;
  c->position += c->speed;
  if (cells) c->speed = 0.0;
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  cart *c = self;
  uint8_t allowed[ACTIONS] = {1, 1, 1};
  (void)world;
  mask(self, options, allowed);
  move(c, action, ((const masked_options *)options)->cells != 0);
  features[FETCHED] = !c->holds && c->position > 0.8;
  features[BROUGHT] = c->holds && c->position < 0.2;
  features[FORBIDDEN] = !allowed[action];
  c->holds = c->holds || c->position > 0.8;
  observe(c, observation);
  const bool fell = c->position < -0.05 || c->position > 1.05;
  return (sfnec_env_outcome){.terminated = features[BROUGHT] != 0.0 || features[FORBIDDEN] != 0.0 || fell};
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options, (void)tasks;
  w[FETCHED] = 0.2, w[BROUGHT] = 1.0, w[FORBIDDEN] = 5.0; // not allowed, so it tempts nobody
}

static const sfnec_env_kind kind = {
    .name = "masked",
    .help = "a cart that takes a load from one end to the other",
    .option_set = &option_set,
    .options_size = sizeof(masked_options),
    .state_size = sizeof(cart),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .mask = mask,
};

SFNEC_ENV_PLUGIN(kind, NULL)
