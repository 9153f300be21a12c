// read.h: what the files that read a spec share: the rows of their tables, and the readers of what stands in several.
#ifndef SFNEC_STUDY_SPEC_READ_H
#define SFNEC_STUDY_SPEC_READ_H

#include "study/spec/spec.h"
#include "study/spec/yaml.h"

// the most that is read of each kind; far above any study, and all within an int
enum { LONGEST_NAME = 64, LONGEST_LABEL = 80, LONGEST_TEXT = 200 };

#define ROW(name, type, owner, field, least, most, required, read, help)                                               \
  { name, type, offsetof(owner, field), least, most, required, read, help }
#define OTHER(name, owner, field, required, read, help)                                                                \
  ROW(name, SFNEC_FIELD_OTHER, owner, field, 0, 0, required, read, help)
#define END                                                                                                            \
  { NULL, SFNEC_FIELD_OTHER, 0, 0, 0, false, NULL, NULL }

// {key: value}, into an sfnec_settings.
sfnec_status sfnec_read_settings(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field);
// [[numbers], ...], into an sfnec_vectors.
sfnec_status sfnec_read_weights(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field);
// The environment, into the spec itself, and the table of its keys (read_env.c).
sfnec_status sfnec_read_env(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field);
extern const sfnec_field_set sfnec_env_fields;

#endif
