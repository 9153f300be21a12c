// numbers.h: writing and reading the numbers of a planner, each checked as it is read.
#ifndef SFNEC_AGENT_PLAN_NUMBERS_H
#define SFNEC_AGENT_PLAN_NUMBERS_H

#include <stdint.h>

#include "agent/plan/model.h"
#include "base/file.h"
#include "base/vector.h"

// A clock or a counter: one beyond the greatest that a file may claim, which takes longer than there is, stays there.
static inline void plan_write_count(sfnec_writer *writer, int64_t count) {
  sfnec_write_i64(writer, count < SFNEC_COUNT_MOST ? count : SFNEC_COUNT_MOST);
}

static inline void plan_write_f32(sfnec_writer *writer, float value) {
  sfnec_write_bytes(writer, &value, sizeof value);
}

static inline float plan_read_f32(sfnec_reader *reader) {
  float value = 0.0f;
  sfnec_read_bytes(reader, &value, sizeof value);
  return value;
}

static inline void plan_write_floats(sfnec_writer *writer, const float *floats, size_t count) {
  if (count) sfnec_write_bytes(writer, floats, count * sizeof *floats);
}

// Reads floats into an array that is there; all must be finite.
static inline sfnec_status plan_read_floats(sfnec_reader *reader, float *floats, size_t count) {
  sfnec_read_bytes(reader, floats, count * sizeof *floats);
  if (sfnec_all_finite_f32(floats, count)) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "a number of its model is not finite");
}

// The same, and none may be beyond `most`: from larger ones the next backup would not be finite.
static inline sfnec_status plan_read_within(sfnec_reader *reader, float *floats, size_t count, float most) {
  const sfnec_status status = plan_read_floats(reader, floats, count);
  if (status) return status;
  bool good = true;
  for (size_t i = 0; i < count; i++) good &= fabsf(floats[i]) <= most;
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "a number of its model is too large");
}

// A count of things of which each has at least some bytes in the file.
static inline sfnec_status plan_read_count(sfnec_reader *reader, uint32_t most, size_t least_bytes, uint32_t *count) {
  *count = sfnec_read_u32(reader);
  if (*count <= most && (uint64_t)*count * least_bytes <= sfnec_reader_left(reader)) return SFNEC_OK;
  *count = 0;
  return sfnec_reader_refuse(reader, "its model claims more than the file holds");
}

// A number of something of which there are so many.
static inline uint32_t plan_read_number(sfnec_reader *reader, uint32_t count, sfnec_status *status) {
  const uint32_t number = sfnec_read_u32(reader);
  if (number < count) return number;
  if (!*status) *status = sfnec_reader_refuse(reader, "its model names something that does not exist");
  return 0;
}

static inline uint32_t plan_read_number_or_none(sfnec_reader *reader, uint32_t count, sfnec_status *status) {
  const uint32_t number = sfnec_read_u32(reader);
  if (number < count || number == SFNEC_NONE) return number;
  if (!*status) *status = sfnec_reader_refuse(reader, "its model names something that does not exist");
  return SFNEC_NONE;
}

static inline void plan_write_tuples(sfnec_writer *writer, const sfnec_tuples *tuples) {
  sfnec_write_u32(writer, tuples->count);
  plan_write_floats(writer, tuples->items, (size_t)tuples->count * tuples->size);
}

static inline sfnec_status plan_read_tuples(sfnec_reader *reader, sfnec_tuples *tuples, float *tuple) {
  uint32_t count;
  sfnec_status status = plan_read_count(reader, UINT32_MAX - 1, tuples->size * sizeof(float), &count);
  if (!status && tuples->size == 0 && count > 1) status = sfnec_reader_refuse(reader, "a context stands there twice");
  for (uint32_t i = 0; i < count && !status; i++) {
    uint32_t number;
    status = plan_read_floats(reader, tuple, tuples->size);
    if (!status) status = sfnec_tuples_add(tuples, tuple, &number);
    if (!status && number != i) status = sfnec_reader_refuse(reader, "a context stands there twice");
  }
  return status;
}

#endif
