// tuples.h: a dictionary of tuples of floats: each different one gets a number, from 0 on.
//
// The planner keeps two: of contexts (the values of the slow components of an observation), and of effects (what a
// transition sets them to, with ANY where it changes nothing).
#ifndef SFNEC_AGENT_PLAN_TUPLES_H
#define SFNEC_AGENT_PLAN_TUPLES_H

#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

#define SFNEC_NO_TUPLE UINT32_MAX

typedef struct sfnec_tuples {
  size_t size;              // floats of a tuple
  uint32_t count, capacity; // tuples held, and space for them
  float *items;             // (count, size)
  uint32_t *table;          // (2 * capacity): numbers by hash, SFNEC_NO_TUPLE where there is none
  uint64_t key;             // of the hash; another one whenever the table is made
} sfnec_tuples;

void sfnec_tuples_init(sfnec_tuples *tuples, size_t size);
void sfnec_tuples_clear(sfnec_tuples *tuples);
// Fails with SFNEC_ERROR_MEMORY; *out is then empty.
sfnec_status sfnec_tuples_copy(const sfnec_tuples *tuples, sfnec_tuples *out);
size_t sfnec_tuples_bytes(const sfnec_tuples *tuples);

static inline const float *sfnec_tuples_at(const sfnec_tuples *tuples, uint32_t i) {
  return tuples->items + (size_t)i * tuples->size;
}

// The number of a tuple (size), compared bit for bit, or SFNEC_NO_TUPLE.
uint32_t sfnec_tuples_find(const sfnec_tuples *tuples, const float *tuple);
// Makes room for one more. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_tuples_reserve(sfnec_tuples *tuples);
// As find; a new one is added. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_tuples_add(sfnec_tuples *tuples, const float *tuple, uint32_t *number);

#endif
