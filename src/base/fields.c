// fields.c: see fields.h. Numbers are little-endian in memory as in the file (file.c checks it).
#include "base/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"

// How many elements of a field are in use.
static uint32_t count_of(const sfnec_stored_field *field, const unsigned char *record) {
  uint32_t count = field->elements ? field->elements : 1;
  if (field->counted_by) memcpy(&count, record + field->counted_by, sizeof count);
  return count;
}

// Bytes of an element in the file.
static size_t written(const sfnec_stored_field *field) {
  return field->type == SFNEC_FIELD_BOOL ? sizeof(uint32_t) : field->size;
}

void sfnec_fields_save(const sfnec_fields *fields, const void *record, sfnec_writer *writer) {
  for (const sfnec_stored_field *field = fields->rows; field->name; field++) {
    const unsigned char *at = (const unsigned char *)record + field->offset;
    const uint32_t count = count_of(field, record);
    for (uint32_t i = 0; i < count; i++, at += field->size) {
      uint64_t bits = 0;
      memcpy(&bits, at, field->size);
      if (field->type == SFNEC_FIELD_COUNT && bits > SFNEC_COUNT_MOST) bits = SFNEC_COUNT_MOST;
      sfnec_write_bytes(writer, &bits, written(field));
    }
  }
}

static bool is_good(const sfnec_stored_field *field, uint64_t bits, const uint64_t *limits) {
  double value = (double)bits;
  float single;
  if (field->type == SFNEC_FIELD_F32) {
    memcpy(&single, &bits, sizeof single);
    value = (double)single;
  } else if (field->type == SFNEC_FIELD_F64) {
    memcpy(&value, &bits, sizeof value);
  } else if (field->or_none && bits == UINT32_MAX) {
    return true;
  } else if (bits > (field->type == SFNEC_FIELD_BOOL ? 1 : SFNEC_COUNT_MOST) ||
             (field->below && bits >= limits[field->below - 1])) {
    return false;
  }
  return field->least < field->most ? value >= field->least && value <= field->most : isfinite(value);
}

static bool load_field(const sfnec_stored_field *field, unsigned char *record, const uint64_t *limits,
                       sfnec_reader *reader) {
  const uint32_t count = count_of(field, record);
  unsigned char *at = record + field->offset;
  bool good = !field->elements || count <= field->elements;
  for (uint32_t i = 0; i < count && good; i++, at += field->size) {
    uint64_t bits = 0;
    sfnec_read_bytes(reader, &bits, written(field));
    good = sfnec_reader_good(reader) && is_good(field, bits, limits);
    if (good) memcpy(at, &bits, field->size);
  }
  return good;
}

sfnec_status sfnec_fields_load(const sfnec_fields *fields, void *record, const uint64_t *limits, uint32_t flags,
                               sfnec_reader *reader) {
  for (const sfnec_stored_field *field = fields->rows; field->name && sfnec_reader_good(reader); field++) {
    if ((field->since && !(flags & field->since)) || load_field(field, record, limits, reader)) continue;
    char why[128];
    snprintf(why, sizeof why, "'%s' of %s is out of range", field->name, fields->of);
    return sfnec_reader_refuse(reader, why);
  }
  return sfnec_reader_good(reader) ? SFNEC_OK : sfnec_reader_refuse(reader, "it ends early");
}
