// memory_reduce.c: a memory that gives up many entries at once, by k-means.
//
// Of the entries, evenly in the order of insertion, some stay; each of the others is merged into the nearest of them,
// whose key and value become the means of all that were; it keeps its tag. Agostinelli et al. 2019 merge each new entry
// as it comes (online k-means); here one pass of k-means over the whole memory does it, now and then, and no sizes of
// clusters are kept, so that older entries count less each time.
//
// Keeping the entries that were used last instead leaves holes, in which psi is extrapolated from afar, and GPI takes
// the maximum over such guesses: half the return.
//
// The means are inserted into a memory of their own, as a file would be loaded: the index of a memory that lost most of
// its entries one by one would still be as large, and as slow, as before.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "memory/entries.h"

// What a reduction works with.
typedef struct reduction {
  sfnec_memory *stay;   // the entries that stay, with their keys as they were: entry i in slot i
  sfnec_memory *merged; // what becomes of the memory
  double *sums;         // (keep, key_size + value_size + 1): of each cluster, and how many
  sfnec_index_scratch *scratch;
} reduction;

static uint64_t tag_of(const sfnec_memory *memory, uint32_t slot) {
  return memory->config.tagged ? memory->tags[slot] : 0;
}

static double *sums_of(const reduction *r, uint32_t cluster) {
  const sfnec_memory_config *config = &r->stay->config;
  return r->sums + cluster * (config->key_size + config->value_size + 1);
}

// Copies the entries that stay: of each count / keep entries in the order of insertion the last. Their slots go to
// `ranks`; SFNEC_NO_SLOT for the others.
static sfnec_status copy_stay(const sfnec_memory *memory, uint64_t keep, sfnec_memory *stay) {
  const uint64_t count = sfnec_memory_count(memory);
  uint64_t passed = 0;
  for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer) {
    const bool stays = (passed + 1) * keep / count > passed * keep / count;
    passed++;
    memory->ranks[slot] = SFNEC_NO_SLOT;
    if (!stays) continue;
    const float *key = sfnec_memory_key(memory, slot);
    const uint64_t tag = tag_of(memory, slot);
    const uint32_t hash = sfnec_memory_hash(memory, tag, key);
    const sfnec_status status = sfnec_memory_insert(stay, tag, key, hash, &memory->ranks[slot]);
    if (status) return status;
  }
  return SFNEC_OK;
}

// Adds every entry to the cluster of the nearest one that stays.
static void assign(const sfnec_memory *memory, reduction *r) {
  const size_t key_size = memory->config.key_size, value_size = memory->config.value_size;
  for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer) {
    const float *key = sfnec_memory_key(memory, slot), *value = sfnec_memory_value(memory, slot);
    sfnec_neighbour nearest;
    r->stay->index->ops->search(r->stay->index, r->scratch, key, 1, &nearest);
    double *sums = sums_of(r, nearest.slot);
    for (size_t j = 0; j < key_size; j++) sums[j] += (double)key[j];
    for (size_t j = 0; j < value_size; j++) sums[key_size + j] += (double)value[j];
    sums[key_size + value_size]++;
  }
}

// Inserts the means. The slots that they get go to the ranks of `stay`; SFNEC_NO_SLOT where two have the same key, or
// where a key is so near to an older one that their squared distance is 0: the older one has all of its entries.
static sfnec_status insert_means(reduction *r, uint32_t keep, float *key) {
  const size_t key_size = r->stay->config.key_size, value_size = r->stay->config.value_size;
  for (uint32_t i = 0; i < keep; i++) {
    const double *sums = sums_of(r, i), count = sums[key_size + value_size];
    r->stay->ranks[i] = SFNEC_NO_SLOT;
    if (count == 0.0) continue;
    for (size_t j = 0; j < key_size; j++) key[j] = (float)(sums[j] / count);
    const uint64_t tag = tag_of(r->stay, i);
    const uint32_t hash = sfnec_memory_hash(r->merged, tag, key);
    if (sfnec_memory_find(r->merged, tag, key, hash) != SFNEC_NO_SLOT) continue;
    uint32_t slot;
    const sfnec_status status = sfnec_memory_insert(r->merged, tag, key, hash, &slot);
    if (status) return status;
    float *value = r->merged->values + slot * value_size;
    for (size_t j = 0; j < value_size; j++) value[j] = (float)(sums[key_size + j] / count);
    r->stay->ranks[i] = slot;
  }
  return SFNEC_OK;
}

// Brings the means in the order in which the entries that stay were used.
static void order_by_use(const sfnec_memory *memory, const reduction *r) {
  for (uint32_t slot = memory->used.oldest; slot != SFNEC_NO_SLOT; slot = memory->used.links[slot].newer) {
    const uint32_t stays = memory->ranks[slot], at = stays == SFNEC_NO_SLOT ? stays : r->stay->ranks[stays];
    if (at != SFNEC_NO_SLOT) sfnec_recency_touch(&r->merged->used, at);
  }
}

static sfnec_status merge(const sfnec_memory *memory, uint32_t keep, reduction *r) {
  const sfnec_memory_config *config = &memory->config;
  const sfnec_simd *simd = memory->index->simd;
  r->scratch = sfnec_index_scratch_create();
  r->sums = calloc(keep, (config->key_size + config->value_size + 1) * sizeof *r->sums);
  float *key = malloc(config->key_size * sizeof *key);
  sfnec_status status = r->scratch && r->sums && key ? SFNEC_OK : sfnec_fail_memory("merging the entries of a memory");
  if (!status) status = sfnec_memory_create(config, simd, &r->stay);
  if (!status) status = sfnec_memory_create(config, simd, &r->merged);
  if (!status) status = sfnec_memory_reserve(r->stay, keep);
  if (!status) status = sfnec_memory_reserve(r->merged, keep);
  if (!status) status = copy_stay(memory, keep, r->stay);
  if (!status) assign(memory, r);
  if (!status) status = insert_means(r, keep, key);
  if (!status) order_by_use(memory, r);
  free(key);
  return status;
}

// Puts the content of another memory into the place of a memory's. Numbers that callers compare continue, so that none
// of their answers and bounds passes for one about the new content.
static void swap_in(sfnec_memory *memory, sfnec_memory *other) {
  other->keys_version = memory->keys_version + 1;
  other->values_version = memory->values_version + 1;
  other->changes = memory->changes;
  other->index->layout += memory->index->layout + 1;
  const sfnec_memory former = *memory;
  *memory = *other;
  *other = former;
}

sfnec_status sfnec_memory_reduce(sfnec_memory *memory, uint32_t keep) {
  if (keep < 1 || keep >= sfnec_memory_count(memory)) return SFNEC_OK;
  reduction r = {0};
  const sfnec_status status = merge(memory, keep, &r);
  if (!status) {
    sfnec_memory_freeze(r.merged);
    swap_in(memory, r.merged);
  }
  sfnec_memory_destroy(r.merged);
  sfnec_memory_destroy(r.stay);
  sfnec_index_scratch_destroy(r.scratch);
  free(r.sums);
  return status;
}
