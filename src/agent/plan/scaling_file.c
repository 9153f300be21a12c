// scaling_file.c: how components are read and measured, in a file; see scaling.h.
#include <math.h>

#include "agent/plan/model_file.h"
#include "agent/plan/numbers.h"

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

void sfnec_scaling_save(const sfnec_scaling *scaling, sfnec_writer *writer) {
  sfnec_write_i64(writer, scaling->moves);
  sfnec_write_i64(writer, scaling->seen);
  sfnec_write_u32(writer, scaling->one_hot);
  sfnec_write_u32(writer, scaling->dark);
  sfnec_write_u32(writer, scaling->regime);
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
                    component->squares >= 0.0 && component->squares <= SFNEC_SQUARES_MOST && component->changes >= 0 &&
                    component->changes <= scaling->moves && component->rises >= 0 &&
                    component->rises <= component->changes && component->quick >= 0 &&
                    component->quick <= component->changes && component->changed >= 0 &&
                    component->changed <= scaling->seen && values <= SFNEC_SCALING_VALUES + 1 &&
                    scaling->scale[i] >= 0.0f && scaling->scale[i] <= SFNEC_SCALE_MOST;
  if (status || good) return status;
  return sfnec_reader_refuse(reader, "what its model knows of a component contradicts itself");
}

sfnec_status sfnec_scaling_load(sfnec_scaling *scaling, bool fitted, sfnec_reader *reader) {
  scaling->moves = sfnec_read_i64(reader);
  scaling->seen = sfnec_read_i64(reader);
  scaling->one_hot = sfnec_read_u32(reader) != 0;
  scaling->dark = sfnec_read_u32(reader) != 0;
  const uint32_t regime = sfnec_read_u32(reader);
  if (regime > SFNEC_REGIME_CONTINUOUS) return sfnec_reader_refuse(reader, "the regime of its model is none");
  scaling->regime = (sfnec_regime)regime;
  const uint32_t slow = sfnec_read_u32(reader);
  if (scaling->moves < 0 || scaling->seen < scaling->moves || scaling->seen > SFNEC_COUNT_MOST ||
      slow >= scaling->size + !fitted) {
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
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < scaling->size && scaling->seen > 0 && !status; i++)
    status = load_component(scaling, i, reader);
  return status;
}
