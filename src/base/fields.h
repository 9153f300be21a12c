// fields.h: what a struct has in a file, as a table: a row for each field, in the order of the bytes. Saving, loading
// and checking walk the table, so a field, its bounds and its name in a sentence of refusal stand in one row.
#ifndef SFNEC_BASE_FIELDS_H
#define SFNEC_BASE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"

typedef enum sfnec_stored_type {
  SFNEC_FIELD_U32,   // four bytes, also of enums
  SFNEC_FIELD_BOOL,  // as u32 in the file, 0 or 1
  SFNEC_FIELD_COUNT, // 64 bits, from 0 to SFNEC_COUNT_MOST; a clock beyond is saved as that
  SFNEC_FIELD_F32,
  SFNEC_FIELD_F64,
} sfnec_stored_type;

typedef struct sfnec_stored_field {
  const char *name; // NULL: the table ends
  size_t offset;
  uint8_t size, type; // bytes of an element in memory
  uint8_t below;      // number of a limit that a whole number is below, from 1; 0: none
  bool or_none;       // or it is UINT32_MAX
  uint32_t elements;  // of an array...
  size_t counted_by;  // ...and where the struct says how many are in use, as uint32_t, saved before; 0: all are
  double least, most; // bounds if least < most; else any value is good, and of real numbers any finite one
  uint32_t since;     // only in files with this flag; 0: in all
} sfnec_stored_field;

typedef struct sfnec_fields {
  const char *of; // whose fields: "a sample of its model"
  const sfnec_stored_field *rows;
} sfnec_fields;

// clang-format off
#define SFNEC_FIELDS(of, ...) {of, (const sfnec_stored_field[]){__VA_ARGS__, {0}}}

// What a row has, in braces.
#define SFNEC_FIELD_TYPE(value)                                                                                        \
  _Generic((value), bool: SFNEC_FIELD_BOOL, uint64_t: SFNEC_FIELD_COUNT, int64_t: SFNEC_FIELD_COUNT,                   \
           float: SFNEC_FIELD_F32, double: SFNEC_FIELD_F64, default: SFNEC_FIELD_U32)
// clang-format on
#define SFNEC_FIELD_OF(record, member, element)                                                                        \
  .name = #member, .offset = offsetof(record, member), .size = sizeof((record *)0)->element,                           \
  .type = SFNEC_FIELD_TYPE(((record *)0)->element)
#define SFNEC_ANY(record, member) SFNEC_FIELD_OF(record, member, member)
#define SFNEC_WITHIN(record, member, low, high) SFNEC_ANY(record, member), .least = (low), .most = (high)
#define SFNEC_UP_TO(record, member, high) SFNEC_ANY(record, member), .most = (high)
#define SFNEC_BELOW(record, member, limit) SFNEC_ANY(record, member), .below = (limit)
#define SFNEC_ITEMS(record, member)                                                                                    \
  SFNEC_FIELD_OF(record, member, member[0]), .elements = sizeof((record *)0)->member / sizeof *((record *)0)->member
#define SFNEC_COUNTED(record, member, count) SFNEC_ITEMS(record, member), .counted_by = offsetof(record, count)

// Writes the fields of a record.
void sfnec_fields_save(const sfnec_fields *fields, const void *record, sfnec_writer *writer);
// Reads them; fields that the file's flags lack stay as they are. limits[i - 1] is limit number i. A value out of
// bounds is refused and not stored. Fails with SFNEC_ERROR_FORMAT.
sfnec_status sfnec_fields_load(const sfnec_fields *fields, void *record, const uint64_t *limits, uint32_t flags,
                               sfnec_reader *reader);

#endif
