// walker.h: a scripted walker in four_rooms, whose trajectories fill memories as a trained agent's would.
//
// Each task has objects of its own; in every episode the walker visits some of them in an order of its own and then the
// goal, finds its way through the doors, and takes 15 % of its steps at random.
#ifndef SFNEC_BENCH_WALKER_H
#define SFNEC_BENCH_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "env/rooms.h"
#include "sfnec/sfnec.h"

enum { WALKER_OBJECTS = 12, WALKER_KEY = 113, WALKER_FEATURES = 4, WALKER_ACTIONS = 4 };

typedef struct walker {
  sfnec_rooms_options options;
  sfnec_rooms_state state;
  sfnec_random world, choices;
  int32_t favourites[WALKER_OBJECTS]; // the task's objects
  uint32_t favourite_count;
  int32_t stops[WALKER_OBJECTS]; // the rest of this episode's tour, from the last to the next; then the goal
  uint32_t stop_count;
  uint32_t patience; // steps left to reach the next stop
  bool across_first; // which wall it crosses first on the way to the room diagonally opposite
} walker;

void walker_start(walker *w, uint64_t seed, uint32_t task);
// Starts an episode; writes the observation (WALKER_KEY).
void walker_reset(walker *w, float *observation);
// Chooses and takes one step; writes what followed. True if the episode is over.
bool walker_step(walker *w, int32_t *action, float *observation, double *features);

// A stretch of a walk: s_t, a_t, and the successor features that followed, sum_j gamma^j phi_{t+j} to the episode's
// end.
typedef struct walk {
  size_t count;
  float *observations; // (count, WALKER_KEY)
  int32_t *actions;    // (count)
  double *psi;         // (count, WALKER_FEATURES)
} walk;

// Records a walk of so many steps, into an empty one or the space of an earlier one of the same length.
void walk_record(walk *out, walker *w, size_t count, double gamma);
void walk_free(walk *w);

#endif
