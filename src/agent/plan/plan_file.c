// plan_file.c: a planner in a file: its model (model_file.c) and the plan as it stands, so that a loaded planner goes
// on bit for bit. Values follow from what was known when they were made, not from what is known now; so they are saved
// too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "agent/plan/state.h"
#include "base/error.h"

// ---- the plan ----

// Writes what there is of an array, and zeros: values that there was no memory for are made when there is.
static void write_known(sfnec_writer *writer, const float *floats, size_t known, size_t count) {
  for (size_t i = 0; i < count; i++) plan_write_f32(writer, i < known ? floats[i] : 0.0f);
}

static void save_values(const sfnec_values *values, sfnec_writer *writer) {
  const sfnec_model *model = values->model;
  const size_t rows = (size_t)model->place_count * (size_t)model->config->action_count;
  const size_t known = values->place_count, known_rows = known * (size_t)model->config->action_count;
  plan_write_f32(writer, values->unit);
  plan_write_f32(writer, values->start_value);
  sfnec_write_u32(writer, values->start_place);
  sfnec_write_u32(writer, values->start_place == SFNEC_NONE ? 0 : values->start_context);
  sfnec_write_i64(writer, values->clock);
  sfnec_write_i64(writer, values->model_clock);
  sfnec_write_i64(writer, values->backups);
  sfnec_write_i64(writer, values->sweeps);
  plan_write_tuples(writer, &values->contexts);
  write_known(writer, values->base, known, model->place_count);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool there = e < values->effect_room;
    write_known(writer, there ? values->chances + (size_t)e * values->room : NULL, there ? known : 0,
                model->place_count);
  }
  for (size_t r = 0; r < rows; r++) sfnec_write_u32(writer, r < known_rows ? values->versions[r] : 0);
  write_known(writer, values->rewards, known_rows, rows);
  write_known(writer, values->excess, known_rows, rows);
  write_known(writer, values->block_rewards, (size_t)values->block_room * SFNEC_ROW_PARTS,
              (size_t)model->block_count * SFNEC_ROW_PARTS);
  sfnec_write_u32(writer, values->layer_count);
  for (uint32_t l = 0; l < values->layer_count; l++) {
    const sfnec_layer *layer = &values->layers[l];
    sfnec_write_u32(writer, layer->context);
    sfnec_write_i64(writer, layer->swept);
    sfnec_write_i64(writer, layer->changed);
    write_known(writer, layer->v, known, model->place_count);
    for (uint32_t e = 0; e < model->effects.count; e++) {
      sfnec_write_u32(writer, e < layer->effect_room ? layer->children[e] : SFNEC_NONE);
    }
  }
}

static sfnec_status load_layer(sfnec_values *values, uint32_t number, uint32_t count, sfnec_reader *reader) {
  const sfnec_model *model = values->model;
  sfnec_status status = SFNEC_OK;
  const uint32_t context = plan_read_number(reader, values->contexts.count, &status);
  if (!status && values->layer_of[context] != SFNEC_NONE) {
    status = sfnec_reader_refuse(reader, "a context of its plan has two layers");
  }
  if (status) return status;
  if (sfnec_values_layer(values, context) != number) return sfnec_fail_memory("a plan");
  sfnec_layer *layer = &values->layers[number];
  layer->swept = sfnec_read_i64(reader);
  layer->changed = sfnec_read_i64(reader);
  status = plan_read_within(reader, layer->v, model->place_count, SFNEC_VALUE_MOST);
  free(layer->children);
  layer->effect_room = 0;
  layer->children = sfnec_read_alloc(reader, model->effects.count, sizeof *layer->children);
  if (!layer->children) return sfnec_reader_refuse(reader, "");
  layer->effect_room = model->effects.count;
  for (uint32_t e = 0; e < model->effects.count; e++) {
    layer->children[e] = plan_read_number_or_none(reader, count, &status);
  }
  return status;
}

static sfnec_status load_values(sfnec_values *values, sfnec_reader *reader, bool has_excess) {
  const sfnec_model *model = values->model;
  const size_t rows = (size_t)model->place_count * (size_t)model->config->action_count;
  sfnec_status status = sfnec_values_reset(values);
  if (status) return status;
  values->unit = plan_read_f32(reader);
  values->start_value = plan_read_f32(reader);
  values->start_place = plan_read_number_or_none(reader, model->place_count, &status);
  const uint32_t start_context = sfnec_read_u32(reader);
  values->clock = sfnec_read_i64(reader);
  values->model_clock = sfnec_read_i64(reader);
  values->backups = sfnec_read_i64(reader);
  values->sweeps = sfnec_read_i64(reader);
  if (!status &&
      !(values->unit > 0.0f && values->unit <= SFNEC_REWARD_MOST && fabsf(values->start_value) <= SFNEC_VALUE_MOST)) {
    status = sfnec_reader_refuse(reader, "the measures of its plan are out of range");
  }
  const int64_t clocks[] = {values->clock, values->model_clock, values->backups, values->sweeps};
  for (size_t i = 0; i < 4 && !status; i++) {
    if (clocks[i] < 0 || clocks[i] > SFNEC_COUNT_MOST) {
      status = sfnec_reader_refuse(reader, "a clock of its plan is out of range");
    }
  }
  if (!status) status = sfnec_values_load_contexts(values, reader, plan_read_tuples);
  if (!status && values->start_place != SFNEC_NONE && start_context >= values->contexts.count) {
    status = sfnec_reader_refuse(reader, "its plan starts in a context that does not exist");
  }
  values->start_context = values->start_place == SFNEC_NONE ? 0 : start_context;
  if (!status) status = plan_read_within(reader, values->base, model->place_count, SFNEC_VALUE_MOST);
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    status = plan_read_within(reader, values->chances + (size_t)e * values->room, model->place_count, 1e6f);
  }
  for (size_t r = 0; r < rows; r++) values->versions[r] = sfnec_read_u32(reader);
  if (!status) status = plan_read_within(reader, values->rewards, rows, 5e6f * SFNEC_REWARD_MOST);
  if (!status && has_excess) status = plan_read_within(reader, values->excess, rows, SFNEC_EXCESS_MOST);
  for (size_t r = 0; r < rows && !status; r++) {
    if (values->excess[r] < 0.0f)
      status = sfnec_reader_refuse(reader, "what its plan promises too much is less than nothing");
  }
  const size_t block_rewards = (size_t)model->block_count * SFNEC_ROW_PARTS;
  if (!status) status = plan_read_within(reader, values->block_rewards, block_rewards, 5e6f * SFNEC_REWARD_MOST);
  uint32_t layers = 0;
  const size_t layer_bytes = (5 + (size_t)model->place_count + model->effects.count) * 4;
  if (!status) status = plan_read_count(reader, UINT32_MAX - 1, layer_bytes, &layers);
  for (uint32_t l = 0; l < layers && !status; l++) status = load_layer(values, l, layers, reader);
  return status;
}

// ---- the planner ----

// Bits beside in_episode: the file says what the planner hopes for, what promised too much, and when it earned
// something, as older ones do not.
enum { HAS_HOPE = 2, HAS_EXCESS = 4, HAS_EARNED = 8 };

void sfnec_planner_save(const sfnec_planner *planner, sfnec_writer *writer) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  sfnec_write_u64(writer, planner->random.counter);
  sfnec_write_i64(writer, planner->steps);
  sfnec_write_i64(writer, planner->next_fit);
  sfnec_write_i64(writer, planner->solved);
  sfnec_write_u32(writer, planner->waiting);
  for (uint32_t t = 0; t < planner->waiting; t++) {
    plan_write_floats(writer, planner->before + t * d, d);
    plan_write_floats(writer, planner->after + t * d, d);
    sfnec_write_bytes(writer, planner->features + t * n, n * sizeof(double));
    sfnec_write_u32(writer, planner->actions[t]);
    sfnec_write_u32(writer, planner->terminated[t]);
  }
  sfnec_write_u32(writer, planner->in_episode | HAS_HOPE | HAS_EXCESS | HAS_EARNED);
  plan_write_f32(writer, planner->values.hope);
  sfnec_write_i64(writer, planner->idle_since);
  sfnec_write_u32(writer, planner->known);
  sfnec_write_i64(writer, planner->earned_at);
  sfnec_write_i64(writer, planner->turned_at);
  sfnec_write_u32(writer, planner->values.practises);
  sfnec_write_u32(writer, planner->has_start);
  if (planner->has_start) plan_write_floats(writer, planner->start, d);
  sfnec_write_bytes(writer, planner->values.w, n * sizeof(double));
  if (planner->doubt) sfnec_write_bytes(writer, planner->doubt, n * n * sizeof(double));
  for (size_t i = 0; planner->seen && i < n; i++) sfnec_write_i64(writer, planner->seen[i]);
  sfnec_model_save(&planner->model, writer);
  if (!planner->model.fitted) return;
  save_values(&planner->values, writer);
  sfnec_write_u32(writer, planner->located);
  sfnec_write_u32(writer, planner->located ? planner->place : 0);
  sfnec_write_u32(writer, planner->located ? planner->context : 0);
  sfnec_write_u32(writer, (uint32_t)planner->promised | planner->promised_by << 1);
  plan_write_f32(writer, planner->promise);
  plan_write_f32(writer, planner->asked);
  sfnec_write_f64(writer, planner->debt);
  sfnec_write_u32(writer, planner->path_count);
  for (uint32_t i = 0; i < planner->path_count; i++) {
    sfnec_write_u32(writer, planner->path_places[i]);
    sfnec_write_u32(writer, planner->path_contexts[i]);
  }
}

static sfnec_status load_waiting(sfnec_planner *planner, sfnec_reader *reader) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  sfnec_status status = SFNEC_OK;
  planner->waiting = plan_read_number(reader, SFNEC_PLAN_WARM_UP, &status);
  for (uint32_t t = 0; t < planner->waiting && !status; t++) {
    status = plan_read_floats(reader, planner->before + t * d, d);
    if (!status) status = plan_read_floats(reader, planner->after + t * d, d);
    sfnec_read_bytes(reader, planner->features + t * n, n * sizeof(double));
    if (!status && !sfnec_all_within_f64(planner->features + t * n, n, SFNEC_NUMBER_MOST)) {
      status = sfnec_reader_refuse(reader, "features of its first transitions are out of range");
    }
    planner->actions[t] = plan_read_number(reader, (uint32_t)planner->config->action_count, &status);
    planner->terminated[t] = sfnec_read_u32(reader) != 0;
  }
  return status;
}

static sfnec_status load_hope(sfnec_planner *planner, sfnec_reader *reader) {
  planner->values.hope = plan_read_f32(reader);
  planner->idle_since = sfnec_read_i64(reader);
  planner->known = sfnec_read_u32(reader);
  if (planner->values.hope >= 1.0f && planner->values.hope <= SFNEC_HOPE_MOST && planner->idle_since >= 0 &&
      planner->idle_since <= planner->steps) {
    return SFNEC_OK;
  }
  return sfnec_reader_refuse(reader, "its planner hopes for more than it may");
}

static sfnec_status load_earned(sfnec_planner *planner, sfnec_reader *reader) {
  planner->earned_at = sfnec_read_i64(reader);
  planner->turned_at = sfnec_read_i64(reader);
  planner->values.practises = sfnec_read_u32(reader) != 0;
  if (planner->earned_at < 0 || planner->earned_at > planner->steps || planner->turned_at < 0 ||
      planner->turned_at > planner->steps) {
    return sfnec_reader_refuse(reader, "its planner has earned something in the future");
  }
  if (!planner->values.practises || planner->earned_at > 0) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "its planner practises what never earned anything");
}

static sfnec_status load_place_now(sfnec_planner *planner, sfnec_reader *reader, bool has_excess) {
  const uint32_t places = planner->model.place_count, contexts = planner->values.contexts.count;
  sfnec_status status = SFNEC_OK;
  planner->located = sfnec_read_u32(reader) != 0;
  const uint32_t place = sfnec_read_u32(reader), context = sfnec_read_u32(reader);
  const uint32_t promised = plan_read_number(reader, 2 * (uint32_t)planner->config->action_count, &status);
  planner->promised = promised & 1 && has_excess; // older files do not say by which action
  planner->promised_by = promised >> 1;
  planner->promise = plan_read_f32(reader);
  planner->asked = plan_read_f32(reader);
  planner->debt = sfnec_read_f64(reader);
  if ((planner->located && (place >= places || context >= contexts)) || !isfinite(planner->promise) ||
      !(fabsf(planner->asked) <= SFNEC_VALUE_MOST) || !isfinite(planner->debt)) {
    return sfnec_reader_refuse(reader, "its planner is nowhere");
  }
  planner->place = planner->located ? place : 0;
  planner->context = planner->located ? context : 0;
  planner->path_count = plan_read_number(reader, SFNEC_PLAN_PATH + 1, &status);
  for (uint32_t i = 0; i < planner->path_count; i++) {
    planner->path_places[i] = plan_read_number(reader, places, &status);
    planner->path_contexts[i] = plan_read_number(reader, contexts, &status);
  }
  return status;
}

sfnec_status sfnec_planner_load(sfnec_planner *planner, sfnec_reader *reader) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  planner->random.counter = sfnec_read_u64(reader);
  planner->steps = sfnec_read_i64(reader);
  planner->next_fit = sfnec_read_i64(reader);
  planner->solved = sfnec_read_i64(reader);
  if (planner->steps < 0 || planner->steps > SFNEC_COUNT_MOST || planner->next_fit < 1 || planner->solved < 0 ||
      planner->solved > planner->steps) {
    return sfnec_reader_refuse(reader, "the clocks of its planner are out of range");
  }
  sfnec_status status = load_waiting(planner, reader);
  const uint32_t flags = sfnec_read_u32(reader);
  planner->in_episode = flags & 1;
  planner->idle_since = planner->steps;
  if (!status && flags & HAS_HOPE) status = load_hope(planner, reader);
  if (!status && flags & HAS_EARNED) status = load_earned(planner, reader);
  planner->has_start = sfnec_read_u32(reader) != 0;
  if (!status && planner->has_start) status = plan_read_floats(reader, planner->start, d);
  sfnec_read_bytes(reader, planner->values.w, n * sizeof(double));
  if (!status && !sfnec_all_within_f64(planner->values.w, n, SFNEC_NUMBER_MOST)) {
    status = sfnec_reader_refuse(reader, "the weights of its plan are out of range");
  }
  if (planner->doubt) sfnec_read_bytes(reader, planner->doubt, n * n * sizeof(double));
  if (!status && planner->doubt && !sfnec_all_within_f64(planner->doubt, n * n, 1e30)) {
    status = sfnec_reader_refuse(reader, "what its plan knows of the weights is out of range");
  }
  for (size_t i = 0; planner->seen && i < n && !status; i++) {
    planner->seen[i] = sfnec_read_i64(reader);
    if (planner->seen[i] < 0 || planner->seen[i] > planner->steps) {
      status = sfnec_reader_refuse(reader, "it has seen a feature in the future");
    }
  }
  if (!status) status = sfnec_model_load(&planner->model, reader);
  if (status || !planner->model.fitted) return status;
  const bool has_excess = flags & HAS_EXCESS;
  status = load_values(&planner->values, reader, has_excess);
  return status ? status : load_place_now(planner, reader, has_excess);
}
