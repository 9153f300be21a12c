// recency.h: slots in the order of their use, a doubly linked list through an array; every change takes constant time.
//
// The memory keeps two: one in the order of last use (which entry goes next) and one in the order of insertion (how
// entries are saved).
#ifndef SFNEC_MEMORY_RECENCY_H
#define SFNEC_MEMORY_RECENCY_H

#include <stdint.h>

#include "sfnec/status.h"

// No slot: the end of a list.
#define SFNEC_NO_SLOT UINT32_MAX

typedef struct sfnec_recency_link {
  uint32_t older, newer;
} sfnec_recency_link;

typedef struct sfnec_recency {
  sfnec_recency_link *links; // (slots reserved)
  uint32_t oldest, newest;   // SFNEC_NO_SLOT if the list is empty
} sfnec_recency;

void sfnec_recency_init(sfnec_recency *list);
void sfnec_recency_free(sfnec_recency *list);

// Room for the slots 0 .. slots - 1. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_recency_reserve(sfnec_recency *list, uint32_t slots);

// Adds a slot that is not in the list, as the newest.
void sfnec_recency_add(sfnec_recency *list, uint32_t slot);
// Takes a slot out of the list.
void sfnec_recency_remove(sfnec_recency *list, uint32_t slot);
// Makes a slot of the list the newest.
void sfnec_recency_touch(sfnec_recency *list, uint32_t slot);

#endif
