// flat.c: the flat scan: compares the query with every key, and so defines the answer of every kind of index.
//
// Keys lie packed one after another (slot i at i * key_size, no padding), because the scan is bound by the bytes it
// reads. A freed slot keeps its stale key and is scanned like the others; only candidates that come near enough are
// asked whether they are in use, so the common case, no free slot at all, pays nothing for it.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "index/array.h"
#include "index/index.h"

enum {
  BLOCK = 256, // distances computed at once: 1 KB on the stack
  FIRST_CAPACITY = 16,
};

// The insertion order of a slot that holds no key.
#define FREE UINT64_MAX

// An array that can be resized.
typedef struct array {
  void *start;
  size_t bytes;
} array;

typedef struct flat {
  sfnec_index base;
  array arrays[3];  // behind the next three
  float *keys;      // (capacity, key_size)
  uint64_t *orders; // (capacity): insertion order, or FREE
  uint32_t *free;   // (capacity): heap of the free slots below `used`, least first
  uint32_t free_count;
  uint32_t used; // slots ever used
  uint32_t capacity;
  uint64_t next_order;
} flat;

// ---- free slots: a binary heap with the least slot on top ----

static void free_push(flat *f, uint32_t slot) {
  uint32_t i = f->free_count++;
  for (; i > 0 && f->free[(i - 1) / 2] > slot; i = (i - 1) / 2) f->free[i] = f->free[(i - 1) / 2];
  f->free[i] = slot;
}

static uint32_t free_pop(flat *f) {
  uint32_t least = f->free[0], last = f->free[--f->free_count], i = 0;
  for (;;) {
    uint32_t child = 2 * i + 1;
    if (child >= f->free_count) break;
    if (child + 1 < f->free_count && f->free[child + 1] < f->free[child]) child++;
    if (f->free[child] >= last) break;
    f->free[i] = f->free[child];
    i = child;
  }
  f->free[i] = last;
  return least;
}

// ---- keys in and out ----

// The arrays have sizes of their own, so that one that could not grow leaves the others as they are.
static bool resize_array(array *a, size_t wanted, size_t each) {
  if (wanted > SIZE_MAX / 2 / each) return false;
  void *start = sfnec_array_resize(a->start, a->bytes, wanted * each);
  if (!start) return false;
  *a = (array){start, wanted * each};
  return true;
}

// gives all arrays another size; on failure all of them still hold the old capacity, if that is less
static bool resize(flat *f, size_t wanted) {
  bool done = wanted <= UINT32_MAX - BLOCK && resize_array(&f->arrays[0], wanted, f->base.key_size * sizeof *f->keys);
  done = done && resize_array(&f->arrays[1], wanted, sizeof *f->orders);
  done = done && resize_array(&f->arrays[2], wanted, sizeof *f->free);
  f->keys = f->arrays[0].start;
  f->orders = f->arrays[1].start;
  f->free = f->arrays[2].start;
  if (done || wanted < f->capacity) f->capacity = (uint32_t)wanted;
  return done;
}

// makes room for one more slot; growing by half wastes less than doubling, and old keys are rarely copied
static sfnec_status grow(flat *f) {
  if (resize(f, (size_t)f->capacity + f->capacity / 2 + FIRST_CAPACITY)) return SFNEC_OK;
  return sfnec_fail_memory("the keys of a memory");
}

static sfnec_status reserve(sfnec_index *index, uint32_t keys) {
  flat *f = (flat *)index;
  return keys <= f->capacity || resize(f, keys) ? SFNEC_OK : sfnec_fail_memory("the keys of a memory");
}

void sfnec_index_flat_trim(sfnec_index *index) {
  flat *f = (flat *)index;
  // where there is no memory for it, some of it stays
  if (f->used > 0 && f->used < f->capacity) (void)resize(f, f->used);
}

static sfnec_status insert(sfnec_index *index, const float *key, uint32_t *slot) {
  flat *f = (flat *)index;
  if (f->free_count > 0) {
    *slot = free_pop(f);
  } else {
    if (f->used == f->capacity) {
      sfnec_status status = grow(f);
      if (status) return status;
    }
    *slot = f->used++;
  }
  memcpy(f->keys + *slot * index->key_size, key, index->key_size * sizeof *key);
  f->orders[*slot] = f->next_order++;
  index->count++;
  return SFNEC_OK;
}

static void remove_slot(sfnec_index *index, uint32_t slot) {
  flat *f = (flat *)index;
  f->orders[slot] = FREE;
  free_push(f, slot);
  index->count--;
}

static sfnec_status replace(sfnec_index *index, uint32_t slot, const float *key) {
  flat *f = (flat *)index;
  memcpy(f->keys + slot * index->key_size, key, index->key_size * sizeof *key);
  f->orders[slot] = f->next_order++;
  return SFNEC_OK;
}

// ---- search: the best k so far are a heap in `out` with the worst on top ----

static bool worse(const flat *f, sfnec_neighbour a, sfnec_neighbour b) {
  if (a.squared != b.squared) return a.squared > b.squared;
  return f->orders[a.slot] > f->orders[b.slot];
}

static void sift_up(const flat *f, sfnec_neighbour *heap, uint32_t i, sfnec_neighbour item) {
  for (; i > 0 && worse(f, item, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = item;
}

// puts an item in the place of the worst
static void sift_down(const flat *f, sfnec_neighbour *heap, uint32_t count, sfnec_neighbour item) {
  uint32_t i = 0;
  for (uint32_t child = 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && worse(f, heap[child + 1], heap[child])) child++;
    if (!worse(f, heap[child], item)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = item;
}

// offers the slots first, first + 1, ... with their distances; returns how many neighbours the heap holds now
static uint32_t offer(const flat *f, const float *distances, uint32_t first, uint32_t n, uint32_t k, uint32_t found,
                      sfnec_neighbour *heap) {
  uint32_t i = 0;
  for (; i < n && found < k; i++) {
    if (f->orders[first + i] == FREE) continue;
    sift_up(f, heap, found++, (sfnec_neighbour){distances[i], first + i});
  }
  for (; i < n; i++) {
    if (distances[i] > heap[0].squared) continue;
    const sfnec_neighbour candidate = {distances[i], first + i};
    if (f->orders[first + i] != FREE && worse(f, heap[0], candidate)) sift_down(f, heap, k, candidate);
  }
  return found;
}

static uint32_t search(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                       sfnec_neighbour *out) {
  (void)scratch;
  const flat *f = (const flat *)index;
  if (k == 0) return 0;

  float distances[BLOCK];
  uint32_t found = 0;
  for (uint32_t first = 0; first < f->used; first += BLOCK) {
    const uint32_t n = f->used - first < BLOCK ? f->used - first : BLOCK;
    index->simd->squared_distances(query, f->keys + first * index->key_size, index->key_size, n, index->key_size,
                                   distances);
    found = offer(f, distances, first, n, k, found, out);
  }

  // the worst goes to the end, then the next worst before it, ...
  for (uint32_t last = found; last-- > 1;) {
    const sfnec_neighbour item = out[last];
    out[last] = out[0];
    sift_down(f, out, last, item);
  }
  return found;
}

// ---- facts, and the end ----

static const float *key(const sfnec_index *index, uint32_t slot) {
  return ((const flat *)index)->keys + slot * index->key_size;
}

static uint64_t order(const sfnec_index *index, uint32_t slot) {
  return ((const flat *)index)->orders[slot];
}

static size_t bytes(const sfnec_index *index) {
  const flat *f = (const flat *)index;
  return sizeof *f + f->capacity * (index->key_size * sizeof *f->keys + sizeof *f->orders + sizeof *f->free);
}

static void destroy(sfnec_index *index) {
  flat *f = (flat *)index;
  for (size_t i = 0; i < 3; i++) sfnec_array_free(f->arrays[i].start, f->arrays[i].bytes);
  free(f);
}

static const sfnec_index_ops ops = {
    .name = "flat",
    .destroy = destroy,
    .insert = insert,
    .remove = remove_slot,
    .replace = replace,
    .search = search,
    .key = key,
    .order = order,
    .bytes = bytes,
    .reserve = reserve,
};

sfnec_status sfnec_index_flat_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out) {
  flat *f = calloc(1, sizeof *f);
  if (!f) return sfnec_fail_memory("a flat index");
  f->base = (sfnec_index){.ops = &ops, .simd = simd, .key_size = key_size};
  *out = &f->base;
  return SFNEC_OK;
}
