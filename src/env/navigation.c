// navigation.c: a robot that drives to a goal again and again, by a noisy pose.
//
// A room of 1 m by 1 m, y upwards, with a wall from the left side to beyond the middle. The robot starts below the
// wall at (0.2, 0.2); the goal lies above it around (0.2, 0.8). A move of 5 cm does not happen if the wall or the
// border is in the way. There are no episodes: at the goal the feature `goal` fires, and the robot stands at the start
// again. The shortest way takes 25 moves; on the grid of exact moves no position is near the border of goal or wall.
//
// Two noises, both Gaussian: `pose_noise` moves the robot with every step, also with a stop; `sensor_noise` is on the
// observation, the measured pose in metres. With the default noise no observation comes twice, and the length of a stop
// is noise alone. Features: goal, move, stop; the task pays for the goal and charges the other two.
#include <math.h>

#include "base/vector.h"
#include "env/kinds.h"

enum { NORTH, SOUTH, WEST, EAST, STOP, ACTIONS };
enum { GOAL, MOVE, STOPPED, FEATURES };
enum { START_FIXED, START_RANDOM };
enum { STOP_NOISE_ON, STOP_NOISE_OFF };

static const char *const action_names[] = {"north", "south", "west", "east", "stop"};
static const char *const feature_names[] = {"goal", "move", "stop"};
static const double directions[ACTIONS][2] = {{0, 1}, {0, -1}, {-1, 0}, {1, 0}, {0, 0}};

static const double start_x = 0.2, start_y = 0.2;
static const double goal_x = 0.2, goal_y = 0.8;
static const sfnec_look_wall wall = {.left = 0, .right = 0.58, .bottom = 0.48, .top = 0.52};

// ---- options ----

typedef struct navigation_options {
  sfnec_env_common common;
  double move_length;
  double pose_noise;
  double sensor_noise;
  int stop_noise;
  int start;
  double goal_radius;
  double goal_reward, move_cost, stop_cost;
} navigation_options;

static const char *const stop_noise_names[] = {"on", "off", NULL};
static const char *const start_names[] = {"fixed", "random", NULL};

// clang-format off
#define REAL(field, value, low, high, text)                                                                      \
  {.name = #field, .type = SFNEC_OPTION_REAL, .offset = offsetof(navigation_options, field), .initial = (value), \
   .least = (low), .most = (high), .help = (text)}
#define CHOICE(field, names, text)                                                                                \
  {.name = #field, .type = SFNEC_OPTION_CHOICE, .offset = offsetof(navigation_options, field), .choices = (names), \
   .help = (text)}
// clang-format on

static const sfnec_option rows[] = {
    REAL(move_length, 0.05, 0.001, 0.5, "length of a move, in metres"),
    REAL(pose_noise, 0.0025, 0, 1, "standard deviation of where a step ends, in metres"),
    REAL(sensor_noise, 0, 0, 1, "standard deviation of the measured pose, in metres"),
    CHOICE(stop_noise, stop_noise_names, "whether both noises are also there when the robot stops"),
    CHOICE(start, start_names, "where the robot stands after the goal: at (0.2, 0.2), or anywhere but in the goal"),
    REAL(goal_radius, 0.12, 0.01, 0.25, "radius of the goal around (0.2, 0.8), in metres"),
    REAL(goal_reward, 1, 0, 1e6, "weight of reaching the goal"),
    REAL(move_cost, 0, 0, 1e6, "cost of a move, also of one that the wall stops"),
    REAL(stop_cost, 0, 0, 1e6, "cost of a stop"),
    SFNEC_ENV_COMMON_ROWS(0),
    {.name = NULL},
};

static const sfnec_option_set option_set = {"navigation", rows};

// ---- the robot ----

typedef struct navigation_state {
  double x, y;                   // the pose
  double measured_x, measured_y; // what the sensor said last
} navigation_state;

static sfnec_env_shape shape(const void *options) {
  (void)options;
  return (sfnec_env_shape){.observation_size = 2, .action_count = ACTIONS, .feature_count = FEATURES};
}

static bool in_wall(double x, double y) {
  return x < wall.right && y > wall.bottom && y < wall.top;
}

static bool in_room(double x, double y) {
  return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

static bool in_goal(double x, double y, const navigation_options *options) {
  const double dx = x - goal_x, dy = y - goal_y;
  return dx * dx + dy * dy <= options->goal_radius * options->goal_radius;
}

// Whether the segment from the robot to (x, y) meets the wall: the part of it between the wall's top and bottom begins
// or ends left of the wall's end.
static bool meets_wall(const navigation_state *robot, double x, double y) {
  const bool rises = y > robot->y;
  const double low = rises ? robot->y : y, high = rises ? y : robot->y;
  if (high <= wall.bottom || low >= wall.top) return false;
  if (high == low) return x < wall.right;               // it is beside the wall's end already
  const double slope = (x - robot->x) / (y - robot->y); // of x over y
  const double from = low > wall.bottom ? low : wall.bottom, to = high < wall.top ? high : wall.top;
  return robot->x + slope * (from - robot->y) < wall.right || robot->x + slope * (to - robot->y) < wall.right;
}

static void measure(navigation_state *robot, const navigation_options *options, sfnec_random *world) {
  robot->measured_x = robot->x + options->sensor_noise * sfnec_random_normal(world);
  robot->measured_y = robot->y + options->sensor_noise * sfnec_random_normal(world);
}

static void observe(const navigation_state *robot, float *observation) {
  observation[0] = (float)robot->measured_x;
  observation[1] = (float)robot->measured_y;
}

static void move(navigation_state *robot, const navigation_options *options, int32_t action, sfnec_random *world) {
  const double noise = options->pose_noise;
  const double x = robot->x + directions[action][0] * options->move_length + noise * sfnec_random_normal(world);
  const double y = robot->y + directions[action][1] * options->move_length + noise * sfnec_random_normal(world);
  if (!in_room(x, y) || meets_wall(robot, x, y)) return;
  robot->x = x;
  robot->y = y;
}

static void put_at_start(navigation_state *robot, const navigation_options *options, sfnec_random *world) {
  robot->x = start_x;
  robot->y = start_y;
  if (options->start == START_RANDOM) {
    do {
      robot->x = sfnec_random_uniform(world);
      robot->y = sfnec_random_uniform(world);
    } while (in_wall(robot->x, robot->y) || in_goal(robot->x, robot->y, options));
  }
  measure(robot, options, world);
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  put_at_start(self, options, world);
  observe(self, observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  navigation_state *robot = self;
  const navigation_options *o = options;
  // a robot that stops without noise is where it was, and measures what it measured
  if (action != STOP || o->stop_noise == STOP_NOISE_ON) {
    move(robot, o, action, world);
    measure(robot, o, world);
  }
  features[GOAL] = in_goal(robot->x, robot->y, o);
  features[MOVE] = action != STOP;
  features[STOPPED] = action == STOP;
  if (features[GOAL] > 0) put_at_start(robot, o, world);
  observe(robot, observation);
  return (sfnec_env_outcome){.terminated = false, .truncated = false};
}

static void sample_task(const void *options, sfnec_random *tasks, double *w) {
  (void)tasks;
  const navigation_options *o = options;
  w[GOAL] = o->goal_reward;
  w[MOVE] = -o->move_cost;
  w[STOPPED] = -o->stop_cost;
}

static bool check_state(const void *self, const void *options, const void *saved) {
  (void)self, (void)options;
  const navigation_state *robot = saved;
  const double measured[] = {robot->measured_x, robot->measured_y};
  return in_room(robot->x, robot->y) && !in_wall(robot->x, robot->y) && sfnec_all_within_f64(measured, 2, 1e3);
}

// ---- how it looks: the room is the unit square ----

// A measurement may lie outside of the room.
static void bounds(const void *options, float *low, float *high) {
  const navigation_options *o = options;
  if (o->sensor_noise > 0) return;
  for (int i = 0; i < 2; i++) {
    low[i] = 0;
    high[i] = 1;
  }
}

static void look(const void *self, const void *options, sfnec_look *look) {
  const navigation_state *robot = self;
  look->x = robot->x;
  look->y = robot->y;
  look->goal_x = goal_x;
  look->goal_y = goal_y;
  look->goal_radius = ((const navigation_options *)options)->goal_radius;
  look->walls[look->wall_count++] = wall;
}

// What a sensor without noise would say.
static bool observe_at(const void *self, const void *options, double x, double y, float *observation) {
  (void)self, (void)options;
  if (in_wall(x, y)) return false;
  observation[0] = (float)x;
  observation[1] = (float)y;
  return true;
}

static bool locate(const void *options, const float *observation, double *x, double *y) {
  (void)options;
  *x = (double)observation[0];
  *y = (double)observation[1];
  return true;
}

const sfnec_env_kind sfnec_env_navigation = {
    .name = "navigation",
    .help = "a robot that drives to a goal again and again, with a noisy pose; no episodes, always the same task",
    .action_names = action_names,
    .feature_names = feature_names,
    .option_set = &option_set,
    .options_size = sizeof(navigation_options),
    .state_size = sizeof(navigation_state),
    .shape = shape,
    .reset = reset,
    .step = step,
    .sample_task = sample_task,
    .check_state = check_state,
    .bounds = bounds,
    .look = look,
    .observe_at = observe_at,
    .locate = locate,
};
