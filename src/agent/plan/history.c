// history.c: see history.h.
#include "agent/plan/history.h"

#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/fields.h"
#include "base/grow.h"

enum { ROOM_FIRST = 256 }; // rows

sfnec_status sfnec_history_init(sfnec_history *all, const sfnec_psi_config *config) {
  *all = (sfnec_history){.observation_size = config->observation_size, .features_size = config->psi_size};
  all->wide = calloc(config->psi_size + 1, sizeof *all->wide);
  return all->wide ? SFNEC_OK : sfnec_fail_memory("the transitions of a model");
}

void sfnec_history_clear(sfnec_history *all) {
  free(all->before), free(all->after), free(all->features), free(all->rows), free(all->wide);
  *all = (sfnec_history){0};
}

size_t sfnec_history_bytes(const sfnec_history *all) {
  const size_t row = (2 * all->observation_size + all->features_size) * sizeof(float) + sizeof *all->rows;
  return all->room * row + all->features_size * sizeof *all->wide;
}

sfnec_status sfnec_history_reserve(sfnec_history *all, size_t rows) {
  if (rows <= all->room) return SFNEC_OK;
  if (rows > UINT32_MAX / 2) return sfnec_fail_memory("the transitions of a model");
  const size_t room = sfnec_room(rows, all->room ? all->room : ROOM_FIRST);
  const bool whole = SFNEC_WIDEN(all->before, room * all->observation_size) &&
                     SFNEC_WIDEN(all->after, room * all->observation_size) &&
                     SFNEC_WIDEN(all->features, room * all->features_size) && SFNEC_WIDEN(all->rows, room);
  if (!whole) return sfnec_fail_memory("the transitions of a model");
  all->room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_history_add(sfnec_history *all, const sfnec_model_transition *transition) {
  const size_t d = all->observation_size, n = all->features_size, at = all->count;
  const sfnec_status status = sfnec_history_reserve(all, at + 1);
  if (status) return status;
  memcpy(all->before + at * d, transition->before, d * sizeof(float));
  memcpy(all->after + at * d, transition->after, d * sizeof(float));
  for (size_t i = 0; i < n; i++) {
    all->features[at * n + i] = sfnec_bounded(transition->features[i], SFNEC_FEATURE_MOST);
  }
  all->rows[all->count++] = (sfnec_history_row){transition->action, transition->count, transition->terminated, true};
  return SFNEC_OK;
}

sfnec_status sfnec_history_add_sample(sfnec_history *all, const sfnec_model *model, uint32_t s) {
  const size_t d = all->observation_size, n = all->features_size, at = all->count;
  const sfnec_status status = sfnec_history_reserve(all, at + 1);
  if (status) return status;
  const sfnec_sample *sample = &model->samples[s];
  sfnec_model_origin(model, s, all->before + at * d);
  sfnec_model_target(model, s, all->after + at * d);
  memcpy(all->features + at * n, model->sample_features + s * n, n * sizeof(float));
  all->rows[all->count++] = (sfnec_history_row){sample->action, sample->count, sample->terminated, false};
  return SFNEC_OK;
}

sfnec_model_transition sfnec_history_at(const sfnec_history *all, size_t row) {
  const size_t d = all->observation_size, n = all->features_size;
  for (size_t i = 0; i < n; i++) all->wide[i] = (double)all->features[row * n + i];
  return (sfnec_model_transition){.before = all->before + row * d,
                                  .after = all->after + row * d,
                                  .features = all->wide,
                                  .action = all->rows[row].action,
                                  .count = all->rows[row].count,
                                  .terminated = all->rows[row].terminated};
}

// ---- files ----

enum { ACTIONS = 1 }; // a limit of a row

static const sfnec_fields row_fields =
    SFNEC_FIELDS("a transition of its next model", {SFNEC_BELOW(sfnec_history_row, action, ACTIONS)},
                 {SFNEC_UP_TO(sfnec_history_row, count, SFNEC_COUNT_KNOWN)});

void sfnec_history_save(const sfnec_history *all, sfnec_writer *writer) {
  sfnec_write_u32(writer, all->count);
  plan_write_floats(writer, all->before, all->count * all->observation_size);
  plan_write_floats(writer, all->after, all->count * all->observation_size);
  plan_write_floats(writer, all->features, all->count * all->features_size);
  for (uint32_t i = 0; i < all->count; i++) {
    sfnec_fields_save(&row_fields, &all->rows[i], writer);
    sfnec_write_u32(writer, (uint32_t)all->rows[i].terminated | (uint32_t)all->rows[i].seen << 1);
  }
}

sfnec_status sfnec_history_load(sfnec_history *all, uint32_t actions, sfnec_reader *reader) {
  const size_t d = all->observation_size, n = all->features_size;
  uint32_t count;
  sfnec_status status = plan_read_count(reader, UINT32_MAX / 2, (2 * d + n) * sizeof(float) + 12, &count);
  if (!status) status = sfnec_history_reserve(all, count);
  if (!status) status = plan_read_floats(reader, all->before, count * d);
  if (!status) status = plan_read_floats(reader, all->after, count * d);
  if (!status) status = plan_read_within(reader, all->features, count * n, 2.0f * SFNEC_FEATURE_MOST);
  for (uint32_t i = 0; i < count && !status; i++) {
    status = sfnec_fields_load(&row_fields, &all->rows[i], (const uint64_t[]){actions}, 0, reader);
    const uint32_t flags = sfnec_read_u32(reader);
    all->rows[i].terminated = flags & 1;
    all->rows[i].seen = flags >> 1 & 1;
  }
  if (!status) all->count = count;
  return status;
}
