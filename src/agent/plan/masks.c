// masks.c: which actions are allowed in the states of a model; see masks.h.
#include "agent/plan/masks.h"

#include <stdlib.h>

#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/grow.h"

static const char what[] = "the masks of a plan";

static size_t observation_size(const sfnec_masks *masks) {
  return masks->model->config->observation_size;
}

static size_t action_count(const sfnec_masks *masks) {
  return (size_t)masks->model->config->action_count;
}

// ---- life ----

sfnec_status sfnec_masks_init(sfnec_masks *masks, const sfnec_model *model) {
  *masks = (sfnec_masks){.model = model};
  masks->tuple = calloc(observation_size(masks), sizeof *masks->tuple);
  return masks->tuple ? SFNEC_OK : sfnec_fail_memory(what);
}

void sfnec_masks_clear(sfnec_masks *masks) {
  free(masks->entries), free(masks->observations), free(masks->allowed), free(masks->first), free(masks->tuple);
  sfnec_tuples_clear(&masks->contexts);
  *masks = (sfnec_masks){0};
}

size_t sfnec_masks_bytes(const sfnec_masks *masks) {
  const size_t entry = sizeof *masks->entries + observation_size(masks) * sizeof(float) + action_count(masks);
  return masks->room * entry + masks->state_room * sizeof *masks->first + sfnec_tuples_bytes(&masks->contexts);
}

// Room for one more entry.
static sfnec_status grow(sfnec_masks *masks) {
  if (masks->count < masks->room) return SFNEC_OK;
  const size_t room = masks->room ? 2 * (size_t)masks->room : SFNEC_ROOM_FIRST;
  const bool whole = SFNEC_WIDEN(masks->entries, room) &&
                     SFNEC_WIDEN(masks->observations, room * observation_size(masks)) &&
                     SFNEC_WIDEN(masks->allowed, room * action_count(masks));
  if (!whole) return sfnec_fail_memory(what);
  masks->room = (uint32_t)room;
  return SFNEC_OK;
}

// Room for the first entries of as many states as the model has.
static sfnec_status prepare(sfnec_masks *masks) {
  const uint32_t room = masks->model->state_room;
  if (room <= masks->state_room) return SFNEC_OK;
  if (!SFNEC_WIDEN(masks->first, room)) return sfnec_fail_memory(what);
  for (uint32_t i = masks->state_room; i < room; i++) masks->first[i] = SFNEC_NONE;
  masks->state_room = room;
  return SFNEC_OK;
}

// ---- finding ----

static const uint8_t *mask_at(const sfnec_masks *masks, uint32_t entry) {
  return masks->allowed + entry * action_count(masks);
}

static uint32_t first_of(const sfnec_masks *masks, uint32_t state) {
  return state < masks->state_room ? masks->first[state] : SFNEC_NONE;
}

// Components in which an entry's context differs from another one.
static size_t count_differences(const sfnec_masks *masks, uint32_t entry, const float *context) {
  const float *own = sfnec_tuples_at(&masks->contexts, masks->entries[entry].context);
  size_t count = 0;
  for (size_t i = 0; i < masks->contexts.size; i++) count += own[i] != context[i];
  return count;
}

// The entry of a state whose context differs least, and the last one added of several.
typedef struct found_entry {
  uint32_t entry;     // SFNEC_NONE: the state has none
  size_t differences; // of its context
  uint32_t others;    // entries of the state
} found_entry;

static found_entry find_nearest(const sfnec_masks *masks, uint32_t state, const float *context) {
  found_entry best = {.entry = SFNEC_NONE};
  for (uint32_t e = first_of(masks, state); e != SFNEC_NONE; e = masks->entries[e].next, best.others++) {
    const size_t differences = count_differences(masks, e, context);
    if (best.entry != SFNEC_NONE && differences >= best.differences) continue;
    best.entry = e;
    best.differences = differences;
  }
  return best;
}

const uint8_t *sfnec_masks_find(const sfnec_masks *masks, uint32_t state, const float *context) {
  const uint32_t first = first_of(masks, state);
  if (first == SFNEC_NONE) return NULL;
  const bool alone = masks->entries[first].next == SFNEC_NONE;
  return mask_at(masks, alone ? first : find_nearest(masks, state, context).entry);
}

bool sfnec_masks_allow_somewhere(const sfnec_masks *masks, uint32_t state, uint32_t action) {
  uint32_t e = first_of(masks, state);
  bool allowed = e == SFNEC_NONE;
  for (; e != SFNEC_NONE && !allowed; e = masks->entries[e].next) allowed = mask_at(masks, e)[action];
  return allowed;
}

// ---- noting ----

static void write_mask(sfnec_masks *masks, uint32_t entry, const float *observation, const uint8_t *mask) {
  const size_t d = observation_size(masks);
  uint8_t *to = masks->allowed + entry * action_count(masks);
  memmove(masks->observations + entry * d, observation, d * sizeof *observation);
  for (size_t a = 0; a < action_count(masks); a++) to[a] = sfnec_mask_allows(mask, (uint32_t)a);
}

// Whether an entry, SFNEC_NONE for one that allows all, says what a mask says.
static bool says(const sfnec_masks *masks, uint32_t entry, const uint8_t *mask) {
  if (entry == SFNEC_NONE) return !mask;
  bool same = true;
  for (size_t a = 0; a < action_count(masks); a++) {
    same &= mask_at(masks, entry)[a] == sfnec_mask_allows(mask, (uint32_t)a);
  }
  return same;
}

// Takes the context of an observation into the scratch.
static void read_context(sfnec_masks *masks, const float *observation) {
  const sfnec_scaling *scaling = &masks->model->scaling;
  for (size_t i = 0; i < scaling->slow_count; i++) {
    masks->tuple[i] = sfnec_scaling_read(scaling, observation, scaling->slow[i]);
  }
}

static void link_entry(sfnec_masks *masks, uint32_t entry, uint32_t state) {
  masks->entries[entry].state = state;
  masks->entries[entry].next = masks->first[state];
  masks->first[state] = entry;
}

// Takes the mask of an observation before there are states: an observation is known by its bytes.
static sfnec_status note_early(sfnec_masks *masks, const float *observation, const uint8_t *mask) {
  const size_t d = observation_size(masks);
  uint32_t entry = 0;
  while (entry < masks->count && memcmp(masks->observations + entry * d, observation, d * sizeof *observation) != 0)
    entry++;
  const sfnec_status status = grow(masks);
  if (status) return status;
  if (entry == masks->count) {
    masks->entries[masks->count++] = (sfnec_mask_entry){.state = SFNEC_NONE, .next = SFNEC_NONE};
  }
  write_mask(masks, entry, observation, mask);
  return SFNEC_OK;
}

static sfnec_status note(sfnec_masks *masks, uint32_t state, const float *observation, const uint8_t *mask,
                         bool *changed) {
  read_context(masks, observation);
  found_entry found = find_nearest(masks, state, masks->tuple);
  if (says(masks, found.entry, mask)) return SFNEC_OK;
  uint32_t context;
  sfnec_status status = sfnec_tuples_add(&masks->contexts, masks->tuple, &context);
  if (!status) status = prepare(masks);
  if (!status) status = grow(masks);
  if (status) return status;
  if (found.entry == SFNEC_NONE || (found.differences > 0 && found.others < SFNEC_MASKS_OF_STATE)) {
    found.entry = masks->count++;
    link_entry(masks, found.entry, state);
  }
  masks->entries[found.entry].context = context;
  write_mask(masks, found.entry, observation, mask);
  *changed = true;
  return SFNEC_OK;
}

sfnec_status sfnec_masks_note(sfnec_masks *masks, uint32_t state, const float *observation, const uint8_t *mask,
                              bool *changed) {
  *changed = false;
  if (!mask && masks->count == 0) return SFNEC_OK;
  return state == SFNEC_NONE ? note_early(masks, observation, mask) : note(masks, state, observation, mask, changed);
}

// ---- another model ----

static void unlink_all(sfnec_masks *masks) {
  for (uint32_t i = 0; i < masks->state_room; i++) masks->first[i] = SFNEC_NONE;
  sfnec_tuples_clear(&masks->contexts);
  sfnec_tuples_init(&masks->contexts, masks->model->scaling.slow_count);
}

// Notes all entries again, in their order: an entry is read before its place is written. Those that say nothing new go.
sfnec_status sfnec_masks_follow(sfnec_masks *masks, sfnec_index_scratch *search) {
  const sfnec_model *model = masks->model;
  const uint32_t count = masks->count;
  unlink_all(masks);
  masks->count = 0;
  if (count == 0 || model->state_count == 0) return SFNEC_OK;
  float *key = calloc(model->stride, sizeof *key);
  sfnec_status status = key ? SFNEC_OK : sfnec_fail_memory(what);
  for (uint32_t e = 0; e < count && !status; e++) {
    const float *observation = masks->observations + e * observation_size(masks);
    const uint8_t *mask = sfnec_mask_or_none(mask_at(masks, e), (uint32_t)action_count(masks));
    float squared;
    bool changed;
    sfnec_model_key(model, observation, key);
    status = note(masks, sfnec_model_nearest(model, search, key, &squared), observation, mask, &changed);
  }
  free(key);
  if (!status) return SFNEC_OK;
  unlink_all(masks);
  masks->count = 0;
  return status;
}

// ---- files ----

void sfnec_masks_save(const sfnec_masks *masks, sfnec_writer *writer) {
  const size_t d = observation_size(masks);
  sfnec_write_u32(writer, masks->count);
  for (uint32_t e = 0; e < masks->count; e++) {
    sfnec_write_u32(writer, masks->entries[e].state);
    plan_write_floats(writer, masks->observations + e * d, d);
    sfnec_write_bytes(writer, mask_at(masks, e), action_count(masks));
  }
}

// Reads the next entry into its place, for which there is room.
static sfnec_status load_entry(sfnec_masks *masks, sfnec_reader *reader) {
  const sfnec_model *model = masks->model;
  const uint32_t entry = masks->count;
  const size_t d = observation_size(masks), actions = action_count(masks);
  uint8_t *allowed = masks->allowed + entry * actions;
  sfnec_status status = SFNEC_OK;
  const uint32_t state = plan_read_number_or_none(reader, model->state_count, &status);
  if (!status) status = plan_read_floats(reader, masks->observations + entry * d, d);
  sfnec_read_bytes(reader, allowed, actions);
  bool good = sfnec_reader_good(reader) && model->fitted == (state != SFNEC_NONE);
  for (size_t a = 0; a < actions; a++) good &= allowed[a] <= 1;
  if (!status && (!good || !memchr(allowed, 1, actions))) {
    status = sfnec_reader_refuse(reader, "a mask of its actions is none");
  }
  if (status) return status;
  masks->entries[entry] = (sfnec_mask_entry){.state = SFNEC_NONE, .next = SFNEC_NONE};
  masks->count++;
  if (state == SFNEC_NONE) return SFNEC_OK;
  read_context(masks, masks->observations + entry * d);
  if (find_nearest(masks, state, masks->tuple).others >= SFNEC_MASKS_OF_STATE) {
    return sfnec_reader_refuse(reader, "a state has more masks than it may");
  }
  status = sfnec_tuples_add(&masks->contexts, masks->tuple, &masks->entries[entry].context);
  if (!status) link_entry(masks, entry, state);
  return status;
}

sfnec_status sfnec_masks_load(sfnec_masks *masks, sfnec_reader *reader) {
  const size_t least = sizeof(uint32_t) + observation_size(masks) * sizeof(float) + action_count(masks);
  uint32_t count;
  sfnec_status status = plan_read_count(reader, UINT32_MAX - 1, least, &count);
  unlink_all(masks);
  if (!status) status = prepare(masks);
  for (uint32_t e = 0; e < count && !status; e++) {
    status = grow(masks);
    if (!status) status = load_entry(masks, reader);
  }
  return status;
}
