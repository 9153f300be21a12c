// optimum.h: the most that can be earned in so many steps of a world of cells, objects and a goal in which nothing is
// random.
//
// A task is episodes one after the other, and the last may be cut off. What an episode earns follows from how many
// objects of each class it picks up and from how it ends; how long it takes at least is found once per world by a
// breadth-first search over cells x sets of objects. The best return under any weights is then the best way to fill
// the task's steps with such episodes, which is exact (tests/env/test_optimum.c).
#ifndef SFNEC_ENV_OPTIMUM_H
#define SFNEC_ENV_OPTIMUM_H

#include "sfnec/env.h"

// A world without chance.
typedef struct sfnec_cell_graph {
  int32_t count, start; // cells
  int32_t action_count;
  int32_t *next;        // (count, action_count) where an action leads
  uint32_t *takes;      // (count) bit i: a step that ends there picks up object i, if it is not taken yet
  bool *goal;           // (count) a step that ends there ends the episode
  int32_t object_count; // at most 32
  int32_t class_count;  // at most SFNEC_LOOK_MOST_CLASSES
  int32_t classes[32];  // (object_count) from 0
} sfnec_cell_graph;

// Room for so many cells, all arrays zero; false without memory.
bool sfnec_cell_graph_open(sfnec_cell_graph *graph, int32_t count, int32_t action_count);
void sfnec_cell_graph_close(sfnec_cell_graph *graph);
// Whether a world of so many cells and objects is small enough to be searched: some 10 million states.
bool sfnec_cell_graph_fits(double count, int32_t object_count);

// The fewest steps for every number of objects of each class. One block, which free() frees.
typedef struct sfnec_tours sfnec_tours;

// Those of at most so many steps: a short task needs only a part of the search. NULL without memory.
sfnec_tours *sfnec_tours_find(const sfnec_cell_graph *graph, int64_t steps);
// Whether they are known for tasks of so many steps.
bool sfnec_tours_hold(const sfnec_tours *tours, int64_t steps);

// The best return of `steps` transitions (0 or more), if an object of class i is worth rewards[i], the goal `goal`, and
// episodes are cut off after `cut` steps (0 = never). NaN if it would take too long to find out, as it does of episodes
// that are cut off after tens of thousands of steps in a task of millions. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_tours_best(const sfnec_tours *tours, const double *rewards, double goal, int64_t steps, int64_t cut,
                              double *value);

#endif
