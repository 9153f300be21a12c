// one_room.c: the thesis's small world: no inner walls, something to avoid, something to fetch, one goal.
//
// The thesis places the object of reward -1 top left and that of reward +1 bottom right and gives no numbers: here they
// lie at (0.1, 0.9) and (0.9, 0.1), with the goal and the pick-up radius of four_rooms. There is one task.
#include "env/kinds.h"
#include "env/rooms.h"

static const sfnec_look_object objects[] = {{0.1, 0.9, 0}, {0.9, 0.1, 1}};
static const sfnec_look_glyph glyphs[] = {SFNEC_LOOK_CROSS, SFNEC_LOOK_STAR};
static const sfnec_rooms_map map = {objects, sizeof objects / sizeof objects[0], 2, glyphs};
#include "env/rooms_kind.h" // functions of the kind on this map

static const char *const feature_names[] = {"bad", "good", "goal"};

static const sfnec_option rows[] = {SFNEC_ROOMS_ROWS, SFNEC_ENV_COMMON_ROWS(0), {.name = NULL}};
static const sfnec_option_set option_set = {"one_room", rows};

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options, (void)tasks;
  w[0] = -1;
  w[1] = 1;
  w[2] = 1;
}

const sfnec_env_kind sfnec_env_one_room = {
    .name = "one_room",
    .help = "the thesis's small world: one room, a bad and a good object, a goal; always the same task",
    .feature_names = feature_names,
    .option_set = &option_set,
    SFNEC_ROOMS_KIND,
    .sample_task = sample_task,
};
