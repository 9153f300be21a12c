// memory.c: the differentiable neural dictionary: look up, average, write, nudge (paper, section on neural episodic
// control; equation 2 is the average).
//
// Values are stored as floats and computed with in double, neighbour by neighbour in the order of the search, so the
// result does not depend on slots or on the instruction set.
#include "memory/memory.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"
#include "memory/entries.h"

enum { FIRST_RESERVED = 16 };

// ---- life ----

static sfnec_status check_config(const sfnec_memory_config *config) {
  if (config->key_size < 1 || config->value_size < 1)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a memory needs keys and values of at least one number");
  if (config->capacity < 1 || config->capacity > INT32_MAX)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a memory of capacity %u is not possible", config->capacity);
  if (config->neighbours < 1) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a memory needs at least one neighbour");
  const sfnec_weighting weighting = config->weighting;
  if (weighting.kind < 0 || weighting.kind >= SFNEC_WEIGHT_KINDS)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no memory kernel %d", weighting.kind);
  if (!(weighting.delta > 0) || !isfinite(weighting.delta))
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "delta = %g is not a positive number", weighting.delta);
  return SFNEC_OK;
}

sfnec_status sfnec_memory_create(const sfnec_memory_config *config, const sfnec_simd *simd, sfnec_memory **out) {
  sfnec_status status = check_config(config);
  if (status) return status;
  sfnec_memory *memory = calloc(1, sizeof *memory);
  if (!memory) return sfnec_fail_memory("a memory");

  memory->config = *config;
  // versions start at 1, so that a caller can keep 0 for "never asked"
  memory->keys_version = 1;
  memory->values_version = 1;
  sfnec_keymap_init(&memory->keymap);
  sfnec_recency_init(&memory->used);
  sfnec_recency_init(&memory->inserted);
  status = sfnec_index_create(config->index, simd, config->key_size, &memory->index);
  if (status) {
    sfnec_memory_destroy(memory);
    return status;
  }
  if (config->codebook && memory->index->ops->join) memory->index->ops->join(memory->index, config->codebook);
  *out = memory;
  return SFNEC_OK;
}

void sfnec_memory_destroy(sfnec_memory *memory) {
  if (!memory) return;
  sfnec_index_destroy(memory->index);
  sfnec_keymap_free(&memory->keymap);
  sfnec_recency_free(&memory->used);
  sfnec_recency_free(&memory->inserted);
  free(memory->values);
  free(memory->tags);
  free(memory->ranks);
  free(memory);
}

// ---- facts ----

uint32_t sfnec_memory_count(const sfnec_memory *memory) {
  return memory->index->count;
}

size_t sfnec_memory_bytes(const sfnec_memory *memory) {
  const size_t entry = memory->config.value_size * sizeof *memory->values + sizeof *memory->ranks +
                       (memory->tags ? sizeof *memory->tags : 0) + sizeof *memory->used.links +
                       sizeof *memory->inserted.links;
  return sizeof *memory + memory->index->ops->bytes(memory->index) + sfnec_keymap_bytes(&memory->keymap) +
         memory->reserved * entry;
}

const float *sfnec_memory_key(const sfnec_memory *memory, uint32_t slot) {
  return memory->index->ops->key(memory->index, slot);
}

const float *sfnec_memory_value(const sfnec_memory *memory, uint32_t slot) {
  return memory->values + slot * memory->config.value_size;
}

uint64_t sfnec_memory_keys_version(const sfnec_memory *memory) {
  return memory->keys_version;
}

uint64_t sfnec_memory_values_version(const sfnec_memory *memory) {
  return memory->values_version;
}

// ---- look-up ----

static void weigh(const sfnec_memory *memory, sfnec_lookup *lookup) {
  double sum = 0.0;
  for (uint32_t i = 0; i < lookup->count; i++) {
    lookup->weights[i] = sfnec_weight(memory->config.weighting, lookup->neighbours[i].squared);
    sum += lookup->weights[i];
  }
  // no weight left (every distance overflowed) or too much of it: neighbours that cannot be distinguished share equally
  const bool usable = sum > 0.0 && isfinite(sum);
  for (uint32_t i = 0; i < lookup->count; i++)
    lookup->weights[i] = usable ? lookup->weights[i] / sum : 1.0 / (double)lookup->count;
}

void sfnec_memory_search(const sfnec_memory *memory, sfnec_index_scratch *scratch, const float *key,
                         sfnec_lookup *lookup) {
  const sfnec_index *index = memory->index;
  lookup->count = index->ops->search(index, scratch, key, memory->config.neighbours, lookup->neighbours);
  weigh(memory, lookup);
}

void sfnec_memory_blend(const sfnec_memory *memory, sfnec_lookup *lookup) {
  const size_t value_size = memory->config.value_size;
  for (size_t j = 0; j < value_size; j++) lookup->value[j] = 0.0;
  for (uint32_t i = 0; i < lookup->count; i++) {
    const float *value = sfnec_memory_value(memory, lookup->neighbours[i].slot);
    for (size_t j = 0; j < value_size; j++) lookup->value[j] += lookup->weights[i] * (double)value[j];
  }
}

void sfnec_memory_touch(sfnec_memory *memory, const sfnec_lookup *lookup) {
  for (uint32_t i = lookup->count; i-- > 0;) sfnec_recency_touch(&memory->used, lookup->neighbours[i].slot);
}

// ---- pruning ----
//
// A look-up gives q = sum_i u_i x_i / sum_i u_i over the k nearest entries, with kernel weights u_i and x_i = value_i .
// w. The index knows bounds of the distances of all entries that may be among the k nearest, hence bounds of their
// weights; with upper bounds of the x_i it can often tell that q stays below a floor before it has looked at a single
// key.
//
// Rounding: bounds are rounded up to float and the floor down. The average and its inner product with w are sums of a
// few hundred products in double, whose error is below 1e-12 times the greatest sum of |value_j w_j| of any entry
// (magnitude); the floor is lowered by that much.

// a float that is certainly not less, or not greater
static float float_above(double x) {
  return (float)(x + 2.5e-7 * fabs(x) + (double)FLT_MIN);
}

static float float_below(double x) {
  return (float)(x - 2.5e-7 * fabs(x) - (double)FLT_MIN);
}

void sfnec_value_bounds_clear(sfnec_value_bounds *bounds) {
  free(bounds->upper);
  *bounds = (sfnec_value_bounds){0};
}

static void bound_entry(const sfnec_memory *memory, uint32_t slot, const double *w, sfnec_value_bounds *bounds) {
  const uint32_t position = memory->index->ops->position(memory->index, slot);
  if (position == SFNEC_NOWHERE) return;
  const float *value = sfnec_memory_value(memory, slot);
  double x = 0.0, magnitude = 0.0;
  for (size_t j = 0; j < memory->config.value_size; j++) {
    const double share = (double)value[j] * w[j];
    x += share;
    magnitude += fabs(share);
  }
  if (magnitude > bounds->magnitude) bounds->magnitude = magnitude;
  // beyond the range of floats (or inf - inf) the entry rules nothing out
  const float above = float_above(x);
  bounds->upper[position] = isfinite(above) ? above : INFINITY;
}

// bounds every entry; false if out of memory
static bool bound_all(const sfnec_memory *memory, const double *w, sfnec_value_bounds *bounds) {
  const uint32_t positions = memory->index->ops->positions(memory->index);
  if (positions > bounds->capacity) {
    // what it held is made again
    float *upper = malloc((positions + positions / 8) * sizeof *upper);
    if (!upper) return false;
    free(bounds->upper);
    bounds->upper = upper;
    bounds->capacity = positions + positions / 8;
  }
  bounds->magnitude = 0.0;
  for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer)
    bound_entry(memory, slot, w, bounds);
  return true;
}

// Makes bounds true for the memory as it is now; false if there are none for now. Bounding all entries costs about as
// much as a dozen look-ups, so a memory whose entries come and go is looked up without until it has settled.
static bool follow(const sfnec_memory *memory, const sfnec_memory_pruning *pruning) {
  enum { SETTLED_AFTER = 32 };
  sfnec_value_bounds *bounds = pruning->bounds;
  const sfnec_index *index = memory->index;
  if (bounds->layout != index->layout) {
    bounds->wait = bounds->upper ? SETTLED_AFTER : 0;
    bounds->layout = index->layout;
    bounds->stamp = 0;
  }
  if (bounds->wait > 0) {
    bounds->wait--;
    return false;
  }
  if (bounds->stamp != pruning->stamp || memory->changes - bounds->changes > SFNEC_MEMORY_CHANGES) {
    bounds->stamp = 0;
    if (!bound_all(memory, pruning->w, bounds)) return false;
    bounds->stamp = pruning->stamp;
    bounds->changes = memory->changes;
  }
  for (; bounds->changes != memory->changes; bounds->changes++)
    bound_entry(memory, memory->changed[bounds->changes % SFNEC_MEMORY_CHANGES], pruning->w, bounds);
  return true;
}

bool sfnec_memory_search_pruned(const sfnec_memory *memory, sfnec_index_scratch *scratch, const float *key,
                                const sfnec_memory_pruning *pruning, sfnec_lookup *lookup) {
  const sfnec_index *index = memory->index;
  if (!index->ops->search_pruned || !follow(memory, pruning)) {
    sfnec_memory_search(memory, scratch, key, lookup);
    return true;
  }
  const sfnec_pruning rule = {
      .floor = float_below(pruning->floor - 1e-12 * pruning->bounds->magnitude),
      .penalty = pruning->penalty,
      .weighting = memory->config.weighting,
      .value_bounds = pruning->bounds->upper,
  };
  const uint32_t k = memory->config.neighbours;
  const uint32_t found = index->ops->search_pruned(index, scratch, key, k, &rule, lookup->neighbours);
  lookup->count = found == SFNEC_PRUNED ? 0 : found;
  if (found == SFNEC_PRUNED) return false;
  weigh(memory, lookup);
  return true;
}

// ---- change ----

static void note_change(sfnec_memory *memory, uint32_t slot) {
  memory->changed[memory->changes++ % SFNEC_MEMORY_CHANGES] = slot;
}

sfnec_status sfnec_memory_reserve(sfnec_memory *memory, uint32_t entries) {
  if (entries <= memory->reserved) return SFNEC_OK;
  // one more than the capacity, because a new entry goes in before the old one goes out
  const uint32_t most = memory->config.capacity + 1;
  uint32_t wanted = memory->reserved + memory->reserved / 2;
  if (wanted < FIRST_RESERVED) wanted = FIRST_RESERVED;
  if (wanted < entries) wanted = entries;
  if (wanted > most) wanted = most;

  if (wanted > SIZE_MAX / sizeof(float) / memory->config.value_size) return sfnec_fail_memory("the values of a memory");
  if (!SFNEC_WIDEN(memory->values, wanted * memory->config.value_size) || !SFNEC_WIDEN(memory->ranks, wanted) ||
      (memory->config.tagged && !SFNEC_WIDEN(memory->tags, wanted))) {
    return sfnec_fail_memory("the values of a memory");
  }
  sfnec_status status = sfnec_recency_reserve(&memory->used, wanted);
  if (!status) status = sfnec_recency_reserve(&memory->inserted, wanted);
  if (!status) status = sfnec_keymap_reserve(&memory->keymap, wanted);
  if (!status) memory->reserved = wanted;
  return status;
}

sfnec_status sfnec_memory_reserve_all(sfnec_memory *memory) {
  const uint32_t most = memory->config.capacity + 1;
  const sfnec_status status = sfnec_memory_reserve(memory, most);
  if (status || !memory->index->ops->reserve) return status;
  return memory->index->ops->reserve(memory->index, most);
}

uint32_t sfnec_memory_hash(const sfnec_memory *memory, uint64_t tag, const float *key) {
  return memory->config.tagged ? (uint32_t)tag : sfnec_keymap_hash(key, memory->config.key_size);
}

uint32_t sfnec_memory_find(const sfnec_memory *memory, uint64_t tag, const float *key, uint32_t hash) {
  return memory->config.tagged ? sfnec_keymap_find_tag(&memory->keymap, memory->tags, tag)
                               : sfnec_keymap_find(&memory->keymap, memory->index, key, hash);
}

sfnec_status sfnec_memory_insert(sfnec_memory *memory, uint64_t tag, const float *key, uint32_t hash, uint32_t *slot) {
  sfnec_status status = memory->index->ops->insert(memory->index, key, slot);
  if (status) return status;
  if (memory->config.tagged) memory->tags[*slot] = tag;
  sfnec_keymap_add(&memory->keymap, hash, *slot);
  sfnec_recency_add(&memory->used, *slot);
  sfnec_recency_add(&memory->inserted, *slot);
  memory->keys_version++;
  memory->values_version++;
  return SFNEC_OK;
}

static void evict(sfnec_memory *memory, uint32_t slot) {
  const uint64_t tag = memory->config.tagged ? memory->tags[slot] : 0;
  const uint32_t hash = sfnec_memory_hash(memory, tag, sfnec_memory_key(memory, slot));
  sfnec_keymap_remove(&memory->keymap, hash, slot);
  sfnec_recency_remove(&memory->used, slot);
  sfnec_recency_remove(&memory->inserted, slot);
  memory->index->ops->remove(memory->index, slot);
}

static void move_value(sfnec_memory *memory, uint32_t slot, const double *target, double alpha) {
  float *value = memory->values + slot * memory->config.value_size;
  for (size_t j = 0; j < memory->config.value_size; j++) {
    const double old = (double)value[j], better = fmax(old, target[j]);
    value[j] = sfnec_to_float(memory->config.keeps_greater ? better : old + alpha * (target[j] - old));
  }
  sfnec_recency_touch(&memory->used, slot);
  note_change(memory, slot);
  memory->values_version++;
}

sfnec_status sfnec_memory_write(sfnec_memory *memory, const float *key, const double *value, double alpha) {
  return sfnec_memory_write_tagged(memory, 0, key, value, alpha);
}

sfnec_status sfnec_memory_write_tagged(sfnec_memory *memory, uint64_t tag, const float *key, const double *value,
                                       double alpha) {
  const uint32_t hash = sfnec_memory_hash(memory, tag, key);
  uint32_t slot = sfnec_memory_find(memory, tag, key, hash);
  if (slot != SFNEC_NO_SLOT) {
    const sfnec_status status = memory->config.tagged ? sfnec_memory_move(memory, slot, key) : SFNEC_OK;
    if (!status) move_value(memory, slot, value, alpha);
    return status;
  }

  // in before out: should memory run out, nothing is lost
  sfnec_status status = sfnec_memory_reserve(memory, sfnec_memory_count(memory) + 1);
  if (!status) status = sfnec_memory_insert(memory, tag, key, hash, &slot);
  if (status) return status;
  float *stored = memory->values + slot * memory->config.value_size;
  for (size_t j = 0; j < memory->config.value_size; j++) stored[j] = sfnec_to_float(value[j]);
  if (sfnec_memory_count(memory) > memory->config.capacity) evict(memory, memory->used.oldest);
  return SFNEC_OK;
}

void sfnec_memory_nudge(sfnec_memory *memory, const sfnec_lookup *lookup, const double *step) {
  if (lookup->count == 0) return;
  for (uint32_t i = 0; i < lookup->count; i++) {
    float *value = memory->values + lookup->neighbours[i].slot * memory->config.value_size;
    for (size_t j = 0; j < memory->config.value_size; j++)
      value[j] = sfnec_to_float((double)value[j] + lookup->weights[i] * step[j]);
    note_change(memory, lookup->neighbours[i].slot);
  }
  memory->values_version++;
}

void sfnec_memory_freeze(sfnec_memory *memory) {
  if (memory->index->ops->freeze) memory->index->ops->freeze(memory->index);
}

// Ties between equally near keys go by insertion order, in which a moved key is the newest. Files keep that order.
sfnec_status sfnec_memory_move(sfnec_memory *memory, uint32_t slot, const float *key) {
  const size_t key_size = memory->config.key_size;
  const bool tagged = memory->config.tagged;
  const float *old = sfnec_memory_key(memory, slot);
  if (memcmp(old, key, key_size * sizeof *key) == 0) return SFNEC_OK;
  const uint32_t hash = sfnec_keymap_hash(key, key_size), old_hash = sfnec_keymap_hash(old, key_size);
  if (!tagged && sfnec_keymap_find(&memory->keymap, memory->index, key, hash) != SFNEC_NO_SLOT) return SFNEC_OK;

  const sfnec_status status = memory->index->ops->replace(memory->index, slot, key);
  if (status) return status;
  if (!tagged) {
    sfnec_keymap_remove(&memory->keymap, old_hash, slot);
    sfnec_keymap_add(&memory->keymap, hash, slot);
  }
  sfnec_recency_remove(&memory->inserted, slot);
  sfnec_recency_add(&memory->inserted, slot);
  memory->keys_version++;
  memory->values_version++;
  return SFNEC_OK;
}

// With kernel weights u_i of the squared distances d_i, U their sum and psi = sum_i u_i v_i / U,
//   d psi / d u_i = (v_i - psi) / U,    d L / d d_i = u'(d_i) sum_f error_f (v_if - psi_f) / U.
void sfnec_memory_slopes(const sfnec_memory *memory, const sfnec_lookup *lookup, const double *error, double *slopes) {
  for (uint32_t i = 0; i < lookup->count; i++) {
    const sfnec_neighbour neighbour = lookup->neighbours[i];
    const float *value = sfnec_memory_value(memory, neighbour.slot);
    double along = 0.0;
    for (size_t f = 0; f < memory->config.value_size; f++) along += error[f] * ((double)value[f] - lookup->value[f]);
    slopes[i] = along * sfnec_weight_slope(memory->config.weighting, neighbour.squared, lookup->weights[i]);
  }
}
