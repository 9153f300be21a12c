// recency.c: slots in the order of their use.
#include "memory/recency.h"

#include <stdlib.h>

#include "base/error.h"

void sfnec_recency_init(sfnec_recency *list) {
  *list = (sfnec_recency){.links = NULL, .oldest = SFNEC_NO_SLOT, .newest = SFNEC_NO_SLOT};
}

void sfnec_recency_free(sfnec_recency *list) {
  free(list->links);
  sfnec_recency_init(list);
}

sfnec_status sfnec_recency_reserve(sfnec_recency *list, uint32_t slots) {
  sfnec_recency_link *links = realloc(list->links, slots * sizeof *links);
  if (!links) return sfnec_fail_memory("the recency of a memory");
  list->links = links;
  return SFNEC_OK;
}

void sfnec_recency_add(sfnec_recency *list, uint32_t slot) {
  list->links[slot] = (sfnec_recency_link){.older = list->newest, .newer = SFNEC_NO_SLOT};
  if (list->newest != SFNEC_NO_SLOT) list->links[list->newest].newer = slot;
  else list->oldest = slot;
  list->newest = slot;
}

void sfnec_recency_remove(sfnec_recency *list, uint32_t slot) {
  const sfnec_recency_link link = list->links[slot];
  if (link.older != SFNEC_NO_SLOT) list->links[link.older].newer = link.newer;
  else list->oldest = link.newer;
  if (link.newer != SFNEC_NO_SLOT) list->links[link.newer].older = link.older;
  else list->newest = link.older;
}

void sfnec_recency_touch(sfnec_recency *list, uint32_t slot) {
  if (slot == list->newest) return;
  sfnec_recency_remove(list, slot);
  sfnec_recency_add(list, slot);
}
