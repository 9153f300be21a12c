// plan_file.c: a planner in a file: the model with its places, samples and rows, and the plan as it stands, so that a
// loaded planner goes on bit for bit. Rows and values follow from what was known when they were made, not from what is
// known now; so they are saved too.
//
// Everything that is read is checked before it is used: numbers of things against how many there are, counts against
// the bytes that are left, floats for being numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/state.h"
#include "base/error.h"
#include "base/vector.h"

// ---- small things ----

static void write_f32(sfnec_writer *writer, float value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

static float read_f32(sfnec_reader *reader) {
  float value = 0.0f;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

static void write_floats(sfnec_writer *writer, const float *floats, size_t count) {
  if (count) sfnec_write_bytes(writer, floats, count * sizeof *floats);
}

// Reads floats into an array that is there; all must be finite.
static sfnec_status read_floats(sfnec_reader *reader, float *floats, size_t count) {
  sfnec_read_bytes(reader, floats, count * sizeof *floats);
  if (sfnec_all_finite_f32(floats, count)) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "a number of its model is not finite");
}

// The same, and none may be beyond `most`: from larger ones the next backup would not be finite.
static sfnec_status read_within(sfnec_reader *reader, float *floats, size_t count, float most) {
  const sfnec_status status = read_floats(reader, floats, count);
  bool good = true;
  for (size_t i = 0; i < count; i++) good &= fabsf(floats[i]) <= most;
  return status || good ? status : sfnec_reader_refuse(reader, "a number of its model is too large");
}

// A count of things of which each has at least some bytes in the file.
static sfnec_status read_count(sfnec_reader *reader, uint32_t most, size_t least_bytes, uint32_t *count) {
  *count = sfnec_read_u32(reader);
  if (*count <= most && (uint64_t)*count * least_bytes <= sfnec_reader_left(reader)) return SFNEC_OK;
  *count = 0;
  return sfnec_reader_refuse(reader, "its model claims more than the file holds");
}

// A number of something of which there are so many.
static uint32_t read_number(sfnec_reader *reader, uint32_t count, sfnec_status *status) {
  const uint32_t number = sfnec_read_u32(reader);
  if (number < count) return number;
  if (!*status) *status = sfnec_reader_refuse(reader, "its model names something that does not exist");
  return 0;
}

static uint32_t read_number_or_none(sfnec_reader *reader, uint32_t count, sfnec_status *status) {
  const uint32_t number = sfnec_read_u32(reader);
  if (number < count || number == SFNEC_NONE) return number;
  if (!*status) *status = sfnec_reader_refuse(reader, "its model names something that does not exist");
  return SFNEC_NONE;
}

static void write_tuples(sfnec_writer *writer, const sfnec_tuples *tuples) {
  sfnec_write_u32(writer, tuples->count);
  write_floats(writer, tuples->items, (size_t)tuples->count * tuples->size);
}

static sfnec_status read_tuples(sfnec_reader *reader, sfnec_tuples *tuples, float *tuple) {
  uint32_t count;
  sfnec_status status = read_count(reader, UINT32_MAX - 1, tuples->size * sizeof(float), &count);
  if (!status && tuples->size == 0 && count > 1) status = sfnec_reader_refuse(reader, "a context stands there twice");
  for (uint32_t i = 0; i < count && !status; i++) {
    uint32_t number;
    status = read_floats(reader, tuple, tuples->size);
    if (!status) status = sfnec_tuples_add(tuples, tuple, &number);
    if (!status && number != i) status = sfnec_reader_refuse(reader, "a context stands there twice");
  }
  return status;
}

// ---- scales ----

static void save_scaling(const sfnec_scaling *scaling, sfnec_writer *writer) {
  sfnec_write_i64(writer, scaling->moves);
  sfnec_write_i64(writer, scaling->seen);
  sfnec_write_u32(writer, scaling->one_hot);
  sfnec_write_u32(writer, scaling->dark);
  sfnec_write_u32(writer, scaling->exact);
  sfnec_write_u32(writer, (uint32_t)scaling->slow_count);
  for (size_t i = 0; i < scaling->slow_count; i++) sfnec_write_u32(writer, scaling->slow[i]);
  for (size_t i = 0; i < scaling->size && scaling->seen > 0; i++) {
    const sfnec_component *component = &scaling->components[i];
    write_f32(writer, component->low);
    write_f32(writer, component->high);
    sfnec_write_f64(writer, component->squares);
    sfnec_write_i64(writer, component->changes);
    sfnec_write_i64(writer, component->rises);
    sfnec_write_i64(writer, component->quick);
    sfnec_write_i64(writer, component->changed);
    sfnec_write_u32(writer, component->value_count);
    write_floats(writer, component->values, SFNEC_SCALING_VALUES);
    write_f32(writer, scaling->scale[i]);
  }
}

static sfnec_status load_component(sfnec_scaling *scaling, size_t i, sfnec_reader *reader) {
  sfnec_component *component = &scaling->components[i];
  component->low = read_f32(reader);
  component->high = read_f32(reader);
  component->squares = sfnec_read_f64(reader);
  component->changes = sfnec_read_i64(reader);
  component->rises = sfnec_read_i64(reader);
  component->quick = sfnec_read_i64(reader);
  component->changed = sfnec_read_i64(reader);
  const uint32_t values = sfnec_read_u32(reader);
  component->value_count = (uint8_t)values;
  const sfnec_status status = read_floats(reader, component->values, SFNEC_SCALING_VALUES);
  scaling->scale[i] = read_f32(reader);
  const bool good = isfinite(component->low) && isfinite(component->high) && component->low <= component->high &&
                    isfinite(component->squares) && component->squares >= 0.0 && component->changes >= 0 &&
                    component->changes <= scaling->moves && component->rises >= 0 &&
                    component->rises <= component->changes && component->quick >= 0 &&
                    component->quick <= component->changes && component->changed >= 0 &&
                    component->changed <= scaling->seen && values <= SFNEC_SCALING_VALUES + 1 &&
                    isfinite(scaling->scale[i]) && scaling->scale[i] >= 0.0f;
  if (status || good) return status;
  return sfnec_reader_refuse(reader, "what its model knows of a component contradicts itself");
}

static sfnec_status load_scaling(sfnec_scaling *scaling, bool fitted, sfnec_reader *reader) {
  scaling->moves = sfnec_read_i64(reader);
  scaling->seen = sfnec_read_i64(reader);
  scaling->one_hot = sfnec_read_u32(reader) != 0;
  scaling->dark = sfnec_read_u32(reader) != 0;
  scaling->exact = sfnec_read_u32(reader) != 0;
  const uint32_t slow = sfnec_read_u32(reader);
  if (scaling->moves < 0 || scaling->seen < scaling->moves || scaling->seen > SFNEC_COUNT_MOST ||
      slow >= scaling->size + !fitted) {
    return sfnec_reader_refuse(reader, "the scales of its model contradict themselves");
  }
  scaling->slow_count = slow;
  for (size_t i = 0; i < slow; i++) {
    scaling->slow[i] = sfnec_read_u32(reader);
    if (scaling->slow[i] >= scaling->size || (i > 0 && scaling->slow[i] <= scaling->slow[i - 1])) {
      return sfnec_reader_refuse(reader, "the slow components of its model are not in order");
    }
  }
  size_t next = 0;
  for (size_t i = 0; i < scaling->size && fitted; i++) {
    if (next < slow && scaling->slow[next] == i) {
      next++;
    } else {
      scaling->fast[scaling->fast_count++] = (uint32_t)i;
    }
  }
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < scaling->size && scaling->seen > 0 && !status; i++)
    status = load_component(scaling, i, reader);
  return status;
}

// ---- parts and rows ----

static void save_part(const sfnec_part *part, const float *features, size_t n, sfnec_writer *writer) {
  write_f32(writer, part->weight);
  write_f32(writer, part->terminal);
  sfnec_write_u32(writer, part->before);
  sfnec_write_u32(writer, part->effect);
  sfnec_write_u32(writer, part->variant);
  sfnec_write_u32(writer, part->count);
  for (uint32_t i = 0; i < part->count; i++) sfnec_write_u32(writer, part->places[i]);
  write_floats(writer, part->shares, part->count);
  write_floats(writer, features, n);
}

static sfnec_status load_part(const sfnec_model *model, sfnec_part *part, float *features, sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  *part = (sfnec_part){.weight = read_f32(reader)};
  part->terminal = read_f32(reader);
  part->before = read_number(reader, model->contexts.count, &status);
  part->effect = read_number(reader, model->effects.count, &status);
  part->variant = read_number(reader, SFNEC_ROW_PARTS, &status);
  part->count = read_number(reader, SFNEC_PART_PLACES + 1, &status);
  float sum = part->terminal;
  for (uint32_t i = 0; i < part->count; i++) part->places[i] = read_number(reader, model->place_count, &status);
  if (!status) status = read_floats(reader, part->shares, part->count);
  for (uint32_t i = 0; i < part->count; i++) sum += part->shares[i] >= 0.0f ? part->shares[i] : INFINITY;
  if (!status) status = read_within(reader, features, model->config->psi_size, 2.0f * SFNEC_FEATURE_MOST);
  // shares of a whole: more would let values grow without end
  if (!status && !(part->weight > 0.0f && part->weight <= 1.001f && part->terminal >= 0.0f && sum <= 1.001f)) {
    status = sfnec_reader_refuse(reader, "the shares of a row of its model are not shares");
  }
  return status;
}

static void save_row(const sfnec_model *model, size_t at, sfnec_writer *writer) {
  const sfnec_row *row = &model->rows[at];
  const size_t n = model->config->psi_size;
  sfnec_write_u32(writer, row->version);
  sfnec_write_u32(writer, row->block);
  sfnec_write_u32(writer, row->dirty);
  sfnec_write_u32(writer, row->relevant_count);
  for (uint32_t i = 0; i < row->relevant_count; i++) sfnec_write_u32(writer, row->relevant[i]);
  write_f32(writer, row->distance);
  write_f32(writer, row->reach);
  write_f32(writer, row->seen);
  write_f32(writer, row->forgotten);
  sfnec_write_u32(writer, row->part_count);
  const sfnec_part *parts = sfnec_row_parts(model, at);
  const float *features = sfnec_row_features(model, at);
  for (uint32_t p = 0; p < row->part_count; p++) save_part(&parts[p], features + p * n, n, writer);
}

static sfnec_status load_row(sfnec_model *model, size_t at, sfnec_reader *reader) {
  sfnec_row *row = &model->rows[at];
  const size_t n = model->config->psi_size;
  sfnec_status status = SFNEC_OK;
  *row = (sfnec_row){.version = sfnec_read_u32(reader)};
  row->block = read_number_or_none(reader, model->block_count, &status);
  row->dirty = sfnec_read_u32(reader) != 0;
  row->relevant_count = read_number(reader, SFNEC_ROW_RELEVANT + 1, &status);
  for (uint32_t i = 0; i < row->relevant_count; i++) {
    row->relevant[i] = read_number(reader, (uint32_t)model->contexts.size, &status);
  }
  row->distance = read_f32(reader);
  row->reach = read_f32(reader);
  row->seen = read_f32(reader);
  row->forgotten = read_f32(reader);
  row->part_count = read_number(reader, row->block == SFNEC_NONE ? 2 : SFNEC_ROW_PARTS + 1, &status);
  if (!status && (!(row->distance >= 0.0f) || !(row->reach >= 0.0f) || !(row->seen >= 0.0f && row->seen < 1e30f) ||
                  !(row->forgotten >= 0.0f && row->forgotten <= 1.001f))) {
    status = sfnec_reader_refuse(reader, "a row of its model has numbers that none can have");
  }
  const size_t first = row->block == SFNEC_NONE ? at : (size_t)row->block * SFNEC_ROW_PARTS;
  sfnec_part *parts = (row->block == SFNEC_NONE ? model->plain : model->blocks) + first;
  float *features = (row->block == SFNEC_NONE ? model->features : model->block_features) + first * n;
  for (uint32_t p = 0; p < row->part_count && !status; p++) {
    status = load_part(model, &parts[p], features + p * n, reader);
  }
  return status;
}

// ---- places and samples ----

static void save_place(const sfnec_model *model, uint32_t p, sfnec_writer *writer) {
  const sfnec_place *place = &model->places[p];
  const size_t actions = (size_t)model->config->action_count;
  sfnec_write_u32(writer, place->visits);
  sfnec_write_u32(writer, place->terminal);
  sfnec_write_u32(writer, place->barred);
  sfnec_write_u32(writer, place->neighbour_count);
  for (uint32_t i = 0; i < place->neighbour_count; i++) sfnec_write_u32(writer, place->neighbours[i]);
  write_floats(writer, place->distances, place->neighbour_count);
  write_floats(writer, model->keys + p * model->stride, model->key_size);
  for (size_t a = 0; a < actions; a++) sfnec_write_u32(writer, model->cells[p * actions + a]);
}

static sfnec_status load_place(sfnec_model *model, uint32_t p, uint32_t count, uint32_t samples, sfnec_reader *reader) {
  sfnec_place *place = &model->places[p];
  const size_t actions = (size_t)model->config->action_count;
  sfnec_status status = SFNEC_OK;
  *place = (sfnec_place){.visits = sfnec_read_u32(reader)};
  place->terminal = sfnec_read_u32(reader) != 0;
  place->barred = sfnec_read_u32(reader);
  place->neighbour_count = read_number(reader, SFNEC_PLACE_NEIGHBOURS + 1, &status);
  for (uint32_t i = 0; i < place->neighbour_count; i++) place->neighbours[i] = read_number(reader, count, &status);
  if (!status) status = read_floats(reader, place->distances, place->neighbour_count);
  float *key = model->keys + p * model->stride;
  memset(key, 0, model->stride * sizeof *key);
  if (!status) status = read_within(reader, key, model->key_size, SFNEC_KEY_MOST);
  for (size_t a = 0; a < actions; a++) {
    model->cells[p * actions + a] = read_number_or_none(reader, samples, &status);
    model->filled[p * actions + a] = 0;
  }
  uint32_t slot = 0;
  if (!status) status = model->index->ops->insert(model->index, key, &slot);
  if (!status && slot != p) status = sfnec_reader_refuse(reader, "a place of its model stands there twice");
  return status;
}

static void save_sample(const sfnec_model *model, uint32_t s, sfnec_writer *writer) {
  const sfnec_sample *sample = &model->samples[s];
  sfnec_write_u32(writer, sample->sibling);
  sfnec_write_u32(writer, sample->place);
  sfnec_write_u32(writer, sample->action);
  sfnec_write_u32(writer, sample->target);
  sfnec_write_u32(writer, sample->before);
  sfnec_write_u32(writer, sample->effect);
  sfnec_write_u32(writer, sample->count);
  sfnec_write_u32(writer, sample->terminated);
  sfnec_write_u32(writer, sample->forgotten);
  write_floats(writer, model->origins + s * model->stride, model->key_size);
  write_floats(writer, model->targets + s * model->stride, model->key_size);
  write_floats(writer, model->sample_features + s * model->config->psi_size, model->config->psi_size);
}

static sfnec_status load_sample(sfnec_model *model, uint32_t s, uint32_t count, sfnec_reader *reader) {
  sfnec_sample *sample = &model->samples[s];
  sfnec_status status = SFNEC_OK;
  *sample = (sfnec_sample){.sibling = read_number_or_none(reader, count, &status)};
  sample->place = read_number(reader, model->place_count, &status);
  sample->action = read_number(reader, (uint32_t)model->config->action_count, &status);
  sample->target = read_number(reader, model->place_count, &status);
  sample->before = read_number(reader, model->contexts.count, &status);
  sample->effect = read_number(reader, model->effects.count, &status);
  sample->count = sfnec_read_u32(reader);
  sample->terminated = sfnec_read_u32(reader) != 0;
  sample->forgotten = sfnec_read_u32(reader) != 0;
  if (!status && (sample->count == 0 || sample->count > SFNEC_COUNT_KNOWN)) {
    status = sfnec_reader_refuse(reader, "a sample of its model stands for nothing, or for too much");
  }
  float *origin = model->origins + s * model->stride, *target = model->targets + s * model->stride;
  memset(origin, 0, model->stride * sizeof *origin);
  memset(target, 0, model->stride * sizeof *target);
  if (!status) status = read_within(reader, origin, model->key_size, 2.0f * SFNEC_KEY_MOST);
  if (!status) status = read_within(reader, target, model->key_size, 2.0f * SFNEC_KEY_MOST);
  if (status) return status;
  const size_t n = model->config->psi_size;
  return read_within(reader, model->sample_features + s * n, n, 2.0f * SFNEC_FEATURE_MOST);
}

// Every sample stands once in the list of its place and action, and nowhere else.
static sfnec_status check_lists(sfnec_model *model, sfnec_reader *reader) {
  const size_t actions = (size_t)model->config->action_count;
  uint32_t seen = 0;
  for (size_t cell = 0; cell < model->place_count * actions; cell++) {
    for (uint32_t s = model->cells[cell]; s != SFNEC_NONE; s = model->samples[s].sibling) {
      const sfnec_sample *sample = &model->samples[s];
      if ((size_t)sample->place * actions + sample->action != cell || seen++ == model->sample_count ||
          model->filled[cell] == UINT8_MAX) {
        return sfnec_reader_refuse(reader, "the samples of its model are not where they belong");
      }
      model->filled[cell]++;
    }
  }
  if (seen == model->sample_count) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "the samples of its model are not where they belong");
}

// ---- the model ----

static void save_model(const sfnec_model *model, sfnec_writer *writer) {
  const size_t n = model->config->psi_size, actions = (size_t)model->config->action_count;
  sfnec_write_u32(writer, model->fitted);
  sfnec_write_u32(writer, model->contexts_off);
  sfnec_write_u64(writer, model->version);
  write_floats(writer, model->greatest, n);
  save_scaling(&model->scaling, writer);
  if (!model->fitted) return;
  write_f32(writer, model->step);
  write_f32(writer, model->radius);
  write_floats(writer, model->low, model->key_size);
  write_floats(writer, model->high, model->key_size);
  sfnec_write_f64(writer, model->visits);
  sfnec_write_f64(writer, model->returns);
  sfnec_write_f64(writer, model->repeats);
  sfnec_write_f64(writer, model->surprises);
  write_tuples(writer, &model->contexts);
  write_tuples(writer, &model->effects);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool known = e < model->effect_room;
    sfnec_write_u32(writer, known ? model->effect_seen[e] : 0);
    for (size_t i = 0; i < n; i++) write_f32(writer, known ? model->effect_features[e * n + i] : 0.0f);
  }
  sfnec_write_u32(writer, model->place_count);
  sfnec_write_u32(writer, model->sample_count);
  sfnec_write_u32(writer, model->block_count);
  for (uint32_t p = 0; p < model->place_count; p++) save_place(model, p, writer);
  for (uint32_t s = 0; s < model->sample_count; s++) save_sample(model, s, writer);
  for (size_t r = 0; r < model->place_count * actions; r++) save_row(model, r, writer);
  sfnec_write_u32(writer, model->queued);
  for (uint32_t i = 0; i < model->queued; i++) sfnec_write_u32(writer, model->queue[i]);
}

static sfnec_status load_numbers(sfnec_model *model, sfnec_reader *reader) {
  model->step = read_f32(reader);
  model->radius = read_f32(reader);
  sfnec_status status = read_within(reader, model->low, model->key_size, SFNEC_KEY_MOST);
  if (!status) status = read_within(reader, model->high, model->key_size, SFNEC_KEY_MOST);
  model->visits = sfnec_read_f64(reader);
  model->returns = sfnec_read_f64(reader);
  model->repeats = sfnec_read_f64(reader);
  model->surprises = sfnec_read_f64(reader);
  const double counts[] = {model->visits, model->returns, model->repeats, model->surprises};
  bool good = model->step >= 1e-7f && model->step <= 1e20f && model->radius >= 1e-4f * model->step &&
              model->radius <= 1e6f * model->step;
  for (size_t i = 0; i < 4; i++) good &= counts[i] >= 0.0 && counts[i] < 1e30;
  if (!status && !good) status = sfnec_reader_refuse(reader, "the measures of its model are out of range");
  return status;
}

static sfnec_status load_effects(sfnec_model *model, sfnec_reader *reader) {
  const size_t n = model->config->psi_size, count = model->effects.count;
  if (count == 0) return sfnec_reader_refuse(reader, "its model has no effects, not even none");
  model->effect_features = sfnec_read_alloc(reader, count * n, sizeof(float));
  model->effect_seen = sfnec_read_alloc(reader, count, sizeof(uint32_t));
  if (!model->effect_features || !model->effect_seen) return sfnec_reader_refuse(reader, "");
  model->effect_room = (uint32_t)count;
  sfnec_status status = SFNEC_OK;
  for (size_t e = 0; e < count && !status; e++) {
    model->effect_seen[e] = sfnec_read_u32(reader);
    status = read_within(reader, model->effect_features + e * n, n, 2.0f * SFNEC_FEATURE_MOST);
    if (!status && model->effect_seen[e] > SFNEC_COUNT_KNOWN) {
      status = sfnec_reader_refuse(reader, "an effect of its model was seen too often");
    }
  }
  return status;
}

static sfnec_status load_content(sfnec_model *model, sfnec_reader *reader) {
  const size_t n = model->config->psi_size, actions = (size_t)model->config->action_count;
  const size_t sample_bytes = (9 + 2 * model->key_size + n) * 4, place_bytes = (4 + model->key_size + actions) * 4;
  uint32_t places, samples, blocks;
  sfnec_status status = read_count(reader, (uint32_t)model->config->options.places, place_bytes, &places);
  if (!status) status = read_count(reader, UINT32_MAX - 1, sample_bytes, &samples);
  if (!status) status = read_count(reader, UINT32_MAX / SFNEC_ROW_PARTS - 1, 4, &blocks);
  if (!status && (places == 0 || blocks > places * actions)) {
    status = sfnec_reader_refuse(reader, "its model claims more than the file holds");
  }
  if (!status) status = sfnec_model_reserve(model, places, samples, blocks);
  for (uint32_t p = 0; p < places && !status; p++) status = load_place(model, p, places, samples, reader);
  if (!status) model->place_count = places;
  for (uint32_t s = 0; s < samples && !status; s++) status = load_sample(model, s, samples, reader);
  if (!status) model->sample_count = samples, model->block_count = blocks;
  if (!status) status = check_lists(model, reader);
  for (size_t r = 0; r < places * actions && !status; r++) status = load_row(model, r, reader);
  if (status) return status;
  status = read_count(reader, places, sizeof(uint32_t), &model->queued);
  for (uint32_t i = 0; i < model->queued && !status; i++) {
    model->queue[i] = read_number(reader, places, &status);
    if (!status && model->places[model->queue[i]].queued) status = sfnec_reader_refuse(reader, "a place waits twice");
    model->places[model->queue[i]].queued = true;
  }
  return status;
}

static sfnec_status load_model(sfnec_model *model, sfnec_reader *reader) {
  const bool fitted = sfnec_read_u32(reader) != 0;
  model->contexts_off = sfnec_read_u32(reader) != 0;
  model->version = sfnec_read_u64(reader);
  sfnec_status status = read_within(reader, model->greatest, model->config->psi_size, SFNEC_FEATURE_MOST);
  if (!status) status = load_scaling(&model->scaling, fitted, reader);
  if (status || !fitted) return status;
  if (model->scaling.seen == 0) return sfnec_reader_refuse(reader, "its model has scales, and has seen nothing");
  status = sfnec_model_prepare(model);
  if (!status) status = load_numbers(model, reader);
  if (!status) status = read_tuples(reader, &model->contexts, model->tuple);
  sfnec_tuples_clear(&model->effects); // the file has the one that is none too
  if (!status) status = read_tuples(reader, &model->effects, model->tuple);
  if (!status) status = load_effects(model, reader);
  if (!status) status = load_content(model, reader);
  model->fitted = !status;
  return status;
}

// ---- the plan ----

// Writes what there is of an array, and zeros: values that there was no memory for are made when there is.
static void write_known(sfnec_writer *writer, const float *floats, size_t known, size_t count) {
  for (size_t i = 0; i < count; i++) write_f32(writer, i < known ? floats[i] : 0.0f);
}

static void save_values(const sfnec_values *values, sfnec_writer *writer) {
  const sfnec_model *model = values->model;
  const size_t rows = (size_t)model->place_count * (size_t)model->config->action_count;
  const size_t known = values->place_count, known_rows = known * (size_t)model->config->action_count;
  write_f32(writer, values->unit);
  write_f32(writer, values->start_value);
  sfnec_write_u32(writer, values->start_place);
  sfnec_write_u32(writer, values->start_place == SFNEC_NONE ? 0 : values->start_context);
  sfnec_write_i64(writer, values->clock);
  sfnec_write_i64(writer, values->model_clock);
  sfnec_write_i64(writer, values->backups);
  sfnec_write_i64(writer, values->sweeps);
  write_tuples(writer, &values->contexts);
  write_known(writer, values->base, known, model->place_count);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool there = e < values->effect_room;
    write_known(writer, there ? values->chances + (size_t)e * values->room : NULL, there ? known : 0,
                model->place_count);
  }
  for (size_t r = 0; r < rows; r++) sfnec_write_u32(writer, r < known_rows ? values->versions[r] : 0);
  write_known(writer, values->rewards, known_rows, rows);
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
  const uint32_t context = read_number(reader, values->contexts.count, &status);
  if (!status && values->layer_of[context] != SFNEC_NONE) {
    status = sfnec_reader_refuse(reader, "a context of its plan has two layers");
  }
  if (status) return status;
  if (sfnec_values_layer(values, context) != number) return sfnec_fail_memory("a plan");
  sfnec_layer *layer = &values->layers[number];
  layer->swept = sfnec_read_i64(reader);
  layer->changed = sfnec_read_i64(reader);
  status = read_within(reader, layer->v, model->place_count, SFNEC_VALUE_MOST);
  free(layer->children);
  layer->effect_room = 0;
  layer->children = sfnec_read_alloc(reader, model->effects.count, sizeof *layer->children);
  if (!layer->children) return sfnec_reader_refuse(reader, "");
  layer->effect_room = model->effects.count;
  for (uint32_t e = 0; e < model->effects.count; e++) {
    layer->children[e] = read_number_or_none(reader, count, &status);
  }
  return status;
}

static sfnec_status load_values(sfnec_values *values, sfnec_reader *reader) {
  const sfnec_model *model = values->model;
  const size_t rows = (size_t)model->place_count * (size_t)model->config->action_count;
  sfnec_status status = sfnec_values_reset(values);
  if (status) return status;
  values->unit = read_f32(reader);
  values->start_value = read_f32(reader);
  values->start_place = read_number_or_none(reader, model->place_count, &status);
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
  if (!status) status = sfnec_values_load_contexts(values, reader, read_tuples);
  if (!status && values->start_place != SFNEC_NONE && start_context >= values->contexts.count) {
    status = sfnec_reader_refuse(reader, "its plan starts in a context that does not exist");
  }
  values->start_context = values->start_place == SFNEC_NONE ? 0 : start_context;
  if (!status) status = read_within(reader, values->base, model->place_count, SFNEC_VALUE_MOST);
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    status = read_within(reader, values->chances + (size_t)e * values->room, model->place_count, 1e6f);
  }
  for (size_t r = 0; r < rows; r++) values->versions[r] = sfnec_read_u32(reader);
  if (!status) status = read_within(reader, values->rewards, rows, 1e7f * SFNEC_REWARD_MOST);
  const size_t block_rewards = (size_t)model->block_count * SFNEC_ROW_PARTS;
  if (!status) status = read_within(reader, values->block_rewards, block_rewards, 1e7f * SFNEC_REWARD_MOST);
  uint32_t layers = 0;
  const size_t layer_bytes = (5 + (size_t)model->place_count + model->effects.count) * 4;
  if (!status) status = read_count(reader, UINT32_MAX - 1, layer_bytes, &layers);
  for (uint32_t l = 0; l < layers && !status; l++) status = load_layer(values, l, layers, reader);
  return status;
}

// ---- the planner ----

void sfnec_planner_save(const sfnec_planner *planner, sfnec_writer *writer) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  sfnec_write_u64(writer, planner->random.counter);
  sfnec_write_i64(writer, planner->steps);
  sfnec_write_i64(writer, planner->next_fit);
  sfnec_write_i64(writer, planner->solved);
  sfnec_write_u32(writer, planner->waiting);
  for (uint32_t t = 0; t < planner->waiting; t++) {
    write_floats(writer, planner->before + t * d, d);
    write_floats(writer, planner->after + t * d, d);
    sfnec_write_bytes(writer, planner->features + t * n, n * sizeof(double));
    sfnec_write_u32(writer, planner->actions[t]);
    sfnec_write_u32(writer, planner->terminated[t]);
  }
  sfnec_write_u32(writer, planner->in_episode);
  sfnec_write_u32(writer, planner->has_start);
  if (planner->has_start) write_floats(writer, planner->start, d);
  sfnec_write_bytes(writer, planner->values.w, n * sizeof(double));
  save_model(&planner->model, writer);
  if (!planner->model.fitted) return;
  save_values(&planner->values, writer);
  sfnec_write_u32(writer, planner->located);
  sfnec_write_u32(writer, planner->located ? planner->place : 0);
  sfnec_write_u32(writer, planner->located ? planner->context : 0);
  sfnec_write_u32(writer, planner->promised);
  write_f32(writer, planner->promise);
  write_f32(writer, planner->asked);
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
  planner->waiting = read_number(reader, SFNEC_PLAN_WARM_UP, &status);
  for (uint32_t t = 0; t < planner->waiting && !status; t++) {
    status = read_floats(reader, planner->before + t * d, d);
    if (!status) status = read_floats(reader, planner->after + t * d, d);
    sfnec_read_bytes(reader, planner->features + t * n, n * sizeof(double));
    if (!status && !sfnec_all_within_f64(planner->features + t * n, n, SFNEC_NUMBER_MOST)) {
      status = sfnec_reader_refuse(reader, "features of its first transitions are out of range");
    }
    planner->actions[t] = read_number(reader, (uint32_t)planner->config->action_count, &status);
    planner->terminated[t] = sfnec_read_u32(reader) != 0;
  }
  return status;
}

static sfnec_status load_place_now(sfnec_planner *planner, sfnec_reader *reader) {
  const uint32_t places = planner->model.place_count, contexts = planner->values.contexts.count;
  sfnec_status status = SFNEC_OK;
  planner->located = sfnec_read_u32(reader) != 0;
  const uint32_t place = sfnec_read_u32(reader), context = sfnec_read_u32(reader);
  planner->promised = sfnec_read_u32(reader) != 0;
  planner->promise = read_f32(reader);
  planner->asked = read_f32(reader);
  planner->debt = sfnec_read_f64(reader);
  if ((planner->located && (place >= places || context >= contexts)) || !isfinite(planner->promise) ||
      !(fabsf(planner->asked) <= SFNEC_VALUE_MOST) || !isfinite(planner->debt)) {
    return sfnec_reader_refuse(reader, "its planner is nowhere");
  }
  planner->place = planner->located ? place : 0;
  planner->context = planner->located ? context : 0;
  planner->path_count = read_number(reader, SFNEC_PLAN_PATH + 1, &status);
  for (uint32_t i = 0; i < planner->path_count; i++) {
    planner->path_places[i] = read_number(reader, places, &status);
    planner->path_contexts[i] = read_number(reader, contexts, &status);
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
  planner->in_episode = sfnec_read_u32(reader) != 0;
  planner->has_start = sfnec_read_u32(reader) != 0;
  if (!status && planner->has_start) status = read_floats(reader, planner->start, d);
  sfnec_read_bytes(reader, planner->values.w, n * sizeof(double));
  if (!status && !sfnec_all_within_f64(planner->values.w, n, SFNEC_NUMBER_MOST)) {
    status = sfnec_reader_refuse(reader, "the weights of its plan are out of range");
  }
  if (!status) status = load_model(&planner->model, reader);
  if (status || !planner->model.fitted) return status;
  status = load_values(&planner->values, reader);
  return status ? status : load_place_now(planner, reader);
}
