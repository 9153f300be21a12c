// yaml.h: a YAML text as a tree of nodes that know their lines, and sentences that name file, line and key.
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
typedef struct sfnec_source {
  sfnec_arena *arena;
  const char *path; // for messages
} sfnec_source;

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
sfnec_status sfnec_yaml_parse(const sfnec_source *source, const char *text, size_t size, const sfnec_yaml **root);

// Refuses a node: "FILE:LINE: agents[2].options: SENTENCE". Returns SFNEC_ERROR_FORMAT.
__attribute__((format(printf, 3, 4))) sfnec_status sfnec_yaml_refuse(const sfnec_source *source, const sfnec_yaml *node,
                                                                     const char *format, ...);
// The same for a line and a key (NULL: none) that are known without the node.
__attribute__((format(printf, 4, 5))) sfnec_status sfnec_source_refuse(const sfnec_source *source, int line,
                                                                       const char *key, const char *format, ...);

// A text short enough for a sentence: at most 40 bytes of it, without control characters.
const char *sfnec_shown(sfnec_arena *arena, const char *text);
// "; did you mean 'name'?", or "" for NULL.
const char *sfnec_hint(sfnec_arena *arena, const char *name);

#endif
