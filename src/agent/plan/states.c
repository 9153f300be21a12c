// states.c: the states of a model, a set of representative states (Barreto et al. 2016) that grows where a key is
// further than a radius from all of them, their nearest neighbours, and the space for all that a model holds; see
// model.h.
#include <math.h>
#include <string.h>

#include "agent/plan/model.h"
#include "base/error.h"
#include "base/grow.h"

// ---- space ----

static sfnec_status fail_growth(void) {
  return sfnec_fail_memory("the states of a model");
}

static sfnec_status reserve_states(sfnec_model *model, size_t count) {
  if (count <= model->state_room) return SFNEC_OK;
  const size_t room = sfnec_room(count, SFNEC_ROOM_FIRST), cells = room * (size_t)model->config->action_count;
  const bool whole = SFNEC_WIDEN(model->states, room) && SFNEC_WIDEN(model->keys, room * model->stride) &&
                     SFNEC_WIDEN(model->cells, cells) && SFNEC_WIDEN(model->filled, cells) &&
                     SFNEC_WIDEN(model->predictions, cells) && SFNEC_WIDEN(model->plain, cells) &&
                     SFNEC_WIDEN(model->features, cells * model->config->psi_size) && SFNEC_WIDEN(model->queue, room);
  if (!whole) return fail_growth();
  model->state_room = (uint32_t)room;
  return SFNEC_OK;
}

static sfnec_status reserve_samples(sfnec_model *model, size_t count) {
  if (count <= model->sample_room) return SFNEC_OK;
  const size_t room = sfnec_room(count, SFNEC_SAMPLES_FIRST), d = model->config->observation_size;
  bool whole = SFNEC_WIDEN(model->samples, room) && SFNEC_WIDEN(model->origins, room * model->stride) &&
               SFNEC_WIDEN(model->targets, room * model->stride) &&
               SFNEC_WIDEN(model->sample_features, room * model->config->psi_size);
  if (model->polynomial.terms > 0) whole = whole && SFNEC_WIDEN(model->expected, room * model->polynomial.size);
  if (model->projects) whole = whole && SFNEC_WIDEN(model->before, room * d) && SFNEC_WIDEN(model->after, room * d);
  if (!whole) return fail_growth();
  model->sample_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_model_reserve_blocks(sfnec_model *model, size_t count) {
  if (count <= model->block_room) return SFNEC_OK;
  const size_t room = sfnec_room(count, SFNEC_ROOM_FIRST), outcomes = room * SFNEC_PREDICTION_OUTCOMES;
  const bool whole =
      SFNEC_WIDEN(model->blocks, outcomes) && SFNEC_WIDEN(model->block_features, outcomes * model->config->psi_size);
  if (!whole) return fail_growth();
  model->block_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_model_reserve_all_blocks(sfnec_model *model) {
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  uint32_t blocks = model->block_count;
  for (size_t i = 0; i < predictions; i++) blocks += model->predictions[i].block == SFNEC_NONE;
  return sfnec_model_reserve_blocks(model, blocks);
}

sfnec_status sfnec_model_reserve_effects(sfnec_model *model, size_t count) {
  if (count <= model->effect_room) return SFNEC_OK;
  const size_t n = model->config->psi_size, old = model->effect_room, room = sfnec_room(count, SFNEC_ROOM_FIRST);
  if (!SFNEC_WIDEN(model->effect_features, room * n) || !SFNEC_WIDEN(model->effect_seen, room)) return fail_growth();
  memset(model->effect_features + old * n, 0, (room - old) * n * sizeof *model->effect_features);
  memset(model->effect_seen + old, 0, (room - old) * sizeof *model->effect_seen);
  model->effect_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_model_reserve(sfnec_model *model, uint32_t states, uint32_t samples, uint32_t blocks) {
  sfnec_status status = reserve_states(model, states);
  if (!status) status = reserve_samples(model, samples);
  return status ? status : sfnec_model_reserve_blocks(model, blocks);
}

// ---- states ----

void sfnec_model_enqueue(sfnec_model *model, uint32_t state) {
  sfnec_state *at = &model->states[state];
  if (at->queued || at->terminal) return;
  at->queued = true;
  model->queue[model->queued++] = state;
}

static void mark_state(sfnec_model *model, uint32_t state) {
  const size_t actions = (size_t)model->config->action_count;
  for (size_t a = 0; a < actions; a++) model->predictions[state * actions + a].dirty = true;
  sfnec_model_enqueue(model, state);
}

// Puts a state into the list of a neighbour, if it is among the nearest.
static void introduce(sfnec_state *neighbour, uint32_t state, float squared) {
  uint32_t i = neighbour->neighbour_count;
  if (i == SFNEC_STATE_NEIGHBOURS) {
    if (squared >= neighbour->distances[--i]) return;
  } else {
    neighbour->neighbour_count++;
  }
  for (; i > 0 && neighbour->distances[i - 1] > squared; i--) {
    neighbour->distances[i] = neighbour->distances[i - 1];
    neighbour->neighbours[i] = neighbour->neighbours[i - 1];
  }
  neighbour->distances[i] = squared;
  neighbour->neighbours[i] = state;
}

static sfnec_status add_state(sfnec_model *model, const float *key, bool terminal, uint32_t *out) {
  sfnec_status status = reserve_states(model, model->state_count + 1);
  sfnec_neighbour near[SFNEC_STATE_NEIGHBOURS];
  const uint32_t found = model->index->ops->search(model->index, model->search, key, SFNEC_STATE_NEIGHBOURS, near);
  uint32_t slot = 0;
  if (!status) status = model->index->ops->insert(model->index, key, &slot);
  if (status) return status;
  const uint32_t p = model->state_count++;
  const size_t actions = (size_t)model->config->action_count;
  memcpy(model->keys + p * model->stride, key, model->stride * sizeof *key);
  sfnec_state *state = &model->states[p];
  *state = (sfnec_state){.terminal = terminal, .neighbour_count = found};
  const float zone = fmaxf(SFNEC_MOVE_REACH * model->step, 2.0f * model->radius);
  for (uint32_t i = 0; i < found; i++) {
    state->neighbours[i] = near[i].slot;
    state->distances[i] = near[i].squared;
    introduce(&model->states[near[i].slot], p, near[i].squared);
    if (near[i].squared < zone * zone) mark_state(model, near[i].slot);
  }
  for (size_t a = 0; a < actions; a++) {
    model->cells[p * actions + a] = SFNEC_NONE;
    model->filled[p * actions + a] = 0;
    model->predictions[p * actions + a] = (sfnec_prediction){.block = SFNEC_NONE, .distance = INFINITY, .dirty = true};
  }
  model->version++;
  *out = p;
  return SFNEC_OK;
}

uint32_t sfnec_model_nearest(const sfnec_model *model, sfnec_index_scratch *search, const float *key, float *squared) {
  sfnec_neighbour near[SFNEC_NEAREST];
  const uint32_t found = model->index->ops->search(model->index, search, key, SFNEC_NEAREST, near);
  for (uint32_t i = 0; i < found; i++) {
    if (model->states[near[i].slot].terminal) continue;
    *squared = near[i].squared;
    return near[i].slot;
  }
  *squared = found ? near[0].squared : INFINITY;
  return found ? near[0].slot : SFNEC_NONE;
}

void sfnec_model_note_recent(sfnec_model *model, uint32_t state) {
  if (model->recent[0] == state) return;
  model->recent[1] = model->recent[0];
  model->recent[0] = state;
}

// The state that a key is at to the bit, if it is one of the last two that were found so; else SFNEC_NONE. No two
// states in which an episode continues have the same key.
static uint32_t find_recent(const sfnec_model *model, const float *key) {
  for (size_t i = 0; i < 2; i++) {
    const uint32_t state = model->recent[i];
    if (state >= model->state_count || model->states[state].terminal) continue;
    if (memcmp(model->keys + state * model->stride, key, model->stride * sizeof *key) == 0) return state;
  }
  return SFNEC_NONE;
}

sfnec_status sfnec_model_state(sfnec_model *model, const float *key, bool terminal, uint32_t *state) {
  *state = terminal ? SFNEC_NONE : find_recent(model, key);
  if (*state != SFNEC_NONE) {
    model->states[*state].visits++;
    return SFNEC_OK;
  }
  sfnec_neighbour near[SFNEC_NEAREST];
  const uint32_t found = model->index->ops->search(model->index, model->search, key, SFNEC_NEAREST, near);
  const bool full = model->state_count >= (uint32_t)model->config->options.states;
  for (uint32_t i = 0; i < found; i++) {
    if (model->states[near[i].slot].terminal != terminal && !(full && i + 1 == found)) continue;
    if (near[i].squared > model->radius * model->radius && !full) break;
    *state = near[i].slot;
    model->states[*state].visits++;
    if (near[i].squared == 0.0f) sfnec_model_note_recent(model, *state);
    return SFNEC_OK;
  }
  return add_state(model, key, terminal, state);
}

sfnec_status sfnec_model_refine(sfnec_model *model, const float *key, float away, uint32_t *state) {
  float squared;
  sfnec_model_nearest(model, model->search, key, &squared);
  if (squared < away * away * model->step * model->step) return SFNEC_OK;
  if (model->state_count >= (uint32_t)model->config->options.states) return SFNEC_OK;
  return add_state(model, key, false, state);
}
