// source.h: writes a C source: constants, arrays of data, and texts of the runtime under the name of the policy.
#ifndef SFNEC_AGENT_DEPLOY_SOURCE_H
#define SFNEC_AGENT_DEPLOY_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sfnec/status.h"

// A text of the runtime (runtime/*.in, and the constants of the planner), as the build made it; ends with a 0.
typedef struct sfnec_runtime_text {
  const char *name;
  const unsigned char *bytes;
} sfnec_runtime_text;
extern const sfnec_runtime_text sfnec_runtime_texts[]; // the last one has no name

// What is written so far, in memory: a failure leaves no half of a file.
typedef struct sfnec_source {
  const char *name;       // that takes the place of `policy` in all names
  FILE *constants, *data; // streams in memory
  char *constants_text, *data_text;
  size_t constants_size, data_size;
  size_t bytes; // of data
} sfnec_source;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_source_begin(sfnec_source *source, const char *name);
// Ends both texts. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_source_end(sfnec_source *source);
void sfnec_source_clear(sfnec_source *source);

// #define <NAME>_<what>: a whole number, or a number that comes back to the bit.
void sfnec_source_count(sfnec_source *source, const char *what, int64_t value);
// 64 bits, without a sign.
void sfnec_source_bits(sfnec_source *source, const char *what, uint64_t value);
void sfnec_source_float(sfnec_source *source, const char *what, float value);
void sfnec_source_double(sfnec_source *source, const char *what, double value);

// static const arrays <name>_<what> of rows that lie `stride` apart, of which `columns` are written. An empty array has
// one 0, as C99 has no array without elements. Whole numbers take the smallest type that holds them.
void sfnec_source_floats(sfnec_source *source, const char *what, const float *rows, size_t count, size_t columns,
                         size_t stride);
void sfnec_source_doubles(sfnec_source *source, const char *what, const double *numbers, size_t count);
void sfnec_source_counts(sfnec_source *source, const char *what, const int64_t *numbers, size_t count);

// Writes a text of the runtime, or any text, with the name of the policy in the place of `policy` and `POLICY`.
void sfnec_source_copy(const sfnec_source *source, const char *text, FILE *file);
void sfnec_source_copy_runtime(const sfnec_source *source, const char *name, FILE *file);

#endif
