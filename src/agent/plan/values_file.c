// values_file.c: a plan in a file: its values, and what planning is in the middle of, so that a loaded planner resumes
// bit for bit. Values follow from what was known when they were made, not from what is known now; so they are saved
// too.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "agent/plan/internal.h"
#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/fields.h"

// ---- what planning is in the middle of ----

// limits of what a plan names
enum { STATES = 1, SWEPT, CLOCK, TABLES, MOST_TABLES };

static const sfnec_fields sweep_fields = SFNEC_FIELDS(
    "a sweep of its plan", {SFNEC_UP_TO(sfnec_sweep, turn, SFNEC_SWEEPS - 1)}, {SFNEC_ANY(sfnec_sweep, at)},
    {SFNEC_BELOW(sfnec_sweep, states, SWEPT)}, {SFNEC_UP_TO(sfnec_sweep, change, FLT_MAX)},
    {SFNEC_UP_TO(sfnec_sweep, greatest, FLT_MAX)}, {SFNEC_BELOW(sfnec_sweep, began, CLOCK)});

static const sfnec_fields planning_fields =
    SFNEC_FIELDS("its plan", {SFNEC_ANY(sfnec_planning, left)}, {SFNEC_ANY(sfnec_planning, afresh)},
                 {SFNEC_ANY(sfnec_planning, quiet)}, {SFNEC_UP_TO(sfnec_planning, stage, SFNEC_STAGE_BESIDE)});

static const sfnec_fields trajectory_fields =
    SFNEC_FIELDS("a trajectory of its plan", {SFNEC_ANY(sfnec_planning, found)},
                 {SFNEC_BELOW(sfnec_planning, table, TABLES)}, {SFNEC_BELOW(sfnec_planning, state, STATES)},
                 {SFNEC_ANY(sfnec_planning, depth)}, {SFNEC_BELOW(sfnec_planning, count, MOST_TABLES)});

static const sfnec_fields way_fields =
    SFNEC_FIELDS("a trajectory of its plan", {SFNEC_COUNTED(sfnec_planning, way, count), .below = TABLES});

static void save_sweep(const sfnec_sweep *sweep, sfnec_writer *writer) {
  sfnec_write_u32(writer, (uint32_t)sweep->going | (uint32_t)sweep->back << 1);
  if (sweep->going) sfnec_fields_save(&sweep_fields, sweep, writer);
}

static void save_planning(const sfnec_planning *planning, sfnec_writer *writer) {
  sfnec_fields_save(&planning_fields, planning, writer);
  if (planning->stage == SFNEC_STAGE_NONE) return;
  save_sweep(&planning->sweep, writer);
  sfnec_write_u32(writer, planning->stage == SFNEC_STAGE_FIRST ? planning->effect : 0);
  if (planning->stage == SFNEC_STAGE_FIRST) return;
  sfnec_fields_save(&trajectory_fields, planning, writer);
  if (planning->stage != SFNEC_STAGE_BESIDE) sfnec_fields_save(&way_fields, planning, writer);
}

static sfnec_status load_sweep(sfnec_sweep *sweep, const uint64_t *limits, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  *sweep = (sfnec_sweep){.going = flags & 1, .back = flags >> 1 & 1};
  if (!sweep->going) return SFNEC_OK;
  const sfnec_status status = sfnec_fields_load(&sweep_fields, sweep, limits, 0, reader);
  if (status || sweep->at <= sweep->states) return status;
  return sfnec_reader_refuse(reader, "its plan is in the middle of a sweep that none can be");
}

static sfnec_status load_trajectory(sfnec_planning *planning, const uint64_t *limits, sfnec_reader *reader) {
  sfnec_status status = sfnec_fields_load(&trajectory_fields, planning, limits, 0, reader);
  const bool empty = planning->count == 0 && (planning->stage == SFNEC_STAGE_WALK || planning->sweep.going);
  if (!status && empty) status = sfnec_reader_refuse(reader, "its plan sweeps no table");
  if (status || planning->stage == SFNEC_STAGE_BESIDE) return status;
  return sfnec_fields_load(&way_fields, planning, limits, 0, reader);
}

static sfnec_status load_planning(sfnec_values *values, sfnec_reader *reader) {
  sfnec_planning *planning = &values->planning;
  const uint32_t tables = values->table_count, states = values->model->state_count;
  sfnec_status status = sfnec_fields_load(&planning_fields, planning, NULL, 0, reader);
  if (status || planning->stage == SFNEC_STAGE_NONE) return status;
  const bool beside = planning->stage == SFNEC_STAGE_BESIDE;
  const uint64_t limits[] = {states, (uint64_t)states + 1, (uint64_t)values->clock + 1, tables,
                             (uint64_t)(beside ? tables : SFNEC_TRAJECTORY_TABLES) + 1};
  status = load_sweep(&planning->sweep, limits, reader);
  planning->effect = sfnec_read_u32(reader);
  if (!status && planning->effect >= values->model->effects.count) {
    status = sfnec_reader_refuse(reader, "its plan solves for an effect that does not exist");
  }
  if (status || planning->stage == SFNEC_STAGE_FIRST) return status;
  return load_trajectory(planning, limits, reader);
}

// ---- values ----

// Writes what there is of an array, and zeros: values that there was no memory for are made when there is.
static void write_known(sfnec_writer *writer, const float *floats, size_t known, size_t count) {
  for (size_t i = 0; i < count; i++) plan_write_f32(writer, i < known ? floats[i] : 0.0f);
}

// The same for a number of each state (NULL: zeros). A state that there was no memory for has that of the one it will
// begin with (values.c).
static void write_settled(sfnec_writer *writer, const sfnec_values *values, const float *floats) {
  const sfnec_model *model = values->model;
  for (uint32_t p = 0; p < model->state_count; p++) {
    uint32_t as = p;
    while (as != SFNEC_NONE && as >= values->state_count) {
      const sfnec_state *state = &model->states[as];
      as = state->neighbour_count && state->neighbours[0] < as ? state->neighbours[0] : SFNEC_NONE;
    }
    plan_write_f32(writer, floats && as != SFNEC_NONE ? floats[as] : 0.0f);
  }
}

static const sfnec_fields reward_fields =
    SFNEC_FIELDS("its plan", {SFNEC_WITHIN(sfnec_values, reward_scale, FLT_TRUE_MIN, SFNEC_REWARD_MOST)},
                 {SFNEC_WITHIN(sfnec_values, start_value, -SFNEC_VALUE_MOST, SFNEC_VALUE_MOST)},
                 {SFNEC_BELOW(sfnec_values, start_state, STATES), .or_none = true});

static const sfnec_fields clock_fields =
    SFNEC_FIELDS("its plan", {SFNEC_ANY(sfnec_values, clock)}, {SFNEC_ANY(sfnec_values, model_clock)},
                 {SFNEC_ANY(sfnec_values, backups)}, {SFNEC_ANY(sfnec_values, sweeps)});

void sfnec_values_save(const sfnec_values *values, sfnec_writer *writer) {
  const sfnec_model *model = values->model;
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  const size_t known_predictions = (size_t)values->state_count * (size_t)model->config->action_count;
  sfnec_fields_save(&reward_fields, values, writer);
  sfnec_write_u32(writer, values->start_state == SFNEC_NONE ? 0 : values->start_context);
  sfnec_fields_save(&clock_fields, values, writer);
  plan_write_tuples(writer, &values->contexts);
  write_settled(writer, values, values->base);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool there = e < values->effect_room;
    write_settled(writer, values, there ? values->chances + (size_t)e * values->room : NULL);
  }
  for (size_t r = 0; r < predictions; r++) sfnec_write_u32(writer, r < known_predictions ? values->versions[r] : 0);
  write_known(writer, values->rewards, known_predictions, predictions);
  write_known(writer, values->overestimate, known_predictions, predictions);
  write_known(writer, values->block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES,
              (size_t)model->block_count * SFNEC_PREDICTION_OUTCOMES);
  sfnec_write_u32(writer, values->table_count);
  for (uint32_t l = 0; l < values->table_count; l++) {
    const sfnec_value_table *table = &values->tables[l];
    sfnec_write_u32(writer, table->context);
    plan_write_count(writer, table->swept);
    plan_write_count(writer, table->changed);
    write_settled(writer, values, table->v);
    for (uint32_t e = 0; e < model->effects.count; e++) {
      sfnec_write_u32(writer, e < table->effect_room ? table->children[e] : SFNEC_NONE);
    }
  }
  save_planning(&values->planning, writer);
}

static sfnec_status load_table(sfnec_values *values, uint32_t number, uint32_t count, sfnec_reader *reader) {
  const sfnec_model *model = values->model;
  sfnec_status status = SFNEC_OK;
  const uint32_t context = plan_read_number(reader, values->contexts.count, &status);
  if (!status && values->table_of[context] != SFNEC_NONE) {
    status = sfnec_reader_refuse(reader, "a context of its plan has two tables");
  }
  if (status) return status;
  if (sfnec_values_table(values, context) != number) return sfnec_fail_memory("a plan");
  sfnec_value_table *table = &values->tables[number];
  table->swept = sfnec_read_i64(reader);
  table->changed = sfnec_read_i64(reader);
  status = plan_read_within(reader, table->v, model->state_count, SFNEC_VALUE_MOST);
  free(table->children);
  table->effect_room = 0;
  table->children = sfnec_read_alloc(reader, model->effects.count, sizeof *table->children);
  if (!table->children) return sfnec_reader_refuse(reader, "");
  table->effect_room = model->effects.count;
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    table->children[e] = plan_read_number_or_none(reader, count, &status);
  }
  return status;
}

sfnec_status sfnec_values_load(sfnec_values *values, bool has_overestimate, bool has_planning, sfnec_reader *reader) {
  const sfnec_model *model = values->model;
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  // what is made room for stands in the file: base, chances, and for each prediction a version and a reward
  if (!sfnec_reader_holds(reader, model->state_count,
                          (1 + model->effects.count + 2 * (size_t)model->config->action_count) * sizeof(float)) ||
      !sfnec_reader_holds(reader, model->block_count, SFNEC_PREDICTION_OUTCOMES * sizeof(float))) {
    return sfnec_reader_refuse(reader, "the values of its plan end early");
  }
  sfnec_status status = sfnec_values_reset(values);
  if (status) return status;
  const uint64_t limits[] = {model->state_count};
  status = sfnec_fields_load(&reward_fields, values, limits, 0, reader);
  const uint32_t start_context = sfnec_read_u32(reader);
  if (!status) status = sfnec_fields_load(&clock_fields, values, NULL, 0, reader);
  if (!status) status = sfnec_values_load_contexts(values, reader, plan_read_tuples);
  if (!status && values->start_state != SFNEC_NONE && start_context >= values->contexts.count) {
    status = sfnec_reader_refuse(reader, "its plan starts in a context that does not exist");
  }
  values->start_context = values->start_state == SFNEC_NONE ? 0 : start_context;
  if (!status) status = plan_read_within(reader, values->base, model->state_count, SFNEC_VALUE_MOST);
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    status =
        plan_read_within(reader, values->chances + (size_t)e * values->room, model->state_count, SFNEC_CHANCE_MOST);
  }
  for (size_t r = 0; r < predictions && !status; r++) values->versions[r] = sfnec_read_u32(reader);
  if (!status) status = plan_read_within(reader, values->rewards, predictions, 5e6f * SFNEC_REWARD_MOST);
  if (!status && has_overestimate)
    status = plan_read_within(reader, values->overestimate, predictions, SFNEC_OVERESTIMATE_MOST);
  for (size_t r = 0; r < predictions && !status; r++) {
    if (values->overestimate[r] < 0.0f) status = sfnec_reader_refuse(reader, "an overestimate of its plan is below 0");
  }
  const size_t block_rewards = (size_t)model->block_count * SFNEC_PREDICTION_OUTCOMES;
  if (!status) status = plan_read_within(reader, values->block_rewards, block_rewards, 5e6f * SFNEC_REWARD_MOST);
  uint32_t tables = 0;
  const size_t table_bytes = (5 + (size_t)model->state_count + model->effects.count) * 4;
  if (!status) status = plan_read_count(reader, UINT32_MAX - 1, table_bytes, &tables);
  for (uint32_t l = 0; l < tables && !status; l++) status = load_table(values, l, tables, reader);
  return status || !has_planning ? status : load_planning(values, reader);
}
