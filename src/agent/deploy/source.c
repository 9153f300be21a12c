// source.c: see source.h. Numbers are hexadecimal floats, which C99 reads back to the bit.
#include "agent/deploy/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"

// ---- life ----

sfnec_status sfnec_source_begin(sfnec_source *source, const char *name) {
  *source = (sfnec_source){.name = name};
  source->constants = open_memstream(&source->constants_text, &source->constants_size);
  source->data = open_memstream(&source->data_text, &source->data_size);
  return source->constants && source->data ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

sfnec_status sfnec_source_end(sfnec_source *source) {
  FILE *constants = source->constants, *data = source->data;
  source->constants = source->data = NULL;
  const bool first = constants && sfnec_output_close_text(constants, &source->constants_text);
  const bool second = data && sfnec_output_close_text(data, &source->data_text);
  return first && second ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

void sfnec_source_clear(sfnec_source *source) {
  if (source->constants) fclose(source->constants);
  if (source->data) fclose(source->data);
  free(source->constants_text), free(source->data_text);
  *source = (sfnec_source){0};
}

// ---- numbers ----

static void print_name(const sfnec_source *source, FILE *file, bool upper) {
  for (const char *c = source->name; *c; c++) fputc(upper ? toupper((unsigned char)*c) : *c, file);
}

static void print_number(FILE *file, double value, bool is_float) {
  if (isinf(value)) {
    fprintf(file, "%s%s", value < 0.0 ? "-" : "", is_float ? "HUGE_VALF" : "HUGE_VAL");
    return;
  }
  // few digits where that is the same number, else all of them
  const bool whole = value == floor(value) && fabs(value) < 1e6 && !(value == 0.0 && signbit(value));
  if (whole) fprintf(file, "%.0f", value);
  else fprintf(file, is_float ? "%af" : "%a", value);
}

static void begin_constant(sfnec_source *source, const char *what) {
  fputs("#define ", source->constants);
  print_name(source, source->constants, true);
  fprintf(source->constants, "_%s ", what);
}

void sfnec_source_count(sfnec_source *source, const char *what, int64_t value) {
  begin_constant(source, what);
  fprintf(source->constants, "%" PRId64 "\n", value);
}

void sfnec_source_bits(sfnec_source *source, const char *what, uint64_t value) {
  begin_constant(source, what);
  fprintf(source->constants, "UINT64_C(%" PRIu64 ")\n", value);
}

void sfnec_source_float(sfnec_source *source, const char *what, float value) {
  begin_constant(source, what);
  fputc('(', source->constants);
  print_number(source->constants, (double)value, true);
  fputs(")\n", source->constants);
}

void sfnec_source_double(sfnec_source *source, const char *what, double value) {
  begin_constant(source, what);
  fputc('(', source->constants);
  print_number(source->constants, value, false);
  fputs(")\n", source->constants);
}

// ---- arrays ----

enum { LINE = 110 }; // columns of a line of data

static void begin_array(sfnec_source *source, const char *type, const char *what, size_t count) {
  fprintf(source->data, "static const %s ", type);
  print_name(source, source->data, false);
  fprintf(source->data, "_%s[%zu] = {\n", what, count ? count : 1);
}

// Writes what `print` says about element i of so many, in lines.
static void print_array(sfnec_source *source, size_t count, void (*print)(FILE *, const void *, size_t),
                        const void *context) {
  long line = ftell(source->data);
  for (size_t i = 0; i < count; i++) {
    print(source->data, context, i);
    const bool full = ftell(source->data) - line > LINE;
    fputs(full || i + 1 == count ? ",\n" : ",", source->data);
    if (full) line = ftell(source->data);
  }
  if (!count) fputs("0\n", source->data);
  fputs("};\n", source->data);
}

typedef struct float_rows {
  const float *rows;
  size_t columns, stride;
} float_rows;

static void print_float(FILE *file, const void *context, size_t i) {
  const float_rows *all = context;
  print_number(file, (double)all->rows[i / all->columns * all->stride + i % all->columns], true);
}

void sfnec_source_floats(sfnec_source *source, const char *what, const float *rows, size_t count, size_t columns,
                         size_t stride) {
  const float_rows all = {rows, columns, stride};
  begin_array(source, "float", what, count * columns);
  print_array(source, count * columns, print_float, &all);
  source->bytes += count * columns * sizeof(float);
}

static void print_double(FILE *file, const void *context, size_t i) {
  print_number(file, ((const double *)context)[i], false);
}

void sfnec_source_doubles(sfnec_source *source, const char *what, const double *numbers, size_t count) {
  begin_array(source, "double", what, count);
  print_array(source, count, print_double, numbers);
  source->bytes += count * sizeof(double);
}

static void print_count(FILE *file, const void *context, size_t i) {
  fprintf(file, "%" PRId64, ((const int64_t *)context)[i]);
}

void sfnec_source_counts(sfnec_source *source, const char *what, const int64_t *numbers, size_t count) {
  int64_t least = 0, most = 0;
  for (size_t i = 0; i < count; i++) {
    if (numbers[i] < least) least = numbers[i];
    if (numbers[i] > most) most = numbers[i];
  }
  const bool small = least >= 0 && most <= UINT8_MAX, middle = least >= INT16_MIN && most <= INT16_MAX;
  begin_array(source, small ? "uint8_t" : middle ? "int16_t" : "int32_t", what, count);
  print_array(source, count, print_count, numbers);
  source->bytes += count * (small ? 1 : middle ? 2 : 4);
}

// ---- texts ----

void sfnec_source_copy(const sfnec_source *source, const char *text, FILE *file) {
  static const char lower[] = "policy_", upper[] = "POLICY_";
  enum { LENGTH = sizeof lower - 1 };
  for (const char *at = text; *at;) {
    const bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
    const bool is_lower = begins && strncmp(at, lower, LENGTH) == 0;
    const bool is_upper = begins && strncmp(at, upper, LENGTH) == 0;
    if (!is_lower && !is_upper) {
      fputc(*at++, file);
      continue;
    }
    print_name(source, file, is_upper);
    fputc('_', file);
    at += LENGTH;
  }
}

void sfnec_source_copy_runtime(const sfnec_source *source, const char *name, FILE *file) {
  for (const sfnec_runtime_text *each = sfnec_runtime_texts; each->name; each++) {
    if (strcmp(each->name, name) == 0) sfnec_source_copy(source, (const char *)each->bytes, file);
  }
}
