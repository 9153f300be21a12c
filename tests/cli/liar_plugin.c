// liar_plugin.c: worlds that lie, crash or end the program, for lies.sh: compiled with -DLIE=<one of the lies below>.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sfnec/plugin.h"

enum lie {
  NONE,
  // the description
  NO_TITLE,
  NO_ROWS,
  NO_HELP,
  NO_CHOICES,
  BAD_DEFAULT,
  BAD_NAME,
  OUTSIDE,
  FAR_OUTSIDE,
  NO_LIMIT,
  NO_STEP,
  BAD_METRIC,
  // sizes
  NO_SHAPE,
  NEGATIVE_SHAPE,
  HUGE_SHAPE,
  HUGE_STATE,
  // what functions return
  BAD_INIT,
  BAD_STATUS,
  SILENT_STATUS,
  NAN_OBSERVATION,
  NAN_REWARD,
  HUGE_FEATURE,
  NAN_WEIGHT,
  BAD_OPTIMUM,
  NAN_BOUNDS,
  // how it looks
  MANY_WALLS,
  FEW_WALLS,
  MANY_OBJECTS,
  MANY_CLASSES,
  BAD_CLASS,
  BAD_GLYPH,
  BAD_VIEW,
  MANY_CELLS,
  NAN_AGENT,
  NAN_WALL,
  FAR_AGENT,
  NAN_VIEW_AT,
  NAN_PLACE,
  // what ends the program
  CRASH_DESCRIBE,
  CRASH_STEP,
  DIVIDE,
  ABORT,
  EXIT_STEP,
  EXIT_INIT,
};

#define CELLS 8

typedef struct liar_options {
  sfnec_env_common common;
  int64_t length;
  int kind;
} liar_options;

static const char *const kinds[] = {"one", "two", NULL};

static const sfnec_option rows[] = {
    {.name = LIE == BAD_NAME ? "two words" : "length",
     .type = SFNEC_OPTION_INT,
     .offset = offsetof(liar_options, length),
     .initial = LIE == BAD_DEFAULT ? 7 : 3,
     .least = 1,
     .most = 5,
     .help = LIE == NO_HELP ? NULL : "a number"},
    {.name = "kind",
     .type = SFNEC_OPTION_CHOICE,
     .offset = LIE == FAR_OUTSIDE ? (size_t)-2 : offsetof(liar_options, kind),
     .choices = LIE == NO_CHOICES ? NULL : kinds,
     .help = "a choice"},
    SFNEC_ENV_COMMON_ROWS(30),
    {.name = NULL},
};
static const sfnec_option_set option_set = {LIE == NO_TITLE ? NULL : "liar", LIE == NO_ROWS    ? NULL
                                                                             : LIE == NO_LIMIT ? rows + 3
                                                                                               : rows};

static int64_t calls; // of step, in all worlds; enough for a test

static void crash(void) {
  volatile int *nowhere = (volatile int *)(intptr_t)8;
  *nowhere = 1;
}

static sfnec_env_shape shape(const void *options) {
  (void)options;
  sfnec_env_shape is = {.observation_size = CELLS, .action_count = 2, .feature_count = 2};
  if (LIE == NO_SHAPE) is.action_count = 0;
  if (LIE == NEGATIVE_SHAPE) is.feature_count = -5;
  if (LIE == HUGE_SHAPE) is.observation_size = INT32_MAX;
  return is;
}

static sfnec_status init(void *self, const void *options) {
  (void)self, (void)options;
  if (LIE == EXIT_INIT) exit(0);
  return LIE == BAD_INIT ? (sfnec_status)99 : SFNEC_OK;
}

static void observe(const int64_t *at, float *observation) {
  for (int i = 0; i < CELLS; i++) observation[i] = i == *at;
  if (LIE == NAN_OBSERVATION && calls > 20) observation[3] = NAN;
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)options, (void)world;
  int64_t *at = self;
  *at = 0;
  observe(at, observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  (void)options, (void)world;
  int64_t *at = self;
  *at += action ? 1 : *at > 0 ? -1 : 0;
  features[0] = *at == CELLS - 1;
  features[1] = 1;
  const int late = ++calls > 20;
  if (late && LIE == NAN_REWARD) features[0] = NAN;
  if (late && LIE == HUGE_FEATURE) features[1] = 1e200;
  if (late && LIE == CRASH_STEP) crash();
  if (late && LIE == DIVIDE) raise(SIGFPE);
  if (late && LIE == ABORT) abort();
  if (late && LIE == EXIT_STEP) exit(0);
  sfnec_env_outcome outcome = {.terminated = *at == CELLS - 1};
  if (late && LIE == BAD_STATUS) outcome.status = (sfnec_status)77;
  if (late && LIE == SILENT_STATUS) outcome.status = SFNEC_ERROR_IO;
  observe(at, observation);
  return outcome;
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options, (void)tasks;
  w[0] = LIE == NAN_WEIGHT ? NAN : 1;
  w[1] = -0.01;
}

static void bounds(const void *options, float *low, float *high) {
  (void)options;
  for (int i = 0; i < CELLS && LIE == NAN_BOUNDS; i++) low[i] = NAN, high[i] = -INFINITY;
}

static sfnec_status optimum(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                            double *value) {
  (void)self, (void)options, (void)w, (void)steps, (void)memo;
  if (LIE == BAD_OPTIMUM) *value = -INFINITY;
  return SFNEC_OK;
}

static void look(const void *self, const void *options, sfnec_look *look) {
  (void)options;
  const int64_t *at = self;
  look->x = (double)*at / CELLS;
  look->y = 0.5;
  look->class_count = look->object_count = look->wall_count = 1;
  look->walls[0] = (sfnec_look_wall){0.1, 0.2, 0.1, 0.2};
  look->objects[0] = (sfnec_look_object){0.9, 0.5, 0};
  switch ((int)LIE) {
  case MANY_WALLS:
    look->wall_count = 1000000;
    break;
  case FEW_WALLS:
    look->wall_count = -1;
    break;
  case MANY_OBJECTS:
    look->object_count = SFNEC_LOOK_MOST_OBJECTS + 1;
    break;
  case MANY_CLASSES:
    look->class_count = 3; // of two features
    break;
  case BAD_CLASS:
    look->objects[0].class_index = 100000;
    break;
  case BAD_GLYPH:
    look->glyphs[0] = (sfnec_look_glyph)1000;
    break;
  case BAD_VIEW:
    look->view = (sfnec_look_view)9;
    break;
  case MANY_CELLS:
    look->cells = 1 << 30;
    break;
  case NAN_AGENT:
    look->x = NAN;
    break;
  case NAN_WALL:
    look->walls[0].top = INFINITY;
    break;
  case FAR_AGENT:
    look->x = 1e300;
    break;
  }
}

static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  (void)self, (void)options, (void)y;
  const int64_t at = (int64_t)(x * CELLS);
  observe(&at, observation);
  if (LIE == NAN_VIEW_AT) observation[0] = NAN;
  return true;
}

static bool locate(const void *options, const float *observation, double *x, double *y) {
  (void)options;
  *x = LIE == NAN_PLACE ? NAN : observation[0];
  *y = LIE == NAN_PLACE ? -INFINITY : 0.5;
  return true;
}

static const sfnec_env_kind liar_kind = {
    .name = "liar",
    .help = "a world that lies",
    .option_set = &option_set,
    .options_size = LIE == OUTSIDE ? sizeof(sfnec_env_common) : sizeof(liar_options),
    .state_size = LIE == HUGE_STATE ? (size_t)-100 : sizeof(int64_t),
    .shape = shape,
    .init = init,
    .reset = reset,
    .step = LIE == NO_STEP ? NULL : step,
    .sample_task = sample_task,
    .bounds = bounds,
    .look = look,
    .observe_at = observe_at,
    .locate = locate,
    .optimum = optimum,
    .metric = LIE == BAD_METRIC ? "applause" : NULL,
};

SFNEC_VISIBLE const sfnec_env_plugin *sfnec_env_plugin_describe(void);
const sfnec_env_plugin *sfnec_env_plugin_describe(void) {
  static const sfnec_env_plugin plugin = {SFNEC_ENV_PLUGIN_ABI, sizeof(sfnec_env_kind), &liar_kind, "1"};
  if (LIE == CRASH_DESCRIBE) crash();
  return &plugin;
}
