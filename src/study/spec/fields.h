// fields.h: a mapping of a YAML file as a table of its keys. The table feeds the reading, the checks and every refusal;
// docs/specs.md lists the same rows (a test compares them).
#ifndef SFNEC_STUDY_SPEC_FIELDS_H
#define SFNEC_STUDY_SPEC_FIELDS_H

#include "study/spec/yaml.h"

typedef enum sfnec_field_type {
  SFNEC_FIELD_TEXT,  // const char *, not empty, at most `most` bytes
  SFNEC_FIELD_FLAG,  // bool: yes, no, true or false
  SFNEC_FIELD_INT,   // int64_t in [least, most]
  SFNEC_FIELD_COUNT, // uint32_t in [least, most]
  SFNEC_FIELD_SEED,  // uint64_t
  SFNEC_FIELD_REAL,  // double, finite
  SFNEC_FIELD_OTHER, // what `read` makes of it
} sfnec_field_type;

typedef struct sfnec_field {
  const char *name;
  sfnec_field_type type;
  size_t offset;      // of the field in the struct that the table describes
  double least, most; // exact: all limits are below 2^53
  bool required;
  sfnec_status (*read)(const sfnec_source *source, const sfnec_yaml *node, void *field);
  const char *help; // one line, no full stop
} sfnec_field;

// A table; the last row has name NULL.
typedef struct sfnec_field_set {
  const char *title; // "a spec", "an agent", ...
  const sfnec_field *rows;
} sfnec_field_set;

// Reads a mapping into a struct that holds the defaults. Refuses other kinds, unknown keys, keys that come twice, and
// required keys that are missing.
sfnec_status sfnec_fields_read(const sfnec_source *source, const sfnec_field_set *set, const sfnec_yaml *node,
                               void *into);

// Refuses a node that is not of this kind: "is a list, but a mapping is wanted".
sfnec_status sfnec_yaml_want(const sfnec_source *source, const sfnec_yaml *node, sfnec_yaml_kind kind);
// The item of that key in a mapping, or NULL.
const sfnec_yaml *sfnec_yaml_item(const sfnec_yaml *mapping, const char *key);
// Refuses an item whose key an earlier item of the mapping has.
sfnec_status sfnec_yaml_once(const sfnec_source *source, const sfnec_yaml *item);

#endif
