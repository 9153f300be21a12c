// cartpole.c: the classic task of balancing a pole on a cart (Barto, Sutton and Anderson, 1983).
//
// Constants, limits, start and reward are those of Gymnasium's CartPole-v1: Euler steps of 0.02 s in double precision,
// observations rounded to float; 1 per step, also for the step that ends the episode; 500 steps at most. The formulas
// keep Gymnasium's order of operations. That matters: a balanced pole is unstable, so one wrong bit grows to the size
// of the pole's swing within 500 steps of the same actions.
//
// `observation=pole` is the thesis's smaller variant, which does not see the cart. There is one task.
#include <stdbool.h>
#include <stddef.h>

#include "base/math.h"
#include "base/vector.h"
#include "env/cartpole.h"
#include "env/kinds.h"

static const double gravity = 9.8;
static const double pole_mass = 0.1, total_mass = 0.1 + 1.0;
static const double half_length = 0.5; // of the pole
static const double pole_moment = 0.1 * 0.5;
static const double push = 10.0;
static const double tick = 0.02;
static const double x_limit = 2.4;
static const double theta_limit = 12 * 2 * 3.141592653589793 / 360;
static const double start_range = 0.05;

static const char *const action_names[] = {"left", "right"};
static const char *const feature_names[] = {"step"};

static const char *const observation_names[] = {"full", "pole", NULL};
static const sfnec_option rows[] = {
    {.name = "observation",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sfnec_cartpole_options, observation),
     .choices = observation_names,
     .help = "position and speed of cart and pole, or the pole's angle and speed only"},
    SFNEC_ENV_COMMON_ROWS(500),
    {.name = NULL},
};
static const sfnec_option_set option_set = {"cartpole", rows};

static sfnec_env_shape shape(const void *options) {
  const sfnec_cartpole_options *o = options;
  return (sfnec_env_shape){.observation_size = o->observation == SFNEC_CARTPOLE_POLE ? 2 : 4,
                           .action_count = SFNEC_CARTPOLE_ACTIONS,
                           .feature_count = 1};
}

static void observe(const sfnec_cartpole_state *state, const sfnec_cartpole_options *options, float *observation) {
  if (options->observation == SFNEC_CARTPOLE_FULL) {
    *observation++ = (float)state->x;
    *observation++ = (float)state->x_dot;
  }
  observation[0] = (float)state->theta;
  observation[1] = (float)state->theta_dot;
}

// Uniform in [-0.05, 0.05).
static double start(sfnec_random *world) {
  return -start_range + 2 * start_range * sfnec_random_uniform(world);
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  sfnec_cartpole_state *state = self;
  state->x = start(world);
  state->x_dot = start(world);
  state->theta = start(world);
  state->theta_dot = start(world);
  observe(state, options, observation);
}

// Far beyond what 500 pushes can reach: the range of a state that is loaded, which no step leaves.
static const double most = 1e3;

static double bounded(double number) {
  return number > most ? most : number < -most ? -most : number;
}

// One Euler step: the positions move by the old speeds.
static void integrate(sfnec_cartpole_state *state, double force) {
  const double sine = sfnec_sin_small(state->theta), cosine = sfnec_cos_small(state->theta);
  const double drive = (force + pole_moment * (state->theta_dot * state->theta_dot) * sine) / total_mass;
  const double theta_acc =
      (gravity * sine - cosine * drive) / (half_length * (4.0 / 3.0 - pole_mass * (cosine * cosine) / total_mass));
  const double x_acc = drive - pole_moment * theta_acc * cosine / total_mass;
  state->x = bounded(state->x + tick * state->x_dot);
  state->x_dot = bounded(state->x_dot + tick * x_acc);
  state->theta = bounded(state->theta + tick * state->theta_dot);
  state->theta_dot = bounded(state->theta_dot + tick * theta_acc);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  (void)world;
  sfnec_cartpole_state *state = self;
  integrate(state, action == SFNEC_CARTPOLE_RIGHT ? push : -push);
  features[0] = 1;
  observe(state, options, observation);
  const bool fell = state->theta < -theta_limit || state->theta > theta_limit;
  const bool left = state->x < -x_limit || state->x > x_limit;
  return (sfnec_env_outcome){.terminated = fell || left, .truncated = false};
}

static bool check_state(const void *self, const void *options, const void *saved) {
  (void)self, (void)options;
  const sfnec_cartpole_state *state = saved;
  const double numbers[] = {state->x, state->x_dot, state->theta, state->theta_dot};
  return sfnec_all_within_f64(numbers, 4, most);
}

// The angle too: twice what ends an episode, as Gymnasium has it; who does not see the cart gets no bounds.
static void bounds(const void *options, float *low, float *high) {
  const sfnec_cartpole_options *o = options;
  if (o->observation != SFNEC_CARTPOLE_FULL) return;
  high[0] = (float)(2 * x_limit);
  high[2] = (float)(2 * theta_limit);
  low[0] = -high[0];
  low[2] = -high[2];
}

// The square is as wide as the track.
static void look(const void *self, const void *options, sfnec_look *look) {
  (void)options;
  const sfnec_cartpole_state *state = self;
  look->view = SFNEC_LOOK_POLE;
  look->x = state->x / (2 * x_limit) + 0.5;
  look->angle = state->theta;
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options, (void)tasks;
  w[0] = 1;
}

const sfnec_env_kind sfnec_env_cartpole = {
    .name = "cartpole",
    .help = "the classic control task as in Gymnasium's CartPole-v1: 1 per step; always the same task",
    .action_names = action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(sfnec_cartpole_options),
    .state_size = sizeof(sfnec_cartpole_state),
    .shape = shape,
    .reset = reset,
    .step = step,
    .metric = "episode-return",
    .sample_task = sample_task,
    .check_state = check_state,
    .bounds = bounds,
    .look = look,
};
