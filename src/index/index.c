// index.c: what the kinds of index have in common: from a kind to an index, and the scratch of searches.
#include "index/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "index/array.h"
#include "index/fast/fast.h"

enum { SPARE = 64 }; // neighbours that a search may find besides one for each slot

sfnec_status sfnec_index_create(int kind, const sfnec_simd *simd, size_t key_size, sfnec_index **out) {
  switch (kind) {
  case SFNEC_INDEX_KIND_FLAT:
    return sfnec_index_flat_create(simd, key_size, out);
  case SFNEC_INDEX_KIND_FAST:
    return sfnec_index_fast_create(simd, key_size, out);
  default:
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no index of kind %d", kind);
  }
}

// ---- the scratch of searches ----

// neighbours that a search may hold at once, by the slots that there are
static size_t found_capacity(uint32_t slots) {
  return (size_t)slots + slots / 8 + SPARE;
}

static void free_lists(const sfnec_search_lists *s) {
  const size_t n = s->capacity;
  sfnec_array_free(s->slots, n * sizeof *s->slots);
  sfnec_array_free(s->positions, n * sizeof *s->positions);
  sfnec_array_free(s->distances, n * sizeof *s->distances);
  sfnec_array_free(s->uppers, n * sizeof *s->uppers);
  sfnec_array_free(s->found, found_capacity(s->capacity) * sizeof *s->found);
}

sfnec_index_scratch *sfnec_index_scratch_create(void) {
  return calloc(1, sizeof(sfnec_index_scratch));
}

void sfnec_index_scratch_destroy(sfnec_index_scratch *scratch) {
  if (!scratch) return;
  free_lists(&scratch->lists);
  free(scratch->queue.items);
  free(scratch->queries);
  free(scratch);
}

size_t sfnec_index_scratch_bytes(const sfnec_index_scratch *scratch) {
  return sizeof *scratch + scratch->lists.capacity * 4 * sizeof(uint32_t) +
         found_capacity(scratch->lists.capacity) * sizeof *scratch->lists.found +
         scratch->queue_capacity * sizeof *scratch->queue.items +
         (SFNEC_FAST_QUERIES + 1) * scratch->padded * sizeof *scratch->queries;
}

// what the lists hold is of one search only: nothing is copied
static bool fit_lists(sfnec_index_scratch *s, uint32_t slots) {
  sfnec_search_lists next = {.capacity = slots};
  next.slots = sfnec_array_resize(NULL, 0, slots * sizeof *next.slots);
  next.positions = sfnec_array_resize(NULL, 0, slots * sizeof *next.positions);
  next.distances = sfnec_array_resize(NULL, 0, slots * sizeof *next.distances);
  next.uppers = sfnec_array_resize(NULL, 0, slots * sizeof *next.uppers);
  next.found = sfnec_array_resize(NULL, 0, found_capacity(slots) * sizeof *next.found);
  const bool done = next.slots && next.positions && next.distances && next.uppers && next.found;
  free_lists(done ? &s->lists : &next);
  if (done) s->lists = next;
  return done;
}

static bool fit_queries(sfnec_index_scratch *s, size_t padded) {
  float *queries = calloc((SFNEC_FAST_QUERIES + 1) * padded, sizeof *queries);
  if (!queries) return false;
  free(s->queries);
  s->queries = queries;
  s->residual = queries + SFNEC_FAST_QUERIES * padded;
  s->padded = padded;
  memset(s->coders, 0, sizeof s->coders);
  return true;
}

static bool fit_queue(sfnec_index_scratch *s, uint32_t capacity) {
  uint64_t *items = realloc(s->queue.items, capacity * sizeof *items);
  if (!items) return false;
  s->queue.items = items;
  s->queue_capacity = capacity;
  return true;
}

bool sfnec_index_scratch_fit(sfnec_index_scratch *s, const sfnec_fast *f) {
  const sfnec_forest *forest = &f->forest;
  const uint32_t boxes = forest->leaf_capacity + forest->node_capacity;
  const size_t padded = f->coders[f->young]->padded;
  return (forest->slots <= s->lists.capacity || fit_lists(s, forest->slots)) &&
         (boxes <= s->queue_capacity || fit_queue(s, boxes)) && (padded <= s->padded || fit_queries(s, padded));
}
