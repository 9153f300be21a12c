// masks.h: which actions are allowed in the states of a model, as far as masks were seen there.
//
// A mask is kept for a state and a context, and only where the masks kept so far would say something else (condensed
// nearest neighbours; Hart 1968): a state whose mask does not depend on the context has one entry, and where no mask
// was seen all actions are allowed. The last mask counts. Entries keep their observations, so that they are found again
// in another model, which has other states.
#ifndef SFNEC_AGENT_PLAN_MASKS_H
#define SFNEC_AGENT_PLAN_MASKS_H

#include "agent/mask.h"
#include "agent/plan/model.h"

typedef struct sfnec_mask_entry {
  uint32_t state;   // SFNEC_NONE: there are no states yet
  uint32_t context; // that it was seen in, a number of `contexts`
  uint32_t next;    // the next entry of the state, or SFNEC_NONE
} sfnec_mask_entry;

typedef struct sfnec_masks {
  const sfnec_model *model;
  uint32_t count, room;
  sfnec_mask_entry *entries; // (room)
  float *observations;       // (room, d): where each was seen
  uint8_t *allowed;          // (room, actions)
  uint32_t state_room;
  uint32_t *first;       // (state_room): the first entry of each state, or SFNEC_NONE
  sfnec_tuples contexts; // of the entries
  float *tuple;          // (d): scratch
} sfnec_masks;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_masks_init(sfnec_masks *masks, const sfnec_model *model);
void sfnec_masks_clear(sfnec_masks *masks);
size_t sfnec_masks_bytes(const sfnec_masks *masks);

// Takes the mask of an observation (NULL: all actions are allowed) in a state of the model, SFNEC_NONE before there are
// states. `changed`: it differs from what was known. Fails with SFNEC_ERROR_MEMORY, and then nothing is noted.
sfnec_status sfnec_masks_note(sfnec_masks *masks, uint32_t state, const float *observation, const uint8_t *mask,
                              bool *changed);
// The model has other states and contexts: finds those of all entries again. Fails with SFNEC_ERROR_MEMORY; then all
// masks are forgotten, until they are seen again.
sfnec_status sfnec_masks_follow(sfnec_masks *masks, sfnec_index_scratch *search);

// The mask of a state in a context (slow components): as seen there, or in the context that differs least; NULL: all
// actions are allowed.
const uint8_t *sfnec_masks_find(const sfnec_masks *masks, uint32_t state, const float *context);
// Whether an action of a state is allowed in some context, as the masks that there are say.
bool sfnec_masks_allow_somewhere(const sfnec_masks *masks, uint32_t state, uint32_t action);
// The same; where there are no masks all is allowed, at no cost.
static inline bool sfnec_masks_allow_ever(const sfnec_masks *masks, uint32_t state, uint32_t action) {
  return masks->count == 0 || sfnec_masks_allow_somewhere(masks, state, action);
}

void sfnec_masks_save(const sfnec_masks *masks, sfnec_writer *writer);
// Into one just initialised, of a model that is loaded. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_masks_load(sfnec_masks *masks, sfnec_reader *reader);

#endif
