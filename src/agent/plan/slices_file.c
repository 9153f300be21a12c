// slices_file.c: what a plan is in the middle of, in a file, so that a loaded planner resumes bit for bit.
#include <float.h>

#include "agent/plan/internal.h"
#include "base/fields.h"

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

void sfnec_planning_save(const sfnec_planning *planning, sfnec_writer *writer) {
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

sfnec_status sfnec_planning_load(sfnec_values *values, sfnec_reader *reader) {
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
