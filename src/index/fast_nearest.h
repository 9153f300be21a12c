// fast_nearest.h: the k nearest keys found so far: a heap with the worst on top, ordered by (distance, insertion).
#ifndef SFNEC_INDEX_FAST_NEAREST_H
#define SFNEC_INDEX_FAST_NEAREST_H

#include <stdbool.h>

#include "index/index.h"

typedef struct sfnec_nearest {
  const sfnec_index *index; // knows the insertion order
  sfnec_neighbour *heap;    // (most)
  uint32_t most, count;
} sfnec_nearest;

static inline bool sfnec_nearest_worse(const sfnec_nearest *n, sfnec_neighbour a, sfnec_neighbour b) {
  if (a.squared != b.squared) return a.squared > b.squared;
  return n->index->ops->order(n->index, a.slot) > n->index->ops->order(n->index, b.slot);
}

// puts an item in the place of the worst of the first `count`
static inline void sfnec_nearest_sift(const sfnec_nearest *n, uint32_t count, sfnec_neighbour item) {
  uint32_t i = 0;
  for (uint32_t child = 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && sfnec_nearest_worse(n, n->heap[child + 1], n->heap[child])) child++;
    if (!sfnec_nearest_worse(n, n->heap[child], item)) break;
    n->heap[i] = n->heap[child];
    i = child;
  }
  n->heap[i] = item;
}

// Takes an item in if it is among the nearest; true if the worst distance has changed.
static inline bool sfnec_nearest_offer(sfnec_nearest *n, sfnec_neighbour item) {
  if (n->count < n->most) {
    uint32_t i = n->count++;
    for (; i > 0 && sfnec_nearest_worse(n, item, n->heap[(i - 1) / 2]); i = (i - 1) / 2)
      n->heap[i] = n->heap[(i - 1) / 2];
    n->heap[i] = item;
    return n->count == n->most;
  }
  if (!sfnec_nearest_worse(n, n->heap[0], item)) return false;
  sfnec_nearest_sift(n, n->most, item);
  return true;
}

// Sorts the heap, nearest first.
static inline void sfnec_nearest_sort(sfnec_nearest *n) {
  for (uint32_t last = n->count; last-- > 1;) {
    const sfnec_neighbour item = n->heap[last];
    n->heap[last] = n->heap[0];
    sfnec_nearest_sift(n, last, item);
  }
}

#endif
