// json.c: writing JSON: commas, indentation and quoting are taken care of.
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/text.h"

static void print_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    const int length = sfnec_text_character((const char *)at);
    if (!length) fputs("\\ufffd", file);
    else if (*at == '"' || *at == '\\') fprintf(file, "\\%c", *at);
    else if (*at == '\n') fputs("\\n", file);
    else if (*at < 0x20 || *at == 0x7f) fprintf(file, "\\u%04x", *at);
    // U+0080 to U+009F are codes of terminals too, and JSON is printed to them
    else if (*at == 0xc2 && at[1] < 0xa0) fprintf(file, "\\u%04x", at[1]);
    else fwrite(at, 1, (size_t)length, file);
    at += length ? length : 1;
  }
  fputc('"', file);
}

static void break_line(const sfnec_json *json) {
  if (json->compact) return;
  if (!json->flat || json->depth < json->flat) fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

// what comes before a value: the comma after the last one, a new line, the key
static void lead(sfnec_json *json, const char *key) {
  const bool one_line = json->flat && json->depth >= json->flat;
  if (json->inner) fputs(one_line && !json->compact ? ", " : ",", json->file);
  if (json->depth) break_line(json);
  json->inner = true;
  if (!key) return;
  print_quoted(json->file, key);
  fputs(json->compact ? ":" : ": ", json->file);
}

void sfnec_json_begin(sfnec_json *json, const char *key, char bracket) {
  lead(json, key);
  fputc(bracket, json->file);
  json->depth++;
  json->inner = false;
}

void sfnec_json_begin_flat(sfnec_json *json, const char *key, char bracket) {
  sfnec_json_begin(json, key, bracket);
  if (!json->flat) json->flat = json->depth;
}

void sfnec_json_end(sfnec_json *json, char bracket) {
  const bool was_flat = json->flat != 0;
  if (json->flat == json->depth) json->flat = 0;
  json->depth--;
  if (json->inner && !was_flat) break_line(json);
  fputc(bracket, json->file);
  json->inner = true;
  if (!json->depth && !json->compact) fputc('\n', json->file);
}

void sfnec_json_text(sfnec_json *json, const char *key, const char *text) {
  lead(json, key);
  if (text) print_quoted(json->file, text);
  else fputs("null", json->file);
}

void sfnec_json_real(sfnec_json *json, const char *key, double value) {
  char text[32] = "null";
  lead(json, key);
  if (isfinite(value)) sfnec_real_to_text(value, text, sizeof text);
  fputs(text, json->file);
}

void sfnec_json_int(sfnec_json *json, const char *key, int64_t value) {
  lead(json, key);
  fprintf(json->file, "%" PRId64, value);
}

void sfnec_json_seed(sfnec_json *json, const char *key, uint64_t value) {
  lead(json, key);
  fprintf(json->file, "%" PRIu64, value);
}

void sfnec_json_bool(sfnec_json *json, const char *key, bool value) {
  lead(json, key);
  fputs(value ? "true" : "false", json->file);
}

void sfnec_json_raw(sfnec_json *json, const char *key, const char *text) {
  lead(json, key);
  fputs(text, json->file);
}
