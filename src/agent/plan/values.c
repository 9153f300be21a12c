// values.c: see values.h.
#include "agent/plan/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

// ---- life ----

sfnec_status sfnec_values_init(sfnec_values *values, const sfnec_model *model, const sfnec_masks *masks,
                               bool explores) {
  *values = (sfnec_values){.model = model,
                           .masks = masks,
                           .explores = explores,
                           .reward_scale = 1.0f,
                           .optimism = 1.0f,
                           .start_state = SFNEC_NONE};
  values->w = calloc(model->config->psi_size, sizeof *values->w);
  values->tuple = calloc(model->config->observation_size, sizeof *values->tuple);
  return values->w && values->tuple ? SFNEC_OK : sfnec_fail_memory("the values of a plan");
}

void sfnec_values_clear(sfnec_values *values) {
  sfnec_values_drop_tables(values);
  sfnec_values_free_spare(values, 0);
  sfnec_tuples_clear(&values->contexts);
  free(values->tuple);
  free(values->w), free(values->rewards), free(values->versions), free(values->overestimate),
      free(values->block_rewards);
  free(values->tables), free(values->table_of), free(values->base), free(values->chances);
  *values = (sfnec_values){0};
}

// A block of its own with what an array holds; NULL for NULL, and without memory.
static void *copy_of(const void *array, size_t count, size_t size) {
  void *copy = array ? malloc((count ? count : 1) * size) : NULL;
  if (copy) memcpy(copy, array, count * size);
  return copy;
}

#define COPY(array, count)                                                                                             \
  do {                                                                                                                 \
    out->array = copy_of(values->array, count, sizeof *out->array);                                                    \
    whole &= out->array || !values->array;                                                                             \
  } while (0)

sfnec_status sfnec_values_copy(const sfnec_values *values, sfnec_values *out) {
  const size_t predictions = values->room * (size_t)values->model->config->action_count;
  *out = *values;
  out->tables = NULL, out->table_of = NULL;
  out->table_count = out->table_made = out->table_room = out->context_room = 0;
  bool whole = !sfnec_tuples_copy(&values->contexts, &out->contexts);
  COPY(w, values->model->config->psi_size);
  COPY(tuple, values->model->config->observation_size);
  COPY(rewards, predictions);
  COPY(versions, predictions);
  COPY(overestimate, predictions);
  COPY(block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES);
  COPY(base, values->room);
  COPY(chances, (size_t)values->effect_room * values->room);
  if (whole) return SFNEC_OK;
  sfnec_values_clear(out);
  return sfnec_fail_memory("the values of a plan");
}

size_t sfnec_values_bytes(const sfnec_values *values) {
  const size_t actions = (size_t)values->model->config->action_count;
  size_t children = 0;
  for (uint32_t i = 0; i < values->table_made; i++) children += values->tables[i].effect_room;
  return children * sizeof(uint32_t) + sfnec_tuples_bytes(&values->contexts) +
         values->room * (actions * (values->explores ? 12 : 8) + 4) + (size_t)values->effect_room * values->room * 4 +
         (size_t)values->table_made * (values->room * 4 + sizeof(sfnec_value_table)) + values->context_room * 4 +
         (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES * 4;
}

#define EXTEND(array, old, new)                                                                                        \
  do {                                                                                                                 \
    if (!SFNEC_WIDEN(array, new)) return sfnec_fail_memory("the values of a plan");                                    \
    if ((new) > (old)) memset((array) + (old), 0, ((new) - (old)) * sizeof *(array));                                  \
  } while (0)

static sfnec_status follow_states(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  const size_t old = values->room, new = model->state_room > values->room ? model->state_room : values->room;
  if (new != old) {
    EXTEND(values->rewards, old * actions, new *actions);
    EXTEND(values->versions, old * actions, new *actions);
    if (values->explores) EXTEND(values->overestimate, old * actions, new *actions);
    EXTEND(values->base, old, new);
    sfnec_values_free_spare(values, 0); // else they would all grow with the states
    for (uint32_t i = 0; i < values->table_made; i++) EXTEND(values->tables[i].v, old, new);
  }
  const size_t effects = model->effects.count;
  if (new != old || effects > values->effect_room) {
    const size_t effect_room = effects > values->effect_room ? 2 * effects : values->effect_room;
    float *chances = calloc(effect_room * new + 1, sizeof *chances);
    if (!chances) return sfnec_fail_memory("the values of a plan");
    for (size_t e = 0; e < values->effect_room; e++) {
      memcpy(chances + e * new, values->chances + e * old, old * sizeof *chances);
    }
    free(values->chances);
    values->chances = chances;
    values->effect_room = (uint32_t)effect_room;
  }
  values->room = (uint32_t) new;
  return SFNEC_OK;
}

// A new state begins with the values of the nearest one.
static void settle_states(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  for (uint32_t p = values->state_count; p < model->state_count; p++) {
    const sfnec_state *state = &model->states[p];
    const bool inherits = state->neighbour_count && sfnec_model_uses(model, SFNEC_WITHOUT_INHERITANCE);
    const uint32_t from = inherits ? state->neighbours[0] : SFNEC_NONE;
    values->base[p] = 0.0f;
    for (size_t r = p * actions; r < (p + 1) * actions; r++) {
      values->rewards[r] = 0.0f;
      values->versions[r] = 0;
      if (values->overestimate) values->overestimate[r] = 0.0f;
    }
    if (from == SFNEC_NONE || from >= p) continue; // it is the first, or its nearest is newer still
    values->base[p] = values->base[from];
    for (uint32_t e = 0; e < values->effect_room; e++) {
      values->chances[(size_t)e * values->room + p] = values->chances[(size_t)e * values->room + from];
    }
    for (uint32_t i = 0; i < values->table_count; i++) values->tables[i].v[p] = values->tables[i].v[from];
  }
  values->state_count = model->state_count;
}

sfnec_status sfnec_values_follow(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const sfnec_status status = follow_states(values);
  if (status) return status;
  if (model->block_room > values->block_room) {
    EXTEND(values->block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES,
           (size_t)model->block_room * SFNEC_PREDICTION_OUTCOMES);
    values->block_room = model->block_room;
  }
  settle_states(values);
  return SFNEC_OK;
}

sfnec_status sfnec_values_reset(sfnec_values *values) {
  const size_t slow = values->model->scaling.slow_count;
  sfnec_values_drop_tables(values);
  sfnec_tuples_clear(&values->contexts);
  sfnec_tuples_init(&values->contexts, slow);
  // states have other numbers now
  free(values->chances);
  values->chances = NULL;
  values->effect_room = values->block_room = values->state_count = 0;
  values->start_state = SFNEC_NONE;
  values->planning = (sfnec_planning){.stage = SFNEC_STAGE_NONE};
  return sfnec_values_follow(values);
}

float sfnec_values_reward_scale(const sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  double reward_scale = 0.0;
  for (size_t i = 0; i < model->config->psi_size; i++) reward_scale += fabs(w[i]) * (double)model->greatest[i];
  return reward_scale > SFNEC_GREATEST_LEAST ? sfnec_bounded(reward_scale, SFNEC_REWARD_MOST) : 1.0f;
}

static void weigh(sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  memcpy(values->w, w, model->config->psi_size * sizeof *w);
  values->reward_scale = sfnec_values_reward_scale(values, w);
  const size_t predictions = (size_t)values->room * (size_t)model->config->action_count;
  if (predictions) memset(values->versions, 0, predictions * sizeof *values->versions);
  if (predictions && values->overestimate) memset(values->overestimate, 0, predictions * sizeof *values->overestimate);
}

void sfnec_values_reweigh(sfnec_values *values, const double *w) {
  weigh(values, w);
  values->model_clock = ++values->clock;
}

sfnec_status sfnec_values_begin(sfnec_values *values, const double *w) {
  sfnec_values_drop_tables(values);
  values->start_value = 0.0f;
  values->clock = values->model_clock = values->sweeps = 0;
  const sfnec_status status = sfnec_values_follow(values);
  if (status) return status;
  weigh(values, w);
  if (values->room) memset(values->base, 0, values->room * sizeof *values->base);
  return SFNEC_OK;
}
