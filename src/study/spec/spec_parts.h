// spec_parts.h: what the files of the spec share: reading (spec_read.c), checking (spec_check.c), changing from the
// command line (spec_override.c) and writing (spec_text.c).
#ifndef SFNEC_STUDY_SPEC_SPEC_PARTS_H
#define SFNEC_STUDY_SPEC_SPEC_PARTS_H

#include "study/spec/fields.h"
#include "study/spec/keys.h"
#include "study/spec/spec.h"

// Fills a spec that holds the defaults from the root of a file: kinds, keys, numbers. Texts are as in the file.
sfnec_status sfnec_spec_read(const sfnec_source *source, const sfnec_yaml *root, sfnec_spec *spec);

// Checks names, option keys and values by the library's tables, and brings values into the table's form. `root` knows
// the lines of what the spec has no line for.
sfnec_status sfnec_spec_check(const sfnec_source *source, const sfnec_yaml *root, sfnec_spec *spec);

// Changes a checked spec as the command line asks. Fails with SFNEC_ERROR_OPTION.
sfnec_status sfnec_spec_override(sfnec_spec *spec, const sfnec_overrides *overrides);

// The axes that count for an agent: its own, or the common ones.
const sfnec_axes *sfnec_spec_axes(const sfnec_spec *spec, const sfnec_spec_agent *agent);

// Is the published number that of a point which the spec runs? Without a sweep there is one point, without settings.
bool sfnec_published_fits(const sfnec_spec *spec, const sfnec_published *published);

// The tables of all mappings, for the documentation; NULL past the last.
const sfnec_field_set *sfnec_spec_field_set_at(size_t i);

#endif
