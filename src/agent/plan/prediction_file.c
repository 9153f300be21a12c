// prediction_file.c: what actions lead to, in a file: predictions follow from the samples as they were when they were
// made, not as they are now; so they are saved. See model.h.
#include <float.h>
#include <math.h>

#include "agent/plan/model_file.h"
#include "agent/plan/numbers.h"
#include "base/fields.h"

// limits of what predictions name
enum { BLOCKS = 1, SLOW, CONTEXTS, EFFECTS, STATES };

static const sfnec_fields head_fields =
    SFNEC_FIELDS("a prediction of its model", {SFNEC_ANY(sfnec_prediction, version)},
                 {SFNEC_BELOW(sfnec_prediction, block, BLOCKS), .or_none = true});

static const sfnec_fields prediction_fields = SFNEC_FIELDS(
    "a prediction of its model", {SFNEC_UP_TO(sfnec_prediction, relevant_count, SFNEC_PREDICTION_RELEVANT)},
    {SFNEC_COUNTED(sfnec_prediction, relevant, relevant_count), .below = SLOW},
    {SFNEC_UP_TO(sfnec_prediction, distance, HUGE_VAL)}, {SFNEC_UP_TO(sfnec_prediction, reach, HUGE_VAL)},
    {SFNEC_UP_TO(sfnec_prediction, seen, SFNEC_SEEN_MOST)},
    {SFNEC_UP_TO(sfnec_prediction, forgotten, SFNEC_SHARES_MOST)},
    {SFNEC_UP_TO(sfnec_prediction, outcome_count, SFNEC_PREDICTION_OUTCOMES)});

static const sfnec_fields outcome_fields =
    SFNEC_FIELDS("an outcome of its model", {SFNEC_WITHIN(sfnec_outcome, weight, FLT_TRUE_MIN, SFNEC_SHARES_MOST)},
                 {SFNEC_UP_TO(sfnec_outcome, terminal, SFNEC_SHARES_MOST)},
                 {SFNEC_BELOW(sfnec_outcome, before, CONTEXTS)}, {SFNEC_BELOW(sfnec_outcome, effect, EFFECTS)},
                 {SFNEC_UP_TO(sfnec_outcome, condition, SFNEC_PREDICTION_OUTCOMES - 1)},
                 {SFNEC_UP_TO(sfnec_outcome, count, SFNEC_OUTCOME_STATES)},
                 {SFNEC_COUNTED(sfnec_outcome, states, count), .below = STATES},
                 {SFNEC_COUNTED(sfnec_outcome, shares, count), .most = SFNEC_SHARES_MOST});

static sfnec_status load_outcome(const sfnec_model *model, sfnec_outcome *outcome, float *features,
                                 const uint64_t *limits, sfnec_reader *reader) {
  *outcome = (sfnec_outcome){0};
  sfnec_status status = sfnec_fields_load(&outcome_fields, outcome, limits, 0, reader);
  if (!status) status = plan_read_within(reader, features, model->config->psi_size, 2.0f * SFNEC_FEATURE_MOST);
  float sum = outcome->terminal;
  for (uint32_t i = 0; i < outcome->count; i++) sum += outcome->shares[i];
  if (status || sum <= SFNEC_SHARES_MOST) return status;
  // shares of a whole: more would let values grow without end
  return sfnec_reader_refuse(reader, "the shares of a prediction of its model are not shares");
}

void sfnec_prediction_save(const sfnec_model *model, size_t at, sfnec_writer *writer) {
  const sfnec_prediction *prediction = &model->predictions[at];
  const size_t n = model->config->psi_size;
  sfnec_fields_save(&head_fields, prediction, writer);
  sfnec_write_u32(writer, prediction->dirty | (uint32_t)prediction->whole << 1);
  sfnec_fields_save(&prediction_fields, prediction, writer);
  const sfnec_outcome *outcomes = sfnec_prediction_outcomes(model, at);
  const float *features = sfnec_prediction_features(model, at);
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    sfnec_fields_save(&outcome_fields, &outcomes[p], writer);
    plan_write_floats(writer, features + p * n, n);
  }
}

sfnec_status sfnec_prediction_load(sfnec_model *model, size_t at, sfnec_reader *reader) {
  sfnec_prediction *prediction = &model->predictions[at];
  const size_t n = model->config->psi_size;
  const uint64_t limits[] = {model->block_count, model->contexts.size, model->contexts.count, model->effects.count,
                             model->state_count};
  *prediction = (sfnec_prediction){0};
  sfnec_status status = sfnec_fields_load(&head_fields, prediction, limits, 0, reader);
  const uint32_t flags = sfnec_read_u32(reader);
  prediction->dirty = flags & 1;
  prediction->whole = flags >> 1 & 1;
  if (!status) status = sfnec_fields_load(&prediction_fields, prediction, limits, 0, reader);
  if (!status && prediction->block == SFNEC_NONE && prediction->outcome_count > 1) {
    status = sfnec_reader_refuse(reader, "a prediction of its model has outcomes that it has no block for");
  }
  const size_t first = prediction->block == SFNEC_NONE ? at : (size_t)prediction->block * SFNEC_PREDICTION_OUTCOMES;
  sfnec_outcome *outcomes = (prediction->block == SFNEC_NONE ? model->plain : model->blocks) + first;
  float *features = (prediction->block == SFNEC_NONE ? model->features : model->block_features) + first * n;
  for (uint32_t p = 0; p < prediction->outcome_count && !status; p++) {
    status = load_outcome(model, &outcomes[p], features + p * n, limits, reader);
  }
  return status;
}
