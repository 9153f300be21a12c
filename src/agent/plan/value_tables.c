// value_tables.c: a table of values for each context that planning meets, and how effects lead from one to the next;
// see values.h. The first values of a table are those of a relaxed problem, in which each effect that pays is made
// alone, as heuristics of planners are (relaxed plans; Hoffmann and Nebel 2001): value iteration corrects them.
#include <stdlib.h>
#include <string.h>

#include "agent/plan/labels.h"
#include "agent/plan/values.h"
#include "base/error.h"
#include "base/grow.h"

// ---- life ----

void sfnec_values_drop_tables(sfnec_values *values) {
  for (uint32_t i = 0; i < values->table_count; i++) values->table_of[values->tables[i].context] = SFNEC_NONE;
  values->table_count = 0; // their arrays serve the next ones
  if (values->planning.stage != SFNEC_STAGE_FIRST) values->planning.stage = SFNEC_STAGE_NONE;
}

void sfnec_values_free_spare(sfnec_values *values, uint32_t most) {
  if (most < values->table_count) most = values->table_count;
  while (values->table_made > most) {
    sfnec_value_table *spare = &values->tables[--values->table_made];
    free(spare->v);
    free(spare->children);
    free(spare->other);
  }
}

// ---- contexts ----

// Space for the tables of all contexts.
static sfnec_status follow_contexts(sfnec_values *values) {
  const uint32_t room = values->contexts.capacity;
  if (room <= values->context_room) return SFNEC_OK;
  if (!SFNEC_WIDEN(values->table_of, room)) return sfnec_fail_memory("the contexts of a plan");
  for (uint32_t i = values->context_room; i < room; i++) values->table_of[i] = SFNEC_NONE;
  values->context_room = room;
  return SFNEC_OK;
}

// The number of a context, or SFNEC_NONE if there is no memory.
static uint32_t number(sfnec_values *values, const float *tuple) {
  uint32_t context = SFNEC_NONE;
  if (sfnec_tuples_add(&values->contexts, tuple, &context) || follow_contexts(values)) {
    values->starved = true;
    return SFNEC_NONE;
  }
  return context;
}

sfnec_status sfnec_values_load_contexts(sfnec_values *values, sfnec_reader *reader,
                                        sfnec_status (*read)(sfnec_reader *, sfnec_tuples *, float *)) {
  const sfnec_status status = read(reader, &values->contexts, values->tuple);
  return status ? status : follow_contexts(values);
}

sfnec_status sfnec_values_context(sfnec_values *values, const float *observation, uint32_t *context) {
  const sfnec_scaling *scaling = &values->model->scaling;
  for (size_t i = 0; i < scaling->slow_count; i++) {
    values->tuple[i] = sfnec_scaling_read(scaling, observation, scaling->slow[i]);
  }
  *context = number(values, values->tuple);
  return *context == SFNEC_NONE ? sfnec_fail_memory("the contexts of a plan") : SFNEC_OK;
}

// The context after an effect.
static uint32_t context_after(sfnec_values *values, uint32_t context, uint32_t effect) {
  const sfnec_model *model = values->model;
  const float *c = sfnec_tuples_at(&values->contexts, context), *e = sfnec_tuples_at(&model->effects, effect);
  bool same = true;
  for (size_t i = 0; i < model->scaling.slow_count; i++) {
    values->tuple[i] = sfnec_effect_touches(model, effect, i) ? e[i] : c[i];
    same &= values->tuple[i] == c[i];
  }
  return same ? context : number(values, values->tuple);
}

// Whether an effect is made already in a context.
static bool is_made(const sfnec_values *values, uint32_t context, uint32_t effect) {
  const sfnec_model *model = values->model;
  const float *c = sfnec_tuples_at(&values->contexts, context), *e = sfnec_tuples_at(&model->effects, effect);
  for (size_t i = 0; i < model->scaling.slow_count; i++) {
    if (sfnec_effect_touches(model, effect, i) && e[i] != c[i]) return false;
  }
  return true;
}

// ---- tables ----

// Memory for one more table.
static bool make_table(sfnec_values *values) {
  if (values->table_made == values->table_room) {
    const uint32_t room = values->table_room ? 2 * values->table_room : 16;
    if (!SFNEC_WIDEN(values->tables, room)) return false;
    values->table_room = room;
  }
  float *v = calloc(values->room + 1, sizeof *v);
  if (v) values->tables[values->table_made++] = (sfnec_value_table){.v = v};
  return v != NULL;
}

sfnec_status sfnec_values_reserve_table(sfnec_values *values) {
  sfnec_status status = sfnec_tuples_reserve(&values->contexts);
  if (!status) status = follow_contexts(values);
  if (status || values->table_count < values->table_made || make_table(values)) return status;
  return sfnec_fail_memory("a plan");
}

// What the states are worth without effects, and what each good effect that is still to make is worth from there.
static void first_values(sfnec_values *values, sfnec_value_table *table) {
  const sfnec_model *model = values->model;
  if (!sfnec_model_uses(model, SFNEC_WITHOUT_FIRST_VALUES)) return; // zeros
  memcpy(table->v, values->base, model->state_count * sizeof(float));
  const size_t n = model->config->psi_size;
  const uint32_t most = values->effect_room < model->effect_room ? values->effect_room : model->effect_room;
  for (uint32_t e = 1; e < model->effects.count && e < most; e++) {
    const double reward = sfnec_values_reward_of(values, model->effect_features + e * n);
    if (!(reward > 0.0) || is_made(values, table->context, e)) continue;
    const float *chance = values->chances + (size_t)e * values->room;
    const float good = sfnec_bounded(reward, SFNEC_REWARD_MOST);
    for (uint32_t p = 0; p < model->state_count; p++) table->v[p] = sfnec_value_bounded(table->v[p] + good * chance[p]);
  }
}

uint32_t sfnec_values_table(sfnec_values *values, uint32_t context) {
  if (values->table_of[context] != SFNEC_NONE) return values->table_of[context];
  if (values->table_count == values->table_made && !make_table(values)) {
    values->starved = true;
    return SFNEC_NONE;
  }
  sfnec_value_table *table = &values->tables[values->table_count];
  table->context = context;
  table->swept = -1;
  table->changed = values->clock;
  memset(table->v, 0, values->room * sizeof *table->v);
  for (uint32_t i = 0; i < table->effect_room; i++) table->children[i] = SFNEC_NONE;
  values->table_of[context] = values->table_count;
  if (values->judge && sfnec_judge_ask(values->judge, sfnec_tuples_at(&values->contexts, context), &table->other))
    values->starved = true;
  first_values(values, table);
  return values->table_count++;
}

uint32_t sfnec_values_table_after(sfnec_values *values, uint32_t table, uint32_t effect) {
  sfnec_value_table *from = &values->tables[table];
  if (effect == 0) return table;
  if (effect >= from->effect_room) {
    const uint32_t room = values->model->effects.count + 4;
    if (!SFNEC_WIDEN(from->children, room)) {
      values->starved = true;
      return table;
    }
    for (uint32_t i = from->effect_room; i < room; i++) from->children[i] = SFNEC_NONE;
    from->effect_room = room;
  }
  if (from->children[effect] != SFNEC_NONE) return from->children[effect];
  const uint32_t context = context_after(values, from->context, effect);
  const uint32_t to = context == SFNEC_NONE ? SFNEC_NONE : sfnec_values_table(values, context);
  if (to == SFNEC_NONE) return table;
  values->tables[table].children[effect] = to;
  return to;
}
