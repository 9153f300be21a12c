// search.c: how the fast index finds neighbours: by codes first, by keys where codes do not decide.
//
// A walk collects what may be among the k nearest; what its limit leaves at the end is compared key by key. A search
// that only matters if the neighbours are worth something ends before that when their scores say that they are not.
//
// Where the filter cannot help, the flat scan answers: few keys, many neighbours asked, keys so large that the bounds
// would overflow, and keys without structure, which a search recognises by its own cost.
#include <string.h>

#include "index/fast/walk.h"

enum {
  MARKS = 64,      // of the scale by which candidates are sorted
  BATCH = 64,      // keys compared at once
  MOST_REST = 255, // searches that the flat scan answers after the filter has proved too costly, at most
};

typedef sfnec_fast fast;
typedef sfnec_walk walk;

// ---- from candidates to neighbours ----

// Copies the candidates, sorted roughly by the distance of their codes.
static void sort_roughly(const walk *w, sfnec_neighbour *items) {
  const uint32_t *distances = w->f->family->distances, *slots = w->f->family->slots, count = w->count;
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
  sfnec_neighbour *items = w->f->family->found + *found;
  sort_roughly(w, items);

  // the k that are probably nearest show how far the others may be
  const uint32_t first = w->count < w->k ? w->count : w->k;
  const float farthest = compare_keys(w->f, query, items, first);
  if (first == w->k) {
    const uint32_t exact = sfnec_coder_limit(w->coder, farthest, w->blur);
    if (exact < w->limit) w->limit = exact;
  }
  uint32_t all = first;
  for (uint32_t i = first; i < w->count; i++)
    if (items[i].squared <= (float)w->limit) items[all++] = items[i];
  compare_keys(w->f, query, items + first, all - first);
  *found = settle(w->f, w->f->family->found, *found, all, w->k);
}

// ---- search ----

enum { DONE, BELOW, TOO_COSTLY };

// looks through one tree and adds to what was found
static int search_tree(const fast *f, uint32_t tree, const float *query, uint32_t k, const sfnec_worth *worth,
                       uint32_t *found) {
  walk w;
  if (!sfnec_walk_start(&w, f, tree, query, k)) return TOO_COSTLY;
  if (*found == k) w.limit = sfnec_coder_limit(w.coder, f->family->found[k - 1].squared, w.blur);
  if (!sfnec_walk_through(&w)) return TOO_COSTLY;
  if (worth && sfnec_walk_worthless(&w, worth)) return BELOW;
  compare_candidates(&w, query, found);
  return DONE;
}

// the more often in a row the filter has proved too costly, the longer it rests
static void rest(const fast *f) {
  f->rest->pause = f->rest->pause < MOST_REST ? 2 * f->rest->pause + 1 : MOST_REST;
  f->rest->left = f->rest->pause;
}

bool sfnec_fast_usable(const sfnec_fast *f, uint32_t k) {
  return f->coders[f->young] && f->missing == 0 && k > 0 && k <= f->base.count / SFNEC_FAST_FEWEST;
}

// searches by the trees
static int search_forest(const fast *f, const float *query, uint32_t k, const sfnec_worth *worth, uint32_t *found) {
  if (!sfnec_fast_usable(f, k)) return TOO_COSTLY;
  if (f->rest->left > 0) {
    f->rest->left--;
    return TOO_COSTLY;
  }
  for (uint32_t i = 0; i < f->stray_count; i++) f->family->found[i].slot = f->strays[i];
  compare_keys(f, query, f->family->found, f->stray_count);
  *found = settle(f, f->family->found, 0, f->stray_count, k);
  // what only a part of the neighbours says proves nothing
  const bool parts = f->stray_count > 0 || (f->forest.trees[0].count > 0 && f->forest.trees[1].count > 0);
  for (uint32_t t = 0; t < SFNEC_TREES; t++) {
    if (f->forest.trees[t].count == 0) continue;
    const int end = search_tree(f, t, query, k, parts ? NULL : worth, found);
    if (end == TOO_COSTLY) rest(f);
    if (end != DONE) return end;
  }
  f->rest->pause /= 2;
  return DONE;
}

uint32_t sfnec_fast_search(const sfnec_index *index, const float *query, uint32_t k, sfnec_neighbour *out) {
  return sfnec_fast_search_worth(index, query, k, NULL, out);
}

uint32_t sfnec_fast_search_worth(const sfnec_index *index, const float *query, uint32_t k, const sfnec_worth *worth,
                                 sfnec_neighbour *out) {
  const fast *f = (const fast *)index;
  uint32_t found = 0;
  switch (search_forest(f, query, k, worth, &found)) {
  case DONE:
    memcpy(out, f->family->found, found * sizeof *out);
    return found;
  case BELOW:
    return SFNEC_WORTHLESS;
  default:
    return f->flat->ops->search(f->flat, query, k, out);
  }
}
