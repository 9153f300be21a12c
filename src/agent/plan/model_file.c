// model_file.c: a model in a file: scales, contexts, states, samples and predictions, so that a loaded one resumes bit
// for bit. Predictions are saved, as they do not follow from the rest: they follow from what was known when they were
// made. After 3,000 to 10,000 steps 7 to 33 % of those that are not dirty would be others if they were made again.
//
// Everything that is read is checked before it is used: numbers of things against how many there are, counts against
// the bytes that are left, floats for being numbers.
#include <math.h>
#include <string.h>

#include "agent/plan/model_file.h"
#include "agent/plan/numbers.h"
#include "base/fields.h"

// What no model has more of: what counts and lengths stay within.
static const float STEP_LEAST = 1e-7f, STEP_MOST = 1e20f, RADIUS_LEAST = 1e-4f, RADIUS_MOST = 1e6f;
enum {
  COARSER_MOST = 64,       // from the least radius to a step it takes fewer
  LEAST_OF_PREDICTION = 9, // numbers of a prediction in the file, at least
};

// A bit of the first word: the polynomial has no weights of features. Older files have them.
enum { WITHOUT_FEATURES = 1 << 6, HAS_NOISE = 1 << 7, HAS_ENDS = 1 << 8 };

// ---- states and samples ----

// Flags of a state: the distances of its neighbours follow from the keys, and there are no barriers. Older files have
// both.
enum { WITHOUT_DISTANCES = 2, WITHOUT_BARRIERS = 4 };

static void save_state(const sfnec_model *model, uint32_t p, sfnec_writer *writer) {
  const sfnec_state *state = &model->states[p];
  const size_t actions = (size_t)model->config->action_count;
  sfnec_write_u32(writer, state->visits);
  sfnec_write_u32(writer, (uint32_t)state->terminal | WITHOUT_DISTANCES | WITHOUT_BARRIERS);
  sfnec_write_u32(writer, state->neighbour_count);
  for (uint32_t i = 0; i < state->neighbour_count; i++) sfnec_write_u32(writer, state->neighbours[i]);
  plan_write_floats(writer, model->keys + p * model->stride, model->key_size);
  for (size_t a = 0; a < actions; a++) sfnec_write_u32(writer, model->cells[p * actions + a]);
}

static sfnec_status load_state(sfnec_model *model, uint32_t p, uint32_t count, uint32_t samples, sfnec_reader *reader) {
  sfnec_state *state = &model->states[p];
  const size_t actions = (size_t)model->config->action_count;
  sfnec_status status = SFNEC_OK;
  *state = (sfnec_state){.visits = sfnec_read_u32(reader)};
  const uint32_t flags = sfnec_read_u32(reader);
  state->terminal = flags & 1;
  if (!(flags & WITHOUT_BARRIERS)) (void)sfnec_read_u32(reader); // nothing uses them any more
  state->neighbour_count = plan_read_number(reader, SFNEC_STATE_NEIGHBOURS + 1, &status);
  for (uint32_t i = 0; i < state->neighbour_count && !status; i++)
    state->neighbours[i] = plan_read_number(reader, count, &status);
  if (!status && !(flags & WITHOUT_DISTANCES)) {
    status = plan_read_floats(reader, state->distances, state->neighbour_count);
  }
  float *key = model->keys + p * model->stride;
  memset(key, 0, model->stride * sizeof *key);
  if (!status) status = plan_read_within(reader, key, model->key_size, SFNEC_KEY_MOST);
  for (size_t a = 0; a < actions && !status; a++) {
    model->cells[p * actions + a] = plan_read_number_or_none(reader, samples, &status);
    model->filled[p * actions + a] = 0;
  }
  uint32_t slot = 0;
  if (!status) status = model->index->ops->insert(model->index, key, &slot);
  if (!status && slot != p) status = sfnec_reader_refuse(reader, "a state of its model stands there twice");
  return status;
}

// How far the neighbours of all states are. (Which they are depends on the order that states came in, too: to find them
// again takes a search for each state, a second for 20,000 of them with index=flat.)
static void measure_neighbours(sfnec_model *model) {
  for (uint32_t p = 0; p < model->state_count; p++) {
    sfnec_state *state = &model->states[p];
    model->config->simd->scattered_distances(model->keys + p * model->stride, model->keys, model->stride,
                                             state->neighbours, state->neighbour_count, model->stride,
                                             state->distances);
  }
}

// limits of what a sample names
enum { SAMPLES = 1, STATES, ACTIONS, CONTEXTS, EFFECTS };

static const sfnec_fields sample_fields = SFNEC_FIELDS(
    "a sample of its model", {SFNEC_BELOW(sfnec_sample, sibling, SAMPLES), .or_none = true},
    {SFNEC_BELOW(sfnec_sample, state, STATES)}, {SFNEC_BELOW(sfnec_sample, action, ACTIONS)},
    {SFNEC_BELOW(sfnec_sample, target, STATES)}, {SFNEC_BELOW(sfnec_sample, before, CONTEXTS)},
    {SFNEC_BELOW(sfnec_sample, effect, EFFECTS)}, {SFNEC_WITHIN(sfnec_sample, count, 1, SFNEC_COUNT_KNOWN)},
    {SFNEC_ANY(sfnec_sample, terminated)}, {SFNEC_ANY(sfnec_sample, forgotten)});

static void save_sample(const sfnec_model *model, uint32_t s, sfnec_writer *writer) {
  sfnec_fields_save(&sample_fields, &model->samples[s], writer);
  plan_write_floats(writer, model->origins + s * model->stride, model->key_size);
  plan_write_floats(writer, model->targets + s * model->stride, model->key_size);
  plan_write_floats(writer, model->sample_features + s * model->config->psi_size, model->config->psi_size);
  const size_t d = model->config->observation_size;
  if (!model->projects) return;
  plan_write_floats(writer, model->before + s * d, d);
  plan_write_floats(writer, model->after + s * d, d);
}

static sfnec_status load_sample(sfnec_model *model, uint32_t s, uint32_t count, sfnec_reader *reader) {
  const uint64_t limits[] = {count, model->state_count, (uint64_t)model->config->action_count, model->contexts.count,
                             model->effects.count};
  model->samples[s] = (sfnec_sample){0};
  sfnec_status status = sfnec_fields_load(&sample_fields, &model->samples[s], limits, 0, reader);
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

// Every sample stands once in the list of its state and action, and nowhere else.
static sfnec_status check_lists(sfnec_model *model, sfnec_reader *reader) {
  const size_t actions = (size_t)model->config->action_count;
  uint32_t seen = 0;
  for (size_t cell = 0; cell < model->state_count * actions; cell++) {
    for (uint32_t s = model->cells[cell]; s != SFNEC_NONE; s = model->samples[s].sibling) {
      const sfnec_sample *sample = &model->samples[s];
      if ((size_t)sample->state * actions + sample->action != cell || seen++ == model->sample_count ||
          model->filled[cell] == UINT8_MAX) {
        return sfnec_reader_refuse(reader, "the samples of its model are not where they belong");
      }
      model->tried += model->filled[cell]++ == 0;
    }
  }
  if (seen == model->sample_count) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "the samples of its model are not where they belong");
}

// ---- the model ----

static const sfnec_fields count_fields = SFNEC_FIELDS(
    "its model", {SFNEC_UP_TO(sfnec_model, visits, SFNEC_SEEN_MOST)},
    {SFNEC_UP_TO(sfnec_model, returns, SFNEC_SEEN_MOST)}, {SFNEC_UP_TO(sfnec_model, repeats, SFNEC_SEEN_MOST)},
    {SFNEC_UP_TO(sfnec_model, surprises, SFNEC_SEEN_MOST)},
    {SFNEC_UP_TO(sfnec_model, end_repeats, SFNEC_SEEN_MOST), .since = HAS_ENDS},
    {SFNEC_UP_TO(sfnec_model, end_surprises, SFNEC_SEEN_MOST), .since = HAS_ENDS});

void sfnec_model_save(const sfnec_model *model, sfnec_writer *writer) {
  const size_t n = model->config->psi_size, actions = (size_t)model->config->action_count;
  const uint32_t polynomial =
      model->polynomial.terms > 0 ? 1 | (model->polynomial.degree - SFNEC_POLYNOMIAL_DEGREE) << 1 : 0;
  const bool reads = model->scaling.readings != NULL;
  sfnec_write_u32(writer, model->fitted | polynomial << 1 | (uint32_t)model->smooth << 4 | (uint32_t)reads << 5 |
                              WITHOUT_FEATURES | HAS_NOISE | HAS_ENDS);
  sfnec_write_u32(writer, (uint32_t)model->contexts_off | model->coarser << 1);
  sfnec_write_u64(writer, model->version);
  plan_write_floats(writer, model->greatest, n);
  sfnec_key_noise_save(&model->noise, writer);
  if (reads) sfnec_scaling_save_readings(&model->scaling, writer);
  sfnec_scaling_save(&model->scaling, writer);
  if (!model->fitted) return;
  if (model->projects) sfnec_embedding_save(model->embedding, writer);
  plan_write_f32(writer, model->step);
  plan_write_f32(writer, model->radius);
  plan_write_floats(writer, model->low, model->key_size);
  plan_write_floats(writer, model->high, model->key_size);
  sfnec_polynomial_save(&model->polynomial, writer);
  sfnec_fields_save(&count_fields, model, writer);
  plan_write_tuples(writer, &model->contexts);
  plan_write_tuples(writer, &model->effects);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool known = e < model->effect_room;
    sfnec_write_u32(writer, known ? model->effect_seen[e] : 0);
    for (size_t i = 0; i < n; i++) plan_write_f32(writer, known ? model->effect_features[e * n + i] : 0.0f);
  }
  sfnec_write_u32(writer, model->state_count);
  sfnec_write_u32(writer, model->sample_count);
  sfnec_write_u32(writer, model->block_count);
  for (uint32_t p = 0; p < model->state_count; p++) save_state(model, p, writer);
  for (uint32_t s = 0; s < model->sample_count; s++) save_sample(model, s, writer);
  for (size_t r = 0; r < model->state_count * actions; r++) sfnec_prediction_save(model, r, writer);
  sfnec_write_u32(writer, model->queued);
  for (uint32_t i = 0; i < model->queued; i++) sfnec_write_u32(writer, model->queue[i]);
}

// With a polynomial of a degree, or without one (0), as in a tabular regime and in older files.
static sfnec_status load_numbers(sfnec_model *model, uint32_t degree, uint32_t flags, sfnec_reader *reader) {
  const bool has_features = !(flags & WITHOUT_FEATURES);
  model->step = plan_read_f32(reader);
  model->radius = plan_read_f32(reader);
  sfnec_status status = plan_read_within(reader, model->low, model->key_size, SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, model->high, model->key_size, SFNEC_KEY_MOST);
  if (!status && degree > 0) {
    status = sfnec_polynomial_load(&model->polynomial, model->key_size, has_features ? model->config->psi_size : 0,
                                   (uint32_t)model->config->action_count, degree, reader);
  }
  if (!status) status = sfnec_fields_load(&count_fields, model, NULL, flags, reader);
  bool good = model->step >= STEP_LEAST && model->step <= STEP_MOST && model->radius >= RADIUS_LEAST * model->step &&
              model->radius <= RADIUS_MOST * model->step;
  good &= model->end_surprises <= model->end_repeats;
  if (!status && !good) status = sfnec_reader_refuse(reader, "the measures of its model are out of range");
  model->radius = fminf(model->radius, SFNEC_RADIUS_MOST);
  const bool tabular = model->radius < SFNEC_RADIUS_LEAST * model->step;
  if (model->scaling.regime == SFNEC_REGIME_NONE) {
    model->scaling.regime = tabular ? SFNEC_REGIME_TABULAR : SFNEC_REGIME_CONTINUOUS;
  } else if (!status && sfnec_model_is_tabular(model) != tabular) {
    status = sfnec_reader_refuse(reader, "the states of its model have a radius that their regime has not");
  }
  return status;
}

static sfnec_status load_effects(sfnec_model *model, sfnec_reader *reader) {
  const size_t n = model->config->psi_size, count = model->effects.count;
  if (count == 0) return sfnec_reader_refuse(reader, "its model has no effects, not even none");
  model->effect_features = sfnec_read_room(reader, count, (1 + n) * sizeof(float), n * sizeof(float));
  model->effect_seen = sfnec_read_room(reader, count, (1 + n) * sizeof(float), sizeof(uint32_t));
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
               state_bytes = (3 + model->key_size + (1 + LEAST_OF_PREDICTION) * actions) * 4;
  uint32_t states = 0, samples = 0, blocks = 0;
  sfnec_status status = plan_read_count(reader, (uint32_t)model->config->options.states, state_bytes, &states);
  if (!status) status = plan_read_count(reader, UINT32_MAX - 1, sample_bytes, &samples);
  if (!status) status = plan_read_count(reader, UINT32_MAX / SFNEC_PREDICTION_OUTCOMES - 1, 4, &blocks);
  if (!status && (states == 0 || blocks > states * actions)) {
    status = sfnec_reader_refuse(reader, "its model claims more than the file holds");
  }
  if (!status) status = sfnec_model_reserve(model, states, samples, blocks);
  for (uint32_t p = 0; p < states && !status; p++) status = load_state(model, p, states, samples, reader);
  if (!status) model->state_count = states;
  measure_neighbours(model);
  for (uint32_t s = 0; s < samples && !status; s++) status = load_sample(model, s, samples, reader);
  if (!status) model->sample_count = samples, model->block_count = blocks;
  if (!status) status = check_lists(model, reader);
  for (size_t r = 0; r < states * actions && !status; r++) status = sfnec_prediction_load(model, r, reader);
  if (status) return status;
  status = plan_read_count(reader, states, sizeof(uint32_t), &model->queued);
  for (uint32_t i = 0; i < model->queued && !status; i++) {
    model->queue[i] = plan_read_number(reader, states, &status);
    if (!status && model->states[model->queue[i]].queued) status = sfnec_reader_refuse(reader, "a state waits twice");
    model->states[model->queue[i]].queued = true;
  }
  return status;
}

static sfnec_status load_projection(sfnec_model *model, sfnec_reader *reader) {
  const sfnec_agent_options key_options = sfnec_model_key_options(model), *options = &key_options;
  const sfnec_env_shape *shape = &model->config->shape;
  sfnec_model_size_keys(model);
  if (!model->projects) return SFNEC_OK;
  if (sfnec_reader_left(reader) / sizeof(float) < sfnec_embedding_weights(options, shape)) {
    return sfnec_reader_refuse(reader, "the projection of its model ends early");
  }
  sfnec_random init = sfnec_random_start(model->seed, SFNEC_PURPOSE_INIT);
  const sfnec_status status = sfnec_embedding_create(options, shape, NULL, &init, &model->embedding);
  if (status) return status;
  return sfnec_embedding_load(model->embedding, options, reader);
}

sfnec_status sfnec_model_load(sfnec_model *model, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  const bool fitted = flags & 1;
  const uint32_t degree = flags >> 1 & 1 ? SFNEC_POLYNOMIAL_DEGREE + (flags >> 2 & 3) : 0;
  model->smooth = fitted && degree > 0 && flags >> 4 & 1;
  const uint32_t changed = sfnec_read_u32(reader);
  model->contexts_off = changed & 1;
  model->coarser = changed >> 1;
  if (model->coarser > COARSER_MOST) return sfnec_reader_refuse(reader, "its states were made larger too often");
  model->version = sfnec_read_u64(reader);
  sfnec_status status = plan_read_within(reader, model->greatest, model->config->psi_size, SFNEC_FEATURE_MOST);
  if (!status && flags & HAS_NOISE) status = sfnec_key_noise_load(&model->noise, model->config, reader);
  if (!status && flags >> 5 & 1) status = sfnec_scaling_load_readings(&model->scaling, reader);
  if (!status) status = sfnec_scaling_load(&model->scaling, fitted, reader);
  if (status || !fitted) return status;
  if (model->scaling.seen == 0) return sfnec_reader_refuse(reader, "its model has scales, and has seen nothing");
  status = load_projection(model, reader);
  if (!status) status = sfnec_model_prepare(model);
  if (!status) status = load_numbers(model, degree, flags, reader);
  if (!status) status = plan_read_tuples(reader, &model->contexts, model->tuple);
  sfnec_tuples_clear(&model->effects); // the file has the one that is none too
  if (!status) status = plan_read_tuples(reader, &model->effects, model->tuple);
  if (!status) status = load_effects(model, reader);
  if (!status) status = load_content(model, reader);
  model->fitted = !status;
  return status;
}
