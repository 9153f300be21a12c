// tuples.c: open addressing over XXH3 hashes with a key; see tuples.h.
//
// Tuples come from files, whose sender knows this code. The key is drawn for each table from where it lies and when it
// was made, so that nobody can choose tuples that collide. What it is decides where a tuple stands, never its number.
#include "agent/plan/tuples.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/error.h"

void sfnec_tuples_init(sfnec_tuples *tuples, size_t size) {
  *tuples = (sfnec_tuples){.size = size};
}

void sfnec_tuples_clear(sfnec_tuples *tuples) {
  free(tuples->items);
  free(tuples->table);
  *tuples = (sfnec_tuples){.size = tuples->size};
}

sfnec_status sfnec_tuples_copy(const sfnec_tuples *tuples, sfnec_tuples *out) {
  *out = *tuples;
  if (!tuples->capacity) return SFNEC_OK;
  const size_t items = tuples->capacity * (tuples->size ? tuples->size : 1) * sizeof *out->items;
  const size_t table = 2 * (size_t)tuples->capacity * sizeof *out->table;
  out->items = malloc(items);
  out->table = malloc(table);
  if (!out->items || !out->table) {
    sfnec_tuples_clear(out);
    return sfnec_fail_memory("the contexts of a model");
  }
  memcpy(out->items, tuples->items, tuples->count * tuples->size * sizeof *out->items);
  memcpy(out->table, tuples->table, table);
  return SFNEC_OK;
}

size_t sfnec_tuples_bytes(const sfnec_tuples *tuples) {
  return tuples->capacity * (tuples->size * sizeof(float) + 2 * sizeof(uint32_t));
}

static uint64_t draw_key(const void *place) {
  const double now = sfnec_seconds();
  return XXH3_64bits_withSeed(&now, sizeof now, (uint64_t)(uintptr_t)place);
}

static uint32_t hash(const sfnec_tuples *tuples, const float *tuple) {
  return (uint32_t)XXH3_64bits_withSeed(tuple, tuples->size * sizeof *tuple, tuples->key);
}

// The slot of a tuple in the table, or the free one that it would take.
static uint32_t locate(const sfnec_tuples *tuples, const float *tuple) {
  const uint32_t mask = 2 * tuples->capacity - 1;
  uint32_t at = hash(tuples, tuple) & mask;
  while (tuples->table[at] != SFNEC_NO_TUPLE &&
         memcmp(sfnec_tuples_at(tuples, tuples->table[at]), tuple, tuples->size * sizeof *tuple) != 0) {
    at = (at + 1) & mask;
  }
  return at;
}

uint32_t sfnec_tuples_find(const sfnec_tuples *tuples, const float *tuple) {
  return tuples->capacity ? tuples->table[locate(tuples, tuple)] : SFNEC_NO_TUPLE;
}

static sfnec_status grow(sfnec_tuples *tuples) {
  const uint32_t capacity = tuples->capacity ? 2 * tuples->capacity : 16;
  float *items = realloc(tuples->items, capacity * (tuples->size ? tuples->size : 1) * sizeof *items);
  if (items) tuples->items = items;
  uint32_t *table = malloc(2 * (size_t)capacity * sizeof *table);
  if (!items || !table) {
    free(table);
    return sfnec_fail_memory("the contexts of a model");
  }
  free(tuples->table);
  tuples->table = table;
  tuples->capacity = capacity;
  tuples->key = draw_key(table);
  memset(table, 0xff, 2 * (size_t)capacity * sizeof *table);
  for (uint32_t i = 0; i < tuples->count; i++) table[locate(tuples, sfnec_tuples_at(tuples, i))] = i;
  return SFNEC_OK;
}

sfnec_status sfnec_tuples_reserve(sfnec_tuples *tuples) {
  return tuples->count == tuples->capacity ? grow(tuples) : SFNEC_OK;
}

sfnec_status sfnec_tuples_add(sfnec_tuples *tuples, const float *tuple, uint32_t *number) {
  *number = sfnec_tuples_find(tuples, tuple);
  if (*number != SFNEC_NO_TUPLE) return SFNEC_OK;
  const sfnec_status status = sfnec_tuples_reserve(tuples);
  if (status) return status;
  *number = tuples->count++;
  if (tuples->size) memcpy(tuples->items + *number * tuples->size, tuple, tuples->size * sizeof *tuple);
  tuples->table[locate(tuples, tuple)] = *number;
  return SFNEC_OK;
}
