// one_room.c: the thesis's small world: no inner walls, something to avoid, something to fetch, one goal.
//
// The thesis places the object of reward -1 top left and that of reward +1 bottom right and gives no numbers: here they
// lie at (0.1, 0.9) and (0.9, 0.1), with the goal and the pick-up radius of four_rooms. There is one task.
#include "env/kinds.h"
#include "env/rooms.h"

static const sfnec_look_object objects[] = {{0.1, 0.9, 0}, {0.9, 0.1, 1}};
static const sfnec_look_glyph glyphs[] = {SFNEC_LOOK_CROSS, SFNEC_LOOK_STAR};
static const sfnec_rooms_map map = {objects, sizeof objects / sizeof objects[0], 2, glyphs};

static const char *const feature_names[] = {"bad", "good", "goal"};

static const sfnec_option rows[] = {SFNEC_ROOMS_ROWS, SFNEC_ENV_COMMON_ROWS(0), {.name = NULL}};
static const sfnec_option_set option_set = {"one_room", rows};

static sfnec_env_shape shape(const void *options) {
  (void)options;
  return sfnec_rooms_shape(&map);
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)options, (void)world;
  sfnec_rooms_reset(&map, self, observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  return sfnec_rooms_step(&map, self, options, action, world, observation, features);
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options, (void)tasks;
  w[0] = -1;
  w[1] = 1;
  w[2] = 1;
}

static bool check_state(const void *self, const void *options, const void *saved) {
  (void)options;
  return sfnec_rooms_check_state(&map, self, saved);
}

static void bounds(const void *options, float *low, float *high) {
  (void)options;
  sfnec_rooms_bounds(&map, low, high);
}

static void look(const void *self, const void *options, sfnec_look *look) {
  sfnec_rooms_look(&map, self, options, look);
}

static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  (void)options;
  return sfnec_rooms_observe_at(&map, self, x, y, observation);
}

static sfnec_status optimum(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                            double *value) {
  return sfnec_rooms_optimum(&map, self, options, w, steps, memo, value);
}

const sfnec_env_kind sfnec_env_one_room = {
    .name = "one_room",
    .help = "the thesis's small world: one room, a bad and a good object, a goal; always the same task",
    .action_names = sfnec_rooms_action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(sfnec_rooms_options),
    .state_size = sizeof(sfnec_rooms_state),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .check_state = check_state,
    .bounds = bounds,
    .look = look,
    .observe_at = observe_at,
    .locate = sfnec_rooms_locate,
    .optimum = optimum,
};
