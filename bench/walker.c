// walker.c: the scripted walker; see walker.h.
#include "walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "env/kinds.h"

enum { PATIENCE = 120 };

static const double randomness = 0.15;
static const double middle = 0.5, band = 0.03;                  // the walls' lines, and how near counts as in a doorway
static const double low_door = 4.0 / 21, high_door = 17.0 / 21; // door centres along each wall
static const double aligned = 0.06;                             // near enough to a door's centre to go through
static const double goal[2] = {0.86, 0.86};

// cells of the objects, as in the paper's figure
static const int cells[WALKER_OBJECTS][2] = {{9, 11},  {3, 10}, {20, 9}, {11, 0}, {0, 20}, {10, 16},
                                             {16, 10}, {20, 0}, {9, 20}, {0, 11}, {11, 9}, {10, 4}};

void walker_start(walker *w, uint64_t seed, uint32_t task) {
  *w = (walker){.world = sfnec_random_start(seed, 1000 + 2 * (uint64_t)task),
                .choices = sfnec_random_start(seed, 1001 + 2 * (uint64_t)task)};
  sfnec_options_default(sfnec_env_four_rooms.option_set, &w->options);
  bench_check(sfnec_env_four_rooms.init(&w->state, &w->options));

  // two to eight objects, drawn without repetition
  w->favourite_count = 2 + sfnec_random_below(&w->choices, 7);
  for (int32_t i = 0; i < WALKER_OBJECTS; i++) w->favourites[i] = i;
  for (uint32_t i = 0; i < w->favourite_count; i++) {
    const uint32_t j = i + sfnec_random_below(&w->choices, WALKER_OBJECTS - i);
    const int32_t drawn = w->favourites[j];
    w->favourites[j] = w->favourites[i];
    w->favourites[i] = drawn;
  }
}

static void next_leg(walker *w) {
  w->patience = PATIENCE;
  w->across_first = sfnec_random_below(&w->choices, 2);
}

void walker_reset(walker *w, float *observation) {
  sfnec_env_four_rooms.reset(&w->state, &w->options, &w->world, observation);
  // each favourite is in three of four tours, at a place of its own
  w->stop_count = 0;
  for (uint32_t i = 0; i < w->favourite_count; i++) {
    if (sfnec_random_below(&w->choices, 4) == 0) continue;
    const uint32_t place = sfnec_random_below(&w->choices, w->stop_count + 1);
    w->stops[w->stop_count++] = w->stops[place];
    w->stops[place] = w->favourites[i];
  }
  next_leg(w);
}

// Where the tour goes next: drops what was taken, and what takes too long.
static void target_of(walker *w, double target[2]) {
  while (w->stop_count > 0) {
    const int32_t stop = w->stops[w->stop_count - 1];
    const bool taken = w->state.taken >> stop & 1;
    if (!taken && w->patience > 0) {
      target[0] = (cells[stop][0] + 0.5) / 21;
      target[1] = (cells[stop][1] + 0.5) / 21;
      w->patience--;
      return;
    }
    w->stop_count--;
    next_leg(w);
  }
  memcpy(target, goal, sizeof goal);
}

static int32_t along(int axis, double gap) {
  if (axis == 0) return gap > 0 ? SFNEC_ROOMS_RIGHT : SFNEC_ROOMS_LEFT;
  return gap > 0 ? SFNEC_ROOMS_UP : SFNEC_ROOMS_DOWN;
}

// The action towards a point: through the doors' way-points into its room, then along the longer side.
static int32_t head_for(const walker *w, const double target[2]) {
  const double at[2] = {w->state.x, w->state.y};
  bool apart[2]; // the wall x = 1/2, or y = 1/2, lies between
  for (int axis = 0; axis < 2; axis++) {
    const bool doorway = fabs(target[axis] - middle) < band || fabs(at[axis] - middle) < band;
    apart[axis] = !doorway && (at[axis] > middle) != (target[axis] > middle);
  }
  // in a doorway, first leave it on the side of the target
  for (int axis = 0; axis < 2; axis++) {
    if (fabs(at[axis] - middle) < band && fabs(target[axis] - middle) >= band) {
      return along(axis, target[axis] - at[axis]);
    }
  }
  if (apart[0] || apart[1]) {
    const int cross = apart[0] && apart[1] ? !w->across_first : !apart[0];
    const int other = 1 - cross;
    const double door = at[other] > middle ? high_door : low_door;
    if (fabs(at[other] - door) > aligned) return along(other, door - at[other]);
    return along(cross, target[cross] - at[cross]);
  }
  // a target in a doorway is met along its wall's normal, at the door's own height
  for (int axis = 0; axis < 2; axis++) {
    const double gap = target[1 - axis] - at[1 - axis];
    if (fabs(target[axis] - middle) < band && fabs(gap) > aligned / 2) return along(1 - axis, gap);
  }
  const double gap[2] = {target[0] - at[0], target[1] - at[1]};
  const int axis = fabs(gap[0]) < fabs(gap[1]);
  return along(axis, gap[axis]);
}

bool walker_step(walker *w, int32_t *action, float *observation, double *features) {
  double target[2];
  target_of(w, target);
  *action = head_for(w, target);
  if (sfnec_random_uniform(&w->choices) < randomness) {
    *action = (int32_t)sfnec_random_below(&w->choices, WALKER_ACTIONS);
  }
  return sfnec_env_four_rooms.step(&w->state, &w->options, *action, &w->world, observation, features).terminated;
}

void walk_record(walk *out, walker *w, size_t count, double gamma) {
  if (!out->observations) {
    out->count = count;
    out->observations = bench_alloc(count, WALKER_KEY * sizeof(float));
    out->actions = bench_alloc(count, sizeof(int32_t));
    out->psi = bench_alloc(count, WALKER_FEATURES * sizeof(double));
  }
  if (out->count != count) bench_die("a walk was recorded into the space of a shorter or longer one");
  bool *last = bench_alloc(count, sizeof *last);
  float following[WALKER_KEY];
  walker_reset(w, following);
  for (size_t t = 0; t < count; t++) {
    memcpy(out->observations + t * WALKER_KEY, following, sizeof following);
    last[t] = walker_step(w, &out->actions[t], following, out->psi + t * WALKER_FEATURES);
    if (last[t]) walker_reset(w, following);
  }
  // phi becomes psi, backwards
  for (size_t t = count - 1; t-- > 0;) {
    if (last[t]) continue;
    double *psi = out->psi + t * WALKER_FEATURES;
    for (size_t f = 0; f < WALKER_FEATURES; f++) psi[f] += gamma * psi[WALKER_FEATURES + f];
  }
  free(last);
}

void walk_free(walk *w) {
  free(w->observations);
  free(w->actions);
  free(w->psi);
  *w = (walk){0};
}
