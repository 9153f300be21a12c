// yaml.h: a YAML text as a tree of nodes that know their lines, its mappings read by tables of their keys, and
// sentences that name file, line and key.
//
// Only what a spec needs: one document of mappings, lists and texts. Anchors, aliases, tags and several documents are
// refused in plain words, so a small file cannot grow into a large tree.
#ifndef SFNEC_STUDY_SPEC_YAML_H
#define SFNEC_STUDY_SPEC_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "sfnec/status.h"

// Where a tree comes from, and where its memory is.
typedef struct sfnec_yaml_source {
  sfnec_arena *arena;
  const char *path; // for messages
} sfnec_yaml_source;

typedef enum sfnec_yaml_kind { SFNEC_YAML_TEXT, SFNEC_YAML_LIST, SFNEC_YAML_MAPPING } sfnec_yaml_kind;

typedef struct sfnec_yaml {
  sfnec_yaml_kind kind;
  int line;                 // where it begins, from 1; of a list or mapping under a key, the key's
  const char *text;         // of a text; without control characters
  struct sfnec_yaml *items; // (count) of a list or mapping
  size_t count;
  const char *key; // of an item of a mapping, else NULL
  int key_line;
  const struct sfnec_yaml *parent; // NULL for the root
} sfnec_yaml;

// Reads the one document of a text. Fails with SFNEC_ERROR_FORMAT (file, line, and what libyaml says) or _MEMORY.
sfnec_status sfnec_yaml_parse(const sfnec_yaml_source *source, const char *text, size_t size, const sfnec_yaml **root);

// Refuses a node: "FILE:LINE: agents[2].options: SENTENCE". Returns SFNEC_ERROR_FORMAT.
__attribute__((format(printf, 3, 4))) sfnec_status sfnec_yaml_refuse(const sfnec_yaml_source *source,
                                                                     const sfnec_yaml *node, const char *format, ...);
// The same for a file, a line (0: none) and a key (NULL: none) that are known without the node.
__attribute__((format(printf, 4, 5))) sfnec_status sfnec_refuse_at(const char *path, int line, const char *key,
                                                                   const char *format, ...);

// Refuses a node that is not of this kind: "is a list, but a mapping is wanted".
sfnec_status sfnec_yaml_want(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_yaml_kind kind);
// The item of that key in a mapping, or NULL.
const sfnec_yaml *sfnec_yaml_item(const sfnec_yaml *mapping, const char *key);

// A text short enough for a sentence: at most 40 bytes of it, without control characters.
const char *sfnec_shown(sfnec_arena *arena, const char *text);
// "; did you mean 'name'?", or "" for NULL.
const char *sfnec_hint(sfnec_arena *arena, const char *name);

// ---- mappings by tables: a table feeds the reading, the checks and every refusal; docs/specs.md lists the same rows
// (a test compares them) ----

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
  sfnec_status (*read)(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field);
  const char *help; // one line, no full stop
} sfnec_field;

// A table; the last row has name NULL.
typedef struct sfnec_field_set {
  const char *title; // "a spec", "an agent", ...
  const sfnec_field *rows;
} sfnec_field_set;

// Reads a mapping into a struct that holds the defaults. Refuses other kinds, unknown keys, keys that come twice, and
// required keys that are missing.
sfnec_status sfnec_fields_read(const sfnec_yaml_source *source, const sfnec_field_set *set, const sfnec_yaml *node,
                               void *into);

#endif
