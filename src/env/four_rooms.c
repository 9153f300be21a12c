// four_rooms.c: the paper's world: a cross of walls with four doors, four objects of each of three classes, one goal.
//
// The paper's figure is a grid of 21 x 21 cells; the walls are its row and column 10, the doors lie around the borders
// between cells 3 and 4 and between cells 16 and 17. The paper names no sizes: the layout `figure` takes them from the
// figure, the default `calibrated` has the thinner walls and wider doors under which the published returns come out.
#include "env/kinds.h"
#include "env/rooms.h"

// the centre of a cell of the figure's grid
#define AT(column, row, class_number)                                                                                  \
  { ((column) + 0.5) / 21, ((row) + 0.5) / 21, (class_number)-1 }

// clang-format off
static const sfnec_look_object objects[] = {
    AT(9, 11, 1), AT(3, 10, 1), AT(20, 9, 1),  AT(11, 0, 1),  // circles
    AT(0, 20, 2), AT(10, 16, 2), AT(16, 10, 2), AT(20, 0, 2), // squares
    AT(9, 20, 3), AT(0, 11, 3), AT(11, 9, 3),  AT(10, 4, 3),  // triangles
};
// clang-format on

static const sfnec_look_glyph glyphs[] = {SFNEC_LOOK_CIRCLE, SFNEC_LOOK_SQUARE, SFNEC_LOOK_TRIANGLE};
static const sfnec_rooms_map map = {objects, sizeof objects / sizeof objects[0], 3, glyphs};
#include "env/rooms_kind.h" // functions of the kind on this map

static const char *const feature_names[] = {"circle", "square", "triangle", "goal"};

// ---- options ----

static const char *const layout_names[] = {"calibrated", "figure", NULL};
static const struct { double wall_width, door_width; } layouts[] = {{0.04, 0.2}, {1.0 / 21, 2.0 / 21}};

static const char *const walls_names[] = {"endpoint", "segment", NULL};

static const sfnec_option rows[] = {
    {.name = "layout",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sfnec_rooms_options, layout),
     .choices = layout_names,
     .help = "sizes of walls and doors: those that give the published returns, or those of the paper's figure"},
    {.name = "walls",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sfnec_rooms_options, walls),
     .choices = walls_names,
     .help = "what a wall stops: a step that ends in it, or every step that crosses it"},
    SFNEC_ROOMS_ROWS,
    SFNEC_ROOMS_REAL(wall_width, 0, 0, 0.5, "width of the walls; 0 = the layout's own"),
    // wider doors would meet in the middle of a wall
    SFNEC_ROOMS_REAL(door_width, 0, 0, 0.6, "width of the doors; 0 = the layout's own"),
    SFNEC_ENV_COMMON_ROWS(0),
    {.name = NULL},
};

static const sfnec_option_set option_set = {"four_rooms", rows};

// ---- the kind ----

// Builds the cross: each of its two walls is cut into three pieces by two doors.
static sfnec_status init(void *self, const void *options) {
  const sfnec_rooms_options *o = options;
  double wall = (o->wall_width > 0 ? o->wall_width : layouts[o->layout].wall_width) / 2;
  double door = (o->door_width > 0 ? o->door_width : layouts[o->layout].door_width) / 2;
  const double low = 4.0 / 21, high = 17.0 / 21; // door centres
  // the outer pieces reach beyond the square, so that nothing slips by along its border
  const double pieces[3][2] = {{-1, low - door}, {low + door, high - door}, {high + door, 2}};
  for (int i = 0; i < 3; i++) {
    double from = pieces[i][0], to = pieces[i][1];
    sfnec_rooms_add_wall(self, (sfnec_look_wall){.left = 0.5 - wall, .right = 0.5 + wall, .bottom = from, .top = to});
    sfnec_rooms_add_wall(self, (sfnec_look_wall){.left = from, .right = to, .bottom = 0.5 - wall, .top = 0.5 + wall});
  }
  return SFNEC_OK;
}

// w = (u1, u2, u3, 1), each u uniform in [-1, 1].
static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)options;
  for (int i = 0; i < 3; i++) w[i] = 2 * sfnec_random_uniform(tasks) - 1;
  w[3] = 1;
}

const sfnec_env_kind sfnec_env_four_rooms = {
    .name = "four_rooms",
    .help = "the paper's world: four rooms, three classes of objects, a goal",
    .feature_names = feature_names,
    .option_set = &option_set,
    SFNEC_ROOMS_KIND,
    .init = init,
    .sample_task = sample_task,
};
