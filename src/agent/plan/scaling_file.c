// scaling_file.c: how components are read and measured, in a file; see scaling.h.
#include "agent/plan/model_file.h"
#include "agent/plan/numbers.h"
#include "base/fields.h"

void sfnec_scaling_save_readings(const sfnec_scaling *scaling, sfnec_writer *writer) {
  for (size_t i = 0; i < scaling->size; i++) {
    const sfnec_reading *reading = &scaling->readings[i];
    sfnec_write_u32(writer, reading->dropped | (uint32_t)reading->level_count << 1);
    plan_write_floats(writer, reading->levels, reading->level_count);
  }
}

sfnec_status sfnec_scaling_load_readings(sfnec_scaling *scaling, sfnec_reader *reader) {
  scaling->readings = sfnec_read_room(reader, scaling->size, sizeof(uint32_t), sizeof *scaling->readings);
  if (!scaling->readings) return sfnec_reader_refuse(reader, "");
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < scaling->size && !status; i++) {
    sfnec_reading *reading = &scaling->readings[i];
    const uint32_t how = plan_read_number(reader, 2 * (SFNEC_LEVELS_MOST + 1), &status);
    reading->dropped = how & 1;
    reading->level_count = (uint8_t)(how >> 1);
    if (!status) status = plan_read_floats(reader, reading->levels, reading->level_count);
    for (size_t l = 1; l < reading->level_count && !status; l++) {
      if (!(reading->levels[l - 1] < reading->levels[l])) {
        status = sfnec_reader_refuse(reader, "the levels of a component are not in order");
      }
    }
  }
  return status;
}

static const sfnec_fields scaling_fields =
    SFNEC_FIELDS("the scales of its model", {SFNEC_ANY(sfnec_scaling, moves)}, {SFNEC_ANY(sfnec_scaling, seen)},
                 {SFNEC_ANY(sfnec_scaling, one_hot)}, {SFNEC_ANY(sfnec_scaling, dark)},
                 {SFNEC_UP_TO(sfnec_scaling, regime, SFNEC_REGIME_CONTINUOUS)});

// limits of a component
enum { CHANGES = 1, STEPS };

static const sfnec_fields component_fields = SFNEC_FIELDS(
    "a component of its model", {SFNEC_ANY(sfnec_component, low)}, {SFNEC_ANY(sfnec_component, high)},
    {SFNEC_UP_TO(sfnec_component, squares, SFNEC_SQUARES_MOST)}, {SFNEC_BELOW(sfnec_component, changes, CHANGES)},
    {SFNEC_BELOW(sfnec_component, rises, CHANGES)}, {SFNEC_BELOW(sfnec_component, quick, CHANGES)},
    {SFNEC_BELOW(sfnec_component, changed, STEPS)},
    {SFNEC_UP_TO(sfnec_component, value_count, SFNEC_SCALING_VALUES + 1)}, {SFNEC_ITEMS(sfnec_component, values)});

void sfnec_scaling_save(const sfnec_scaling *scaling, sfnec_writer *writer) {
  sfnec_fields_save(&scaling_fields, scaling, writer);
  sfnec_write_u32(writer, (uint32_t)scaling->slow_count);
  for (size_t i = 0; i < scaling->slow_count; i++) sfnec_write_u32(writer, scaling->slow[i]);
  for (size_t i = 0; i < scaling->size && scaling->seen > 0; i++) {
    sfnec_fields_save(&component_fields, &scaling->components[i], writer);
    plan_write_f32(writer, scaling->scale[i]);
  }
}

static sfnec_status load_component(sfnec_scaling *scaling, size_t i, sfnec_reader *reader) {
  sfnec_component *component = &scaling->components[i];
  const uint64_t limits[] = {(uint64_t)scaling->moves + 1, (uint64_t)scaling->seen + 1};
  const sfnec_status status = sfnec_fields_load(&component_fields, component, limits, 0, reader);
  scaling->scale[i] = plan_read_f32(reader);
  const bool good = component->low <= component->high && component->rises <= component->changes &&
                    component->quick <= component->changes && scaling->scale[i] >= 0.0f &&
                    scaling->scale[i] <= SFNEC_SCALE_MOST;
  if (status || good) return status;
  return sfnec_reader_refuse(reader, "what its model knows of a component contradicts itself");
}

sfnec_status sfnec_scaling_load(sfnec_scaling *scaling, bool fitted, sfnec_reader *reader) {
  sfnec_status status = sfnec_fields_load(&scaling_fields, scaling, NULL, 0, reader);
  if (status) return status;
  const uint32_t slow = sfnec_read_u32(reader);
  if (scaling->seen < scaling->moves || slow >= scaling->size + !fitted) {
    return sfnec_reader_refuse(reader, "the scales of its model contradict themselves");
  }
  scaling->slow_count = slow;
  for (size_t i = 0; i < slow && sfnec_reader_good(reader); i++) {
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
  for (size_t i = 0; i < scaling->size && scaling->seen > 0 && !status; i++)
    status = load_component(scaling, i, reader);
  return status;
}
