// csv.c: writing comma-separated values; see csv.h.
#include "base/csv.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

// would a spreadsheet take it for a formula?
static bool is_formula(const char *text) {
  double number;
  return text[0] && strchr("=+-@\t\r", text[0]) && !sfnec_text_to_real(text, &number);
}

void sfnec_csv_text(FILE *file, const char *text) {
  if (is_formula(text)) {
    // an apostrophe in front is how spreadsheets know a text
    fputs("\"'", file);
  } else if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, file);
    return;
  } else {
    fputc('"', file);
  }
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

void sfnec_csv_real(FILE *file, double value) {
  char text[32];
  if (isnan(value)) return;
  sfnec_real_to_text(value, text, sizeof text);
  fputs(text, file);
}
