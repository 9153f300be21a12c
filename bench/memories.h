// memories.h: libraries of policies filled from the walker's trajectories, as the memory benchmark searches them.
#ifndef SFNEC_BENCH_MEMORIES_H
#define SFNEC_BENCH_MEMORIES_H

#include "agent/gpi.h"
#include "agent/policies.h"
#include "walker.h"

// Policies and a frame to ask them by.
typedef struct memories {
  sfnec_simd simd; // a copy of the best level, so that its calls can be counted
  sfnec_psi_scratch scratch;
  sfnec_policies policies;
  sfnec_frame frame;
  double w[WALKER_FEATURES]; // the weights to choose by
  uint64_t stamp;            // names them
  int32_t likely;            // the policy chosen last
} memories;

// No policies yet, of this index and this way of GPI (by their option names).
void memories_init(memories *m, const char *index, const char *gpi);
void memories_free(memories *m);

// Adds the policy of one more task: its walk's observations and psi, one memory per action. The one before is frozen.
void memories_add(memories *m, const walk *w);

int64_t memories_entries(const memories *m);
size_t memories_bytes(const memories *m);
// The memory number i of all, task by task and action by action.
const sfnec_memory *memories_at(const memories *m, uint32_t i);

// All neighbour lists of a key: (memories, k) neighbours and (memories) counts.
void memories_lists(memories *m, const float *key, sfnec_neighbour *neighbours, uint32_t *counts);
// Sets the weights that choices are made by, as when a new task begins.
void memories_set_weights(memories *m, const double *w);
// The greedy choice in a state under these weights, the last task being the active one.
sfnec_choice memories_choose(memories *m, const float *key, sfnec_random *ties);

// Counts the full distances that the library computes from now on, or stops counting; returns the count so far.
int64_t memories_count_distances(memories *m, int on);

#endif
