// corridor.c: a world of your own: `sfnec train --env ./corridor.so`.
//
// An environment is a description, sfnec_env_kind: a few functions, a state of plain bytes and a table of options.
// Change the world in this file; its test and its study need no other change. The world here is a slippery walk: the
// walker starts in the middle, each end holds a prize, and what the prizes are worth is the task. It is not the
// environment that knows the reward, only what happened (the features phi); the reward is phi . w, so one world serves
// as many tasks as there are weights w.
#include <math.h>

#include "sfnec/plugin.h"

// ---- options: a struct, and the table that describes it ----

typedef struct corridor_options {
  sfnec_env_common common; // what every environment has comes first
  int64_t length;          // SFNEC_OPTION_INT fields are int64_t, _REAL ones double, _CHOICE ones int
  double slip;
} corridor_options;

// Defaults, ranges and help come from here; "--set length=21" and the options of a spec are checked against it.
static const sfnec_option rows[] = {
    {.name = "length",
     .type = SFNEC_OPTION_INT,
     .offset = offsetof(corridor_options, length),
     .initial = 15,
     .least = 3,
     .most = 1000,
     .help = "cells from end to end"},
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
typedef struct corridor_state {
  int64_t cell;
} corridor_state;

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
static void observe(const corridor_state *c, const corridor_options *o, float *observation) {
  for (int64_t i = 0; i < o->length; i++) observation[i] = i == c->cell ? 1.0F : 0.0F;
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  corridor_state *c = self;
  const corridor_options *o = options;
  (void)world; // a random start would be drawn from this stream
  c->cell = o->length / 2;
  observe(c, o, observation);
}

// The library has checked the action. All noise comes from `world`, so that the same seed gives the same episode.
static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  corridor_state *c = self;
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
  const corridor_state *c = saved;
  (void)self;
  return c->cell >= 0 && c->cell < ((const corridor_options *)options)->length;
}

// How it looks now, for everything that draws worlds (optional): a row of cells in the middle of the unit square, open
// between two walls; the ends are objects of the classes 0 and 1, which the features of these numbers count.
static void look(const void *self, const void *options, sfnec_look *look) {
  const corridor_state *c = self;
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

// What would be observed at a position, all else as it is now (optional, of a map): with `locate` it makes the value
// map and shows memories and states of models. False where the agent cannot be.
static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  const corridor_options *o = options;
  const double cell = 1 / (double)o->length;
  (void)self; // nothing here but the position changes what is observed
  if (x < 0 || x >= 1 || fabs(y - 0.5) > cell) return false;
  observe(&(corridor_state){.cell = (int64_t)(x * (double)o->length)}, o, observation);
  return true;
}

// The position that an observation shows (optional, of a map); false if it shows none.
static bool locate(const void *options, const float *observation, double *x, double *y) {
  const int64_t length = ((const corridor_options *)options)->length;
  for (int64_t i = 0; i < length; i++) {
    if (observation[i] < 0.5F) continue;
    *x = ((double)i + 0.5) / (double)length;
    *y = 0.5;
    return true;
  }
  return false;
}

static const sfnec_env_kind corridor_kind = {
    .name = "corridor",
    .help = "a slippery walk with a prize at each end",
    .action_names = action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(corridor_options),
    .state_size = sizeof(corridor_state),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .check_state = check_state,
    .look = look,
    .observe_at = observe_at,
    .locate = locate,
};

// What the command finds. Without a version of your own (NULL), results are kept apart by a digest of the compiled
// file.
SFNEC_ENV_PLUGIN(corridor_kind, NULL)
