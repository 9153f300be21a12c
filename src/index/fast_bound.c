// fast_bound.c: what the fast index can say about the scores of the k nearest keys without finding them.
//
// The greatest score: no key outside of the walk's limit is among the k nearest, and parts of the tree in which no
// score reaches the floor need not be looked at.
//
// The mean of the scores, weighted by distance: each candidate's distance lies in an interval, and so does its weight.
// If even the heaviest weights of the scores above the floor and the lightest of those below it leave the mean below
// the floor, then it is below. Only candidates that are certainly among the k nearest count below the floor.
#include <math.h>

#include "index/fast_walk.h"

enum {
  POINTS = SFNEC_KERNEL_POINTS,
  MARKS = 64,      // of the scale on which candidates are counted
  FEW_LEAVES = 3,  // leaves that a bound looks at first
  MORE_LEAVES = 9, // and those it looks at then
};

typedef sfnec_fast fast;
typedef sfnec_walk walk;

// ---- the greatest score ----

static float distance_to(const fast *f, const float *query, uint32_t slot) {
  const size_t size = f->base.key_size;
  float squared;
  f->base.kernel->squared_distances(query, f->flat->ops->key(f->flat, slot), size, 1, size, &squared);
  return squared;
}

// The greatest score, from the floor on, among the keys of a tree that are within the limit: as far as codes say, or,
// if a query is given, keys.
static float greatest_within(const walk *w, float floor, const float *query) {
  const sfnec_forest *forest = &w->f->forest;
  float most = -INFINITY;
  // a walk of its own, which does not disturb the one from near to far
  for (uint32_t waiting = sfnec_forest_start_above(forest, w->tree);;) {
    const sfnec_tree_leaf *leaf = sfnec_forest_next_above(forest, w->probe, w->limit, floor, &waiting);
    if (!leaf) return most;
    uint32_t distances[POINTS];
    for (uint32_t bits = sfnec_walk_look(w, leaf, distances); bits; bits &= bits - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(bits);
      if (leaf->scores[i] < floor || leaf->scores[i] <= most) continue;
      if (!query || distance_to(w->f, query, leaf->slots[i]) <= w->reach) most = leaf->scores[i];
    }
    // without a query one is enough
    if (!query && most > -INFINITY) return most;
    if (most > floor) floor = most;
  }
}

// the ceiling of one tree; lowers `least` to a bound of its keys' squared distances
static float tree_ceiling(const fast *f, uint32_t tree, const float *query, uint32_t k, float floor, float *least) {
  walk w;
  if (!sfnec_walk_start(&w, f, tree, query, k) || !sfnec_walk_on(&w, FEW_LEAVES)) {
    *least = 0.0f;
    return INFINITY;
  }
  const uint32_t next = sfnec_forest_bound(&f->forest, w.waiting);
  const float lower = sfnec_coder_lower(w.coder, next < w.least ? next : w.least, w.blur);
  if (lower < *least) *least = lower;
  // most trees are ruled out here; the others get a second, closer look
  if (greatest_within(&w, floor, NULL) < floor) return -INFINITY;
  if (!sfnec_walk_on(&w, MORE_LEAVES)) return INFINITY;
  return greatest_within(&w, floor, query);
}

float sfnec_fast_ceiling(const sfnec_index *index, const float *query, uint32_t k, float floor, float *nearest) {
  const fast *f = (const fast *)index;
  if (nearest) *nearest = 0.0f;
  if (index->count == 0 || k == 0) return -INFINITY;
  if (!sfnec_fast_usable(f, k) || f->stray_count > 0 || f->rest->left > 0) return INFINITY;

  // each tree by itself: its k nearest hold all of the k nearest that are in it
  float most = -INFINITY, least = INFINITY;
  for (uint32_t t = 0; t < SFNEC_TREES; t++) {
    if (f->forest.trees[t].count == 0) continue;
    float score = sfnec_forest_greatest(&f->forest, t);
    // a tree that is out by its greatest score alone need not be walked, unless it is to say how near it is
    if (!(score < floor) || nearest) {
      const float closer = tree_ceiling(f, t, query, k, floor, &least);
      score = closer < score ? closer : score;
    }
    most = score > most ? score : most;
  }
  if (nearest) *nearest = least < INFINITY ? least : 0.0f;
  return most;
}

// ---- the weighted mean ----

bool sfnec_fast_below_soon(sfnec_walk *w, const sfnec_worth *worth) {
  if (sfnec_forest_greatest(&w->f->forest, w->tree) < worth->floor) return true;
  if (!sfnec_walk_on(w, FEW_LEAVES)) return false;
  return greatest_within(w, worth->floor, NULL) < worth->floor;
}

// A distance of codes that at most k of the candidates are below; the candidates are within the limit.
static uint32_t rank_bound(const walk *w) {
  uint32_t counts[MARKS] = {0}, below = 0, mark = 0;
  const float scale = 0.9999f * MARKS / ((float)w->limit + 1.0f);
  for (uint32_t i = 0; i < w->count; i++) counts[(uint32_t)((float)w->f->family->distances[i] * scale)]++;
  while (mark < MARKS && below + counts[mark] <= w->k) below += counts[mark++];
  if (mark == MARKS) return SFNEC_FARTHEST;
  return (uint32_t)(0.9999f * (float)mark / scale);
}

bool sfnec_fast_below(sfnec_walk *w, const sfnec_worth *worth) {
  const sfnec_index_family *lists = w->f->family;
  // a key that is certainly nearer than this is among the k nearest
  const uint32_t rank = rank_bound(w);
  const float certain = rank == SFNEC_FARTHEST ? INFINITY : sfnec_coder_lower(w->coder, rank, w->blur);
  double above = 0.0, below = 0.0;
  for (uint32_t i = 0; i < w->count; i++) {
    const double gap = (double)lists->scores[i] - (double)worth->floor;
    if (!(gap < 0.0)) {
      above += gap * worth->weight(worth->context, sfnec_coder_lower(w->coder, lists->distances[i], w->blur));
      continue;
    }
    const float upper = sfnec_coder_upper(w->coder, (double)lists->uppers[i], w->blur);
    if (upper < certain) below -= gap * worth->weight(worth->context, upper);
  }
  // false if anything is not a number
  return above < below * (1 - 1e-9);
}
