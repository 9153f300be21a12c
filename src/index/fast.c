// fast.c: the fast index: a filter in front of the flat scan's keys, with exactly its answers.
//
// The keys live in a flat index. Beside it a tree holds a short code of each key (fast_code.h, fast_tree.h). A search
// visits the tree's leaves from near to far, skips every code that is too far for its key to be among the k nearest,
// and asks the kernel for the distances of the others. It ends when the next box is too far away.
//
// The directions behind the codes are learned from a sample: first at 256 keys, then each time as many keys were
// inserted as there were. The new codes go to a second tree, a few entries with each insertion, so that no insertion
// takes long; until the first tree has run empty a search looks in both.
//
// Where the filter cannot help, the flat scan answers: few keys, many neighbours asked, keys so large that the bounds
// would overflow, and keys without structure, which a search recognises by its own cost.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "index/fast_nearest.h"
#include "index/fast_tree.h"
#include "index/index.h"

enum {
  FIRST_FIT = 256, // keys at which the filter begins
  SAMPLE = 512,    // keys that a fit looks at, at most
  MOVES = 32,      // entries that go to the new tree with each insertion
  FEWEST = 8,      // the filter is used if there are that many keys for each neighbour asked for
  PREFETCHED = 64, // keys fetched ahead
  MOST_REST = 255, // searches that the flat scan answers after the filter has proved too costly, at most
};

typedef struct scratch {
  uint32_t rest;               // searches to go until the filter is tried again
  uint32_t pause;              // how many those were at first
  sfnec_neighbour *candidates; // (slots), with bounds for distances
  float *uppers;               // (slots / FEWEST)
} scratch;

typedef struct fast {
  sfnec_index base;
  sfnec_index *flat; // keys, slots and orders
  sfnec_forest forest;
  sfnec_coder coders[SFNEC_TREES];
  double reach[SFNEC_TREES]; // the greatest of the tree's codes
  uint32_t young;            // the tree that takes new codes
  bool fitted;
  bool *held; // (forest.slots): slots that hold a key
  uint32_t held_size;
  uint32_t used;      // slots ever used
  uint32_t outside;   // keys too large for a code
  uint32_t moved;     // slots below this one have been moved to the young tree
  uint32_t fit_after; // insertions until the next fit
  scratch *scratch;   // the one thing that a search changes
} fast;

// ---- learning codes and moving entries ----

// gives a key its place in the young tree; room was reserved
static void add_code(fast *f, uint32_t slot) {
  float code[SFNEC_CODE_SIZE];
  if (!sfnec_coder_encode(&f->coders[f->young], f->flat->ops->key(f->flat, slot), code)) {
    f->outside++;
    return;
  }
  const double reach = sfnec_code_reach(code);
  if (reach > f->reach[f->young]) f->reach[f->young] = reach;
  sfnec_forest_insert(&f->forest, f->young, code, slot);
}

static void drop_code(fast *f, uint32_t slot) {
  if (sfnec_forest_tree_of(&f->forest, slot) == SFNEC_NOWHERE) f->outside--;
  else sfnec_forest_remove(&f->forest, slot);
}

// moves some of the old tree's entries to the young one; what there is no room for waits
static void move_some(fast *f, uint32_t most) {
  for (; f->moved < f->used && most > 0; f->moved++) {
    if (!f->held[f->moved] || sfnec_forest_tree_of(&f->forest, f->moved) == f->young) continue;
    if (!sfnec_forest_reserve(&f->forest, f->used)) return;
    drop_code(f, f->moved);
    add_code(f, f->moved);
    most--;
  }
}

static bool moderate(const float *key, size_t size) {
  bool is = true;
  for (size_t c = 0; c < size; c++) is &= fabsf(key[c]) <= 1e15f;
  return is;
}

// copies keys spread over all slots; returns how many
static size_t draw_sample(const fast *f, float *sample, size_t padded) {
  const size_t size = f->base.key_size, most = f->base.count < SAMPLE ? f->base.count : SAMPLE;
  const double stride = (double)f->used / (double)most;
  size_t count = 0;
  for (size_t i = 0; i < most; i++) {
    const uint32_t slot = (uint32_t)(stride * (double)i);
    if (!f->held[slot]) continue;
    const float *key = f->flat->ops->key(f->flat, slot);
    if (!moderate(key, size)) continue;
    memcpy(sample + count * padded, key, size * sizeof *key);
    memset(sample + count * padded + size, 0, (padded - size) * sizeof *key);
    count++;
  }
  return count;
}

// learns new directions for the empty tree; false if that is not possible now
static bool fit(fast *f) {
  const uint32_t next = f->fitted ? 1 - f->young : f->young;
  sfnec_coder *coder = &f->coders[next];
  sfnec_coder_free(coder);
  if (!sfnec_coder_init(coder, f->base.kernel, f->base.key_size)) return false;
  float *sample = malloc(SAMPLE * coder->padded * sizeof *sample);
  if (!sample) return false;
  const size_t count = draw_sample(f, sample, coder->padded);
  const bool done =
      count >= FIRST_FIT / 2 && sfnec_coder_fit(coder, sample, count, f->fitted ? &f->coders[f->young] : NULL);
  free(sample);
  if (!done) return false;
  f->young = next;
  f->reach[next] = 0.0;
  return true;
}

// after an insertion: goes on moving, or learns if it is time to
static void keep_up(fast *f) {
  if (f->fit_after > 0) f->fit_after--;
  if (f->fitted) move_some(f, MOVES);
  if (f->fit_after > 0 || (f->fitted && f->moved < f->used)) return;
  f->fit_after = f->base.count;
  if (!fit(f)) return;
  f->moved = 0;
  if (f->fitted) return;
  // the first time, no tree holds the keys yet: all go in at once
  f->fitted = true;
  f->outside = f->base.count;
  move_some(f, UINT32_MAX);
}

// ---- keys in and out ----

static bool reserve(fast *f) {
  if (!sfnec_forest_reserve(&f->forest, f->used + 1)) return false;
  if (f->held_size == f->forest.slots) return true;
  bool *held = realloc(f->held, f->forest.slots * sizeof *held);
  if (!held) return false;
  f->held = held;
  sfnec_neighbour *candidates = realloc(f->scratch->candidates, f->forest.slots * sizeof *candidates);
  if (!candidates) return false;
  f->scratch->candidates = candidates;
  float *uppers = realloc(f->scratch->uppers, (f->forest.slots / FEWEST + 1) * sizeof *uppers);
  if (!uppers) return false;
  f->scratch->uppers = uppers;
  memset(held + f->held_size, 0, (f->forest.slots - f->held_size) * sizeof *held);
  f->held_size = f->forest.slots;
  return true;
}

static sfnec_status insert(sfnec_index *index, const float *key, uint32_t *slot) {
  fast *f = (fast *)index;
  if (!reserve(f)) return sfnec_fail_memory("the codes of a memory");
  const sfnec_status status = f->flat->ops->insert(f->flat, key, slot);
  if (status) return status;
  index->count++;
  f->held[*slot] = true;
  if (*slot >= f->used) f->used = *slot + 1;
  if (f->fitted) add_code(f, *slot);
  keep_up(f);
  return SFNEC_OK;
}

static void remove_slot(sfnec_index *index, uint32_t slot) {
  fast *f = (fast *)index;
  if (f->fitted) drop_code(f, slot);
  f->flat->ops->remove(f->flat, slot);
  f->held[slot] = false;
  index->count--;
}

// ---- search ----

// keeps the k least numbers offered, the greatest on top
static void offer_upper(float *heap, uint32_t *count, uint32_t k, float x) {
  uint32_t i;
  if (*count < k) {
    for (i = (*count)++; i > 0 && heap[(i - 1) / 2] < x; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
    return;
  }
  if (x >= heap[0]) return;
  i = 0;
  for (uint32_t child = 1; child < k; child = 2 * i + 1) {
    if (child + 1 < k && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= x) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = x;
}

// puts an item at or below a place of a heap with the least bound on top
static void sift_candidate(sfnec_neighbour *heap, uint32_t count, uint32_t i, sfnec_neighbour item) {
  for (uint32_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && heap[child + 1].squared < heap[child].squared) child++;
    if (heap[child].squared >= item.squared) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

static void prefetch(const float *key, size_t size) {
  for (size_t i = 0; i < size; i += 16) __builtin_prefetch(key + i);
}

// Walks one tree and collects the keys that may be among the k nearest. No key is touched: the k least upper bounds say
// how far the k-th nearest can be. False if that costs more than it can save.
static bool collect(const fast *f, uint32_t tree, const float *code, double reach, uint32_t k, float *limit,
                    uint32_t *collected) {
  scratch *s = f->scratch;
  const sfnec_coder *coder = &f->coders[tree];
  const float rest = 4.0f * code[SFNEC_CODE_DIRECTIONS];
  // in numbers read: a code costs 16, a candidate about as much as 64
  size_t budget = (size_t)f->base.count * f->base.key_size / 4;
  uint32_t count = 0, uppers = 0, waiting = sfnec_forest_start(&f->forest, tree);
  for (const sfnec_tree_leaf *leaf; (leaf = sfnec_forest_next(&f->forest, code, *limit, &waiting));) {
    const size_t cost = SFNEC_KERNEL_POINTS * SFNEC_CODE_SIZE + (size_t)count * 64;
    if (cost > budget) return false;
    budget -= SFNEC_KERNEL_POINTS * SFNEC_CODE_SIZE;
    float bounds[SFNEC_KERNEL_POINTS];
    f->base.kernel->block_distances(code, &leaf->codes[0][0], SFNEC_CODE_SIZE, bounds);
    for (uint32_t i = 0; i < leaf->count; i++) {
      if (bounds[i] > *limit) continue;
      s->candidates[count++] = (sfnec_neighbour){bounds[i], leaf->slots[i]};
      offer_upper(s->uppers, &uppers, k, bounds[i] + rest * leaf->codes[SFNEC_CODE_DIRECTIONS][i]);
    }
    if (uppers < k) continue;
    const float upper = sfnec_coder_limit(coder, sfnec_coder_upper(coder, s->uppers[0], reach), reach);
    if (upper < *limit) *limit = upper;
  }
  *collected = count;
  return true;
}

// looks through one tree; false if the flat scan is the better way
static bool search_tree(const fast *f, uint32_t tree, const float *query, const float *code, sfnec_nearest *nearest) {
  const size_t size = f->base.key_size;
  const double reach = f->reach[tree] + sfnec_code_reach(code);
  const sfnec_coder *coder = &f->coders[tree];
  float limit = nearest->count < nearest->most ? INFINITY : sfnec_coder_limit(coder, nearest->heap[0].squared, reach);
  uint32_t collected, count = 0;
  if (!collect(f, tree, code, reach, nearest->most, &limit, &collected)) return false;

  // what is left under the last limit is fetched from memory while the sorting goes on
  sfnec_neighbour *candidates = f->scratch->candidates;
  for (uint32_t i = 0; i < collected; i++) {
    if (candidates[i].squared > limit) continue;
    candidates[count] = candidates[i];
    if (count++ < PREFETCHED) prefetch(f->flat->ops->key(f->flat, candidates[i].slot), size);
  }
  for (uint32_t i = count / 2; i-- > 0;) sift_candidate(candidates, count, i, candidates[i]);

  // from the least bound on, until no bound is left below the k-th distance
  while (count > 0 && candidates[0].squared <= limit) {
    sfnec_neighbour item = {.slot = candidates[0].slot};
    const sfnec_neighbour last = candidates[--count];
    if (count > 0) sift_candidate(candidates, count, 0, last);
    f->base.kernel->squared_distances(query, f->flat->ops->key(f->flat, item.slot), size, 1, size, &item.squared);
    if (!sfnec_nearest_offer(nearest, item)) continue;
    const float exact = sfnec_coder_limit(coder, nearest->heap[0].squared, reach);
    if (exact < limit) limit = exact;
  }
  return true;
}

// searches by the trees; false if they cannot help
static bool search_forest(const fast *f, const float *query, sfnec_nearest *nearest) {
  if (!f->fitted || f->outside > 0 || nearest->most > f->base.count / FEWEST) return false;
  scratch *s = f->scratch;
  if (s->rest > 0) {
    s->rest--;
    return false;
  }
  for (uint32_t t = 0; t < SFNEC_TREES; t++) {
    float code[SFNEC_CODE_SIZE];
    if (f->forest.trees[t].count == 0) continue;
    if (!sfnec_coder_encode(&f->coders[t], query, code)) return false;
    if (search_tree(f, t, query, code, nearest)) continue;
    // the more often in a row, the longer the rest
    s->pause = s->pause < MOST_REST ? 2 * s->pause + 1 : MOST_REST;
    s->rest = s->pause;
    return false;
  }
  s->pause /= 2;
  return true;
}

static uint32_t search(const sfnec_index *index, const float *query, uint32_t k, sfnec_neighbour *out) {
  const fast *f = (const fast *)index;
  if (k == 0) return 0;
  sfnec_nearest nearest = {.index = f->flat, .heap = out, .most = k};
  if (!search_forest(f, query, &nearest)) return f->flat->ops->search(f->flat, query, k, out);
  sfnec_nearest_sort(&nearest);
  return nearest.count;
}

// ---- the rest ----

static const float *key(const sfnec_index *index, uint32_t slot) {
  const fast *f = (const fast *)index;
  return f->flat->ops->key(f->flat, slot);
}

static uint64_t order(const sfnec_index *index, uint32_t slot) {
  const fast *f = (const fast *)index;
  return f->flat->ops->order(f->flat, slot);
}

static size_t bytes(const sfnec_index *index) {
  const fast *f = (const fast *)index;
  size_t sum = sizeof *f + sizeof *f->scratch + f->flat->ops->bytes(f->flat) + sfnec_forest_bytes(&f->forest) +
               f->held_size * (sizeof *f->held + sizeof *f->scratch->candidates + sizeof(float) / FEWEST);
  for (uint32_t t = 0; t < SFNEC_TREES; t++) sum += sfnec_coder_bytes(&f->coders[t]);
  return sum;
}

static void destroy(sfnec_index *index) {
  fast *f = (fast *)index;
  sfnec_index_destroy(f->flat);
  sfnec_forest_free(&f->forest);
  for (uint32_t t = 0; t < SFNEC_TREES; t++) sfnec_coder_free(&f->coders[t]);
  free(f->held);
  if (f->scratch) {
    free(f->scratch->candidates);
    free(f->scratch->uppers);
  }
  free(f->scratch);
  free(f);
}

static const sfnec_index_ops ops = {
    .name = "fast",
    .destroy = destroy,
    .insert = insert,
    .remove = remove_slot,
    .search = search,
    .key = key,
    .order = order,
    .bytes = bytes,
};

sfnec_status sfnec_index_fast_create(const sfnec_kernel *kernel, size_t key_size, sfnec_index **out) {
  fast *f = calloc(1, sizeof *f);
  if (!f) return sfnec_fail_memory("a fast index");
  f->base = (sfnec_index){.ops = &ops, .kernel = kernel, .key_size = key_size};
  f->fit_after = FIRST_FIT;
  sfnec_forest_init(&f->forest, kernel);
  f->scratch = calloc(1, sizeof *f->scratch);
  sfnec_status status = f->scratch ? SFNEC_OK : sfnec_fail_memory("a fast index");
  if (!status) status = sfnec_index_flat_create(kernel, key_size, &f->flat);
  if (status) {
    destroy(&f->base);
    return status;
  }
  *out = &f->base;
  return SFNEC_OK;
}
