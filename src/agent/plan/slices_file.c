// slices_file.c: what a plan is in the middle of, in a file, so that a loaded planner resumes bit for bit.
#include <math.h>

#include "agent/plan/internal.h"
#include "agent/plan/numbers.h"

static void save_sweep(const sfnec_sweep *sweep, sfnec_writer *writer) {
  sfnec_write_u32(writer, (uint32_t)sweep->going | (uint32_t)sweep->back << 1);
  if (!sweep->going) return;
  sfnec_write_u32(writer, sweep->turn);
  sfnec_write_u32(writer, sweep->at);
  sfnec_write_u32(writer, sweep->states);
  plan_write_f32(writer, sweep->change);
  plan_write_f32(writer, sweep->greatest);
  plan_write_count(writer, sweep->began);
}

void sfnec_planning_save(const sfnec_planning *planning, sfnec_writer *writer) {
  plan_write_count(writer, planning->left);
  sfnec_write_u32(writer, planning->afresh);
  sfnec_write_u32(writer, planning->quiet);
  sfnec_write_u32(writer, planning->stage);
  if (planning->stage == SFNEC_STAGE_NONE) return;
  save_sweep(&planning->sweep, writer);
  sfnec_write_u32(writer, planning->stage == SFNEC_STAGE_FIRST ? planning->effect : 0);
  if (planning->stage == SFNEC_STAGE_FIRST) return;
  sfnec_write_u32(writer, planning->found);
  sfnec_write_u32(writer, planning->table);
  sfnec_write_u32(writer, planning->state);
  sfnec_write_u32(writer, planning->depth);
  sfnec_write_u32(writer, planning->count);
  if (planning->stage == SFNEC_STAGE_BESIDE) return;
  for (uint32_t i = 0; i < planning->count; i++) sfnec_write_u32(writer, planning->way[i]);
}

static sfnec_status load_sweep(const sfnec_values *values, sfnec_sweep *sweep, sfnec_reader *reader) {
  const uint32_t flags = sfnec_read_u32(reader);
  *sweep = (sfnec_sweep){.going = flags & 1, .back = flags >> 1 & 1};
  if (!sweep->going) return SFNEC_OK;
  sfnec_status status = SFNEC_OK;
  sweep->turn = plan_read_number(reader, SFNEC_SWEEPS, &status);
  sweep->at = sfnec_read_u32(reader);
  sweep->states = plan_read_number(reader, values->model->state_count + 1, &status);
  sweep->change = plan_read_f32(reader);
  sweep->greatest = plan_read_f32(reader);
  sweep->began = sfnec_read_i64(reader);
  const bool good = sweep->at <= sweep->states && sweep->change >= 0.0f && sweep->greatest >= 0.0f &&
                    isfinite(sweep->change) && isfinite(sweep->greatest) && sweep->began >= 0 &&
                    sweep->began <= values->clock;
  return status || good ? status : sfnec_reader_refuse(reader, "its plan is in the middle of a sweep that none can be");
}

static sfnec_status load_trajectory(sfnec_values *values, sfnec_reader *reader) {
  sfnec_planning *planning = &values->planning;
  const uint32_t tables = values->table_count, states = values->model->state_count;
  const bool beside = planning->stage == SFNEC_STAGE_BESIDE;
  sfnec_status status = SFNEC_OK;
  planning->found = sfnec_read_u32(reader) != 0;
  planning->table = plan_read_number(reader, tables, &status);
  planning->state = plan_read_number(reader, states, &status);
  planning->depth = sfnec_read_u32(reader);
  planning->count = plan_read_number(reader, (beside ? tables : SFNEC_TRAJECTORY_TABLES) + 1, &status);
  const bool empty = planning->count == 0 && (planning->stage == SFNEC_STAGE_WALK || planning->sweep.going);
  if (!status && empty) status = sfnec_reader_refuse(reader, "its plan sweeps no table");
  for (uint32_t i = 0; !beside && i < planning->count && !status; i++) {
    planning->way[i] = plan_read_number(reader, tables, &status);
  }
  return status;
}

sfnec_status sfnec_planning_load(sfnec_values *values, sfnec_reader *reader) {
  sfnec_planning *planning = &values->planning;
  sfnec_status status = SFNEC_OK;
  planning->left = sfnec_read_i64(reader);
  planning->afresh = sfnec_read_u32(reader) != 0;
  planning->quiet = sfnec_read_u32(reader);
  planning->stage = (sfnec_stage)plan_read_number(reader, SFNEC_STAGE_BESIDE + 1, &status);
  if (!status && (planning->left < 0 || planning->left > SFNEC_COUNT_MOST)) {
    status = sfnec_reader_refuse(reader, "its plan has more left to do than it may");
  }
  if (status || planning->stage == SFNEC_STAGE_NONE) return status;
  status = load_sweep(values, &planning->sweep, reader);
  planning->effect = sfnec_read_u32(reader);
  if (!status && planning->effect >= values->model->effects.count) {
    status = sfnec_reader_refuse(reader, "its plan solves for an effect that does not exist");
  }
  if (status || planning->stage == SFNEC_STAGE_FIRST) return status;
  return load_trajectory(values, reader);
}
