// prediction_file.c: what actions lead to, in a file: predictions follow from the samples as they were when they were
// made, not as they are now; so they are saved. See model.h.
#include <math.h>

#include "agent/plan/model_file.h"
#include "agent/plan/numbers.h"

static void save_outcome(const sfnec_outcome *outcome, const float *features, size_t n, sfnec_writer *writer) {
  plan_write_f32(writer, outcome->weight);
  plan_write_f32(writer, outcome->terminal);
  sfnec_write_u32(writer, outcome->before);
  sfnec_write_u32(writer, outcome->effect);
  sfnec_write_u32(writer, outcome->condition);
  sfnec_write_u32(writer, outcome->count);
  for (uint32_t i = 0; i < outcome->count; i++) sfnec_write_u32(writer, outcome->states[i]);
  plan_write_floats(writer, outcome->shares, outcome->count);
  plan_write_floats(writer, features, n);
}

static sfnec_status load_outcome(const sfnec_model *model, sfnec_outcome *outcome, float *features,
                                 sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  *outcome = (sfnec_outcome){.weight = plan_read_f32(reader)};
  outcome->terminal = plan_read_f32(reader);
  outcome->before = plan_read_number(reader, model->contexts.count, &status);
  outcome->effect = plan_read_number(reader, model->effects.count, &status);
  outcome->condition = plan_read_number(reader, SFNEC_PREDICTION_OUTCOMES, &status);
  outcome->count = plan_read_number(reader, SFNEC_OUTCOME_STATES + 1, &status);
  float sum = outcome->terminal;
  for (uint32_t i = 0; i < outcome->count && !status; i++)
    outcome->states[i] = plan_read_number(reader, model->state_count, &status);
  if (!status) status = plan_read_floats(reader, outcome->shares, outcome->count);
  for (uint32_t i = 0; i < outcome->count; i++) sum += outcome->shares[i] >= 0.0f ? outcome->shares[i] : INFINITY;
  if (!status) status = plan_read_within(reader, features, model->config->psi_size, 2.0f * SFNEC_FEATURE_MOST);
  // shares of a whole: more would let values grow without end
  if (!status && !(outcome->weight > 0.0f && outcome->weight <= SFNEC_SHARES_MOST && outcome->terminal >= 0.0f &&
                   sum <= SFNEC_SHARES_MOST)) {
    status = sfnec_reader_refuse(reader, "the shares of a prediction of its model are not shares");
  }
  return status;
}

void sfnec_prediction_save(const sfnec_model *model, size_t at, sfnec_writer *writer) {
  const sfnec_prediction *prediction = &model->predictions[at];
  const size_t n = model->config->psi_size;
  sfnec_write_u32(writer, prediction->version);
  sfnec_write_u32(writer, prediction->block);
  sfnec_write_u32(writer, prediction->dirty | (uint32_t)prediction->whole << 1);
  sfnec_write_u32(writer, prediction->relevant_count);
  for (uint32_t i = 0; i < prediction->relevant_count; i++) sfnec_write_u32(writer, prediction->relevant[i]);
  plan_write_f32(writer, prediction->distance);
  plan_write_f32(writer, prediction->reach);
  plan_write_f32(writer, prediction->seen);
  plan_write_f32(writer, prediction->forgotten);
  sfnec_write_u32(writer, prediction->outcome_count);
  const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, at);
  const float *features = sfnec_prediction_features(model, at);
  for (uint32_t p = 0; p < prediction->outcome_count; p++) save_outcome(&outcomes[p], features + p * n, n, writer);
}

sfnec_status sfnec_prediction_load(sfnec_model *model, size_t at, sfnec_reader *reader) {
  sfnec_prediction *prediction = &model->predictions[at];
  const size_t n = model->config->psi_size;
  sfnec_status status = SFNEC_OK;
  *prediction = (sfnec_prediction){.version = sfnec_read_u32(reader)};
  prediction->block = plan_read_number_or_none(reader, model->block_count, &status);
  const uint32_t flags = sfnec_read_u32(reader);
  prediction->dirty = flags & 1;
  prediction->whole = flags >> 1 & 1;
  prediction->relevant_count = plan_read_number(reader, SFNEC_PREDICTION_RELEVANT + 1, &status);
  for (uint32_t i = 0; i < prediction->relevant_count && !status; i++) {
    prediction->relevant[i] = plan_read_number(reader, (uint32_t)model->contexts.size, &status);
  }
  prediction->distance = plan_read_f32(reader);
  prediction->reach = plan_read_f32(reader);
  prediction->seen = plan_read_f32(reader);
  prediction->forgotten = plan_read_f32(reader);
  prediction->outcome_count =
      plan_read_number(reader, prediction->block == SFNEC_NONE ? 2 : SFNEC_PREDICTION_OUTCOMES + 1, &status);
  if (!status && (!(prediction->distance >= 0.0f) || !(prediction->reach >= 0.0f) ||
                  !(prediction->seen >= 0.0f && prediction->seen < SFNEC_SEEN_MOST) ||
                  !(prediction->forgotten >= 0.0f && prediction->forgotten <= SFNEC_SHARES_MOST))) {
    status = sfnec_reader_refuse(reader, "a prediction of its model has numbers that none can have");
  }
  const size_t first = prediction->block == SFNEC_NONE ? at : (size_t)prediction->block * SFNEC_PREDICTION_OUTCOMES;
  sfnec_outcome *outcomes = (prediction->block == SFNEC_NONE ? model->plain : model->blocks) + first;
  float *features = (prediction->block == SFNEC_NONE ? model->features : model->block_features) + first * n;
  for (uint32_t p = 0; p < prediction->outcome_count && !status; p++) {
    status = load_outcome(model, &outcomes[p], features + p * n, reader);
  }
  return status;
}
