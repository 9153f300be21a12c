// four_rooms_grid.c: the four rooms on a grid of 13 x 13 cells, as MO-Gymnasium's four-room-v0 has them.
//
// Map, actions, features, end and limit (200 steps) are MO-Gymnasium's. A step goes to the next cell; into a wall or
// over the border it changes nothing. A shape is collected when its cell is entered, once per episode. Every episode
// starts bottom left; nothing is random. Reaching the goal ends the episode.
//
// Features: one of shape 1, 2 or 3 was collected. For the goal there are two forms: MO-Gymnasium has no feature for it
// and gives (1, 1, 1), so that it is worth w1 + w2 + w3, which may be negative (`goal=every`, the default). The older
// Keras program for successor features has a fourth feature, with weight 1 in every task (`goal=own`).
//
// Observation, always with a bit for every shape (1 = collected), the shapes counted column by column:
//   one_hot      169 cells (13 * row + column), 12 bits
//   rbf          as four_rooms: 100 basis functions at the centre of the cell in the unit square, 12 bits, 1
//   coordinates  row and column from the top left, 12 bits: MO-Gymnasium's own
#include "env/four_rooms_grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "env/kinds.h"
#include "env/optimum.h"
#include "env/rooms.h"

enum { START_ROW = SFNEC_GRID_SIZE - 1, START_COLUMN = 0 };

// X wall, 1 to 3 shapes, G goal, _ start
// clang-format off
static const char cells[SFNEC_GRID_SIZE][SFNEC_GRID_SIZE + 1] = {
    "1....2X.....G",
    "......X......",
    "......1......",
    ".............",
    "......X......",
    "2....3X......",
    "XX3.XXXXX.1XX",
    "......X2....3",
    "......X......",
    ".............",
    "......2......",
    "......X......",
    "_.....X3....1",
};
// clang-format on

static const int32_t moves[SFNEC_GRID_ACTIONS][2] = {{0, -1}, {-1, 0}, {0, 1}, {1, 0}}; // rows down, columns right
static const char *const action_names[] = {"left", "up", "right", "down"};
static const char *const feature_names[] = {"square", "triangle", "circle", "goal"};
static const sfnec_look_glyph glyphs[SFNEC_GRID_CLASSES] = {SFNEC_LOOK_SQUARE, SFNEC_LOOK_TRIANGLE, SFNEC_LOOK_CIRCLE};

// ---- options ----

static const char *const observation_names[] = {"one_hot", "rbf", "coordinates", NULL};
static const char *const goal_names[] = {"every", "own", NULL};

static const sfnec_option rows[] = {
    {.name = "observation",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sfnec_grid_options, observation),
     .choices = observation_names,
     .help = "how the position is shown: one float per cell, radial basis functions, or row and column"},
    {.name = "goal",
     .type = SFNEC_OPTION_CHOICE,
     .offset = offsetof(sfnec_grid_options, goal),
     .choices = goal_names,
     .help = "what the goal counts as: one of every shape (MO-Gymnasium), or a feature of its own with weight 1"},
    SFNEC_ENV_COMMON_ROWS(200),
    {.name = NULL},
};
static const sfnec_option_set option_set = {"four_rooms_grid", rows};

// floats before the bits
static const int32_t position_sizes[] = {SFNEC_GRID_CELLS, SFNEC_BASES_COUNT, 2};

static sfnec_env_shape shape(const void *options) {
  const sfnec_grid_options *o = options;
  const bool constant = o->observation == SFNEC_GRID_RBF;
  return (sfnec_env_shape){.observation_size = position_sizes[o->observation] + SFNEC_GRID_SHAPES + constant,
                           .action_count = SFNEC_GRID_ACTIONS,
                           .feature_count = SFNEC_GRID_CLASSES + (o->goal == SFNEC_GRID_GOAL_OWN)};
}

// ---- observation ----

// The centre of a cell in the unit square, y upwards as in the other room worlds.
static double centre_x(double column) {
  return (column + 0.5) / SFNEC_GRID_SIZE;
}

static double centre_y(double row) {
  return (SFNEC_GRID_SIZE - row - 0.5) / SFNEC_GRID_SIZE;
}

static void observe_position(const sfnec_grid_state *state, int form, float *observation) {
  switch (form) {
  case SFNEC_GRID_ONE_HOT:
    for (int32_t i = 0; i < SFNEC_GRID_CELLS; i++) observation[i] = 0;
    observation[state->row * SFNEC_GRID_SIZE + state->column] = 1;
    break;
  case SFNEC_GRID_RBF:
    sfnec_bases_write(centre_x(state->column), centre_y(state->row), observation);
    break;
  default:
    observation[0] = (float)state->row;
    observation[1] = (float)state->column;
  }
}

static void observe(const sfnec_grid_state *state, const sfnec_grid_options *options, float *observation) {
  observe_position(state, options->observation, observation);
  float *bits = observation + position_sizes[options->observation];
  for (int i = 0; i < SFNEC_GRID_SHAPES; i++) bits[i] = (float)(int32_t)(state->taken >> i & 1);
  if (options->observation == SFNEC_GRID_RBF) bits[SFNEC_GRID_SHAPES] = 1;
}

// ---- episodes ----

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)world;
  sfnec_grid_state *state = self;
  *state = (sfnec_grid_state){.row = START_ROW, .column = START_COLUMN};
  observe(state, options, observation);
}

static bool is_shape(char cell) {
  return cell >= '1' && cell <= '3';
}

// The number of the shape in a cell: how many come before it, column by column.
static int shape_number(int32_t row, int32_t column) {
  int number = 0;
  for (int32_t c = 0; c <= column; c++) {
    for (int32_t r = 0; r < (c < column ? SFNEC_GRID_SIZE : row); r++) number += is_shape(cells[r][c]);
  }
  return number;
}

// Goes to the next cell; whether there was one to go to.
static bool move(sfnec_grid_state *state, int32_t action) {
  const int32_t row = state->row + moves[action][0], column = state->column + moves[action][1];
  if (row < 0 || row >= SFNEC_GRID_SIZE || column < 0 || column >= SFNEC_GRID_SIZE) return false;
  if (cells[row][column] == 'X') return false;
  state->row = row;
  state->column = column;
  return true;
}

static void collect(sfnec_grid_state *state, double *features) {
  const char cell = cells[state->row][state->column];
  if (!is_shape(cell)) return;
  const uint32_t bit = UINT32_C(1) << shape_number(state->row, state->column);
  if (state->taken & bit) return;
  state->taken |= bit;
  features[cell - '1'] = 1;
}

static void count_goal(const sfnec_grid_options *options, double *features) {
  if (options->goal == SFNEC_GRID_GOAL_OWN) {
    features[SFNEC_GRID_CLASSES] = 1;
  } else {
    for (int i = 0; i < SFNEC_GRID_CLASSES; i++) features[i] = 1;
  }
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  (void)world;
  sfnec_grid_state *state = self;
  const int32_t feature_count = shape(options).feature_count;
  for (int32_t i = 0; i < feature_count; i++) features[i] = 0;
  if (move(state, action)) collect(state, features);
  const bool goal = cells[state->row][state->column] == 'G';
  if (goal) count_goal(options, features);
  observe(state, options, observation);
  return (sfnec_env_outcome){.terminated = goal, .truncated = false};
}

// Each shape's weight is uniform in [-1, 1]; a goal of its own has weight 1.
static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  const sfnec_grid_options *o = options;
  for (int i = 0; i < SFNEC_GRID_CLASSES; i++) w[i] = 2 * sfnec_random_uniform(tasks) - 1;
  if (o->goal == SFNEC_GRID_GOAL_OWN) w[SFNEC_GRID_CLASSES] = 1;
}

static bool check_state(const void *self, const void *options, const void *saved) {
  (void)self, (void)options;
  const sfnec_grid_state *state = saved;
  return state->row >= 0 && state->row < SFNEC_GRID_SIZE && state->column >= 0 && state->column < SFNEC_GRID_SIZE &&
         cells[state->row][state->column] != 'X' && state->taken >> SFNEC_GRID_SHAPES == 0;
}

// ---- how it looks ----

static void bounds(const void *options, float *low, float *high) {
  const int32_t size = shape(options).observation_size;
  for (int32_t i = 0; i < size; i++) {
    low[i] = 0;
    high[i] = 1;
  }
  if (((const sfnec_grid_options *)options)->observation == SFNEC_GRID_COORDINATES) {
    high[0] = high[1] = SFNEC_GRID_SIZE - 1;
  }
}

static void look_cell(int32_t row, int32_t column, sfnec_look *look) {
  const char cell = cells[row][column];
  const double x = centre_x(column), y = centre_y(row), half = 0.5 / SFNEC_GRID_SIZE;
  if (cell == 'X') {
    look->walls[look->wall_count++] = (sfnec_look_wall){x - half, x + half, y - half, y + half};
  } else if (cell == 'G') {
    look->goal_x = x;
    look->goal_y = y;
    look->goal_radius = half;
  } else if (is_shape(cell)) {
    look->objects[shape_number(row, column)] = (sfnec_look_object){x, y, cell - '1'};
    look->object_count++;
  }
}

static void look(const void *self, const void *options, sfnec_look *look) {
  (void)options;
  const sfnec_grid_state *state = self;
  look->cells = SFNEC_GRID_SIZE;
  look->x = centre_x(state->column);
  look->y = centre_y(state->row);
  look->taken = state->taken;
  look->class_count = SFNEC_GRID_CLASSES;
  for (int i = 0; i < SFNEC_GRID_CLASSES; i++) look->glyphs[i] = glyphs[i];
  for (int32_t row = 0; row < SFNEC_GRID_SIZE; row++) {
    for (int32_t column = 0; column < SFNEC_GRID_SIZE; column++) look_cell(row, column, look);
  }
}

// The number of the cell from 0 along an axis.
static int32_t cell_at(double along) {
  const int32_t cell = (int32_t)(along * SFNEC_GRID_SIZE);
  return cell < SFNEC_GRID_SIZE ? cell : SFNEC_GRID_SIZE - 1;
}

static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  sfnec_grid_state there = *(const sfnec_grid_state *)self;
  there.row = SFNEC_GRID_SIZE - 1 - cell_at(y);
  there.column = cell_at(x);
  if (cells[there.row][there.column] == 'X') return false;
  observe(&there, options, observation);
  return true;
}

static bool locate_cell(const float *hot, double *x, double *y) {
  int best = 0;
  for (int i = 1; i < SFNEC_GRID_CELLS; i++) best = hot[i] > hot[best] ? i : best;
  *x = centre_x(best % SFNEC_GRID_SIZE);
  *y = centre_y(best / SFNEC_GRID_SIZE);
  return hot[best] > 0;
}

static bool locate(const void *options, const float *observation, double *x, double *y) {
  const int form = ((const sfnec_grid_options *)options)->observation;
  if (form == SFNEC_GRID_RBF) return sfnec_bases_locate(observation, x, y);
  if (form == SFNEC_GRID_ONE_HOT) return locate_cell(observation, x, y);
  *x = centre_x((double)observation[1]);
  *y = centre_y((double)observation[0]);
  return true;
}

// ---- the optimum ----

static void fill_cell(int32_t row, int32_t column, sfnec_cell_graph *graph) {
  const int32_t cell = row * SFNEC_GRID_SIZE + column;
  sfnec_grid_state at = {.row = row, .column = column};
  for (int32_t action = 0; action < SFNEC_GRID_ACTIONS; action++) {
    sfnec_grid_state there = at;
    (void)move(&there, action);
    graph->next[cell * SFNEC_GRID_ACTIONS + action] = there.row * SFNEC_GRID_SIZE + there.column;
  }
  double features[SFNEC_GRID_CLASSES];
  collect(&at, features);
  graph->takes[cell] = at.taken;
  graph->goal[cell] = cells[row][column] == 'G';
  if (is_shape(cells[row][column])) graph->classes[shape_number(row, column)] = cells[row][column] - '1';
}

static sfnec_tours *find_tours(int64_t steps) {
  sfnec_cell_graph graph;
  if (!sfnec_cell_graph_open(&graph, SFNEC_GRID_CELLS, SFNEC_GRID_ACTIONS)) return NULL;
  graph.start = START_ROW * SFNEC_GRID_SIZE + START_COLUMN;
  graph.object_count = SFNEC_GRID_SHAPES;
  graph.class_count = SFNEC_GRID_CLASSES;
  for (int32_t row = 0; row < SFNEC_GRID_SIZE; row++) {
    for (int32_t column = 0; column < SFNEC_GRID_SIZE; column++) fill_cell(row, column, &graph);
  }
  sfnec_tours *tours = sfnec_tours_find(&graph, steps);
  sfnec_cell_graph_close(&graph);
  return tours;
}

static sfnec_status optimum(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                            double *value) {
  (void)self;
  const sfnec_grid_options *o = options;
  if (*memo && !sfnec_tours_hold(*memo, steps)) {
    free(*memo);
    *memo = NULL;
  }
  if (!*memo) *memo = find_tours(steps);
  if (!*memo) return sfnec_fail_memory("the optimum of an environment");
  const double goal = o->goal == SFNEC_GRID_GOAL_OWN ? w[SFNEC_GRID_CLASSES] : w[0] + w[1] + w[2];
  return sfnec_tours_best(*memo, w, goal, steps, o->common.max_episode_steps, value);
}

const sfnec_env_kind sfnec_env_four_rooms_grid = {
    .name = "four_rooms_grid",
    .help = "four rooms on a grid as in MO-Gymnasium's four-room-v0: three classes of shapes, a goal",
    .action_names = action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(sfnec_grid_options),
    .state_size = sizeof(sfnec_grid_state),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .check_state = check_state,
    .bounds = bounds,
    .look = look,
    .observe_at = observe_at,
    .locate = locate,
    .optimum = optimum,
};
