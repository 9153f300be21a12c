// template_env.c: an environment of your own, and an agent that learns in it.
//
// Copy this file and change the world. An environment is a description, sfnec_env_kind: a few functions, a state of
// plain bytes and a table of options. The world here is a slippery corridor: the walker starts in the middle, each end
// holds a prize, and what the prizes are worth is the task. It is not the environment that knows the reward, only what
// happened (the features phi); the reward is phi . w, so one world serves as many tasks as there are weights w.
//
//   cc template_env.c $(pkg-config --cflags --libs sfnec) && ./a.out
#include <stdio.h>

#include "sfnec/sfnec.h"

// ---- options: a struct, and the table that describes it ----

typedef struct corridor_options {
  sfnec_env_common common; // what every environment has comes first
  int64_t length;          // SFNEC_OPTION_INT fields are int64_t, _REAL ones double, _CHOICE ones int
  double slip;
} corridor_options;

// Defaults, ranges and help come from here; "length=21" in the settings of sfnec_env_create is checked against it.
static const sfnec_option rows[] = {
    {.name = "length",
     .type = SFNEC_OPTION_INT,
     .offset = offsetof(corridor_options, length),
     .initial = 15,
     .least = 3,
     .most = 1000,
     .help = "cells of the corridor"},
    {.name = "slip",
     .type = SFNEC_OPTION_REAL,
     .offset = offsetof(corridor_options, slip),
     .initial = 0.1,
     .least = 0,
     .most = 1,
     .help = "chance that a step goes the other way"},
    SFNEC_ENV_COMMON_ROWS(100), // max_episode_steps, here 100 unless the user says otherwise
    {.name = NULL},             // ends the table
};

static const sfnec_option_set option_set = {"corridor", rows};

// ---- the world ----

// The state: no pointers, as the library saves and restores it by copying its bytes. It starts as zeros.
typedef struct corridor {
  int64_t cell;
} corridor;

enum { LEFT, RIGHT, ACTIONS };
enum { LEFT_END, RIGHT_END, STEP, FEATURES };

static const char *const action_names[] = {"left", "right"};
static const char *const feature_names[] = {"left_end", "right_end", "step"};

// Sizes may depend on the options: one observation float per cell here.
static sfnec_env_shape shape(const void *options) {
  const corridor_options *o = options;
  return (sfnec_env_shape){.observation_size = (int32_t)o->length, .action_count = ACTIONS, .feature_count = FEATURES};
}

// The agent compares observations by their distance, so write what tells states apart at a scale of about 1.
static void observe(const corridor *c, const corridor_options *o, float *observation) {
  for (int64_t i = 0; i < o->length; i++) observation[i] = i == c->cell ? 1.0F : 0.0F;
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  corridor *c = self;
  const corridor_options *o = options;
  (void)world; // a random start would be drawn from this stream
  c->cell = o->length / 2;
  observe(c, o, observation);
}

// The library has checked the action. All noise comes from `world`, so that the same seed gives the same episode.
static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  corridor *c = self;
  const corridor_options *o = options;
  bool slipped = sfnec_random_uniform(world) < o->slip;
  c->cell += (action == RIGHT) != slipped ? 1 : -1;
  features[LEFT_END] = c->cell == 0;
  features[RIGHT_END] = c->cell == o->length - 1;
  features[STEP] = 1;
  observe(c, o, observation);
  // terminated: nothing follows. The limit on the length of episodes is the library's business (max_episode_steps).
  return (sfnec_env_outcome){.terminated = c->cell == 0 || c->cell == o->length - 1};
}

// What a task may look like: prizes between -1 and 1, and each step costs a little.
static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options;
  w[LEFT_END] = 2 * sfnec_random_uniform(tasks) - 1;
  w[RIGHT_END] = 2 * sfnec_random_uniform(tasks) - 1;
  w[STEP] = -0.01;
}

// Whether a saved state can be one of this world (optional): what is loaded from a file may hold anything.
static bool check_state(const void *self, const void *options, const void *saved) {
  const corridor *c = saved;
  (void)self;
  return c->cell >= 0 && c->cell < ((const corridor_options *)options)->length;
}

// How it looks now, for everything that draws worlds (optional): a row of cells in the middle of the unit square, open
// between two walls; the ends are objects of the classes 0 and 1, which the features of these numbers count.
static void look(const void *self, const void *options, sfnec_look *look) {
  const corridor *c = self;
  const double cell = 1 / (double)((const corridor_options *)options)->length;
  look->x = ((double)c->cell + 0.5) * cell;
  look->y = 0.5;
  look->walls[look->wall_count++] = (sfnec_look_wall){.left = 0, .right = 1, .bottom = 0, .top = 0.5 - cell};
  look->walls[look->wall_count++] = (sfnec_look_wall){.left = 0, .right = 1, .bottom = 0.5 + cell, .top = 1};
  look->objects[look->object_count++] = (sfnec_look_object){.x = cell / 2, .y = 0.5, .class_index = LEFT_END};
  look->objects[look->object_count++] = (sfnec_look_object){.x = 1 - cell / 2, .y = 0.5, .class_index = RIGHT_END};
  look->class_count = 2;
  look->glyphs[LEFT_END] = SFNEC_LOOK_SQUARE;
  look->glyphs[RIGHT_END] = SFNEC_LOOK_CIRCLE;
}

static const sfnec_env_kind corridor_kind = {
    .name = "corridor",
    .help = "a slippery corridor with a prize at each end",
    .action_names = action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(corridor_options),
    .state_size = sizeof(corridor),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .check_state = check_state,
    .look = look,
};

// ---- an agent in it ----

static sfnec_status learn(sfnec_agent *agent, sfnec_env *env) {
  const sfnec_run_options options = {.tasks = 5, .steps = 2000};
  sfnec_run *run = NULL;
  sfnec_status status = sfnec_run_create(agent, env, &options, &run);
  while (!status && !sfnec_run_is_done(run)) status = sfnec_run_advance(run, options.steps);
  if (!status) {
    uint32_t count = 0;
    const sfnec_task_result *results = sfnec_run_get_results(run, &count);
    printf("task  left end  right end    return  episodes\n");
    for (uint32_t t = 0; t < count; t++) {
      double w[FEATURES];
      sfnec_env_get_task_weights(env, t, w);
      printf("%4u  %8.2f  %9.2f  %8.1f  %8lld\n", (unsigned)t, w[LEFT_END], w[RIGHT_END], results[t].total,
             (long long)results[t].episodes);
    }
  }
  sfnec_run_destroy(run);
  return status;
}

int main(void) {
  const char *const settings[] = {"length=15", "max_episode_steps=60", NULL};
  const uint64_t seed = 1;
  sfnec_env *env = NULL;
  sfnec_agent *agent = NULL;
  sfnec_agent_options options;

  // each call says whether it worked; the first failure ends the chain
  sfnec_status status = sfnec_env_create(&corridor_kind, settings, seed, &env);
  if (!status) status = sfnec_agent_options_preset("sfnec", &options);
  if (!status) {
    sfnec_env_shape sizes = sfnec_env_get_shape(env);
    status = sfnec_agent_create(&sizes, &options, seed, &agent);
  }
  if (!status) status = learn(agent, env);
  if (status) fprintf(stderr, "template_env: %s\n", sfnec_last_error());

  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
  return status ? 1 : 0;
}
