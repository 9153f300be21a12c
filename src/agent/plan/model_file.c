// model_file.c: a model in a file: scales, contexts, places, samples and rows, so that a loaded one goes on bit for
// bit. Rows follow from what was known when they were made, not from what is known now; so they are saved too.
//
// Everything that is read is checked before it is used: numbers of things against how many there are, counts against
// the bytes that are left, floats for being numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"

enum { COARSER_MOST = 64 }; // from the least radius to a step it takes fewer

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
    plan_write_f32(writer, component->low);
    plan_write_f32(writer, component->high);
    sfnec_write_f64(writer, component->squares);
    sfnec_write_i64(writer, component->changes);
    sfnec_write_i64(writer, component->rises);
    sfnec_write_i64(writer, component->quick);
    sfnec_write_i64(writer, component->changed);
    sfnec_write_u32(writer, component->value_count);
    plan_write_floats(writer, component->values, SFNEC_SCALING_VALUES);
    plan_write_f32(writer, scaling->scale[i]);
  }
}

static sfnec_status load_component(sfnec_scaling *scaling, size_t i, sfnec_reader *reader) {
  sfnec_component *component = &scaling->components[i];
  component->low = plan_read_f32(reader);
  component->high = plan_read_f32(reader);
  component->squares = sfnec_read_f64(reader);
  component->changes = sfnec_read_i64(reader);
  component->rises = sfnec_read_i64(reader);
  component->quick = sfnec_read_i64(reader);
  component->changed = sfnec_read_i64(reader);
  const uint32_t values = sfnec_read_u32(reader);
  component->value_count = (uint8_t)values;
  const sfnec_status status = plan_read_floats(reader, component->values, SFNEC_SCALING_VALUES);
  scaling->scale[i] = plan_read_f32(reader);
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
  plan_write_f32(writer, part->weight);
  plan_write_f32(writer, part->terminal);
  sfnec_write_u32(writer, part->before);
  sfnec_write_u32(writer, part->effect);
  sfnec_write_u32(writer, part->variant);
  sfnec_write_u32(writer, part->count);
  for (uint32_t i = 0; i < part->count; i++) sfnec_write_u32(writer, part->places[i]);
  plan_write_floats(writer, part->shares, part->count);
  plan_write_floats(writer, features, n);
}

static sfnec_status load_part(const sfnec_model *model, sfnec_part *part, float *features, sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  *part = (sfnec_part){.weight = plan_read_f32(reader)};
  part->terminal = plan_read_f32(reader);
  part->before = plan_read_number(reader, model->contexts.count, &status);
  part->effect = plan_read_number(reader, model->effects.count, &status);
  part->variant = plan_read_number(reader, SFNEC_ROW_PARTS, &status);
  part->count = plan_read_number(reader, SFNEC_PART_PLACES + 1, &status);
  float sum = part->terminal;
  for (uint32_t i = 0; i < part->count; i++) part->places[i] = plan_read_number(reader, model->place_count, &status);
  if (!status) status = plan_read_floats(reader, part->shares, part->count);
  for (uint32_t i = 0; i < part->count; i++) sum += part->shares[i] >= 0.0f ? part->shares[i] : INFINITY;
  if (!status) status = plan_read_within(reader, features, model->config->psi_size, 2.0f * SFNEC_FEATURE_MOST);
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
  sfnec_write_u32(writer, row->dirty | (uint32_t)row->whole << 1 | (uint32_t)row->leaves << 2);
  sfnec_write_u32(writer, row->relevant_count);
  for (uint32_t i = 0; i < row->relevant_count; i++) sfnec_write_u32(writer, row->relevant[i]);
  plan_write_f32(writer, row->distance);
  plan_write_f32(writer, row->reach);
  plan_write_f32(writer, row->seen);
  plan_write_f32(writer, row->forgotten);
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
  row->block = plan_read_number_or_none(reader, model->block_count, &status);
  const uint32_t flags = sfnec_read_u32(reader);
  row->dirty = flags & 1;
  row->whole = flags >> 1 & 1;
  row->leaves = flags >> 2 & 1;
  row->relevant_count = plan_read_number(reader, SFNEC_ROW_RELEVANT + 1, &status);
  for (uint32_t i = 0; i < row->relevant_count; i++) {
    row->relevant[i] = plan_read_number(reader, (uint32_t)model->contexts.size, &status);
  }
  row->distance = plan_read_f32(reader);
  row->reach = plan_read_f32(reader);
  row->seen = plan_read_f32(reader);
  row->forgotten = plan_read_f32(reader);
  row->part_count = plan_read_number(reader, row->block == SFNEC_NONE ? 2 : SFNEC_ROW_PARTS + 1, &status);
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
  plan_write_floats(writer, place->distances, place->neighbour_count);
  plan_write_floats(writer, model->keys + p * model->stride, model->key_size);
  for (size_t a = 0; a < actions; a++) sfnec_write_u32(writer, model->cells[p * actions + a]);
}

static sfnec_status load_place(sfnec_model *model, uint32_t p, uint32_t count, uint32_t samples, sfnec_reader *reader) {
  sfnec_place *place = &model->places[p];
  const size_t actions = (size_t)model->config->action_count;
  sfnec_status status = SFNEC_OK;
  *place = (sfnec_place){.visits = sfnec_read_u32(reader)};
  place->terminal = sfnec_read_u32(reader) != 0;
  place->barred = sfnec_read_u32(reader);
  place->neighbour_count = plan_read_number(reader, SFNEC_PLACE_NEIGHBOURS + 1, &status);
  for (uint32_t i = 0; i < place->neighbour_count; i++) place->neighbours[i] = plan_read_number(reader, count, &status);
  if (!status) status = plan_read_floats(reader, place->distances, place->neighbour_count);
  float *key = model->keys + p * model->stride;
  memset(key, 0, model->stride * sizeof *key);
  if (!status) status = plan_read_within(reader, key, model->key_size, SFNEC_KEY_MOST);
  for (size_t a = 0; a < actions; a++) {
    model->cells[p * actions + a] = plan_read_number_or_none(reader, samples, &status);
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
  plan_write_floats(writer, model->origins + s * model->stride, model->key_size);
  plan_write_floats(writer, model->targets + s * model->stride, model->key_size);
  plan_write_floats(writer, model->sample_features + s * model->config->psi_size, model->config->psi_size);
  const size_t d = model->config->observation_size;
  if (!model->projects) return;
  plan_write_floats(writer, model->before + s * d, d);
  plan_write_floats(writer, model->after + s * d, d);
}

static sfnec_status load_sample(sfnec_model *model, uint32_t s, uint32_t count, sfnec_reader *reader) {
  sfnec_sample *sample = &model->samples[s];
  sfnec_status status = SFNEC_OK;
  *sample = (sfnec_sample){.sibling = plan_read_number_or_none(reader, count, &status)};
  sample->place = plan_read_number(reader, model->place_count, &status);
  sample->action = plan_read_number(reader, (uint32_t)model->config->action_count, &status);
  sample->target = plan_read_number(reader, model->place_count, &status);
  sample->before = plan_read_number(reader, model->contexts.count, &status);
  sample->effect = plan_read_number(reader, model->effects.count, &status);
  sample->count = sfnec_read_u32(reader);
  sample->terminated = sfnec_read_u32(reader) != 0;
  sample->forgotten = sfnec_read_u32(reader) != 0;
  if (!status && (sample->count == 0 || sample->count > SFNEC_COUNT_KNOWN)) {
    status = sfnec_reader_refuse(reader, "a sample of its model stands for nothing, or for too much");
  }
  float *origin = model->origins + s * model->stride, *target = model->targets + s * model->stride;
  memset(origin, 0, model->stride * sizeof *origin);
  memset(target, 0, model->stride * sizeof *target);
  if (!status) status = plan_read_within(reader, origin, model->key_size, 2.0f * SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, target, model->key_size, 2.0f * SFNEC_KEY_MOST);
  if (status) return status;
  const size_t n = model->config->psi_size, d = model->config->observation_size;
  sfnec_model_expect(model, s);
  status = plan_read_within(reader, model->sample_features + s * n, n, 2.0f * SFNEC_FEATURE_MOST);
  if (status || !model->projects) return status;
  status = plan_read_floats(reader, model->before + s * d, d);
  return status ? status : plan_read_floats(reader, model->after + s * d, d);
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

void sfnec_model_save(const sfnec_model *model, sfnec_writer *writer) {
  const size_t n = model->config->psi_size, actions = (size_t)model->config->action_count;
  const uint32_t trend = model->trend.terms > 0 ? 1 | (model->trend.degree - SFNEC_TREND_DEGREE) << 1 : 0;
  sfnec_write_u32(writer, model->fitted | trend << 1 | (uint32_t)model->smooth << 4);
  sfnec_write_u32(writer, (uint32_t)model->contexts_off | model->coarser << 1);
  sfnec_write_u64(writer, model->version);
  plan_write_floats(writer, model->greatest, n);
  save_scaling(&model->scaling, writer);
  if (!model->fitted) return;
  if (model->projects) sfnec_embedding_save(model->embedding, writer);
  plan_write_f32(writer, model->step);
  plan_write_f32(writer, model->radius);
  plan_write_floats(writer, model->low, model->key_size);
  plan_write_floats(writer, model->high, model->key_size);
  sfnec_trend_save(&model->trend, writer);
  sfnec_write_f64(writer, model->visits);
  sfnec_write_f64(writer, model->returns);
  sfnec_write_f64(writer, model->repeats);
  sfnec_write_f64(writer, model->surprises);
  plan_write_tuples(writer, &model->contexts);
  plan_write_tuples(writer, &model->effects);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool known = e < model->effect_room;
    sfnec_write_u32(writer, known ? model->effect_seen[e] : 0);
    for (size_t i = 0; i < n; i++) plan_write_f32(writer, known ? model->effect_features[e * n + i] : 0.0f);
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

// With a trend of a degree, or without one (0), as on a lattice and in older files.
static sfnec_status load_numbers(sfnec_model *model, uint32_t degree, sfnec_reader *reader) {
  model->step = plan_read_f32(reader);
  model->radius = plan_read_f32(reader);
  sfnec_status status = plan_read_within(reader, model->low, model->key_size, SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, model->high, model->key_size, SFNEC_KEY_MOST);
  if (!status && degree > 0) {
    status = sfnec_trend_load(&model->trend, model->key_size, model->config->psi_size,
                              (uint32_t)model->config->action_count, degree, reader);
  }
  model->visits = sfnec_read_f64(reader);
  model->returns = sfnec_read_f64(reader);
  model->repeats = sfnec_read_f64(reader);
  model->surprises = sfnec_read_f64(reader);
  const double counts[] = {model->visits, model->returns, model->repeats, model->surprises};
  bool good = model->step >= 1e-7f && model->step <= 1e20f && model->radius >= 1e-4f * model->step &&
              model->radius <= 1e6f * model->step;
  for (size_t i = 0; i < 4; i++) good &= counts[i] >= 0.0 && counts[i] < 1e30;
  if (!status && !good) status = sfnec_reader_refuse(reader, "the measures of its model are out of range");
  model->radius = fminf(model->radius, SFNEC_RADIUS_MOST);
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
    status = plan_read_within(reader, model->effect_features + e * n, n, 2.0f * SFNEC_FEATURE_MOST);
    if (!status && model->effect_seen[e] > SFNEC_COUNT_KNOWN) {
      status = sfnec_reader_refuse(reader, "an effect of its model was seen too often");
    }
  }
  return status;
}

static sfnec_status load_content(sfnec_model *model, sfnec_reader *reader) {
  const size_t n = model->config->psi_size, actions = (size_t)model->config->action_count;
  const size_t seen = model->projects ? 2 * model->config->observation_size : 0;
  const size_t sample_bytes = (9 + 2 * model->key_size + n + seen) * 4,
               place_bytes = (4 + model->key_size + actions) * 4;
  uint32_t places = 0, samples = 0, blocks = 0;
  sfnec_status status = plan_read_count(reader, (uint32_t)model->config->options.places, place_bytes, &places);
  if (!status) status = plan_read_count(reader, UINT32_MAX - 1, sample_bytes, &samples);
  if (!status) status = plan_read_count(reader, UINT32_MAX / SFNEC_ROW_PARTS - 1, 4, &blocks);
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
  status = plan_read_count(reader, places, sizeof(uint32_t), &model->queued);
  for (uint32_t i = 0; i < model->queued && !status; i++) {
    model->queue[i] = plan_read_number(reader, places, &status);
    if (!status && model->places[model->queue[i]].queued) status = sfnec_reader_refuse(reader, "a place waits twice");
    model->places[model->queue[i]].queued = true;
  }
  return status;
}

static sfnec_status load_projection(sfnec_model *model, sfnec_reader *reader) {
  const sfnec_agent_options *options = &model->config->options;
  const size_t d = model->config->observation_size;
  sfnec_model_size_keys(model);
  if (!model->projects) return SFNEC_OK;
  if (sfnec_reader_left(reader) / sizeof(double) < sfnec_embedding_weights(options, d)) {
    return sfnec_reader_refuse(reader, "the projection of its model ends early");
  }
  sfnec_random init = sfnec_random_start(model->seed, SFNEC_PURPOSE_INIT);
  const sfnec_status status = sfnec_embedding_create(options, d, NULL, &init, &model->embedding);
  if (status) return status;
  return sfnec_embedding_load(model->embedding, options, reader);
}

sfnec_status sfnec_model_load(sfnec_model *model, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  const bool fitted = flags & 1;
  const uint32_t degree = flags >> 1 & 1 ? SFNEC_TREND_DEGREE + (flags >> 2 & 3) : 0;
  model->smooth = fitted && degree > 0 && flags >> 4 & 1;
  const uint32_t changed = sfnec_read_u32(reader);
  model->contexts_off = changed & 1;
  model->coarser = changed >> 1;
  if (model->coarser > COARSER_MOST) return sfnec_reader_refuse(reader, "its places were made larger too often");
  model->version = sfnec_read_u64(reader);
  sfnec_status status = plan_read_within(reader, model->greatest, model->config->psi_size, SFNEC_FEATURE_MOST);
  if (!status) status = load_scaling(&model->scaling, fitted, reader);
  if (status || !fitted) return status;
  if (model->scaling.seen == 0) return sfnec_reader_refuse(reader, "its model has scales, and has seen nothing");
  status = load_projection(model, reader);
  if (!status) status = sfnec_model_prepare(model);
  if (!status) status = load_numbers(model, degree, reader);
  if (!status) status = plan_read_tuples(reader, &model->contexts, model->tuple);
  sfnec_tuples_clear(&model->effects); // the file has the one that is none too
  if (!status) status = plan_read_tuples(reader, &model->effects, model->tuple);
  if (!status) status = load_effects(model, reader);
  if (!status) status = load_content(model, reader);
  model->fitted = !status;
  return status;
}
