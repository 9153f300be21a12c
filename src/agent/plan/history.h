// history.h: plain transitions, from which a model is made again (refit.h).
#ifndef SFNEC_AGENT_PLAN_HISTORY_H
#define SFNEC_AGENT_PLAN_HISTORY_H

#include "agent/plan/model.h"
#include "base/file.h"

typedef struct sfnec_history_row {
  uint32_t action;
  uint32_t count; // transitions that it stands for; 0: only for what is seen of components
  bool terminated;
  bool seen; // it is a transition itself, not what a sample stands for
} sfnec_history_row;

typedef struct sfnec_history {
  size_t observation_size, features_size;
  uint32_t count, room;
  float *before, *after; // (room, observation_size)
  float *features;       // (room, features_size)
  sfnec_history_row *rows;
  double *wide; // (features_size): scratch
} sfnec_history;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_history_init(sfnec_history *all, const sfnec_psi_config *config);
void sfnec_history_clear(sfnec_history *all);
size_t sfnec_history_bytes(const sfnec_history *all);
// Space for so many rows. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_history_reserve(sfnec_history *all, size_t rows);

// Each adds one at the end: a transition (count 0 is fine), or what a sample of a model stands for.
sfnec_status sfnec_history_add(sfnec_history *all, const sfnec_model_transition *transition);
sfnec_status sfnec_history_add_sample(sfnec_history *all, const sfnec_model *model, uint32_t sample);
// A row as a transition, until the next call.
sfnec_model_transition sfnec_history_at(const sfnec_history *all, size_t row);

void sfnec_history_save(const sfnec_history *all, sfnec_writer *writer);
// Into an empty one. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_history_load(sfnec_history *all, uint32_t actions, sfnec_reader *reader);

#endif
