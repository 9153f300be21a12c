// search.c: how the fast index finds neighbours: by codes first, by keys where codes do not decide.
//
// A walk collects what may be among the k nearest; what its limit leaves at the end is compared key by key. A search
// that only matters if its neighbours' values reach a floor is pruned before that when the bounds say that they do not.
//
// Where the filter cannot help, the flat scan answers: few keys, many neighbours asked, keys so large that the bounds
// would overflow, and keys without structure, which a search recognises by its own cost.
#include <math.h>
#include <string.h>

#include "index/fast/fast.h"

enum {
  MARKS = 64,       // of the scales by which candidates are sorted and counted
  BATCH = 64,       // keys compared at once
  MOST_PAUSE = 255, // searches that the flat scan answers after the filter has proved too costly, at most
};

typedef sfnec_fast fast;
typedef sfnec_walk walk;

// ---- from candidates to neighbours ----

// Copies the candidates, sorted roughly by the distance of their codes.
static void sort_roughly(const walk *w, sfnec_neighbour *items) {
  const uint32_t *distances = w->scratch->lists.distances, *slots = w->scratch->lists.slots, count = w->count;
  uint32_t starts[MARKS + 1] = {0};
  const float scale = 0.9999f * MARKS / ((float)w->limit + 1.0f);
  for (uint32_t i = 0; i < count; i++) starts[(uint32_t)((float)distances[i] * scale) + 1]++;
  for (uint32_t m = 1; m < MARKS; m++) starts[m] += starts[m - 1];
  for (uint32_t i = 0; i < count; i++)
    items[starts[(uint32_t)((float)distances[i] * scale)]++] = (sfnec_neighbour){(float)distances[i], slots[i]};
}

// whether a comes after b
static bool after(const fast *f, sfnec_neighbour a, sfnec_neighbour b) {
  if (a.squared != b.squared) return a.squared > b.squared;
  return f->flat->ops->order(f->flat, a.slot) > f->flat->ops->order(f->flat, b.slot);
}

// takes more items, nearly in order already, into the sorted list of what was found; returns how many that is, k at
// most
static uint32_t settle(const fast *f, sfnec_neighbour *found, uint32_t count, uint32_t more, uint32_t k) {
  for (uint32_t i = count; i < count + more; i++) {
    const sfnec_neighbour item = found[i];
    uint32_t j = i < k ? i : k;
    if (j == k && !after(f, found[k - 1], item)) continue;
    for (j -= j == k; j > 0 && after(f, found[j - 1], item); j--) found[j] = found[j - 1];
    found[j] = item;
  }
  return count + more < k ? count + more : k;
}

static const float *key_of(const fast *f, uint32_t slot) {
  return f->flat->ops->key(f->flat, slot);
}

static void prefetch(const float *key, size_t size) {
  for (size_t i = 0; i < size; i += 16) __builtin_prefetch(key + i);
}

// puts the distances of the keys in the place of those of the codes; returns the greatest
static float compare_keys(const fast *f, const float *query, sfnec_neighbour *items, uint32_t count) {
  const size_t size = f->base.key_size;
  const float *keys = key_of(f, 0);
  float farthest = 0.0f;
  for (uint32_t from = 0; from < count; from += BATCH) {
    const uint32_t n = count - from < BATCH ? count - from : BATCH;
    uint32_t slots[BATCH];
    float squared[BATCH];
    for (uint32_t i = 0; i < n; i++) {
      slots[i] = items[from + i].slot;
      prefetch(keys + slots[i] * size, size);
    }
    f->base.simd->scattered_distances(query, keys, size, slots, n, size, squared);
    for (uint32_t i = 0; i < n; i++) {
      items[from + i].squared = squared[i];
      farthest = squared[i] > farthest ? squared[i] : farthest;
    }
  }
  return farthest;
}

// what a walk has collected goes to what was found, key by key
static void compare_candidates(walk *w, const float *query, uint32_t *found) {
  sfnec_neighbour *items = w->scratch->lists.found + *found;
  sort_roughly(w, items);

  // the k that are probably nearest show how far the others may be
  const uint32_t first = w->count < w->k ? w->count : w->k;
  const float farthest = compare_keys(w->f, query, items, first);
  if (first == w->k) {
    const uint32_t exact = sfnec_coder_limit(w->coder, farthest, w->error);
    if (exact < w->limit) w->limit = exact;
  }
  uint32_t all = first;
  for (uint32_t i = first; i < w->count; i++)
    if (items[i].squared <= (float)w->limit) items[all++] = items[i];
  compare_keys(w->f, query, items + first, all - first);
  *found = settle(w->f, w->scratch->lists.found, *found, all, w->k);
}

// ---- pruning ----
//
// The mean of the values x_i, weighted by distance, is below a floor if sum_i u_i (x_i - floor) is negative. Each
// candidate's distance lies in an interval, and so does its weight u_i. If even the heaviest weights of the values
// above the floor and the lightest of those below it leave the sum negative, then it is negative. Below the floor count
// only candidates that are certainly among the k nearest.

// a distance of codes that at most k of the candidates are below; the candidates are within the limit
static uint32_t rank_bound(const walk *w) {
  uint32_t counts[MARKS] = {0}, below = 0, mark = 0;
  const float scale = 0.9999f * MARKS / ((float)w->limit + 1.0f);
  for (uint32_t i = 0; i < w->count; i++) counts[(uint32_t)((float)w->scratch->lists.distances[i] * scale)]++;
  while (mark < MARKS && below + counts[mark] <= w->k) below += counts[mark++];
  if (mark == MARKS) return SFNEC_FARTHEST;
  return (uint32_t)(0.9999f * (float)mark / scale);
}

// whether the neighbours among a walk's candidates certainly stay below the floor; the tree holds all keys
static bool prunes(const walk *w, const sfnec_pruning *pruning) {
  const sfnec_search_lists *lists = &w->scratch->lists;
  const float *bounds = pruning->value_bounds;
  float most = -INFINITY;
  for (uint32_t i = 0; i < w->count; i++)
    most = bounds[lists->positions[i]] > most ? bounds[lists->positions[i]] : most;
  if (most < pruning->floor) return true;

  // a key that is certainly nearer than this is among the k nearest
  const uint32_t rank = rank_bound(w);
  const float certain = rank == SFNEC_FARTHEST ? INFINITY : sfnec_coder_lower(w->coder, rank, w->error);
  double above = 0.0, below = 0.0, floor = (double)pruning->floor;
  if (pruning->penalty > 0.0) {
    const double nearest = sqrt((double)sfnec_coder_lower(w->coder, w->least, w->error));
    floor += pruning->penalty * (nearest < 1.0 ? nearest : 1.0);
  }
  for (uint32_t i = 0; i < w->count; i++) {
    const double gap = (double)bounds[lists->positions[i]] - floor;
    if (!(gap < 0.0)) {
      above += gap * sfnec_weight(pruning->weighting, sfnec_coder_lower(w->coder, lists->distances[i], w->error));
      continue;
    }
    const float upper = sfnec_coder_upper(w->coder, (double)lists->uppers[i], w->error);
    if (upper < certain) below -= gap * sfnec_weight(pruning->weighting, upper);
  }
  // false if anything is not a number
  return above < below * (1 - 1e-9);
}

// ---- search ----

enum { DONE, PRUNED, TOO_COSTLY };

// looks through one tree and adds to what was found
static int search_tree(const fast *f, sfnec_index_scratch *scratch, uint32_t tree, const float *query, uint32_t k,
                       const sfnec_pruning *pruning, uint32_t *found) {
  walk w;
  if (!sfnec_walk_start(&w, f, scratch, tree, query, k)) return TOO_COSTLY;
  if (*found == k) w.limit = sfnec_coder_limit(w.coder, scratch->lists.found[k - 1].squared, w.error);
  if (!sfnec_walk_through(&w)) return TOO_COSTLY;
  if (pruning && prunes(&w, pruning)) return PRUNED;
  compare_candidates(&w, query, found);
  return DONE;
}

// the counters of an index
static sfnec_backoff *backoff_of(sfnec_index_scratch *scratch, const fast *f) {
  const uint64_t address = (uint64_t)(uintptr_t)f;
  return &scratch->backoffs[address * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (SFNEC_FAST_BACKOFFS - 1)];
}

// the more often in a row the filter has proved too costly, the longer the flat scan answers
static void back_off(sfnec_backoff *backoff) {
  backoff->pause = backoff->pause < MOST_PAUSE ? 2 * backoff->pause + 1 : MOST_PAUSE;
  backoff->left = backoff->pause;
}

// whether there is a filter for k neighbours
static bool usable(const fast *f, uint32_t k) {
  return f->coders[f->young] && f->missing == 0 && k > 0 && k <= f->base.count / SFNEC_FAST_FEWEST;
}

// searches by the trees
static int search_forest(const fast *f, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                         const sfnec_pruning *pruning, uint32_t *found) {
  if (!usable(f, k) || !sfnec_index_scratch_fit(scratch, f)) return TOO_COSTLY;
  sfnec_backoff *backoff = backoff_of(scratch, f);
  if (backoff->left > 0) {
    backoff->left--;
    return TOO_COSTLY;
  }
  for (uint32_t i = 0; i < f->stray_count; i++) scratch->lists.found[i].slot = f->strays[i];
  compare_keys(f, query, scratch->lists.found, f->stray_count);
  *found = settle(f, scratch->lists.found, 0, f->stray_count, k);
  // what only a part of the neighbours says proves nothing
  const bool parts = f->stray_count > 0 || (f->forest.trees[0].count > 0 && f->forest.trees[1].count > 0);
  for (uint32_t t = 0; t < SFNEC_TREES; t++) {
    if (f->forest.trees[t].count == 0) continue;
    const int end = search_tree(f, scratch, t, query, k, parts ? NULL : pruning, found);
    if (end == TOO_COSTLY) back_off(backoff);
    if (end != DONE) return end;
  }
  backoff->pause /= 2;
  return DONE;
}

uint32_t sfnec_fast_search(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                           sfnec_neighbour *out) {
  return sfnec_fast_search_pruned(index, scratch, query, k, NULL, out);
}

uint32_t sfnec_fast_search_pruned(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query,
                                  uint32_t k, const sfnec_pruning *pruning, sfnec_neighbour *out) {
  const fast *f = (const fast *)index;
  uint32_t found = 0;
  switch (search_forest(f, scratch, query, k, pruning, &found)) {
  case DONE:
    memcpy(out, scratch->lists.found, found * sizeof *out);
    return found;
  case PRUNED:
    return SFNEC_PRUNED;
  default:
    return f->flat->ops->search(f->flat, scratch, query, k, out);
  }
}
