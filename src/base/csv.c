// csv.c: writing comma-separated values; see csv.h.
#include "base/csv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void sfnec_csv_text(FILE *file, const char *text) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
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
